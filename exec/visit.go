package exec

import (
	"math/bits"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A Frame is a block as every engine sees it, however it runs the ops: marks, what they cost, how the block is left. It does not
// change, and belongs to all runners.
type Frame struct {
	Block *ir.Block // the canonical block
	Own   *ir.Block // the one that runs: Block, or what rewrites have made of it. Its terminator may be a simpler one

	p     *Program
	costs []Cost // before each mark
	all   Cost   // of all marks
	ends  bool   // the terminator can end lanes, and waits for none
	plain bool   // it goes on where its terminator says, under its own mode
	keeps bool   // it leaves the mode as it is

	mu   sync.Mutex
	ways map[ir.Key]bool // whether waves yield, by where they go on
}

// Frame is the frame of a canonical block, which runs as own.
func (p *Program) Frame(block, own *ir.Block) *Frame {
	t, keeps := block.Term(), keeps(p.Machine(), block)
	plain := keeps && (t.Op == ir.Branch || t.Op == ir.Retire || t.Op == ir.Jump && t.Alt == 0)
	f := &Frame{Block: block, Own: own, p: p, costs: Costs(block), plain: plain, keeps: keeps}
	last := &f.costs[f.Marks()]
	f.all = Cost{Ops: last.Ops - f.costs[0].Ops, LaneOps: last.LaneOps - f.costs[0].LaneOps}
	f.ends = own.Term().Op == ir.End || own.Term().Op == ir.Retire
	return f
}

// keeps reports whether the block leaves the mode as it is.
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

// Marks is how many marks the block has; one if it says none, as blocks of tests may.
func (f *Frame) Marks() int { return len(f.costs) - 1 }

// PC is the guest address of a mark.
func (f *Frame) PC(mark int) uint64 {
	if len(f.Block.Marks) == 0 {
		return f.Block.Key.PC
	}
	return f.Block.Marks[mark].PC
}

// Keeps reports whether the block leaves the mode as it is.
func (f *Frame) Keeps() bool { return f.keeps }

// Behind is where waves go on behind the barrier at the end of the block, and its number. Not OK: there is none, waves do not arrive there and wait, or the
// mode may be another there.
func (f *Frame) Behind() (to ir.Key, barrier int, ok bool) {
	t := f.Own.Term()
	number, kind := ir.BarrierAt(t.Alt)
	return ir.Key{PC: t.Imm, Mode: f.Block.Key.Mode}, number, f.keeps && t.Op == ir.Barrier && kind == ir.BarrierSync
}

// Cost is what a visit from begin to end costs.
func (f *Frame) Cost() (marks int, c Cost) { return f.Marks(), f.all }

// Onward reports whether it shows at once that a wave which goes on at a place does not yield.
func (f *Frame) Onward(to ir.Key) bool { return f.plain && to.PC > f.Block.Key.PC }

// Yields is Program.Yields from the end of the block. Each way is found out once for all runners.
func (f *Frame) Yields(to ir.Key) bool {
	if f.Onward(to) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	y, ok := f.ways[to]
	if !ok {
		if f.ways == nil {
			f.ways = map[ir.Key]bool{}
		}
		y = f.p.Yields(f.Block, to)
		f.ways[to] = y
	}
	return y
}

// A Visit is a wave's stay in a block, and what an engine does about it besides running ops.
type Visit struct {
	*Frame
	st    *State
	env   *Env
	first int    // the mark that it begins at
	live  uint64 // lanes that lived then
}

// Begin begins a stay in the block at the mark of the wave.
func (v *Visit) Begin(f *Frame, st *State, env *Env) {
	v.Frame, v.st, v.env, v.first, v.live = f, st, env, st.At.Mark, st.Live
}

// Before counts visits of other blocks that came before this one, with the lanes that live in it: their marks, ops, and lane-operations of
// one lane.
func (v *Visit) Before(marks, ops, laneOps uint64) {
	v.st.Clock += marks
	k := &v.env.Count
	k.Instructions += marks
	k.Ops += ops
	k.LaneOps += laneOps * uint64(bits.OnesCount64(v.live))
}

// Pause ends the visit in front of a mark.
func (v *Visit) Pause(mark int) {
	v.account(mark)
	v.st.At.Mark = mark
}

// Fault ends the visit with a fault in a mark, whose address it gets.
func (v *Visit) Fault(mark int, f *Fault) Stop {
	v.Pause(mark)
	f.PC = v.PC(mark)
	return Stop{Reason: StopFault, Fault: f}
}

// Leave ends the visit by the terminator of Own; x is its operand as State.Leave takes it, at are the addresses of ctlx by lane. The
// reason is 0 if the wave goes on.
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

// Over ends the turn of a wave that has run blocks to the end of this one, where it ends, or all of its lanes do, or waits for all others, and nothing
// else is to be computed: their marks, ops, and lane-operations of one lane, without those of this block.
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

// proceed carries out a terminator: what an engine may do itself at once, the rest by Leave.
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

// ControlFault is the fault of a control step that is refused.
func ControlFault(env *Env, code ir.Code, err error) *Fault {
	f := NewFault(FaultControl, env, code, 0)
	f.Text = err.Error()
	return f
}

// NoCode is the end of a wave at a place that has no code.
func NoCode(st *State, env *Env, code ir.Code, err error) Stop {
	f := NewFault(FaultCode, env, code, st.At.Key.PC)
	f.Err = err
	return Stop{Reason: StopFault, Fault: f}
}
