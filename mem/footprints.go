package mem

import (
	"fmt"
	"math/bits"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Footprints detects data races between groups that run concurrently: one stores where another loads, stores or has
// an atomic operation, or one has an atomic operation where another loads. Without such conflicts each group
// computes what it would compute alone, and the result does not depend on the order of groups. Conflicts among
// atomic operations are not reported. The granularity is words of four bytes, so stores of groups to different
// bytes of one word conflict, too.
//
// It also saves the contents of memory before the first store, so that the run can be undone.
//
// Most memory that groups access cannot have conflicts: all of them load it and none stores to it. Footprints that
// learn no longer record such loads of a segment once a group has ended that only loads it. The same holds for atomic
// operations; what they change is saved before. If another group then accesses the segment in another way, a conflict
// cannot be excluded: the run must be undone, and the next one records all accesses to the segment.
type Footprints struct {
	watched []watched // by host address
	locks   [64]sync.Mutex
	pages   []pageState // of all watched segments
	keep    bool
	learn   bool
	undone  int           // number of undone runs
	edition atomic.Uint64 // number of segments that are exempt

	mu    sync.Mutex // of what follows
	slabs []*[64 * pageBytes]byte
	quick bool // packMarks packs marks

	aliased  bool   // segments share memory
	suspects []bool // by page: groups, or waves of a group, have met there; nil: not collected
	inGroup  bool   // likewise: waves have met in the memory of a group
}

// A watched segment is shared by groups and may be written.
type watched struct {
	Extent
	data   []byte
	host   uintptr       // address of data[0]
	first  int           // its first page, in Footprints.pages
	exact  bool          // it is never exempt
	seen   atomic.Uint32 // how groups that have ended accessed it: a bit for each kind
	saved  atomic.Int32  // number of its pages that are saved
	exempt atomic.Uint32 // it is exempt: the bit of the kind that is not recorded; 0: all are
}

// A pageState is guarded by the lock of its page.
type pageState struct {
	marks *marks // of groups that have ended; nil: none
	saved []byte // contents of the page before the first store
}

// Pages and words, as Footprint.Table uses them.
const (
	PageShift = 12 // from an offset in the segment to the number of its page
	WordShift = 2  // the same for the number of a word
	pageBytes = 1 << PageShift
	pageWords = pageBytes >> WordShift
)

// Kinds of access to a word.
const (
	loaded = iota
	stored
	atomically
	ways
)

// howOf is the kind of an access that requires these rights.
var howOf = [...]uint8{Read: loaded, Write: stored, ReadWrite: atomically}

// marks are the accessed words of a page, by kind of access.
type marks [ways]wordSet

// NewFootprints watches the segments of the spaces that may be written. These are the current segments: those that
// Miss adds later are not watched. keep makes Undo possible.
func NewFootprints(keep bool, spaces ...*Space) *Footprints {
	f := &Footprints{keep: keep, quick: hasRows()}
	seen := map[*byte]bool{}
	for _, s := range spaces {
		for _, g := range s.Segments() {
			f.aliased = f.aliased || seen[&g.Data[0]]
			if g.May()&Write != 0 && !seen[&g.Data[0]] {
				seen[&g.Data[0]] = true
				f.watched = append(f.watched, watched{Extent: g.Extent(), data: g.Data, host: uintptr(unsafe.Pointer(&g.Data[0]))})
			}
		}
	}
	sort.Slice(f.watched, func(i, j int) bool { return f.watched[i].host < f.watched[j].host })
	n := 0
	for i := range f.watched {
		f.watched[i].first = n
		n += f.watched[i].pages()
	}
	f.pages = make([]pageState, n)
	return f
}

// Learn enables the exemption of segments. It is for footprints that can be undone, and must be called before the
// first of them is made.
func (f *Footprints) Learn() { f.learn = f.keep }

// Edition changes when segments have become exempt: then the result of Footprint.Table changes.
func (f *Footprints) Edition() uint64 { return f.edition.Load() }

// SaveAll makes Undo possible for runs that record no accesses to shared memory.
func (f *Footprints) SaveAll() {
	p := f.New()
	for i := range f.watched {
		w := &f.watched[i]
		for page := range w.pages() {
			p.save(w, w.first+page)
		}
	}
}

// maxUndone is how often a run is undone before exemptions are no longer made.
const maxUndone = 3

// Undo restores the contents that memory had before the first store, for another run from the start. It keeps which
// segments must not be exempt, and nothing else. Memory must not be accessed meanwhile, and every Footprint becomes
// invalid.
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
		w.saved.Store(0)
		w.exempt.Store(0)
	}
}

// slabs are memory for saved pages, reused by later launches: allocating it takes longer than copying a page.
var slabs = sync.Pool{New: func() any { return new([64 * pageBytes]byte) }}

func (f *Footprints) newSlab() []byte {
	b := slabs.Get().(*[64 * pageBytes]byte)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slabs = append(f.slabs, b)
	return b[:]
}

// Close releases memory. The footprints cannot be used any more.
func (f *Footprints) Close() {
	for _, b := range f.slabs {
		slabs.Put(b)
	}
	*f = Footprints{}
}

// lockOf returns the lock of a page. Adjacent pages share locks.
func (f *Footprints) lockOf(page int) *sync.Mutex { return &f.locks[page/len(f.locks)%len(f.locks)] }

// broken reports whether a segment is exempt although groups access it in other ways too.
func (w *watched) broken() bool {
	off := w.exempt.Load()
	return off != 0 && w.seen.Load() != off
}

// holds reports whether a page belongs to the segment.
func (w *watched) holds(page int) bool {
	return page >= w.first && page < w.first+w.pages()
}

// pages returns the number of the segment's pages.
func (w *watched) pages() int { return (len(w.data) + pageBytes - 1) >> PageShift }

type wordSet [pageWords / 64]uint64

// A Conflict is a conflict between two groups.
type Conflict struct {
	In     Extent
	Addr   uint64 // of the word
	This   string // what the group that has just ended did there: "loads", "stores" or "has an atomic"
	Before string // what a group that ended before it did
	// Uncertain means that a conflict is only possible, because the segment was exempt. The other fields except In
	// are then not set. After Undo another run decides.
	Uncertain bool
}

func (m *Conflict) String() string {
	if m.Uncertain {
		return fmt.Sprintf("touches %q otherwise than groups before", m.In.Name)
	}
	return fmt.Sprintf("%s at %#x of %q, where another %s", m.This, m.Addr, m.In.Name, m.Before)
}

var howNames = [...]string{loaded: "loads", stored: "stores", atomically: "has an atomic"}

// add adds the marks of a page, whose lock is held, to those of groups that have ended. It returns the conflict, or
// nil.
func (f *Footprints) add(page int, m *marks) *Conflict {
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
	f.suspect(page)
	return f.conflict(page, word, this, before)
}

// add adds the marks of another group, and finds the lowest word with a conflict: what the group does there, and
// what earlier groups did.
func (m *marks) add(o *marks) (word, this, before int, ok bool) {
	for i := range m[loaded] {
		if o[loaded][i]|o[stored][i]|o[atomically][i] == 0 {
			continue
		}
		if !ok {
			word, this, before, ok = m.conflict(o, i)
		}
		for how := range m {
			m[how][i] |= o[how][i]
		}
	}
	return word, this, before, ok
}

// conflict is add for 64 words starting at number 64*i, without adding.
func (m *marks) conflict(o *marks, i int) (word, this, before int, ok bool) {
	met := m.met(o, i)
	if met == 0 {
		return 0, 0, 0, false
	}
	k := bits.TrailingZeros64(met)
	for _, pair := range [...][2]int{{stored, stored}, {stored, loaded}, {stored, atomically}, {loaded, stored}, {atomically, stored}, {loaded, atomically}, {atomically, loaded}} {
		if o[pair[0]][i]&m[pair[1]][i]>>k&1 != 0 {
			return i*64 + k, pair[0], pair[1], true
		}
	}
	return 0, 0, 0, false
}

// met returns the words with a conflict of 64 words starting at number 64*i.
func (m *marks) met(o *marks, i int) uint64 {
	return o[stored][i]&(m[loaded][i]|m[stored][i]|m[atomically][i]) |
		m[stored][i]&(o[loaded][i]|o[atomically][i]) | o[loaded][i]&m[atomically][i] | o[atomically][i]&m[loaded][i]
}

func (f *Footprints) conflict(page, word, this, before int) *Conflict {
	w := f.segment(page)
	addr := w.Base + uint64(page-w.first)<<PageShift + uint64(word)<<WordShift
	return &Conflict{In: w.Extent, Addr: addr, This: howNames[this], Before: howNames[before]}
}

// segment returns the watched segment of a page.
func (f *Footprints) segment(page int) *watched {
	return &f.watched[sort.Search(len(f.watched), func(i int) bool { return f.watched[i].first > page })-1]
}
