package dap

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
)

// views are the objects of a stop that clients have numbers for.
type views struct {
	frames  []*debug.Scope // by ID - 1
	holders []holder       // by reference - 1
}

// perLane reports whether each lane is a thread.
func (s *session) perLane() bool { return s.launch.Lanes == "threads" }

// laneBits is the position of a wave's number in that of a thread, if each lane is one.
const laneBits = 6

// threadOf returns the thread of a halt.
func (s *session) threadOf(h *debug.Halt) int {
	if !s.perLane() {
		return h.Wave.ID
	}
	lane := 0
	switch exec := h.Wave.State.Exec; {
	case h.Fault != nil && h.Fault.Lane >= 0:
		lane = h.Fault.Lane
	case exec != 0:
		lane = bits.TrailingZeros64(exec)
	}
	return h.Wave.ID<<laneBits | lane
}

// threadAt returns the wave of a thread, and its lane, negative for the whole wave.
func (s *session) threadAt(id int) (*debug.Wave, int, error) {
	lane := -1
	wave := id
	if s.perLane() {
		wave, lane = id>>laneBits, id&(1<<laneBits-1)
	}
	w := s.run.WaveOf(wave)
	if w == nil || lane >= w.State.Lanes {
		return nil, 0, fmt.Errorf("no thread %d; threads lists those there are", id)
	}
	return w, lane, nil
}

// waveName returns a wave in words.
func waveName(k *debug.Key) string {
	return fmt.Sprintf("wave %d of group (%d,%d,%d)", k.Wave, k.Group[0], k.Group[1], k.Group[2])
}

// keepThreads records the threads of a stop: clients ask for them also while the run continues.
func (s *session) keepThreads() {
	s.threads = []dap.Thread{}
	for _, w := range s.run.Waves() {
		name := waveName(&w.Key)
		if w.Kernel != "" {
			name += " in " + w.Kernel
		}
		if w.Waiting {
			name += ", at a barrier"
		}
		if !s.perLane() {
			s.threads = append(s.threads, dap.Thread{Id: w.ID, Name: name})
			continue
		}
		for lane := range w.State.Lanes {
			s.threads = append(s.threads, dap.Thread{Id: w.ID<<laneBits | lane, Name: fmt.Sprintf("lane %d of %s: %s", lane, name, w.LaneState(lane))})
		}
	}
}

func (s *session) threadsRequest(*dap.ThreadsRequest) (dap.ResponseMessage, error) {
	if s.run != nil && s.run.Halted() != nil {
		s.keepThreads()
	}
	list := s.threads
	if list == nil {
		list = []dap.Thread{}
	}
	return &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: list}}, nil
}

func (s *session) stackTrace(m *dap.StackTraceRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	w, lane, err := s.threadAt(a.ThreadId)
	if err != nil {
		return nil, fmt.Errorf("stackTrace: %w", err)
	}
	at := s.run.ScopeOf(w, lane)
	if lane >= 0 {
		if pc, waits := w.State.WaitsAt(lane); waits {
			at.PC = pc
		}
	}
	frames := at.Frames()
	r := &dap.StackTraceResponse{Body: dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}, TotalFrames: len(frames)}}
	from := min(max(a.StartFrame, 0), len(frames))
	to := len(frames)
	if a.Levels > 0 {
		to = min(to, from+a.Levels)
	}
	for i := range frames[from:to] {
		r.Body.StackFrames = append(r.Body.StackFrames, s.frame(&frames[from+i]))
	}
	return r, nil
}

// frame returns a call frame of a wave, or an inlined call there.
func (s *session) frame(f *debug.SourceFrame) dap.StackFrame {
	at := &f.Scope
	s.frames = append(s.frames, at)
	p := at.Code.Place(at.PC)
	name := f.Name
	if name == "" {
		name = p.Name()
	}
	if name == "" {
		name = fmt.Sprintf("%#x", p.Addr)
		if at.Wave.Kernel != "" {
			name = fmt.Sprintf("%s+%#x", at.Wave.Kernel, p.Addr)
		}
	}
	d := dap.StackFrame{Id: len(s.frames), Name: name, InstructionPointerReference: reference(at.Code, at.PC), ModuleId: at.Code.ID}
	if d.Source, d.Line = s.sourceAt(at.Code, at.PC); d.Source != nil {
		d.Column = s.column()
	}
	return d
}

// scopeOf returns a frame by its ID; 0 is where the run has stopped.
func (s *session) scopeOf(id int) (*debug.Scope, error) {
	if id == 0 {
		h := s.run.Halted()
		_, lane, err := s.threadAt(s.threadOf(h))
		if err != nil { // a draw's wave may belong to no workgroup
			lane = -1
		}
		return s.run.ScopeOf(h.Wave, lane), nil
	}
	if id < 1 || id > len(s.frames) {
		return nil, fmt.Errorf("no frame %d; stackTrace gives them, while the run is stopped", id)
	}
	return s.frames[id-1], nil
}

// A gotoPlace is an instruction at which a wave can be made to continue.
type gotoPlace struct {
	code *debug.Code
	pc   uint64
}

func (s *session) gotoTargets(m *dap.GotoTargetsRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	list := []dap.GotoTarget{}
	c := s.run.Halted().Code
	line := s.fromClient(a.Line)
	var pcs []uint64
	if ref := a.Source.SourceReference; ref != 0 {
		of, err := s.listingOf(ref)
		if err != nil {
			return nil, fmt.Errorf("gotoTargets: %w", err)
		}
		if _, at := of.Listing(); of == c && line >= 1 && line <= len(at) {
			pcs = []uint64{c.Insts()[at[line-1]].PC}
		}
	} else if found, at := c.Line(a.Source.Path, line); at == line {
		pcs = found
	}
	for _, pc := range pcs {
		s.gotos = append(s.gotos, gotoPlace{c, pc})
		list = append(list, dap.GotoTarget{Id: len(s.gotos), Label: c.Text(pc), Line: a.Line, InstructionPointerReference: reference(c, pc)})
	}
	return &dap.GotoTargetsResponse{Body: dap.GotoTargetsResponseBody{Targets: list}}, nil
}

func (s *session) goTo(m *dap.GotoRequest) (dap.ResponseMessage, error) {
	w, _, err := s.threadAt(m.Arguments.ThreadId)
	if err != nil {
		return nil, fmt.Errorf("goto: %w", err)
	}
	h := s.run.Halted()
	id := m.Arguments.TargetId
	switch {
	case id < 1 || id > len(s.gotos) || s.gotos[id-1].code != h.Code:
		return nil, fmt.Errorf("goto: no target %d; gotoTargets gives them", id)
	case w != h.Wave:
		return nil, errors.New("goto: it is another wave's turn")
	}
	if err := s.run.Goto(s.gotos[id-1].pc); err != nil {
		return nil, fmt.Errorf("goto: %w", err)
	}
	s.after = func() {
		s.forget()
		moved := *h
		moved.Reason, moved.Text, moved.Points = debug.AtGoto, "", nil
		s.stopped(&moved)
	}
	return &dap.GotoResponse{}, nil
}
