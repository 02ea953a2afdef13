// Package toyvec is a third toy, with what the others lack: sources with swizzles and signs whose bits are far apart, a
// page of constants that all sources share, dotted suffixes in any order, halves of registers as results, packed types,
// lanes that follow the lowest program counter, messages that are waited for by slot.
//
// An instruction has 64 bits:
//
//	0-7, 8-15 sources: 6 bits of number, 2 of type: 0 register, 1 register with its last read, 2 constant
//	16-31 words from the next instruction, of a branch
//	32-33 clamp; 34 slot; 36, 37 absolute and negate of source 1; 38, 39 of source 0
//	40-47 d: 6 bits of number, 2 of the halves written; 48-55 opcode
//	56-58 flow: 1 wait0, 2 wait1, 3 both, 4 reconverge, 5 end; 60-61 swizzle of source 1, 62-63 of source 0
//	35 page of constants
package toyvec

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Files of the machine, by index.
const (
	FileR = iota
	FileU
	FileExec
)

var machine = &ir.Machine{
	Name: "toyvec",
	Files: []ir.File{
		FileR:    {Name: "r", Kind: ir.Lane32, Count: 64},
		FileU:    {Name: "u", Kind: ir.Wave32, Count: 128},
		FileExec: {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths:  []int{16, 4, 8},
	Control: ir.LowestPC,
	Queues:  []ir.Queue{{Name: "slot0", Unordered: true, Max: 8}, {Name: "slot1", Unordered: true, Max: 8}},
	Spaces:  ir.Spaces{ir.GlobalSpace: 1},
}

// Names of the fields used in semantics and texts. Those of the sources are consecutive.
const (
	nameS0 isa.Name = iota
	nameS1
	nameNeg0
	nameNeg1
	nameAbs0
	nameAbs1
	nameSwz0
	nameSwz1
	nameD
	nameHalves
	nameClamp
	nameFlow
	nameSlot
	nameTarget
	namePage
)

var names = []string{nameS0: "s0", nameS1: "s1", nameNeg0: "neg0", nameNeg1: "neg1", nameAbs0: "abs0", nameAbs1: "abs1",
	nameSwz0: "swz0", nameSwz1: "swz1", nameD: "d", nameHalves: "halves", nameClamp: "clamp", nameFlow: "flow", nameSlot: "slot",
	nameTarget: "target", namePage: "page"}

var layout = isa.Encoding{Name: "word", Bits: 64, Opcode: bits.Ranges{bits.Span(48, 55)}, Source: "toyvec, package comment",
	Fields: []isa.Field{isa.Bits("s0", 0, 7, source), isa.Bits("s1", 8, 15, source), isa.Bits("target", 16, 31, label), isa.Bits("clamp", 32, 33, clamp),
		isa.Bits("slot", 34, 34, slot), isa.Bits("page", 35, 35, page), isa.Bits("abs1", 36, 36, absolute), isa.Bits("neg1", 37, 37, negate),
		isa.Bits("abs0", 38, 38, absolute), isa.Bits("neg0", 39, 39, negate), isa.Bits("d", 40, 45, register), isa.Bits("halves", 46, 47, halves),
		isa.Bits("flow", 56, 58, flow), isa.Bits("swz1", 60, 61, swizzle), isa.Bits("swz0", 62, 63, swizzle)}}

// float returns a source with signs and swizzle, bare one without.
func float(i int) isa.Arg {
	n := fmt.Sprint(i)
	return isa.Arg{Name: "s" + n, Role: isa.Use, Width: 32, AnyOrder: true, Parts: []isa.Part{partPage: pagePart,
		{Name: "neg" + n, Side: isa.After}, {Name: "abs" + n, Side: isa.After}, {Name: "swz" + n, Side: isa.After}}}
}

func bare(i int) isa.Arg {
	return isa.Arg{Name: "s" + fmt.Sprint(i), Role: isa.Use, Width: 32, Parts: []isa.Part{partPage: pagePart}}
}

var (
	whole  = isa.Arg{Name: "d", Role: isa.Define, Width: 32}
	parts  = isa.Arg{Name: "d", Kind: halfRegister, Role: isa.UseDef, Width: 32, Parts: []isa.Part{{Name: "halves", Side: isa.After, Default: both}}}
	staged = isa.Arg{Name: "d", Kind: stagedRegister, Role: isa.Define, Width: 32}
	stored = isa.Arg{Name: "d", Kind: stagedRegister, Role: isa.Use, Width: 32}
	sat    = isa.Arg{Name: "clamp", Place: isa.Suffix}
	slots  = isa.Arg{Name: "slot", Place: isa.Suffix}
	to     = isa.Arg{Name: "target"}
)

// A row is an instruction.
type row struct {
	op   uint64
	name string
	args []isa.Arg
	mean isa.Effect
	doc  string
}

var rows = []row{
	{0, "NOP", nil, func(*isa.Lift) {}, "nothing"},
	{1, "MOV.i32", []isa.Arg{whole, bare(0)}, func(l *isa.Lift) { set(l, value(l, 0)) }, "a"},
	{2, "IADD.i32", []isa.Arg{whole, bare(0), bare(1)}, iadd(ir.I32), "a + b"},
	{3, "IADD.v2i16", []isa.Arg{parts, bare(0), bare(1)}, iadd(ir.V2I16), "a + b of each half"},
	{4, "FADD.f32", []isa.Arg{sat, whole, float(0), float(1)}, fadd(ir.F32), "a + b"},
	{5, "FADD.v2f16", []isa.Arg{sat, parts, float(0), float(1)}, fadd(ir.V2F16), "a + b of each half"},
	{6, "CLPER", []isa.Arg{whole, bare(0), bare(1)}, clper, "a of lane b, 0 if it does not run"},
	{7, "LOAD", []isa.Arg{slots, staged, bare(0)}, load, "the word at address a"},
	{8, "STORE", []isa.Arg{slots, stored, bare(0)}, store, "the word to address a"},
	{9, "BRANCHZ", []isa.Arg{bare(0), to}, branchz, "lanes with a = 0 jump"},
	{10, "LANE", []isa.Arg{whole}, func(l *isa.Lift) { set(l, l.LaneID()) }, "the number of the lane"},
}

func defs() (ds []isa.Def) {
	for i := range rows {
		r := &rows[i]
		d := isa.Def{Name: r.name, Variants: 1, Enc: &layout, Op: r.op, Doc: r.doc, Meaning: r.mean, Fidelity: ir.Exact, Canon: canon}
		for _, a := range r.args {
			if a.Place == isa.Suffix {
				d.Args = append(d.Args, a)
			}
		}
		d.Args = append(d.Args, isa.Arg{Name: "flow", Place: isa.Suffix})
		for _, a := range r.args {
			if a.Place != isa.Suffix {
				d.Args = append(d.Args, a)
			}
		}
		ds = append(ds, d)
	}
	return ds
}

// canon clears the page if no source is a constant, because no text has it.
func canon(in *isa.Inst) {
	for i := range 2 {
		if n := nameS0 + isa.Name(i); in.Has(n) && in.Get(n)>>6 == isConst {
			return
		}
	}
	if in.Has(namePage) {
		in.Put(namePage, 0)
	}
}

// Arch returns the declaration.
func Arch() *isa.Arch {
	return &isa.Arch{
		Loose: true,
		Name:  "toyvec", Doc: "a toy with swizzles, for tests", Variants: []isa.Variant{{Name: "m1"}}, Names: names,
		Unit: 8, Longest: 8, Defs: defs(), Machine: func(int) *ir.Machine { return machine }, Sep: ", ", Comments: []string{"#", "//"},
		Start: func(l *isa.Lift) { l.Float(num.RNE.With(0)) }, After: after, Cell: cell, Validate: validate, Branch: branch,
	}
}

// Set is the instruction set, compiled once.
var Set = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(Arch())
	if err != nil {
		panic(err)
	}
	return s
})

func cell(_ int, name string) ([]ir.Cell, error) {
	for i, f := range machine.Files[:FileExec] {
		for n := range f.Count {
			if fmt.Sprint(f.Name, n) == name {
				return []ir.Cell{{File: uint8(i), Index: uint16(n)}}, nil
			}
		}
	}
	return nil, fmt.Errorf("toyvec: no register %q", name)
}

// validate: the next instruction must not read a register after its last read.
func validate(v *isa.View) (fs []isa.Finding) {
	if v.Prev == nil {
		return nil
	}
	in, prev := v.Inst(), &v.Prev.Parts[0]
	for i := range 2 {
		n, was := nameS0+isa.Name(i), prev.Opt(nameS0+isa.Name(i))
		if in.Has(n) && prev.Has(n) && was>>6 == lastRead && in.Get(n)>>6 < isConst && in.Get(n)&63 == was&63 {
			fs = append(fs, isa.Finding{Rule: "dead-register", Msg: fmt.Sprintf("%s: r%d was read the last time before", in.Def.Name, was&63), Source: "toyvec, package comment"})
		}
	}
	return fs
}

func branch(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if !in.Has(nameTarget) {
		return 0, false
	}
	return jumpTo(in, in.Get(nameTarget)), true
}

func jumpTo(in *isa.Inst, v uint64) uint64 { return in.Addr + 8 + uint64(int64(int16(v))*8) }
