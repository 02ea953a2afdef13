package exec

import (
	"cmp"
	"slices"
)

// A FaultLog records the faults that RecordFaults has tolerated: the instructions at fault with the first fault of
// each, and the total number of accesses. It depends on the code and its input, not on the engine.
type FaultLog struct {
	List  []RecordedFault // by pc, then kind of access, refused before let pass, one of each
	Count uint64          // lane accesses that memory refused, including those for which List is full
}

// MaxRecorded is the maximum number of instructions in the log of one wave.
const MaxRecorded = 64

// A RecordedFault is an instruction at fault.
type RecordedFault struct {
	*Fault        // the first fault in its wave; after a merge, that of the first group and wave
	Count  uint64 // lane accesses
}

// Add records a fault of n lanes.
func (l *FaultLog) Add(f *Fault, n uint64) {
	l.Count += n
	i, found := slices.BinarySearchFunc(l.List, f, func(r RecordedFault, f *Fault) int { return byPlace(r.Fault, f) })
	switch {
	case found:
		l.List[i].Count += n
	case l.room(f):
		l.List = slices.Insert(l.List, i, RecordedFault{f, n})
	}
}

// room reports whether the log of a wave has room for an instruction. What only a declaration does not allow takes none
// from what memory refuses.
func (l *FaultLog) room(f *Fault) bool {
	n := 0
	for i := range l.List {
		if l.List[i].done() == f.done() {
			n++
		}
	}
	return n < MaxRecorded
}

// Merge adds the log of another wave, or of several. The result does not depend on the order.
func (l *FaultLog) Merge(o *FaultLog) {
	l.Count += o.Count
	for _, r := range o.List {
		i, found := slices.BinarySearchFunc(l.List, r, func(a, b RecordedFault) int { return byPlace(a.Fault, b.Fault) })
		if !found {
			l.List = slices.Insert(l.List, i, r)
			continue
		}
		l.List[i].Count += r.Count
		if before(&r.Where, &l.List[i].Where) {
			l.List[i].Fault = r.Fault
		}
	}
}

// byPlace compares faults by the key of a log: pc and kind of access.
func byPlace(a, b *Fault) int {
	return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.access(), b.access()), cmp.Compare(a.done(), b.done()))
}

// done returns 1 if the access has happened: see mem.Fault.Done; 0: it has not.
func (f *Fault) done() int {
	if f.Mem != nil && f.Mem.Done {
		return 1
	}
	return 0
}

// access returns the kind of access: "load", "store" or "atomic"; "" if memory was not accessed.
func (f *Fault) access() string {
	if f.Mem == nil {
		return ""
	}
	return f.Mem.Op
}

// before reports whether wave a precedes wave b. Groups are ordered by z, then y, then x.
func before(a, b *Where) bool {
	return cmp.Or(
		cmp.Compare(a.Group[2], b.Group[2]), cmp.Compare(a.Group[1], b.Group[1]), cmp.Compare(a.Group[0], b.Group[0]),
		cmp.Compare(a.Wave, b.Wave)) < 0
}
