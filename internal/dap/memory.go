package dap

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/ir"
)

// memory returns the memory of a wave.
func (s *session) memory(at *debug.Scope) holder {
	return func(start, count int) (list []item, err error) {
		for _, g := range at.Segments() {
			name := fmt.Sprintf("%s %s", g.Space, g.Name)
			if g.Bank != 0 {
				name = fmt.Sprintf("%s.%d %s", g.Space, g.Bank, g.Name)
			}
			list = append(list, s.segment(at, name, g.Ref, g.Bytes))
		}
		if base, size := at.Private(); size > 0 {
			lane := max(at.Lane, 0)
			list = append(list, s.segment(at, fmt.Sprintf("private of lane %d", lane), debug.Ref{Space: ir.PrivateSpace, Lane: lane, Addr: base}, size))
		}
		from, to := window(len(list), start, count)
		return list[from:to], nil
	}
}

func (s *session) segment(at *debug.Scope, name string, r debug.Ref, size uint64) item {
	v := item{Variable: dap.Variable{Name: name, Value: fmt.Sprintf("%d bytes at %#x", size, r.Addr), MemoryReference: r.String(),
		VariablesReference: s.refer(s.words(at, r, size)), IndexedVariables: wordsOf(size)}}
	if size <= maxWatched {
		v.watch = &debug.Watch{Name: name, Wave: at.Wave.Key, Ref: r, Bytes: size, Type: debug.Type{Type: ir.I32}}
	}
	return v
}

// maxWatched limits the bytes of a watchpoint: they are compared after each instruction.
const maxWatched = 1 << 16

// wordsOf returns how many items size bytes are: words, and the bytes after the last one.
func wordsOf(size uint64) int { return int(size/4 + size%4) }

// words returns the words of memory, and the bytes after the last one.
func (s *session) words(at *debug.Scope, r debug.Ref, size uint64) holder {
	return func(start, count int) (list []item, err error) {
		from, to := window(wordsOf(size), start, count)
		for i := uint64(from); i < uint64(to); i++ {
			here, t := r, debug.Type{Type: ir.I32}
			here.Addr += 4 * i
			if whole := size / 4; i >= whole {
				here.Addr, t.Type = r.Addr+3*whole+i, ir.I8
			}
			v := s.place(at, here, t)
			v.Name = fmt.Sprintf("[%d]", i)
			list = append(list, v)
		}
		return list, nil
	}
}

// place returns a number in memory.
func (s *session) place(at *debug.Scope, r debug.Ref, t debug.Type) item {
	name := strings.Replace(r.String(), ":", "[", 1) + "]"
	if t != (debug.Type{Type: ir.I32}) {
		name = t.String() + "(" + name + ")"
	}
	v := item{Variable: dap.Variable{Name: name, Type: t.String(), MemoryReference: r.String()}}
	if r.Space != ir.PrivateSpace { // its lane cannot be part of an expression
		v.EvaluateName = name
	}
	size := uint64(t.Bits() / 8)
	v.value = func(hex bool) string {
		data, err := at.Read(r, size)
		if err != nil {
			return err.Error()
		}
		return debug.OfBytes(data, t).Text(hex)
	}
	v.set = func(text string) error {
		n, err := at.ParseValue(text, t)
		if err == nil {
			_, err = s.run.Write(r, n.Bytes())
		}
		return err
	}
	v.watch = &debug.Watch{Name: name, Wave: at.Wave.Key, Ref: r, Bytes: size, Type: t}
	return v
}

// maxRead limits the bytes of one answer.
const maxRead = 1 << 20

func (s *session) readMemory(m *dap.ReadMemoryRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	if a.Count < 0 || a.Count > maxRead {
		return nil, fmt.Errorf("readMemory: %d bytes; want 0 to %d", a.Count, maxRead)
	}
	r, data, err := s.bytes(a.MemoryReference, a.Offset, uint64(a.Count))
	if err != nil {
		return nil, fmt.Errorf("readMemory: %w", err)
	}
	b := dap.ReadMemoryResponseBody{Address: fmt.Sprintf("%#x", r.Addr), UnreadableBytes: a.Count - len(data), Data: base64.StdEncoding.EncodeToString(data)}
	return &dap.ReadMemoryResponse{Body: b}, nil
}

// bytes returns memory at a reference, empty if there is none.
func (s *session) bytes(ref string, offset int, n uint64) (debug.Ref, []byte, error) {
	r, err := debug.ParseRef(ref)
	if err != nil {
		return r, nil, err
	}
	r.Addr += uint64(offset)
	at, err := s.scopeOf(0)
	if err != nil {
		return r, nil, err
	}
	data, err := at.Read(r, n)
	if err != nil && offset == 0 && n > 0 {
		return r, nil, err
	}
	return r, data, nil
}

func (s *session) writeMemory(m *dap.WriteMemoryRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	data, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil {
		return nil, fmt.Errorf("writeMemory: data: %w", err)
	}
	if len(data) > maxRead {
		return nil, fmt.Errorf("writeMemory: %d bytes; want at most %d", len(data), maxRead)
	}
	r, there, err := s.bytes(a.MemoryReference, a.Offset, uint64(len(data)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("writeMemory: %w", err)
	case len(there) < len(data) && !a.AllowPartial:
		return nil, fmt.Errorf("writeMemory: only %d of %d bytes are there at %v", len(there), len(data), r)
	case len(there) == 0:
		return &dap.WriteMemoryResponse{}, nil
	}
	n, err := s.run.Write(r, data)
	if err != nil {
		return nil, fmt.Errorf("writeMemory: %w", err)
	}
	if s.client.memory {
		s.after = func() {
			s.event("memory", &dap.MemoryEvent{Body: dap.MemoryEventBody{MemoryReference: a.MemoryReference, Offset: a.Offset, Count: n}})
		}
	} else {
		s.invalid()
	}
	return &dap.WriteMemoryResponse{Body: dap.WriteMemoryResponseBody{BytesWritten: n}}, nil
}

// itemOf returns what an expression denotes; false: it is only a value.
func (s *session) itemOf(at *debug.Scope, e *debug.Expr) (item, bool) {
	if o, err := e.Object(at); o != nil && err == nil {
		return s.object(at, o, o.Name), true
	}
	if cells, lane, t, ok := e.Register(at); ok {
		v := s.register(at, at.BareName(e), cells, lane)
		if t == nil {
			return v, true
		}
	}
	if r, t, ok := e.Memory(at); ok {
		if _, err := at.Read(r, uint64(t.Bits()/8)); err == nil {
			return s.place(at, r, t), true
		}
	}
	return item{}, false
}

func (s *session) evaluate(m *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	at, err := s.scopeOf(a.FrameId)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	if of, is := strings.CutPrefix(a.Expression, "origin "); is {
		text, err := s.run.Origin(at, of)
		return &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: text}}, err
	}
	e, err := debug.Parse(a.Expression)
	if err != nil {
		return nil, err
	}
	hex := s.hex(a.Format)
	if v, ok := s.itemOf(at, e); ok {
		return &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: v.value(hex), Type: v.Type, VariablesReference: v.VariablesReference,
			IndexedVariables: v.IndexedVariables, MemoryReference: v.MemoryReference}}, nil
	}
	f := debug.Format(0)
	if hex {
		f = 'x'
	}
	one := *at
	one.Lane = at.LaneAtHand()
	shown, err := one.Show(e, f, 0, 0)
	if err != nil {
		return nil, err
	}
	return &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: shown.Text, Type: shown.Type}}, nil
}

func (s *session) setExpression(m *dap.SetExpressionRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	at, err := s.scopeOf(a.FrameId)
	if err != nil {
		return nil, fmt.Errorf("setExpression: %w", err)
	}
	e, err := debug.Parse(a.Expression)
	if err != nil {
		return nil, fmt.Errorf("setExpression: %w", err)
	}
	v, ok := s.itemOf(at, e)
	if !ok {
		return nil, fmt.Errorf("setExpression: %s is no register and no memory", a.Expression)
	}
	if err := v.set(a.Value); err != nil {
		return nil, fmt.Errorf("setExpression: %w", err)
	}
	s.invalid()
	return &dap.SetExpressionResponse{Body: dap.SetExpressionResponseBody{Value: v.value(s.hex(a.Format)), Type: v.Type}}, nil
}

func (s *session) completions(m *dap.CompletionsRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	at, err := s.scopeOf(a.FrameId)
	if err != nil {
		return nil, fmt.Errorf("completions: %w", err)
	}
	column := a.Column
	if !s.client.columns0 {
		column--
	}
	text := a.Text[:min(max(column, 0), len(a.Text))]
	word := text[strings.LastIndexAny(text, " \t()[]!<>=&|+-*/%^~,")+1:]
	list := []dap.CompletionItem{}
	for _, name := range at.Words() {
		if len(list) < 100 && strings.HasPrefix(name, word) {
			list = append(list, dap.CompletionItem{Label: name, Start: len(text) - len(word), Length: len(word)})
		}
	}
	return &dap.CompletionsResponse{Body: dap.CompletionsResponseBody{Targets: list}}, nil
}
