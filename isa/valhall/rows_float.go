package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// floatRows are floats. docs/reference/valhall.md 10.1.
func floatRows() []row {
	clampOne := mods(clampArg)
	f32x2, f16x2 := newForm(clampOne, dst(), float32s(0), float32s(1)), newForm(clampOne, dst(), float16s(0), float16s(1))
	special, special16 := newForm(nil, dst(), float32s(0)), newForm(nil, dst(), src(0, ir.F16).signs().halves())
	split := mods(on("sqrt", 24), on("log", 25))
	parts, parts16 := newForm(split, dst(), src(0, ir.F32).half()), newForm(split, dst(), src(0, ir.V2F16).halves())
	scaled := newForm(clampOne, dst(), src(0, ir.F32).signs(), src(1, ir.F32).signs(), src(2, ir.F32).signs(), src(3, ir.I32))
	step := newForm(nil, dst(), src(0, ir.I32))
	cube := newForm(nil, dst(), src(0, ir.F32).signs(), src(1, ir.F32).signs(), src(2, ir.F32).signs())
	side := newForm(nil, dst(), src(0, ir.F32).signs(), src(1, ir.F32).signs(), src(2, ir.I32))
	constant := number("constant", 8, 32, immediate)
	return []row{
		{name: "FADD.f32", op: 0xa4, fix: secondary(16, 19, 0), unit: unitFMA, form: f32x2, mean: isa.M2(fadd), doc: "a + b", ref: "10.1"},
		{name: "FMIN.f32", op: 0xa4, fix: secondary(16, 19, 2), unit: unitCVT, form: f32x2, mean: isa.M2(fmin), doc: "the smaller", ref: "10.1"},
		{name: "FMAX.f32", op: 0xa4, fix: secondary(16, 19, 3), unit: unitCVT, form: f32x2, mean: isa.M2(fmax), doc: "the larger", ref: "10.1"},
		{name: "FADD.v2f16", op: 0xa5, fix: secondary(16, 19, 0), unit: unitFMA, form: f16x2, mean: isa.M2(fadd), doc: "a + b", ref: "10.1"},
		{name: "FMIN.v2f16", op: 0xa5, fix: secondary(16, 19, 2), unit: unitCVT, form: f16x2, mean: isa.M2(fmin), doc: "the smaller", ref: "10.1"},
		{name: "FMAX.v2f16", op: 0xa5, fix: secondary(16, 19, 3), unit: unitCVT, form: f16x2, mean: isa.M2(fmax), doc: "the larger", ref: "10.1"},
		{name: "FMA.f32", op: 0xb2, unit: unitFMA, form: newForm(clampOne, dst(), float32s(0), float32s(1), float32s(2)), mean: isa.M3(fma), doc: "a * b + c, rounded once", ref: "10.1"},
		{name: "FMA.v2f16", op: 0xb3, unit: unitFMA, form: newForm(clampOne, dst(), float16s(0), float16s(1), float16s(2)), mean: isa.M3(fma), doc: "a * b + c, rounded once", ref: "10.1"},
		{name: "FADD_IMM.f32", op: 0x114, unit: unitFMA, form: newForm(nil, dst(), src(0, ir.F32), constant), mean: isa.Eff(faddImm), doc: "a + the constant", ref: "10.1"},
		{name: "FADD_IMM.v2f16", op: 0x115, unit: unitFMA, form: newForm(nil, dst(), src(0, ir.V2F16), constant), mean: isa.Eff(faddImm), doc: "a + the constant", ref: "10.1"},
		{name: "LDEXP.f32", also: []string{"FRSCALE.f32"}, op: 0xa4, fix: secondary(16, 19, 6), unit: unitFMA, form: newForm(mods(roundArg), dst(), float32s(0), src(1, ir.I32)), mean: isa.M2(ldexp), doc: "a * 2^b", ref: "10.1", options: []string{choiceRescale}},
		{name: "LDEXP.v2f16", also: []string{"FRSCALE.v2f16"}, op: 0xa5, fix: secondary(16, 19, 6), unit: unitFMA, form: newForm(mods(roundArg), dst(), float16s(0), src(1, ir.V2I16)), mean: isa.M2(ldexpHalves), doc: "a * 2^b", ref: "10.1", options: []string{choiceRescale}},
		{name: "FMA_RSCALE.f32", op: 0x160, unit: unitFMA, form: scaled, mean: fmaRescale(scalePlain), doc: "(a * b + c) * 2^d", ref: "10.1", options: []string{choiceRescale}},
		{name: "FMA_RSCALE_N.f32", op: 0x161, unit: unitFMA, form: scaled, mean: fmaRescale(scaleZero), doc: "(a * b + c) * 2^d; a product with 0 is 0", ref: "10.1", options: []string{choiceRescale}},
		{name: "FMA_RSCALE_LEFT.f32", op: 0x162, unit: unitFMA, form: scaled, mean: fmaRescale(scaleLeft), doc: "(a * b + c) * 2^d; a product with 0 is a", ref: "10.1", options: []string{choiceRescale}},
		{name: "FMA_RSCALE_SCALE16.f32", op: 0x163, unit: unitFMA, form: scaled, mean: fmaRescale(scale16), doc: "(a * b + c) * 2^d; d has 16 bits", ref: "10.1", options: []string{choiceRescale}},
		{name: "FEXP.f32", op: 0xa4, fix: secondary(16, 19, 8), unit: unitSFU, form: newForm(clampOne, dst(), src(0, ir.I32), src(1, ir.F32).signs()), mean: isa.Eff(fexp), doc: "2^(a / 2^24); b is what a was made from", ref: "10.1", options: []string{choiceUnderflow}},
		{name: "FADD_LSCALE.f32", op: 0xa4, fix: secondary(16, 19, 9), unit: unitFMA, form: newForm(clampOne, dst(), src(0, ir.F32).signs(), src(1, ir.F32).signs()), mean: isa.M2(faddLscale), doc: "a + the significand of b", ref: "10.1", options: []string{choiceLogScale}},
		{name: "FATAN_ASSIST.f32", op: 0xa4, fix: secondary(16, 19, 14), unit: unitSFU, form: newForm(mods(on("second", 24)), dst(), src(0, ir.F32), src(1, ir.F32)), doc: "a step of an arctangent", ref: "10.1", lack: isa.LackUndefined, note: "what it adds to an arctangent is not public"},
		{name: "FRCP.f32", op: 0x9c, fix: secondary(16, 19, 0), unit: unitSFU, form: special, mean: isa.M1(frcp), doc: "1 / a", ref: "10.1"},
		{name: "FRSQ.f32", op: 0x9c, fix: secondary(16, 19, 2), unit: unitSFU, form: special, mean: isa.M1(frsq), doc: "1 / sqrt(a)", ref: "10.1"},
		{name: "FLOGD.f32", op: 0x9c, fix: secondary(16, 19, 8), unit: unitSFU, form: special, mean: isa.Eff(flogd), doc: "log2(m) / (m - 1) of the significand m of a", ref: "10.1", fidelity: ir.Approximate},
		{name: "FPCLASS.f32", op: 0x9c, fix: secondary(16, 19, 10), unit: unitSFU, form: special, doc: "the class of a", ref: "10.1", lack: isa.LackUndefined, note: "how classes are numbered is not public"},
		{name: "FLOG_TABLE.f32", op: 0x9c, fix: secondary(16, 19, 12), unit: unitSFU, form: special, doc: "a step of a logarithm", ref: "10.1", lack: isa.LackUndefined, note: "which of the steps of a logarithm it gives is not public"},
		{name: "FRCP_APPROX.f32", op: 0x9c, fix: secondary(16, 19, 14), unit: unitSFU, form: special, mean: approximated(frcpApprox), doc: "1 / m of the significand m of a, roughly", ref: "10.1", options: []string{choiceTables}},
		{name: "FRSQ_APPROX.f32", op: 0x9c, fix: secondary(16, 19, 15), unit: unitSFU, form: special, mean: approximated(frsqApprox), doc: "1 / sqrt(m) of the significand m of a that FREXPM.sqrt gives, roughly", ref: "10.1", options: []string{choiceTables}},
		{name: "FRCP.f16", op: 0x9c, fix: secondary(16, 19, 1), unit: unitSFU, form: special16, mean: isa.M1(frcp), doc: "1 / a", ref: "10.1"},
		{name: "FRSQ.f16", op: 0x9c, fix: secondary(16, 19, 3), unit: unitSFU, form: special16, mean: isa.M1(frsq), doc: "1 / sqrt(a)", ref: "10.1"},
		{name: "FPCLASS.f16", op: 0x9c, fix: secondary(16, 19, 11), unit: unitSFU, form: special16, doc: "the class of a", ref: "10.1", lack: isa.LackUndefined, note: "how classes are numbered is not public"},
		{name: "FREXPM.f32", op: 0x99, fix: secondary(16, 19, 0), unit: unitCVT, form: parts, mean: isa.Eff(frexpm), doc: "the significand of a", ref: "10.1"},
		{name: "FREXPE.f32", op: 0x99, fix: secondary(16, 19, 2), unit: unitCVT, form: parts, mean: isa.Eff(frexpe), doc: "the exponent of a", ref: "10.1", options: []string{choiceReciprocal}},
		{name: "FREXPM.v2f16", op: 0x99, fix: secondary(16, 19, 1), unit: unitCVT, form: parts16, mean: isa.Eff(frexpm), doc: "the significand of a", ref: "10.1"},
		{name: "FREXPE.v2f16", op: 0x99, fix: secondary(16, 19, 3), unit: unitCVT, form: parts16, mean: isa.Eff(frexpe), doc: "the exponent of a", ref: "10.1", options: []string{choiceReciprocal}},
		{name: "FSIN_TABLE.u6", op: 0x9c, fix: secondary(16, 19, 4), unit: unitSFU, form: step, mean: isa.M1(fsinTable), doc: "sine of a / 32 half turns, of the low six bits", ref: "10.1"},
		{name: "FCOS_TABLE.u6", op: 0x9c, fix: secondary(16, 19, 5), unit: unitSFU, form: step, mean: isa.M1(fcosTable), doc: "cosine of a / 32 half turns, of the low six bits", ref: "10.1"},
		{name: "FSINCOS_OFFSET.u6", op: 0x9c, fix: secondary(16, 19, 6), unit: unitSFU, form: step, doc: "how far the table of sines is off", ref: "10.1", lack: isa.LackUndefined, note: "what the offsets are is not public"},
		{name: "FEXP_TABLE.u4", op: 0x9c, fix: secondary(16, 19, 13), unit: unitSFU, form: step, mean: approximated(fexpTable), doc: "2^(a / 16), of the low four bits", ref: "10.1", options: []string{choiceTables}},
		{name: "CUBE_SSEL", op: 0xbc, fix: secondary(24, 27, 0), unit: unitSFU, form: side, mean: isa.M3(cubeS), doc: "the coordinate s of a cube face, of z, x and the face", ref: "10.1"},
		{name: "CUBE_TSEL", op: 0xbc, fix: secondary(24, 27, 1), unit: unitSFU, form: side, mean: isa.M3(cubeT), doc: "the coordinate t of a cube face, of y, z and the face", ref: "10.1"},
		{name: "CUBEFACE1", op: 0xc0, unit: unitSFU, form: cube, mean: isa.M3(cubeLargest), doc: "the largest absolute value", ref: "10.1"},
		{name: "CUBEFACE2", also: []string{"CUBEFACE2_V9"}, op: 0xc1, unit: unitSFU, form: cube, mean: isa.M3(cubeFace), doc: "the face of a cube that a direction meets", ref: "10.1", options: []string{choiceCubeTies}},
	}
}
