package eval

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A log records what happens while a program runs instruction by instruction.
type log struct {
	r       *Result
	w       *Wave
	written map[ir.Cell]bool
	index   map[uint64]int     // of Program.Text, by address
	mask    uint64             // at the start of the current instruction
	made    accesses           // made by the current instruction
	lanes   uint64             // that made them
	old     map[ir.Cell]uint32 // per-wave values that it overwrites, from before
	told    map[uint64]bool
}

// accesses counts accesses to memory, with one count per lane that makes one.
type accesses struct{ loads, stores, atomics int }

func (a accesses) sum() int { return a.loads + a.stores + a.atomics }

func newLog(r *Result, w *Wave) *log {
	l := &log{r: r, w: w, written: map[ir.Cell]bool{}, index: map[uint64]int{}, mask: w.State.Exec, told: map[uint64]bool{}}
	for i, at := range r.Program.At() {
		l.index[at] = i
	}
	r.Ran = make([]uint64, len(r.Program.At()))
	if r.Program.Withheld != nil {
		l.old = map[ir.Cell]uint32{}
		w.Hook(&Hook{To: math.MaxUint64, Loads: true, Stores: true, Access: l.accessed, Instruction: l.before})
	}
	return l
}

// before saves what the next instruction may overwrite of its descriptor.
func (l *log) before(pc uint64) {
	clear(l.old)
	for _, c := range l.r.Program.studied().writes[pc] {
		if l.w.State.Machine.Kind(c) == ir.Wave32 {
			l.old[c] = l.w.State.Get(c, 0)
		}
	}
}

// accessed counts an access. An atomic is reported as a load and a store. Loads of descriptors are not counted.
func (l *log) accessed(a *exec.Access) {
	switch a.Kind {
	case exec.AccessDescriptor:
		return
	case exec.AccessLoad:
		l.made.loads++
	case exec.AccessStore:
		l.made.stores++
	case exec.AccessAtomicLoad:
		l.made.atomics++
	}
	l.lanes |= 1 << max(a.Lane, 0)
}

// ran records an instruction that has run.
func (l *log) ran(pc uint64) {
	p, st := l.r.Program, l.w.State
	for _, c := range p.studied().writes[pc] {
		l.written[c] = true
	}
	if i, ok := l.index[pc]; ok {
		l.r.Ran[i]++
	}
	if p.Withheld != nil && !l.told[pc] {
		l.withheld(pc)
	}
	l.made, l.lanes, l.mask = accesses{}, 0, st.Exec
	if l.r.PC = pc; !st.Ended() {
		l.r.PC = st.At.PC(l.w.code)
	}
}

// withheld adds a note that lanes of an instruction made none of the accesses that it names, with the reason from the
// set.
func (l *log) withheld(pc uint64) {
	p := l.r.Program
	each, varies, wave := p.accesses(pc)
	if each.sum() == 0 {
		return
	}
	var b isa.Bundle
	if p.DecodeBundle(p.Code[pc:], pc, &b) != nil {
		return
	}
	why, once := p.Withheld(&b.Parts[0], func(c ir.Cell) uint32 {
		if v, ok := l.old[c]; ok {
			return v
		}
		return l.w.State.Get(c, 0)
	})
	if why == "" {
		return
	}
	n, got := bits.OnesCount64(l.mask), l.made
	switch {
	case once > 0:
		each, n = accesses{min(each.loads, 1), min(each.stores, 1), min(each.atomics, 1)}, once
	case wave:
		n = min(n, 1)
	case varies: // which of its ops access memory depends on a descriptor: count lanes
		each = accesses{min(each.loads, 1), min(each.stores, 1), min(each.atomics, 1)}
		lanes := bits.OnesCount64(l.lanes)
		got = accesses{lanes * each.loads, lanes * each.stores, lanes * each.atomics}
	}
	var list []string
	note := func(each, got int, kind, lost string) {
		if want := each * n; got < want {
			list = append(list, fmt.Sprintf("%d of %d %s %s", want-got, want, kind, lost))
		}
	}
	note(each.loads, got.loads, "loads", "were not made and gave 0")
	note(each.stores, got.stores, "stores", "were dropped")
	lost := "were not made"
	if slices.ContainsFunc(p.studied().writes[pc], func(c ir.Cell) bool { return l.w.State.Machine.Kind(c).PerLane() }) {
		lost += " and gave 0"
	}
	note(each.atomics, got.atomics, "atomics", lost)
	if len(list) == 0 {
		return
	}
	l.told[pc] = true
	l.r.missed = append(l.r.missed, fmt.Sprintf("%s: %s: %s", p.Text()[l.index[pc]], strings.Join(list, ", "), why))
}

// accesses returns the accesses that one lane of an instruction may make, besides loads of descriptors. varies reports
// that their elements have several sizes, of which a descriptor selects some; wave, that one access is made for the
// whole wave.
func (p *Program) accesses(pc uint64) (each accesses, varies, wave bool) {
	blk := p.studied().blockAt[pc]
	if blk == nil {
		return each, false, false
	}
	size := 0
	for i := range blk.Ops {
		in := &blk.Ops[i]
		switch in.Op {
		case ir.Load:
			if in.Mem.Load&ir.OfDescriptor != 0 {
				continue
			}
			each.loads++
		case ir.Store:
			each.stores++
		case ir.AtomicRMW:
			each.atomics++
		default:
			continue
		}
		n := in.Mem.Bytes()
		varies = varies || size != 0 && n != size
		size, wave = n, wave || in.Wave
	}
	return each, varies, wave
}

// ended records where a run ended, with its error.
func (l *log) ended(err error) {
	var f *exec.Fault
	if !errors.As(err, &f) {
		return
	}
	l.r.PC = f.PC
	l.r.Outside = f.Kind == exec.FaultCode
	l.r.faulted = !l.r.Outside && f.Kind != exec.FaultLimit && f.Kind != exec.FaultStopped
}
