package eval

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A log notes what happens while a program runs instruction by instruction.
type log struct {
	r       *Result
	w       *Wave
	written map[ir.Cell]bool
	index   map[uint64]int // of Program.Text, by address
	count   exec.Counters  // before the present instruction
	mask    uint64         // that it found
	told    map[uint64]bool
}

func newLog(r *Result, w *Wave) *log {
	l := &log{r: r, w: w, written: map[ir.Cell]bool{}, index: map[uint64]int{}, mask: w.State.Exec, told: map[uint64]bool{}}
	for i, at := range r.Program.At {
		l.index[at] = i
	}
	r.Ran = make([]uint64, len(r.Program.Text))
	return l
}

// ran notes an instruction that has run.
func (l *log) ran(pc uint64) {
	p, st := l.r.Program, l.w.State
	for _, c := range p.writes[pc] {
		l.written[c] = true
	}
	if i, ok := l.index[pc]; ok {
		l.r.Ran[i]++
	}
	if p.Withheld != nil && !l.told[pc] {
		l.access(pc)
	}
	l.count, l.mask = l.w.env.Count, st.Exec
	if l.r.PC = pc; !st.Ended() {
		l.r.PC = st.At.PC(l.w.code)
	}
}

// access notes that lanes of an instruction made none of the accesses that it names, and what the set says of it.
func (l *log) access(pc uint64) {
	p := l.r.Program
	want, each, stores := p.accesses(pc)
	now := l.w.env.Count
	got := now.BytesRead - l.count.BytesRead + now.BytesWritten - l.count.BytesWritten
	lanes := bits.OnesCount64(l.mask)
	if each == 0 || got >= want*uint64(lanes) {
		return
	}
	var b isa.Bundle
	if p.DecodeBundle(p.Code[pc:], pc, &b) != nil {
		return
	}
	why := p.Withheld(&b.Parts[0], func(c ir.Cell) uint32 { return l.w.State.Get(c, 0) })
	if why == "" {
		return
	}
	l.told[pc] = true
	missing := (want*uint64(lanes) - got + each - 1) / each
	what := fmt.Sprintf("%d of %d loads were not made and gave 0", missing, want/each*uint64(lanes))
	if stores {
		what = fmt.Sprintf("%d of %d stores were dropped", missing, want/each*uint64(lanes))
	}
	l.r.missed = append(l.r.missed, fmt.Sprintf("%s: %s: %s", p.Text[l.index[pc]], what, why))
}

// accesses are the bytes that one lane of an instruction loads and stores, how many of them an access has, and whether all are stores.
// Instructions with atomics or accesses of several sizes have none: what of theirs was made cannot be told from sums.
func (p *Program) accesses(pc uint64) (sum, each uint64, stores bool) {
	blk := p.blockAt[pc]
	if blk == nil || blk.Serial {
		return 0, 0, false
	}
	stores = true
	for i := range blk.Ops {
		in := &blk.Ops[i]
		if in.Op != ir.Load && in.Op != ir.Store {
			continue
		}
		n := uint64(in.Mem.Bytes())
		if in.Wave || each != 0 && n != each {
			return 0, 0, false
		}
		sum, each = sum+n, n
		stores = stores && in.Op == ir.Store
	}
	return sum, each, stores
}

// ended notes where a run ended, whose error this is.
func (l *log) ended(err error) {
	var f *exec.Fault
	if !errors.As(err, &f) {
		return
	}
	l.r.PC = f.PC
	l.r.Outside = f.Kind == exec.FaultCode
	l.r.faulted = !l.r.Outside && f.Kind != exec.FaultLimit && f.Kind != exec.FaultStopped
}
