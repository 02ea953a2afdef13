package web

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The limits of a run.
const (
	mostText   = 64 << 10
	mostAssign = 512     // assignments
	mostMemory = 1 << 20 // bytes in all
	mostSteps  = 200_000 // instructions: seconds in a browser
)

// Evaluate is a request to run a few instructions on one wave.
type Evaluate struct {
	Target
	// Text is statements, separated by semicolons or line ends; hexadecimal digits are bytes of code.
	Text string `json:"text"`
	// State is the initial state, separated by blanks: v1=1.5,2 as heddle eval accepts it, and memory as
	// global:ADDRESS=hex:DIGITS, global:ADDRESS=zero:BYTES, or the same with group. A whole register overrides parts
	// of it that are given before.
	State string `json:"state,omitempty"`
	Lanes int    `json:"lanes,omitempty"` // active lanes, if the state does not say; 0: all
	Mode  string `json:"mode,omitempty"`  // the mode register, by fields; "": the default of programs of the set
}

// Evaluated is the result of a run.
type Evaluated struct {
	ISA         string        `json:"isa"`
	Program     []Instruction `json:"program"`
	Width       int           `json:"width"`  // lanes of a wave
	Active      string        `json:"active"` // the initially active lanes, as a mask
	Lanes       int           `json:"lanes"`  // their number
	Mode        string        `json:"mode,omitempty"`
	Inputs      []Register    `json:"inputs"`  // what the program reads, or the state gives
	Changes     []Register    `json:"changes"` // what is written, or has changed
	Memory      []Bytes       `json:"memory"`  // changed memory
	Notes       []string      `json:"notes"`   // what may be a mistake
	Fault       *Fault        `json:"fault,omitempty"`
	Steps       uint64        `json:"steps"`
	Unencodable bool          `json:"unencodable,omitempty"` // an instruction has no public encoding: there are no bytes
}

// An Instruction is one of a program.
type Instruction struct {
	Addr uint64   `json:"addr"`
	Hex  string   `json:"hex,omitempty"` // in memory order
	Text string   `json:"text"`
	Rows []string `json:"rows,omitempty"` // mnemonics of its parts, as in the reference
}

// A Register is a register before and after a run.
type Register struct {
	Name    string `json:"name"`
	Bits    int    `json:"bits"`
	PerLane bool   `json:"perLane"`
	Mask    bool   `json:"mask,omitempty"` // a bit for each lane
	Type    string `json:"type"`           // the type that the program uses, or the state gives
	Given   bool   `json:"given,omitempty"`
	List    bool   `json:"list,omitempty"` // a value for each lane
	Runs    []Run  `json:"runs"`
}

// A Run is consecutive lanes with the same value.
type Run struct {
	From    int    `json:"from"`
	To      int    `json:"to"`            // the last
	Was     string `json:"was,omitempty"` // of what is written
	WasText string `json:"wasText,omitempty"`
	Hex     string `json:"hex"`
	Text    string `json:"text"`
	Changed bool   `json:"changed,omitempty"`
}

// Bytes is changed memory.
type Bytes struct {
	Space string `json:"space"`
	Addr  string `json:"addr"`
	Was   string `json:"was"`
	Now   string `json:"now"`
}

// A Fault is why a run ended early.
type Fault struct {
	Message string `json:"message"`
	Addr    uint64 `json:"addr"` // of the instruction
	Lane    int    `json:"lane"` // -1: the wave
	// Memory is an assignment of memory that would make the access succeed; "": no memory would.
	Memory string `json:"memory,omitempty"`
}

// evaluate runs a program.
func evaluate(ctx context.Context, r *Evaluate) (any, error) {
	if len(r.Text) > mostText || len(r.State) > mostMemory*2+mostText {
		return nil, fmt.Errorf("a text of %d bytes with a state of %d; at most %d and %d can be run", len(r.Text), len(r.State), mostText, mostMemory*2+mostText)
	}
	t, err := r.find()
	if err != nil {
		return nil, err
	}
	p, errs := eval.Assemble(t, r.Text)
	if len(errs) > 0 {
		return nil, textErrors(errs)
	}
	if len(p.Code) == 0 {
		return nil, &Error{Message: "no instruction", Hint: "give its text, or its bytes as hexadecimal digits"}
	}
	set, err := setup(p, r)
	if err != nil {
		return nil, err
	}
	res, err := p.Run(ctx, *set)
	if res == nil {
		return nil, err
	}
	e := &Evaluated{ISA: p.Target.FullName(), Program: program(p), Width: p.Machine().Widths[0], Active: fmt.Sprintf("%#x", res.Active), Lanes: res.ActiveCount(),
		Inputs: inputs(p, res), Changes: changes(res), Memory: []Bytes{}, Notes: append([]string{}, res.Notes()...), Steps: res.Count.Instructions, Unencodable: p.Bundles != nil}
	if p.Machine().ModeMask != 0 {
		e.Mode = p.ModeText(res.Before.Mode())
	}
	for _, m := range res.Memory {
		space, _, _ := strings.Cut(m.Region, " ")
		e.Memory = append(e.Memory, Bytes{space, fmt.Sprintf("%#x", m.Addr), hex.EncodeToString(m.Was), hex.EncodeToString(m.Now)})
	}
	var f *exec.Fault
	if errors.As(err, &f) {
		e.Fault = &Fault{f.Reason(), f.PC, f.Lane, missing(f)}
	} else if err != nil {
		return nil, err
	}
	return e, nil
}

// setup returns the initial state.
func setup(p *eval.Program, r *Evaluate) (*eval.Setup, error) {
	set := &eval.Setup{Lanes: r.Lanes, Steps: mostSteps, Engine: engines.Fastest(engines.Use{Stepped: true})}
	if width := p.Machine().Widths[0]; r.Lanes < 0 || r.Lanes > width {
		return nil, fmt.Errorf("%d lanes; a wave of %s has %d", r.Lanes, p.Name, width)
	}
	words := stateWords(r.State)
	if len(words) > mostAssign {
		return nil, fmt.Errorf("%d assignments; at most %d", len(words), mostAssign)
	}
	left := mostMemory
	for _, word := range words {
		name, what, _ := strings.Cut(word, "=")
		if space, at, ok := strings.Cut(name, ":"); ok && (space == "global" || space == "group") {
			m, err := memory(space, at, what, left)
			if err != nil {
				return nil, &Error{Message: err.Error(), Register: name}
			}
			left -= len(m.Data)
			if slices.ContainsFunc(set.Memory, func(o eval.Region) bool { return o.Name == m.Name }) {
				m.Name = fmt.Sprintf("%s at %#x", space, m.Addr) // each has one of its own
			}
			set.Memory = append(set.Memory, m)
			continue
		}
		a, err := p.ParseAssign(word)
		if err != nil {
			return nil, &Error{Message: err.Error(), Register: strings.TrimSpace(name)}
		}
		set.Regs = append(without(p, set.Regs, &a), a)
	}
	if r.Mode != "" {
		mode, err := p.ParseMode(r.Mode, eval.StartMode(p.Target))
		if err != nil {
			return nil, &Error{Message: err.Error(), Register: "mode"}
		}
		set.Mode = &mode
	}
	return set, nil
}

// without removes assignments of other names that share bits with a later one: a whole register overrides its parts.
func without(p *eval.Program, as []eval.Assign, next *eval.Assign) []eval.Assign {
	cells := next.Reg.Places(p.Machine())
	return slices.DeleteFunc(as, func(a eval.Assign) bool {
		return a.Reg.Name != next.Reg.Name && slices.ContainsFunc(a.Reg.Places(p.Machine()), func(c ir.Cell) bool { return slices.Contains(cells, c) })
	})
}

// stateWords splits a state at blanks that are not in brackets.
func stateWords(state string) []string {
	depth := 0
	return strings.FieldsFunc(state, func(r rune) bool {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
		return depth <= 0 && unicode.IsSpace(r)
	})
}

// memory parses one assignment of memory.
func memory(space, at, what string, left int) (m eval.Region, err error) {
	m = eval.Region{Space: ir.GlobalSpace, Name: space}
	if space == "group" {
		m.Space = ir.GroupSpace
	}
	if m.Addr, err = strconv.ParseUint(at, 0, 64); err != nil {
		return m, fmt.Errorf("%q is no address", at)
	}
	kind, rest, _ := strings.Cut(what, ":")
	switch kind {
	case "zero":
		n, err := strconv.ParseUint(rest, 0, 64)
		if err != nil || n == 0 || n > uint64(left) {
			return m, fmt.Errorf("zero:%s: want a number of bytes, at most %d in all", rest, mostMemory)
		}
		m.Data = make([]byte, n)
	case "hex":
		data, ok := manual.Hex(rest)
		if !ok || len(data) > left {
			return m, fmt.Errorf("hex:…: want pairs of hexadecimal digits, at most %d bytes in all", mostMemory)
		}
		m.Data = data
	default:
		return m, fmt.Errorf("%q: want hex:DIGITS or zero:BYTES", what)
	}
	if m.Addr+uint64(len(m.Data)) < m.Addr {
		return m, fmt.Errorf("%d bytes do not lie from %#x on: addresses have 64 bits", len(m.Data), m.Addr)
	}
	return m, nil
}

// missing returns the assignment of memory that an access would need, if missing memory is the reason of the fault.
func missing(f *exec.Fault) string {
	const size = 256
	if f.Mem == nil || f.Mem.Align != 0 || f.Mem.Space != "global" && f.Mem.Space != "group" {
		return ""
	}
	at := f.Mem.Addr &^ (size - 1)
	if at > ^uint64(0)-2*size {
		return ""
	}
	return fmt.Sprintf("%s:%#x=zero:%d", f.Mem.Space, at, 2*size)
}

// program returns the instructions of a program.
func program(p *eval.Program) []Instruction {
	list, off := []Instruction{}, 0
	add := func(addr uint64, n int, rows []string) {
		in := Instruction{Addr: addr, Text: p.Text()[len(list)], Rows: rows}
		if p.Bundles == nil { // otherwise there are no bytes
			in.Hex = hex.EncodeToString(p.Code[off : off+n])
		}
		list, off = append(list, in), off+n
	}
	p.Each(func(b *isa.Bundle) { add(b.Addr(), b.Size(), rows(b)) }, func(data []byte) { add(uint64(off), len(data), nil) })
	return list
}

// rows returns the mnemonics of a bundle's parts.
func rows(b *isa.Bundle) (list []string) {
	for i := range b.Parts {
		if n := b.Parts[i].Def.Name; n != "" && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// inputs returns the registers that a program reads, and then the others that the state gives.
func inputs(p *eval.Program, res *eval.Result) []Register {
	list := []Register{}
	place := map[string]int{}
	add := func(in *eval.Input, given, each bool) {
		r := Register{Name: in.Reg.Name, Bits: in.Reg.Bits, PerLane: in.Reg.Lanes, Mask: in.Reg.Mask != eval.NoMask, Type: typeOf(in.Format, in.Reg.Bits), Given: given, List: each}
		values := in.Reg.Values(res.Before)
		if !each {
			values = values[:1]
		} else if n := res.Setup.Listed(); len(values) > n {
			values = values[:n]
		}
		y, _ := typed(r.Type)
		for lane, v := range values {
			r.Runs = append(r.Runs, Run{From: lane, To: lane, Hex: digits(r.Bits, v), Text: y.text(r.Bits, v)})
		}
		if at, is := place[r.Name]; is {
			list[at] = r
			return
		}
		place[r.Name] = len(list)
		list = append(list, r)
	}
	given := map[ir.Cell]bool{}
	for i := range res.Setup.Regs {
		for _, c := range res.Setup.Regs[i].Reg.Cells {
			given[c] = true
		}
	}
	for _, in := range p.Inputs() {
		for _, part := range p.Apart(&in, given) {
			add(&part, false, false)
		}
	}
	for i := range res.Setup.Regs {
		a := &res.Setup.Regs[i]
		for _, in := range p.Cells(a) {
			add(&in, true, a.List && in.Reg.Lanes)
		}
	}
	return list
}

// changes returns the registers that were written, by runs of active lanes.
func changes(res *eval.Result) []Register {
	list := []Register{}
	for i := range res.Changes {
		c := &res.Changes[i]
		r := Register{Name: c.Reg.Name, Bits: c.Reg.Bits, PerLane: len(c.Values) > 1, Type: typeOf(c.Format, c.Reg.Bits), Mask: isMask(c)}
		values, was := c.Values, c.Was
		if r.Bits == 1 && r.PerLane { // a mask with one bit per lane
			r.Bits, r.PerLane, r.Mask, r.Type = len(values), false, true, hexType
			values, was = []uint64{across(values)}, []uint64{across(was)}
		}
		y, _ := typed(r.Type)
		active := res.ChangedLanes(c)
		for lane := range values {
			if r.PerLane && active>>lane&1 == 0 {
				continue
			}
			run := Run{lane, lane, digits(r.Bits, was[lane]), y.text(r.Bits, was[lane]), digits(r.Bits, values[lane]), y.text(r.Bits, values[lane]), values[lane] != was[lane]}
			if last := len(r.Runs) - 1; last >= 0 && r.Runs[last].To == lane-1 && r.Runs[last].Hex == run.Hex && r.Runs[last].Was == run.Was {
				r.Runs[last].To = lane
				continue
			}
			r.Runs = append(r.Runs, run)
		}
		list = append(list, r)
	}
	return list
}

// isMask reports whether the bits of a register stand for lanes.
func isMask(c *eval.Change) bool {
	return c.Reg.Mask != eval.NoMask || len(c.Format) == 1 && c.Format[0].Kind == meaning.Mask && c.Reg.Bits > 1
}

// across returns the low bits of lanes as a mask.
func across(values []uint64) (mask uint64) {
	for lane, v := range values {
		mask |= v & 1 << lane
	}
	return mask
}

// Explain is a request for everything known about an instruction.
type Explain struct {
	Target
	Text string `json:"text"` // its text, its bytes, or a mnemonic
	Mode string `json:"mode,omitempty"`
}

// explain returns the pages of an instruction: one, or two if bytes decode in either order of their words.
func explain(_ context.Context, r *Explain) (any, error) {
	if len(r.Text) > mostText {
		return nil, fmt.Errorf("a text of %d bytes; an instruction has at most %d", len(r.Text), mostText)
	}
	t, err := r.find()
	if err != nil {
		return nil, err
	}
	mode := eval.StartMode(t)
	if r.Mode != "" {
		if mode, err = t.ParseMode(r.Mode, mode); err != nil {
			return nil, &Error{Message: err.Error(), Register: "mode"}
		}
	}
	pages, err := manual.Pages(t, r.Text, mode)
	if err != nil {
		return nil, err
	}
	return pages, nil
}
