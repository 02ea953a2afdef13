package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Control flow. docs/reference/gcn.md 4 and 5.

// liftEnd: s_endpgm.
func liftEnd(l *isa.Lift) { l.End() }

// liftBarrier: s_barrier.
func liftBarrier(l *isa.Lift) { l.Barrier(l.Next) }

// liftSleep: s_sleep.
func liftSleep(l *isa.Lift) { l.Yield(l.Next) }

// liftHalt: s_sethalt. An even constant makes a halted wave run; a running one continues.
func liftHalt(l *isa.Lift) {
	if l.In.Get(nameSimm16)&1 != 0 {
		l.Trap(ir.TrapGuest, l.In.Def.Name+": the wave halts, and no host resumes it")
	}
}

// liftKill: s_setkill. An odd constant is what the host's command to end the wave does.
func liftKill(l *isa.Lift) {
	if l.In.Get(nameSimm16)&1 != 0 {
		l.End()
	}
}

// liftReturn: s_rfe_b64 ssrc and s_rfe_restore_b64 ssrc, mode. The wave continues at the address; privilege and
// address translation, which they also change, are not modelled.
func liftReturn(l *isa.Lift) {
	to := codeAddress(l.Src(0))
	if entryOf(l).sources > 1 {
		l.Src(1)
	}
	l.JumpX(to)
}

// Messages of s_sendmsg. docs/reference/gcn.md 4.6.
const (
	msgInterrupt = 1
	msgGS        = 2
	msgGSDone    = 3
	msgSave      = 4
	msgSystem    = 15
)

// liftMessage: s_sendmsg. Messages to the host are dropped; the geometry stage is not implemented.
func liftMessage(l *isa.Lift) {
	switch l.In.Get(nameSimm16) & 15 {
	case msgInterrupt, msgSave, msgSystem: // no effect that the wave can observe
	case msgGS, msgGSDone:
		l.Fail(ir.TrapUnimplemented, l.In.Def.Name+": a message to the geometry stage, which is not built yet")
	default:
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": no such message")
	}
}

// liftMessageHalt: s_sendmsghalt.
func liftMessageHalt(l *isa.Lift) {
	liftMessage(l)
	l.Trap(ir.TrapGuest, l.In.Def.Name+": the wave halts, and no host resumes it")
}

// liftTrap: s_trap.
func liftTrap(l *isa.Lift) {
	l.Trap(ir.TrapGuest, "s_trap "+strconv.FormatUint(l.In.Get(nameSimm16), 10)+": no trap handler is installed")
}

// branchAddress returns the target of an instruction that names one.
func branchAddress(b *isa.Bundle, part int) (uint64, bool) {
	in := &b.Parts[part]
	if !in.Def.Data.(*entry).branches {
		return 0, false
	}
	return target(in), true
}

// liftBranch: s_branch.
func liftBranch(l *isa.Lift) { l.Jump(target(l.In)) }

func branchIf(cond func(l *isa.Lift) V) eff {
	return func(l *isa.Lift) { l.Branch(cond(l), target(l.In), l.Next) }
}

func ifSCC1(l *isa.Lift) V   { return l.Get(CellSCC, ir.I1) }
func ifSCC0(l *isa.Lift) V   { return ifSCC1(l).Not() }
func ifVCCZ(l *isa.Lift) V   { return vccz(l) }
func ifVCCNZ(l *isa.Lift) V  { return vccz(l).Not() }
func ifEXECNZ(l *isa.Lift) V { return l.Exec().Any(l.I1(true)) }
func ifEXECZ(l *isa.Lift) V  { return ifEXECNZ(l).Not() }

// liftWaitcnt: s_waitcnt. Memory operations complete at once, so only the marks matter.
func liftWaitcnt(l *isa.Lift) {
	for _, c := range counters {
		if n := l.In.Word.Get(c.at); n != bits.Ones(c.at.Len()) {
			l.Wait(c.queue, int(n))
		}
	}
}
