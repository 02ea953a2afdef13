package lint

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A state is what may be true before a step, over all paths to it.
type state struct {
	reached bool
	must    []uint64  // bits: cells written on every path
	may     []uint64  // bits: cells written on some path
	pending []pending // by key
	recent  []recent  // by key
	callers uint64    // bits: queues on which a caller may have left operations outstanding
	called  bool      // a path comes from an entry that is called
	indexed bool      // indexed access is on, on some path
	whole   bool      // all lanes are active, on some path
	begun   uint64    // bits: queues on which operations from before the wave began may still be outstanding
	dropped []dropped // by cell
}

// pending is a cell that an outstanding operation will still write or read.
type pending struct {
	cell  int32 // analysis.cells: workgroup memory
	queue uint8
	reads bool    // the operation reads the cell
	age   uint8   // operations of the queue that were issued later, at least
	from  int32   // step that issued it
	lanes overlap // of a cell with a value per lane
	noted bool    // a step in other lanes has been reported
	reach reach   // of a need that concerns memory
}

// A reach is the memory that operations access.
type reach struct {
	known  bool // relative to base, which nothing has written since
	base   ir.Span
	lo, hi int32
}

// join adds another operation, or another path: if both have the same base, the range from the lower start to the
// higher end.
func (r *reach) join(o *reach) {
	if !r.known || !o.known || r.base != o.base {
		*r = reach{}
		return
	}
	r.lo, r.hi = min(r.lo, o.lo), max(r.hi, o.hi)
}

// An overlap relates the active lanes to those that were active when an operation was issued, in which it reads and
// writes its cells.
type overlap int8

const (
	lanesWhole  overlap = iota - 1 // a subset of them, whatever lanes are active, for those were all
	lanesWithin                    // a subset of them, which is not empty unless no lane is active
	lanesShared                    // includes at least one of them
	lanesOther                     // unknown
)

// after returns the overlap after the active lanes have changed.
func (l overlap) after(c isa.ActiveChange) overlap {
	switch {
	case l == lanesWhole, c == isa.ActiveSame, c == isa.ActiveFewer && l == lanesWithin:
		return l
	case c == isa.ActiveAll, c == isa.ActiveMore && l != lanesOther:
		return lanesShared
	}
	return lanesOther
}

// join adds a path: what is true on one of them counts.
func (p *pending) join(o *pending) (changed bool) {
	was := *p
	lower(&p.age, o.age, &p.from, o.from)
	p.lanes, p.noted = min(p.lanes, o.lanes), p.noted && o.noted
	p.reach.join(&o.reach)
	return *p != was
}

// recent is cells that an instruction touched as the first of a hazard.
type recent struct {
	hazard uint8
	age    uint8 // wait states since, on the shortest path
	cell   int32 // the first
	n      int32
	from   int32
}

func (p *pending) key() uint64 {
	k := uint64(p.cell)<<16 | uint64(p.queue)<<1
	if p.reads {
		k |= 1
	}
	return k
}

// key orders the list: a machine has fewer than 1<<24 cells.
func (r *recent) key() uint64 { return uint64(r.hazard)<<48 | uint64(r.cell)<<24 | uint64(r.n) }

func (r *recent) compare(o *recent) int { return cmp.Compare(r.key(), o.key()) }

func (s *state) copyFrom(o *state) {
	*s = state{reached: o.reached, must: append(s.must[:0], o.must...), may: append(s.may[:0], o.may...),
		pending: append(s.pending[:0], o.pending...), recent: append(s.recent[:0], o.recent...),
		dropped: append(s.dropped[:0], o.dropped...), callers: o.callers, called: o.called, indexed: o.indexed, whole: o.whole, begun: o.begun}
}

// meet merges the paths of o and reports whether that changed anything. Of two steps that did the same, the one with
// the lower age is named, of equal ones that of s; of two that dropped a cell, the one that was found first.
func (s *state) meet(o *state) (changed bool) {
	if !s.reached {
		s.copyFrom(o)
		return true
	}
	for i, w := range o.must {
		if n := s.must[i] & w; n != s.must[i] {
			s.must[i], changed = n, true
		}
	}
	for i, w := range o.may {
		if n := s.may[i] | w; n != s.may[i] {
			s.may[i], changed = n, true
		}
	}
	if n := s.callers | o.callers; n != s.callers {
		s.callers, changed = n, true
	}
	if n := s.begun | o.begun; n != s.begun {
		s.begun, changed = n, true
	}
	if o.called && !s.called || o.indexed && !s.indexed || o.whole && !s.whole {
		s.called, s.indexed, s.whole, changed = s.called || o.called, s.indexed || o.indexed, s.whole || o.whole, true
	}
	p := meetLists(&s.pending, o.pending, func(x, y *pending) int { return cmp.Compare(x.key(), y.key()) },
		(*pending).join)
	r := meetLists(&s.recent, o.recent, (*recent).compare, func(x, y *recent) bool { return lower(&x.age, y.age, &x.from, y.from) })
	d := meetLists(&s.dropped, o.dropped, (*dropped).compare, func(x, y *dropped) bool {
		if y.from >= x.from {
			return false
		}
		x.from = y.from
		return true
	})
	return changed || p || r || d
}

// lower takes the lower of two ages, and its step.
func lower(age *uint8, o uint8, from *int32, oFrom int32) bool {
	if o >= *age {
		return false
	}
	*age, *from = o, oFrom
	return true
}

// meetLists merges a sorted list into another; join merges elements that both have.
func meetLists[T any](to *[]T, o []T, compare func(x, y *T) int, join func(x, y *T) bool) (changed bool) {
	a := *to
	missing := 0
	for i, j := 0, 0; j < len(o); {
		switch c := 1; {
		case i < len(a):
			if c = compare(&a[i], &o[j]); c < 0 {
				i++
			} else if c == 0 {
				changed = join(&a[i], &o[j]) || changed
				i, j = i+1, j+1
			} else {
				missing, j = missing+1, j+1
			}
		default:
			missing, j = missing+1, j+1
		}
	}
	if missing == 0 {
		return changed
	}
	out := make([]T, 0, len(a)+missing)
	for len(a) > 0 || len(o) > 0 {
		switch {
		case len(o) == 0 || len(a) > 0 && compare(&a[0], &o[0]) < 0:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || compare(&a[0], &o[0]) > 0:
			out, o = append(out, o[0]), o[1:]
		default:
			out, a, o = append(out, a[0]), a[1:], o[1:]
		}
	}
	*to = out
	return true
}

func bitOf(set []uint64, i int) bool { return set[i>>6]>>(i&63)&1 != 0 }
func setBit(set []uint64, i int)     { set[i>>6] |= 1 << (i & 63) }

// addPending adds an element to the list, in place of one with the same key.
func (s *state) addPending(p pending) {
	i, found := s.find(&p)
	if found {
		s.pending[i] = p
		return
	}
	s.pending = slices.Insert(s.pending, i, p)
}

// find returns the index of the element with the key of p in the list, and whether there is one.
func (s *state) find(p *pending) (int, bool) {
	key, i, end := p.key(), 0, len(s.pending)
	for i < end {
		if m := (i + end) / 2; s.pending[m].key() < key {
			i = m + 1
		} else {
			end = m
		}
	}
	return i, i < len(s.pending) && s.pending[i].key() == key
}

// addRecent adds an element to the list; of two with the same cells the more recent one stays.
func (s *state) addRecent(r recent) {
	key, i, end := r.key(), 0, len(s.recent)
	for i < end {
		if m := (i + end) / 2; s.recent[m].key() < key {
			i = m + 1
		} else {
			end = m
		}
	}
	if i < len(s.recent) && s.recent[i].key() == key {
		if r.age <= s.recent[i].age {
			s.recent[i] = r
		}
		return
	}
	s.recent = slices.Insert(s.recent, i, r)
}
