package mem

import (
	"fmt"
	"math/bits"
	"sort"
	"sync"
	"unsafe"
)

// Footprints finds out whether groups that run beside each other meet in memory: one stores where another loads, stores
// or has an atomic operation, or one has an atomic operation where another loads. Where they do not meet, each group
// does what it does alone, and what they leave does not depend on their order. Atomic operations among themselves are
// for others to judge. It looks at words of four bytes, so groups that store to bytes of one word meet, too.
//
// It also keeps what stood in memory before the first of them stored there, so that the run can be taken back.
type Footprints struct {
	watched []watched // by host address
	locks   [64]sync.Mutex
	pages   []pageState // of all watched segments
	keep    bool
}

// A watched segment is one that groups share and may store to.
type watched struct {
	Extent
	data  []byte
	host  uintptr // address of data[0]
	first int     // its first page, in Footprints.pages
}

// A pageState is guarded by the lock of its page.
type pageState struct {
	marks *marks // of groups that have ended; nil: of none
	saved []byte // what the page held before anybody stored to it
}

const (
	pageShift = 12
	pageBytes = 1 << pageShift
	pageWords = pageBytes / 4 / 64 // uint64 for a bit a word of four bytes
)

// How a word was touched.
const (
	loaded = iota
	stored
	atomically
)

// marks are the words of a page that were touched, by how.
type marks [3]wordSet

// NewFootprints watches the segments of the spaces that may be written. The segments are the ones there are now: what
// Miss adds later is not watched. With keep, Undo is possible.
func NewFootprints(keep bool, spaces ...*Space) *Footprints {
	f := &Footprints{keep: keep}
	seen := map[*byte]bool{}
	for _, s := range spaces {
		for _, g := range s.Segments() {
			if g.Rights&Write != 0 && !seen[&g.Data[0]] {
				seen[&g.Data[0]] = true
				f.watched = append(f.watched, watched{Extent: g.Extent(), data: g.Data, host: uintptr(unsafe.Pointer(&g.Data[0]))})
			}
		}
	}
	sort.Slice(f.watched, func(i, j int) bool { return f.watched[i].host < f.watched[j].host })
	n := 0
	for i := range f.watched {
		f.watched[i].first = n
		n += (len(f.watched[i].data) + pageBytes - 1) >> pageShift
	}
	f.pages = make([]pageState, n)
	return f
}

// Undo gives memory the contents that it had before anybody stored to it. Nobody may touch it meanwhile.
func (f *Footprints) Undo() {
	for i := range f.watched {
		w := &f.watched[i]
		for at := 0; at < len(w.data); at += pageBytes {
			p := &f.pages[w.first+at>>pageShift]
			copy(w.data[at:], p.saved)
			p.saved = nil
		}
	}
}

// save keeps what a page holds, before the first store to it.
func (f *Footprints) save(w *watched, page int) {
	l := f.lock(page)
	defer l.Unlock()
	if p := &f.pages[page]; p.saved == nil {
		at := (page - w.first) << pageShift
		p.saved = append([]byte(nil), w.data[at:min(at+pageBytes, len(w.data))]...)
	}
}

func (f *Footprints) lock(page int) *sync.Mutex {
	l := &f.locks[page%len(f.locks)]
	l.Lock()
	return l
}

// A Footprint is what one group touches, for the use of one goroutine. It may be used for one group after another.
type Footprint struct {
	all     *Footprints
	pages   []*marks // by page; nil: not touched
	touched []int    // pages
	kept    []bool   // by page: its contents are saved
	free    []*marks
	last    int // in Footprints.watched: where the last access was
}

// New makes an empty footprint.
func (f *Footprints) New() *Footprint {
	return &Footprint{all: f, pages: make([]*marks, len(f.pages)), kept: make([]bool, len(f.pages))}
}

// Touch notes an access by the lanes of the mask, before it happens: windows are what they reach, nil where that is not
// memory; want is what At was asked for.
func (p *Footprint) Touch(windows *[64][]byte, lanes uint64, want Rights) {
	how := [...]int{Read: loaded, Write: stored, ReadWrite: atomically}[want]
	var from, to uintptr // a run of bytes that lanes touch one after another
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

// run notes a run of host addresses, as far as they are watched.
func (p *Footprint) run(from, to uintptr, how int) {
	for from < to {
		w := p.find(from)
		if w == nil {
			return
		}
		off := uint(from - w.host)
		end := min(off+uint(to-from), uint(len(w.data)))
		from += uintptr(end - off)
		for off < end {
			page := off >> pageShift
			stop := min(end, (page+1)<<pageShift)
			p.page(w, w.first+int(page), how)[how].set(off%pageBytes/4, (stop-1)%pageBytes/4)
			off = stop
		}
	}
}

// find is the watched segment that holds a host address, nil if none does.
func (p *Footprint) find(at uintptr) *watched {
	ws := p.all.watched
	if p.last < len(ws) && at-ws[p.last].host < uintptr(len(ws[p.last].data)) {
		return &ws[p.last]
	}
	i := sort.Search(len(ws), func(i int) bool { return ws[i].host > at }) - 1
	if i < 0 || at-ws[i].host >= uintptr(len(ws[i].data)) {
		return nil
	}
	p.last = i
	return &ws[i]
}

// page is the marks of a page, which is saved if it is about to change.
func (p *Footprint) page(w *watched, page, how int) *marks {
	m := p.pages[page]
	if m == nil {
		if n := len(p.free); n > 0 {
			m, p.free = p.free[n-1], p.free[:n-1]
			*m = marks{}
		} else {
			m = new(marks)
		}
		p.pages[page] = m
		p.touched = append(p.touched, page)
	}
	if how != loaded && p.all.keep && !p.kept[page] {
		p.all.save(w, page)
		p.kept[page] = true
	}
	return m
}

type wordSet [pageWords]uint64

// set sets the bits from first to last, both included.
func (w *wordSet) set(first, last uint) {
	a, b := first/64, last/64
	low, high := ^uint64(0)<<(first%64), ^uint64(0)>>(63-last%64)
	if a == b {
		w[a] |= low & high
		return
	}
	w[a] |= low
	for i := a + 1; i < b; i++ {
		w[i] = ^uint64(0)
	}
	w[b] |= high
}

// A Meeting is where two groups met.
type Meeting struct {
	In     Extent
	Addr   uint64 // of the word
	This   string // what the group that ended did there: "loads", "stores" or "has an atomic"
	Before string // what one that ended before it did
}

func (m *Meeting) String() string {
	return fmt.Sprintf("%s at %#x of %q, where another %s", m.This, m.Addr, m.In.Name, m.Before)
}

var howNames = [...]string{loaded: "loads", stored: "stores", atomically: "has an atomic"}

// End adds the footprint to those of the groups that have ended before, and empties it. The meeting is the one at the
// lowest host address with any of those, nil if there is none.
func (p *Footprint) End() *Meeting {
	sort.Ints(p.touched)
	var met *Meeting
	for _, page := range p.touched {
		m := p.pages[page]
		p.pages[page] = nil
		l := p.all.lock(page)
		s := &p.all.pages[page]
		if s.marks == nil {
			s.marks = m
			l.Unlock()
			continue
		}
		if word, this, before, ok := m.meets(s.marks); ok && met == nil {
			met = p.all.meeting(page, word, this, before)
		}
		s.marks.add(m)
		l.Unlock()
		p.free = append(p.free, m)
	}
	p.touched = p.touched[:0]
	return met
}

func (m *marks) add(o *marks) {
	for how := range m {
		for i := range m[how] {
			m[how][i] |= o[how][i]
		}
	}
}

// meets finds the lowest word where two groups meet.
func (m *marks) meets(o *marks) (word, this, before int, ok bool) {
	for i := range pageWords {
		a := m[stored][i] & (o[loaded][i] | o[stored][i] | o[atomically][i])
		b := o[stored][i]&(m[loaded][i]|m[atomically][i]) | m[loaded][i]&o[atomically][i] | m[atomically][i]&o[loaded][i]
		if a|b == 0 {
			continue
		}
		k := bits.TrailingZeros64(a | b)
		for _, pair := range [...][2]int{{stored, stored}, {stored, loaded}, {stored, atomically}, {loaded, stored}, {atomically, stored}, {loaded, atomically}, {atomically, loaded}} {
			if m[pair[0]][i]&o[pair[1]][i]>>k&1 != 0 {
				return i*64 + k, pair[0], pair[1], true
			}
		}
	}
	return 0, 0, 0, false
}

func (f *Footprints) meeting(page, word, this, before int) *Meeting {
	i := sort.Search(len(f.watched), func(i int) bool { return f.watched[i].first > page }) - 1
	w := &f.watched[i]
	addr := w.Base + uint64(page-w.first)<<pageShift + uint64(word)*4
	return &Meeting{w.Extent, addr, howNames[this], howNames[before]}
}
