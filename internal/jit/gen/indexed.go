package gen

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Registers with an index that is uniform are rows at an address that the code computes. The code exits to the caller,
// which knows the rule of the file, if the index is outside of it.

// writesUnnamed reports whether a step writes a row that its results do not name.
func writesUnnamed(s *lower.Step) bool { return s.Op == ir.SetX }

// isIndexed reports whether there is code for a step that reads or writes a register with an index.
func (p *plan) isIndexed(s *lower.Step) bool {
	if s.Op != ir.GetX && s.Op != ir.SetX || s.Args[0].Kind != lower.InWord || s.Type.Bits() != 32 || p.b.Lanes%p.lanes != 0 {
		return false
	}
	return p.b.Machine.Kind(s.Inst.Cell) == ir.Lane32 && (s.Op == ir.SetX || s.Res[0].Kind == lower.InRow)
}

// indexed emits such a step. It is between segments, where all values are in memory.
func (c *assembly) indexed(s *lower.Step) {
	x := exitStub{label: c.a.NewLabel(), step: c.now, again: c.a.NewLabel(), caller: true}
	c.exits = append(c.exits, x)
	a, cell, rowBytes := c.a, s.Inst.Cell, int32(4*c.b.Stride)
	first := exec.IndexOf(c.b.Machine, ir.Cell{File: cell.File})
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	a.Emit(x86.MOV, x86.R32(rax), wordAt(s.Args[0].At))
	a.Emit(x86.ADD, x86.R32(rax), x86.Imm(int64(cell.Index)))
	a.Emit(x86.CMP, x86.R32(rax), x86.Imm(int64(c.b.Machine.Files[cell.File].Count)))
	a.Emit(x86.JAE, x86.To(x.label))
	a.Emit(x86.IMUL, x86.RAX, x86.RAX, x86.Imm(int64(rowBytes)))
	a.Emit(x86.ADD, x86.RAX, regV)
	row := func(i int) x86.Operand { return x86.At(x86.RAX, int32(first)*rowBytes+int32(4*c.lanes*i)) }
	if s.Op == ir.GetX {
		for i := range c.maskParts() {
			a.Emit(x86.VMOVUPS, c.v(0), row(i))
			a.Emit(x86.VMOVUPS, c.row(s.Res[0]).Plus(int32(4*c.lanes*i)), c.v(0))
		}
	} else {
		c.setIndexed(s, row, x.again)
	}
	a.Bind(x.again)
}

// setIndexed writes the value to the vectors of a row, in the lanes of the mask.
func (c *assembly) setIndexed(s *lower.Step, row func(i int) x86.Operand, done x86.Label) {
	a, value, old, mask, bits := c.a, c.v(0), c.v(1), c.v(2), c.v(3)
	if s.Mask.Kind == lower.InWord {
		a.Emit(x86.TEST, wordAt(s.Mask.At).Size(4), x86.Imm(1))
		a.Emit(x86.JE, x86.To(done))
	} else if !c.wide() {
		a.Emit(x86.VMOVDQU, bits, c.table(laneBits))
	}
	if s.Args[1].Kind == lower.InWord {
		a.Emit(x86.VPBROADCASTD, value, wordAt(s.Args[1].At))
	}
	for i := range c.maskParts() {
		if s.Args[1].Kind != lower.InWord {
			a.Emit(x86.VMOVUPS, value, c.row(s.Args[1]).Plus(int32(4*c.lanes*i)))
		}
		switch {
		case s.Mask.Kind == lower.InWord:
			a.Emit(x86.VMOVUPS, row(i), value)
		case c.wide():
			a.Emit(x86.KMOVW, x86.K(1), c.maskPart(s.Mask.At, i))
			a.Emit(x86.VMOVUPS, row(i).Mask(x86.K(1)), value)
		default:
			a.Emit(x86.MOVZX, x86.R32(rcx), c.maskPart(s.Mask.At, i))
			a.Emit(x86.VMOVD, x86.X(2), x86.R32(rcx))
			a.Emit(x86.VPBROADCASTD, mask, x86.X(2))
			a.Emit(x86.VPAND, mask, mask, bits)
			a.Emit(x86.VPCMPEQD, mask, mask, bits)
			a.Emit(x86.VMOVUPS, old, row(i))
			a.Emit(x86.VBLENDVPS, old, old, value, mask)
			a.Emit(x86.VMOVUPS, row(i), old)
		}
	}
}
