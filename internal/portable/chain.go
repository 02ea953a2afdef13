package portable

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Wholly compiled blocks are chained: one continues at the next without a return to Go if the successor is linked,
// that is, if an earlier visit went that way. Terminators that machine code does not decide are left to the step that
// all engines share: the code exits before the terminator.

// A Turn says how the terminator of a block is executed.
type Turn uint8

const (
	Back     Turn = iota // by the caller
	Always               // to the first way
	IfBit                // to the first way if the lowest bit of Cond is 1, else to the second
	IfNone               // by exec.Shortcut with Cond as the mask; to the first way if the mask is not 0, else to the second
	IfAgreed             // likewise
	IfWhole              // likewise
	IfStays              // as IfNone; if the mask has all live lanes, as Over
	Over                 // by the caller, and the wave's turn ends there
	ByStack              // by Step on the control stack
)

// An Ending describes the end of a block to a Native.
type Ending struct {
	Turn Turn
	Cond Place
	exec.Cost
	Marks int  // at least one, as Cost for each visit
	Stack bool // lanes diverge and reconverge by a control stack
	// Lowest: lanes diverge or reconverge by the policy LowestPC; see ir.LowestPC. A Native may execute the step if
	// not all lanes go the same way, or leave it to the caller.
	Lowest bool
	Step   ir.ControlKind
	To     [2]uint64 // the addresses of the ways
}

// A Link is the machine code of a whole block, as one runner knows it.
type Link any

// Ways is the number of successors in machine code: two, each for waves with some lanes active and with all.
const Ways = 4

// A Ran is what a chain has executed, except the terminator of its last block.
type Ran struct {
	Last int // the number of the last link
	Step int // the step of the last block before which the code has exited; -1: all steps have run
	// The code can continue by Resume: it has exited since there was no room to mark the access of Step, or so that
	// the caller executes Step.
	Resumes bool
	// Bytes read and written, and atomics per lane.
	BytesRead, BytesWritten, Atomics uint64

	// Lane-operations up to the last time that lanes retired, of the lanes that were live; Cost counts from then on.
	EarlierLaneOps uint64

	Marks uint64
	Cost  struct{ Ops, LaneOps uint64 } // LaneOps per live lane
}

// quantum is the largest number of marks that a chain runs: garbage collection waits for its end.
const quantum = 4096

// ending returns how the block ends; targets are the addresses of its ways.
func (c *code) ending(m *ir.Machine) (e Ending, targets [2]uint64) {
	in := c.Own.Term()
	e.Stack = m.Control == ir.MaskStack
	e.Marks, e.Cost = c.Frame.Cost()
	if len(c.term) > 0 {
		e.Cond = c.term[len(c.term)-1].public()
	}
	targets = [2]uint64{in.Imm, c.Own.Next}
	switch in.Op {
	case ir.Jump:
		if in.Alt != ir.JumpYields {
			e.Turn = Always
		}
	case ir.End, ir.Barrier:
		if len(c.term) == 0 {
			e.Turn = Over
		}
		return e, targets
	case ir.Branch:
		e.Turn, targets[1] = IfBit, in.Alt
	case ir.Retire:
		e.Turn, targets[1] = IfStays, in.Imm
	case ir.CtlStep:
		e.Turn = [...]Turn{exec.NoShortcut: Back, exec.IfNone: IfNone, exec.IfAgreed: IfAgreed, exec.IfWhole: IfWhole}[exec.ShortcutOf(in)]
		if k := ir.ControlKind(in.Alt); e.Stack && byStack(k) {
			e.Turn, e.Step = ByStack, k
		}
		e.Lowest = m.Control == ir.LowestPC && e.Turn != Back
	}
	e.To = targets
	if !c.Keeps() {
		e.Turn, e.Lowest = Back, false
	}
	return e, targets
}

// byStack reports whether a Native may execute a step of the control stack.
func byStack(k ir.ControlKind) bool {
	switch k {
	case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn, ir.CtlCall, ir.CtlDiverge, ir.CtlJoin, ir.CtlBreak, ir.CtlReturn:
		return true
	}
	return false
}

// chain runs compiled blocks from f on, and executes what the last one has left to the caller.
func (r *runner) chain(f *form, left *uint64, exact bool) (*node, exec.Stop) {
	if r.came != nil {
		r.join(r.came, f)
	}
	budget := min(*left, quantum)
	if exact {
		budget = 0
	}
	r.recall()
	r.worker.Enter(f.words, r.rows, r.vecs)
	ran := &r.ran
	r.worker.Chain(Start{r.st, f.link, r.env.Wave}, budget, ran)
	return r.ended(ran, left)
}

// ended finishes a chain of the current wave: it runs the rest of the last block.
func (r *runner) ended(ran *Ran, left *uint64) (*node, exec.Stop) {
	r.resume(ran)
	last := r.links[ran.Last]
	if ran.Step < 0 && last.over {
		*left -= min(*left, ran.Marks+uint64(last.Marks()))
		r.came = nil
		return last.node, r.over(r.st, r.env)
	}
	r.counts(r.env)
	r.st.At.Key = last.node.key
	var visit exec.Visit
	r.visit(&visit, last)
	visit.Before(ran.Marks, ran.Cost.Ops, ran.Cost.LaneOps)
	*left -= ran.Marks
	r.came = last
	*left -= min(*left, uint64(last.Marks()))
	for i := ran.Step; i >= 0 && i < len(last.ops); i++ {
		if o := &last.ops[i]; !o.run(r, o) {
			return last.node, r.stopped(&visit, last.node, o.mark, left)
		}
	}
	return last.node, visit.Leave(r.exits(last.code))
}

// join links a block to the next, if it is the target of one of its ways and no wave yields there.
func (r *runner) join(from, to *form) {
	key := to.node.key
	if from.joined[to.lanes] == to {
		return
	}
	if key.Mode != from.node.key.Mode || from.Yields(key) {
		return
	}
	known := false
	for way, pc := range from.targets { // both may lead there
		if pc == key.PC {
			r.worker.Join(from.link, 2*way+to.lanes, to.link)
			from.joined[to.lanes], known = to, true
		}
	}
	if from.joins && !known {
		r.worker.JoinFar(from.link, key.PC, to.lanes, to.link)
	}
}
