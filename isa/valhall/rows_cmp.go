package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
)

// compareRows are comparisons, and selects by comparison. docs/reference/valhall.md 10.1 and 10.2.
func compareRows() []row {
	compared := mods(pick("condition", 32, 3, condition, none0), pick("result_type", 30, 2, truth, none0))
	ints := func(t ir.Type, signed bool) *form {
		return newForm(compared, dst(), src(0, t).wide(signed), src(1, t).wide(signed), src(2, t))
	}
	chosen := func(t ir.Type) *form {
		return newForm(mods(pick("condition", 32, 3, condition, none0)), dst(), src(0, t), src(1, t), src(2, t), src(3, t))
	}
	u32, s32, u16, s16, u8, s8 := ints(ir.I32, false), ints(ir.I32, true), ints(ir.V2I16, false), ints(ir.V2I16, true), ints(ir.V4I8, false), ints(ir.V4I8, true)
	f32 := newForm(compared, dst(), float32s(0), float32s(1), src(2, ir.I32))
	f16 := newForm(compared, dst(), float16s(0), float16s(1), src(2, ir.V2I16))
	whole, halves := chosen(ir.I32), chosen(ir.V2I16)
	return []row{
		{name: "ICMP_OR.u32", also: []string{"ICMP.u32"}, op: 0xf0, fix: secondary(24, 25, 0), unit: unitCVT, form: u32, mean: comparison(&unsignedConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.2"},
		{name: "ICMP_AND.u32", also: []string{"ICMP.u32.and"}, op: 0xf0, fix: secondary(24, 25, 1), unit: unitCVT, form: u32, mean: comparison(&unsignedConds, V.And), doc: "whether a and b compare so, and c", ref: "10.2"},
		{name: "ICMP_MULTI.u32", also: []string{"ICMP.u32.seq"}, op: 0xf0, fix: secondary(24, 25, 2), unit: unitCVT, form: u32, mean: longComparison(&unsignedConds, true), doc: "whether numbers of several words compare so: c is the order of the lower words", ref: "10.2"},
		{name: "ICMP_OR.s32", also: []string{"ICMP.s32"}, op: 0xf8, fix: secondary(24, 25, 0), unit: unitCVT, form: s32, mean: comparison(&signedConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.2"},
		{name: "ICMP_AND.s32", also: []string{"ICMP.s32.and"}, op: 0xf8, fix: secondary(24, 25, 1), unit: unitCVT, form: s32, mean: comparison(&signedConds, V.And), doc: "whether a and b compare so, and c", ref: "10.2"},
		{name: "ICMP_MULTI.s32", also: []string{"ICMP.s32.seq"}, op: 0xf8, fix: secondary(24, 25, 2), unit: unitCVT, form: s32, mean: longComparison(&signedConds, false), doc: "whether numbers of several words compare so: c is the order of the lower words", ref: "10.2"},
		{name: "ICMP_OR.v2u16", also: []string{"ICMP.v2u16"}, op: 0xf1, fix: secondary(24, 25, 0), unit: unitCVT, form: u16, mean: comparison(&unsignedConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.2"},
		{name: "ICMP_AND.v2u16", also: []string{"ICMP.v2u16.and"}, op: 0xf1, fix: secondary(24, 25, 1), unit: unitCVT, form: u16, mean: comparison(&unsignedConds, V.And), doc: "whether a and b compare so, and c", ref: "10.2"},
		{name: "ICMP_OR.v2s16", also: []string{"ICMP.v2s16"}, op: 0xf9, fix: secondary(24, 25, 0), unit: unitCVT, form: s16, mean: comparison(&signedConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.2"},
		{name: "ICMP_AND.v2s16", also: []string{"ICMP.v2s16.and"}, op: 0xf9, fix: secondary(24, 25, 1), unit: unitCVT, form: s16, mean: comparison(&signedConds, V.And), doc: "whether a and b compare so, and c", ref: "10.2"},
		{name: "ICMP_OR.v4u8", also: []string{"ICMP.v4u8"}, op: 0xf2, fix: secondary(24, 25, 0), unit: unitCVT, form: u8, mean: comparison(&unsignedConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.2", until: 10},
		{name: "ICMP_AND.v4u8", also: []string{"ICMP.v4u8.and"}, op: 0xf2, fix: secondary(24, 25, 1), unit: unitCVT, form: u8, mean: comparison(&unsignedConds, V.And), doc: "whether a and b compare so, and c", ref: "10.2", until: 10},
		{name: "ICMP_OR.v4s8", also: []string{"ICMP.v4s8"}, op: 0xfa, fix: secondary(24, 25, 0), unit: unitCVT, form: s8, mean: comparison(&signedConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.2", until: 10},
		{name: "ICMP_AND.v4s8", also: []string{"ICMP.v4s8.and"}, op: 0xfa, fix: secondary(24, 25, 1), unit: unitCVT, form: s8, mean: comparison(&signedConds, V.And), doc: "whether a and b compare so, and c", ref: "10.2", until: 10},
		{name: "FCMP_OR.f32", also: []string{"FCMP.f32"}, op: 0xf4, fix: secondary(24, 25, 0), unit: unitCVT, form: f32, mean: comparison(&floatConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.1"},
		{name: "FCMP_AND.f32", also: []string{"FCMP.f32.and"}, op: 0xf4, fix: secondary(24, 25, 1), unit: unitCVT, form: f32, mean: comparison(&floatConds, V.And), doc: "whether a and b compare so, and c", ref: "10.1"},
		{name: "FCMP_OR.v2f16", also: []string{"FCMP.v2f16"}, op: 0xf5, fix: secondary(24, 25, 0), unit: unitCVT, form: f16, mean: comparison(&floatConds, V.Or), doc: "whether a and b compare so, or c", ref: "10.1"},
		{name: "FCMP_AND.v2f16", also: []string{"FCMP.v2f16.and"}, op: 0xf5, fix: secondary(24, 25, 1), unit: unitCVT, form: f16, mean: comparison(&floatConds, V.And), doc: "whether a and b compare so, and c", ref: "10.1"},
		{name: "CSEL.u32", op: 0x150, unit: unitCVT, form: whole, mean: selected(&unsignedConds), doc: "c if a and b compare so, else d", ref: "10.2"},
		{name: "CSEL.s32", also: []string{"CSEL.i32"}, op: 0x158, unit: unitCVT, form: whole, mean: selected(&signedConds), doc: "c if a and b compare so, else d", ref: "10.2"},
		{name: "CSEL.v2u16", op: 0x151, unit: unitCVT, form: halves, mean: selected(&unsignedConds), doc: "c if a and b compare so, else d", ref: "10.2"},
		{name: "CSEL.v2s16", also: []string{"CSEL.v2i16"}, op: 0x159, unit: unitCVT, form: halves, mean: selected(&signedConds), doc: "c if a and b compare so, else d", ref: "10.2"},
		{name: "CSEL.f32", op: 0x154, unit: unitCVT, form: chosen(ir.F32), mean: selected(&floatConds), doc: "c if a and b compare so, else d", ref: "10.1"},
		{name: "CSEL.v2f16", op: 0x155, unit: unitCVT, form: chosen(ir.V2F16), mean: selected(&floatConds), doc: "c if a and b compare so, else d", ref: "10.1"},
	}
}
