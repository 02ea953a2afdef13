package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

type fidelityCmd struct {
	CodeFile
	Many
	Style
	Mode  string   `placeholder:"MODE" help:"Mode register under which instructions run, as of heddle explain."`
	JSON  bool     `help:"Print JSON; of several files a line for each, and a line with how many they are."`
	Paths []string `arg:"" optional:"" name:"file" help:"Code objects, bare code, assembly, folders of them, or - for standard input."`

	File string `kong:"-"` // the one being examined
}

func (c *fidelityCmd) Help() string {
	return `Counts the instructions of a file by how exactly heddle runs them: exact, to the bit; approximate, hardware is within a bound;
modelled, an option chooses where sources are silent; unsupported, with the reason. heddle run --fidelity counts those that a run
carries out. Of a code object the code of kernels and functions is counted, of other files all of it. Of a folder, code objects and assembly
whose name ends in .s are taken; --include takes others. docs/fidelity.md says more.

Examples:
  heddle fidelity examples/reduction/reduce_lds.gfx803.hsaco
  heddle fidelity examples/scan/scan.s
  heddle fidelity --json examples/over/over.s
  heddle fidelity --include '*.hsaco' examples`
}

// Validate runs before Run.
func (c *fidelityCmd) Validate() error { return c.check() }

func (c *fidelityCmd) Run(a *app) error {
	if c.several(a, c.Paths) {
		return c.many(a)
	}
	c.File = only(c.Paths)
	if c.File == "" {
		return errors.New("fidelity: no file; - is standard input, a folder stands for the files in it")
	}
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

// many counts the instructions of many files, separately.
func (c *fidelityCmd) many(a *app) error {
	w := manyWork[struct{}]{command: "fidelity", paths: c.Paths, take: c.takesCode, takes: c.codeTaken(), compiling: &c.Compiling}
	w.work = func(a *app, f many.File) (none struct{}, err error) {
		one := *c
		one.File = f.Path
		r, err := one.count(a)
		if err != nil {
			return none, err
		}
		if c.JSON {
			a.out.Write(jsonLine(f.Path, r))
			return none, nil
		}
		a.say("%s\n", f.Path)
		printFidelity(a, r)
		return none, nil
	}
	return inTurn(a, &c.Many, w, c.JSON)
}

// count reads the file and counts its instructions.
func (c *fidelityCmd) count(a *app) (*fidelity.Report, error) {
	f, err := c.open(a, c.File, codeUse{Style: c.Style, textOnly: true,
		hint: "--text takes it for assembly, --raw takes the bytes as they are; heddle run --fidelity takes manifests",
		is:   func(kind byte) error { return a.fits("fidelity", kind, c.File) }})
	if err != nil {
		return nil, err
	}
	mode, err := modeOf(f.target, c.Mode)
	if err != nil {
		return nil, err
	}
	s := &fileCounter{fidelity.NewCounter(f.target.FullName(), "instructions"), f.target, mode}
	switch {
	case f.text != nil:
		s.Map = f.text.Map()
		s.assembly(f.text)
	case f.object != nil:
		s.Map = f.object.Map(0)
		if err := s.object(f.object, c.File); err != nil {
			return nil, err
		}
	default:
		s.code(f.data, 0)
	}
	return s.Report(), nil
}

// A fileCounter counts the instructions of code of a target.
type fileCounter struct {
	*fidelity.Counter
	t    *isa.Target
	mode uint32
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

// assembly counts the instructions of a text, including those without a public encoding.
func (s *fileCounter) assembly(r *asm.Assembly) {
	if !slices.ContainsFunc(r.Bundles, func(b isa.Bundle) bool { return b.Private() }) {
		s.code(r.Code, r.Base) // including data between them, as it would run
		return
	}
	for i := range r.Bundles {
		s.Add(s.t, &r.Bundles[i], s.mode, 1, 0)
	}
}

// object counts the instructions of the kernels and functions of a code object.
func (s *fileCounter) object(o *object.CodeObject, file string) error {
	seen := map[uint64]bool{}
	add := func(addr, size uint64) error {
		code, ok := o.Bytes(addr, size)
		if seen[addr] {
			return nil
		}
		if !ok {
			return fmt.Errorf("%s: %d bytes of code at %#x are not in the file", file, size, addr)
		}
		seen[addr] = true
		s.code(bytes.Clone(code), addr)
		return nil
	}
	for i := range o.Kernels {
		if err := add(o.Kernels[i].Entry, o.Kernels[i].CodeSize); err != nil {
			return err
		}
	}
	for _, y := range o.Symbols {
		if y.Defined && y.Kind == object.Func && y.Size > 0 {
			if err := add(y.Addr, y.Size); err != nil {
				return err
			}
		}
	}
	return nil
}

// printFidelity prints a report as text; nothing for nil.
func printFidelity(a *app, r *fidelity.Report) {
	if r == nil {
		return
	}
	what := r.Counts
	if r.Total == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	a.printf("fidelity: %s %s\n", grouped(r.Total), what)
	var rows [][]string
	for _, c := range r.Classes {
		share := ""
		if r.Total > 0 {
			share = fmt.Sprintf("%.1f%%", 100*float64(c.Count)/float64(r.Total))
		}
		rows = append(rows, []string{c.Class, grouped(c.Count), share, spell.Count(c.Rows, "row")})
	}
	a.printf("%s", tableOf(rows))
	rows = nil
	for _, x := range r.Rows {
		var sources []string
		for _, s := range x.Sources {
			sources = append(sources, s.Path)
		}
		rows = append(rows, []string{x.Class, grouped(x.Count), strings.TrimSpace(x.Instruction + " " + bracketed(x.Encoding)), whyNot(x), strings.Join(sources, " "), firstAt(x)})
	}
	a.printf("%s", manual.Table(rows, "  "))
}

// firstAt returns the place of the first instruction of a row that is not exact, and the number of other places.
func firstAt(x *fidelity.Row) string {
	if x.Class == fidelity.Exact || len(x.At) == 0 {
		return ""
	}
	if x.Places == 1 {
		return "at " + x.At[0].String()
	}
	return fmt.Sprintf("at %s and %s", x.At[0].String(), spell.Count(x.Places-1, "other place"))
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// whyNot summarises why a row is not exact.
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
