package mem

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"unsafe"
)

// A Footprint is the memory that one group accesses, recorded by one goroutine. It may be reused for one group
// after another.
type Footprint struct {
	all   *Footprints
	pages [ways][]*pageMarks // by kind of access and page; nil: marks are not allocated
	rooms []int32            // the indices of entries in pages that are not nil: page by page, ways for each
	rowOf [ways]pageRow
	free  []*pageMarks
	kept  int    // number of rooms when the group began
	wait  int    // for this many more groups no page stays allocated
	slab  []byte // for saved contents of pages
	last  int    // index in Footprints.watched of the last access
	group *group // nil: the waves of a group are not told apart
}

// pageMarks is a byte per word: 0 if it was not accessed. A byte, as opposed to a bit, is set without reading the
// earlier marks.
type pageMarks [pageWords]byte

// New makes an empty footprint.
func (f *Footprints) New() *Footprint {
	p := &Footprint{all: f}
	for how := range p.pages {
		p.pages[how] = make([]*pageMarks, len(f.pages))
	}
	return p
}

// Edition is the edition of the footprints.
func (p *Footprint) Edition() uint64 { return p.all.Edition() }

// Touch records an access by the lanes of the mask, before it happens. windows are the memory of each lane, nil if
// it is not memory; want is the argument of At.
func (p *Footprint) Touch(windows *[64][]byte, lanes uint64, want Rights) {
	how := howOf[want]
	var from, to uintptr // consecutive bytes that lanes access one after another
	for ; lanes != 0; lanes &= lanes - 1 {
		w := windows[bits.TrailingZeros64(lanes)]
		if len(w) == 0 {
			continue
		}
		at, n := uintptr(unsafe.Pointer(&w[0])), uintptr(len(w))
		switch {
		case at == to:
			to += n
		case at >= from && at+n <= to:
		default:
			p.run(from, to, how)
			from, to = at, at+n
		}
	}
	p.run(from, to, how)
}

// run records a range of host addresses, as far as they are watched.
func (p *Footprint) run(from, to uintptr, how uint8) {
	for from < to {
		w := p.find(from)
		if w == nil {
			return
		}
		off := uint(from - w.host)
		end := min(off+uint(to-from), uint(len(w.data)))
		from += uintptr(end - off)
		if w.exempt.Load() == 1<<how {
			continue
		}
		for off < end {
			page := off >> PageShift
			stop := min(end, (page+1)<<PageShift)
			first, last := off%pageBytes>>WordShift, (stop-1)%pageBytes>>WordShift
			copy(p.room(w, w.first+int(page), how)[first:last+1], ones[:])
			off = stop
		}
	}
}

// ones are the marks of a page of which all words are marked.
var ones = func() (m pageMarks) {
	for i := range m {
		m[i] = 1
	}
	return m
}()

// find returns the watched segment that contains a host address, or nil.
func (p *Footprint) find(at uintptr) *watched {
	ws := p.all.watched
	if !p.Shared() {
		return p.findLocal(at)
	}
	if p.last < len(ws) && at-ws[p.last].host < uintptr(len(ws[p.last].data)) {
		return &ws[p.last]
	}
	i := sort.Search(len(ws), func(i int) bool { return ws[i].host > at }) - 1
	if i < 0 || at-ws[i].host >= uintptr(len(ws[i].data)) {
		return p.findLocal(at)
	}
	p.last = i
	return &ws[i]
}

// room returns the marks of a page, allocated if needed. A page that is about to be stored to is saved. If pages
// are accessed one after another, or at a constant stride, some of the next ones are allocated too: as many again,
// up to maxAhead.
func (p *Footprint) room(w *watched, page int, how uint8) *pageMarks {
	if m := p.pages[how][page]; m != nil {
		return m
	}
	row, n := &p.rowOf[how], 1
	step := page - row.last
	if step == 1 || step == row.step && step != 0 {
		n = min(max(2*row.n, 1), maxAhead)
	}
	row.step, row.n = step, n
	first, end := w.first, w.first+w.pages()
	for at := page; n > 0 && at >= first && at < end; at, n = at+step, n-1 {
		if row.last = at; p.pages[how][at] == nil {
			p.pages[how][at] = p.newRoom(w, at, how)
		}
	}
	return p.pages[how][page]
}

// A pageRow describes the pages allocated last, at a stride of step: the last of them, and their number.
type pageRow struct{ last, step, n int }

// maxWait is the number of groups after which keeping pages allocated is tried again.
const maxWait = 15

// maxAhead is the maximum number of pages that are allocated in advance.
const maxAhead = 16

// makeFree allocates marks of pages. Groups often access the same words of many pages. The marks of pages are a
// cache line apart, so that these marks are in different cache sets.
func (p *Footprint) makeFree() {
	slab := new([64]struct {
		pageMarks
		_ [64]byte
	})
	for i := range slab {
		p.free = append(p.free, &slab[i].pageMarks)
	}
}

func (p *Footprint) newRoom(w *watched, page int, how uint8) (m *pageMarks) {
	if len(p.free) == 0 {
		p.makeFree()
	}
	n := len(p.free)
	m, p.free = p.free[n-1], p.free[:n-1]
	if how != loaded && p.all.keep && !p.isLocal(page) {
		p.save(w, page)
	}
	p.rooms = append(p.rooms, int32(page*ways)+int32(how))
	return m
}

// save copies the contents of a page before the first store to it.
func (p *Footprint) save(w *watched, page int) {
	l := p.all.lockOf(page)
	l.Lock()
	defer l.Unlock()
	s := &p.all.pages[page]
	if s.saved != nil {
		return
	}
	w.saved.Add(1)
	at := (page - w.first) << PageShift
	data := w.data[at:min(at+pageBytes, len(w.data))]
	if bytes.Equal(data, zeros[:len(data)]) { // true for most memory that was never stored to
		s.saved = zeros[:len(data)]
		return
	}
	if len(p.slab) == 0 {
		p.slab = p.all.newSlab()
	}
	n := copy(p.slab[:pageBytes], data)
	s.saved, p.slab = p.slab[:n:n], p.slab[pageBytes:]
}

// zeros is a page of zeros, shared by saved pages. It is read-only.
var zeros [pageBytes]byte

// A Table is where code marks the words that it accesses, for one kind of access. Its entry for a page, with
// PageShift bits of the offset, points to the marks of the page's words, a byte for each; nil if they are not
// allocated. In this case the code must call MakeRoom or Touch.
type Table = *unsafe.Pointer

// MakeRoom allocates marks for accesses of size bytes at offsets from the start of the data of a segment. It
// returns false if they were allocated already.
func (p *Footprint) MakeRoom(data []byte, offsets []uint64, size uint64, want Rights) bool {
	if table, ok := p.Table(data, want); !ok || table == nil {
		return false
	}
	how, rooms := howOf[want], len(p.rooms)
	w, before := p.find(uintptr(unsafe.Pointer(unsafe.SliceData(data)))), -1
	for _, off := range offsets {
		for _, b := range [...]uint64{off, off + size - 1} {
			if page := w.first + int(b>>PageShift); page != before {
				p.room(w, page, how)
				before = page
			}
		}
	}
	return len(p.rooms) > rooms
}

// Table returns the table for accesses to a segment with that data; nil if they need not be recorded. It is valid
// for an edition. ok is false if the data is only part of a segment; accesses must then call Touch.
func (p *Footprint) Table(data []byte, want Rights) (t Table, ok bool) {
	how, at := howOf[want], uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	w := p.find(at)
	switch {
	case w == nil || w.exempt.Load() == 1<<how:
		return nil, true
	case w.host != at || len(data) > len(w.data):
		return nil, false
	}
	return (Table)(unsafe.Pointer(&p.pages[how][w.first])), true
}

// End adds the footprint to those of the groups that have ended before, and clears it. It returns the conflict at
// the lowest host address, nil if there is none; an uncertain one has priority.
//
// Pages that the group accessed stay allocated, because the next group often accesses them too. If most of them
// were not accessed again, nothing stays allocated for the next maxWait groups.
func (p *Footprint) End() *Conflict {
	if p.group != nil {
		if conflict := p.endGroup(); p.group.of != InLocal {
			return conflict
		}
	}
	slices.Sort(p.rooms)
	var conflict *Conflict
	keeps := p.wait == 0
	kept, idle := 0, 0 // rooms that stay, at the start; and rooms without marks
	var hows uint32    // of the segment that contains the previous page
	var in *watched
	var m marks
	var l *sync.Mutex // of the previous page
	for rooms := p.rooms; len(rooms) > 0; {
		page := int(rooms[0] / ways)
		if p.isLocal(page) {
			kept += copy(p.rooms[kept:], rooms) // they are empty
			break
		}
		if in == nil || !in.holds(page) {
			l = relock(l, nil)
			conflict = p.leave(in, hows, conflict)
			in, hows = p.all.segment(page), 0
		}
		any := uint32(0)
		for ; len(rooms) > 0 && int(rooms[0]/ways) == page; rooms = rooms[1:] {
			how := rooms[0] % ways
			marked := p.take(page, how, &m[how], keeps, false)
			if marked {
				any |= 1 << how
			} else {
				idle++
			}
			if marked && keeps {
				p.rooms[kept], kept = rooms[0], kept+1
			}
		}
		hows |= any
		if any == 0 {
			continue
		}
		l = relock(l, p.all.lockOf(page))
		if there := p.all.add(page, &m); conflict == nil {
			conflict = there
		}
		for ; any != 0; any &= any - 1 {
			m[bits.TrailingZeros32(any)] = wordSet{}
		}
	}
	relock(l, nil)
	switch {
	case !keeps:
		p.wait--
	case 2*idle > p.kept:
		p.wait = maxWait
	}
	p.rooms, p.kept = p.rooms[:kept], kept
	return p.leave(in, hows, conflict)
}

// relock unlocks one lock and locks another, unless they are the same; nil is none. It returns the other.
func relock(from, to *sync.Mutex) *sync.Mutex {
	if from != to && from != nil {
		from.Unlock()
	}
	if from != to && to != nil {
		to.Lock()
	}
	return to
}

// take clears the marks of a page and adds them to a set; false if there are none. The page stays allocated with keeps
// if it has marks, and with idle if it has none.
func (p *Footprint) take(page int, how int32, to *wordSet, keeps, idle bool) bool {
	at := &p.pages[how][page]
	marked := (*at).take(to, p.all.quick)
	if stays := marked && keeps || !marked && idle; !stays {
		p.free = append(p.free, *at)
		*at = nil
	}
	return marked
}

// leave completes a group's record for a segment, nil if there is none. It returns the conflict. No page is locked.
func (p *Footprint) leave(w *watched, hows uint32, conflict *Conflict) *Conflict {
	if w == nil || hows == 0 || p.note(w, hows) || conflict != nil && conflict.Uncertain {
		return conflict
	}
	return &Conflict{In: w.Extent, Uncertain: true}
}

// note adds the kinds of a group's accesses to the segment, and makes it exempt if that pays. It returns false if
// the segment was exempt and must not have been.
func (p *Footprint) note(w *watched, hows uint32) bool {
	seen := w.seen.Or(hows) | hows
	if p.all.learn && !w.exact && w.exempt.Load() == 0 && (seen == 1<<loaded || seen == 1<<atomically && p.saveAll(w)) && w.exempt.CompareAndSwap(0, seen) {
		p.all.edition.Add(1)
	}
	return !w.broken()
}

// saveAll saves the pages of a segment that are not saved yet, since a page is not saved by an access that is not
// recorded. It returns false, and saves none, if they are many compared with those that groups have changed.
func (p *Footprint) saveAll(w *watched) bool {
	end, saved := w.first+w.pages(), int(w.saved.Load())
	if w.pages()-saved > saved+fewPages {
		return false
	}
	for page := w.first; page < end; page++ {
		p.save(w, page)
	}
	return true
}

// fewPages is the number of pages that are saved even if groups have changed none.
const fewPages = 64

// take packs the marks into a set and clears them; false if there are none. quick is hasRows.
func (m *pageMarks) take(to *wordSet, quick bool) bool {
	if quick {
		return packMarks(m, to) != 0
	}
	any := uint64(0)
	words := (*[pageWords / 8]uint64)(unsafe.Pointer(m))
	for i := range to {
		eight := (*[8]uint64)(words[8*i:])
		if to[i] = 0; eight[0]|eight[1]|eight[2]|eight[3]|eight[4]|eight[5]|eight[6]|eight[7] == 0 {
			continue
		}
		for k, v := range eight {
			to[i] |= v & 0x0101010101010101 * 0x0102040810204080 >> 56 << (8 * k)
		}
		any |= to[i]
		*eight = [8]uint64{}
	}
	return any != 0
}
