package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Inputs of fragment programs. docs/reference/tesla.md 9.4.

// interpolated reads a word of v[]; its number is the slot of the op.
func interpolated(l *isa.Lift, how ir.How) V {
	slot := addressOf(l, l.In.Get(nameAddr)).ShrU(l.I32(2)).Add(l.I32(uint32(l.In.Get(nameVarying))))
	return l.Input(ir.IOAttr{Count: 1, How: how}, ir.I32, slot, V{}, V{}, l.Mask())[0]
}

// interp returns a word unchanged.
func interp(how ir.How) isa.Effect {
	return func(l *isa.Lift) { l.Dst(0, interpolated(l, how)) }
}

// interpTimes returns a word times a register: words are divided by w, and the register holds w.
func interpTimes(how ir.How) isa.Effect {
	return func(l *isa.Lift) {
		v := interpolated(l, how)
		by := negated(l, l.Src(0), nameNeg1)
		f32(l, num.RNE)
		l.Dst(0, v.As(ir.F32).FMul(by.As(ir.F32)).As(ir.I32))
	}
}

// Varying returns the word of v[] that an instruction reads, -1 if an address register selects it; not ok: it reads
// none.
func Varying(in *isa.Inst) (word int, ok bool) {
	if !in.Has(nameVarying) {
		return 0, false
	}
	if in.Get(nameAddr) != 0 {
		return -1, true
	}
	return int(in.Get(nameVarying)), true
}
