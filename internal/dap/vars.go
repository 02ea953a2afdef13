package dap

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A holder is the contents of a variables reference: up to count items from start on; 0: all.
type holder func(start, count int) ([]item, error)

// An item is a variable, and what can be done with it.
type item struct {
	dap.Variable
	set   func(text string) error // nil: it cannot be set
	value func(hex bool) string   // nil: the text of the item
	watch *debug.Watch            // nil: it cannot be watched
}

// maxItems limits the variables of one answer.
const maxItems = 1 << 13

// refer stores a holder, and returns its number.
func (s *session) refer(h holder) int {
	s.holders = append(s.holders, h)
	return len(s.holders)
}

// itemsOf returns the items of a reference.
func (s *session) itemsOf(ref, start, count int) ([]item, error) {
	if ref < 1 || ref > len(s.holders) {
		return nil, fmt.Errorf("no variables of reference %d; scopes gives them, while the run is stopped", ref)
	}
	if start < 0 || count < 0 {
		return nil, fmt.Errorf("variables %d, %d of them", start, count)
	}
	return s.holders[ref-1](start, count)
}

// named returns the item of a name among those of a reference.
func (s *session) named(ref int, name string) (*item, error) {
	start, count := 0, 0
	if n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"), 10, 31); err == nil && strings.HasPrefix(name, "[") {
		start, count = int(n), 1 // there may be many
	}
	items, err := s.itemsOf(ref, start, count)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(items, func(v item) bool { return v.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no variable %q there", name)
	}
	return &items[i], nil
}

// window limits a number of things to those requested.
func window(all, start, count int) (from, to int) {
	from = min(start, all)
	if to = all; count > 0 {
		to = from + min(count, all-from)
	}
	return from, min(to, from+maxItems)
}

func (s *session) scopes(m *dap.ScopesRequest) (dap.ResponseMessage, error) {
	at, err := s.scopeOf(m.Arguments.FrameId)
	if err != nil || m.Arguments.FrameId == 0 {
		return nil, fmt.Errorf("scopes: no frame %d", m.Arguments.FrameId)
	}
	list := s.sourceScopes(at)
	hint := "locals"
	if len(list) > 0 {
		hint = ""
	}
	list = append(list, dap.Scope{Name: "Instruction", PresentationHint: hint, VariablesReference: s.refer(s.used(at))},
		dap.Scope{Name: "Wave", VariablesReference: s.refer(s.aboutWave(at))})
	files := at.Wave.State.Machine.Files
	for i := range files {
		f := &files[i]
		if f.Kind == ir.ExecMask {
			continue
		}
		list = append(list, dap.Scope{Name: fileName(f), PresentationHint: "registers", VariablesReference: s.refer(s.file(at, i)), IndexedVariables: f.Count, Expensive: f.Count > 64})
	}
	if at.Lane < 0 {
		list = append(list, dap.Scope{Name: "Lanes", VariablesReference: s.refer(s.lanes(at)), IndexedVariables: at.Wave.State.Lanes})
	}
	if s.run.Counting() {
		list = append(list, s.countScopes(at)...)
	}
	list = append(list, dap.Scope{Name: "Memory", VariablesReference: s.refer(s.memory(at))},
		dap.Scope{Name: "Counters", VariablesReference: s.refer(s.counters(at)), Expensive: true})
	return &dap.ScopesResponse{Body: dap.ScopesResponseBody{Scopes: list}}, nil
}

// fileName returns a register file in words.
func fileName(f *ir.File) string {
	kinds := [...]string{ir.Lane32: "Vector registers", ir.Wave32: "Scalar registers", ir.Lane1: "Predicates", ir.Wave1: "Flags"}
	return fmt.Sprintf("%s (%s)", kinds[f.Kind], f.Name)
}

func (s *session) variables(m *dap.VariablesRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	items, err := s.itemsOf(a.VariablesReference, a.Start, a.Count)
	if err != nil {
		return nil, fmt.Errorf("variables: %w", err)
	}
	hex := s.hex(a.Format)
	list := []dap.Variable{}
	for i := range items {
		v := items[i].Variable
		if f := items[i].value; f != nil {
			v.Value = f(hex)
		}
		list = append(list, v)
	}
	return &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: list}}, nil
}

// hex reports whether numbers are hexadecimal.
func (s *session) hex(f *dap.ValueFormat) bool {
	if f != nil {
		return f.Hex
	}
	return s.launch.Hex
}

// register returns a register of a wave as an item. With a lane it is that lane's value.
func (s *session) register(at *debug.Scope, name string, cells []ir.Cell, lane int) item {
	st := at.Wave.State
	perLane := at.PerLane(cells)
	t := at.Code.TypeOf(cells, at.PC, st.At.Key.Mode)
	kind := st.Machine.Kind(cells[0])
	switch kind {
	case ir.Lane1, ir.Wave1:
		t = debug.Type{Type: ir.I1}
	case ir.ExecMask:
		t = debug.Type{Type: ir.I64}
	}
	v := item{Variable: dap.Variable{Name: name, Type: t.String()}}
	v.watch = &debug.Watch{Name: name, Wave: at.Wave.Key, Cells: cells, Lane: lane, Type: t}
	v.set = func(text string) error {
		if perLane && lane < 0 && kind == ir.Lane1 {
			n, err := at.ParseValue(text, debug.Type{Type: ir.I64})
			return s.setMask(at, name, cells[0], n.Bits, err)
		}
		n, err := at.ParseValue(text, t)
		if err != nil {
			return err
		}
		if t.Type == ir.F16 {
			return s.run.SetLow(at, name, cells, lane, n.Bits, 0xffff)
		}
		return s.run.SetRegister(at.Wave, name, cells, lane, n.Bits)
	}
	if _, err := at.Cells(name); err == nil {
		v.EvaluateName = name
		if perLane && lane >= 0 {
			v.EvaluateName = fmt.Sprintf("%s[%d]", name, lane)
		}
	}
	switch {
	case perLane && lane < 0 && kind == ir.Lane1:
		v.value = func(bool) string { return fmt.Sprintf("%#x", st.Mask(cells[0])) }
	case perLane && lane < 0:
		v.value = func(hex bool) string { return laneValues(at, cells, t, hex) }
	default:
		v.value = func(hex bool) string { return oneValue(at, cells, lane, t, hex) }
	}
	if perLane && lane < 0 {
		v.VariablesReference, v.IndexedVariables = s.refer(s.ofLanes(at, name, cells)), st.Lanes
	}
	return v
}

// setMask changes a register of one bit per lane in all lanes.
func (s *session) setMask(at *debug.Scope, name string, c ir.Cell, mask uint64, err error) error {
	for lane := 0; lane < at.Wave.State.Lanes && err == nil; lane++ {
		err = s.run.SetRegister(at.Wave, name, []ir.Cell{c}, lane, mask>>lane&1)
	}
	return err
}

// oneValue returns a register in one lane.
func oneValue(at *debug.Scope, cells []ir.Cell, lane int, t debug.Type, hex bool) string {
	v, err := at.Register(cells, max(lane, 0))
	if err != nil {
		return err.Error()
	}
	return v.As(t).Text(hex || at.Wave.State.Machine.Kind(cells[0]) == ir.ExecMask)
}

// shownLanes is how many lanes are shown of a register whose lanes differ.
const shownLanes = 4

// laneValues returns a register in all lanes.
func laneValues(at *debug.Scope, cells []ir.Cell, t debug.Type, hex bool) string {
	var list []string
	same := true
	for lane := range at.Wave.State.Lanes {
		list = append(list, oneValue(at, cells, lane, t, hex))
		same = same && list[lane] == list[0]
	}
	switch {
	case same:
		return list[0]
	case len(list) > shownLanes:
		return "[" + strings.Join(list[:shownLanes], ", ") + ", ...]"
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// ofLanes returns the lanes of a register.
func (s *session) ofLanes(at *debug.Scope, name string, cells []ir.Cell) holder {
	return func(start, count int) (list []item, err error) {
		from, to := window(at.Wave.State.Lanes, start, count)
		for lane := from; lane < to; lane++ {
			v := s.register(at, name, cells, lane)
			v.Name = fmt.Sprintf("[%d]", lane)
			list = append(list, v)
		}
		return list, nil
	}
}

// file returns the registers of a file.
func (s *session) file(at *debug.Scope, file int) holder {
	return func(start, count int) (list []item, err error) {
		from, to := window(at.Wave.State.Machine.Files[file].Count, start, count)
		for i := from; i < to; i++ {
			c := ir.Cell{File: uint8(file), Index: uint16(i)}
			list = append(list, s.register(at, at.Name(c), []ir.Cell{c}, at.Lane))
		}
		return list, nil
	}
}

// used returns the registers that the instruction names: what it reads, then what else it writes.
func (s *session) used(at *debug.Scope) holder {
	return func(start, count int) (list []item, err error) {
		for _, r := range at.Operands() {
			list = append(list, s.register(at, r.Name, r.Cells, at.Lane))
		}
		from, to := window(len(list), start, count)
		return list[from:to], nil
	}
}

// lanes returns the lanes of the wave, each with its state and registers.
func (s *session) lanes(at *debug.Scope) holder {
	return func(start, count int) (list []item, err error) {
		from, to := window(at.Wave.State.Lanes, start, count)
		for lane := from; lane < to; lane++ {
			list = append(list, item{Variable: dap.Variable{Name: fmt.Sprintf("lane %d", lane), Value: at.Wave.LaneState(lane),
				VariablesReference: s.refer(s.laneRegisters(at, lane))}})
		}
		return list, nil
	}
}

// laneRegisters returns the registers of a lane that the code uses.
func (s *session) laneRegisters(at *debug.Scope, lane int) holder {
	return func(start, count int) (list []item, err error) {
		for _, c := range at.Code.Used(at.Wave.State.At.Key.Mode) {
			if cells := []ir.Cell{c}; at.PerLane(cells) {
				list = append(list, s.register(at, at.Name(c), cells, lane))
			}
		}
		from, to := window(len(list), start, count)
		return list[from:to], nil
	}
}

// aboutWave returns the properties of the wave besides registers, and the execution mask.
func (s *session) aboutWave(at *debug.Scope) holder {
	return func(start, count int) (list []item, err error) {
		w, st := at.Wave, at.Wave.State
		say := func(name, evaluate, format string, args ...any) {
			list = append(list, item{Variable: dap.Variable{Name: name, Value: fmt.Sprintf(format, args...), EvaluateName: evaluate}})
		}
		say("pc", "pc", "%#x", at.Code.Place(at.PC).Addr)
		say("next", "", "%s", at.Code.Text(at.PC))
		if c, ok := st.Machine.Exec(); ok {
			list = append(list, s.register(at, st.Machine.Files[c.File].Name, []ir.Cell{c}, -1))
		} else {
			say("running", "running", "%#x (%d lanes)", st.Exec, bits.OnesCount64(st.Exec))
		}
		say("live", "live", "%#x (%d lanes)", st.Live, bits.OnesCount64(st.Live))
		say("kernel", "", "%s", w.Kernel)
		say("group", "", "(%d,%d,%d)", w.Group[0], w.Group[1], w.Group[2])
		say("wave", "wave", "%d", w.Wave)
		say("isa", "", "%s", st.Machine.Name)
		say("state", "", "%s", waveState(w))
		say("position", "position", "%d", at.Pos)
		for i := len(st.Stack) - 1; i >= 0; i-- {
			t := &st.Stack[i]
			say(fmt.Sprintf("stack[%d]", i), "", "%v, mask %#x, parked %#x, goes on at %#x", t.Kind, t.Mask, t.Parked, at.Code.Place(t.PC).Addr)
		}
		from, to := window(len(list), start, count)
		return list[from:to], nil
	}
}

func waveState(w *debug.Wave) string {
	if w.Waiting {
		return "waits at a barrier"
	}
	return "can run"
}

// counters returns the counters of the wave.
func (s *session) counters(at *debug.Scope) holder {
	return func(start, count int) (list []item, err error) {
		n := exec.Counters{}
		if at.Wave.Env != nil {
			n = at.Wave.Env.Count
		}
		add := func(name string, n uint64) {
			list = append(list, item{Variable: dap.Variable{Name: name, Value: fmt.Sprint(n)}})
		}
		add("instructions", n.Instructions)
		add("barriers", n.Barriers)
		for i, t := range n.Memory {
			if t == (exec.Traffic{}) {
				continue
			}
			space := ir.SpaceID(i).String()
			add(space+" bytes read", t.Read)
			add(space+" bytes written", t.Written)
			add(space+" atomics", t.Atomics)
		}
		from, to := window(len(list), start, count)
		return list[from:to], nil
	}
}

func (s *session) setVariable(m *dap.SetVariableRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	v, err := s.named(a.VariablesReference, a.Name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("setVariable: %w", err)
	case v.set == nil:
		return nil, fmt.Errorf("setVariable: %s cannot be changed", a.Name)
	}
	if err := v.set(a.Value); err != nil {
		return nil, fmt.Errorf("setVariable: %w", err)
	}
	r := &dap.SetVariableResponse{Body: dap.SetVariableResponseBody{Value: v.Value, Type: v.Type, VariablesReference: v.VariablesReference,
		IndexedVariables: v.IndexedVariables}}
	if f := v.value; f != nil {
		r.Body.Value = f(s.hex(a.Format))
	}
	s.invalid()
	return r, nil
}

// invalid tells a client that the values it shows may have changed.
func (s *session) invalid() {
	if s.client.invalidated {
		s.after = func() {
			s.event("invalidated", &dap.InvalidatedEvent{Body: dap.InvalidatedEventBody{Areas: []dap.InvalidatedAreas{"variables"}}})
		}
	}
}
