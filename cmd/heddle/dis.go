package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

type disCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object names its own; guess takes what the bytes look most like."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it: vp, gp, fp or cp."`
	Style
	Many
	Compiling
	Lines  bool   `help:"One instruction a line as hex in, its text or error: ... out."`
	Raw    bool   `help:"The file is bare machine code."`
	Base   uint64 `range:"0.." placeholder:"ADDR" help:"Address of bare code."`
	Short  bool   `help:"Leave out addresses and bytes."`
	Plain  bool   `help:"The reference tool's text even where it does not assemble to the same bytes."`
	OfSrc  bool   `name:"lines-of-source" short:"S" help:"Show the lines of the source between the instructions, as comments: of a code object with line tables (clang -g)."`
	Source bool   `name:"as-source" help:"Write a code object as a program that asm makes the same code object of, to be changed."`
	JSON   bool   `help:"Print JSON, an instruction a line."`

	Symbol     []string `sep:"none" placeholder:"NAME" help:"Only this function or kernel; may be given several times."`
	Start      uint64   `range:"0.." placeholder:"ADDR" help:"From the instruction at this address on."`
	Stop       uint64   `range:"0.." placeholder:"ADDR" help:"Up to the instruction at this address, which is left out."`
	NoFold     bool     `help:"Write every line of padding, where it would be one .fill or .zero."`
	Descriptor bool     `help:"Print what a code object says of itself: kernel descriptors, arguments, notes, sections, segments, symbols."`
	Scan       bool     `help:"List the parts of a file that are code of any instruction set: offset, bytes, how sure that is."`
	CFG        string   `name:"cfg" enum:",dot,svg" default:"" placeholder:"FORMAT" help:"Print the graph of basic blocks, as dot of Graphviz or as an svg picture."`

	Paths []string `arg:"" optional:"" name:"file" help:"Files, folders of them, or - for standard input."`

	File string `kong:"-"` // the one being listed
	each bool   // it is one of several
}

func (c *disCmd) Help() string {
	return `A listing assembles back to the same bytes, whatever they are: undecodable bytes become data, text
that does not stand for its own bytes becomes .enc HEX TEXT. With --lines each input line gives one
output line; errors stand in place and do not change the exit code.

With -S the position and the text of a source line come as comments before the first instruction that was made for it. The file is
read from where the line tables say, else from the folder of the code object or the current one; if it is in none, a comment says so.

Comments say at labels who branches there, at branches which symbol their target belongs to; runs of padding become
one .fill or .zero. Addresses are decimal, or hexadecimal with 0x.

Listings of several files follow one another, with --json a line each. Of a folder, code objects are taken, with --raw files whose names end in .bin, with --scan all files;
--include takes others. A file that cannot be read is reported, the others are listed all the same, and the exit code is 2.

Examples:
  heddle dis examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle dis --symbol mandelbrot examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle dis --json examples > listings.jsonl
  heddle dis -S examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle dis --start 0x1a7c --stop 0x1aa4 examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle dis --descriptor examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle dis --cfg svg --symbol mandelbrot examples/mandelbrot/mandelbrot.gfx803.hsaco > mandelbrot.svg
  heddle dis --scan examples/torus/torus.bin
  heddle dis --as-source examples/mandelbrot/mandelbrot.gfx803.hsaco
  echo 0000007e | heddle dis --isa gcn:gfx8 --lines
  echo 02cfc01d04c3b400 | heddle dis --isa valhall:g610 --dialect kraid --lines`
}

// Validate runs before Run.
func (c *disCmd) Validate() error {
	switch {
	case c.JSON && c.Lines:
		return errors.New("--lines and --json: what --lines prints has its own form")
	case c.CFG != "" && (c.JSON || c.Descriptor || c.Source || c.Lines):
		return errors.New("--cfg: what it prints has its own form, and is all that is printed")
	case c.CFG != "" && (c.Short || c.Plain || c.NoFold):
		return errors.New("--cfg: --short, --plain and --no-fold are of listings")
	case c.Descriptor && (c.Source || c.Lines):
		return errors.New("--descriptor is all that is printed")
	case c.OfSrc && (c.JSON || c.CFG != "" || c.Descriptor || c.Source || c.Lines || c.Scan):
		return errors.New("--lines-of-source is of listings; --json has the lines of the source anyway")
	case c.Scan && (c.Lines || c.Descriptor || c.Source || c.CFG != ""):
		return errors.New("--scan: the regions are all that is printed")
	case c.NoFold && c.JSON:
		return errors.New("--no-fold and --json: JSON has every instruction anyway")
	}
	return nil
}

func (c *disCmd) Run(a *app) error {
	c.File = only(c.Paths)
	switch {
	case c.Lines:
		return c.lines(a)
	case c.File == "":
		return errors.New("dis: no file; - is standard input, --lines reads hex")
	case c.several(a, c.Paths):
		return c.many(a)
	}
	return c.file(a)
}

// file prints the requested output for one file.
func (c *disCmd) file(a *app) error {
	if c.Scan {
		return c.scan(a)
	}
	if clang.IsSource(c.File) && c.Raw {
		return fmt.Errorf("%s: is a source file; --raw takes a file as machine code", c.File)
	}
	data, err := c.Compiling.code(a, c.File, c.ISA)
	if err != nil {
		return err
	}
	if err := c.fits(a, data); err != nil {
		return err
	}
	if len(c.Symbol) > 0 && (a.given("start") || a.given("stop")) {
		return errors.New("--symbol says what is listed: --start and --stop do not go with it")
	}
	if !c.Raw && object.IsHSA(data) {
		return c.codeObject(a, data)
	}
	if !c.Raw && object.IsCubin(data) && !c.Source {
		return c.cubin(a, data)
	}
	if c.Source || c.Descriptor {
		what := map[bool]string{true: "source could be written", false: "descriptor could be printed"}[c.Source]
		return fmt.Errorf("%s: is no code object, whose %s", c.File, what)
	}
	if n, machine := object.ELFMachine(data); machine != "" && c.Raw {
		fmt.Fprintf(a.err, "heddle: note: %s is an ELF file (machine %d, %s): --raw lists its headers and data as code, too\n", c.File, n, machine)
	}
	if !c.Raw && object.IsELF(data) {
		_, err := object.ReadHSAFile(data, c.File)
		return err
	}
	return c.bare(a, data)
}

// bare lists bare code.
func (c *disCmd) bare(a *app, data []byte) error {
	if most := math.MaxUint64 - uint64(len(data)); c.Base > most { // the end of the code has an address, too
		return hinted{fmt.Errorf("--base %#x: %d bytes do not lie from there on: addresses have 64 bits", c.Base, len(data)),
			fmt.Sprintf("at most --base %#x", most)}
	}
	if !c.Raw && isWritten(data) {
		return hinted{fmt.Errorf("%s: is text, not machine code", c.File), "heddle asm assembles text; --lines reads hexadecimal digits; --raw takes the file as bare code all the same"}
	}
	t, remark, err := c.target(data)
	if err == nil {
		t, err = c.printed(t)
	}
	if err != nil {
		return err
	}
	p := &disassembly{Code: &disasm.Code{Target: t, Pieces: []disasm.Piece{c.cut(a, t, data)}}, a: a, remark: remark}
	return c.show(p, jsonHead{ISA: t.String(), Guess: remark}, func() {
		if c.each {
			a.say("%s %s: bare code of %s, %s\n", t.Comments[0], c.File, t.String(), spell.Count(len(data), "byte"))
		}
	})
}

// cut returns the part of bare code to list. With --raw decoding starts at --start, whatever is before: a file may
// contain other data.
func (c *disCmd) cut(a *app, t *isa.Target, data []byte) disasm.Piece {
	p := disasm.Piece{Code: data, Base: c.Base}
	if !c.Raw || !a.given("start") || c.Start < p.Base || c.Start >= p.End() {
		return p
	}
	if at, _ := asm.LineAt(t, p.Code, p.Base, c.Start, nil); at != c.Start {
		p = disasm.Piece{Code: data[c.Start-c.Base:], Base: c.Start}
	}
	return p
}

// show prints the requested output for a disassembly; head prints the head of a listing.
func (c *disCmd) show(p *disassembly, h jsonHead, head func()) error {
	if err := c.span(p); err != nil {
		return err
	}
	switch {
	case c.CFG != "":
		return c.graph(p)
	case c.JSON:
		if c.each {
			h.File = c.File
		}
		return c.json(p, h)
	}
	head()
	return c.list(p)
}

// fits reports flags that do not go with the kind of the file.
func (c *disCmd) fits(a *app, data []byte) error {
	switch {
	case c.Source:
		return a.fits("dis", 's', "")
	case c.Descriptor:
		return a.fits("dis", 'd', "")
	case c.CFG != "" && !c.Raw && (object.IsHSA(data) || object.IsCubin(data)):
		return a.fits("dis", 'g', "")
	case !c.Raw && (object.IsHSA(data) || object.IsCubin(data)):
		return a.fits("dis", 'o', c.File)
	}
	return a.fits("dis", 'b', c.File)
}

func (c *disCmd) lines(a *app) error {
	if err := c.goes(a, ""); err != nil {
		return err
	}
	if err := a.fits("dis", 'l', ""); err != nil {
		return err
	}
	if len(c.Paths) > 1 {
		return errors.New("dis: --lines reads one file, or standard input")
	}
	t, err := find(c.ISA, c.Stage, "")
	if err == nil {
		t, err = c.printed(t)
	}
	if err != nil {
		return err
	}
	in, err := a.lineInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	l := asm.NewLines(t)
	return a.eachLine(in, func(dst, line []byte) ([]byte, error) {
		n := len(dst)
		dst, err := l.Dis(dst, line)
		for i := n; i < len(dst); i++ {
			if dst[i] == '\n' { // text over several lines is also valid on one
				dst[i] = ' '
			}
		}
		return dst, err
	})
}
