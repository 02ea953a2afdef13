package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// writeJSON writes v with indentation.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(quietJSON(b.Bytes()))
	return err
}

// oneLine returns v as JSON on one line, without a line end.
func oneLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return quietJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

// A jsonHead is the head of the output of dis --json, before the instructions.
type jsonHead struct {
	File    string       `json:"file,omitempty"` // for one of several files
	ISA     string       `json:"isa"`
	Kernel  string       `json:"kernel,omitempty"` // for a CUDA file with several, each from address 0 on
	Guess   string       `json:"guess,omitempty"`  // for a guess of the set, how sure it is
	Object  string       `json:"object,omitempty"` // target of a code object, as gfx803
	Version int          `json:"version,omitempty"`
	Kernels []jsonKernel `json:"kernels,omitempty"`
}

type jsonKernel struct {
	Name  string `json:"name"`
	Entry uint64 `json:"entry"`
	Size  uint64 `json:"size"`
	VGPRs int    `json:"vgprs"`
	SGPRs int    `json:"sgprs"`
	LDS   uint32 `json:"lds"`     // bytes a group
	Stack uint32 `json:"scratch"` // bytes a lane
}

// A jsonInst is an instruction, or bytes that do not decode.
type jsonInst struct {
	Addr   uint64   `json:"addr"`
	Hex    string   `json:"hex"` // in memory order
	Labels []string `json:"labels,omitempty"`
	From   []uint64 `json:"from,omitempty"` // addresses of branches to it
	Text   string   `json:"text,omitempty"`
	Target *uint64  `json:"target,omitempty"` // target of a branch, direct or computed
	Symbol string   `json:"symbol,omitempty"` // symbol of the target, as name+0x8
	// The position in the source, if the file has line tables.
	SourceFile string `json:"source_file,omitempty"`
	SourcePath string `json:"source_path,omitempty"`
	SourceLine int    `json:"source_line,omitempty"`
	SourceCol  int    `json:"source_col,omitempty"`
	Error      string `json:"error,omitempty"`
	Code       string `json:"code,omitempty"` // of the error
}

// A jsonListing writes the instructions of dis --json one by one, one line each, because a program may not fit in
// memory.
type jsonListing struct {
	a       *app
	labels  map[uint64][]string
	symbols asm.Symbols
	refs    []asm.Link // by target
	calls   map[uint64]uint64
	places  loc.Lookup // nil: no instruction has a source position
	some    bool       // an instruction was written before

	text, line []byte // room
}

// append appends the instruction as oneLine writes it. There may be millions.
func (i *jsonInst) append(dst []byte) []byte {
	dst = strconv.AppendUint(append(dst, `{"addr":`...), i.Addr, 10)
	dst = appendJSON(append(dst, `,"hex":`...), i.Hex)
	for n, label := range i.Labels {
		dst = appendJSON(append(dst, first(n, `,"labels":[`)...), label)
	}
	if len(i.Labels) > 0 {
		dst = append(dst, ']')
	}
	for n, from := range i.From {
		dst = strconv.AppendUint(append(dst, first(n, `,"from":[`)...), from, 10)
	}
	if len(i.From) > 0 {
		dst = append(dst, ']')
	}
	text := func(name, s string) {
		if s != "" {
			dst = appendJSON(append(dst, name...), s)
		}
	}
	number := func(name string, v int) {
		if v != 0 {
			dst = strconv.AppendInt(append(dst, name...), int64(v), 10)
		}
	}
	text(`,"text":`, i.Text)
	if i.Target != nil {
		dst = strconv.AppendUint(append(dst, `,"target":`...), *i.Target, 10)
	}
	text(`,"symbol":`, i.Symbol)
	text(`,"source_file":`, i.SourceFile)
	text(`,"source_path":`, i.SourcePath)
	number(`,"source_line":`, i.SourceLine)
	number(`,"source_col":`, i.SourceCol)
	text(`,"error":`, i.Error)
	text(`,"code":`, i.Code)
	return append(dst, '}')
}

// first returns what precedes an element of a list: begin, or a comma.
func first(n int, begin string) string {
	if n == 0 {
		return begin
	}
	return ","
}

// appendJSON appends a string as oneLine writes it.
func appendJSON(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			text, err := oneLine(s)
			if err != nil {
				panic(err) // a string can be encoded
			}
			return append(dst, text...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// begin writes the head.
func (l *jsonListing) begin(h jsonHead) error {
	text, err := oneLine(h)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.a.out, "%s,\"code\":[", text[:len(text)-1])
	return err
}

func (l *jsonListing) end() error {
	_, err := l.a.out.WriteString("\n]}\n")
	return err
}

// add writes the instructions of code between two offsets; the code is at base.
func (l *jsonListing) add(t *isa.Target, code []byte, base uint64, from, to int) error {
	var b isa.Bundle
	for off := from; off < to; {
		i := jsonInst{Addr: base + uint64(off), Labels: l.labels[base+uint64(off)]}
		n := min(t.Unit, len(code)-off)
		if err := t.DecodeBundle(code[off:], i.Addr, &b); err != nil {
			e := isa.AsError(err)
			i.Error, i.Code = e.Msg, e.Code
		} else {
			l.text = t.Print(l.text[:0], &b)
			n, i.Text = b.Size(), string(l.text)
			l.goal(t, &b, &i)
		}
		i.From = l.from(i.Addr)
		if l.places != nil {
			p := l.places(i.Addr)
			i.SourceFile, i.SourcePath, i.SourceLine, i.SourceCol = p.File, p.Path, p.Line, p.Col
		}
		i.Hex = hex.EncodeToString(code[off : off+n])
		l.line = l.line[:0]
		if l.some {
			l.line = append(l.line, ',')
		}
		l.line, l.some = i.append(append(l.line, '\n')), true
		if _, err := l.a.out.Write(l.line); err != nil {
			return err
		}
		off += n
	}
	return nil
}

// goal fills in the target of the instruction.
func (l *jsonListing) goal(t *isa.Target, b *isa.Bundle, i *jsonInst) {
	for p := 0; t.Branch != nil && i.Target == nil && p < len(b.Parts); p++ {
		if to, ok := t.Branch(b, p); ok {
			i.Target = &to
		}
	}
	if to, ok := l.calls[i.Addr]; ok && i.Target == nil {
		i.Target = &to
	}
	if i.Target != nil {
		i.Symbol = l.symbols.Within(*i.Target)
	}
}

// from returns the addresses of the branches to an address.
func (l *jsonListing) from(addr uint64) (list []uint64) {
	for _, r := range asm.LinksTo(l.refs, addr) {
		list = append(list, r.From)
	}
	return list
}

// headOf returns the head for a code object.
func headOf(t *isa.Target, o *object.CodeObject) jsonHead {
	h := jsonHead{ISA: t.String(), Object: o.Target, Version: o.Version}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		d := &k.Descriptor
		h.Kernels = append(h.Kernels, jsonKernel{k.Name, k.Entry, k.CodeSize, d.VGPRs(), d.SGPRs(), d.GroupSize, d.PrivateSize})
	}
	return h
}

// json is dis --json.
func (c *disCmd) json(p *disassembly, h jsonHead) error {
	l := &jsonListing{a: p.a, labels: map[uint64][]string{}, symbols: asm.NewSymbols(p.Symbols), places: p.places}
	for _, s := range p.Symbols {
		l.labels[s.Addr] = append(l.labels[s.Addr], s.Name)
	}
	if err := l.begin(h); err != nil {
		return err
	}
	for _, s := range p.Pieces {
		parts, asked := p.within(s)
		if !asked {
			continue
		}
		if len(parts) == 0 {
			parts = []asm.Range{{From: s.Base, To: s.End()}}
		}
		l.calls = p.Calls(s)
		l.refs = asm.Links(p.Target, s.Code, s.Base, l.calls)
		for _, r := range parts {
			if err := l.add(p.Target, s.Code, s.Base, int(max(r.From, s.Base)-s.Base), int(min(r.To, s.End())-s.Base)); err != nil {
				return err
			}
		}
	}
	return l.end()
}

// A jsonAssembly is the output of asm --json.
type jsonAssembly struct {
	ISA    string         `json:"isa"`
	Base   uint64         `json:"base"`
	Bytes  int            `json:"bytes"`
	Labels []jsonLabel    `json:"labels"`
	Lines  []jsonCodeLine `json:"lines"`
	Errors []jsonError    `json:"errors"`
}

type jsonLabel struct {
	Name string `json:"name"`
	Addr uint64 `json:"addr"`
}

type jsonCodeLine struct {
	Line int    `json:"line"`
	Addr uint64 `json:"addr"`
	Hex  string `json:"hex"`
}

type jsonError struct {
	File string `json:"file,omitempty"` // of a source: the included file that the error is in
	Line int    `json:"line"`
	Col  int    `json:"col"` // in bytes, from 1
	Code string `json:"code"`
	Msg  string `json:"msg"`
	Hint string `json:"hint,omitempty"`
	Ref  string `json:"ref,omitempty"` // where the broken rule is described
	Note string `json:"note,omitempty"`
}

func jsonErrors(errs []*isa.Error) []jsonError {
	list := []jsonError{}
	for _, e := range errs {
		list = append(list, jsonError{"", e.Line, e.Col, e.Code, e.Msg, e.Hint, e.Ref, e.Note})
	}
	return list
}

// assemblyJSON returns a file's assembly, or its errors, for output.
func assemblyJSON(t *isa.Target, r *asm.Assembly, errs []*isa.Error) jsonAssembly {
	j := jsonAssembly{ISA: t.String(), Labels: []jsonLabel{}, Lines: []jsonCodeLine{}, Errors: jsonErrors(errs)}
	if r == nil || len(errs) > 0 {
		return j
	}
	j.ISA, j.Base, j.Bytes = r.Target.String(), r.Base, len(r.Code)
	for _, y := range r.Labels {
		j.Labels = append(j.Labels, jsonLabel{y.Name, y.Addr})
	}
	for i, l := range r.Lines {
		if code := codeOf(r, i); len(code) > 0 {
			j.Lines = append(j.Lines, jsonCodeLine{int(l.Line), r.Base + uint64(l.Off), fmt.Sprintf("%x", code)})
		}
	}
	return j
}
