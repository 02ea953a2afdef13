package tesla

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// floatRows are those of 32 bits. docs/reference/tesla.md 7.
func floatRows() []row {
	close := text(")")
	close.arg.Tight = true
	f32, mul := text("f32"), text("(mul")
	dst := llDst.having(mcdst)
	fma := func(enc *isa.Encoding, ops ...operand) *form { return newForm(enc, ops...) }
	const doc = "a * b + c: the product is cut to 24 bits, the sum rounded"
	rows := []row{
		{name: "add", op: 11, form: newForm(short, f32.having(sat(8)), sDst, ssw.having(neg1(15)), scw.having(neg2(22))), mean: of2(fadd), doc: "a + b, f32", ref: "7.4"},
		{name: "add", op: 11, form: newForm(imm, f32.having(sat(8)), sDst, isw.having(neg1(15)), immW.having(neg2(22))), mean: of2(fadd), doc: "a + b, f32", ref: "7.4"},
		{name: "add", op: 11, fix: fixed(62, 63, 0), form: newForm(long, pick("round", 16, 17, nearZero).having(sat(61)), f32, dst, lsw.having(neg1(58)), lc3w.having(neg2(59))), mean: of2(fadd), doc: "a + b, f32", ref: "7.4"},
		{name: "add", op: 14, form: fma(short, f32.having(sat(8)), sDst, mul.having(neg1(15)), ssw, scw, close, again.having(neg3(22))), mean: of3(fmad), doc: doc, ref: "7.5"},
		{name: "add", op: 14, form: fma(imm, f32.having(sat(8)), sDst, mul.having(neg1(15)), isw, immW, close, again.having(neg3(22))), mean: of3(fmad), doc: doc, ref: "7.5"},
		{name: "add", op: 14, fix: fixed(62, 63, 0), form: fma(long, f32.having(sat(61)), dst, mul.having(neg1(58)), lsw, lc2w, close, lc3w.having(neg3(59))), mean: of3(fmad), doc: doc, ref: "7.5"},
		{name: "set", op: 11, fix: fixed(61, 63, 3), form: newForm(long, dst, pick("cond", 46, 49, setFloat), f32, lsw.having(neg1(58), abs1(52)), lc2w.having(neg2(59), abs2(51))), mean: of2(fset), doc: "all ones if the comparison holds, else 0, f32", ref: "7.4"},
		{name: "max", op: 11, fix: fixed(61, 63, 4), form: newForm(long, f32, dst, lsw.having(neg1(58), abs1(52)), lc2w.having(neg2(59), abs2(51))), mean: of2(fmax), doc: "the larger, f32", ref: "7.4"},
		{name: "min", op: 11, fix: fixed(61, 63, 5), form: newForm(long, f32, dst, lsw.having(neg1(58), abs1(52)), lc2w.having(neg2(59), abs2(51))), mean: of2(fmin), doc: "the smaller, f32", ref: "7.4"},
		{name: "slct", op: 12, fix: fixed(62, 63, 1), form: newForm(long, text("b32"), dst, lsw, lc2w, f32, lc3w.having(neg3(61))), mean: of3(fslct), doc: "a if c >= 0, else b", ref: "7.4"},
		{name: "quadop", op: 12, fix: fixed(61, 63, 4), form: newForm(long, f32, pick("quad0", 58, 59, quadOps), pick("quad1", 56, 57, quadOps), pick("quad2", 54, 55, quadOps), pick("quad3", 20, 21, quadOps),
			dst, pick("quadlane", 16, 18, quadLane), src1, src3), mean: of2(quadop), doc: "in lane i of the quad operation i of a, from the lane named, and b", ref: "7.4"},
	}
	return append(append(rows, scaleRows()...), specialRows()...)
}

// scaleRows are the products of 32 bits. The chips before GT200 have no saturation of these.
func scaleRows() (rows []row) {
	for _, v := range [...]struct {
		variants uint32
		sat      bool
	}{{allVariants &^ fromG200, false}, {fromG200, true}} {
		sats := func(o operand, at int) operand {
			if v.sat {
				return o.having(sat(at))
			}
			return o
		}
		add := func(fix []isa.Fixed, f *form) {
			rows = append(rows, row{name: "mul", op: 12, fix: fix, variants: v.variants, form: f, mean: of2(fmul), doc: "a * b, f32", ref: "7.4"})
		}
		add(nil, newForm(short, sats(text("f32"), 8), sDst, ssw.having(neg1(15)), scw.having(neg2(22))))
		add(nil, newForm(imm, sats(text("f32"), 8), sDst, isw.having(neg1(15)), immW.having(neg2(22))))
		add(fixed(61, 63, 0), newForm(long, sats(pick("round", 46, 47, nearZero), 52), text("f32"), llDst.having(mcdst), lsw.having(neg1(58)), lc2w.having(neg2(59))))
	}
	return rows
}

// specialRows are the functions of the special function unit, and what prepares their operands.
func specialRows() []row {
	f32 := text("f32")
	signed := src1.having(neg1(58), abs1(52))
	pre := lsw.having(neg1(58), abs1(52))
	return []row{
		{name: "rcp", unit: unitSFU, op: 9, form: newForm(short, f32, sDst, src1.having(neg1(22), abs1(15))), mean: of1(special(num.TeslaRcp)), doc: "1/a", ref: "7.2"},
		{name: "rcp", unit: unitSFU, op: 9, fix: fixed(61, 63, 0), form: newForm(long, f32, llDst, signed), mean: of1(special(num.TeslaRcp)), doc: "1/a", ref: "7.2"},
		{name: "rsqrt", unit: unitSFU, op: 9, fix: fixed(61, 63, 2), form: newForm(long, f32, llDst, signed), mean: of1(special(num.TeslaRsqrt)), doc: "1/sqrt(a)", ref: "7.2"},
		{name: "lg2", unit: unitSFU, op: 9, fix: fixed(61, 63, 3), form: newForm(long, f32, llDst, signed), mean: of1(special(num.TeslaLg2)), doc: "logarithm to base 2", ref: "7.2"},
		{name: "sin", unit: unitSFU, op: 9, fix: fixed(61, 63, 4), form: newForm(long, f32, llDst, src1), mean: of1(special(num.TeslaSin)), doc: "sine of what presin gives", ref: "7.2"},
		{name: "cos", unit: unitSFU, op: 9, fix: fixed(61, 63, 5), form: newForm(long, f32, llDst, src1), mean: of1(special(num.TeslaCos)), doc: "cosine of what presin gives", ref: "7.2"},
		{name: "ex2", unit: unitSFU, op: 9, fix: fixed(61, 63, 6), form: newForm(long, f32.after(behind("sat"), "sat", 59), llDst, src1), mean: of1(fex2), doc: "2 to the power of what preex2 gives", ref: "7.2"},
		{name: "presin", op: 11, fix: fixed(61, 63, 6, 46, 46, 0), form: newForm(long, f32, llDst, pre), mean: of1(special(num.TeslaPreSin)), doc: "a in quarter turns, for sin and cos", ref: "7.2"},
		{name: "preex2", op: 11, fix: fixed(61, 63, 6, 46, 46, 1), form: newForm(long, f32, llDst, pre), mean: of1(special(num.TeslaPreEx2)), doc: "a as a fixed-point number, for ex2", ref: "7.2"},
	}
}

// doubleRows are those of 64 bits. docs/reference/tesla.md 7.6.
func doubleRows() []row {
	f64 := text("f64")
	dst := lDstD.having(mcdst)
	a, b := src1D.having(neg1(58), abs1(52)), src2D.having(neg2(59), abs2(51))
	rows := []row{
		{name: "fma", op: 14, fix: fixed(61, 63, 2), form: newForm(long, pick("round", 54, 55, roundWord), f64, dst, src1D.having(neg1(58)), src2D, src3D.having(neg3(59))), mean: of3(dfma), doc: "a * b + c, rounded once, f64"},
		{name: "add", op: 14, fix: fixed(61, 63, 3), form: newForm(long, pick("round", 16, 17, roundWord), f64, dst, src1D.having(neg1(58)), src3D.having(neg2(59))), mean: of2(dadd), doc: "a + b, f64"},
		{name: "mul", op: 14, fix: fixed(61, 63, 4), form: newForm(long, pick("round", 49, 50, roundWord), f64, dst, src1D.having(neg1(58)), src2D), mean: of2(dmul), doc: "a * b, f64"},
		{name: "min", op: 14, fix: fixed(61, 63, 5), form: newForm(long, f64, dst, a, b), mean: of2(dmin), doc: "the smaller, f64"},
		{name: "max", op: 14, fix: fixed(61, 63, 6), form: newForm(long, f64, dst, a, b), mean: of2(dmax), doc: "the larger, f64"},
		{name: "set", op: 14, fix: fixed(61, 63, 7), form: newForm(long, llDst.having(mcdst), pick("cond", 46, 49, setFloat), f64, a, b), mean: of2(dset), doc: "all ones if the comparison holds, else 0, f64"},
	}
	for i := range rows {
		rows[i].variants, rows[i].ref = onlyG200, "7.6"
	}
	return rows
}
