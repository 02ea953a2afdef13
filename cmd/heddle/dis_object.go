package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// A disassembly is code, with the request.
type disassembly struct {
	*disasm.Code
	a      *app
	parts  []asm.Range       // requested parts; none: all
	chosen []disasm.Function // requested functions, if some are
	remark string            // about the choice of the target
	body   bool              // the listing continues with another kernel
	labels string            // asm.ListOptions.Labels
	source *disasm.Source    // for -S; nil: not shown
	places loc.Lookup        // positions in the source; nil: there are no line tables
}

// codeObject lists the executable segments of an HSA code object with its symbols.
func (c *disCmd) codeObject(a *app, data []byte) error {
	o, err := object.ReadHSAFile(data, c.File)
	if err != nil {
		return err
	}
	if c.Descriptor {
		return c.descriptor(a, o)
	}
	name := c.ISA
	if name == guessed { // the file has the name
		name = ""
	}
	t, err := findFor(o, c.File, name, c.Stage)
	if err == nil {
		t, err = c.printed(t)
	}
	if err != nil {
		return err
	}
	if c.Source {
		if err := codeobj.Source(a.out, o); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		return nil
	}
	p := &disassembly{Code: disasm.Of(t, o), a: a, places: o.Map(0).Source}
	if c.OfSrc && p.places != nil {
		p.source = &disasm.Source{At: p.places, Read: a.readNow, Dirs: []string{filepath.Dir(c.File), "."}, Begins: map[uint64]bool{}}
		for i := range p.Functions {
			p.source.Begins[p.Functions[i].Entry] = true
		}
	}
	if err := c.choose(p); err != nil {
		return err
	}
	return c.show(p, headOf(t, o), func() {
		comment := t.Comments[0]
		a.say("%s %s: code object v%d for %s\n", comment, c.File, o.Version, o.Target)
		for i := range o.Kernels {
			k := &o.Kernels[i]
			a.say("%s kernel %s at %#x, %d bytes: %s\n", comment, k.Name, k.Entry, k.CodeSize, describe(k))
		}
		if c.OfSrc && p.places == nil {
			a.say("%s no lines of the source: the file has no line tables; clang -g or -gline-tables-only writes them\n", comment)
		}
	})
}

// choose finds the requested functions.
func (c *disCmd) choose(p *disassembly) error {
	for _, name := range c.Symbol {
		if name == "" {
			return errors.New("--symbol: want the name of a function")
		}
		i := slices.IndexFunc(p.Functions, func(f disasm.Function) bool { return f.Name == name && f.To > f.From })
		if i < 0 {
			return c.unknown(p.names(), name)
		}
		f := p.Functions[i]
		if err := c.begins(p, f.From, "--symbol "+name); err != nil {
			return err
		}
		p.chosen = append(p.chosen, f)
		p.parts = append(p.parts, asm.Range{From: f.From, To: f.To})
	}
	slices.SortStableFunc(p.chosen, func(a, b disasm.Function) int { return cmp.Compare(a.From, b.From) })
	slices.SortFunc(p.parts, func(a, b asm.Range) int { return cmp.Compare(a.From, b.From) })
	return nil
}

// mostNames limits the names that an error lists.
const mostNames = 12

// names returns the names of the functions that have code.
func (p *disassembly) names() (names []string) {
	for i := range p.Functions {
		if f := &p.Functions[i]; f.To > f.From {
			names = append(names, f.Name)
		}
	}
	return names
}

// unknown returns the error for a name without a function; similar names are listed first.
func (c *disCmd) unknown(names []string, name string) error {
	if len(names) == 0 {
		return fmt.Errorf("--symbol %s: %s names no functions; --start and --stop choose by address", name, c.File)
	}
	near := isa.Nearest(name, names)
	slices.Sort(names)
	names = slices.Compact(names)
	rank := func(s string) int {
		switch {
		case s == near:
			return 0
		case strings.Contains(strings.ToLower(s), strings.ToLower(name)) || strings.Contains(strings.ToLower(name), strings.ToLower(s)):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	list, more := names, ""
	if len(list) > mostNames {
		list, more = list[:mostNames], fmt.Sprintf(" and %d more", len(list)-mostNames)
	}
	err := fmt.Errorf("--symbol %s: %s has no such function; it has %s%s", name, c.File, strings.Join(list, ", "), more)
	if rank(names[0]) < 2 {
		return hinted{err, fmt.Sprintf("did you mean %q?", names[0])}
	}
	return err
}

// list writes a listing.
func (c *disCmd) list(p *disassembly) error {
	opt := asm.ListOptions{Exact: !c.Plain, Comments: !c.Short, Refs: true, Symbols: p.Symbols, Data: p.Data, Body: p.body, Labels: p.labels}
	if !c.NoFold {
		opt.Fold = foldFrom
	}
	if p.source != nil {
		opt.Before = p.source.Before
	}
	if p.remark != "" {
		p.a.say("%s guess: %s\n", p.Target.Comments[0], p.remark)
	}
	if len(p.Pieces) == 0 {
		return asm.List(p.a.out, p.Target, nil, 0, opt)
	}
	for _, s := range p.Pieces {
		var asked bool
		if opt.Parts, asked = p.within(s); !asked {
			continue
		}
		if opt.Calls = nil; opt.Comments {
			opt.Calls = p.Calls(s)
		}
		if err := asm.List(p.a.out, p.Target, s.Code, s.Base, opt); err != nil {
			return err
		}
	}
	return nil
}

const foldFrom = 8 // lines of padding

// within returns the requested parts of a piece.
func (p *disassembly) within(s disasm.Piece) (parts []asm.Range, asked bool) {
	if len(p.parts) == 0 {
		return nil, true
	}
	for _, r := range p.parts {
		if r.From < s.End() && r.To > s.Base {
			parts = append(parts, r)
		}
	}
	return parts, len(parts) > 0
}

// describe summarises a kernel's descriptor.
func describe(k *object.Kernel) string {
	d := &k.Descriptor
	s := []string{spell.Count(d.VGPRs(), "VGPR") + ", " + spell.Count(d.SGPRs(), "SGPR")}
	if d.GroupSize > 0 {
		s = append(s, spell.Count(int(d.GroupSize), "byte")+" of LDS")
	}
	if d.PrivateSize > 0 {
		s = append(s, spell.Count(int(d.PrivateSize), "byte")+" of scratch per lane")
	}
	if k.Meta != nil {
		s = append(s, spell.Count(len(ownArgs(k)), "argument"))
	}
	return strings.Join(s, ", ")
}
