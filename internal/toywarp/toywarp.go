// Package toywarp is a second toy, with what the first lacks: warps that diverge and reconverge with a stack, several
// words before a mnemonic, operands that depend on the stage, short and long forms where short ones come in pairs,
// rules across fields.
//
// An instruction has 32 bits, or 64 if bit 0 is set; long ones, targets and labels are multiples of 8 bytes, so that
// short ones come in pairs:
//
//	0 long, 4-9 d, 10-15 a, 16-21 b or 10-24 target / 8, 25 saturate, 28-31 opcode
//	32-33 flow: 1 exit, 2 join; 34-37 guard; 38-39 type of a: 1 s[], 2 of the stage; 40-41 $a of s[], 42 its increment
//
// For type 2 the meaning of a depends on the stage: in a vertex program in[n], in a fragment program v[n].
package toywarp

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index.
const (
	FileR = iota
	FileP
	FileA
	FileIn
	FileExec
)

// Depth is the number of tokens on the stack of a warp.
const Depth = 4

var machine = &ir.Machine{
	Name: "toywarp",
	Files: []ir.File{
		FileR:    {Name: "r", Kind: ir.Lane32, Count: 64},
		FileP:    {Name: "p", Kind: ir.Lane1, Count: 4},
		FileA:    {Name: "a", Kind: ir.Lane32, Count: 4},
		FileIn:   {Name: "in", Kind: ir.Lane32, Count: 64},
		FileExec: {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths:     []int{8, 4, 32},
	Control:    ir.MaskStack,
	StackDepth: Depth,
	Spaces:     ir.Spaces{ir.GroupSpace: 1},
}

// Stages by index.
const (
	VP = iota
	FP
)

// Names of the fields used in semantics and texts.
const (
	nameD isa.Name = iota
	nameA
	nameB
	nameWhat
	nameOffset
	nameInc
	nameFlow
	nameGuard
	nameSat
	nameTarget
)

var names = []string{nameD: "d", nameA: "a", nameB: "b", nameWhat: "what", nameOffset: "offset", nameInc: "inc", nameFlow: "flow",
	nameGuard: "guard", nameSat: "sat", nameTarget: "target"}

var shortFields = []isa.Field{isa.Bits("d", 4, 9, reg), isa.Bits("a", 10, 15, reg), isa.Bits("b", 16, 21, reg), isa.Bits("sat", 25, 25, saturate),
	isa.Bits("target", 10, 24, label)}

var (
	short = isa.Encoding{Name: "short", Bits: 32, Fixed: []isa.Fixed{isa.Must(0, 0, 0)}, Opcode: bits.Ranges{bits.Span(28, 31)}, Fields: shortFields}
	long  = isa.Encoding{Name: "long", Bits: 64, Fixed: []isa.Fixed{isa.Must(0, 0, 1)}, Opcode: bits.Ranges{bits.Span(28, 31)},
		Fields: append([]isa.Field{isa.Bits("flow", 32, 33, flow), isa.Bits("guard", 34, 37, guard), isa.Bits("what", 38, 39, what),
			isa.Bits("offset", 40, 41, anyOffset), isa.Bits("inc", 42, 42, increment)}, shortFields...)}
)

// A row is an instruction with a long form, and a short one for operands that fit in it.
type row struct {
	op     uint64
	name   string
	args   []isa.Arg
	short  bool
	stages uint32
	mean   isa.Meaning
	doc    string
}

const (
	both     = 0
	fragment = 1 << FP
)

var (
	d    = isa.Arg{Name: "d", Role: isa.Define, Width: 32}
	a    = isa.Arg{Name: "a", Role: isa.Use, Width: 32}
	b    = isa.Arg{Name: "b", Role: isa.Use, Width: 32}
	wide = isa.Arg{Name: "a", Kind: source, Role: isa.Use, Width: 32, Parts: []isa.Part{partWhat: {Name: "what"}, partOffset: {Name: "offset"}, partInc: {Name: "inc"}}}
	to   = isa.Arg{Name: "target"}
	sat  = isa.Arg{Name: "sat", Place: isa.Suffix}
)

var rows = []row{
	{1, "add", []isa.Arg{sat, d, a, b}, true, both, isa.Effect(add), "a + b; with .sat at most 2^32-1"},
	{2, "mul", []isa.Arg{d, a, b}, false, both, isa.Binary(ir.V.Mul), "a * b"},
	{3, "mov", []isa.Arg{d, a}, true, both, isa.Unary(same), "a"},
	{4, "lane", []isa.Arg{d}, true, both, isa.Effect(lane), "the number of the lane"},
	{5, "joinat", []isa.Arg{to}, false, both, control(ir.CtlPush), "lanes meet at the target"},
	{6, "bra", []isa.Arg{to}, false, both, control(ir.CtlDiverge), "the lanes of the guard jump"},
	{7, "breakaddr", []isa.Arg{to}, false, both, control(ir.CtlPushBreak), "lanes that break go on at the target"},
	{8, "break", nil, false, both, control(ir.CtlBreak), "the lanes of the guard wait for the others at the place of the last breakaddr"},
	{9, "call", []isa.Arg{to}, false, both, control(ir.CtlCall), "the lanes of the guard call"},
	{10, "ret", nil, false, both, control(ir.CtlReturn), "the lanes of the guard return"},
	{11, "quadon", nil, false, both, control(ir.CtlQuadOn), "all lanes of running quads run"},
	{12, "quadpop", nil, false, both, control(ir.CtlQuadPop), "the lanes before quadon run"},
	{13, "ddx", []isa.Arg{d, a}, true, fragment, isa.Effect(ddx), "a of the lane beside this one in its quad, minus a"},
	{14, "setlt", []isa.Arg{{Name: "d", Kind: pred, Role: isa.Define, Width: 1}, a, b}, false, both, isa.Effect(setlt), "p = a < b, signed"},
	{15, "nop", nil, true, both, isa.Effect(func(*isa.Lift) {}), "nothing"},
}

func defs() (ds []isa.Def) {
	for i := range rows {
		r := &rows[i]
		if r.short {
			ds = append(ds, r.def(&short))
		}
		ds = append(ds, r.def(&long))
	}
	return ds
}

func (r *row) def(e *isa.Encoding) isa.Def {
	def := isa.Def{Name: r.name, Variants: 1, Stages: r.stages, Enc: e, Op: r.op, Doc: r.doc, Meaning: r.mean, Form: form, Fidelity: ir.Exact}
	def.Twin = e == &long
	if e == &short {
		def.Short = true
		def.Args = append(def.Args, r.args...)
		return def
	}
	def.Rank, def.Check, def.Canon = 1, check, canon
	for _, x := range r.args {
		if x.Name == "a" {
			x = wide
		}
		def.Args = append(def.Args, x)
	}
	def.Args = append(def.Args, isa.Arg{Name: "flow", Place: isa.Prefix}, isa.Arg{Name: "guard", Place: isa.Prefix, Role: isa.Use, Width: 1},
		isa.Arg{Name: "long", Place: isa.Prefix, Kind: longWord, At: bits.Ranges{}})
	return def
}

// check: an increment needs a register to increment, and only s[] has one; a control step has no flow field of its own.
func check(in *isa.Inst) string {
	switch {
	case in.Has(nameInc) && in.Get(nameInc) != 0 && in.Get(nameOffset) == 0:
		return "an increment without address register"
	case in.Has(nameOffset) && in.Get(nameWhat) != isShared && in.Get(nameOffset)|in.Get(nameInc) != 0:
		return "an address register, and the operand is not s[]"
	case in.Get(nameFlow) != 0 && steps(in):
		return "exit and join cannot stand before control flow"
	}
	return ""
}

// steps reports whether the instruction is a control step.
func steps(in *isa.Inst) bool { return in.Def.Op >= 5 && in.Def.Op <= 12 }

// canon: clears the predicate of an unused guard.
func canon(in *isa.Inst) {
	if in.Get(nameGuard)&8 == 0 {
		in.Put(nameGuard, 0)
	}
}

// Arch returns the declaration.
func Arch() *isa.Arch {
	return &isa.Arch{
		Loose: true,
		Name:  "toywarp", Doc: "a toy with a stack, for tests", Variants: []isa.Variant{{Name: "w1"}}, Stages: []string{VP: "vp", FP: "fp"},
		Names: names, Unit: 4, Longest: 8, Defs: defs(), Machine: func(int) *ir.Machine { return machine }, Sep: ", ", Comments: []string{"//", ";"},
		Before: before, After: after, Cell: cell, Validate: validate, Pairs: true, Branch: branch,
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
	for i, f := range machine.Files {
		for n := range f.Count {
			if fmt.Sprint(f.Name, n) == name {
				return []ir.Cell{{File: uint8(i), Index: uint16(n)}}, nil
			}
		}
	}
	return nil, fmt.Errorf("toywarp: no register %q", name)
}

// validate: short instructions come in pairs that start at multiples of 8 bytes.
func validate(v *isa.View) []isa.Finding {
	in := v.Inst()
	other := v.Next
	if in.Addr%8 != 0 {
		other = v.Prev
	}
	switch {
	case in.Size == 8 && in.Addr%8 != 0:
		return []isa.Finding{{Rule: "unaligned", Msg: in.Def.Name + ": a long instruction not at a multiple of 8 bytes", Source: "toywarp, package comment"}}
	case in.Size == 4 && (v.Prev != nil || v.Next != nil) && (other == nil || other.Parts[0].Size != 4):
		return []isa.Finding{{Rule: "unpaired", Msg: in.Def.Name + ": a short instruction without another", Source: "toywarp, package comment"}}
	}
	return nil
}

func branch(bd *isa.Bundle, i int) (uint64, bool) {
	in := &bd.Parts[i]
	if !in.Has(nameTarget) {
		return 0, false
	}
	return in.Get(nameTarget) * 8, true
}
