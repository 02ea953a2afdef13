package laws

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Roles checks that the lift reads the cells that the row's operands use (Kind.Cells) and those that are declared as
// implicitly read, writes those that they define, and accesses no others. If no row of the set declares implicit cells,
// cells that no operand names are not judged. A whole file stands for an index computed at run time, and is not judged
// either.
func Roles(t testing.TB, s *isa.Set, o Options) {
	whole := slices.ContainsFunc(s.Defs, func(d isa.Def) bool { return len(d.Implicit) > 0 })
	each(s, func(tg *isa.Target) {
		c := newChecker(t, tg, &Report{})
		for i := range s.Defs {
			d := &s.Defs[i]
			if !in(d, tg) || d.Alias || d.Meaning == nil {
				continue
			}
			for _, w := range Words(tg, d, o) {
				if !c.sample(w) {
					continue
				}
				blk, err := Lift(tg, &c.b, o.mode())
				if err != nil || blk.Term().Op == ir.Trap {
					continue // Lifts reports it
				}
				if !c.roles(&c.b, pass.MarkEffects(tg.Machine(), blk)[0], whole) {
					break
				}
			}
		}
	})
}

// mode returns the first mode to lift in.
func (o Options) mode() uint32 {
	if len(o.Modes) == 0 {
		return 0
	}
	return o.Modes[0]
}

// access is what the operands of an instruction, or its lift, do with a cell. If a part of a cell is written the rest
// counts as read, whatever the roles.
type access struct{ read, written, part bool }

// roles checks the first mark of a bundle; repetitions use other registers.
func (c *checker) roles(b *isa.Bundle, e pass.Effects, whole bool) bool {
	want := map[ir.Cell]access{}
	for i := range b.Parts {
		byRoles(want, &b.Parts[i])
	}
	return c.compare(b, want, e, whole)
}

// byRoles adds the accesses by the operands' roles and the implicit columns of an instruction.
func byRoles(want map[ir.Cell]access, inst *isa.Inst) {
	add := func(first ir.Cell, n int, role isa.Role, part bool) {
		for k := range n {
			cell := ir.Cell{File: first.File, Index: first.Index + uint16(k)}
			x := want[cell]
			x.read = x.read || role == isa.Use || role == isa.UseDef
			x.written = x.written || role == isa.Define || role == isa.UseDef
			x.part = x.part || part && x.written
			want[cell] = x
		}
	}
	for _, im := range inst.Def.Implicit {
		add(im.Cell, im.N, im.Role, false)
	}
	for i := range inst.Def.Args {
		a := &inst.Def.Args[i]
		role := a.RoleIn(inst)
		if a.Kind.Cells == nil || role == isa.NoRole {
			continue
		}
		for _, sp := range a.Kind.Cells(nil, inst, a, a.Get(inst.Word)) {
			if sp.Role == isa.NoRole {
				sp.Role = role
			}
			add(sp.Cell, sp.N, sp.Role, sp.Bytes != 0)
		}
	}
}

func (c *checker) compare(b *isa.Bundle, want map[ir.Cell]access, e pass.Effects, whole bool) bool {
	got := map[ir.Cell]access{}
	for _, sp := range e.Reads {
		if sp.Count == 1 { // a whole file stands for an index computed at run time
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
	m := c.tg.Machine()
	if whole {
		for cell := range got {
			if _, named := want[cell]; !named {
				want[cell] = access{}
			}
		}
	}
	for cell, w := range want {
		g := got[cell]
		if m.Kind(cell) == ir.ExecMask && w.written || w.part { // an instruction may write half of the cell
			g.read = w.read
		}
		if g.read != w.read || g.written != w.written {
			c.errorf(nil, "%s: cell %s%d: read %t, written %t by the lift; by the operands' roles %t, %t", c.print(b), m.Files[cell.File].Name,
				cell.Index, g.read, g.written, w.read, w.written)
			return false
		}
	}
	return true
}
