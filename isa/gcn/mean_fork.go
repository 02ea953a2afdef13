package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Branches that divide a wave, and the stack for the other side: four scalar registers per entry, from s0 up, with a
// mask and an address; the number of entries is the top three bits of MODE. docs/reference/gcn.md 4.4.

// A fork is the decision of s_cbranch_g_fork and s_cbranch_i_fork.
type fork struct {
	taken V // i1: the wave continues at the target
	exec  V // i64: the lanes that continue
	other V // i64: those that wait on the stack
	split V // i1: there are waiting lanes
}

// newFork divides the active lanes by a mask. The smaller side goes first; if both are equal, the lanes that jump.
func newFork(l *isa.Lift, cond V) fork {
	exec := execBits(l)
	pass, fail := cond.And(exec), cond.Not().And(exec)
	allPass, allFail := pass.Eq(exec), fail.Eq(exec)
	fewFail := fail.Popcount().ULt(pass.Popcount())
	split := allPass.Or(allFail).Not()
	return fork{
		taken: allPass.Or(split.And(fewFail.Not())),
		exec:  split.Select(fewFail.Select(fail, pass), exec),
		other: fewFail.Select(pass, fail),
		split: split,
	}
}

// push saves the other side, which will continue at the target or at the next instruction, and continues with this
// one.
func (f *fork) push(l *isa.Lift, target V) {
	mode := l.Get(CellMode, ir.I32)
	csp := mode.ShrU(mode.K(modeCSP))
	// If nothing is saved the index is beyond the registers, and the writes are dropped.
	at := f.split.Select(csp.Shl(csp.K(2)), csp.K(uint64(machine.Files[FileS].Count)))
	lo, hi := f.other.Unpack(ir.I32)
	pcLo, pcHi := f.taken.Select(l.I64(l.Next), target).Unpack(ir.I32)
	for i, w := range []V{lo, hi, pcLo, pcHi} {
		l.SetX(SGPR(i), at, w, V{})
	}
	csp = csp.Add(f.split.ZExt(ir.I32))
	l.Set(CellMode, mode.K(7<<modeCSP).Bfi(csp.Shl(csp.K(modeCSP)), mode), V{})
	l.Set(CellExec, f.exec.Lanes(), V{})
}

// s_cbranch_g_fork mask, address.
func liftForkG(l *isa.Lift) {
	f := newFork(l, l.Src(0))
	to := codeAddress(l.Src(1))
	f.push(l, to)
	l.JumpX(f.taken.Select(to, l.I64(l.Next)))
}

// s_cbranch_i_fork mask, label.
func liftForkI(l *isa.Lift) {
	f := newFork(l, l.Src(0))
	f.push(l, l.I64(target(l.In)))
	l.Branch(f.taken, target(l.In), l.Next)
}

// s_cbranch_join ssrc: with as many entries on the stack as before the fork both sides have arrived; else the other
// side is popped and runs.
func liftJoin(l *isa.Lift) {
	before, exec := l.Src(0), execBits(l)
	mode := l.Get(CellMode, ir.I32)
	csp := mode.ShrU(mode.K(modeCSP))
	met := csp.Eq(before)
	top := csp.Sub(csp.K(1)).And(csp.K(7))
	var w [4]V
	for i := range w {
		w[i] = l.GetX(SGPR(i), top.Shl(top.K(2)), V{}, ir.I32)
	}
	csp = met.Select(csp, top)
	l.Set(CellMode, mode.K(7<<modeCSP).Bfi(csp.Shl(csp.K(modeCSP)), mode), V{})
	l.Set(CellExec, met.Select(exec, w[0].Pack(w[1], ir.I64)).Lanes(), V{})
	l.JumpX(met.Select(l.I64(l.Next), w[2].Pack(w[3], ir.I64)))
}
