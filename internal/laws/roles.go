package laws

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
	"github.com/heddle-gpu/heddle/isa"
)

// Roles checks, for the operands whose kind says which cells they name (Kind.Regs), that the lift reads those that a
// row uses, writes those that it defines, and no others of them. Cells that no operand names are not judged.
func Roles(t testing.TB, s *isa.Set, o Options) {
	each(s, func(variant, stage int) {
		c := newChecker(t, s, variant, stage, &Report{})
		for i := range s.Defs {
			d := &s.Defs[i]
			if !in(d, variant, stage) || d.Alias || d.Meaning == nil {
				continue
			}
			for _, w := range Words(d, o) {
				c.b.Parts, c.b.Pad = append(c.b.Parts[:0], w.Inst(variant)), 0
				blk, err := Lift(s, variant, stage, &c.b, o.mode())
				if err != nil || blk.Term().Op == ir.Trap {
					continue // Lifts reports it
				}
				if !c.roles(&c.b.Parts[0], pass.MarkEffects(s.Machine(variant), blk)[0]) {
					break
				}
			}
		}
	})
}

// mode is the first of the modes to lift under.
func (o Options) mode() uint32 {
	if len(o.Modes) == 0 {
		return 0
	}
	return o.Modes[0]
}

// access says what the operands of an instruction, or its lift, do with a cell.
type access struct{ read, written bool }

func (c *checker) roles(inst *isa.Inst, e pass.Effects) bool {
	want := map[ir.Cell]access{}
	for i := range inst.Def.Args {
		a := &inst.Def.Args[i]
		role := a.RoleIn(inst)
		if a.Kind.Regs == nil || role == isa.NoRole {
			continue
		}
		first, n := a.Kind.Regs(inst, a, a.Get(inst.Word))
		for k := range n {
			cell := ir.Cell{File: first.File, Index: first.Index + uint16(k)}
			x := want[cell]
			x.read = x.read || role == isa.Use || role == isa.UseDef
			x.written = x.written || role == isa.Def_ || role == isa.UseDef
			want[cell] = x
		}
	}
	got := map[ir.Cell]access{}
	for _, sp := range e.Reads {
		if sp.Count == 1 { // a whole file is an index computed at run time
			x := got[sp.Cell]
			x.read = true
			got[sp.Cell] = x
		}
	}
	for _, sp := range e.Writes {
		if sp.Count == 1 {
			x := got[sp.Cell]
			x.written = true
			got[sp.Cell] = x
		}
	}
	m := c.set.Machine(c.variant)
	for cell, w := range want {
		if g := got[cell]; g != w {
			c.errorf(nil, "%s: cell %s%d: read %t, written %t by the lift; by the operands' roles %t, %t", inst, m.Files[cell.File].Name,
				cell.Index, g.read, g.written, w.read, w.written)
			return false
		}
	}
	return true
}
