package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// packAddresses packs the split addresses that are read from step i on.
func (c *assembly) packAddresses(i int) {
	for k := range c.split {
		if x := &c.split[k]; x.step < i && i <= x.last {
			c.packAddress(x)
		}
	}
}

// packAddress packs one vector of addresses.
func (c *assembly) packAddress(x *splitAddr) {
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
		a.Emit(x86.VPMOVZXBD, x86.Z(2), c.table(lowInterleaved+h))
		a.Emit(x86.VPERMI2D, x86.Z(2), x86.Z(0), x86.Z(1))
		a.Emit(x86.VMOVUPS, to, x86.Z(2))
	}
	a.Emit(x86.ADD, regIndex, x86.Imm(64))
	a.Emit(x86.CMP, regIndex, x86.Imm(int64(4*c.b.Lanes)))
	a.Emit(x86.JB, x86.To(again))
}
