package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/launch"
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

// A ran is what one launch did, for output.
type ran struct {
	Kernel   string    `json:"kernel"`
	Grid     [3]uint32 `json:"grid"`
	Block    [3]uint32 `json:"block"`
	Counters counters  `json:"counters"`
	Buffers  []ranBuf  `json:"buffers,omitempty"`
	Fault    string    `json:"fault,omitempty"`
}

type ranBuf struct {
	Name    string `json:"name"`
	Bytes   int    `json:"bytes"`
	Changed bool   `json:"changed"`
	Begins  string `json:"begins"` // the first bytes, in hexadecimal
}

// codeObject runs one kernel of a code object on arguments of the command line.
func (c *runCmd) codeObject(a *app, path string, data []byte) error {
	o, err := object.ReadHSAFile(data, path)
	if err != nil {
		return err
	}
	return c.object(a, path, o)
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
	outs, err := c.outs(k.Memory)
	if err != nil {
		return err
	}
	var before [][]byte
	for _, b := range k.Memory.Buffers() {
		before = append(before, bytes.Clone(b.Data))
	}
	res, fault := hsa.Launch(a.ctx, k, c.config(a))
	if res.Waves == 0 && fault != nil {
		return fault // it never began
	}
	if !c.toStdout() { // a buffer there is all that is wanted
		if err := c.report(a, &k, before, res, fault); err != nil {
			return err
		}
	}
	for b, file := range outs {
		err := a.save(file, bytesOf(b.Data))
		if errors.Is(err, errInterrupted) {
			break // the fault says where
		}
		if err != nil {
			return errors.Join(fault, err)
		}
	}
	return fault
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
	if before, after, ok := strings.Cut(text, "="); ok && !strings.Contains(before, ":") {
		name, text = before, after
	}
	kind, value, ok := strings.Cut(text, ":")
	if !ok {
		return hsa.Arg{}, fmt.Errorf("want TYPE:VALUE")
	}
	switch kind {
	case "buf", "zero":
		data, err := a.contents(strings.Replace(text, "buf:", "file:", 1))
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
	return number(kind, text)
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

// outs maps buffers to the files that --out names for them.
func (c *runCmd) outs(m *hsa.Memory) (map[*hsa.Buffer]string, error) {
	outs := map[*hsa.Buffer]string{}
	for _, text := range c.Out {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, fmt.Errorf("--out %s: want NAME=FILE", text)
		}
		b, ok := m.Buffer(name)
		if !ok {
			var names []string
			for _, b := range m.Buffers() {
				names = append(names, b.Name)
			}
			return nil, fmt.Errorf("--out %s: no buffer %q; there are %s", text, name, strings.Join(names, ", "))
		}
		outs[b] = file
	}
	return outs, nil
}

// toStdout is whether a buffer goes to standard output.
func (c *runCmd) toStdout() bool {
	return slices.ContainsFunc(c.Out, func(s string) bool { return strings.HasSuffix(s, "=-") })
}

func (c *runCmd) report(a *app, k *hsa.Kernel, before [][]byte, res *launch.Result, fault error) error {
	r := ran{Kernel: k.Name, Grid: k.Grid, Block: k.Block, Counters: countersOf(res)}
	for i, b := range k.Memory.Buffers() {
		r.Buffers = append(r.Buffers, ranBuf{b.Name, len(b.Data), !bytes.Equal(before[i], b.Data), fmt.Sprintf("%x", b.Data[:min(16, len(b.Data))])})
	}
	if fault != nil {
		r.Fault = fault.Error()
	}
	return r.print(a, c.JSON)
}

// print shows what a launch did.
func (r *ran) print(a *app, json bool) error {
	if json {
		return a.json(r)
	}
	a.say("%s: grid %s in groups of %s\n", r.Kernel, axes(r.Grid), axes(r.Block))
	rows := [][]string{}
	for _, b := range r.Buffers {
		state := "unchanged"
		if b.Changed {
			state = "changed"
		}
		rows = append(rows, []string{shown(b.Name), count(b.Bytes, "byte"), state, "begins " + b.Begins})
	}
	a.printf("%s", tableOf(rows))
	a.printf("%s\n", r.Counters)
	return nil
}
