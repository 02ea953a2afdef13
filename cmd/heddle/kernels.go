package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/kernels"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/object"
)

type kernelsCmd struct {
	ISA string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set, of a source file the same as --target; a code object and a text name their own."`
	Compiling
	Kernel string `placeholder:"NAME" help:"This kernel only."`
	JSON   bool   `help:"Print JSON."`
	File   string `arg:"" optional:"" help:"Code object, CUDA file, assembly in sections, source file (.cl, .c, .ll), or - for standard input."`
}

func (c *kernelsCmd) Help() string {
	return `Of each kernel its signature, the registers and memory that it takes, the workgroup sizes that it was compiled for, and a command line that runs it:
on one workgroup, with zeros in the buffers, to be changed. A source file is compiled first; code objects have the names of arguments if they were
compiled with -g, or from OpenCL C with -cl-kernel-arg-info: both are on here.

Examples:
  heddle kernels examples/reduction/reduce_lds.gfx803.hsaco
  heddle kernels --json examples/saxpy/saxpy.gfx803.s
  heddle kernels --target gfx700 examples/saxpy/saxpy.cl

Of a CUDA file (sm_10 to sm_13) it is what its sections say. That has the sizes of parameters, and not which of them are pointers: the command line
gives a buffer to each that is as large as one.`
}

func (c *kernelsCmd) Run(a *app) error {
	if c.File == "" {
		return errors.New("kernels: no file; give a code object, assembly in sections or a source file")
	}
	if c.File != "-" && fileIsCubin(c.File) {
		return c.cuda(a)
	}
	f := CodeFile{ISA: c.ISA, Compiling: c.Compiling}
	r, err := f.open(a, c.File, codeUse{hint: "kernels are in code objects, assembly in sections and source files"})
	switch {
	case err != nil:
		return err
	case r.object == nil:
		return fmt.Errorf("%s: has no kernels: it is code of %s without descriptors", c.File, r.target)
	case len(r.object.Kernels) == 0:
		return wrong{fmt.Errorf("%s: has no kernels", c.File)}
	}
	list := kernels.Describe(r.object, kernels.Run(c.File, c.flags(c.ISA)))
	if c.Kernel != "" {
		if _, ok := r.object.Kernel(c.Kernel); !ok {
			return wrong{fmt.Errorf("%s: no kernel %q; there are %s", c.File, c.Kernel, strings.Join(kernelNames(r.object), ", "))}
		}
		list = slices.DeleteFunc(list, func(k kernels.Kernel) bool { return k.Name != c.Kernel })
	}
	if c.JSON {
		return a.json(struct {
			File    string           `json:"file"`
			Target  string           `json:"target"`
			Kernels []kernels.Kernel `json:"kernels"`
		}{c.File, r.object.Target, list})
	}
	for i := range list {
		if i > 0 {
			a.printf("\n")
		}
		printKernel(a, &list[i])
	}
	return nil
}

// cuda lists the kernels of a CUDA file.
func (c *kernelsCmd) cuda(a *app) error {
	if err := c.goes(a, c.File); err != nil {
		return err
	}
	data, err := a.read(c.File)
	if err != nil {
		return err
	}
	o, err := readCubin(data, c.File)
	if err != nil {
		return err
	}
	t, err := cubinTarget(o, c.File, c.ISA)
	if err != nil {
		return err
	}
	if _, err := o.Kernel(c.Kernel); len(o.Kernels) == 0 || c.Kernel != "" && err != nil {
		return wrong{fmt.Errorf("%s: %w", c.File, err)}
	}
	list := kernels.DescribeCUDA(o, kernels.Run(c.File, c.flags(c.ISA)))
	if c.Kernel != "" {
		list = slices.DeleteFunc(list, func(k kernels.CUDA) bool { return k.Name != c.Kernel })
	}
	if c.JSON {
		return a.json(struct {
			File    string         `json:"file"`
			Target  string         `json:"target"`
			Kernels []kernels.CUDA `json:"kernels"`
		}{c.File, fmt.Sprintf("sm_%d", o.SM), list})
	}
	a.say("%s: CUDA, sm_%d; runs as %s\n", c.File, o.SM, t)
	for i := range list {
		a.printf("\n")
		printCUDA(a, &list[i])
	}
	return nil
}

func printCUDA(a *app, k *kernels.CUDA) {
	a.say("%s\n", k.Name)
	registers := "the file does not say how many"
	if k.Registers > 0 {
		registers = fmt.Sprintf("%d per thread", k.Registers)
	}
	a.printf("  registers  %s\n", registers)
	a.printf("  memory     shared %s per block, local %s per thread, code %s\n", spell.Count(int(k.Shared), "byte"), spell.Count(int(k.Local), "byte"), spell.Count(k.Size, "byte"))
	if k.Unknown {
		a.printf("  parameters the file does not say: no record of .nv.info names one\n")
	}
	for _, p := range k.Params {
		a.printf("  parameter  %d: %s at %#x\n", p.Ordinal, spell.Count(p.Size, "byte"), p.Offset)
	}
	a.say("  run        %s\n", k.Command)
}

func printKernel(a *app, k *kernels.Kernel) {
	a.say("%s\n", k.Signature)
	a.printf("  registers  %d VGPRs, %d SGPRs\n", k.VGPRs, k.SGPRs)
	a.printf("  memory     LDS %s per workgroup, scratch %s per lane, arguments %s\n", spell.Count(int(k.LDS), "byte"), spell.Count(int(k.Scratch), "byte"), spell.Count(int(k.Kernarg), "byte"))
	switch {
	case k.Required != nil:
		a.printf("  workgroup  %s, required\n", axes(*k.Required))
	case k.Most != 0:
		a.printf("  workgroup  at most %d work-items\n", k.Most)
	}
	if k.Unnamed {
		a.printf("  names      %s\n", object.UnnamedHint)
	}
	if k.Command != "" {
		a.say("  run        %s\n", k.Command)
	} else {
		a.say("  run        no command line: %s\n", k.Lacks)
	}
}

func kernelNames(o *object.CodeObject) (names []string) {
	for i := range o.Kernels {
		names = append(names, o.Kernels[i].Name)
	}
	return names
}

// usage adds the right command line to an error about a kernel's arguments or grid.
func (c *runCmd) usage(err error, path string, o *object.CodeObject, name string) error {
	k, ok := o.Kernel(name)
	if !ok || err == nil {
		return err
	}
	line, lacks := kernels.Command(k, kernels.Run(path, c.flags(c.ISA)), len(o.Kernels) > 1)
	if lacks != "" {
		return err
	}
	return hinted{err, "to begin with: " + line}
}

// argumentError reports whether an error is about the arguments of a launch.
func argumentError(err error) bool {
	var e *gcn.ArgumentError
	return errors.As(err, &e)
}
