package toy

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// A form is what rows share: operands and modifiers, and how sources are read and results written.
type form struct {
	args []isa.Arg
	isa  *isa.Form
}

func use(name string) isa.Arg { return isa.Arg{Name: name, Role: isa.Use, Width: 32} }
func out(name string) isa.Arg { return isa.Arg{Name: name, Role: isa.Define, Width: 32} }

// mods are the modifiers of calculations.
var mods = []isa.Arg{{Name: "guard", Place: isa.Modifier, Role: isa.Use}, {Name: "chain", Place: isa.Hidden}}

func calculation(args ...isa.Arg) *form {
	return &form{append(args, mods...), &isa.Form{Src: src, Dst: dst, Before: before, After: after}}
}

func plain(args ...isa.Arg) *form {
	return &form{args, &isa.Form{Src: src, Dst: dst, Before: before, After: after}}
}

var (
	dab    = calculation(out("d"), use("a"), use("b"))
	dal    = calculation(out("d"), use("a"), use("lit"))
	ndab   = calculation(isa.Arg{Name: "n", Place: isa.Suffix}, out("d"), use("a"), use("b"))
	hab    = calculation(isa.Arg{Name: "dh", Role: isa.UseDef, Width: 16}, use("a"), use("b"))
	pab    = calculation(isa.Arg{Name: "p", Role: isa.Define, Width: 1}, use("a"), use("b"))
	dOnly  = calculation(out("d"))
	da     = plain(out("d"), use("a"))
	du     = plain(out("d"), use("u"))
	di     = plain(out("d"), isa.Arg{Name: "imm"})
	wform  = plain(out("d"), use("a"), isa.Arg{Name: "imm"})
	tform  = plain(isa.Arg{Name: "target"})
	tgform = plain(isa.Arg{Name: "target"}, isa.Arg{Name: "guard", Place: isa.Modifier, Role: isa.Use})
	none   = plain()
	dm     = plain(out("d"), use("place"))
	sm     = plain(use("d"), use("place"))
)

func cellR(i uint64) ir.Cell { return ir.Cell{File: FileR, Index: uint16(i)} }

// pending are the results of a bundle, written after all its parts have read their sources.
type pending struct{ sets []set }

type set struct {
	cell    ir.Cell
	at      int // bit position of a half, or -1
	v, mask ir.V
}

// src returns the i-th source operand.
func src(l *isa.Lift, i int) ir.V {
	a := l.In.Def.Operand(1 + i)
	v := a.Get(l.In.Word)
	if a.Name == "lit" && v == litCode {
		return l.I32(uint32(l.In.Literal()))
	}
	return l.Get(cellR(v), ir.I32)
}

// dst records the result for after.
func dst(l *isa.Lift, _ int, v ir.V) {
	a := l.In.Def.Operand(0)
	n := a.Get(l.In.Word)
	s := set{cellR(n & 15), -1, v, l.Mask()}
	switch a.Name {
	case "p":
		s.cell = ir.Cell{File: FileP, Index: uint16(n)}
	case "dh":
		s.at = int(n>>4) * 16
	}
	if l.In.Opt(nameN) != 0 {
		s.v = v.Neg()
	}
	p := l.Data.(*pending)
	p.sets = append(p.sets, s)
}

// start clears the state of an earlier bundle.
func start(l *isa.Lift) {
	if l.Data == nil {
		l.Data = &pending{}
	}
	p := l.Data.(*pending)
	p.sets = p.sets[:0]
}

// before converts the guard to a mask.
func before(l *isa.Lift) {
	l.Guard(ir.V{})
	if g := l.In.Opt(nameGuard); g != 0 {
		p := l.Get(ir.Cell{File: FileP, Index: uint16(g & 3)}, ir.I1)
		if g >= 12 {
			p = p.Not()
		}
		l.Guard(p)
	}
}

// after writes the results once the last part of the bundle has read its sources.
func after(l *isa.Lift) {
	if l.In != &l.Bundle.Parts[len(l.Bundle.Parts)-1] {
		return
	}
	p := l.Data.(*pending)
	for i, s := range p.sets { // reads first, then writes
		if s.at >= 0 {
			p.sets[i].v = l.Get(s.cell, ir.I32).Insert(s.v, s.at)
		}
	}
	for _, s := range p.sets {
		l.Set(s.cell, s.v, s.mask)
	}
}

func same(a ir.V) ir.V { return a }

// swz dN.h, a, b: the low half of a ^ b.
func low16(a, b ir.V) ir.V { return a.Xor(b).Trunc(ir.I16) }

func fadd(l *isa.Lift) {
	defer l.Float(num.RNE.With(0))()
	l.Dst(0, l.Src(0).As(ir.F32).FAdd(l.Src(1).As(ir.F32)).As(ir.I32))
}

func lane(l *isa.Lift) { l.Dst(0, l.LaneID()) }

func movu(l *isa.Lift) {
	l.Dst(0, l.Get(ir.Cell{File: FileU, Index: uint16(l.In.Get(nameU))}, ir.I32))
}

func movi(l *isa.Lift) { l.Dst(0, l.I32(uint32(int32(int8(l.In.Get(nameImm)))))) }

func liftWide(l *isa.Lift) {
	imm := l.In.Get(nameImm)
	l.Dst(0, l.Src(0).Xor(l.I32(uint32(imm)^uint32(imm>>32))))
}

// address returns base + offset as an address of global memory.
func address(l *isa.Lift) ir.V {
	v := l.In.Get(namePlace)
	return l.Get(cellR(v&15), ir.I32).Add(l.I32(uint32(v >> 4))).ZExt(ir.I64)
}

var access = ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1, Align: 4}

func load(l *isa.Lift) { l.Dst(0, l.Load(access, ir.I32, address(l), l.Mask())[0]) }

func store(l *isa.Lift) {
	l.Store(access, address(l), []ir.V{l.Get(cellR(l.In.Get(nameD)), ir.I32)}, l.Mask())
}

// movx d, [base+offset]: each lane reads a register of its own index.
func movx(l *isa.Lift) {
	v := l.In.Get(namePlace)
	index := l.Get(cellR(v&15), ir.I32).Add(l.I32(uint32(v >> 4)))
	l.Dst(0, l.GetX(cellR(0), index, l.Mask(), ir.I32))
}

func push(l *isa.Lift)    { l.Control(ir.CtlPush, l.Mask(), jumpTo(l.In, l.In.Get(nameTarget))) }
func diverge(l *isa.Lift) { l.Control(ir.CtlDiverge, l.Mask(), jumpTo(l.In, l.In.Get(nameTarget))) }
func join1(l *isa.Lift)   { l.Control(ir.CtlJoin, l.Mask(), 0) }
func end(l *isa.Lift)     { l.End() }
