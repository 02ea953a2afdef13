package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/object"
)

type disCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object names its own."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it: vp, gp, fp or cp."`
	Style
	Lines  bool   `help:"One instruction a line as hex in, its text or error: ... out."`
	Raw    bool   `help:"The file is bare machine code."`
	Base   uint64 `placeholder:"ADDR" help:"Address of bare code."`
	Short  bool   `help:"Leave out addresses and bytes."`
	Plain  bool   `help:"The reference tool's text even where it does not assemble to the same bytes."`
	Source bool   `name:"as-source" help:"Write a code object as a program that asm makes the same code object of, to be changed."`
	JSON   bool   `help:"Print JSON, an instruction a line."`
	File   string `arg:"" optional:"" help:"File, or - for standard input."`
}

func (c *disCmd) Help() string {
	return `A listing assembles back to the same bytes, whatever they are: undecodable bytes become data, text
that does not stand for its own bytes becomes .enc HEX TEXT. With --lines each input line gives one
output line; errors stand in place and do not change the exit code.

Examples:
  heddle dis examples/mandelbrot/mandelbrot.gfx803.hsaco
  heddle dis --as-source examples/mandelbrot/mandelbrot.gfx803.hsaco
  echo 0000007e | heddle dis --isa gcn:gfx8 --lines`
}

// Validate runs before Run.
func (c *disCmd) Validate() error {
	if c.JSON && c.Lines {
		return errors.New("--lines and --json: what --lines prints has its own form")
	}
	return nil
}

func (c *disCmd) Run(a *app) error {
	if c.Lines {
		return c.lines(a)
	}
	if c.File == "" {
		return errors.New("dis: no file; - is standard input, --lines reads hex")
	}
	data, err := a.read(c.File)
	if err != nil {
		return err
	}
	if err := c.fits(a, data); err != nil {
		return err
	}
	if !c.Raw && object.IsHSA(data) {
		return c.codeObject(a, data)
	}
	if c.Source {
		return fmt.Errorf("%s: is no code object, whose source could be written", c.File)
	}
	if !c.Raw && bytes.HasPrefix(data, []byte("\x7fELF")) {
		_, err := object.ReadHSAFile(data, c.File)
		return err
	}
	t, err := find(c.ISA, c.Stage, fmt.Sprintf(": %s is no code object that names its own", c.File))
	if err == nil {
		t, err = c.printed(t)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return c.json(a, t, data)
	}
	return asm.List(a.out, t, data, c.Base, c.options())
}

// fits reports flags that do not go with what the file is.
func (c *disCmd) fits(a *app, data []byte) error {
	switch {
	case c.Source:
		return a.fits("dis", 's', "")
	case !c.Raw && object.IsHSA(data):
		return a.fits("dis", 'o', c.File)
	}
	return a.fits("dis", 'b', c.File)
}

func (c *disCmd) options() asm.ListOptions {
	return asm.ListOptions{Exact: !c.Plain, Comments: !c.Short}
}

// codeObject lists the executable segments of an HSA code object with its symbols.
func (c *disCmd) codeObject(a *app, data []byte) error {
	o, err := object.ReadHSAFile(data, c.File)
	if err != nil {
		return err
	}
	t, err := findFor(o, c.File, c.ISA, c.Stage)
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
	opt := c.options()
	for i := range o.Kernels {
		if k := &o.Kernels[i]; o.Version < 3 {
			opt.Data = append(opt.Data, asm.Range{From: k.DescriptorAddr, To: k.DescriptorAddr + object.KernelCodeSize})
		}
	}
	for _, y := range o.Symbols {
		if y.Defined && (y.Kind == object.Func || y.Kind == object.KernelCode || y.Kind == object.NoType && y.Name != "") {
			opt.Symbols = append(opt.Symbols, asm.Symbol{Name: y.Name, Addr: y.Addr})
		}
	}
	if c.JSON {
		return c.objectJSON(a, t, o, opt.Symbols)
	}
	comment := t.Comments[0]
	a.say("%s %s: code object v%d for %s\n", comment, c.File, o.Version, o.Target)
	for i := range o.Kernels {
		k := &o.Kernels[i]
		a.say("%s kernel %s at %#x, %d bytes: %s\n", comment, k.Name, k.Entry, k.CodeSize, describe(k))
	}
	if !slices.ContainsFunc(o.Segments, func(s object.ImageSegment) bool { return s.Exec }) {
		return asm.List(a.out, t, nil, 0, opt)
	}
	for _, s := range o.Segments {
		if !s.Exec {
			continue
		}
		code, ok := o.Bytes(s.Addr, s.Size)
		if !ok {
			continue
		}
		if err := asm.List(a.out, t, code, s.Addr, opt); err != nil {
			return err
		}
	}
	return nil
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
		n := 0
		for i := range k.Meta.Args {
			if !strings.HasPrefix(k.Meta.Args[i].ValueKind, "hidden_") {
				n++
			}
		}
		s = append(s, fmt.Sprintf("%d arguments", n))
	}
	return strings.Join(s, ", ")
}

func (c *disCmd) lines(a *app) error {
	if err := a.fits("dis", 'l', ""); err != nil {
		return err
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
			if dst[i] == '\n' { // text over several lines reads the same on one
				dst[i] = ' '
			}
		}
		return dst, err
	})
}
