// Package fidelity reports how exactly heddle runs instructions, with their numbers: those executed by a run, or those
// of a file. A row of the report is instructions of one row of the tables with the same fidelity.
package fidelity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/reference"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// The classes, best first.
const (
	Exact       = "exact"       // all bits are right
	Approximate = "approximate" // hardware may differ within a bound
	Modelled    = "modelled"    // an option selects semantics where sources are silent
	Unsupported = "unsupported" // it cannot run
)

func classes() []string { return []string{Exact, Approximate, Modelled, Unsupported} }

// A Report is the fidelity of instructions.
type Report struct {
	ISA     string  `json:"isa"`
	Counts  string  `json:"counts"` // what is counted: instructions per wave of a run, or instructions of a file
	Total   uint64  `json:"total"`
	Classes []Class `json:"classes"`
	Rows    []*Row  `json:"rows"` // the worst class first, then the most frequent
}

// A Class is the instructions of one class.
type Class struct {
	Class string `json:"class"`
	Count uint64 `json:"count"`
	Rows  int    `json:"rows"`
}

// A Row is instructions with the same row of the tables.
type Row struct {
	Instruction string   `json:"instruction"` // mnemonic; for a group the mnemonics of its instructions
	Encoding    string   `json:"encoding,omitempty"`
	Class       string   `json:"class"`
	Count       uint64   `json:"count"`
	Places      int      `json:"places"` // number of addresses with them
	At          []At     `json:"at"`     // some of these: in a run the lowest addresses, in a file the first ones
	Bound       string   `json:"bound,omitempty"`
	ULP         float64  `json:"ulp,omitempty"` // bound in units in the last place
	Options     []Choice `json:"options,omitempty"`
	Because     []string `json:"because,omitempty"` // why it is not exact
	// Kind is set for unsupported ones: reserved, variant, undefined, unimplemented, invalid.
	Kind    string    `json:"kind,omitempty"`
	Reason  string    `json:"reason,omitempty"` // and why
	Sources []Section `json:"sources,omitempty"`

	places map[place]bool
}

// mostAt limits the places listed in a row.
const mostAt = 8

// An At is the location of an instruction.
type At struct {
	loc.JSON
	place loc.Place
}

// String returns the line of the text or source, else the address and symbol.
func (a *At) String() string {
	if p := a.place.Position(); p.Known() {
		return p.String()
	}
	return a.place.String()
}

// A place is an address in one of the programs of a run.
type place struct {
	program *exec.Program
	pc      uint64
}

// A Choice is an option and its value.
type Choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Section is a section of a page of docs/reference.
type Section struct {
	Title string `json:"title"`
	Path  string `json:"path"`
}

// A Counter collects a report.
type Counter struct {
	report Report
	rows   map[string]*Row
	index  reference.Index
	in     *exec.Program // whose instructions are counted; nil: those of a file
	Map    *loc.Map      // of a file: source locations of its instructions; may be nil
}

// NewCounter returns a counter for a set; counts says what is counted.
func NewCounter(isa, counts string) *Counter {
	return &Counter{report: Report{ISA: isa, Counts: counts}, rows: map[string]*Row{}, index: reference.Built()}
}

// Of returns the report for instructions that have run.
func Of(list []exec.Ran) (*Report, error) {
	var c *Counter
	for i := range list {
		r := &list[i]
		t, b, err := bundleOf(r.Program.Code, r.PC)
		if t == nil {
			return nil, fmt.Errorf("fidelity: it is not known what the code at 0x%x is made of", r.PC)
		}
		if c == nil {
			c = NewCounter(t.FullName(), "wave-instructions")
		}
		c.in = r.Program
		if err != nil {
			c.AddError(err, r.PC, r.N+r.Stopped)
			continue
		}
		c.Add(t, b, r.Mode, r.N, r.Stopped)
	}
	if c == nil {
		c = NewCounter("", "wave-instructions")
	}
	return c.Report(), nil
}

// bundleOf returns the bundle at an address of code; the error says why there is none.
func bundleOf(code ir.Code, pc uint64) (*isa.Target, *isa.Bundle, error) {
	switch p := code.(type) {
	case *isa.Program:
		b, err := p.BundleAt(pc)
		return p.Target, b, err
	case *isa.Listing:
		b, err := p.BundleAt(pc)
		return p.Target, b, err
	case interface{ Unwrap() ir.Code }:
		return bundleOf(p.Unwrap(), pc)
	}
	return nil, nil, nil
}

// Add counts a bundle that has run n times in a mode, or occurs in a file. stopped is how often a fault prevented it
// from running: those count if the reason is that it cannot run.
func (c *Counter) Add(t *isa.Target, b *isa.Bundle, mode uint32, n, stopped uint64) {
	x := manual.ExactnessOf(t, b, mode)
	r := &Row{Because: x.Because}
	switch x.Fidelity {
	case ir.Exact:
		r.Class = Exact
	case ir.Approximate:
		r.Class = Approximate
	case ir.Modelled:
		r.Class = Modelled
	default:
		r.Class, r.Kind, r.Reason = Unsupported, x.Reason.String(), x.Lack
		n += stopped
	}
	parts := instructions(t, b)
	var names []string
	for _, d := range parts {
		names = append(names, d.Name)
		c.describe(t, d, r)
	}
	r.Instruction = strings.Join(names, " + ")
	if len(b.Parts) == 1 && !b.Parts[0].Def.Private {
		r.Encoding = b.Parts[0].Def.Enc.Name
	}
	if r.Class == Approximate && r.Bound == "" {
		r.Bound = "no bound is published"
	}
	c.count(r, b.Addr(), n)
}

// AddError counts bytes that do not decode.
func (c *Counter) AddError(err error, pc, n uint64) {
	e := isa.AsError(err)
	r := &Row{Instruction: "no instruction", Class: Unsupported, Kind: e.Code, Reason: e.Msg}
	c.count(r, pc, n)
}

// instructions returns the rows of a bundle that are instructions: the others describe operands of these.
func instructions(t *isa.Target, b *isa.Bundle) (list []*isa.Def) {
	for i := range b.Parts {
		if d := b.Parts[i].Def; len(b.Parts) == 1 || d.Entry != "" {
			list = append(list, d)
		}
	}
	if list == nil {
		list = append(list, b.Parts[0].Def)
	}
	return list
}

// describe adds the properties of a row.
func (c *Counter) describe(t *isa.Target, d *isa.Def, r *Row) {
	sources := []string{cmp.Or(d.Source, d.Enc.Source)}
	if bound := t.BoundOf(d); bound != nil && r.Class == Approximate {
		r.Bound, r.ULP = bound.Says(), bound.ULP
		sources = append(sources, bound.Source)
	}
	if r.Class == Modelled {
		for i := range t.Options {
			if o := &t.Options[i]; slices.Contains(d.Options, o.Name) {
				r.Options = append(r.Options, Choice{o.Name, o.Values[t.Option(i)]})
				sources = append(sources, o.Source)
			}
		}
	}
	for _, s := range sources {
		for _, sec := range c.index.Lookup(s) {
			if x := (Section{sec.Number + " " + sec.Title, sec.Path()}); !slices.Contains(r.Sources, x) {
				r.Sources = append(r.Sources, x)
			}
		}
	}
}

// count adds to the row with the same properties.
func (c *Counter) count(r *Row, pc, n uint64) {
	if n == 0 {
		return
	}
	key := fmt.Sprintf("%s|%s|%s|%q|%v|%s|%s", r.Instruction, r.Encoding, r.Class, r.Because, r.Options, r.Kind, r.Reason)
	have := c.rows[key]
	if have == nil {
		have, r.places = r, map[place]bool{}
		c.rows[key] = r
	}
	have.Count += n
	if c.in != nil {
		have.places[place{c.in, pc}] = true
		c.report.Total += n
		return
	}
	if have.Places++; have.Places <= mostAt { // in a file every place is new
		have.places[place{nil, pc}] = true
	}
	c.report.Total += n
}

// first returns the places of a row with the lowest addresses.
func (c *Counter) first(places map[place]bool) []At {
	list := slices.Collect(maps.Keys(places))
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.pc, b.pc) })
	var at []At
	for _, x := range list[:min(len(list), mostAt)] {
		p := c.Map.Place(x.pc)
		if x.program != nil {
			p = ir.PlaceOf(x.program, x.pc)
		}
		at = append(at, At{p.JSON(), p})
	}
	return at
}

// Report returns the counts so far.
func (c *Counter) Report() *Report {
	rep := c.report
	rep.Rows = []*Row{}
	list := classes()
	for _, name := range list {
		rep.Classes = append(rep.Classes, Class{Class: name})
	}
	for _, r := range c.rows {
		if r.At = c.first(r.places); c.in != nil {
			r.Places = len(r.places)
		}
		x := &rep.Classes[slices.Index(list, r.Class)]
		x.Count += r.Count
		x.Rows++
		rep.Rows = append(rep.Rows, r)
	}
	slices.SortFunc(rep.Rows, func(a, b *Row) int {
		return cmp.Or(slices.Index(list, b.Class)-slices.Index(list, a.Class), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Instruction, b.Instruction), cmp.Compare(a.Encoding, b.Encoding), cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Because, b.Because))
	})
	return &rep
}
