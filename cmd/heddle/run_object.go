package main

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/launch/hsa"
	"github.com/heddle-gpu/heddle/object"
)

// dims is a size of up to three axes.
type dims [3]uint32

func (d *dims) UnmarshalText(text []byte) error {
	*d = dims{0, 1, 1}
	for i, s := range strings.Split(string(text), ",") {
		v, err := strconv.ParseUint(s, 0, 32)
		if err != nil || v == 0 || i > 2 {
			return fmt.Errorf("want X, X,Y or X,Y,Z with numbers from 1")
		}
		d[i] = uint32(v)
	}
	return nil
}

// codeObject runs one kernel of a code object on arguments of the command line.
func (c *runCmd) codeObject(a *app, path string, data []byte) error {
	if err := a.fits("run", 'o', path); err != nil {
		return err
	}
	o, err := object.ReadHSAFile(data, path)
	if err == nil && c.ISA != "" {
		err = c.agrees(o, path)
	}
	if err != nil {
		return err
	}
	return c.object(a, path, o)
}

// agrees reports an instruction set of the command line, or a variant of it, that the code object does not hold.
func (c *runCmd) agrees(o *object.CodeObject, path string) error {
	own, err := findFor(o, path, "", "")
	if err != nil {
		return err
	}
	t, err := find(c.ISA, "", "")
	if err != nil {
		return err
	}
	if t.Name != own.Name || c.ISA != t.Name && t.Variant != own.Variant {
		return fmt.Errorf("%s: holds code of %s, not of %s", path, o.Target, t)
	}
	return nil
}

// object runs one kernel of what was read.
func (c *runCmd) object(a *app, path string, o *object.CodeObject) error {
	m, err := hsa.Load(o, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	k := hsa.Kernel{Module: m, Grid: c.Grid, Block: c.Block, Memory: hsa.NewMemory()}
	if k.Name, err = c.kernelName(o); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if c.Grid[0] == 0 || c.Block[0] == 0 {
		return fmt.Errorf("run: --grid and --block are needed to run a code object")
	}
	names := argNames(o, k.Name)
	for i, text := range c.Arg {
		arg, err := c.argument(a, k.Memory, names, i, text)
		if err != nil {
			return fmt.Errorf("--arg %s: %w", text, err)
		}
		k.Args = append(k.Args, arg)
	}
	if err := c.bare(a, &k); err != nil {
		return err
	}
	bufs := make([]heldBuf, 0, len(k.Memory.Buffers()))
	for _, b := range k.Memory.Buffers() {
		bufs = append(bufs, hold(b.Name, &b.Data))
	}
	if err := c.outs(bufs); err != nil {
		return err
	}
	res, fault := hsa.Launch(a.ctx, k, c.config(a))
	return c.finish(a, ran{Kernel: k.Name, Grid: k.Grid, Block: k.Block}, bufs, res, fault)
}

func (c *runCmd) kernelName(o *object.CodeObject) (string, error) {
	if c.Kernel != "" || len(o.Kernels) == 1 {
		if c.Kernel == "" {
			return o.Kernels[0].Name, nil
		}
		return c.Kernel, nil
	}
	var names []string
	for i := range o.Kernels {
		names = append(names, o.Kernels[i].Name)
	}
	return "", fmt.Errorf("--kernel is missing: the code object has %s: %s", count(len(names), "kernel"), strings.Join(names, ", "))
}

// argNames are the kernel's own names of its arguments.
func argNames(o *object.CodeObject, kernel string) (names []string) {
	k, ok := o.Kernel(kernel)
	if !ok || k.Meta == nil {
		return nil
	}
	for _, g := range k.Meta.Args {
		if !strings.HasPrefix(g.ValueKind, "hidden_") {
			names = append(names, g.Name)
		}
	}
	return names
}

// argument reads [NAME=]TYPE:VALUE, the argument of that index.
func (c *runCmd) argument(a *app, m *hsa.Memory, names []string, i int, text string) (hsa.Arg, error) {
	name := fmt.Sprintf("arg%d", i)
	if i < len(names) && names[i] != "" {
		name = names[i]
	}
	name, kind, value, err := cutArgument(name, text)
	if err != nil {
		return hsa.Arg{}, err
	}
	switch kind {
	case "buf", "zero":
		data, err := a.bufferContents(kind + ":" + value)
		if err != nil {
			return hsa.Arg{}, err
		}
		b, err := m.Alloc(name, len(data))
		if err != nil {
			return hsa.Arg{}, err
		}
		copy(b.Data, data)
		return hsa.Buf(b), nil
	case "local":
		n, err := strconv.ParseUint(value, 0, 32)
		return hsa.Local(uint32(n)), err
	case "hex":
		data, err := unhex(value)
		return hsa.Bytes(data), err
	}
	return number(kind, kind+":"+value)
}

// number is an argument by value of a type named as in i32:5.
func number(kind, text string) (hsa.Arg, error) {
	n, _, err := numberBits(kind, text)
	if err != nil {
		return hsa.Arg{}, err
	}
	return hsa.Number(kind, n)
}

// numberBits is a number of a type, as bits.
func numberBits(kind, text string) (n uint64, size int, err error) {
	bits := map[string]int{"i8": 8, "u8": 8, "i16": 16, "u16": 16, "f16": 16, "i32": 32, "u32": 32, "f32": 32, "i64": 64, "u64": 64, "f64": 64}[kind]
	if bits == 0 {
		return 0, 0, fmt.Errorf("%q is none of buf, zero, local, hex, i8 to u64, f16, f32, f64", kind)
	}
	if kind == "i8" || kind == "u8" { // eval knows no registers that short
		text = strings.TrimPrefix(text, kind+":")
	}
	v, err := eval.ParseValue(text, bits, false)
	if err != nil {
		return 0, 0, err
	}
	return new(big.Int).Set(v).Uint64(), bits, nil
}
