package dap

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
)

// points are the breakpoints of a session in sets: each request replaces one set.
type points struct {
	filters map[string]bool // of exceptions, that are on
	sets    map[string][]*debug.Point
	watches map[string]*debug.Watch // by data ID
}

// The sets other than those of sources.
const (
	functionSet    = "\x00functions"
	instructionSet = "\x00instructions"
	dataSet        = "\x00data"
	listingSet     = "\x00listing " // and the number of the code
)

func (p *points) init() {
	p.filters, p.sets, p.watches = map[string]bool{faultFilter: true}, map[string][]*debug.Point{}, map[string]*debug.Watch{}
}

// all returns the points of all sets.
func (p *points) all() (list []*debug.Point) {
	keys := make([]string, 0, len(p.sets))
	for k := range p.sets {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		list = append(list, p.sets[k]...)
	}
	return list
}

// renew makes the points of an earlier run again for another session. Those in code or waves of that run are left
// out.
func (p *points) renew(to *debug.Session) (lost []int) {
	for key, list := range p.sets {
		var kept []*debug.Point
		for _, old := range list {
			if old.Code != nil || old.Watch != nil {
				lost = append(lost, old.ID)
				continue
			}
			n := to.NewPoint(old.Spec)
			n.ID = old.ID
			kept = append(kept, n)
		}
		p.sets[key] = kept
	}
	clear(p.watches)
	to.Number(p.all())
	to.SetPoints(p.all())
	return lost
}

// maxPoints limits the breakpoints of one request.
const maxPoints = 1 << 12

// set replaces the breakpoints of a set. One that was there before keeps its count.
func (s *session) set(key string, specs []debug.Spec) ([]dap.Breakpoint, error) {
	if len(specs) > maxPoints {
		return nil, fmt.Errorf("%d breakpoints; the limit is %d", len(specs), maxPoints)
	}
	list := []dap.Breakpoint{}
	if s.run == nil {
		return list, errors.New("there is no run")
	}
	before := s.points.sets[key]
	var made []*debug.Point
	for _, spec := range specs {
		i := slices.IndexFunc(before, func(p *debug.Point) bool { return reflect.DeepEqual(p.Spec, spec) })
		if i >= 0 {
			made = append(made, before[i])
			before = slices.Delete(slices.Clone(before), i, i+1)
			continue
		}
		made = append(made, s.run.NewPoint(spec))
	}
	s.points.sets[key] = made
	if !s.launch.NoDebug {
		s.run.SetPoints(s.points.all())
	}
	for _, p := range made {
		list = append(list, s.breakpoint(p))
	}
	return list, nil
}

// breakpoint returns a point as clients see it.
func (s *session) breakpoint(p *debug.Point) dap.Breakpoint {
	b := dap.Breakpoint{Id: p.ID, Verified: p.Verified, Message: p.Message}
	if p.At == nil {
		if p.Line > 0 {
			b.Line = s.line(p.Line)
		}
		return b
	}
	b.InstructionReference = reference(p.At, p.PC)
	b.Source, b.Line = s.sourceAt(p.At, p.PC)
	if p.Path != "" {
		b.Line = s.line(p.Actual)
	}
	return b
}

func (s *session) setBreakpoints(m *dap.SetBreakpointsRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	if a.Source.SourceReference != 0 {
		return s.setInListing(a)
	}
	if a.Source.Path == "" {
		return nil, errors.New("setBreakpoints: the source has no path")
	}
	if len(a.Breakpoints) == 0 {
		for _, line := range a.Lines { // the form of older clients
			a.Breakpoints = append(a.Breakpoints, dap.SourceBreakpoint{Line: line})
		}
	}
	var specs []debug.Spec
	for _, b := range a.Breakpoints {
		specs = append(specs, debug.Spec{Path: a.Source.Path, Line: s.fromClient(b.Line), If: b.Condition, Hit: b.HitCondition, Log: b.LogMessage})
	}
	list, err := s.set(a.Source.Path, specs)
	return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: list}}, err
}

// setInListing sets breakpoints at lines of a listing.
func (s *session) setInListing(a *dap.SetBreakpointsArguments) (dap.ResponseMessage, error) {
	c, err := s.listingOf(a.Source.SourceReference)
	if err != nil {
		return nil, fmt.Errorf("setBreakpoints: %w", err)
	}
	_, at := c.Listing()
	var specs []debug.Spec
	for _, b := range a.Breakpoints {
		spec := debug.Spec{Code: c, Path: "listing", If: b.Condition, Hit: b.HitCondition, Log: b.LogMessage}
		if i := s.fromClient(b.Line) - 1; i >= 0 && i < len(at) {
			spec.PCs = []uint64{c.Insts()[at[i]].PC}
		}
		specs = append(specs, spec)
	}
	list, err := s.set(fmt.Sprint(listingSet, c.ID), specs)
	for i := range list {
		if list[i].Verified {
			list[i].Source, list[i].Line = s.inListing(c, specs[i].PCs[0])
		}
	}
	return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: list}}, err
}

func (s *session) setFunctionBreakpoints(m *dap.SetFunctionBreakpointsRequest) (dap.ResponseMessage, error) {
	var specs []debug.Spec
	for _, b := range m.Arguments.Breakpoints {
		if b.Name == "" {
			b.Name = " " // its error will be reported
		}
		specs = append(specs, debug.Spec{Name: b.Name, If: b.Condition, Hit: b.HitCondition})
	}
	list, err := s.set(functionSet, specs)
	return &dap.SetFunctionBreakpointsResponse{Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: list}}, err
}

func (s *session) setInstructionBreakpoints(m *dap.SetInstructionBreakpointsRequest) (dap.ResponseMessage, error) {
	var specs []debug.Spec
	wrong := map[int]error{}
	for i, b := range m.Arguments.Breakpoints {
		c, pc, err := s.instruction(b.InstructionReference, b.Offset)
		if err != nil {
			wrong[i] = err
			continue
		}
		specs = append(specs, debug.Spec{Code: c, PCs: []uint64{pc}, If: b.Condition, Hit: b.HitCondition})
	}
	list, err := s.set(instructionSet, specs)
	for i := range m.Arguments.Breakpoints {
		if e := wrong[i]; e != nil && err == nil {
			list = slices.Insert(list, i, dap.Breakpoint{Message: e.Error()})
		}
	}
	return &dap.SetInstructionBreakpointsResponse{Body: dap.SetInstructionBreakpointsResponseBody{Breakpoints: list}}, err
}

func (s *session) setDataBreakpoints(m *dap.SetDataBreakpointsRequest) (dap.ResponseMessage, error) {
	var specs []debug.Spec
	wrong := map[int]string{}
	for i, b := range m.Arguments.Breakpoints {
		w := s.points.watches[b.DataId]
		switch {
		case w == nil:
			wrong[i] = fmt.Sprintf("no data ID %q; dataBreakpointInfo gives them", b.DataId)
		default:
			c := *w
			on, ok := map[dap.DataBreakpointAccessType]debug.Access{"": debug.Changes, "write": debug.Changes, "read": debug.Reads, "readWrite": debug.Uses}[b.AccessType]
			if !ok {
				wrong[i] = fmt.Sprintf("access type %s is not known; want read, write or readWrite", b.AccessType)
				continue
			}
			c.On, w = on, &c
			specs = append(specs, debug.Spec{Watch: w, If: b.Condition, Hit: b.HitCondition})
		}
	}
	list, err := s.set(dataSet, specs)
	for i := range m.Arguments.Breakpoints {
		if text, is := wrong[i]; is && err == nil {
			list = slices.Insert(list, i, dap.Breakpoint{Message: text})
		}
	}
	return &dap.SetDataBreakpointsResponse{Body: dap.SetDataBreakpointsResponseBody{Breakpoints: list}}, err
}

func (s *session) dataBreakpointInfo(m *dap.DataBreakpointInfoRequest) (dap.ResponseMessage, error) {
	r := &dap.DataBreakpointInfoResponse{}
	w, err := s.watchable(&m.Arguments)
	if err != nil {
		r.Body.Description = err.Error()
		return r, nil
	}
	id := fmt.Sprintf("%s of %s launch %d lane %d %v %d", w.Name, waveName(&w.Wave), w.Wave.Launch, w.Lane, w.Ref, w.Bytes)
	if len(s.points.watches) < maxPoints {
		s.points.watches[id] = w
	}
	what := w.Name
	if w.Bytes == 0 {
		what += " of " + waveName(&w.Wave)
		if w.Lane >= 0 {
			what += fmt.Sprintf(" in lane %d", w.Lane)
		}
	}
	r.Body = dap.DataBreakpointInfoResponseBody{DataId: id, Description: what, AccessTypes: []dap.DataBreakpointAccessType{"read", "write", "readWrite"}}
	return r, nil
}

// watchable returns what a client wants to watch.
func (s *session) watchable(a *dap.DataBreakpointInfoArguments) (*debug.Watch, error) {
	if a.VariablesReference != 0 {
		v, err := s.named(a.VariablesReference, a.Name)
		switch {
		case err != nil:
			return nil, err
		case v.watch == nil:
			return nil, fmt.Errorf("%s cannot be watched; registers and memory can", a.Name)
		}
		return v.watch, nil
	}
	at, err := s.scopeOf(a.FrameId)
	if err != nil {
		return nil, err
	}
	return at.ParseWatch(a.Name)
}

func (s *session) breakpointLocations(m *dap.BreakpointLocationsRequest) (dap.ResponseMessage, error) {
	list := []dap.BreakpointLocation{}
	if a := m.Arguments; a != nil {
		first, last := s.fromClient(a.Line), s.fromClient(max(a.Line, a.EndLine))
		for _, c := range s.codes() {
			for _, n := range c.Lines(a.Source.Path, first, last) {
				list = append(list, dap.BreakpointLocation{Line: s.line(n)})
			}
		}
	}
	return &dap.BreakpointLocationsResponse{Body: dap.BreakpointLocationsResponseBody{Breakpoints: list}}, nil
}
