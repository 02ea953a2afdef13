package exec

import (
	"cmp"
	"slices"
)

// A FaultLog is what RecordFaults has gone on after: the instructions at fault with the first fault of each,
// and how many accesses there were in all. It depends on the code and its input, not on the engine.
type FaultLog struct {
	List  []RecordedFault // by pc, then kind of access, one of each
	Count uint64          // accesses of lanes that memory refused, those that List has no room for too
}

// MaxRecorded is how many instructions the log of one wave names.
const MaxRecorded = 64

// A RecordedFault is an instruction at fault.
type RecordedFault struct {
	*Fault        // the first of its wave; of several waves, that of the first group and wave
	Count  uint64 // accesses of lanes
}

// Add records a fault of n lanes.
func (l *FaultLog) Add(f *Fault, n uint64) {
	l.Count += n
	i, found := slices.BinarySearchFunc(l.List, f, func(r RecordedFault, f *Fault) int { return byPlace(r.Fault, f) })
	switch {
	case found:
		l.List[i].Count += n
	case len(l.List) < MaxRecorded:
		l.List = slices.Insert(l.List, i, RecordedFault{f, n})
	}
}

// Merge adds the log of another wave, or of several. The order in which logs come does not matter.
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

// byPlace orders faults by what a log keeps one of.
func byPlace(a, b *Fault) int {
	return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.access(), b.access()))
}

// access is what was tried: "load", "store" or "atomic"; "" if memory was not asked.
func (f *Fault) access() string {
	if f.Mem == nil {
		return ""
	}
	return f.Mem.Op
}

// before reports whether wave a begins before wave b: groups count along x first.
func before(a, b *Where) bool {
	return cmp.Or(
		cmp.Compare(a.Group[2], b.Group[2]), cmp.Compare(a.Group[1], b.Group[1]), cmp.Compare(a.Group[0], b.Group[0]),
		cmp.Compare(a.Wave, b.Wave)) < 0
}
