package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// integerRows are integers of 8, 16 and 32 bits. docs/reference/valhall.md 10.2.
func integerRows() []row {
	saturate, rounded := on("saturate", 30), on("rhadd", 30)
	sum := func(t ir.Type, signed bool) *form {
		return newForm(mods(saturate), dst(), src(0, t).wide(signed), src(1, t).wide(signed))
	}
	half := func(t ir.Type, signed bool) *form {
		return newForm(mods(rounded), dst(), src(0, t).wide(signed), src(1, t).wide(signed))
	}
	one := func(t ir.Type) *form { return newForm(nil, dst(), src(0, t)) }
	constant := number("constant", 8, 32, immediate)
	u32, s32, u16, s16, u8, s8 := sum(ir.I32, false), sum(ir.I32, true), sum(ir.V2I16, false), sum(ir.V2I16, true), sum(ir.V4I8, false), sum(ir.V4I8, true)
	whole := one(ir.I32)
	zeros := func(o operand) *form { return newForm(mods(on("mask", 30)), dst(), o) }
	return []row{
		{name: "MOV.i32", op: 0x91, fix: secondary(16, 19, 0), unit: unitCVT, form: whole, mean: isa.Unary(same), doc: "a", ref: "10.2"},
		{name: "CLZ.u32", op: 0x91, fix: secondary(16, 19, 4), unit: unitSFU, form: zeros(src(0, ir.I32)), mean: isa.Effect(leadingZeros), doc: "leading zeros", ref: "10.2"},
		{name: "POPCOUNT.i32", op: 0x91, fix: secondary(16, 19, 12), unit: unitSFU, form: whole, mean: isa.Unary(V.Popcount), doc: "bits that are set", ref: "10.2"},
		{name: "BITREV.i32", op: 0x91, fix: secondary(16, 19, 13), unit: unitSFU, form: whole, mean: isa.Unary(V.BitRev), doc: "bits in reverse order", ref: "10.2"},
		{name: "NOT_OLD.i32", also: []string{"NOT.i32"}, op: 0x91, fix: secondary(16, 19, 14), unit: unitSFU, form: whole, mean: isa.Unary(V.Not), doc: "all bits inverted", ref: "10.2", until: 13},
		{name: "CLZ.v4u8", op: 0x91, fix: secondary(16, 19, 6), unit: unitSFU, form: zeros(src(0, ir.V4I8)), mean: isa.Effect(leadingZeros), doc: "leading zeros", ref: "10.2"},
		{name: "IABS.v4s8", op: 0x91, fix: secondary(16, 19, 10), unit: unitCVT, form: newForm(nil, dst(), src(0, ir.V4I8).wide(true)), mean: isa.Unary(magnitude), doc: "absolute value", ref: "10.2", until: 10},
		{name: "CLZ.v2u16", op: 0x91, fix: secondary(16, 19, 5), unit: unitSFU, form: zeros(src(0, ir.V2I16).halves()), mean: isa.Effect(leadingZeros), doc: "leading zeros", ref: "10.2"},
		{name: "IABS.s32", op: 0x91, fix: secondary(16, 19, 8), unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I32).wide(true)), mean: isa.Unary(magnitude), doc: "absolute value", ref: "10.2"},
		{name: "IABS.v2s16", op: 0x91, fix: secondary(16, 19, 9), unit: unitCVT, form: newForm(nil, dst(), src(0, ir.V2I16).wide(true)), mean: isa.Unary(magnitude), doc: "absolute value", ref: "10.2"},
		{name: "IADD.u32", op: 0xa0, fix: secondary(16, 19, 0), unit: unitCVT, form: u32, mean: saturating(V.Add, V.UAddSat), doc: "a + b", ref: "10.2"},
		{name: "ISUB.u32", op: 0xa0, fix: secondary(16, 19, 1), unit: unitCVT, form: u32, mean: saturating(V.Sub, V.USubSat), doc: "a - b", ref: "10.2"},
		{name: "IMUL.i32", also: []string{"IMUL.u32"}, op: 0xa0, fix: secondary(16, 19, 10), unit: unitSFU, form: u32, mean: saturating(V.Mul, mulU), doc: "a * b", ref: "10.2"},
		{name: "IADD.s32", op: 0xa8, fix: secondary(16, 19, 0), unit: unitCVT, form: s32, mean: saturating(V.Add, V.SAddSat), doc: "a + b", ref: "10.2"},
		{name: "ISUB.s32", op: 0xa8, fix: secondary(16, 19, 1), unit: unitCVT, form: s32, mean: saturating(V.Sub, V.SSubSat), doc: "a - b", ref: "10.2"},
		{name: "IMUL.s32", op: 0xa8, fix: secondary(16, 19, 10), unit: unitSFU, form: s32, mean: saturating(V.Mul, mulS), doc: "a * b", ref: "10.2"},
		{name: "IADD.v2u16", op: 0xa1, fix: secondary(16, 19, 0), unit: unitCVT, form: u16, mean: saturating(V.Add, V.UAddSat), doc: "a + b", ref: "10.2"},
		{name: "ISUB.v2u16", op: 0xa1, fix: secondary(16, 19, 1), unit: unitCVT, form: u16, mean: saturating(V.Sub, V.USubSat), doc: "a - b", ref: "10.2"},
		{name: "IMUL.v2i16", also: []string{"IMUL.v2u16"}, op: 0xa1, fix: secondary(16, 19, 10), unit: unitSFU, form: u16, mean: saturating(V.Mul, mulU), doc: "a * b", ref: "10.2"},
		{name: "IADD.v2s16", op: 0xa9, fix: secondary(16, 19, 0), unit: unitCVT, form: s16, mean: saturating(V.Add, V.SAddSat), doc: "a + b", ref: "10.2"},
		{name: "ISUB.v2s16", op: 0xa9, fix: secondary(16, 19, 1), unit: unitCVT, form: s16, mean: saturating(V.Sub, V.SSubSat), doc: "a - b", ref: "10.2"},
		{name: "IMUL.v2s16", op: 0xa9, fix: secondary(16, 19, 10), unit: unitSFU, form: s16, mean: saturating(V.Mul, mulS), doc: "a * b", ref: "10.2"},
		{name: "IADD.v4u8", op: 0xa2, fix: secondary(16, 19, 0), unit: unitCVT, form: u8, mean: saturating(V.Add, V.UAddSat), doc: "a + b", ref: "10.2", until: 10},
		{name: "ISUB.v4u8", op: 0xa2, fix: secondary(16, 19, 1), unit: unitCVT, form: u8, mean: saturating(V.Sub, V.USubSat), doc: "a - b", ref: "10.2", until: 10},
		{name: "IMUL.v4i8", also: []string{"IMUL.v4u8"}, op: 0xa2, fix: secondary(16, 19, 10), unit: unitSFU, form: u8, mean: saturating(V.Mul, mulU), doc: "a * b", ref: "10.2"},
		{name: "IADD.v4s8", op: 0xaa, fix: secondary(16, 19, 0), unit: unitCVT, form: s8, mean: saturating(V.Add, V.SAddSat), doc: "a + b", ref: "10.2", until: 10},
		{name: "ISUB.v4s8", op: 0xaa, fix: secondary(16, 19, 1), unit: unitCVT, form: s8, mean: saturating(V.Sub, V.SSubSat), doc: "a - b", ref: "10.2", until: 10},
		{name: "IMUL.v4s8", op: 0xaa, fix: secondary(16, 19, 10), unit: unitSFU, form: s8, mean: saturating(V.Mul, mulS), doc: "a * b", ref: "10.2"},
		{name: "HADD.u32", op: 0xa0, fix: secondary(16, 19, 11), unit: unitCVT, form: half(ir.I32, false), mean: halfSum(V.ShrU), doc: "(a + b) >> 1, of all bits of the sum", ref: "10.2", until: 10},
		{name: "HADD.s32", op: 0xa8, fix: secondary(16, 19, 11), unit: unitCVT, form: half(ir.I32, true), mean: halfSum(V.ShrS), doc: "(a + b) >> 1, of all bits of the sum", ref: "10.2", until: 10},
		{name: "HADD.v2u16", op: 0xa1, fix: secondary(16, 19, 11), unit: unitCVT, form: half(ir.V2I16, false), mean: halfSum(V.ShrU), doc: "(a + b) >> 1, of all bits of the sum", ref: "10.2", until: 10},
		{name: "HADD.v2s16", op: 0xa9, fix: secondary(16, 19, 11), unit: unitCVT, form: half(ir.V2I16, true), mean: halfSum(V.ShrS), doc: "(a + b) >> 1, of all bits of the sum", ref: "10.2", until: 10},
		{name: "HADD.v4u8", op: 0xa2, fix: secondary(16, 19, 11), unit: unitCVT, form: half(ir.V4I8, false), mean: halfSum(V.ShrU), doc: "(a + b) >> 1, of all bits of the sum", ref: "10.2", until: 10},
		{name: "HADD.v4s8", op: 0xaa, fix: secondary(16, 19, 11), unit: unitCVT, form: half(ir.V4I8, true), mean: halfSum(V.ShrS), doc: "(a + b) >> 1, of all bits of the sum", ref: "10.2", until: 10},
		{name: "IADD_IMM.i32", op: 0x110, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I32), constant), mean: isa.Effect(addConstant), doc: "a + the constant", ref: "10.2"},
		{name: "IADD_IMM.v2i16", op: 0x111, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.V2I16), constant), mean: isa.Effect(addConstant), doc: "a + the constant", ref: "10.2"},
		{name: "IADD_IMM.v4i8", op: 0x112, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.V4I8), constant), mean: isa.Effect(addConstant), doc: "a + the constant", ref: "10.2", until: 10},
		{name: "AND_IMM.i32", op: 0x118, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I32), constant), mean: isa.Effect(logicConstant(V.And)), doc: "a & the constant", ref: "10.2", since: 11},
		{name: "OR_IMM.i32", op: 0x119, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I32), constant), mean: isa.Effect(logicConstant(V.Or)), doc: "a | the constant", ref: "10.2", since: 11},
		{name: "XOR_IMM.i32", op: 0x11a, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I32), constant), mean: isa.Effect(logicConstant(V.Xor)), doc: "a ^ the constant", ref: "10.2", since: 11},
		{name: "MKVEC.v2i16", op: 0xa1, fix: secondary(16, 19, 5), unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I16).someHalf(), src(1, ir.I16).someHalf()), mean: isa.Binary(vector16), doc: "a vector of its sources", ref: "10.2"},
		{name: "MKVEC.v2i8", also: []string{"MKVEC.v4i8"}, op: 0xbd, unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I8).byte(38, false), src(1, ir.I8).byte(36, false), src(2, ir.I32)), mean: isa.Ternary(vector8), doc: "a vector of its sources", ref: "10.2"},
	}
}

// noSource is the reason for rows that only Arm's table of encodings has.
const noSource = "no source says what it does beside its name"

// whyNotArm is the reason for rows that only Mesa before 2026 has.
const whyNotArm = "Arm's tables have no such instruction, of v9 or later; Mesa 24.1 names it"

// laneRows are cross-lane operations. docs/reference/valhall.md 10.4.
func laneRows() []row {
	lanes := func(t ir.Type, signed bool) *form {
		return newForm(mods(subgroupArg, pick("lane_operation", 32, 4, laneOp, 0), pick("inactive_result", 22, 4, inactive, none0)), dst(), src(0, t), src(1, t).wide(signed))
	}
	return []row{
		{name: "WMASK", op: 0x95, unit: unitCVT, form: newForm(mods(subgroupArg), dst(), src(0, ir.I32)), mean: isa.Effect(laneMask), doc: "a bit for each lane in which a is not 0", ref: "10.4", options: []string{choiceMaskLanes, choiceMaskBits}},
		{name: "CLPER.i32", also: []string{"CLPER"}, op: 0xa0, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(ir.I32, false), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}},
		{name: "CLPER_OR", op: 0xb1, unit: unitCVT, form: newForm(mods(pick("lane_select", 33, 3, laneSelect, none0), subgroupArg), dst(), src(0, ir.I32), src(1, ir.I32).swizzled(modShift, 26, 4, shiftLane, 0), src(2, ir.I32)), doc: "what lanes of the subgroup have, joined", ref: "10.4", lack: isa.LackUndefined, note: noSource, since: 14},
		{name: "CLPER.s32", op: 0xa8, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(ir.I32, true), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
		{name: "CLPER.v2u16", op: 0xa1, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(ir.V2I16, false), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
		{name: "CLPER.v2s16", op: 0xa9, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(ir.V2I16, true), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
		{name: "CLPER.v4u8", op: 0xa2, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(ir.V4I8, false), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
		{name: "CLPER.v4s8", op: 0xaa, fix: secondary(16, 19, 15), unit: unitSFU, form: lanes(ir.V4I8, true), mean: isa.Effect(permuted), quad: true, doc: "a of the lane that b says", ref: "10.4", options: []string{choiceLaneRange}, fidelity: ir.Modelled, note: whyNotArm, until: 10},
	}
}
