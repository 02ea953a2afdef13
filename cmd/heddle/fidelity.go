package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

type fidelityCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object and a file's .isa name their own."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Raw   bool   `help:"The file is bare machine code."`
	Text  bool   `help:"The file is assembly, as is one whose name ends in .s."`
	Style
	Mode string `placeholder:"MODE" help:"Mode register under which instructions run, as of heddle explain."`
	JSON bool   `help:"Print JSON."`
	File string `arg:"" help:"Code object, bare code, assembly, or - for standard input."`
}

func (c *fidelityCmd) Help() string {
	return `Counts the instructions of a file by how exactly heddle runs them: exact, to the bit; approximate, hardware is within a bound;
modelled, an option chooses where sources are silent; unsupported, with the reason. heddle run --fidelity counts those that a run
carries out. Of a code object the code of kernels and functions is counted, of other files all of it. docs/fidelity.md says more.

Examples:
  heddle fidelity examples/reduction/reduce_lds.gfx803.hsaco
  heddle fidelity examples/scan/scan.s
  heddle fidelity --json examples/over/over.s`
}

// Validate runs before Run.
func (c *fidelityCmd) Validate() error {
	if c.Raw && c.Text {
		return errors.New("--raw and --text: a file is one of them")
	}
	return nil
}

func (c *fidelityCmd) Run(a *app) error {
	r, err := c.count(a)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(r)
	}
	printFidelity(a, r)
	return nil
}

// count reads the file and counts its instructions.
func (c *fidelityCmd) count(a *app) (*fidelity.Report, error) {
	if c.Text || !c.Raw && strings.EqualFold(filepath.Ext(c.File), ".s") {
		if err := a.fits("fidelity", 't', c.File); err != nil {
			return nil, err
		}
		return c.assembly(a)
	}
	data, err := a.read(c.File)
	if err != nil {
		return nil, err
	}
	switch {
	case !c.Raw && object.IsHSA(data):
		if err := a.fits("fidelity", 'o', c.File); err != nil {
			return nil, err
		}
		return c.object(data)
	case !c.Raw && isWritten(data):
		return nil, hinted{fmt.Errorf("%s: is text, not machine code", c.File), "--text takes it for assembly, --raw takes the bytes as they are; heddle run --fidelity takes manifests"}
	}
	if err := a.fits("fidelity", 'b', c.File); err != nil {
		return nil, err
	}
	t, err := find(c.ISA, c.Stage, ": bare code does not name its own")
	if err != nil {
		return nil, err
	}
	s, err := c.counter(t)
	if err != nil {
		return nil, err
	}
	s.code(data, 0)
	return s.Report(), nil
}

// A fileCounter counts the instructions of code of a target.
type fileCounter struct {
	*fidelity.Counter
	t    *isa.Target
	mode uint32
}

// counter is one of a target with the style, options and mode of the command line.
func (c *fidelityCmd) counter(t *isa.Target) (*fileCounter, error) {
	t, err := c.of(t)
	if err != nil {
		return nil, err
	}
	mode, err := modeOf(t, c.Mode)
	if err != nil {
		return nil, err
	}
	return &fileCounter{fidelity.NewCounter(t.Name+":"+t.Variants[t.Variant].Name, "instructions"), t, mode}, nil
}

// code counts the instructions of code from its first byte on.
func (s *fileCounter) code(code []byte, base uint64) {
	var b isa.Bundle
	for off := 0; off < len(code); {
		addr := base + uint64(off)
		if err := s.t.DecodeBundle(code[off:], addr, &b); err != nil {
			s.AddError(err, addr, 1)
			off += s.t.Unit
			continue
		}
		s.Add(s.t, &b, s.mode, 1, 0)
		off += b.Size()
	}
}

// assembly assembles the file and counts what it becomes; instructions without a public encoding count, too.
func (c *fidelityCmd) assembly(a *app) (*fidelity.Report, error) {
	res, err := (&asmCmd{ISA: c.ISA, Stage: c.Stage, Style: c.Style, File: c.File, NoLint: true, JSON: true, textOnly: true}).assemble(a)
	if err != nil {
		return nil, err
	}
	if len(res.errs) > 0 {
		return nil, fmt.Errorf("%w: it does not assemble", refused{c.File, res.errs})
	}
	if res.program != nil {
		return c.object(res.program.Data)
	}
	s, err := c.counter(res.Assembly.Target)
	if err != nil {
		return nil, err
	}
	list := res.Assembly.Bundles
	if !slices.ContainsFunc(list, func(b isa.Bundle) bool { return b.Private() }) {
		s.code(res.Assembly.Code, res.Assembly.Base) // with data between them, as it would run
		return s.Report(), nil
	}
	for i := range list {
		s.Add(s.t, &list[i], s.mode, 1, 0)
	}
	return s.Report(), nil
}

// object counts the instructions of kernels and functions of a code object.
func (c *fidelityCmd) object(data []byte) (*fidelity.Report, error) {
	o, err := object.ReadHSAFile(data, c.File)
	if err != nil {
		return nil, err
	}
	t, err := findFor(o, c.File, c.ISA, c.Stage)
	if err != nil {
		return nil, err
	}
	s, err := c.counter(t)
	if err != nil {
		return nil, err
	}
	seen := map[uint64]bool{}
	add := func(addr, size uint64) error {
		code, ok := o.Bytes(addr, size)
		if seen[addr] {
			return nil
		}
		if !ok {
			return fmt.Errorf("%s: %d bytes of code at %#x are not in the file", c.File, size, addr)
		}
		seen[addr] = true
		s.code(bytes.Clone(code), addr)
		return nil
	}
	for i := range o.Kernels {
		if err := add(o.Kernels[i].Entry, o.Kernels[i].CodeSize); err != nil {
			return nil, err
		}
	}
	for _, y := range o.Symbols {
		if y.Defined && y.Kind == object.Func && y.Size > 0 {
			if err := add(y.Addr, y.Size); err != nil {
				return nil, err
			}
		}
	}
	return s.Report(), nil
}

// printFidelity prints a report for people; of nil nothing.
func printFidelity(a *app, r *fidelity.Report) {
	if r == nil {
		return
	}
	a.printf("fidelity: %s %s\n", grouped(r.Total), r.Counts)
	var rows [][]string
	for _, c := range r.Classes {
		share := ""
		if r.Total > 0 {
			share = fmt.Sprintf("%.1f%%", 100*float64(c.Count)/float64(r.Total))
		}
		rows = append(rows, []string{c.Class, grouped(c.Count), share, count(c.Rows, "row")})
	}
	a.printf("%s", tableOf(rows))
	rows = nil
	for _, x := range r.Rows {
		var sources []string
		for _, s := range x.Sources {
			sources = append(sources, s.Path)
		}
		rows = append(rows, []string{x.Class, grouped(x.Count), strings.TrimSpace(x.Instruction + " " + bracketed(x.Encoding)), whyNot(x), strings.Join(sources, " ")})
	}
	a.printf("%s", manual.Table(rows, "  "))
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// whyNot is what makes a row less than exact, in short.
func whyNot(x *fidelity.Row) string {
	switch {
	case x.Class == fidelity.Unsupported:
		return x.Kind + ": " + x.Reason
	case x.Bound != "":
		return x.Bound
	}
	var list []string
	for _, o := range x.Options {
		list = append(list, o.Name+"="+o.Value)
	}
	return strings.Join(list, ", ")
}
