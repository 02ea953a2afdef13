package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// dims is a size of up to three axes.
type dims [3]uint32

func (d *dims) UnmarshalText(text []byte) error {
	*d = dims{0, 1, 1}
	for i, s := range strings.Split(string(text), ",") {
		v, err := strconv.ParseUint(s, 0, 32)
		if err != nil || v == 0 || i > 2 {
			return fmt.Errorf("want X, X,Y or X,Y,Z with whole numbers from 1 to %d, found %q", uint32(math.MaxUint32), text)
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
	if err == nil {
		err = c.lintObject(path, data)
	}
	if err != nil {
		return err
	}
	c.image = data
	return c.object(a, path, o)
}

// agrees reports an instruction set or variant of the command line that differs from the code object's.
func (c *runCmd) agrees(o *object.CodeObject, path string) error {
	_, err := findFor(o, path, c.ISA, "")
	return err
}

// object runs one kernel of a code object.
func (c *runCmd) object(a *app, path string, o *object.CodeObject) error {
	m, err := gcn.Load(o, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	k := gcn.Kernel{Module: m, Grid: c.Grid, Block: c.Block, Memory: gcn.NewMemory()}
	if k.Name, err = c.kernelName(o); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if c.Grid[0] == 0 || c.Block[0] == 0 {
		k, _ := o.Kernel(k.Name)
		err := errors.New("run: --grid and --block are needed to run a code object")
		if k != nil && k.Meta != nil {
			err = fmt.Errorf("%w; the kernel is %s", err, k.Signature())
		}
		return c.usage(err, path, o, k.Name)
	}
	types, args, err := c.arguments(a, o, &k)
	if err != nil {
		return err
	}
	if err := c.bare(a, &k); err != nil {
		return err
	}
	c.saveObject(o, &k, args)
	h := &held{}
	for _, b := range k.Memory.Buffers() {
		b.Unset = c.unset[b.Name]
		typ := types[b.Name]
		if t, said := c.types[b.Name]; said {
			typ = t
		}
		h.hold(b.Name, &b.Data, typ)
	}
	err = c.launched(a, ran{set: "gcn", Kernel: k.Name, Grid: k.Grid, Block: k.Block}, h, func() (*launch.Result, error) { return gcn.Launch(a.ctx, k, c.settings(a)) })
	if argumentError(err) {
		return c.usage(err, path, o, k.Name)
	}
	return err
}

// arguments parses the arguments, and returns them in the form for manifests. types is the element types of their
// buffers in the metadata, by name.
func (c *runCmd) arguments(a *app, o *object.CodeObject, k *gcn.Kernel) (types map[string]elem.Type, list []casefile.LaunchArg, err error) {
	types = map[string]elem.Type{}
	of, _ := o.Kernel(k.Name)
	own := ownArgs(of)
	slots, err := argSlots(c.Arg, own)
	if err != nil {
		return nil, nil, err
	}
	if len(slots) > 0 {
		k.Args, list = make([]gcn.Arg, slices.Max(slots)+1), make([]casefile.LaunchArg, slices.Max(slots)+1)
	}
	for n, text := range c.Arg {
		var g object.Arg
		i := slots[n]
		if i < len(own) {
			g = own[i]
		}
		arg, made, said, err := c.argument(a, k.Memory, cmp.Or(g.Name, fmt.Sprintf("arg%d", i)), text, g.ValueKind == "by_value")
		if err != nil {
			return nil, nil, fmt.Errorf("--arg %s: %w", text, err)
		}
		k.Args[i], list[i] = arg, said
		if made != nil {
			types[made.Name] = heldType(&g)
		}
	}
	return types, list, nil
}

// argSlots returns for each --arg which argument of the kernel it is: the one with its name, or without a name the next
// argument that no other names. If the file does not name all arguments, a name is only a label of a buffer, and the
// order is the kernel's.
func argSlots(texts []string, own []object.Arg) ([]int, error) {
	slots := make([]int, len(texts))
	if len(own) == 0 || slices.ContainsFunc(own, func(g object.Arg) bool { return g.Name == "" }) {
		for i := range slots {
			slots[i] = i
		}
		return slots, nil
	}
	var names []string
	for i := range own {
		names = append(names, own[i].Name)
	}
	taken := map[int]bool{}
	for n, text := range texts {
		slots[n] = -1
		name, _, _, err := cutArgument("", text)
		if err != nil || name == "" {
			continue // an error is reported when it is parsed
		}
		i := slices.Index(names, name)
		switch {
		case i < 0:
			meant := ""
			if near := spell.Nearest(name, names); near != "" {
				meant = fmt.Sprintf(", did you mean %q", near)
			}
			return nil, fmt.Errorf("--arg %s: the kernel has no argument %q%s; it has %s", text, name, meant, strings.Join(names, ", "))
		case taken[i]:
			return nil, fmt.Errorf("--arg %s: argument %q is given twice", text, name)
		}
		slots[n], taken[i] = i, true
	}
	next := 0
	for n := range slots {
		if slots[n] < 0 {
			for taken[next] {
				next++
			}
			slots[n], taken[next] = next, true
		}
	}
	return slots, nil
}

// heldType returns the element type of a buffer whose address is an argument; the zero Type if the metadata does not
// have it.
func heldType(g *object.Arg) elem.Type {
	if t := elem.Pointee(cmp.Or(g.BaseType, g.TypeName)); t.Known() {
		return t
	}
	t, err := elem.ParseType(g.ValueType) // an unknown name gives no type
	if err != nil {
		return elem.Type{}
	}
	return t
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
	return "", fmt.Errorf("--kernel is missing: the code object has %s: %s", spell.Count(len(names), "kernel"), strings.Join(names, ", "))
}

// ownArgs returns the arguments of a kernel that are in its source.
func ownArgs(k *object.Kernel) []object.Arg {
	if k == nil || k.Meta == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(k.Meta.Args), func(g object.Arg) bool { return g.Hidden() })
}

// argument parses [NAME=]TYPE:VALUE; name is the default for NAME. made is the buffer, if it is one. For an argument
// that the kernel declares by value, several numbers are a vector, not a buffer. said is the argument in the form for
// manifests.
func (c *runCmd) argument(a *app, m *gcn.Memory, name, text string, byValue bool) (arg gcn.Arg, made *gcn.Buffer, said casefile.LaunchArg, err error) {
	name, kind, value, err := cutArgument(name, text)
	if err != nil {
		return arg, nil, said, err
	}
	switch text := kind + ":" + value; {
	case contents.Is(text) && byValue:
		data, _, err := a.fill(text)
		return gcn.Bytes(data), nil, casefile.LaunchArg{Data: data}, err
	case contents.Is(text):
		made, err := c.filled(a, m, name, text)
		return gcn.Buf(made), made, casefile.LaunchArg{Buffer: name}, err
	}
	if arg, err = plainArgument(kind, value); err == nil {
		said, err = launchArg(kind, value)
	}
	return arg, nil, said, err
}

// filled adds a buffer with contents in the form of package contents.
func (c *runCmd) filled(a *app, m *gcn.Memory, name, text string) (made *gcn.Buffer, err error) {
	alloc := func(size int) (data []byte, err error) {
		if made, err = m.Alloc(name, size); err != nil {
			return nil, err
		}
		return made.Data, nil
	}
	data, typ, err := a.fillIn(text, alloc)
	if err == nil && made == nil { // a file
		if _, err = alloc(len(data)); err == nil {
			made.Init(data)
		}
	}
	c.holds(name, typ, text)
	return made, err
}

// plainArgument returns an argument other than a buffer.
func plainArgument(kind, value string) (gcn.Arg, error) {
	switch kind {
	case "local":
		n, err := strconv.ParseUint(value, 0, 32)
		return gcn.Local(uint32(n)), err
	case "hex":
		data, err := unhex(value)
		return gcn.Bytes(data), err
	}
	return number(kind, kind+":"+value)
}

// number returns an argument by value, of a type as in i32:5.
func number(kind, text string) (gcn.Arg, error) {
	n, _, err := numberBits(kind, text)
	if err != nil {
		return gcn.Arg{}, err
	}
	return gcn.Number(kind, n)
}

// numberBits parses a number of a type to its bits.
func numberBits(kind, text string) (n uint64, size int, err error) {
	bits := map[string]int{"i8": 8, "u8": 8, "i16": 16, "u16": 16, "f16": 16, "i32": 32, "u32": 32, "f32": 32, "i64": 64, "u64": 64, "f64": 64}[kind]
	if bits == 0 {
		if err := contents.Untyped(text); err != nil {
			return 0, 0, err
		}
		return 0, 0, fmt.Errorf("%q is none of file, zero, undef, local, hex, i8 to u64, f16, f32, f64", kind)
	}
	if kind == "i8" || kind == "u8" { // eval has no registers of that size
		text = strings.TrimPrefix(text, kind+":")
	}
	v, err := eval.ParseValue(text, bits, false)
	if err != nil {
		return 0, 0, err
	}
	return new(big.Int).Set(v).Uint64(), bits, nil
}
