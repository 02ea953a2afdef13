package mem

import (
	"fmt"
	"math/bits"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Footprints finds out whether groups that run beside each other meet in memory: one stores where another loads, stores
// or has an atomic operation, or one has an atomic operation where another loads. Where they do not meet, each group
// does what it does alone, and what they leave does not depend on their order. Atomic operations among themselves are
// for others to judge. It looks at words of four bytes, so groups that store to bytes of one word meet, too.
//
// It also keeps what stood in memory before the first of them stored there, so that the run can be taken back.
//
// Most of what groups touch they cannot meet in: it is loaded by all of them and stored to by none. Footprints that learn
// do not note that any more, once a group has ended that did nothing else to the segment. Should it turn out that another
// group does, nobody knows whom it has met: the run has to be taken back, and the next one notes all of the segment.
type Footprints struct {
	watched []watched // by host address
	locks   [64]sync.Mutex
	pages   []pageState // of all watched segments
	keep    bool
	learn   bool
	undone  int           // how often
	edition atomic.Uint64 // how many segments are let off

	mu    sync.Mutex // of what follows
	slabs []*[64 * pageBytes]byte
	quick bool // marks are packed by packMarks
}

// A watched segment is one that groups share and may store to.
type watched struct {
	Extent
	data  []byte
	host  uintptr       // address of data[0]
	first int           // its first page, in Footprints.pages
	exact bool          // it is never let off
	seen  atomic.Uint32 // how groups that have ended touched it: a bit for each
	off   atomic.Uint32 // it is let off: the bit of what is not noted; 0: all is
}

// A pageState is guarded by the lock of its page.
type pageState struct {
	marks *marks // of groups that have ended; nil: of none
	saved []byte // what the page held before anybody stored to it
}

// Pages and words, as Footprint.Table speaks of them.
const (
	PageShift = 12 // of an offset from the begin of a segment, to the number of its page
	WordShift = 2  // likewise, to the number of a word
	pageBytes = 1 << PageShift
	pageWords = pageBytes >> WordShift
)

// How a word was touched.
const (
	loaded = iota
	stored
	atomically
	ways
)

// howOf is how an access that wants these rights touches.
var howOf = [...]uint8{Read: loaded, Write: stored, ReadWrite: atomically}

// marks are the words of a page that were touched, by how.
type marks [ways]wordSet

// NewFootprints watches the segments of the spaces that may be written. The segments are the ones there are now: what
// Miss adds later is not watched. With keep, Undo is possible.
func NewFootprints(keep bool, spaces ...*Space) *Footprints {
	f := &Footprints{keep: keep, quick: hasRows()}
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
		n += (len(f.watched[i].data) + pageBytes - 1) >> PageShift
	}
	f.pages = make([]pageState, n)
	return f
}

// Learn lets segments off. It is for footprints that can be undone, before the first of them is made.
func (f *Footprints) Learn() { f.learn = f.keep }

// Edition is another number when segments have been let off: then Footprint.Table says other things.
func (f *Footprints) Edition() uint64 { return f.edition.Load() }

// maxUndone is how often a run is taken back before nothing is let off any more.
const maxUndone = 3

// Undo gives memory the contents that it had before anybody stored to it, for another run from the begin: with what was learned of
// segments that should not have been let off, and nothing else. Nobody may touch memory meanwhile, and no Footprint is good any more.
func (f *Footprints) Undo() {
	f.undone++
	for i := range f.watched {
		w := &f.watched[i]
		for at := 0; at < len(w.data); at += pageBytes {
			p := &f.pages[w.first+at>>PageShift]
			copy(w.data[at:], p.saved)
			*p = pageState{}
		}
		w.exact = w.exact || w.broken() || f.undone >= maxUndone
		w.seen.Store(0)
		w.off.Store(0)
	}
}

// slabs are memory for what pages held, for one launch after another: to get it from the system takes longer than to copy a page.
var slabs = sync.Pool{New: func() any { return new([64 * pageBytes]byte) }}

func (f *Footprints) newSlab() []byte {
	b := slabs.Get().(*[64 * pageBytes]byte)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slabs = append(f.slabs, b)
	return b[:]
}

// Close gives memory back. The footprints cannot be used any more.
func (f *Footprints) Close() {
	for _, b := range f.slabs {
		slabs.Put(b)
	}
	*f = Footprints{}
}

// lockOf is the lock of a page. Some pages side by side have one.
func (f *Footprints) lockOf(page int) *sync.Mutex { return &f.locks[page/len(f.locks)%len(f.locks)] }

// note adds how a group has touched the segment, and lets it off where that is worth it. False means that it was let off, and should not
// have been.
func (f *Footprints) note(w *watched, hows uint32) bool {
	seen := w.seen.Or(hows) | hows
	if f.learn && !w.exact && w.off.Load() == 0 && (seen == 1<<loaded || seen == 1<<atomically) && w.off.CompareAndSwap(0, seen) {
		f.edition.Add(1)
	}
	return !w.broken()
}

// broken reports whether a segment is let off that groups touch in other ways, too.
func (w *watched) broken() bool {
	off := w.off.Load()
	return off != 0 && w.seen.Load() != off
}

// holds reports whether a page is the segment's.
func (w *watched) holds(page int) bool {
	return page >= w.first && page < w.first+(len(w.data)+pageBytes-1)>>PageShift
}

type wordSet [pageWords / 64]uint64

// A Meeting is where two groups met.
type Meeting struct {
	In     Extent
	Addr   uint64 // of the word
	This   string // what the group that ended did there: "loads", "stores" or "has an atomic"
	Before string // what one that ended before it did
	// Perhaps means that nobody knows: the segment had been let off. The other fields but In say nothing then. After Undo another run tells.
	Perhaps bool
}

func (m *Meeting) String() string {
	if m.Perhaps {
		return fmt.Sprintf("touches %q otherwise than groups before", m.In.Name)
	}
	return fmt.Sprintf("%s at %#x of %q, where another %s", m.This, m.Addr, m.In.Name, m.Before)
}

var howNames = [...]string{loaded: "loads", stored: "stores", atomically: "has an atomic"}

// add adds the marks of a page, whose lock is held, to those of groups that have ended. It returns where they meet, nil if they do not.
func (f *Footprints) add(page int, m *marks) *Meeting {
	s := &f.pages[page]
	if s.marks == nil {
		s.marks = new(marks)
		*s.marks = *m
		return nil
	}
	word, this, before, ok := s.marks.add(m)
	if !ok {
		return nil
	}
	return f.meeting(page, word, this, before)
}

// add adds the marks of another group, and finds the lowest word where that meets those before: what it does there, and they did.
func (m *marks) add(o *marks) (word, this, before int, ok bool) {
	for i := range m[loaded] {
		if o[loaded][i]|o[stored][i]|o[atomically][i] == 0 {
			continue
		}
		if !ok {
			word, this, before, ok = m.meet(o, i)
		}
		for how := range m {
			m[how][i] |= o[how][i]
		}
	}
	return word, this, before, ok
}

// meet is add for the 64 words from number 64*i on, without adding anything.
func (m *marks) meet(o *marks, i int) (word, this, before int, ok bool) {
	a := o[stored][i] & (m[loaded][i] | m[stored][i] | m[atomically][i])
	b := m[stored][i]&(o[loaded][i]|o[atomically][i]) | o[loaded][i]&m[atomically][i] | o[atomically][i]&m[loaded][i]
	if a|b == 0 {
		return 0, 0, 0, false
	}
	k := bits.TrailingZeros64(a | b)
	for _, pair := range [...][2]int{{stored, stored}, {stored, loaded}, {stored, atomically}, {loaded, stored}, {atomically, stored}, {loaded, atomically}, {atomically, loaded}} {
		if o[pair[0]][i]&m[pair[1]][i]>>k&1 != 0 {
			return i*64 + k, pair[0], pair[1], true
		}
	}
	return 0, 0, 0, false
}

func (f *Footprints) meeting(page, word, this, before int) *Meeting {
	w := f.segment(page)
	addr := w.Base + uint64(page-w.first)<<PageShift + uint64(word)<<WordShift
	return &Meeting{In: w.Extent, Addr: addr, This: howNames[this], Before: howNames[before]}
}

// segment is the watched segment of a page.
func (f *Footprints) segment(page int) *watched {
	return &f.watched[sort.Search(len(f.watched), func(i int) bool { return f.watched[i].first > page })-1]
}
