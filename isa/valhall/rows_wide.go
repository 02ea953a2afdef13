package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// wideRows are integers of 64 bits, sums with carries and of products. docs/reference/valhall.md 10.2.
func wideRows() []row {
	saturate := pick("saturate64", 30, 1, flag("saturate"), 0)
	sum := func(signed bool) *form {
		return newForm(mods(saturate), dst64(), src(0, ir.I64).wide(signed), src(1, ir.I64).wide(signed))
	}
	shifted := func(signed bool) *form {
		return newForm(nil, dst64(), src(0, ir.I64), src(1, ir.I64).wide(signed), number("shift", 20, 3, shift3))
	}
	lanes := func(signed bool) *form {
		return newForm(mods(subgroupArg, pick("lane_operation", 32, 4, laneOp, 0), pick("inactive_result", 22, 4, inactive, none0)), dst64(), src(0, ir.I64), src(1, ir.I64).wide(signed))
	}
	u64, s64 := sum(false), sum(true)
	carried := newForm(mods(pick("return_carry", 30, 1, flag("c"), 0)), dst(), src(0, ir.I32), src(1, ir.I32), src(2, ir.I32))
	saturated := on("saturate", 30)
	dot := newForm(mods(saturated), dst(), src(0, ir.V4I8), src(1, ir.V4I8), src(2, ir.I32))
	mixed := newForm(mods(saturated, pick("unsigned_a", 26, 1, flag("v4u8_a"), 0), pick("unsigned_b", 27, 1, flag("v4u8_b"), 0)), dst(), src(0, ir.V4I8), src(1, ir.V4I8), src(2, ir.I32))
	return []row{
		{name: "NOT_OLD.i64", also: []string{"NOT.i64"}, op: 0x191, fix: secondary(16, 19, 14), unit: unitSFU, form: newForm(nil, dst64(), src(0, ir.I64)), mean: isa.Unary(V.Not), doc: "all bits inverted", ref: "10.2", until: 13},
		{name: "IADD.u64", op: 0x1a3, fix: secondary(16, 19, 0), unit: unitCVT, form: u64, mean: saturating(V.Add, V.UAddSat), doc: "a + b", ref: "10.2"},
		{name: "ISUB.u64", op: 0x1a3, fix: secondary(16, 19, 1), unit: unitCVT, form: u64, mean: saturating(V.Sub, V.USubSat), doc: "a - b", ref: "10.2"},
		{name: "IMULD.u64", also: []string{"IMUL.u64"}, op: 0x1a3, fix: secondary(16, 19, 10), unit: unitSFU, form: newForm(mods(on("saturate", 30)), dst64(), src(0, ir.I64).wide(false), src(1, ir.I64).wide(false)), mean: isa.Binary(mulDouble), doc: "the 64 bits of the product of the low words", ref: "10.2"},
		{name: "IMUL.s64", op: 0x1ab, fix: secondary(16, 19, 10), unit: unitSFU, form: newForm(nil, dst64(), src(0, ir.I64).wide(true), src(1, ir.I64).wide(true)), mean: isa.Binary(mulDoubleS), doc: "the 64 bits of the product of the low words, with their signs", ref: "10.2"},
		{name: "IADD.s64", op: 0x1ab, fix: secondary(16, 19, 0), unit: unitCVT, form: s64, mean: saturating(V.Add, V.SAddSat), doc: "a + b", ref: "10.2"},
		{name: "ISUB.s64", op: 0x1ab, fix: secondary(16, 19, 1), unit: unitCVT, form: s64, mean: saturating(V.Sub, V.SSubSat), doc: "a - b", ref: "10.2"},
		{name: "SEG_ADD.u64", op: 0x1a3, fix: secondary(16, 19, 6), unit: unitCVT, form: newForm(mods(on("neg", 38), on("preserve_null", 39)), dst64(), src(0, ir.I64), src(1, ir.I64).wide(false)), mean: isa.Effect(addSegment), doc: "the address a + b of a segment", ref: "10.2", options: []string{choiceSegmentNull}},
		{name: "SHADDX.u64", also: []string{"SHADD.u64"}, op: 0x1a3, fix: secondary(16, 19, 7), unit: unitCVT, form: shifted(false), mean: isa.Effect(addShifted), doc: "a + (b << shift)", ref: "10.2"},
		{name: "SHADDX.s64", also: []string{"SHADD.s64"}, op: 0x1ab, fix: secondary(16, 19, 7), unit: unitCVT, form: shifted(true), mean: isa.Effect(addShifted), doc: "a + (b << shift)", ref: "10.2"},
		{name: "CLPER.u64", op: 0x1a3, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(false), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
		{name: "CLPER.s64", op: 0x1ab, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(true), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
		{name: "IADDC.u32", op: 0xb0, fix: secondary(24, 25, 0), unit: unitCVT, form: carried, mean: carries(V.Add, overflows), doc: "a + b + c, or with c the carry of the sum", ref: "10.2", options: []string{choiceCarries}},
		{name: "ISUBB.u32", op: 0xb0, fix: secondary(24, 25, 1), unit: unitCVT, form: carried, mean: carries(V.Sub, V.ULt), doc: "a - b - c, or with c the borrow of the difference", ref: "10.2", options: []string{choiceCarries}},
		{name: "IDP.v4s8", also: []string{"IDPADD.v4s8"}, op: 0xc2, fix: secondary(24, 25, 0), unit: unitFMA, form: mixed, mean: isa.Effect(mixedProduct), doc: "the sum of four products of bytes, and c; of v4u8 sources the bytes have no signs", ref: "10.2"},
		{name: "IDP.v4u8", also: []string{"IDPADD.v4u8"}, op: 0xc2, fix: secondary(24, 25, 1), unit: unitFMA, form: dot, mean: dotProduct(V.UDot4, V.UAddSat), doc: "the sum of four products of bytes, and c", ref: "10.2"},
	}
}

// matrixRows multiply matrices that are distributed over the lanes. docs/reference/valhall.md 13.
func matrixRows() []row {
	const doc = "a product of the matrices a and b, and c"
	of := func(t, sum ir.Type, more ...isa.Arg) *form {
		return newForm(more, dst(), src(0, t), src(1, t), src(2, sum))
	}
	bytes, saturated := of(ir.V4I8, ir.I32), on("saturate", 30)
	mixed := of(ir.V4I8, ir.I32, pick("unsigned_a", 26, 1, flag("v4u8_a"), 0), pick("unsigned_b", 27, 1, flag("v4u8_b"), 0))
	halves := newForm(nil, dst(), src(0, ir.V2F16).submatrix(), src(1, ir.V2F16).submatrix(), src(2, ir.V2F16))
	return []row{
		{name: "MMUL.v4s8", op: 0x100, unit: unitFMA, form: bytes, doc: doc, ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 11, until: 13},
		{name: "MMUL.v4s8", op: 0x100, unit: unitFMA, form: mixed, doc: doc + "; of v4u8 sources the bytes have no signs", ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 14},
		{name: "MMUL.v4u8", op: 0x101, unit: unitFMA, form: bytes, doc: doc, ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 11, until: 13},
		{name: "MMUL.v4u8", op: 0x101, unit: unitFMA, form: of(ir.V4I8, ir.I32, saturated), doc: doc, ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 14},
		{name: "MMUL.f32", op: 0x102, unit: unitFMA, form: of(ir.F32, ir.F32), doc: doc, ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 11},
		{name: "MMUL.v2f16", op: 0x103, unit: unitFMA, form: halves, doc: doc, ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 11},
		{name: "MMUL.f16", op: 0x104, fix: secondary(26, 27, 2), unit: unitFMA, form: newForm(nil, dst(), src(0, ir.V2F16).submatrix(), src(1, ir.V2F16), src(2, ir.F32)), doc: doc, ref: "13", lack: isa.LackUndefined, note: noMatrix, since: 14},
	}
}

// noMatrix is the reason for products of matrices.
const noMatrix = "no source says which lanes hold which elements of its matrices"
