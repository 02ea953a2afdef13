package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
)

func (s *session) launchRequest(m *dap.LaunchRequest) (dap.ResponseMessage, error) {
	if s.launcher == nil {
		return nil, errors.New("launch: the program runs already; attach joins it")
	}
	return nil, s.begin(m, m.Arguments)
}

// begin executes a launch or attach request, which is answered when the run has reached its first instruction.
func (s *session) begin(m dap.RequestMessage, arguments json.RawMessage) error {
	l, err := parseLaunch(arguments, s.program != nil)
	if err != nil {
		return err
	}
	s.pending = m
	if err := s.start(l, l.StopOnEntry); err != nil {
		s.pending = nil
		return err
	}
	s.state = launching
	return nil
}

// runOf returns the run of a launch, or of the program that the session joins.
func (s *session) runOf(l *Launch, out io.Writer) (debug.Run, error) {
	if s.program != nil {
		return s.program.Join()
	}
	return s.launcher(l, out)
}

// start begins a run, with the present breakpoints.
func (s *session) start(l *Launch, stop bool) error {
	out := &writer{s: s}
	run, err := s.runOf(l, out)
	if err != nil {
		return err
	}
	to := &listener{s: s}
	d := debug.New(run, to)
	to.run, out.run = d, d
	d.StopAtExit = l.StopOnExit
	if l.Counts {
		d.StartCounting()
	}
	s.launch, s.run, s.fresh = l, d, true
	s.filter(d)
	s.forget()
	for _, id := range s.points.renew(d) {
		s.event("breakpoint", &dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: dap.Breakpoint{Id: id, Message: "it was of the run before: set it again"}}})
	}
	to.begin = func() {
		if s.state == launching {
			return
		}
		if stop {
			s.fresh = false
			s.stopped(d.Halted())
			return
		}
		s.letGo()
	}
	d.Start(s.ctx)
	return nil
}

// letGo continues a run that is stopped before its first instruction.
func (s *session) letGo() {
	s.fresh = false
	s.forget()
	s.run.Begin()
}

// A listener receives the events of a run. Changes of the session are made on its goroutine; events of a run that the
// session has given up are ignored.
type listener struct {
	s     *session
	run   *debug.Session
	begin func() // at the first halt of a restarted run
}

// later executes f on the goroutine of the session, unless the run is no longer its own.
func (l *listener) later(f func()) {
	s := l.s
	s.wire.Lock()
	s.events = append(s.events, func() {
		if s.run == l.run {
			f()
		}
	})
	s.wire.Unlock()
	select {
	case s.news <- struct{}{}:
	default: // a notification is pending already
	}
}

// hear executes what later has queued.
func (s *session) hear() {
	s.wire.Lock()
	list := s.events
	s.events = nil
	s.wire.Unlock()
	for _, f := range list {
		f()
	}
}

// Halted implements debug.Listener.
func (l *listener) Halted(h *debug.Halt) {
	l.later(func() {
		s := l.s
		if s.run.Halted() != h {
			return // it has continued before the event was handled
		}
		s.keepThreads()
		switch {
		case s.state == launching:
			s.state = launched
			s.begun()
		case h.Reason == debug.AtEntry && s.fresh:
			l.begin()
		default:
			s.stopped(h)
		}
	})
}

// begun answers the request that has begun the run.
func (s *session) begun() {
	method := "launch"
	switch m := s.pending.(type) {
	case *dap.LaunchRequest:
		s.answer(&m.Request, &dap.LaunchResponse{})
	case *dap.AttachRequest:
		s.answer(&m.Request, &dap.AttachResponse{})
		method = "attach"
	}
	s.pending = nil
	s.event("initialized", &dap.InitializedEvent{})
	s.event("process", &dap.ProcessEvent{Body: dap.ProcessEventBody{Name: s.launch.Program, IsLocalProcess: true, StartMethod: method, PointerSize: 64}})
}

// Over implements debug.Listener.
func (l *listener) Over(err error) {
	l.later(func() { l.s.ended(err) })
}

// ended ends the run of the session.
func (s *session) ended(err error) {
	if s.state == launching { // it has never begun
		s.state = initialized
		s.quit()
		if err == nil {
			err = errors.New("the run has ended before its first instruction")
		}
		s.refuse(s.pending.GetRequest(), err)
		s.pending = nil
		return
	}
	code := 0
	if err != nil {
		code = 1
		s.say("stderr", strings.TrimSpace(err.Error())+"\n")
	}
	s.state, s.threads = over, nil
	s.forget()
	s.event("exited", &dap.ExitedEvent{Body: dap.ExitedEventBody{ExitCode: code}})
	s.event("terminated", &dap.TerminatedEvent{})
}

// Resolved implements debug.Listener.
func (l *listener) Resolved(p *debug.Point) {
	l.later(func() {
		l.s.event("breakpoint", &dap.BreakpointEvent{Body: dap.BreakpointEventBody{Reason: "changed", Breakpoint: l.s.breakpoint(p)}})
	})
}

// Begun implements debug.Listener.
func (l *listener) Begun(w *debug.Wave) { l.thread(w.ID, "started") }

// Ended implements debug.Listener.
func (l *listener) Ended(w *debug.Wave) { l.thread(w.ID, "exited") }

// thread reports a thread. If each lane is a thread, there are too many: clients ask when the run stops.
func (l *listener) thread(id int, reason string) {
	if !l.s.perLane() {
		l.s.event("thread", &dap.ThreadEvent{Body: dap.ThreadEventBody{Reason: reason, ThreadId: id}})
	}
}

// Loaded implements debug.Listener.
func (l *listener) Loaded(c *debug.Code) {
	l.later(func() {
		l.s.event("module", &dap.ModuleEvent{Body: dap.ModuleEventBody{Reason: "new", Module: module(c)}})
	})
}

// Say implements debug.Listener.
func (l *listener) Say(text string) { l.s.say("console", text) }

// stopped reports where the run has stopped.
func (s *session) stopped(h *debug.Halt) {
	b := dap.StoppedEventBody{Reason: "step", ThreadId: s.threadOf(h), AllThreadsStopped: true, Text: h.Text}
	switch h.Reason {
	case debug.AtEntry, debug.AtStart:
		b.Reason, b.Description = "entry", "Stopped at the beginning"
	case debug.AtPoint:
		b.Reason, b.Description = s.kindOf(h)
	case debug.AtWatch:
		b.Reason, b.Description = "data breakpoint", "Stopped after a change: "+h.Text
	case debug.AtPause:
		b.Reason, b.Description = "pause", "Paused"
	case debug.AtFault:
		b.Reason, b.Description = "exception", "Stopped at a fault"
	case debug.AtFinding:
		b.Reason, b.Description = "exception", "Stopped at a finding of the sanitizer"
	case debug.AtExit:
		b.Reason, b.Description = "exit", "Stopped before the last instruction of the run"
	case debug.AtLaunch:
		b.Reason, b.Description = "function breakpoint", "Stopped where a launch begins: "+h.Text
	case debug.AtGoto:
		b.Reason, b.Description = "goto", "Goes on here"
	}
	for _, p := range h.Points {
		b.HitBreakpointIds = append(b.HitBreakpointIds, p.ID)
	}
	for _, f := range h.Failed {
		b.Text = strings.TrimPrefix(b.Text+"; "+f.Error(), "; ")
		s.say("console", fmt.Sprintf("breakpoint %d: %v", f.Point.ID, f))
	}
	s.event("stopped", &dap.StoppedEvent{Body: b})
}

// kindOf returns the reason of a stop at breakpoints.
func (s *session) kindOf(h *debug.Halt) (reason, description string) {
	for _, p := range h.Points {
		switch {
		case p.Name != "":
			return "function breakpoint", "Stopped at " + p.Name
		case p.Code != nil && p.Path == "":
			return "instruction breakpoint", "Stopped at an instruction"
		}
	}
	return "breakpoint", "Stopped at a breakpoint"
}

// forget invalidates the references that clients got at a stop.
func (s *session) forget() { s.views = views{} }

// goes executes the order of a request that continues the run, after its answer is sent.
func (s *session) goes(order func()) {
	s.after = func() {
		s.fresh = false
		s.forget()
		order()
	}
}

func (s *session) configurationDone(*dap.ConfigurationDoneRequest) (dap.ResponseMessage, error) {
	if !s.fresh {
		return nil, errors.New("configurationDone: the run has gone on before")
	}
	s.after = func() {
		if s.launch.StopOnEntry {
			s.fresh = false
			s.stopped(s.run.Halted())
			return
		}
		s.letGo()
	}
	return &dap.ConfigurationDoneResponse{}, nil
}

func (s *session) goOn(*dap.ContinueRequest) (dap.ResponseMessage, error) {
	order := s.run.Continue
	if s.fresh {
		order = s.run.Begin
	}
	s.goes(order)
	return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, nil
}

func (s *session) next(m *dap.NextRequest) (dap.ResponseMessage, error) {
	return &dap.NextResponse{}, s.step(m.Arguments.ThreadId, debug.OverCalls, m.Arguments.Granularity)
}

func (s *session) stepIn(m *dap.StepInRequest) (dap.ResponseMessage, error) {
	return &dap.StepInResponse{}, s.step(m.Arguments.ThreadId, debug.Into, m.Arguments.Granularity)
}

func (s *session) stepOut(m *dap.StepOutRequest) (dap.ResponseMessage, error) {
	return &dap.StepOutResponse{}, s.step(m.Arguments.ThreadId, debug.OutOf, m.Arguments.Granularity)
}

func (s *session) stepBack(m *dap.StepBackRequest) (dap.ResponseMessage, error) {
	w, _, err := s.threadAt(m.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	line := m.Arguments.Granularity != "instruction"
	s.goes(func() { s.run.Back(w, line) })
	return &dap.StepBackResponse{}, nil
}

func (s *session) reverseContinue(*dap.ReverseContinueRequest) (dap.ResponseMessage, error) {
	s.goes(s.run.ReverseContinue)
	return &dap.ReverseContinueResponse{}, nil
}

// step lets a wave make a step.
func (s *session) step(thread int, way debug.Way, granularity dap.SteppingGranularity) error {
	w, _, err := s.threadAt(thread)
	if err != nil {
		return err
	}
	s.goes(func() { s.run.Step(w, way, granularity != "instruction") })
	return nil
}

func (s *session) pause(*dap.PauseRequest) (dap.ResponseMessage, error) {
	if s.run.Halted() == nil {
		s.run.Pause()
	}
	return &dap.PauseResponse{}, nil
}

// quit ends the run and ignores its further events.
func (s *session) quit() {
	run := s.run
	s.run = nil
	run.Quit()
	if s.program != nil {
		s.program.Leave()
	}
}

func (s *session) restart(m *dap.RestartRequest) (dap.ResponseMessage, error) {
	if s.program != nil {
		return nil, errors.New("restart: the program was not begun here: end it, and begin it again")
	}
	l := s.launch
	if len(m.Arguments) > 0 {
		var a struct{ Arguments json.RawMessage }
		if err := json.Unmarshal(m.Arguments, &a); err != nil {
			return nil, fmt.Errorf("restart: %w", err)
		}
		if len(a.Arguments) > 0 && string(a.Arguments) != "null" {
			other, err := parseLaunch(a.Arguments, false)
			if err != nil {
				return nil, fmt.Errorf("restart: %w", err)
			}
			l = other
		}
	}
	if s.run != nil {
		s.quit()
	}
	if err := s.start(l, l.StopOnEntry); err != nil {
		s.state, s.threads = over, nil
		s.after = func() { s.event("terminated", &dap.TerminatedEvent{}) }
		return nil, err
	}
	s.state = launched
	return &dap.RestartResponse{}, nil
}

func (s *session) terminate(*dap.TerminateRequest) (dap.ResponseMessage, error) {
	if s.state == over {
		return nil, errors.New("terminate: the run is over")
	}
	s.after = func() {
		s.quit()
		if s.program != nil {
			s.program.Stop()
		}
		s.state, s.threads = over, nil
		s.forget()
		s.event("terminated", &dap.TerminatedEvent{})
	}
	return &dap.TerminateResponse{}, nil
}

func (s *session) disconnect(m *dap.DisconnectRequest) (dap.ResponseMessage, error) {
	s.after = func() {
		if s.run != nil {
			s.quit()
		}
		if s.program != nil && m.Arguments != nil && m.Arguments.TerminateDebuggee {
			s.program.Stop()
		}
		s.leaves = true
	}
	return &dap.DisconnectResponse{}, nil
}

func (s *session) setExceptionBreakpoints(m *dap.SetExceptionBreakpointsRequest) (dap.ResponseMessage, error) {
	on := map[string]bool{}
	for _, f := range m.Arguments.Filters {
		if f != faultFilter && f != launchFilter {
			return nil, fmt.Errorf("setExceptionBreakpoints: no filter %q; there are %s and %s", f, faultFilter, launchFilter)
		}
		on[f] = true
	}
	s.points.filters = on
	if s.run != nil {
		s.filter(s.run)
	}
	return &dap.SetExceptionBreakpointsResponse{}, nil
}

// filter makes a run stop at what the filters say.
func (s *session) filter(run *debug.Session) {
	run.StopFaults(s.points.filters[faultFilter] && !s.launch.NoDebug)
	run.StopLaunches(s.points.filters[launchFilter] && !s.launch.NoDebug)
}

func (s *session) exceptionInfo(*dap.ExceptionInfoRequest) (dap.ResponseMessage, error) {
	h := s.run.Halted()
	if h.Fault == nil {
		return nil, errors.New("exceptionInfo: the run has not stopped at a fault")
	}
	f := h.Fault
	trace := fmt.Sprintf("%s\nwave %d of group (%d,%d,%d)", f.Error(), f.Wave, f.Group[0], f.Group[1], f.Group[2])
	return &dap.ExceptionInfoResponse{Body: dap.ExceptionInfoResponseBody{ExceptionId: faultName(f.Kind), Description: f.Reason(), BreakMode: "always",
		Details: &dap.ExceptionDetails{Message: f.Reason(), TypeName: faultName(f.Kind), FullTypeName: faultName(f.Kind), StackTrace: trace}}}, nil
}

// faultName returns a kind of fault in a word or two.
func faultName(k exec.FaultKind) string {
	names := [...]string{exec.FaultMemory: "memory access", exec.FaultTrap: "trap", exec.FaultRange: "register index", exec.FaultCode: "no code",
		exec.FaultControl: "control step", exec.FaultLimit: "step limit", exec.FaultStopped: "stopped", exec.FaultBarrier: "barrier", exec.FaultHandle: "handle"}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return fmt.Sprintf("fault %d", k)
}
