package main

import (
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/kernels"
	"github.com/heddle-gpu/heddle/object"
)

type buildCmd struct {
	ISA string `name:"isa" short:"i" placeholder:"ISA" help:"The same as --target."`
	Compiling
	Out  string `short:"o" placeholder:"OUT" help:"File for the code object; - is standard output."`
	JSON bool   `help:"Print what was made as JSON: target, bytes, kernels."`
	File string `arg:"" optional:"" help:"Source file: .cl, .c or .ll."`
}

func (c *buildCmd) Help() string {
	return `Compiles OpenCL C (.cl), C or LLVM's text (.ll) with the clang of the machine, links what heddle's built-in functions and, if it is installed,
libclc have of the functions that it calls, and writes a code object. The other commands do the same with a source file and keep the result in a
cache (the user's, or $HEDDLE_CACHE; off is none). The exit code is 1 if clang refuses the file or a function is missing. docs/kernels.md says more.

Examples:
  heddle build examples/saxpy/saxpy.cl -o saxpy.hsaco
  heddle build -O0 -DN=64 --target gfx700 examples/saxpy/saxpy.cl -o saxpy.hsaco
  heddle build --std CL2.0 --cflag=-mcode-object-version=4 examples/saxpy/saxpy.cl -o saxpy.hsaco`
}

func (c *buildCmd) Run(a *app) error {
	switch {
	case c.File == "":
		return errors.New("build: no file; give a source file: .cl, .c or .ll")
	case !clang.IsSource(c.File):
		return hinted{fmt.Errorf("%s: is no source file: want .cl, .c or .ll", c.File), "heddle asm assembles a text"}
	case c.Out == "":
		return errors.New("build: -o is missing: where the code object goes; - is standard output")
	case c.JSON && c.Out == "-":
		return errors.New("--json and the code object would both go to standard output")
	}
	data, err := c.code(a, c.File, c.ISA)
	if err != nil {
		return err
	}
	if err := a.save(c.Out, bytesOf(data)); err != nil || !c.JSON {
		return err
	}
	o, err := object.ReadHSAFile(data, c.Out)
	if err != nil {
		return err
	}
	return a.json(struct {
		File    string           `json:"file"`
		Target  string           `json:"target"`
		Version int              `json:"version"`
		Bytes   int              `json:"bytes"`
		Kernels []kernels.Kernel `json:"kernels"`
	}{c.Out, o.Target, o.Version, len(data), kernels.Describe(o, kernels.Run(c.Out, nil))})
}
