package debug

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// An order says how far the run goes.
type order struct {
	kind   orderKind
	target uint64 // position: of toTarget where to stop, of forLast and forTrace what is not looked at any more
	from   uint64 // of forTrace: what is before is not looked at
	reason Reason // of toTarget
	like   *Halt  // of toTarget: what has stopped the run there before
	here   bool   // breakpoints at the instruction at hand count
	id     int    // of a wave
	depth  int    // of calls: forWave stops at so many, or fewer
	line   bool   // forWave stops at another line of the source only
	was    loc.Place
	whole  bool // forWave: at any instruction of the wave, whatever it calls
}

type orderKind uint8

const (
	toTarget  orderKind = iota // at a position
	forPoints                  // at breakpoints only
	forWave                    // at an instruction of a wave, or where it has ended
	forAny                     // at the next one of any wave
	forLast                    // looks for the last stop before a position
	forTrace                   // looks for instructions of a wave before a position
	toQuit
	toBegin // begin again, with what has been set
)

// replays reports whether a run only looks for a place.
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

// maxTrace is how far back the beginning of a line of the source is looked for, in instructions.
const maxTrace = 1 << 16

// resume carries out an order where the run has stopped.
func (s *Session) resume(o order) {
	h := s.halted.Swap(nil)
	if h == nil {
		return
	}
	s.pausing.Store(false)
	if h.Reason == AtFault && o.kind != toBegin && s.edited(h.Pos) { // what was changed may mend it
		s.again(order{kind: toTarget, target: h.Pos}, func() { s.order = o })
		return
	}
	s.orders <- o
}

func (s *Session) edited(pos uint64) bool {
	return len(s.edits) > 0 && s.edits[len(s.edits)-1].pos == pos
}

// again makes the run begin anew; next is what follows where it has come to the place, nil: a stop.
func (s *Session) again(o order, next func()) {
	s.next = next
	s.order = o
	s.pausing.Store(false)
	s.orders <- order{kind: toBegin}
}

// Continue lets the run go on to a breakpoint, a watch, a fault or its end.
func (s *Session) Continue() { s.resume(order{kind: forPoints}) }

// Begin is Continue from the first instruction on: a breakpoint there counts.
func (s *Session) Begin() { s.resume(order{kind: forPoints, here: true}) }

// A Way says how a step goes with calls.
type Way uint8

const (
	Into Way = iota // stops in what is called
	OverCalls
	OutOf // the function, or the wave if it is in none
)

// Step runs a wave on to its next instruction, or line of the source, with all others that have their turn before: past a barrier all
// waves of the group go.
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

// goBack goes to a position before, or this one.
func (s *Session) goBack(pos uint64, reason Reason) {
	if s.halted.Swap(nil) == nil {
		return
	}
	s.undo(pos)
	s.again(order{kind: toTarget, target: pos, reason: reason}, nil)
}

// BackTo goes to a position before the one at hand, in instructions of the run.
func (s *Session) BackTo(pos uint64) {
	reason := AfterStep
	if pos == 0 {
		reason = AtStart
	}
	s.goBack(pos, reason)
}

// undo forgets what was changed behind a position.
func (s *Session) undo(pos uint64) {
	n := len(s.edits)
	for n > 0 && s.edits[n-1].pos > pos {
		n--
	}
	for _, e := range s.edits[n:] {
		s.to.Say(fmt.Sprintf("undone: %s, %d instructions from the beginning", e.what, e.pos))
	}
	s.edits = s.edits[:n]
}

// Back goes to the instruction of a wave before the one at hand, or where the line of the source before it begins. From the first of a
// wave it goes to what ran before that.
func (s *Session) Back(w *Wave, line bool) {
	h := s.Halted()
	if h == nil {
		return
	}
	pos, ok := s.before(w.ID, h.Pos)
	switch {
	case h.Pos == 0:
		s.goBack(0, AtStart)
	case !ok: // the wave begins here: to the last instruction of whatever ran before
		s.goBack(h.Pos-1, AfterStep)
	case line && w.Program != nil && ir.PlaceOf(w.Program, w.PC()).Position().Known():
		s.halted.Store(nil)
		s.again(order{kind: forTrace, id: w.ID, target: h.Pos, from: h.Pos - min(h.Pos, maxTrace)}, nil)
	default:
		s.goBack(pos, AfterStep)
	}
}

// before is the position of the last instruction of a wave before one.
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

// ReverseContinue goes back to the last place before the one at hand where the run would have stopped, or to the beginning.
func (s *Session) ReverseContinue() {
	h := s.halted.Swap(nil)
	if h == nil {
		return
	}
	s.again(order{kind: forLast, target: h.Pos}, nil)
}

// found ends a search in front of the instruction that it began at.
func (s *Session) found() error {
	pos, reason := uint64(0), AtStart
	switch o := s.order; {
	case o.kind == forLast && s.last != nil:
		pos, reason = s.last.Pos, s.last.Reason
	case o.kind == forTrace && len(s.trace) > 0:
		pos, reason = s.lineBefore(), AfterStep
	case o.kind == forTrace:
		pos, reason = o.target-1, AfterStep // it is not 0: then nobody goes back
	}
	s.undo(pos)
	s.order = order{kind: toTarget, target: pos, reason: reason, like: s.last}
	s.leaving = stepping.ErrAgain
	return s.leaving
}

// lineBefore is where the line of the last traced instruction begins.
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

// Goto makes the wave of the halt go on at another instruction.
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

// Edit changes something of the wave whose turn it is, in front of the instruction at hand, now and whenever the run comes there again.
func (s *Session) Edit(what string, do func(at *exec.Step)) {
	h := s.Halted()
	do(h.Step)
	s.edits = append(s.edits, edit{h.Pos, what, do})
}
