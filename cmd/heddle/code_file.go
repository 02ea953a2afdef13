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

// CodeFile are the flags of commands that look at the code of a file, whatever holds it.
type CodeFile struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set; a code object and a file's .isa name their own."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Raw   bool   `help:"The file is bare machine code."`
	Text  bool   `help:"The file is assembly, as is one whose name ends in .s."`
	Compiling
}

// check finds what is wrong with the flags before anything is read.
func (f *CodeFile) check() error {
	if f.Raw && f.Text {
		return errors.New("--raw and --text: a file is one of them")
	}
	return nil
}

// A codeUse is what a command wants of a file.
type codeUse struct {
	Style
	comments bool                  // of a text are read
	textOnly bool                  // instructions without public encoding are taken
	hint     string                // what to do about text that is not said to be assembly
	is       func(kind byte) error // told whether it is assembly (t), a code object (o) or bare code (b), before that is read; nil: nobody asks
}

// A code is what a file holds: text, or an object, or bare bytes.
type code struct {
	target *isa.Target
	text   *asm.Assembly      // of assembly without sections
	object *object.CodeObject // in the file, or what assembly in sections becomes
	data   []byte             // the file; nil of assembly
	source []byte             // of assembly, with codeUse.comments
	format *asm.Format        // of assembly in sections
}

// lint looks at what the file holds. Findings that comments of assembly suppress, and those that the filter's baseline knows, are taken out.
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

// isWritten is whether bytes are text: lines of what can be printed. Machine code that happens to be is short.
func isWritten(data []byte) bool {
	return bytes.IndexByte(data, '\n') >= 0 && utf8.Valid(data) && !bytes.ContainsFunc(data, func(r rune) bool {
		return !unicode.IsPrint(r) && !unicode.IsSpace(r)
	})
}

// assembly assembles the file. What breaks a rule by itself is no error of the text.
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

// read makes it a code object.
func (c *code) read(f *CodeFile, file string, data []byte, s *Style) (err error) {
	if c.object, err = object.ReadHSAFile(data, file); err != nil {
		return err
	}
	return c.targetOf(f, file, s)
}

// targetOf finds the target of the object.
func (c *code) targetOf(f *CodeFile, file string, s *Style) (err error) {
	if c.target, err = findFor(c.object, file, f.ISA, f.Stage); err != nil {
		return err
	}
	c.target, err = s.of(c.target)
	return err
}

// cubin makes it the code of the one kernel of a CUDA file.
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
