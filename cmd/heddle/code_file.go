package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/kernels"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// CodeFile is the flags of commands that read the code of a file in any format.
type CodeFile struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object and a file's .isa name their own."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Raw   bool   `help:"The file is bare machine code."`
	Text  bool   `help:"The file is assembly, as is one whose name ends in .s."`
	Compiling
}

// check checks the flags before anything is read.
func (f *CodeFile) check() error {
	if f.Raw && f.Text {
		return errors.New("--raw and --text: a file is one of them")
	}
	return nil
}

// A codeUse says what a command needs from a file.
type codeUse struct {
	Style
	comments bool   // needs the comments of assembly
	textOnly bool   // accepts instructions without public encoding
	hint     string // what to do about text that is not marked as assembly
	// is is called with the kind of the file, assembly (t), code object (o) or bare code (b), before it is read; may be
	// nil.
	is func(kind byte) error
}

// A code is the contents of a file: text, an object, or bare bytes.
type code struct {
	target *isa.Target
	text   *asm.Assembly      // of assembly without sections
	object *object.CodeObject // in the file, or assembled from sections
	data   []byte             // the file; nil for assembly
	source []byte             // of assembly, if codeUse.comments is set
	format *asm.Format        // of assembly in sections
}

// lint lints the contents. It removes findings that comments suppress, and those in the filter's baseline.
func (c *code) lint(opt lint.Options, f linter.Filter) *linter.Filtered {
	f.Comments = linter.Suppressions(c.target, c.format, c.source)
	return f.Run(c.target, opt, func(o lint.Options) *lint.Report {
		switch {
		case c.text != nil:
			return linter.Assembly(c.text, o)
		case c.object != nil:
			return linter.Object(c.target, c.object, o)
		}
		return linter.Bare(c.target, c.data, 0, o)
	})
}

// open reads the file.
func (f *CodeFile) open(a *app, file string, u codeUse) (*code, error) {
	is := func(kind byte) error {
		if u.is == nil {
			return nil
		}
		return u.is(kind)
	}
	if clang.IsSource(file) && !f.Raw && !f.Text {
		if err := is('o'); err != nil {
			return nil, err
		}
		data, err := f.Compiling.code(a, file, f.ISA)
		if err != nil {
			return nil, err
		}
		c := &code{}
		return c, c.read(f, file, data, &u.Style)
	}
	if err := f.goes(a, file); err != nil {
		return nil, err
	}
	if f.Text || !f.Raw && strings.EqualFold(filepath.Ext(file), ".s") {
		if err := is('t'); err != nil {
			return nil, err
		}
		return f.assembly(a, file, u)
	}
	data, err := a.read(file)
	if err != nil {
		return nil, err
	}
	c := &code{data: data}
	switch {
	case !f.Raw && object.IsHSA(data):
		if err := is('o'); err != nil {
			return nil, err
		}
		return c, c.read(f, file, data, &u.Style)
	case !f.Raw && object.IsCubin(data):
		if err := is('b'); err != nil {
			return nil, err
		}
		return c, c.cubin(f, file, &u.Style)
	case !f.Raw && object.IsELF(data):
		_, err := object.ReadHSAFile(data, file)
		return nil, err
	case !f.Raw && isWritten(data):
		return nil, hinted{fmt.Errorf("%s: is text, not machine code", file), u.hint}
	}
	if err := is('b'); err != nil {
		return nil, err
	}
	if c.target, err = find(f.ISA, f.Stage, ": bare code does not name its own"); err == nil {
		c.target, err = u.of(c.target)
	}
	return c, err
}

// isWritten reports whether bytes are text: lines of printable characters. Only short machine code is likely to be.
func isWritten(data []byte) bool {
	return bytes.IndexByte(data, '\n') >= 0 && utf8.Valid(data) && !bytes.ContainsFunc(data, func(r rune) bool {
		return !unicode.IsPrint(r) && !unicode.IsSpace(r)
	})
}

// assembly assembles the file. Instructions that break rules are not errors.
func (f *CodeFile) assembly(a *app, file string, u codeUse) (*code, error) {
	res, err := (&asmCmd{ISA: f.ISA, Stage: f.Stage, Style: u.Style, File: file, NoLint: true, JSON: true, keep: u.comments, textOnly: u.textOnly}).assemble(a)
	if err != nil {
		return nil, err
	}
	if len(res.errs) > 0 {
		return nil, wrong{fmt.Errorf("%w: it does not assemble", refused{file, res.errs})}
	}
	c := &code{source: res.source, format: res.format}
	if res.program != nil {
		if c.object, err = res.program.Object(); err != nil {
			return nil, err
		}
		return c, c.targetOf(f, file, &u.Style)
	}
	c.text, c.target = res.Assembly, res.Assembly.Target
	return c, nil
}

// read sets the code to a code object.
func (c *code) read(f *CodeFile, file string, data []byte, s *Style) (err error) {
	if c.object, err = object.ReadHSAFile(data, file); err != nil {
		return err
	}
	return c.targetOf(f, file, s)
}

// targetOf determines the target of the object.
func (c *code) targetOf(f *CodeFile, file string, s *Style) (err error) {
	if c.target, err = findFor(c.object, file, f.ISA, f.Stage); err != nil {
		return err
	}
	c.target, err = s.of(c.target)
	return err
}

// cubin sets the code to that of the only kernel of a CUDA file.
func (c *code) cubin(f *CodeFile, file string, s *Style) error {
	o, err := readCubin(c.data, file)
	if err != nil {
		return err
	}
	k, err := o.Kernel("")
	if err != nil {
		return hinted{fmt.Errorf("%s: %w; of a file with one kernel its code is taken", file, err), fmt.Sprintf("heddle dis --symbol NAME --short %s > NAME.s lists one as assembly, which is taken too", kernels.Word(file))}
	}
	c.data = k.Code
	if c.target, err = cubinTarget(o, file, f.ISA); err == nil {
		c.target, err = s.of(c.target)
	}
	return err
}
