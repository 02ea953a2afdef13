package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Speculation that no op yields a NaN. To select the NaN that the guest returns takes three instructions after each
// op, and results are hardly ever NaNs. So an iteration of a loop speculates that there is none: its ops leave NaNs as
// the host makes them, and only those results are tested that no other speculating op propagates. If one is a NaN, no
// input of the iteration has been overwritten yet, and the iteration runs again from its start through the slow path,
// which selects NaNs after each op.

// A nanSpeculation is what a loop speculates on. The zero nanSpeculation: nothing.
type nanSpeculation struct {
	on     bool
	active lower.Place   // the lanes whose NaNs count; Kind 0: all
	inputs []lower.Place // the rows that the loop reads before it writes them
}

// The speculation takes at least so many speculating ops, or so many whose result another one propagates.
const (
	minSpeculating = 4
	minPropagated  = 2
)

// segmentFacts finds what emission must know of a segment.
func (k *selector) segmentFacts(g *segment) {
	k.uses(g)
	k.modes(g)
	if k.single {
		return
	}
	skips := k.b.Lanes > k.lanes && k.count(g, inLoop) >= minSkipped
	speculates := k.b.Lanes >= k.lanes && k.speculates(g)
	if !skips && !speculates {
		return
	}
	active := k.activeMask(g)
	if skips {
		g.skip = active
	}
	if speculates {
		g.spec = nanSpeculation{on: true, active: active, inputs: k.inputsOf(g)}
	}
}

// count returns how many steps of a segment run in a phase.
func (p *plan) count(g *segment, when phase) (n int) {
	for i := g.from; i < g.to; i++ {
		if p.choices[i].phase == when && !p.dropped(i) {
			n++
		}
	}
	return n
}

// modes finds MXCSR for the first op of the loop that needs a mode, and whether the segment has ops on floats, such as
// special functions of their bits.
func (k *selector) modes(g *segment) {
	g.control = cpu.Masked
	for i := g.to - 1; i >= g.from; i-- {
		s := &k.b.Steps[i]
		g.floats = g.floats || s.Type.Elem().IsFloat() || s.From.Elem().IsFloat() || s.Op == ir.SFU
		if k.choices[i].phase == inLoop && s.Type == ir.F32 && s.Op.Info().Flags&ir.HasMode != 0 {
			g.control = emit.MXCSR(s.Mode)
		}
	}
}

// rereads reports whether an iteration that runs again may load what it has stored before.
func (k *selector) rereads(g *segment) bool {
	loads, stores := false, false
	for i := g.from; i < g.to; i++ {
		if k.choices[i].isAffine() && k.looped(i) {
			stores = stores || k.b.Steps[i].TransferKind.Do == lower.StoreElems
			loads = loads || k.b.Steps[i].TransferKind.Do == lower.LoadElems
		}
	}
	return loads && stores
}

// speculates decides whether the speculation pays for the loop of a segment, and which ops take part.
func (k *selector) speculates(g *segment) bool {
	ops, propagated := 0, 0
	if k.rereads(g) {
		return false
	}
	for i := g.from; i < g.to; i++ {
		if k.looped(i) && k.mayLeaveNaN(i) {
			ops++
			k.choices[i].nan = int32(i)
		}
	}
	for i := g.from; i < g.to && ops >= minPropagated; i++ {
		if k.choices[i].nan >= 0 {
			if j := k.propagator(g, i); j >= 0 {
				k.choices[i].nan = int32(j)
				propagated++
			}
		}
	}
	return ops >= minSpeculating || propagated >= minPropagated
}

// mayLeaveNaN reports whether the step is an op that may leave NaNs as the host makes them.
func (k *selector) mayLeaveNaN(i int) bool {
	s := &k.b.Steps[i]
	switch f := k.choices[i].form; {
	case s.Kind != lower.Compute || f == formTernary:
		return false
	case s.Type == ir.F32:
		return emit.MayLeaveNaN(s.Op) && f != formWide64
	}
	return s.Type == ir.F64 && k.wide() && speculates64(s.Op)
}

// speculates64 is emit.MayLeaveNaN for f64.
func speculates64(op ir.Op) bool {
	switch op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FSqrt, ir.FFma:
		return true
	}
	return false
}

// propagator returns a later speculating op that reads the result of step i, and so yields a NaN if that is one; -1 if
// there is none.
func (k *selector) propagator(g *segment, i int) int {
	p := k.b.Steps[i].Res[0]
	for j := i + 1; j < g.to; j++ {
		if !k.looped(j) {
			continue
		}
		if k.choices[j].nan >= 0 && slices.Contains(k.readsOf(j), p) {
			return j
		}
		if slices.Contains(k.b.Steps[j].Res, p) {
			return -1
		}
	}
	return -1
}

// inputsOf finds the rows that the loop of a segment reads before it writes them.
func (k *selector) inputsOf(g *segment) (list []lower.Place) {
	known := &k.inputs // read or written before
	known.clear()
	read := func(p lower.Place) {
		if _, ok := known.get(p); !ok {
			list = append(list, p)
			known.put(p, true)
		}
	}
	for i := g.from; i < g.to; i++ {
		if !k.looped(i) {
			continue
		}
		s := &k.b.Steps[i]
		for _, p := range k.readsOf(i) {
			read(p)
		}
		for _, p := range s.Res {
			if s.Kind == lower.SetRow && s.Mask.Kind != 0 && !s.MayWriteAll {
				read(p)
			}
			known.put(p, true)
		}
	}
	return list
}
