package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

type asmCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a file's .isa names its own."`
	Stage string `placeholder:"STAGE" help:"Stage, where encoding depends on it: vp, gp, fp or cp."`
	Style
	Many
	Compiling
	Lines  bool     `help:"One instruction a line as text in, its hex or error: ... out."`
	Out    string   `short:"o" placeholder:"OUT" help:"File for the machine code; - is standard output. Of several files, the folder for theirs."`
	Hex    bool     `help:"Write hexadecimal digits, an instruction a line, instead of bytes."`
	NoLint bool     `help:"Take instructions that break rules of their set: limits of operands, alignment of registers."`
	JSON   bool     `help:"Print the bytes of each line, labels and errors as JSON."`
	Paths  []string `arg:"" optional:"" name:"file" help:"Files, folders of them, or - for standard input."`

	File     string `kong:"-"` // the one being assembled
	keep     bool   // keep the text, for assembled.source
	textOnly bool   // accept instructions without public encoding: the file is to be run
}

func (c *asmCmd) Help() string {
	return `Text as clang -S writes it for amdgcn-amd-amdhsa, with .amdgcn_target, .amdhsa_kernel and sections, becomes a code object that
run, dis and a GPU's runtime load; other text becomes bare machine code, unless OUT ends in .hsaco.

Several files are assembled to a folder, -o DIR, which is made if there is none: a/b.s of a folder becomes DIR/a/b.hsaco or DIR/a/b.bin. Of a folder, files whose
names end in .s or .asm are taken; --include takes others. A file with errors is reported, the others are assembled all the same.

All errors of a file are reported in one run, each with its line and a caret; then nothing is written
and the exit code is 1. With --lines errors stand in place and do not change the exit code.

Examples:
  heddle asm --isa gcn:gfx8 kernel.s -o kernel.bin
  heddle asm examples/saxpy/saxpy.gfx803.s -o saxpy.hsaco
  heddle asm -O0 examples/saxpy/saxpy.cl -o saxpy.hsaco
  heddle asm examples/saxpy examples/scan -o built
  echo 'v_add_f32 v0, v1, v2' | heddle asm --isa gcn:gfx8 --lines`
}

// Validate runs before Run.
func (c *asmCmd) Validate() error {
	switch {
	case c.JSON && c.Lines:
		return errors.New("--lines and --json: what --lines prints has its own form")
	case c.JSON && (c.Out == "-" || c.Hex && c.Out == ""):
		return errors.New("--json and the machine code would both go to standard output")
	}
	return nil
}

func (c *asmCmd) Run(a *app) error {
	c.File = only(c.Paths)
	switch {
	case c.Lines:
		return c.lines(a)
	case c.File == "":
		return errors.New("asm: no file; - is standard input, --lines reads a line at a time")
	case c.several(a, c.Paths):
		return c.many(a)
	}
	return c.one(a, func(*assembled) (string, error) { return c.Out, nil }, a.json)
}

// one assembles one file. out writes the machine code to a file, and show prints JSON.
func (c *asmCmd) one(a *app, out func(*assembled) (string, error), show func(any) error) error {
	res, err := within(a, "assembling "+c.File, func() (*assembled, error) { return c.assemble(a) })
	if err != nil {
		return err
	}
	errs := res.errs
	if c.JSON {
		if err := show(res.json()); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		if c.JSON { // JSON has the errors
			return wrong{errors.New(refused{c.File, errs}.Error())}
		}
		return wrong{refused{c.File, errs}}
	}
	code := res.bytes()
	if c.Hex {
		code = hexLines(res.Assembly)
	}
	file, err := out(res)
	switch {
	case err != nil:
		return err
	case file == "" && c.JSON:
		return nil
	case file == "":
		file = "-"
	}
	return a.save(file, bytesOf(code))
}

// assemble reads a file incrementally. A pipe is read completely first, so that an endless one costs no work, unless a
// limit was given. A program is read completely: see codeobj.
func (c *asmCmd) assemble(a *app) (*assembled, error) {
	if clang.IsSource(c.File) {
		return c.source(a)
	}
	if err := c.goes(a, c.File); err != nil {
		return nil, err
	}
	opt := asm.Options{File: c.File, NoLines: !c.Hex && !c.JSON, NoLint: c.NoLint, TextOnly: c.textOnly, Say: func(m asm.Message) { c.say(a, m) }}
	again := func() (io.ReadCloser, error) { return a.open(c.File) }
	var source []byte
	if info, err := os.Stat(c.File); c.File != "-" && !c.keep && (err != nil || info.Mode().IsRegular()) {
		opt.Again = again
	} else if a.most == 0 || c.keep {
		var err error
		if source, err = a.readNow(c.File); err != nil {
			return nil, err
		}
		again = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(source)), nil }
		opt.Again = again
	}
	f, err := again()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if named, is := c.sniff(in); is {
		return c.program(a, in, named)
	}
	columns := &asm.ColumnReader{From: in, Limit: mostPasted}
	t, src, err := c.target(columns)
	if err != nil {
		return nil, err
	}
	if c.Out == "" && !c.Hex && !c.JSON {
		return nil, errors.New("asm: -o is missing: where the machine code goes; - is standard output, --hex prints digits, --json more")
	}
	r, errs, err := asm.Read(t, src, opt)
	if err == nil && (len(errs) > 0 || columns.Found) {
		r, errs = pasted(t, again, opt, r, errs)
	}
	return &assembled{Assembly: r, target: t, errs: errs, source: source}, err
}

// pasted assembles a text with errors again without the columns of addresses and bytes that listings of other tools
// have, if it has any. Text that assembles is compared with the bytes after it.
func pasted(t *isa.Target, again func() (io.ReadCloser, error), opt asm.Options, r *asm.Assembly, errs []*isa.Error) (*asm.Assembly, []*isa.Error) {
	f, err := again()
	if err != nil {
		return r, errs
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostPasted))
	if err != nil || len(data) == mostPasted {
		return r, errs
	}
	text, found, wrong := asm.Pasted(t, data)
	switch {
	case wrong != nil:
		wrong.File = opt.File
		return nil, []*isa.Error{wrong}
	case !found || len(errs) == 0:
		return r, errs
	}
	opt.Say = nil // already called
	return asm.Assemble(t, text, opt)
}

// mostPasted limits the size of a listing of another tool, in bytes.
const mostPasted = 16 << 20

// say prints a message of a file being assembled.
func (c *asmCmd) say(a *app, m asm.Message) {
	if m.Warning {
		fmt.Fprintf(a.err, "%s:%d: warning: %s\n", c.File, m.Line, shownText(m.Text))
	} else {
		fmt.Fprintln(a.err, shownText(m.Text))
	}
}

// target returns the target that --isa or else the text names, and a reader of the whole text.
func (c *asmCmd) target(src io.Reader) (*isa.Target, io.Reader, error) {
	name := c.ISA
	if name == "" {
		set, variant, text, err := asm.ReadISA(src)
		if err != nil {
			return nil, nil, err
		}
		if src = text; set != "" {
			if name = set; variant != "" {
				name += ":" + variant
			}
			if _, err := sets.Lookup(name); err != nil {
				return nil, nil, fmt.Errorf("%s: .isa: %w", c.File, err)
			}
		}
	}
	t, err := find(name, c.Stage, fmt.Sprintf(", and %s has no .isa directive", c.File))
	if err == nil {
		t, err = c.of(t)
	}
	return t, src, err
}

// hexLines returns the code of an assembly, with the bytes of one source line per line.
func hexLines(r *asm.Assembly) []byte {
	var b bytes.Buffer
	for i := range r.Lines {
		fmt.Fprintf(&b, "%x\n", codeOf(r, i))
	}
	return b.Bytes()
}

// codeOf returns the code of entry i of an assembly's lines.
func codeOf(r *asm.Assembly, i int) []byte {
	end := len(r.Code)
	if i+1 < len(r.Lines) {
		end = r.Lines[i+1].Off
	}
	return r.Code[r.Lines[i].Off:end]
}

func (c *asmCmd) lines(a *app) error {
	if err := c.goes(a, ""); err != nil {
		return err
	}
	if err := a.fits("asm", 'l', ""); err != nil {
		return err
	}
	if len(c.Paths) > 1 {
		return errors.New("asm: --lines reads one file, or standard input")
	}
	t, err := find(c.ISA, c.Stage, "")
	if err == nil {
		t, err = c.of(t)
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
	l.NoLint = c.NoLint
	return a.eachLine(in, l.Asm)
}

// lineInput opens the input of --lines: a file, or standard input.
func (a *app) lineInput(path string) (io.ReadCloser, error) {
	if path == "" || path == "-" {
		return io.NopCloser(a.in), nil
	}
	info, err := os.Stat(path)
	if err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return os.Open(path)
	}
	return limit.Open(path)
}
