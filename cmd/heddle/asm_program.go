package main

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// An assembled is the result of assembling a text: bare code, or a program.
type assembled struct {
	*asm.Assembly
	program *codeobj.Code
	target  *isa.Target
	errs    []*isa.Error
	source  []byte      // the text, if it was read completely
	format  *asm.Format // for a program
}

func (r *assembled) bytes() []byte {
	if r.program != nil {
		return r.program.Data
	}
	return r.Code
}

// json returns the result for output.
func (r *assembled) json() any {
	if r.program == nil {
		return assemblyJSON(r.target, r.Assembly, r.errs)
	}
	return programJSON(r.program)
}

// sniff reports whether the text is a program rather than bare code, and returns the processor that it names.
func (c *asmCmd) sniff(in *bufio.Reader) (named string, is bool) {
	head, _ := in.Peek(64 << 10) // fails for shorter texts
	named, is = codeobj.Sniff(head)
	return named, is || isHsaco(c.Out)
}

func isHsaco(path string) bool { return strings.EqualFold(filepath.Ext(path), ".hsaco") }

// program assembles a program.
func (c *asmCmd) program(a *app, in io.Reader, named string) (*assembled, error) {
	if err := a.fits("asm", 'p', c.File); err != nil {
		return nil, err
	}
	if c.Out == "" && !c.JSON {
		return nil, errors.New("asm: -o is missing: where the code object goes; - is standard output")
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	return assembleProgram(text, named, codeobj.Options{File: c.File, Dialect: c.Dialect, NoLint: c.NoLint, Lines: c.JSON, Say: func(m asm.Message) { c.say(a, m) }}, c.ISA)
}

// source compiles a source file.
func (c *asmCmd) source(a *app) (*assembled, error) {
	if err := a.fits("asm", 'p', c.File); err != nil {
		return nil, err
	}
	if c.Out == "" && !c.JSON {
		return nil, errors.New("asm: -o is missing: where the code object goes; - is standard output")
	}
	data, err := c.Compiling.code(a, c.File, c.ISA)
	if err != nil {
		return nil, err
	}
	return &assembled{program: &codeobj.Code{Data: data}}, nil
}

// assembleProgram assembles a text for the processor that it or --isa names.
func assembleProgram(text []byte, named string, opt codeobj.Options, isaName string) (*assembled, error) {
	if isaName == "" && named == "" {
		set, variant := asm.SourceISA(text)
		name := strings.TrimSuffix(set+":"+variant, ":")
		if t, err := sets.Lookup(name); err == nil && t.Name == "gcn" {
			isaName = name
		}
	}
	if isaName != "" {
		t, err := find(isaName, "", "")
		if err != nil {
			return nil, err
		}
		if opt.Target = isaName; !object.IsTarget(isaName) {
			opt.Target = object.Processor(t.Variants[t.Variant].Name)
		}
		if wrong := codeobj.Contradiction(text, opt.File, t); wrong != nil {
			return &assembled{errs: []*isa.Error{wrong}}, nil
		}
	}
	code, errs, err := codeobj.Assemble(text, opt)
	if err != nil || len(errs) > 0 {
		return &assembled{errs: errs}, err
	}
	return &assembled{program: code, source: text, format: codeobj.Format(code.Target)}, nil
}

type jsonProgram struct {
	Target   string        `json:"target"`
	Version  int           `json:"version"`
	Bytes    int           `json:"bytes"`
	Sections []jsonSection `json:"sections"`
	Symbols  []jsonLabel   `json:"symbols"`
	Kernels  []string      `json:"kernels"`
}

type jsonSection struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
}

// programJSON returns a program for output. It reads back what was just written.
func programJSON(p *codeobj.Code) any {
	j := jsonProgram{Bytes: len(p.Data), Sections: []jsonSection{}, Symbols: []jsonLabel{}, Kernels: []string{}}
	if u := p.Unlinked; u != nil {
		j.Target, j.Version = p.Target, u.Version
		for i := range u.Sections {
			s := &u.Sections[i]
			j.Sections = append(j.Sections, jsonSection{s.Name, max(s.Size, uint64(len(s.Data)))})
		}
	}
	o, err := object.ReadHSA(p.Data)
	if err != nil {
		return j
	}
	if p.Unlinked == nil { // compiled
		j.Target, j.Version = o.Target, o.Version
		for i := range o.Sections {
			j.Sections = append(j.Sections, jsonSection{o.Sections[i].Name, o.Sections[i].Size})
		}
	}
	for _, y := range o.Symbols {
		if y.Defined && y.Name != "" {
			j.Symbols = append(j.Symbols, jsonLabel{y.Name, y.Addr})
		}
	}
	for i := range o.Kernels {
		j.Kernels = append(j.Kernels, o.Kernels[i].Name)
	}
	return j
}
