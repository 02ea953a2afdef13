package portable

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Blocks that are machine code as a whole lead to one another without coming back, as far as the way is known: from a block that says
// where it goes, to one that was entered from there before. What machine code does not decide itself is left to the step that all
// engines share: it comes back in front of the terminator.

// A Turn says how the terminator of a block is carried out.
type Turn uint8

const (
	Back     Turn = iota // by the caller
	Always               // to the first way
	IfBit                // if the lowest bit of Cond is 1 to the first way, else to the second
	IfNone               // by exec.Shortcut with Cond as the mask; if the mask is not 0 to the first way, else to the second
	IfAgreed             // likewise
	IfWhole              // likewise
	IfStays              // as IfNone; if the mask is that of all lanes that live, as Over
	Over                 // by the caller, and the turn of the wave is over then
	ByStack              // by Step of the control stack
)

// An Ending is what a Native is told about the end of a block.
type Ending struct {
	Turn Turn
	Cond Place
	exec.Cost
	Marks int  // at least one, as Cost for each visit
	Stack bool // lanes part and meet by a control stack
	// Lowest: lanes part or meet by the policy LowestPC, which a Native may carry out if not all go on together; see ir.LowestPC. Else it leaves it to
	// the caller.
	Lowest bool
	Step   ir.ControlKind
	To     [2]uint64 // where the ways lead
}

// A Link is the machine code of a whole block, as one runner knows it.
type Link any

// Ways is how many ways there are to go on in machine code: each of the two, to waves with some of their lanes active and with all.
const Ways = 4

// A Ran is what a chain has run but for the terminator of its last block.
type Ran struct {
	Last int // number of its link
	Step int // of the last block, in front of which the code has left; -1: all of them have run
	// The code goes on by Resume: it has left since there was no room to mark the access of Step, or for the caller to carry out Step.
	Resumes bool
	// Bytes that accesses have read and written, and what lanes have done atomically.
	BytesRead, BytesWritten, Atomics uint64

	// Lane-operations of the lanes that lived before the last time that some of them retired; Cost is since then.
	EarlierLaneOps uint64

	Marks uint64
	Cost  struct{ Ops, LaneOps uint64 } // of lane-operations, those of one lane
}

// quantum is how many marks a chain runs at most: garbage collection waits for its end.
const quantum = 4096

// ending is how the block ends; targets are the addresses of its ways.
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

// byStack reports whether a Native may carry out a step of the control stack.
func byStack(k ir.ControlKind) bool {
	switch k {
	case ir.CtlPush, ir.CtlPushBreak, ir.CtlPushReturn, ir.CtlCall, ir.CtlDiverge, ir.CtlJoin, ir.CtlBreak, ir.CtlReturn:
		return true
	}
	return false
}

// chain runs blocks of machine code one after another from f on, and leaves the last of them.
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

// ended ends a chain of the wave that has been taken: it runs what of the last block is left.
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

// join lets a chain go from one block to the next, if it is where the one said that it goes, and no wave yields there.
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
