package eval

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// compound returns the value of a register that is made of several cells.
func compound(c *isa.Compound, st *exec.State) uint32 {
	v := st.Get(c.Cell, 0)
	for _, b := range c.Bits {
		is := uint32(1)
		switch {
		case b.Shows == isa.ShowsCell:
			is = st.Get(b.Cell, 0)
		case b.Shows == isa.ShowsZero && !isZero(st, b.Cell):
			is = 0
		}
		v = v&^(1<<b.At) | is<<b.At
	}
	return v
}

// isZero reports whether the execution mask is 0, or the pair of cells at c is.
func isZero(st *exec.State, c ir.Cell) bool {
	if st.Machine.Kind(c) == ir.ExecMask {
		return st.Exec == 0
	}
	return st.Get(c, 0)|st.Get(ir.Cell{File: c.File, Index: c.Index + 1}, 0) == 0
}

// setCompound changes the cells of which a register is made. Bits that are derived from others stay.
func setCompound(c *isa.Compound, st *exec.State, v uint32) {
	kept := uint32(0)
	for _, b := range c.Bits {
		kept |= 1 << b.At
		if b.Shows == isa.ShowsCell {
			st.Set(b.Cell, 0, v>>b.At&1)
		}
	}
	st.Set(c.Cell, 0, v&^kept|st.Get(c.Cell, 0)&kept)
}
