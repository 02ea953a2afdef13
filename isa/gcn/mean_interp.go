package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Interpolation as input ops. docs/reference/gcn.md 7.5.

// An Attribute is the slot of the input ops of interpolation: the number of the attribute, its component, and M0. The
// ops read P0, P10 and P20 as 32 bits.
type Attribute uint32

// Number returns that of the attribute, Component which of its four values.
func (a Attribute) Number() int    { return int(a >> 2 & 63) }
func (a Attribute) Component() int { return int(a & 3) }

// PrimMask returns M0 without its top 8 bits.
func (a Attribute) PrimMask() uint32 { return uint32(a >> 8) }

// Interpolates returns the attribute that an instruction reads, without M0; false: it reads none.
func Interpolates(in *isa.Inst) (Attribute, bool) {
	if !in.Has(nameAttr) {
		return 0, false
	}
	return Attribute(in.Get(nameAttr)), true
}

// params reads some of P0, P10 and P20 of the instruction's attribute.
func params(l *isa.Lift, hows ...ir.How) (vs []V) {
	slot := l.Get(CellM0, ir.I32).Shl(l.I32(8)).Or(l.I32(uint32(l.In.Get(nameAttr))))
	for _, how := range hows {
		vs = append(vs, l.Input(ir.IOAttr{Count: 1, How: how}, ir.F32, slot, V{}, V{}, l.Exec())[0])
	}
	return vs
}

// half returns the half of a parameter that high selects, as f32.
func half(l *isa.Lift, x V) V {
	return x.As(ir.I32).Extract(16*int(l.In.Opt(nameHigh)), ir.F16).FCvt(ir.F32)
}

// coordinate returns I or J: vsrc in the short form, source 1 in VOP3.
func coordinate(l *isa.Lift) V {
	if l.In.Has(nameVsrc) {
		return vgpr(l, field(l, nameVsrc), f32)
	}
	return interpSource(l, nameSrc1)
}

// interpSource returns a VGPR that VOP3 names, with abs and neg.
func interpSource(l *isa.Lift, at isa.Name) V {
	x := operand(l, field(l, at), f32)
	return signed(x, l.In.Opt(nameSrc0Neg+at-nameSrc0) != 0, l.In.Opt(nameSrc0Abs+at-nameSrc0) != 0)
}

func interpResult(l *isa.Lift, t typ, x V) {
	setVGPR(l, field(l, nameVdst), outputMods(l, t, x), l.Mask())
}

// interpP1 is the first step, interpP2 the second.
func interpP1(l *isa.Lift) {
	p := params(l, ir.HowP0, ir.HowP10)
	interpResult(l, f32, mad(p[1], coordinate(l), p[0]))
}

func interpP2(l *isa.Lift) {
	interpResult(l, f32, mad(params(l, ir.HowP20)[0], coordinate(l), vgpr(l, field(l, nameVdst), f32)))
}

// interpMov returns the bits of a parameter.
func interpMov(l *isa.Lift) {
	at := nameVsrc
	if !l.In.Has(at) {
		at = nameSrc1
	}
	x := params(l, [...]ir.How{ir.HowP10, ir.HowP20, ir.HowP0}[l.In.Get(at)])[0]
	if l.In.Opt(nameOmod) == 0 && l.In.Opt(nameClamp) == 0 {
		setVGPR(l, field(l, nameVdst), x, l.Mask())
		return
	}
	interpResult(l, f32, x)
}

// The steps for halves: coordinates and the result of the first step are f32.
func interpP1LL(l *isa.Lift) {
	p := params(l, ir.HowP0, ir.HowP10)
	defer l.Float(floatMode(l.Mode, f16, f32))()
	interpResult(l, f32, mad(half(l, p[1]), coordinate(l), half(l, p[0])))
}

func interpP1LV(l *isa.Lift) {
	p10 := params(l, ir.HowP10)[0]
	defer l.Float(floatMode(l.Mode, f16, f32))()
	p0 := half(l, operand(l, field(l, nameSrc2), f32))
	interpResult(l, f32, mad(half(l, p10), coordinate(l), p0))
}

func interpP2F16(l *isa.Lift) {
	p20 := params(l, ir.HowP20)[0]
	restore := l.Float(floatMode(l.Mode, f16, f32))
	sum := mad(half(l, p20), coordinate(l), interpSource(l, nameSrc2))
	restore()
	defer l.Float(floatMode(l.Mode, f32, f16))()
	interpResult(l, f16, sum.FCvt(ir.F16))
}
