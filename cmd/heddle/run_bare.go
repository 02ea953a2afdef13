package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// isText reports whether a file is assembly by its name.
func isText(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".s" || ext == ".asm"
}

// code runs assembly or bare code.
func (c *runCmd) code(a *app, path string, data []byte) error {
	if object.IsHSA(data) {
		return c.codeObject(a, path, data)
	}
	if object.IsCubin(data) {
		return c.cubin(a, path, data)
	}
	if object.IsELF(data) {
		_, err := object.ReadHSAFile(data, path)
		return err
	}
	named, is := codeobj.Sniff(data)
	var errs []*isa.Error
	switch text := is || isText(path) || path == "-" && !bytes.ContainsRune(data, 0); {
	case is:
		if err := a.fits("run", 'p', path); err != nil {
			return err
		}
		r, err := assembleProgram(data, named, codeobj.Options{File: path, Dialect: c.Dialect, Lines: true}, c.ISA)
		if err != nil {
			return err
		}
		if errs = r.errs; len(errs) == 0 {
			o, err := r.program.Object()
			if err != nil {
				return err
			}
			if err := c.lintProgram(path, r, o); err != nil {
				return err
			}
			c.image = r.program.Data
			return c.object(a, path, o)
		}
	case text:
		set, variant := asm.SourceISA(data)
		name := strings.TrimSuffix(set+":"+variant, ":")
		if t, err := sets.Lookup(name); c.ISA == "" && err == nil && runnable(t.Name) != nil {
			c.ISA = name
		}
		t, err := find(c.ISA, "", fmt.Sprintf(", and %s has no .isa or .amdgcn_target directive", path))
		if err == nil {
			t, err = c.of(t)
		}
		if err != nil {
			return err
		}
		var r *asm.Assembly
		if r, errs = asm.AssembleToRun(t, data, asm.Options{File: path}); len(errs) == 0 {
			c.bundles, c.text = r.Bundles, data
			c.from = *r.Map()
			if err := c.lintText(path, r, data); err != nil {
				return err
			}
			return c.bareCode(a, path, r.Target, r.Code, r.Base)
		}
	default:
		return c.bytes(a, path, data)
	}
	return wrong{refused{path, errs}}
}

// bytes runs bare code.
func (c *runCmd) bytes(a *app, path string, data []byte) error {
	t, err := find(c.ISA, "", "")
	if err == nil {
		t, err = c.of(t)
	}
	if err != nil {
		return err
	}
	c.lintCode(path, &code{target: t, data: data})
	return c.bareCode(a, path, t, data, 0)
}

// runnable returns how programs of an instruction set are launched without a descriptor; nil: they cannot be.
func runnable(set string) *launch.Platform {
	if p := platforms.Lookup(set); p != nil && (p.Compute != nil || p.Object != nil) {
		return p
	}
	return nil
}

// bareCode runs code without a descriptor.
func (c *runCmd) bareCode(a *app, path string, t *isa.Target, code []byte, base uint64) error {
	switch p := runnable(t.Set.Name); {
	case p == nil:
		return fmt.Errorf("%s: kernels of %s cannot be run yet; heddle eval runs a few instructions", path, t.Name)
	case p.Object != nil:
		return c.bareObject(a, path, p, t, code, base)
	default:
		if err := a.fits("run", programKind(p.ISA), path); err != nil {
			return err
		}
		return c.program(a, path, p.Compute, t, code, base)
	}
}

// bareObject runs code as the kernel of a code object.
func (c *runCmd) bareObject(a *app, path string, p *launch.Platform, t *isa.Target, code []byte, base uint64) error {
	if err := a.fits("run", 'g', path); err != nil {
		return err
	}
	if len(code) == 0 {
		return fmt.Errorf("%s: there is no code", path)
	}
	o := p.Object(code, t.Variants[t.Variant].Name, base, &launch.Kernel{Name: programName(path), GroupBytes: int(c.LDS), PrivateBytes: int(c.Scratch)})
	gcn.SetListing(o, &c.from)
	return c.object(a, path, o)
}

// bare reads what replaces metadata: buffers, arguments as bytes, registers.
func (c *runCmd) bare(a *app, k *gcn.Kernel) error {
	for _, text := range c.Buf {
		if err := c.place(a, k, text); err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
	}
	if c.Kernarg != "" {
		data, err := c.kernarg(a, 8, bufferAddr(k))
		if err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
		k.Kernarg = data
	}
	for _, text := range c.Desc {
		regs, err := descriptorRegisters(k, text)
		if err != nil {
			return fmt.Errorf("--desc %s: %w", text, err)
		}
		if err := k.AddRegisters(regs...); err != nil {
			return fmt.Errorf("--desc %s: %w", text, err)
		}
	}
	variant := k.Module.Variant
	for _, f := range []struct {
		flag string
		list []string
	}{{"sgpr", c.SGPR}, {"vgpr", c.VGPR}} {
		for _, text := range f.list {
			regs, err := registers(k, variant, text, f.flag == "vgpr")
			if err == nil {
				err = k.AddRegisters(regs...)
			}
			if err != nil {
				return fmt.Errorf("--%s %s: %w", f.flag, text, err)
			}
		}
	}
	return nil
}

// place makes a buffer from --buf.
func (c *runCmd) place(a *app, k *gcn.Kernel, text string) error {
	p, err := c.buffer(a, text, func(list string) ([]byte, error) {
		parts := argParts{pointer: 8, buffer: bufferAddr(k), descriptor: descriptorOf(k)}
		return parts.read(list)
	})
	if err != nil {
		return err
	}
	var b *gcn.Buffer
	if p.set {
		b, err = k.Memory.AllocAt(p.name, p.addr, len(p.data))
	} else {
		b, err = k.Memory.Alloc(p.name, len(p.data))
	}
	if err == nil {
		b.Init(p.data)
	}
	return err
}

// bufferAddr finds the address of a buffer by its name.
func bufferAddr(k *gcn.Kernel) func(name string) (uint64, bool) {
	return func(name string) (uint64, bool) {
		b, ok := k.Memory.Buffer(name)
		if !ok {
			return 0, false
		}
		return b.Addr, true
	}
}

// descriptorOf makes descriptors of NAME[/STRIDE].
func descriptorOf(k *gcn.Kernel) func(text string) ([4]uint32, error) {
	return func(text string) (words [4]uint32, err error) {
		name, bytes, with := strings.Cut(text, "/")
		b, ok := k.Memory.Buffer(name)
		if !ok {
			return words, fmt.Errorf("no buffer %q; --buf makes one", name)
		}
		stride := uint64(0)
		if with {
			if stride, err = strconv.ParseUint(bytes, 0, 14); err != nil || stride == 0 {
				return words, fmt.Errorf("%q is no stride, which is 1 to 16383 bytes", bytes)
			}
		}
		return gcn.BufferResource(k.Module.Variant, b.Addr, uint64(len(b.Data)), uint32(stride))
	}
}

// descriptorRegisters parses s[4:7]=NAME[/STRIDE]: four scalar registers with the descriptor of a buffer at the start
// of a wave.
func descriptorRegisters(k *gcn.Kernel, text string) ([]gcn.InitRegister, error) {
	regs, of, ok := strings.Cut(text, "=")
	if !ok {
		return nil, errors.New("want REGISTERS=NAME[/STRIDE], such as s[4:7]=out")
	}
	names, err := registerNames(regs, 4)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(names[0], "s")); err == nil && n%4 != 0 {
		return nil, fmt.Errorf("%s: the first of four registers with a descriptor is a multiple of 4, as instructions name it", regs)
	}
	words, err := descriptorOf(k)(of)
	if err != nil {
		return nil, err
	}
	var list []gcn.InitRegister
	for i, name := range names {
		r, err := gcn.LookupRegister(k.Module.Variant, name)
		if err != nil {
			return nil, err
		}
		if r.PerLane() {
			return nil, fmt.Errorf("%s is a vector register; descriptors are in scalar ones", name)
		}
		list = append(list, gcn.InitRegister{Name: name, Reg: r, Values: words[i : i+1]})
	}
	return list, nil
}

// kernarg reads the arguments: a file, or the parts of argParts; pointer is the size of buffer addresses in bytes.
func (c *runCmd) kernarg(a *app, pointer int, buffer func(name string) (addr uint64, ok bool)) ([]byte, error) {
	parts := argParts{pointer: pointer, buffer: buffer}
	data, err := parts.read(c.Kernarg)
	if kind, _, typed := strings.Cut(c.Kernarg, ":"); err != nil && (kind == "file" || kind == "zero" || !typed && !strings.ContainsAny(kind, ",@")) {
		return a.contents(c.Kernarg)
	}
	return data, err
}

// argParts are memory in parts separated by commas: hexadecimal digits, @BUFFER, numbers such as u32:5, and, if
// supported, descriptors, desc:BUFFER[/STRIDE].
type argParts struct {
	pointer    int // size of an address in bytes
	buffer     func(name string) (addr uint64, ok bool)
	descriptor func(text string) ([4]uint32, error) // nil: not supported
}

func (p *argParts) read(list string) (data []byte, err error) {
	data = []byte{}
	for part := range strings.SplitSeq(list, ",") {
		if data, err = p.part(data, part); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// part appends a part.
func (p *argParts) part(data []byte, part string) ([]byte, error) {
	if name, is := strings.CutPrefix(part, "@"); is {
		addr, ok := p.buffer(name)
		if !ok {
			return nil, fmt.Errorf("no buffer %q; --buf makes one", name)
		}
		return appendBytes(data, addr, p.pointer), nil
	}
	if of, is := strings.CutPrefix(part, "desc:"); is && p.descriptor != nil {
		words, err := p.descriptor(of)
		for _, w := range words {
			data = appendBytes(data, uint64(w), 4)
		}
		return data, err
	}
	if hex, err := unhex(part); err == nil {
		return append(data, hex...), nil
	}
	kind, _, _ := strings.Cut(part, ":")
	n, bits, err := numberBits(kind, part)
	if err != nil {
		also := ""
		if p.descriptor != nil {
			also = ", desc:BUFFER"
		}
		return nil, fmt.Errorf("%q is none of hexadecimal digits, @BUFFER%s and TYPE:NUMBER", part, also)
	}
	return appendBytes(data, n, bits/8), nil
}

// appendBytes appends a number of so many bytes, lowest first.
func appendBytes(to []byte, n uint64, size int) []byte {
	for i := range size {
		to = append(to, byte(n>>(8*i)))
	}
	return to
}

// registers reads REG=VALUE: s4=5, s[4:5]=@NAME, v0=1,2,3.
func registers(k *gcn.Kernel, variant int, text string, vector bool) ([]gcn.InitRegister, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || value == "" {
		return nil, fmt.Errorf("want REG=VALUE")
	}
	names, err := registerNames(name, 2)
	if err != nil {
		return nil, err
	}
	var list []gcn.InitRegister
	for i, n := range names {
		r, err := gcn.LookupRegister(variant, n)
		if err != nil {
			return nil, err
		}
		if r.PerLane() != vector {
			return nil, fmt.Errorf("%s is a register of the other kind", n)
		}
		list = append(list, gcn.InitRegister{Name: n, Reg: r})
		values := strings.Split(value, ",")
		if len(values) > 64 || len(values) > 1 && !vector {
			return nil, fmt.Errorf("%d values", len(values))
		}
		for _, s := range values {
			v, err := registerValue(k, s, 32*len(names))
			if err != nil {
				return nil, err
			}
			list[i].Values = append(list[i].Values, uint32(v>>(32*i)))
		}
	}
	return list, nil
}

// registerNames returns the one-word registers of a name: s[4:5] is s4 and s5. most is their largest permitted number.
func registerNames(name string, most int) (names []string, err error) {
	file, rest, ok := strings.Cut(name, "[")
	if !ok {
		if most > 2 {
			return nil, fmt.Errorf("%s: want %d registers, such as s[4:%d]", name, most, 3+most)
		}
		return []string{name}, nil
	}
	first, last, ok := strings.Cut(strings.TrimSuffix(rest, "]"), ":")
	lo, err := strconv.ParseUint(first, 10, 8)
	hi, err2 := strconv.ParseUint(last, 10, 8)
	switch {
	case ok && err == nil && err2 == nil && hi == lo+uint64(most)-1:
	case most > 2:
		return nil, fmt.Errorf("%s: want %d registers, such as s[4:%d]", name, most, 3+most)
	default:
		return nil, fmt.Errorf("%s: want one register, or two such as s[4:5]", name)
	}
	for i := lo; i <= hi; i++ {
		names = append(names, file+strconv.FormatUint(i, 10))
	}
	return names, nil
}

func registerValue(k *gcn.Kernel, text string, bits int) (uint64, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		b, ok := k.Memory.Buffer(name)
		if !ok {
			return 0, fmt.Errorf("no buffer %q", name)
		}
		return b.Addr, nil
	}
	if text == "kernarg" {
		return gcn.KernargAddr, nil
	}
	v, err := eval.ParseValue(text, bits, false)
	if err != nil {
		return 0, err
	}
	return new(big.Int).Set(v).Uint64(), nil
}
