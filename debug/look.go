package debug

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/ir"
)

var (
	_ exec.Skipper  = (*Session)(nil)
	_ exec.Observer = (*Session)(nil)
)

// Skip implements exec.Skipper: on the way to a known position no instruction needs a look, unless calls are tracked.
func (s *Session) Skip(at *exec.Step) uint64 {
	to := uint64(0)
	switch s.order.kind {
	case toTarget:
		to = s.order.target
	case forTrace:
		to = s.order.from
	case forPoints:
		if !s.Finds && s.nowhere() {
			to = s.steps + exec.Quantum
		}
	}
	if to <= s.steps || s.ran != nil || s.pausing.Load() || s.quit.Load() || s.starts && s.entries.Load() && s.order.kind != toTarget {
		return 0
	}
	for _, e := range s.edits {
		if e.pos >= s.steps {
			to = min(to, e.pos)
		}
	}
	s.turnOf(at)
	if c := s.codeOf(at); len(c.insts.Calls) > 0 && at.State.Machine.Control != ir.MaskStack {
		return 0
	}
	return to - s.steps
}

// nowhere reports whether nothing can stop the run: no breakpoint in any code, and no watchpoint.
func (s *Session) nowhere() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.points {
		if p.Watch != nil || len(p.places) > 0 {
			return false
		}
	}
	return true
}

// Skipped implements exec.Skipper.
func (s *Session) Skipped(at *exec.Step, ran uint64, stop exec.Stop) {
	s.steps += ran
	s.starts = s.starts && ran == 0
	switch stop.Reason {
	case exec.StopEnd:
		s.endWave(at.State)
	case exec.StopFault:
		at.PC, at.Sub = stop.Fault.PC, 0
		s.steps++ // the faulting instruction has begun
		s.faulted(at, stop.Fault)
	}
}

// Before implements exec.Stepper.
func (s *Session) Before(at *exec.Step) error {
	if s.quit.Load() {
		s.leaving = stepping.ErrQuit
	}
	if s.leaving != nil || s.discovers() { // what barriers tell comes after the instruction
		return s.leaving
	}
	s.turnOf(at)
	code := s.codeOf(at)
	s.wave.arrived(at)
	for i := range s.edits {
		if s.edits[i].pos == s.steps {
			s.edits[i].do(at)
		}
	}
	for again := true; again; {
		h, err := s.stops(at, code)
		if err != nil {
			return err
		}
		if h == nil {
			break
		}
		if err := s.hold(h); err != nil {
			return err
		}
		again, s.order.here = s.order.here, false
	}
	s.starts, s.change, s.changed, s.failed = false, "", nil, nil
	s.remember(at)
	s.count(at, code, 1)
	s.steps++
	s.wave.called = code.insts.Calls[at.PC]
	return nil
}

// hold stops the run until there is an order. The error ends the run.
func (s *Session) hold(h *Halt) error {
	s.seen = max(s.seen, h.Pos)
	s.halted.Store(h)
	s.to.Halted(h)
	var o order
	select {
	case o = <-s.orders:
	case <-s.gone:
		if s.halted.Swap(nil) == nil { // an order is under way
			o = <-s.orders
		} else {
			s.to.Say("what was stopped here has been ended")
			s.order, s.next, o.kind = order{kind: forPoints, here: true}, nil, toBegin
		}
	}
	switch o.kind {
	case toBegin:
		s.leaving = stepping.ErrAgain
	case toQuit:
		s.leaving = stepping.ErrQuit
	default:
		s.order = o
	}
	return s.leaving
}

// stops returns the halt before an instruction; nil: the run continues. The error ends the run.
func (s *Session) stops(at *exec.Step, code *Code) (*Halt, error) {
	h := &Halt{Pos: s.steps, Wave: s.wave, Step: at, Code: code}
	if s.pausing.Load() {
		s.pausing.Store(false)
		h.Reason = AtPause
		if s.order.kind == toTarget || s.order.replays() { // on the way to a position: it stops before it
			s.next = nil
			s.undo(s.steps)
		}
		return h, nil
	}
	o := &s.order
	switch {
	case o.replays() && s.steps >= o.target:
		return nil, s.found()
	case o.kind == forTrace:
		s.traces(at, code)
		return nil, nil
	case o.kind == toTarget && s.steps < o.target:
		return nil, nil
	case o.kind == toTarget && at.Sub > 0 && o.reason == AfterStep: // within one instruction that runs several times
		s.order.target -= uint64(at.Sub)
		s.leaving = stepping.ErrAgain
		return nil, s.leaving
	case o.kind == toTarget && s.next != nil:
		next := s.next
		s.next = nil
		if next(); !s.order.here {
			return nil, nil
		}
		s.order.here = false
	case o.kind == toTarget:
		s.arrives(h)
		return h, nil
	}
	s.meets(h)
	if s.order.kind == forLast {
		if h.Reason != 0 {
			s.last = h
		}
		return nil, nil
	}
	if h.Reason == 0 && s.stepped(at, code) {
		h.Reason = AfterStep
	}
	if h.Reason == 0 {
		return nil, nil
	}
	return h, nil
}

// arrives fills in the halt at a position that the run was sent to.
func (s *Session) arrives(h *Halt) {
	h.Reason = s.order.reason
	if like := s.order.like; like != nil {
		h.Text, h.Points, h.Failed, h.Found = like.Text, like.Points, like.Failed, like.Found
	}
	if !s.entered {
		s.entered, h.Reason = true, AtEntry
	}
	if h.Reason == AtStart && s.first > 0 {
		h.Text = "what ran before has ended for good"
	}
}

// meets fills in the halt at breakpoints, and after a watchpoint has triggered.
func (s *Session) meets(h *Halt) {
	points := s.pointsAt(h)
	if s.starts && s.entries.Load() {
		h.Reason, h.Text = AtLaunch, h.Step.Env.Kernel
	}
	if s.change != "" {
		h.Reason, h.Text, h.Points, h.Failed = AtWatch, s.change, s.changed, append(h.Failed, s.failed...)
	}
	if len(points) > 0 {
		h.Reason, h.Points = AtPoint, append(points, h.Points...)
	}
}

// traces records the position of an instruction of the wave that is searched for.
func (s *Session) traces(at *exec.Step, code *Code) {
	if s.wave.ID != s.order.id || at.Sub != 0 {
		return
	}
	p := code.Place(at.PC).Position()
	s.trace = append(s.trace, traced{s.steps, lineOf{p.File, p.Line}})
}

// stepped reports whether a step ends before an instruction.
func (s *Session) stepped(at *exec.Step, code *Code) bool {
	o := &s.order
	switch {
	case at.Sub != 0:
		return false
	case o.kind == forAny:
		return true
	case o.kind != forWave || s.wave.ID != o.id || !o.whole && s.wave.depth() > o.depth:
		return false
	case !o.line || !o.was.Position().Known():
		return true
	}
	p := code.Place(at.PC)
	here, was := p.Position(), o.was.Position()
	return here.Known() && (here.Line != was.Line || here.File != was.File || p.Addr == o.was.Addr)
}

// After implements exec.Stepper.
func (s *Session) After(at *exec.Step, stop exec.Stop) {
	if s.leaving != nil {
		return
	}
	if s.discovers() {
		return
	}
	s.compare(at)
	switch stop.Reason {
	case exec.StopEnd:
		if s.order.kind == forWave && s.order.id == s.wave.ID {
			s.order.kind = forAny
		}
		s.endWave(at.State)
	case exec.StopFault:
		s.faulted(at, stop.Fault)
	}
}

// faulted stops at a fault: the state of the wave is that before the instruction.
func (s *Session) faulted(at *exec.Step, f *exec.Fault) {
	if !s.faults.Load() || f.Kind == exec.FaultStopped || s.quit.Load() {
		return
	}
	if s.order.kind == toTarget && s.steps <= s.order.target { // the run has passed it before
		return
	}
	code := s.codeOf(at)
	s.steps--
	s.count(at, code, ^uint64(0))
	s.wave.called = 0
	h := &Halt{Reason: AtFault, Text: f.Error(), Fault: f, Pos: s.steps, Wave: s.wave, Step: at, Code: code}
	if s.hold(h) == nil {
		s.steps++
		s.count(at, code, 1)
	}
}

// String returns the reason in a few words.
func (r Reason) String() string {
	names := [...]string{AtEntry: "entry", AtPoint: "breakpoint", AtWatch: "data breakpoint", AfterStep: "step", AtPause: "pause", AtFault: "fault",
		AtStart: "the beginning", AtExit: "the end", AtGoto: "goto", AtLaunch: "launch", AtFinding: "finding", AtEnd: "over"}
	if int(r) < len(names) && names[r] != "" {
		return names[r]
	}
	return fmt.Sprintf("reason %d", uint8(r))
}
