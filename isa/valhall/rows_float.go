package valhall

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// floatRows are floats. docs/reference/valhall.md 10.1.
func floatRows() []row {
	clampOne := mods(clampArg)
	sum, product := mods(roundArg, stickyArg, clampArg), mods(roundArg, clampArg)
	sum32, sum16 := newForm(sum, dstNarrow(), float32s(0), float32s(1)), newForm(sum, dst(), float16s(0), float16s(1))
	extreme := mods(pick("nan_mode", 30, 2, nanSense, 0), clampArg)
	f32x2, f16x2 := newForm(extreme, dst(), float32s(0), float32s(1)), newForm(extreme, dst(), float16s(0), float16s(1))
	special, special16 := newForm(nil, dst(), float32s(0)), newForm(nil, dst(), src(0, ir.F16).signs().halves())
	both16 := newForm(nil, dstNarrow(), src(0, ir.F16).signs().halves())
	split := mods(on("sqrt", 24), on("log", 25))
	exponent := append(split[:2:2], pick("neg_result", 30, 1, negate, 0))
	parts, parts16 := newForm(split, dst(), float32s(0)), newForm(split, dst(), float16s(0))
	powers, powers16 := newForm(exponent, dst(), src(0, ir.F32).half()), newForm(exponent, dst(), src(0, ir.V2F16).halves())
	step := func(more ...isa.Arg) *form { return newForm(more, dst(), src(0, ir.I32)) }
	sines := step(pick("table_offset", 30, 1, flag("offset"), 0))
	cube := newForm(nil, dst(), float32s(0), float32s(1), float32s(2))
	side := newForm(nil, dst(), float32s(0), float32s(1), src(2, ir.I32))
	constant := number("constant", 8, 32, immediate)
	rows := []row{
		{name: "FADD.f32", op: 0xa4, fix: secondary(16, 19, 0), unit: unitFMA, form: sum32, mean: isa.Binary(fadd), doc: "a + b", ref: "10.1"},
		{name: "FMIN.f32", op: 0xa4, fix: secondary(16, 19, 2), unit: unitCVT, form: f32x2, mean: fextreme(fmin), doc: "the smaller", ref: "10.1"},
		{name: "FMAX.f32", op: 0xa4, fix: secondary(16, 19, 3), unit: unitCVT, form: f32x2, mean: fextreme(fmax), doc: "the larger", ref: "10.1"},
		{name: "FADD.v2f16", op: 0xa5, fix: secondary(16, 19, 0), unit: unitFMA, form: sum16, mean: isa.Binary(fadd), doc: "a + b", ref: "10.1"},
		{name: "FMIN.v2f16", op: 0xa5, fix: secondary(16, 19, 2), unit: unitCVT, form: f16x2, mean: fextreme(fmin), doc: "the smaller", ref: "10.1"},
		{name: "FMAX.v2f16", op: 0xa5, fix: secondary(16, 19, 3), unit: unitCVT, form: f16x2, mean: fextreme(fmax), doc: "the larger", ref: "10.1"},
		{name: "FMA.f32", op: 0xb2, unit: unitFMA, form: newForm(product, dstNarrow(), float32s(0), float32s(1), float32s(2)), mean: isa.Ternary(fma), doc: "a * b + c, rounded once", ref: "10.1"},
		{name: "FMA.v2f16", op: 0xb3, unit: unitFMA, form: newForm(product, dst(), float16s(0), float16s(1), float16s(2)), mean: isa.Ternary(fma), doc: "a * b + c, rounded once", ref: "10.1"},
		{name: "FADD_IMM.f32", op: 0x114, unit: unitFMA, form: newForm(nil, dst(), src(0, ir.F32), constant), mean: isa.Effect(faddImm), doc: "a + the constant", ref: "10.1"},
		{name: "FADD_IMM.v2f16", op: 0x115, unit: unitFMA, form: newForm(nil, dst(), src(0, ir.V2F16), constant), mean: isa.Effect(faddImm), doc: "a + the constant", ref: "10.1"},
		{name: "LDEXP.f32", also: []string{"FRSCALE.f32"}, op: 0xa4, fix: secondary(16, 19, 6), unit: unitFMA, form: newForm(mods(roundAnyArg), dst(), float32s(0), src(1, ir.I32)), mean: isa.Effect(ldexp), doc: "a * 2^b", ref: "10.1", options: []string{choiceRescale, choiceLdexpHalves}},
		{name: "LDEXP.v2f16", also: []string{"FRSCALE.v2f16"}, op: 0xa5, fix: secondary(16, 19, 6), unit: unitFMA, form: newForm(mods(roundAnyArg), dst(), float16s(0), src(1, ir.V2I16)), mean: isa.Effect(ldexpHalves), doc: "a * 2^b", ref: "10.1", options: []string{choiceRescale, choiceLdexpHalves}},
		{name: "FEXP.f32", op: 0xa4, fix: secondary(16, 19, 8), unit: unitSFU, form: newForm(clampOne, dst(), src(0, ir.I32), float32s(1)), mean: isa.Effect(fexp), doc: "2^(a / 2^24); b is what a was made from", ref: "10.1"},
		{name: "FADD_LSCALE.f32", op: 0xa4, fix: secondary(16, 19, 9), unit: unitFMA, form: sum32, mean: isa.Binary(faddLscale), doc: "a + the significand of b", ref: "10.1"},
		{name: "FATAN_ASSIST.f32", op: 0xa4, fix: append(secondary(16, 19, 14), isa.Must(25, 25, 0)), unit: unitSFU, form: newForm(mods(on("second", 24)), dst(), src(0, ir.F32), src(1, ir.F32)), doc: "a step of an arctangent", ref: "10.1", lack: isa.LackUndefined, note: "what it adds to an arctangent is not public"},
		{name: "FRCP.f32", op: 0x9c, fix: secondary(16, 20, 0), unit: unitSFU, form: special, mean: isa.Unary(frcp), doc: "1 / a", ref: "10.1"},
		{name: "FRSQ.f32", op: 0x9c, fix: secondary(16, 20, 2), unit: unitSFU, form: special, mean: isa.Unary(frsq), doc: "1 / sqrt(a)", ref: "10.1"},
		{name: "FLOGD.f32", op: 0x9c, fix: secondary(16, 20, 8), unit: unitSFU, form: special, mean: isa.Effect(flogd), doc: "log2(m) / (m - 1) of the significand m of a", ref: "10.1", fidelity: ir.Approximate},
		{name: "FPCLASS.f32", op: 0x9c, fix: secondary(16, 20, 10), unit: unitSFU, form: special, doc: "the class of a", ref: "10.1", lack: isa.LackUndefined, note: "how classes are numbered is not public"},
		{name: "FLOG_TABLE.f32", op: 0x9c, fix: secondary(16, 20, 12), unit: unitSFU, form: newForm(mods(pick("mode", 31, 2, flogMode, 0), pick("precision", 33, 2, flogPrecision, 0)), dst(), float32s(0)), doc: "a step of a logarithm", ref: "10.1", lack: isa.LackUndefined, note: "which of the steps of a logarithm it gives is not public"},
		{name: "FRCP_APPROX.f32", op: 0x9c, fix: secondary(16, 20, 14), unit: unitSFU, form: special, mean: model(optTables, frcpApprox), doc: "1 / m of the significand m of a, roughly", ref: "10.1", options: []string{choiceTables}},
		{name: "FRSQ_APPROX.f32", op: 0x9c, fix: secondary(16, 20, 15), unit: unitSFU, form: special, mean: model(optTables, frsqApprox), doc: "1 / sqrt(m) of the significand m of a that FREXPM.sqrt gives, roughly", ref: "10.1", options: []string{choiceTables}},
		{name: "FRCP.f16", op: 0x9c, fix: secondary(16, 20, 1), unit: unitSFU, form: special16, mean: isa.Unary(frcp16), doc: "1 / a", ref: "10.1", until: 10},
		{name: "FRCP.f16", op: 0x9c, fix: secondary(16, 20, 1), unit: unitSFU, form: both16, mean: isa.Unary(V.FRcp), doc: "1 / a", ref: "10.1", since: 11},
		{name: "FRSQ.f16", op: 0x9c, fix: secondary(16, 20, 3), unit: unitSFU, form: special16, mean: isa.Unary(frsq16), doc: "1 / sqrt(a)", ref: "10.1", until: 10},
		{name: "FRSQ.f16", op: 0x9c, fix: secondary(16, 20, 3), unit: unitSFU, form: both16, mean: isa.Unary(V.FRsq), doc: "1 / sqrt(a)", ref: "10.1", since: 11},
		{name: "FPCLASS.f16", op: 0x9c, fix: secondary(16, 20, 11), unit: unitSFU, form: special16, doc: "the class of a", ref: "10.1", lack: isa.LackUndefined, note: "how classes are numbered is not public"},
		{name: "FREXPM.f32", op: 0x99, fix: secondary(16, 19, 0), unit: unitCVT, form: parts, mean: isa.Effect(frexpm), doc: "the significand of a", ref: "10.1"},
		{name: "FREXPE.f32", op: 0x99, fix: secondary(16, 19, 2), unit: unitCVT, form: powers, mean: isa.Effect(frexpe), doc: "the exponent of a", ref: "10.1"},
		{name: "FREXPM.v2f16", op: 0x99, fix: secondary(16, 19, 1), unit: unitCVT, form: parts16, mean: isa.Effect(frexpm), doc: "the significand of a", ref: "10.1", until: 10},
		{name: "FREXPE.v2f16", op: 0x99, fix: secondary(16, 19, 3), unit: unitCVT, form: powers16, mean: isa.Effect(frexpe), doc: "the exponent of a", ref: "10.1", until: 10},
		{name: "FSIN_TABLE.u6", op: 0x9c, fix: secondary(16, 20, 4), unit: unitSFU, form: sines, mean: isa.Unary(fsinTable), doc: "sine of a / 32 half turns, of the low six bits", ref: "10.1"},
		{name: "FCOS_TABLE.u6", op: 0x9c, fix: secondary(16, 20, 5), unit: unitSFU, form: sines, mean: isa.Unary(fcosTable), doc: "cosine of a / 32 half turns, of the low six bits", ref: "10.1"},
		{name: "FSINCOS_OFFSET.u6", op: 0x9c, fix: secondary(16, 20, 6), unit: unitSFU, form: step(on("scale", 30)), doc: "how far the table of sines is off", ref: "10.1", lack: isa.LackUndefined, note: "what the offsets are is not public"},
		{name: "FEXP_TABLE.u4", op: 0x9c, fix: secondary(16, 20, 13), unit: unitSFU, form: step(pick("adj", 31, 2, fexpAdjust, 0)), mean: model(optTables, fexpTable), doc: "2^(a / 16), of the low four bits", ref: "10.1", options: []string{choiceTables}},
		{name: "CUBE_SSEL", op: 0xbc, fix: secondary(24, 25, 0), unit: unitSFU, form: side, mean: isa.Ternary(cubeS), doc: "the coordinate s of a cube face, of z, x and the face", ref: "10.1"},
		{name: "CUBE_TSEL", op: 0xbc, fix: secondary(24, 25, 1), unit: unitSFU, form: side, mean: isa.Ternary(cubeT), doc: "the coordinate t of a cube face, of y, z and the face", ref: "10.1"},
		{name: "CUBEFACE1", op: 0xc0, unit: unitCVT, form: cube, mean: isa.Ternary(cubeLargest), doc: "the largest absolute value", ref: "10.1"},
		{name: "CUBEFACE2", also: []string{"CUBEFACE2_V9"}, op: 0xc1, unit: unitCVT, form: cube, mean: isa.Ternary(cubeFace), doc: "the face of a cube that a direction meets", ref: "10.1"},
	}
	return slices.Concat(rows, rescaleRows(), rarelyNamed())
}

// rescaleRows are FMA_RSCALE in all its modes.
func rescaleRows() (rows []row) {
	scaled := newForm(mods(clampArg), dst(), src(0, ir.F32).signs(), src(1, ir.F32).signs(), src(2, ir.F32).signs(), src(3, ir.I32))
	for _, r := range roundedZero {
		for mode, m := range rescales {
			rows = append(rows, row{name: m.name + r.name, op: 0x160 | r.op | uint64(mode), unit: unitFMA, form: scaled, mean: fmaRescale(mode, r.mode), doc: m.doc, ref: "10.1", options: []string{choiceRescale}})
		}
	}
	return rows
}

// rescales are the modes of FMA_RSCALE by their number.
var rescales = [...]struct{ name, doc string }{
	scalePlain: {"FMA_RSCALE.f32", "(a * b + c) * 2^d"}, scaleZero: {"FMA_RSCALE_N.f32", "(a * b + c) * 2^d; a product with 0 is 0"},
	scaleLeft: {"FMA_RSCALE_LEFT.f32", "(a * b + c) * 2^d; a product with 0 is a"}, scale16: {"FMA_RSCALE_SCALE16.f32", "(a * b + c) * 2^d; d has 16 bits"},
}

// roundedZero are the opcode bits for rounding toward zero.
var roundedZero = [...]struct {
	name string
	op   uint64
	mode num.Mode
}{{"", 0, num.RNE}, {".round_zero", 4, num.RZ}}

// rarelyNamed are instructions in Arm's tables that Mesa's compilers do not use, except FLUSH.
// docs/reference/valhall.md 10.1.
func rarelyNamed() []row {
	flushed := mods(on("ftz", 10), on("flush_inf", 11), pick("flush_nan", 8, 2, flushNaN, 0))
	one, two, plain, plain16 := newForm(nil, dst(), float32s(0)), newForm(nil, dst(), src(0, ir.F32), src(1, ir.F32)), newForm(nil, dst(), src(0, ir.F32).half()), newForm(nil, dst(), src(0, ir.V2F16).halves())
	root := newForm(nil, dst(), src(0, ir.F32))
	return []row{
		{name: "FLUSH.f32", op: 0x98, fix: secondary(16, 20, 0), unit: unitCVT, form: newForm(flushed, dst(), float32s(0)), mean: isa.Effect(flushed32), doc: "a; with ftz subnormals are zeros, with flush_inf infinities the largest numbers, with flush_nan NaNs +0, with quiet_nan quiet", ref: "10.1"},
		{name: "FLUSH.v2f16", op: 0x98, fix: secondary(16, 20, 1), unit: unitCVT, form: newForm(flushed, dst(), float16s(0)), mean: isa.Effect(flushed16), doc: "a; with ftz subnormals are zeros, with flush_inf infinities the largest numbers, with flush_nan NaNs +0, with quiet_nan quiet", ref: "10.1"},
		{name: "ILOGB.f32", op: 0x98, fix: secondary(16, 20, 4), unit: unitCVT, form: plain, doc: "the exponent of a as an integer", ref: "10.1", lack: isa.LackUndefined, note: noSource, until: 10},
		{name: "ILOGB.v2f16", op: 0x98, fix: secondary(16, 20, 5), unit: unitCVT, form: plain16, doc: "the exponent of a as an integer", ref: "10.1", lack: isa.LackUndefined, note: noSource, until: 10},
		{name: "LOGB.f32", op: 0x98, fix: secondary(16, 20, 6), unit: unitCVT, form: plain, doc: "the exponent of a as a float", ref: "10.1", lack: isa.LackUndefined, note: noSource, until: 10},
		{name: "LOGB.v2f16", op: 0x98, fix: secondary(16, 20, 7), unit: unitCVT, form: plain16, doc: "the exponent of a as a float", ref: "10.1", lack: isa.LackUndefined, note: noSource, until: 10},
		{name: "FRCBRT_APPROX_A.f32", op: 0x9e, fix: secondary(16, 20, 0), unit: unitSFU, form: one, doc: "a step of a reciprocal cube root", ref: "10.1", lack: isa.LackUndefined, note: noSource},
		{name: "FRCBRT_APPROX_B.f32", op: 0x9e, fix: secondary(16, 20, 1), unit: unitSFU, form: root, doc: "a step of a reciprocal cube root", ref: "10.1", lack: isa.LackUndefined, note: noSource},
		{name: "FRCBRT_APPROX_C.f32", op: 0x9e, fix: secondary(16, 20, 2), unit: unitSFU, form: root, doc: "a step of a reciprocal cube root", ref: "10.1", lack: isa.LackUndefined, note: noSource},
		{name: "FMUL_SLICE.f32", op: 0xa4, fix: secondary(16, 19, 10), unit: unitFMA, form: two, doc: "a product of parts of a and b", ref: "10.1", lack: isa.LackUndefined, note: noSource},
		{name: "FMUL_CSLICE", op: 0xa5, fix: secondary(16, 19, 10), unit: unitFMA, form: newForm(nil, dst(), oneHalf(0), src(1, ir.F32)), doc: "a product of parts of a and b", ref: "10.1", lack: isa.LackUndefined, note: noSource},
		{name: "FLOG.f16", op: 0x9c, fix: secondary(16, 20, 9), unit: unitSFU, form: newForm(nil, dstNarrow(), oneHalf(0)), mean: model(optFunctions, V.FLog2), doc: "the logarithm of a to base 2", ref: "10.1", options: []string{choiceFunctions}, since: 12},
		{name: "FLOG.f32", op: 0x9c, fix: secondary(16, 20, 16), unit: unitSFU, form: one, mean: model(optFunctions, V.FLog2), doc: "the logarithm of a to base 2", ref: "10.1", options: []string{choiceFunctions}, since: 14},
		{name: "FEXPF.f32", op: 0x9c, fix: secondary(16, 20, 17), unit: unitSFU, form: one, mean: model(optFunctions, V.FExp2), doc: "2^a", ref: "10.1", options: []string{choiceFunctions}, since: 14},
		{name: "FSQRT.f32", op: 0x9c, fix: secondary(16, 20, 7), unit: unitSFU, form: one, mean: model(optFunctions, V.FSqrt), doc: "the square root of a", ref: "10.1", options: []string{choiceFunctions}, since: 14},
		{name: "FSINCOS.f32", op: 0xa4, fix: append(secondary(16, 19, 14), isa.Must(24, 25, 2)), unit: unitSFU, form: newForm(mods(pick("operation", 30, 1, sinCos, none0)), dst(), src(0, ir.F32), src(1, ir.F32)), mean: isa.Effect(sineCosine), doc: "the sine or cosine of a and b quarter turns, of the low two bits", ref: "10.1", options: []string{choiceFunctions}, since: 14},
		{name: "FPOW.f16", op: 0xa6, fix: append(secondary(16, 19, 13), isa.Must(24, 25, 3)), unit: unitSFU, form: newForm(nil, dstNarrow(), oneHalf(0), oneHalf(1)), mean: isa.Effect(power), doc: "a^b", ref: "10.1", options: []string{choiceFunctions}, since: 12},
		{name: "FPOW_SC_DET.f32", op: 0xa4, fix: append(secondary(16, 19, 13), isa.Must(24, 25, 0)), unit: unitSFU, form: newForm(mods(pick("func", 20, 2, powKind, none0)), dst(), src(0, ir.F32), src(1, ir.F32)), doc: "which special case a power is", ref: "10.1", lack: isa.LackUndefined, note: noSource},
		{name: "FPOW_SC_APPLY", op: 0xa4, fix: append(secondary(16, 19, 13), isa.Must(24, 25, 1)), unit: unitSFU, form: two, doc: "the special case of a power", ref: "10.1", lack: isa.LackUndefined, note: noSource},
	}
}
