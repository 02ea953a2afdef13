package debug

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// An order says how far the run should go.
type order struct {
	kind   orderKind
	target uint64 // position: for toTarget where to stop, for forLast and forTrace where the search ends
	from   uint64 // for forTrace: where the search begins
	reason Reason // for toTarget
	like   *Halt  // for toTarget: the earlier stop at this position
	here   bool   // breakpoints at the present instruction count
	id     int    // of a wave
	depth  int    // of calls: forWave stops at this depth, or a lower one
	line   bool   // forWave stops only at another line of the source
	was    loc.Place
	whole  bool // forWave: at any instruction of the wave, whatever it calls
}

type orderKind uint8

const (
	toTarget  orderKind = iota // stop at a position
	forPoints                  // stop only at breakpoints
	forWave                    // stop at an instruction of a wave, or after it has terminated
	forAny                     // stop at the next instruction of any wave
	forLast                    // search for the last stop before a position
	forTrace                   // search for instructions of a wave before a position
	toQuit
	toBegin // restart, with the present settings
)

// replays reports whether a run only searches for a position.
func (o *order) replays() bool { return o.kind == forLast || o.kind == forTrace }

// A traced instruction is one of a wave, found by forTrace.
type traced struct {
	pos  uint64
	line lineOf
}

type lineOf struct {
	file string
	line int
}

// maxTrace is how far back the search for the beginning of a source line goes, in instructions.
const maxTrace = 1 << 16

// resume executes an order while the run is stopped.
func (s *Session) resume(o order) {
	h := s.halted.Swap(nil)
	if h == nil {
		return
	}
	s.pausing.Store(false)
	if h.Reason == AtFault && o.kind != toBegin && s.edited(h.Pos) { // a change may have removed the cause
		s.again(order{kind: toTarget, target: h.Pos}, func() { s.order = o })
		return
	}
	s.orders <- o
}

func (s *Session) edited(pos uint64) bool {
	return len(s.edits) > 0 && s.edits[len(s.edits)-1].pos == pos
}

// again restarts the run; next is called when it has reached the target, nil: it stops.
func (s *Session) again(o order, next func()) {
	s.next = next
	s.order = o
	s.pausing.Store(false)
	s.orders <- order{kind: toBegin}
}

// Continue runs up to a breakpoint, a watchpoint, a fault or the end.
func (s *Session) Continue() { s.resume(order{kind: forPoints}) }

// Begin is Continue from the first instruction on: a breakpoint there counts.
func (s *Session) Begin() { s.resume(order{kind: forPoints, here: true}) }

// A Way says how a step treats calls.
type Way uint8

const (
	Into Way = iota // stops in the callee
	OverCalls
	OutOf // leaves the function, or runs to the end of the wave if it is in none
)

// Step runs a wave up to its next instruction, or line of the source, and all others whose turns come before: to pass
// a barrier all waves of the workgroup run.
func (s *Session) Step(w *Wave, way Way, line bool) {
	o := order{kind: forWave, id: w.ID, depth: w.depth(), line: line, whole: way == Into}
	if w.Program != nil {
		o.was = ir.PlaceOf(w.Program, w.PC())
	}
	if way == OutOf {
		o.depth, o.line = o.depth-1, false
	}
	s.resume(o)
}

// goBack goes to an earlier position, or the present one.
func (s *Session) goBack(pos uint64, reason Reason) {
	if s.halted.Swap(nil) == nil {
		return
	}
	s.undo(pos)
	s.again(order{kind: toTarget, target: pos, reason: reason}, nil)
}

// BackTo goes to a position before the present one, in instructions of the run.
func (s *Session) BackTo(pos uint64) {
	reason := AfterStep
	if pos <= s.first {
		pos = s.first
		reason = AtStart
	}
	s.goBack(pos, reason)
}

// undo drops the changes made after a position.
func (s *Session) undo(pos uint64) {
	n := len(s.edits)
	for n > 0 && s.edits[n-1].pos > pos {
		n--
	}
	for _, e := range s.edits[n:] {
		s.to.Say(fmt.Sprintf("undone: %s, %d instructions from the beginning", e.what, e.pos-s.first))
	}
	s.edits = s.edits[:n]
}

// Back goes to the wave's instruction before the present one, or to the beginning of the previous source line. From
// the first instruction of a wave it goes to what ran before.
func (s *Session) Back(w *Wave, line bool) {
	h := s.Halted()
	if h == nil {
		return
	}
	pos, ok := s.before(w.ID, h.Pos)
	switch {
	case h.Pos == s.first:
		s.goBack(h.Pos, AtStart)
	case !ok: // the wave begins here: to the last instruction that ran before, of any wave
		s.goBack(h.Pos-1, AfterStep)
	case line && w.Program != nil && ir.PlaceOf(w.Program, w.PC()).Position().Known():
		if s.halted.Swap(nil) == nil {
			return
		}
		s.again(order{kind: forTrace, id: w.ID, target: h.Pos, from: h.Pos - min(h.Pos-s.first, maxTrace)}, nil)
	default:
		s.goBack(pos, AfterStep)
	}
}

// before returns the position of a wave's last instruction before pos.
func (s *Session) before(id int, pos uint64) (uint64, bool) {
	end := pos
	for i := len(s.turns) - 1; i >= 0; i-- {
		t := s.turns[i]
		if t.start < end && t.id == id {
			return end - 1, true
		}
		end = min(end, t.start)
	}
	return 0, false
}

// ReverseContinue goes back to the last position before the present one at which the run would have stopped, or to
// the beginning.
func (s *Session) ReverseContinue() {
	h := s.halted.Swap(nil)
	if h == nil {
		return
	}
	s.again(order{kind: forLast, target: h.Pos}, nil)
}

// found ends a search before the instruction at which it began.
func (s *Session) found() error {
	pos, reason := s.first, AtStart
	switch o := s.order; {
	case o.kind == forLast && s.last != nil:
		pos, reason = s.last.Pos, s.last.Reason
	case o.kind == forTrace && len(s.trace) > 0:
		pos, reason = s.lineBefore(), AfterStep
	case o.kind == forTrace:
		pos, reason = o.target-1, AfterStep // it is not s.first: then there is no going back
	}
	s.undo(pos)
	s.order = order{kind: toTarget, target: pos, reason: reason, like: s.last}
	s.leaving = stepping.ErrAgain
	return s.leaving
}

// lineBefore returns the position at which the line of the last traced instruction begins.
func (s *Session) lineBefore() uint64 {
	i := len(s.trace) - 1
	for i > 0 && s.trace[i].line.line == 0 {
		i--
	}
	for i > 0 && s.trace[i-1].line == s.trace[i].line && s.trace[i-1].pos+1 == s.trace[i].pos {
		i--
	}
	return s.trace[i].pos
}

// Goto sets the PC of the halt's wave to another instruction.
func (s *Session) Goto(pc uint64) error {
	h := s.Halted()
	m := h.Wave.State.Machine
	switch {
	case h.Reason == AtFault:
		return fmt.Errorf("the wave has faulted; go back first")
	case m.Control != ir.MaskData:
		return fmt.Errorf("lanes of %s go their own ways (%v): the wave has no one place to go on at", m.Name, m.Control)
	case !h.Code.Begins(pc):
		return fmt.Errorf("no instruction begins at %#x", pc)
	}
	s.Edit(fmt.Sprintf("the place where the wave goes on, %#x", h.Code.Place(pc).Addr), func(at *exec.Step) { at.State.Goto(pc); at.PC = pc })
	return nil
}

// Edit changes the state of the present wave before the present instruction, now and whenever the run reaches this
// position again.
func (s *Session) Edit(what string, do func(at *exec.Step)) {
	h := s.Halted()
	do(h.Step)
	s.edits = append(s.edits, edit{h.Pos, what, do})
}
