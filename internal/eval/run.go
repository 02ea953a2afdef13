package eval

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// A Program is machine code to run, at address 0.
type Program struct {
	*isa.Target
	Code    []byte
	Bundles []isa.Bundle // the instructions, if one of them has no public encoding: Code has zeros in its place

	spelt []spelt

	// Made when they are first needed: a wave that runs once needs neither.
	listing  listing
	listOnce sync.Once
	study    study
	lookOnce sync.Once
}

// A listing is the text of a program.
type listing struct {
	text []string
	at   []uint64
}

// Text returns the program, one instruction per entry.
func (p *Program) Text() []string {
	p.listOnce.Do(p.list)
	return p.listing.text
}

// At returns the address of each entry of Text.
func (p *Program) At() []uint64 {
	p.listOnce.Do(p.list)
	return p.listing.at
}

func (p *Program) list() {
	l, next := &p.listing, uint64(0)
	p.Each(func(b *isa.Bundle) {
		l.text, l.at, next = append(l.text, string(p.Print(nil, b))), append(l.at, b.Addr()), b.Addr()+uint64(b.Size())
	}, func(data []byte) {
		l.text, l.at, next = append(l.text, fmt.Sprintf(".byte % x", data)), append(l.at, next), next+uint64(len(data))
	})
}

// Assemble reads statements separated by semicolons or line ends outside braces. A statement of hexadecimal digits is
// bytes of code in memory order. The errors are those of all statements.
func Assemble(t *isa.Target, src string) (*Program, []*isa.Error) {
	p, _, errs := AssembleAt(t, src, 0)
	return p, errs
}

// AssembleAt is Assemble for a program at an address, which a directive may change; base is the resulting address.
func AssembleAt(t *isa.Target, src string, at uint64) (p *Program, base uint64, errs []*isa.Error) {
	var lines []string
	hex, number := map[int32]string{}, int32(1) // line of the statement
	for _, line := range statements(src) {
		if code, ok := manual.Hex(line); ok && len(code) >= t.Unit {
			hex[number] = strings.TrimSpace(line)
			line = strings.Trim(strings.ReplaceAll(fmt.Sprintf(".byte % #x", code), " 0x", ", 0x"), ",")
			line = strings.Replace(line, ".byte, ", ".byte ", 1)
		}
		lines = append(lines, line)
		number += int32(1 + strings.Count(line, "\n"))
	}
	r, errs := assemble(t, lines, at)
	// After a semicolon digits are an instruction.
	if len(errs) > 0 || strings.Contains(src, "//") && asm.Columns([]byte(src)) {
		switch text, found, wrong := asm.Pasted(t, []byte(src)); {
		case wrong != nil:
			wrong.File = "eval"
			errs = []*isa.Error{wrong}
		case found && len(errs) > 0:
			clear(hex)
			r, errs = assemble(t, statements(string(text)), at)
		}
	}
	if len(errs) > 0 {
		return nil, 0, errs
	}
	p = &Program{Target: r.Target, Code: r.Code, Bundles: r.Bundles}
	for _, l := range r.Lines {
		p.spelt = append(p.spelt, spelt{l.Off, l.Line, hex[l.Line]})
	}
	return p, r.Base, nil
}

// Empty returns a program without instructions.
func Empty(t *isa.Target) *Program { return &Program{Target: t} }

// A spelt is the start of a statement's bytes.
type spelt struct {
	off  int
	line int32
	hex  string // its hexadecimal digits; "": another statement
}

// Instructions reports the first statement of hexadecimal digits that is no instruction, as an *isa.Error. Data must be
// written with directives.
func (p *Program) Instructions() (err error) {
	off := 0
	p.Each(func(b *isa.Bundle) { off += b.Size() }, func(data []byte) {
		i := sort.Search(len(p.spelt), func(i int) bool { return p.spelt[i].off > off }) - 1
		if at := off; err == nil && i >= 0 && p.spelt[i].hex != "" {
			var b isa.Bundle
			why := isa.AsError(p.DecodeBundle(p.Code[at:], uint64(at), &b))
			err = &isa.Error{Code: isa.ErrInvalid, File: "eval", Line: int(p.spelt[i].line), Col: 1, Off: uint64(at), Source: p.spelt[i].hex,
				Msg: fmt.Sprintf("%x is no instruction of %s: %s", data, p.Target, why.Msg), Hint: "data is written with .byte or .long"}
		}
		off += len(data)
	})
	return err
}

// assemble assembles statements. If short forms come in pairs, a single instruction without partner takes its long
// form. It does so even if that is written with words that the short form omits: add f32 becomes add rn f32.
func assemble(t *isa.Target, lines []string, base uint64) (*asm.Assembly, []*isa.Error) {
	opt := asm.Options{File: "eval", Base: base}
	r, errs := asm.AssembleToRun(t, []byte(strings.Join(lines, "\n")), opt)
	if len(errs) == 0 || !t.Pairs || len(lines) != 1 {
		return r, errs
	}
	s := isa.Scan{Target: t}
	text := s.LongForm(strings.TrimSpace(lines[0]))
	if text == "" {
		return nil, errs
	}
	long, bad := asm.AssembleToRun(t, []byte(text), opt)
	if len(bad) > 0 {
		return nil, errs
	}
	return long, nil
}

// statements splits a text into statements.
func statements(src string) []string {
	depth := 0
	return strings.FieldsFunc(src, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth <= 0 && (r == ';' || r == '\n')
	})
}

// A Setup is the state before the program runs.
type Setup struct {
	Regs   []Assign
	Lanes  int // active ones, if no assignment decides; 0: as many as the longest list has values, or all
	Memory []Region
	Mode   *uint32     // the mode register; nil: the default of the set
	Steps  uint64      // limit of instructions; 0: DefaultSteps
	Engine exec.Engine // nil: the fastest one for single steps
}

// DefaultSteps is the limit of instructions of a run.
const DefaultSteps = 1_000_000

// A Region is memory of the program.
type Region struct {
	Space ir.SpaceID // ir.GlobalSpace or ir.GroupSpace
	Name  string
	Addr  uint64
	Data  []byte
	// InPlace makes the program use Data itself, not a copy. Data must be aligned as Addr is (mem.Align).
	InPlace  bool
	ReadOnly bool // for the program
}

// A Result is what a program did.
type Result struct {
	Program *Program
	Setup   Setup
	Active  uint64 // lanes active at the start
	Before  *exec.State
	After   *exec.State
	Changes []Change // registers that were written, then others that changed
	Memory  []MemoryChange
	Count   exec.Counters
	Ran     []uint64 // how often each entry of Program.Text completed
	PC      uint64   // where the wave continues, has ended, or faulted
	// Outside reports that the wave has left the program: PC is past its end, and there is no code.
	Outside bool

	missed  []string // notes on accesses that were not made
	faulted bool     // at PC
}

// Run runs the program on one wave. A guest fault is returned as an *exec.Fault, together with a result that has the
// changes up to it.
func (p *Program) Run(ctx context.Context, set Setup) (*Result, error) {
	w, err := p.Start(ctx, set, engines.Use{Stepped: true})
	if err != nil {
		return nil, err
	}
	r := &Result{Program: p, Setup: set, Active: w.State.Exec, Before: w.State.Snapshot(), After: w.State}
	before := copies(w.Memory)
	l := newLog(r, w)
	_, err = w.advance(&Goal{text: true, ran: l.ran}, w.meter)
	w.rejoin()
	l.ended(err)
	r.Count = w.env.Count
	r.Changes = p.changes(r.Before, r.After, &set, l.written)
	r.Memory = changedMemory(w.Memory, before)
	return r, err
}

// Listed returns how many lanes have values of their own.
func (set *Setup) Listed() (n int) {
	for _, a := range set.Regs {
		if a.List {
			n = max(n, len(a.Values))
		}
	}
	return n
}

// lanes returns the number of active lanes.
func (set *Setup) lanes(width int) int {
	n := set.Listed()
	switch {
	case set.Lanes > 0:
		n = set.Lanes
	case n == 0:
		n = width
	}
	return min(n, width)
}

// spaces makes the memory of the program; it omits regions without data.
func spaces(env *exec.Env, regions []Region) ([]mem.Segment, error) {
	env.Spaces[ir.GlobalSpace] = []*mem.Space{{Name: "global"}}
	env.Spaces[ir.GroupSpace] = []*mem.Space{{Name: "group"}}
	var segs []mem.Segment
	for i, r := range regions {
		name := r.Name
		if name == "" {
			name = fmt.Sprintf("memory %d", i)
		}
		g := mem.SegmentOf(name, r.Addr, r.Data, r.ReadOnly, r.InPlace)
		if r.Space != ir.GlobalSpace && r.Space != ir.GroupSpace {
			return nil, fmt.Errorf("eval: memory in %s space", r.Space)
		}
		if err := env.Space(r.Space, 0).Add(g); err != nil {
			return nil, err
		}
		segs = append(segs, g)
	}
	return segs, nil
}

// Notes returns warnings of what may be unintended: integers where the program reads floats, accesses that were not
// made because of a limit in a register, modifiers without effect under the initial mode.
func (r *Result) Notes() (notes []string) {
	for i := range r.Setup.Regs {
		if note := r.Setup.Regs[i].Note; note != "" {
			notes = append(notes, note)
		}
	}
	notes = append(notes, r.missed...)
	p := r.Program
	p.Each(func(b *isa.Bundle) {
		for _, note := range manual.Idle(p.Target, b, r.Before.Mode()) {
			notes = append(notes, string(p.Print(nil, b))+": "+note)
		}
	}, nil)
	return notes
}
