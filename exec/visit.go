package exec

import (
	"math/bits"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A Frame is what all engines need to know of a block, however they run its ops: marks, their costs, how the block
// is left. It is immutable apart from a cache, and shared by all runners.
type Frame struct {
	Block *ir.Block // the canonical block
	Own   *ir.Block // the block that runs: Block, or an optimised version, possibly with a simpler terminator

	p     *Program
	costs []Cost // cost of the marks before each mark
	all   Cost   // cost of all marks
	ends  bool   // the terminator can end lanes, and waits for none
	plain bool   // the wave continues where its terminator says, in the same mode
	keeps bool   // the block does not change the mode

	mu   sync.Mutex
	ways map[ir.Key]Yield // cache of Yields, by successor
}

// Frame returns the frame of a canonical block that runs as own.
func (p *Program) Frame(block, own *ir.Block) *Frame {
	t, keeps := block.Term(), keeps(p.Machine(), block)
	retires := t.Op == ir.Retire && p.Machine().Control == ir.MaskData // otherwise waiting lanes may run next
	plain := keeps && (t.Op == ir.Branch || retires || t.Op == ir.Jump && t.Alt == 0)
	f := &Frame{Block: block, Own: own, p: p, costs: Costs(block), plain: plain, keeps: keeps}
	last := &f.costs[f.Marks()]
	f.all = Cost{Ops: last.Ops - f.costs[0].Ops, LaneOps: last.LaneOps - f.costs[0].LaneOps}
	f.ends = own.Term().Op == ir.End || own.Term().Op == ir.Retire
	return f
}

// keeps reports whether the block does not change the mode.
func keeps(m *ir.Machine, b *ir.Block) bool {
	for i := range b.Ops {
		switch in := &b.Ops[i]; in.Op {
		case ir.Set, ir.SetX, ir.SetLast:
			if m.ModeMask != 0 && in.Cell.File == m.Mode.File {
				return false
			}
		}
	}
	return true
}

// Marks returns the number of marks of the block; 1 if it has none, as in tests.
func (f *Frame) Marks() int { return len(f.costs) - 1 }

// PC returns the guest address of a mark.
func (f *Frame) PC(mark int) uint64 {
	if len(f.Block.Marks) == 0 {
		return f.Block.Key.PC
	}
	return f.Block.Marks[mark].PC
}

// Keeps reports whether the block does not change the mode.
func (f *Frame) Keeps() bool { return f.keeps }

// AfterBarrier returns where waves continue after the barrier at the end of the block, and its number. ok is false if
// there is none, if waves do not both arrive and wait there, or if the mode may change.
func (f *Frame) AfterBarrier() (to ir.Key, barrier int, ok bool) {
	t := f.Own.Term()
	number, kind := ir.BarrierAt(t.Alt)
	return ir.Key{PC: t.Imm, Mode: f.Block.Key.Mode}, number, f.keeps && t.Op == ir.Barrier && kind == ir.BarrierSync
}

// Cost returns the cost of a complete visit.
func (f *Frame) Cost() (marks int, c Cost) { return f.Marks(), f.all }

// NeverYields reports whether a wave that continues at a place certainly does not yield, without an analysis.
func (f *Frame) NeverYields(to ir.Key) bool { return f.plain && to.PC > f.Block.Key.PC }

// Yields is Program.Yields from the end of the block, cached for all runners. An engine calls it at least once for each
// way that a wave takes, unless NeverYields: this also records [Program.Arrivals].
func (f *Frame) Yields(to ir.Key) Yield {
	if f.NeverYields(to) {
		return YieldsNever
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	y, ok := f.ways[to]
	if !ok {
		if f.ways == nil {
			f.ways = map[ir.Key]Yield{}
		}
		var named bool
		if y, named = f.p.leaves(f.Block, to); !named {
			f.p.arrives(to)
		}
		f.ways[to] = y
	}
	return y
}

// A Visit is one execution of a block by a wave, with the bookkeeping that an engine does besides running ops.
type Visit struct {
	*Frame
	st    *State
	env   *Env
	first int    // the mark at which it begins
	live  uint64 // live lanes at that mark
}

// Begin begins a visit of the block at the mark of the wave.
func (v *Visit) Begin(f *Frame, st *State, env *Env) {
	v.Frame, v.st, v.env, v.first, v.live = f, st, env, st.At.Mark, st.Live
}

// Before counts earlier visits of other blocks, with the same live lanes: their marks, ops, and lane-ops for one
// lane.
func (v *Visit) Before(marks, ops, laneOps uint64) {
	v.st.Clock += marks
	k := &v.env.Count
	k.Instructions += marks
	k.Ops += ops
	k.LaneOps += laneOps * uint64(bits.OnesCount64(v.live))
}

// Pause ends the visit before a mark.
func (v *Visit) Pause(mark int) {
	v.account(mark)
	v.st.At.Mark = mark
}

// Fault ends the visit with a fault in a mark, and sets the fault's address.
func (v *Visit) Fault(mark int, f *Fault) Stop {
	v.Pause(mark)
	f.PC = v.PC(mark)
	return Stop{Reason: StopFault, Fault: f}
}

// Leave ends the visit with the terminator of Own. x is its operand as State.Leave takes it, at the addresses of
// ctlx per lane. The reason is 0 if the wave continues.
func (v *Visit) Leave(x uint64, at *ir.Vec) Stop {
	in, last := v.Own.Term(), v.Marks()-1
	if in.Op == ir.Trap {
		f := NewFault(FaultTrap, v.env, v.p.Code, 0)
		f.Trap, f.Text = ir.TrapReason(in.Imm), v.Block.Why
		return v.Fault(last, f)
	}
	reason, err := v.st.proceed(v.Own, x, at)
	if err != nil {
		return v.Fault(last, ControlFault(v.env, v.p.Code, err))
	}
	v.account(last + 1)
	if reason == StopBarrier {
		v.env.Count.Barriers++
		return Stop{Reason: reason, At: BarrierOf(in, x)}
	}
	return Stop{Reason: reason}
}

// Over ends the turn of a wave that has run blocks up to the end of this one, if the wave ends there, or all its
// lanes do, or it waits for all others, and no further computation is needed. marks, ops and laneOps (for one lane)
// are those of the blocks before this one.
func (f *Frame) Over(st *State, env *Env, marks, ops, laneOps uint64) Stop {
	n, c := f.Cost()
	k := &env.Count
	marks += uint64(n)
	st.Clock += marks
	k.Instructions += marks
	k.Ops += ops + uint64(c.Ops)
	k.LaneOps += (laneOps + uint64(c.LaneOps)) * uint64(bits.OnesCount64(st.Live))
	if f.ends {
		return Stop{Reason: st.ended()}
	}
	t := f.Own.Term()
	st.Goto(t.Imm)
	k.Barriers++
	return Stop{Reason: StopBarrier, At: BarrierOf(t, 0)}
}

// proceed executes a terminator: by a shortcut if there is one, else with Leave.
func (st *State) proceed(b *ir.Block, x uint64, at *ir.Vec) (StopReason, error) {
	if op := b.Term().Op; op != ir.Jump && op != ir.Branch {
		if pc, ok := Fast(b, st.Live, st.Exec, x); ok {
			st.Goto(pc)
			return 0, nil
		}
	}
	return st.Leave(b, x, at)
}

// account adds the marks of the visit before mark last to the counters.
func (v *Visit) account(last int) {
	a, b := v.costs[v.first], v.costs[last]
	v.Before(uint64(last-v.first), uint64(b.Ops-a.Ops), uint64(b.LaneOps-a.LaneOps))
}

// ControlFault returns the fault of a refused control step.
func ControlFault(env *Env, code ir.Code, err error) *Fault {
	f := NewFault(FaultControl, env, code, 0)
	f.Text = err.Error()
	return f
}

// NoCode ends a wave at an address without code.
func NoCode(st *State, env *Env, code ir.Code, err error) Stop {
	f := NewFault(FaultCode, env, code, st.At.Key.PC)
	f.Err = err
	return Stop{Reason: StopFault, Fault: f}
}
