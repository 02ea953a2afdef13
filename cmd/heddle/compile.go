package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/object"
)

// Compiling is the flags of commands that accept source files: how clang compiles one to a code object.
type Compiling struct {
	Processor  string   `name:"target" group:"source file" placeholder:"PROCESSOR" help:"What a .cl, .c or .ll file is compiled for: gfx600 to gfx810 (gfx803), or a set as of --isa."`
	Clang      string   `group:"source file" placeholder:"PROGRAM" help:"The clang that compiles it; if not given $$HEDDLE_CLANG, clang, or the newest clang-N of $$PATH."`
	Std        string   `group:"source file" placeholder:"STD" help:"Version of OpenCL C: CL1.2, CL2.0, CL3.0 (CL1.2)."`
	Opt        string   `short:"O" group:"source file" placeholder:"LEVEL" help:"Level of optimisation: 0, 1, 2, 3, s, z (2)."`
	Define     []string `short:"D" sep:"none" group:"source file" placeholder:"NAME[=VALUE]" help:"Define a macro."`
	IncludeDir []string `short:"I" sep:"none" group:"source file" placeholder:"FOLDER" help:"Look for included files there."`
	CFlag      []string `name:"cflag" sep:"none" group:"source file" placeholder:"FLAG" help:"Another flag of clang, such as --cflag=-mcode-object-version=4."`

	made map[string][]byte // by file: a session compiles only once
}

// sourceFlags are the names of the flags of Compiling.
var sourceFlags = []string{"target", "clang", "std", "opt", "define", "include-dir", "cflag"}

// goes reports flags of source files if the file is not one.
func (c *Compiling) goes(a *app, path string) error {
	if clang.IsSource(path) {
		return nil
	}
	for _, f := range sourceFlags {
		if a.given(f) {
			return hinted{fmt.Errorf("%s is no source file: --%s does not go with it", orNoFile(path), f), "source files are those whose names end in .cl, .c or .ll"}
		}
	}
	return nil
}

// takes reports whether a file of a folder is a source file that the command line selects by a flag of source files.
func (c *Compiling) takes(path string) bool { return len(c.flags("")) > 0 && clang.IsSource(path) }

// heard reports flags of source files if none of several files can be one.
func (c *Compiling) heard(a *app, paths []string) error {
	if slices.ContainsFunc(paths, func(path string) bool { return clang.IsSource(path) || isFolder(path) }) {
		return nil
	}
	return c.goes(a, only(paths))
}

// unheard prints a note about flags of source files if folders had none.
func (c *Compiling) unheard(a *app, paths []string) {
	for _, f := range sourceFlags {
		if a.given(f) {
			fmt.Fprintf(a.err, "heddle: note: no source file in %s: --%s has no effect\n", shownText(strings.Join(paths, ", ")), f)
			return
		}
	}
}

func orNoFile(path string) string {
	if path == "" || path == "-" {
		return "standard input"
	}
	return path
}

// code returns the file, or, for a source file, the compiled code object. isa is the value of --isa.
func (c *Compiling) code(a *app, path, isa string) ([]byte, error) {
	if err := c.goes(a, path); err != nil {
		return nil, err
	}
	if !clang.IsSource(path) {
		return a.read(path)
	}
	if data, ok := c.made[path]; ok {
		return data, nil
	}
	target, err := c.processor(isa)
	if err != nil {
		return nil, err
	}
	opt := clang.Options{Clang: c.Clang, Target: target, Std: c.Std, Opt: c.Opt, Err: a.err}
	for _, d := range c.Define {
		opt.Flags = append(opt.Flags, "-D"+d)
	}
	for _, d := range c.IncludeDir {
		opt.Flags = append(opt.Flags, "-I"+d)
	}
	opt.Flags = append(opt.Flags, c.CFlag...)
	data, err := within(a, "compiling "+path, func() ([]byte, error) { return clang.Compile(a.ctx, path, opt) })
	if err != nil {
		return nil, compileError(err)
	}
	if c.made == nil {
		c.made = map[string][]byte{}
	}
	c.made[path] = data
	return data, nil
}

// flags returns the flags of the command line for compiling source files.
func (c *Compiling) flags(isa string) (list []string) {
	one := func(flag, value string) {
		if value != "" {
			list = append(list, flag+value)
		}
	}
	one("--isa=", isa)
	one("--target=", c.Processor)
	one("--clang=", c.Clang)
	one("--std=", c.Std)
	one("-O", c.Opt)
	for _, l := range []struct {
		flag   string
		values []string
	}{{"-D", c.Define}, {"-I", c.IncludeDir}, {"--cflag=", c.CFlag}} {
		for _, v := range l.values {
			one(l.flag, v)
		}
	}
	return list
}

// processor combines --target and --isa; "" if neither is given.
func (c *Compiling) processor(isa string) (string, error) {
	var names [2]string
	for i, f := range [...]struct{ flag, value string }{{"target", c.Processor}, {"isa", isa}} {
		switch t, err := find(f.value, "", ""); {
		case f.value == "":
		case object.IsTarget(f.value):
			names[i] = f.value
		case err != nil:
			return "", fmt.Errorf("--%s: %w", f.flag, err)
		case t.Name != "gcn":
			return "", hinted{fmt.Errorf("--%s %s: clang does not compile for %s", f.flag, f.value, t.Name), "source files become code of gcn: gfx600 to gfx810"}
		default:
			names[i] = object.Processor(t.Variants[t.Variant].Name)
		}
	}
	if names[0] != "" && names[1] != "" && object.Variant(names[0]) != object.Variant(names[1]) {
		return "", fmt.Errorf("--target %s and --isa %s are not the same", c.Processor, isa)
	}
	if names[0] == "" {
		return names[1], nil
	}
	return names[0], nil
}

// compileError converts an error of a compilation: an error in the source is no usage error.
func compileError(err error) error {
	var hint interface {
		error
		Hint() string
	}
	if errors.As(err, &hint) {
		err = hinted{err, hint.Hint()}
	}
	var refused *clang.FailedError
	var missing *clang.UndefinedError
	if errors.As(err, &refused) || errors.As(err, &missing) {
		return wrong{err}
	}
	return err
}

// isSourceFlag reports whether a flag belongs to Compiling. Such flags go with source files in all commands that have
// them.
func isSourceFlag(name string) bool { return slices.Contains(sourceFlags, name) }
