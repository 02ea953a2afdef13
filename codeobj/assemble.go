package codeobj

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/object"
)

// Options are what a text does not say itself. The zero value takes everything from the text.
type Options struct {
	File    string // for messages
	Target  string // processor if there is no .amdgcn_target: gfx803
	Version int    // of the code object, 3 to 6, if neither directives nor metadata say; 0: 5
	Dialect string // dialect of the instructions; "": that of LLVM
	NoLint  bool   // as in asm.Options
	Lines   bool   // keep which lines the code comes from: see Code.Object
	// Partial returns, in spite of errors, a Code without Data, and without Unlinked if the program itself has errors; see
	// asm.Options.
	Partial bool
	// Say is called for each .print and .warning; nil: they are dropped.
	Say func(m asm.Message)
}

// A Code is the result of assembling a text.
type Code struct {
	File     string // as in Options
	Data     []byte // a code object that can be loaded
	Target   string // gfx803
	Unlinked *object.Unlinked
	Program  *asm.Program
}

// Sniff returns the processor that the text of a program names, and whether it is such a program: a line begins with
// .amdgcn_target or .amdhsa_kernel. It reads the first 64 KiB.
func Sniff(text []byte) (target string, is bool) {
	target, _, is = sniff(text)
	return target, is
}

// Contradiction returns the error of a text that names a processor of another variant than the requested one, at the
// line that names it; nil: it does not.
func Contradiction(text []byte, file string, asked *isa.Target) *isa.Error {
	named, number, _ := sniff(text)
	if named == "" || asked.Name == "gcn" && object.Variant(named) == asked.Variants[asked.Variant].Name {
		return nil
	}
	line := bytes.Split(text, []byte("\n"))[number-1]
	before := len(line) - len(bytes.TrimLeft(line, " \t"))
	if i := bytes.IndexAny(line[before:], " \t"); i >= 0 {
		before += i
		before += len(line[before:]) - len(bytes.TrimLeft(line[before:], " \t"))
	}
	return &isa.Error{Code: isa.ErrDirective, File: file, Line: number, Col: before + 1, Source: strings.TrimRight(string(line), "\r"),
		Msg: fmt.Sprintf("the text says %s, and it is assembled for %s", named, asked)}
}

// sniff is Sniff, and also returns the line that names the processor.
func sniff(text []byte) (target string, number int, is bool) {
	var parts [3]string
	for line := range bytes.Lines(text[:min(len(text), 64<<10)]) {
		number++
		word, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		word, tab, _ := strings.Cut(word, "\t")
		switch word {
		case ".amdgcn_target":
			target, _, err := processor(unquoted(tab + rest))
			if err != nil {
				return "", 0, true
			}
			return target, number, true
		case ".amdhsa_kernel", ".amdhsa_code_object_version":
			is = true
		default:
			named, old := sniffOld(word, tab+rest, &parts)
			if is = is || old; named != "" {
				return named, number, true
			}
		}
	}
	return "", 0, is
}

// Assemble assembles and links a program. The errors are all those of the text, in the order of its lines; the last
// result is an error that belongs to no line.
func Assemble(text []byte, opt Options) (*Code, []*isa.Error, error) {
	named, _ := Sniff(text)
	if named == "" {
		named = opt.Target
	}
	if named == "" && bytes.Contains(text, []byte("\ntarget triple = \"")) {
		return nil, nil, fmt.Errorf("%s: LLVM IR, and no assembly: clang compiles it if its name ends in .ll", orText(opt.File))
	}
	if named == "" {
		return nil, nil, fmt.Errorf("%s: there is no .amdgcn_target, and no option names the processor, such as gfx803", orText(opt.File))
	}
	t, err := targetOf(named, opt.Dialect)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", orText(opt.File), err)
	}
	b := &builder{opt: opt, lines: text}
	b.named, b.chip = named, chipOf(named)
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	r, errs, err := asm.Read(t, bytes.NewReader(text), asm.Options{File: opt.File, NoLines: !opt.Lines, NoLint: opt.NoLint, Again: again, Say: opt.Say, Format: format(b.chip), Partial: opt.Partial})
	if err != nil || r == nil {
		return nil, errs, err
	}
	if len(errs) > 0 {
		return &Code{File: opt.File, Program: r.Program}, errs, nil
	}
	u := b.build(r.Program)
	if len(b.errs) > 0 && opt.Partial {
		return &Code{File: opt.File, Target: u.Target, Unlinked: u, Program: r.Program}, b.errs, nil
	}
	if len(b.errs) > 0 {
		return nil, b.errs, nil
	}
	data, err := u.Link()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", orText(opt.File), withoutPlace(err))
	}
	return &Code{File: opt.File, Data: data, Target: u.Target, Unlinked: u, Program: r.Program}, nil, nil
}

// Format returns what programs for a processor, or for gfx803 if it is unknown, add to the assembler.
func Format(processor string) *asm.Format {
	if !object.IsTarget(processor) {
		processor = "gfx803"
	}
	return format(chipOf(processor))
}

func orText(file string) string {
	if file == "" {
		return "text"
	}
	return file
}

// withoutPlace returns the message of a link error without its offsets, which are those of a file that does not
// exist.
func withoutPlace(err error) error {
	if e, ok := err.(*object.Error); ok {
		return fmt.Errorf("%s", e.Msg)
	}
	return err
}

// targetOf returns the instruction set of a processor.
func targetOf(name, dialect string) (*isa.Target, error) {
	set := gcn.Set()
	v, ok := set.Variant(object.Variant(name))
	switch {
	case !object.IsTarget(name):
		return nil, fmt.Errorf("no processor %q", name)
	case !ok || object.Variant(name) == "":
		return nil, fmt.Errorf("%s is of another generation: only gfx6, gfx7 and gfx8 can be assembled", name)
	}
	t := set.At(v, 0)
	t = t.AskedBy(t.FullName(), "")
	if dialect == "" {
		return t, nil
	}
	d, ok := set.Arch.Dialect(dialect)
	if !ok {
		return nil, fmt.Errorf("no dialect %q of %s", dialect, set.Name)
	}
	return t.With(d, nil)
}

// processor splits the operand of .amdgcn_target: amdgcn-amd-amdhsa--gfx803:xnack-.
func processor(text string) (name, features string, err error) {
	rest, ok := strings.CutPrefix(text, "amdgcn-amd-amdhsa-")
	if !ok {
		rest, ok = strings.CutPrefix(text, mesaTriple)
	}
	if !ok {
		return "", "", fmt.Errorf("%q: want amdgcn-amd-amdhsa--PROCESSOR", text)
	}
	if at := strings.LastIndex(rest, "-gfx"); at >= 0 {
		rest = rest[at+1:]
	}
	name, features, _ = strings.Cut(strings.TrimPrefix(rest, "-"), ":")
	if !object.IsTarget(name) {
		return "", "", fmt.Errorf("%q: no processor %q", text, name)
	}
	return name, features, nil
}

func unquoted(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), ";")
	return strings.Trim(strings.TrimSpace(s), `"`)
}

// A chip is the numbers in a processor's name.
type chip struct {
	major, minor, stepping int
	initBug                bool // waves get 96 scalar registers, whatever they ask for
	xnack                  bool // it can be configured to retry memory accesses
}

// chipOf returns that of gfx803 and the like.
func chipOf(name string) chip {
	c := chip{major: int(name[3] - '0'), minor: int(name[4] - '0'), stepping: int(name[5] - '0')}
	c.initBug = name == "gfx802" || name == "gfx805"
	c.xnack = name == "gfx801" || name == "gfx810"
	return c
}

// scalars returns how many scalar registers can be named by number.
func (c chip) scalars() int {
	if c.major < 8 {
		return 104
	}
	return 102
}

// extra returns how many scalar registers a wave gets besides the numbered ones.
func (c chip) extra(vcc, flat, xnack bool) int {
	n := 0
	if vcc {
		n = 2
	}
	switch {
	case c.major < 8 && flat, c.major >= 8 && xnack && !flat:
		n = 4
	case c.major >= 8 && flat:
		n = 6
	}
	return n
}
