package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// Flags for programs without a descriptor, in the same form for each instruction set that has them.

// programName returns the name of a program: its file without extension.
func programName(path string) string {
	if path == "-" {
		return "code"
	}
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// sized reports that there is no code, or that the number of threads is not given.
func (c *runCmd) sized(path string, code []byte) error {
	switch {
	case len(code) == 0:
		return fmt.Errorf("%s: there is no code", path)
	case c.Grid[0] == 0 || c.Block[0] == 0:
		return errors.New("run: --grid and --block are needed to run a program")
	}
	return nil
}

// groups returns the number of workgroups in the grid. The error reports that they do not fill it.
func (c *runCmd) groups() (n [3]uint32, err error) {
	for i := range n {
		if n[i] = c.Grid[i] / c.Block[i]; c.Grid[i]%c.Block[i] != 0 {
			return n, fmt.Errorf("run: --grid %s is no multiple of --block %s", axes(c.Grid), axes(c.Block))
		}
	}
	return n, nil
}

// program runs a compute program without a descriptor.
func (c *runCmd) program(a *app, path string, on *launch.Compute, t *isa.Target, code []byte, base uint64) error {
	if err := c.sized(path, code); err != nil {
		return err
	}
	if err := on.CheckABI(c.ABI); err != nil {
		return fmt.Errorf("--abi %s: %w", c.ABI, err)
	}
	from, err := t.RunnableFrom(&c.from, base, code, c.bundles)
	if err != nil {
		return err
	}
	k := &launch.Kernel{Name: programName(path), Program: exec.NewProgram(from), Entry: base, Block: c.Block, Registers: c.registers,
		GroupBytes: int(c.LDS), PrivateBytes: int(c.Scratch), ABI: c.ABI, Buffers: c.constants}
	if k.Groups, err = c.groups(); err != nil {
		return err
	}
	if err := c.programArguments(a, on, k); err != nil {
		return err
	}
	c.saveProgram(on, k, t, code)
	h := &held{}
	for _, b := range k.Buffers {
		b.Unset = c.unset[b.Name]
		if b.Space.ID != ir.ConstSpace {
			h.hold(b.Name, &b.Data, c.types[b.Name])
		}
	}
	return c.launched(a, ran{set: t.Name, Kernel: k.Name, Grid: c.Grid, Block: k.Block}, h, func() (*launch.Result, error) { return on.Launch(a.ctx, k, c.settings(a)) })
}

// programArguments reads --arg, --buf and --kernarg.
func (c *runCmd) programArguments(a *app, on *launch.Compute, k *launch.Kernel) error {
	if c.Kernarg != "" && len(c.Arg) > 0 {
		return hinted{errors.New("arguments are given one by one, by --arg, and as bytes, by --kernarg"), "--buf makes buffers that --kernarg can name: --buf out=zero:256 --kernarg @out,u32:3"}
	}
	args := on.Arguments(k)
	for i, text := range c.Arg {
		if err := c.programArgument(a, on, args, i, text); err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
	}
	for _, text := range c.Buf {
		b, err := c.buffer(a, text, nil)
		if err == nil {
			err = args.AddNamed(&launch.Buffer{Name: b.name, Addr: b.addr, Data: b.data}, b.set)
		}
		if err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
	}
	if c.Kernarg != "" {
		var err error
		if k.Args, err = c.kernarg(a, args.Pointer, func(name string) (uint64, bool) {
			b := k.Buffer(name)
			if b == nil {
				return 0, false
			}
			return b.Addr, true
		}); err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
	}
	return nil
}

// programArgument reads [NAME=]TYPE:VALUE: a buffer, or a number.
func (c *runCmd) programArgument(a *app, on *launch.Compute, args *launch.Arguments, i int, arg string) error {
	name, kind, value, err := cutArgument(fmt.Sprintf("arg%d", i), arg)
	if err != nil {
		return err
	}
	switch {
	case contents.Is(kind + ":" + value):
		data, err := c.bufferOf(a, name, kind+":"+value)
		if err != nil {
			return err
		}
		b := &launch.Buffer{Name: name, Data: data}
		err = args.Add(b, false)
		if err == nil {
			args.Pass(b)
		}
		return err
	case kind == "local" && on.GroupMemory == "":
		return errors.New("programs of this instruction set have no workgroup memory")
	case kind == "local":
		return fmt.Errorf("%s has no argument; --lds gives it", on.GroupMemory)
	case kind == "hex":
		data, err := unhex(value)
		args.Args = append(args.Args, data...)
		return err
	}
	n, bits, err := numberBits(kind, kind+":"+value)
	if err == nil {
		args.Word(n, bits/8)
	}
	return err
}

// cutArgument splits [NAME=]TYPE:VALUE. name is the default for NAME.
func cutArgument(name, arg string) (called, kind, value string, err error) {
	if before, after, ok := strings.Cut(arg, "="); ok && !strings.Contains(before, ":") {
		name, arg = before, after
	}
	kind, value, ok := strings.Cut(arg, ":")
	if !ok {
		return "", "", "", errors.New("want TYPE:VALUE, such as u32:5, f32:iota:64 or zero:256")
	}
	return name, kind, value, nil
}
