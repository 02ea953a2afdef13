package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// A disassembly is code, and what is to be said of it.
type disassembly struct {
	a         *app
	t         *isa.Target
	pieces    []piece // of code that can run
	symbols   []asm.Symbol
	functions []function   // by address
	data      []asm.Range  // within pieces, that is no code
	parts     []asm.Range  // what is asked for; none: all
	chosen    []function   // of functions, where some are asked for
	remark    string       // on the choice of the target
	begins    []lint.Entry // where execution may begin
}

// A piece is code that lies together.
type piece struct {
	code []byte
	base uint64
}

func (p piece) end() uint64 { return p.base + uint64(len(p.code)) }

// A function is code that has a name.
type function struct {
	name     string
	from, to uint64
	entry    uint64
	kernel   bool
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
	if name == guessed { // the file says it
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
	p := disassemblyOf(a, t, o)
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
	})
}

// disassemblyOf is a code object.
func disassemblyOf(a *app, t *isa.Target, o *object.CodeObject) *disassembly {
	p := &disassembly{a: a, t: t}
	for _, s := range o.Segments {
		if code, ok := o.Bytes(s.Addr, s.Size); ok && s.Exec {
			p.pieces = append(p.pieces, piece{code, s.Addr})
		}
	}
	kernels := map[uint64]uint64{} // entries, by address of what has the kernel's name
	for i := range o.Kernels {
		k := &o.Kernels[i]
		at := k.Entry
		if o.Version < 3 {
			p.data = append(p.data, asm.Range{From: k.DescriptorAddr, To: k.DescriptorAddr + object.KernelCodeSize})
			at = k.DescriptorAddr
		}
		kernels[at] = k.Entry
		p.begins = append(p.begins, lint.Entry{Addr: k.Entry, Name: k.Name, Grows: true})
	}
	sizes, known := map[uint64]uint64{}, map[asm.Symbol]bool{}
	for _, y := range o.Symbols {
		if !y.Defined || y.Kind != object.Func && y.Kind != object.KernelCode && (y.Kind != object.NoType || y.Name == "") {
			continue
		}
		s := asm.Symbol{Name: y.Name, Addr: y.Addr}
		p.symbols = append(p.symbols, s)
		if y.Kind == object.NoType || known[s] {
			continue
		}
		known[s] = true
		entry, kernel := kernels[y.Addr]
		if !kernel {
			entry = y.Addr
			p.begins = append(p.begins, lint.Entry{Addr: y.Addr, Name: y.Name, Function: true})
		}
		p.functions = append(p.functions, function{y.Name, y.Addr, y.Addr, entry, kernel})
		sizes[y.Addr] = max(sizes[y.Addr], y.Size)
	}
	slices.SortStableFunc(p.functions, func(a, b function) int { return cmp.Compare(a.from, b.from) })
	p.measure(sizes)
	return p
}

// measure says where functions end: where symbols say it, else at the next one.
func (p *disassembly) measure(sizes map[uint64]uint64) {
	next, from := ^uint64(0), ^uint64(0) // where a function begins behind this one, and where the one looked at last does
	for i := len(p.functions) - 1; i >= 0; i-- {
		f := &p.functions[i]
		if f.from < from {
			next, from = from, f.from
		}
		at := slices.IndexFunc(p.pieces, func(s piece) bool { return f.from >= s.base && f.from < s.end() })
		if at < 0 {
			continue
		}
		end := p.pieces[at].end()
		if size := sizes[f.from]; size != 0 {
			f.to = f.from + min(size, end-f.from)
			continue
		}
		f.to = min(end, next)
	}
}

// choose finds the functions that are asked for.
func (c *disCmd) choose(p *disassembly) error {
	for _, name := range c.Symbol {
		if name == "" {
			return errors.New("--symbol: want the name of a function")
		}
		i := slices.IndexFunc(p.functions, func(f function) bool { return f.name == name && f.to > f.from })
		if i < 0 {
			return c.unknown(p.names(), name)
		}
		f := p.functions[i]
		if err := c.begins(p, f.from, "--symbol "+name); err != nil {
			return err
		}
		p.chosen = append(p.chosen, f)
		p.parts = append(p.parts, asm.Range{From: f.from, To: f.to})
	}
	slices.SortStableFunc(p.chosen, func(a, b function) int { return cmp.Compare(a.from, b.from) })
	slices.SortFunc(p.parts, func(a, b asm.Range) int { return cmp.Compare(a.From, b.From) })
	return nil
}

// mostNames is how many names an error lists.
const mostNames = 12

// names are those of the functions that have code.
func (p *disassembly) names() (names []string) {
	for i := range p.functions {
		if f := &p.functions[i]; f.to > f.from {
			names = append(names, f.name)
		}
	}
	return names
}

// unknown is the error of a name that no function of those has: those that it may be meant for come first.
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
	opt := asm.ListOptions{Exact: !c.Plain, Comments: !c.Short, Refs: true, Symbols: p.symbols, Data: p.data}
	if !c.NoFold {
		opt.Fold = foldFrom
	}
	if p.remark != "" {
		p.a.say("%s guess: %s\n", p.t.Comments[0], p.remark)
	}
	if len(p.pieces) == 0 {
		return asm.List(p.a.out, p.t, nil, 0, opt)
	}
	for _, s := range p.pieces {
		var asked bool
		if opt.Parts, asked = p.within(s); !asked {
			continue
		}
		if opt.Calls = nil; opt.Comments {
			opt.Calls = p.calls(s)
		}
		if err := asm.List(p.a.out, p.t, s.code, s.base, opt); err != nil {
			return err
		}
	}
	return nil
}

const (
	foldFrom = 8         // lines of padding
	mostFlow = 4 << 20   // bytes of a code object whose computed targets a listing finds
	mostBare = 256 << 10 // the same of bare code, where a target has no name: following control takes longer than to list
)

// calls are the targets that code of a piece computes.
func (p *disassembly) calls(s piece) map[uint64]uint64 {
	most := mostFlow
	if len(p.symbols) == 0 {
		most = mostBare
	}
	if len(s.code) > most {
		return nil
	}
	return lint.Flow(p.flow(s)).Calls
}

// within are the parts of a piece that are asked for.
func (p *disassembly) within(s piece) (parts []asm.Range, asked bool) {
	if len(p.parts) == 0 {
		return nil, true
	}
	for _, r := range p.parts {
		if r.From < s.end() && r.To > s.base {
			parts = append(parts, r)
		}
	}
	return parts, len(parts) > 0
}

// flow is a piece as code whose control is followed.
func (p *disassembly) flow(s piece) lint.Code {
	c := lint.Code{Target: p.t, Base: s.base, Bytes: s.code, Guess: len(p.begins) == 0}
	for _, e := range p.begins {
		if e.Addr >= s.base && e.Addr < s.end() {
			c.Entries = append(c.Entries, e)
		}
	}
	return c
}

// describe is what a kernel's descriptor asks for, in a few words.
func describe(k *object.Kernel) string {
	d := &k.Descriptor
	s := []string{fmt.Sprintf("%d VGPRs, %d SGPRs", d.VGPRs(), d.SGPRs())}
	if d.GroupSize > 0 {
		s = append(s, fmt.Sprintf("%d bytes LDS", d.GroupSize))
	}
	if d.PrivateSize > 0 {
		s = append(s, fmt.Sprintf("%d bytes scratch a lane", d.PrivateSize))
	}
	if k.Meta != nil {
		s = append(s, fmt.Sprintf("%d arguments", len(ownArgs(k))))
	}
	return strings.Join(s, ", ")
}
