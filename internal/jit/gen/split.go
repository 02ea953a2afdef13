package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// An address of 64 bits is mostly packed from two rows for one access. Then accesses by iterations read the rows, and
// the 64-bit values are not computed, except where code exits, for the caller.

// A split is a step that packs addresses and that the code skips.
type split struct {
	made, last int // the step, and the last step that reads the addresses
	vec        lower.Place
	low, high  lower.Place
}

// splits finds the steps that can be skipped.
func (c *compiler) splits() {
	if !c.wide() || !c.cut.whole || c.b.Lanes%16 != 0 {
		return
	}
	for i := range c.b.Steps {
		s := &c.b.Steps[i]
		if s.Kind != lower.Compute || s.Op != ir.Pack || c.cut.phases[i] != inside || s.Res[0].Kind != lower.InVec ||
			s.Args[0].Kind != lower.InRow || s.Args[1].Kind != lower.InRow {
			continue
		}
		x := split{made: i, vec: s.Res[0], low: s.Args[0], high: s.Args[1]}
		if !c.onlyAddresses(&x) || x.last == 0 {
			continue
		}
		c.split = append(c.split, x)
		c.passed[i] = true
	}
}

// onlyAddresses finds the last reader, and reports whether all readers are accesses that can read the rows.
func (c *compiler) onlyAddresses(x *split) bool {
	changed := false
	for i := x.made + 1; i < len(c.b.Steps); i++ {
		s := &c.b.Steps[i]
		if slices.Contains(s.Args, x.vec) || s.Mask == x.vec {
			if s.Kind != lower.MemoryAccess {
				return false
			}
			r, ok := (&accessor{c: c, s: s, wide: true}).rounder()
			if changed || s.TransferKind.Do == lower.AtomicElem || s.Recorded || !ok || !r.quads ||
				slices.Contains(s.Args[1:], x.vec) {
				return false
			}
			x.last = i
		}
		if slices.Contains(s.Res, x.vec) {
			return true
		}
		changed = changed || slices.Contains(s.Res, x.low) || slices.Contains(s.Res, x.high)
	}
	return !slices.Contains(c.b.Term, x.vec)
}

// splitOf returns the split addresses of step i, nil if they are not split.
func (c *compiler) splitOf(i int) *split {
	for k := range c.split {
		if x := &c.split[k]; x.made < i && i <= x.last && len(c.b.Steps[i].Args) > 0 && c.b.Steps[i].Args[0] == x.vec {
			return x
		}
	}
	return nil
}

// unite packs the addresses that are read from step i on.
func (c *compiler) unite(i int) {
	for k := range c.split {
		if x := &c.split[k]; x.made < i && i <= x.last {
			c.uniteOne(x)
		}
	}
}

// uniteOne packs the addresses of one split.
func (c *compiler) uniteOne(x *split) {
	a, again := c.a, c.a.NewLabel()
	row := func(p lower.Place) x86.Operand { return x86.At(regOf(p), c.rowOffset(p)).Index(regIndex, 1) }
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regVecs, x86.At(x86.RDI, code.OffVecs))
	a.Emit(x86.XOR, x86.R32(9), x86.R32(9))
	a.Bind(again)
	a.Emit(x86.VMOVUPS, x86.Z(0), row(x.low))
	a.Emit(x86.VMOVUPS, x86.Z(1), row(x.high))
	for h := range 2 {
		to := x86.At(regVecs, x.vec.At*8*ir.MaxLanes+int32(64*h)).Index(regIndex, 2)
		a.Emit(x86.VPMOVZXBD, x86.Z(2), x86.RIP(c.sixteens(inTurn+h)))
		a.Emit(x86.VPERMI2D, x86.Z(2), x86.Z(0), x86.Z(1))
		a.Emit(x86.VMOVUPS, to, x86.Z(2))
	}
	a.Emit(x86.ADD, regIndex, x86.Imm(64))
	a.Emit(x86.CMP, regIndex, x86.Imm(int64(4*c.b.Lanes)))
	a.Emit(x86.JB, x86.To(again))
}
