package main

import (
	"bytes"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch/hsa"
	"github.com/heddle-gpu/heddle/object"
)

// isText is whether a file is assembly by its name.
func isText(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".s" || ext == ".asm"
}

// code runs assembly or bare code.
func (c *runCmd) code(a *app, path string, data []byte) error {
	if object.IsHSA(data) {
		return c.codeObject(a, path, data)
	}
	named, is := codeobj.Sniff(data)
	var errs []*isa.Error
	switch text := is || isText(path) || path == "-" && !bytes.ContainsRune(data, 0); {
	case is:
		if err := a.fits("run", 'p', path); err != nil {
			return err
		}
		r, err := assembleProgram(data, named, codeobj.Options{File: path, Dialect: c.Dialect, Lines: c.held != nil}, c.ISA)
		if err != nil {
			return err
		}
		if errs = r.errs; len(errs) == 0 {
			o, err := object.ReadHSAFile(r.program.Data, path)
			if err != nil {
				return err
			}
			if c.held != nil {
				o.SetLine(r.program.LineAt(path, o))
			}
			return c.object(a, path, o)
		}
	case text:
		set, variant := asm.SourceISA(data)
		if c.ISA == "" && bareOf(set) != nil {
			c.ISA = strings.TrimSuffix(set+":"+variant, ":")
		}
		t, err := find(c.ISA, "", fmt.Sprintf(", and %s has no .isa or .amdgcn_target directive", path))
		if err == nil {
			t, err = c.of(t)
		}
		if err != nil {
			return err
		}
		var r *asm.Assembly
		if r, errs = asm.AssembleToRun(t, data, asm.Options{File: path, NoLines: c.held == nil}); len(errs) == 0 {
			c.bundles = r.Bundles
			c.names(path, r)
			return c.bareCode(a, path, r.Target, r.Code, r.Base)
		}
	default:
		t, err := find(c.ISA, "", "")
		if err == nil {
			t, err = c.of(t)
		}
		if err != nil {
			return err
		}
		return c.bareCode(a, path, t, data, 0)
	}
	return wrong{refused{path, errs}}
}

// A bareRun runs code that has no descriptor.
type bareRun func(c *runCmd, a *app, path string, t *isa.Target, code []byte, base uint64) error

// bareOf is how code of an instruction set is run; nil: it cannot be yet.
func bareOf(set string) bareRun {
	for _, b := range bareRuns {
		if b.set == set {
			return b.run
		}
	}
	return nil
}

var bareRuns = [...]struct {
	set string
	run bareRun
}{{"gcn", (*runCmd).bareHSA}, {"tesla", (*runCmd).tesla}, {"valhall", (*runCmd).valhall}, {"rogue", (*runCmd).rogue}}

// bareCode runs code that has no descriptor.
func (c *runCmd) bareCode(a *app, path string, t *isa.Target, code []byte, base uint64) error {
	run := bareOf(t.Set.Name)
	if run == nil {
		return fmt.Errorf("%s: kernels of %s cannot be run yet; heddle eval runs a few instructions", path, t.Name)
	}
	if err := a.fits("run", t.Set.Name[0], path); err != nil {
		return err
	}
	return run(c, a, path, t, code, base)
}

// bareHSA runs code as a kernel of the HSA runtime.
func (c *runCmd) bareHSA(a *app, path string, t *isa.Target, code []byte, base uint64) error {
	if len(code) == 0 {
		return fmt.Errorf("%s: there is no code", path)
	}
	target := object.Processor(t.Variants[t.Variant].Name)
	o := hsa.BareObject(code, hsa.Bare{Name: programName(path), Target: target, Base: base, LDS: c.LDS, Scratch: c.Scratch})
	for i, y := range c.from.Symbols { // in front of the name of the kernel, which is none of the text's
		o.Symbols = slices.Insert(o.Symbols, i, object.Symbol{Name: y.Name, Addr: y.Addr, Kind: object.Func, Defined: true})
	}
	o.SetLine(c.from.Line)
	return c.object(a, path, o)
}

// bare reads what stands for metadata: buffers, arguments as bytes, registers.
func (c *runCmd) bare(a *app, k *hsa.Kernel) error {
	for _, text := range c.Buf {
		name, data, err := a.buffer(text)
		if err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
		b, err := k.Memory.Alloc(name, len(data))
		if err != nil {
			return fmt.Errorf("--buf %s: %w", text, err)
		}
		copy(b.Data, data)
	}
	if c.Kernarg != "" {
		data, err := c.kernarg(a, 8, func(name string) (uint64, bool) {
			if b, ok := k.Memory.Buffer(name); ok {
				return b.Addr, true
			}
			return 0, false
		})
		if err != nil {
			return fmt.Errorf("--kernarg %s: %w", c.Kernarg, err)
		}
		k.Kernarg = data
	}
	variant := k.Module.Variant
	for flag, list := range map[string][]string{"sgpr": c.SGPR, "vgpr": c.VGPR} {
		for _, text := range list {
			regs, err := registers(k, variant, text, flag == "vgpr")
			if err != nil {
				return fmt.Errorf("--%s %s: %w", flag, text, err)
			}
			k.Registers = append(k.Registers, regs...)
		}
	}
	return nil
}

// kernarg reads the arguments: a file, or hexadecimal digits, numbers and addresses of buffers, which have so many bytes.
func (c *runCmd) kernarg(a *app, pointer int, buffer func(name string) (addr uint64, ok bool)) ([]byte, error) {
	data := []byte{}
	for _, part := range strings.Split(c.Kernarg, ",") {
		name, isBuffer := strings.CutPrefix(part, "@")
		kind, _, typed := strings.Cut(part, ":")
		hex, err := unhex(part)
		switch {
		case isBuffer:
			addr, ok := buffer(name)
			if !ok {
				return nil, fmt.Errorf("no buffer %q; --buf makes one", name)
			}
			for i := range pointer {
				data = append(data, byte(addr>>(8*i)))
			}
		case err == nil:
			data = append(data, hex...)
		case typed && kind != "file":
			bits, err := strconv.Atoi(kind[1:])
			v, parsed := eval.ParseValue(strings.TrimPrefix(part, "u8:"), max(bits, 16), false)
			if err != nil || parsed != nil || bits%8 != 0 {
				return nil, fmt.Errorf("%q is none of hexadecimal digits, @BUFFER and TYPE:NUMBER", part)
			}
			n := new(big.Int).Set(v).Uint64()
			for i := range bits / 8 {
				data = append(data, byte(n>>(8*i)))
			}
		case len(data) == 0 && part == c.Kernarg:
			return a.contents(part)
		default:
			return nil, fmt.Errorf("%q is none of hexadecimal digits, @BUFFER and TYPE:NUMBER", part)
		}
	}
	return data, nil
}

// registers reads REG=VALUE: s4=5, s[4:5]=@NAME, v0=1,2,3.
func registers(k *hsa.Kernel, variant int, text string, vector bool) ([]hsa.InitRegister, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || value == "" {
		return nil, fmt.Errorf("want REG=VALUE")
	}
	names, err := registerNames(name)
	if err != nil {
		return nil, err
	}
	var list []hsa.InitRegister
	for i, n := range names {
		r, err := hsa.LookupRegister(variant, n)
		if err != nil {
			return nil, err
		}
		if r.PerLane() != vector {
			return nil, fmt.Errorf("%s is a register of the other kind", n)
		}
		list = append(list, hsa.InitRegister{Reg: r})
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

// registerNames are the registers of one word that a name stands for: s[4:5] is s4 and s5.
func registerNames(name string) ([]string, error) {
	file, rest, ok := strings.Cut(name, "[")
	if !ok {
		return []string{name}, nil
	}
	first, last, ok := strings.Cut(strings.TrimSuffix(rest, "]"), ":")
	lo, err := strconv.ParseUint(first, 10, 8)
	hi, err2 := strconv.ParseUint(last, 10, 8)
	if !ok || err != nil || err2 != nil || hi != lo+1 {
		return nil, fmt.Errorf("%s: want one register, or two such as s[4:5]", name)
	}
	return []string{file + first, file + last}, nil
}

func registerValue(k *hsa.Kernel, text string, bits int) (uint64, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		b, ok := k.Memory.Buffer(name)
		if !ok {
			return 0, fmt.Errorf("no buffer %q", name)
		}
		return b.Addr, nil
	}
	if text == "kernarg" {
		return hsa.KernargAddr, nil
	}
	v, err := eval.ParseValue(text, bits, false)
	if err != nil {
		return 0, err
	}
	return new(big.Int).Set(v).Uint64(), nil
}
