package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// convertRows are conversions. docs/reference/valhall.md 10.1.
func convertRows() []row {
	byteOf := func(signed bool) *form { return newForm(nil, dst(), src(0, ir.I8).byte(28, signed)) }
	bytesOf := func(signed bool) *form { return newForm(nil, dst(), src(0, ir.V2I16).bytes(signed)) }
	signedByte, unsignedByte, signedBytes, unsignedBytes := byteOf(true), byteOf(false), bytesOf(true), bytesOf(false)
	low := newForm(nil, dst(), src(0, ir.I16).someHalf())
	pair := func(signed bool) *form {
		return newForm(mods(roundAnyArg), dst(), src(0, ir.V2I16).wide(signed), ignored(34, 35))
	}
	whole := func(signed bool) *form {
		return newForm(mods(roundAnyArg), dst(), src(0, ir.I32).wide(signed), ignored(34, 35))
	}
	f16 := newForm(mods(roundAnyArg), dst(), src(0, ir.F16).signs().someHalf(), ignored(34, 35))
	v2f16 := newForm(mods(roundAnyArg), dst(), float16s(0), ignored(34, 35))
	f32 := newForm(mods(roundAnyArg), dst(), float32s(0), ignored(34, 35))
	return []row{
		{name: "S8_TO_S32", op: 0x90, fix: secondary(16, 20, 0), unit: unitCVT, form: signedByte, mean: isa.Unary(same), doc: "a, of 8 bits signed, as signed of 32 bits", ref: "10.1"},
		{name: "S8_TO_F32", op: 0x90, fix: secondary(16, 20, 1), unit: unitCVT, form: signedByte, mean: isa.Unary(intToF32), doc: "a, of 8 bits signed, as float of 32 bits", ref: "10.1", until: 10},
		{name: "U8_TO_U32", op: 0x90, fix: secondary(16, 20, 16), unit: unitCVT, form: unsignedByte, mean: isa.Unary(same), doc: "a, of 8 bits unsigned, as unsigned of 32 bits", ref: "10.1"},
		{name: "U8_TO_F32", op: 0x90, fix: secondary(16, 20, 17), unit: unitCVT, form: unsignedByte, mean: isa.Unary(natToF32), doc: "a, of 8 bits unsigned, as float of 32 bits", ref: "10.1", until: 10},
		{name: "V2S8_TO_V2S16", also: []string{"S8_TO_S16"}, op: 0x90, fix: secondary(16, 20, 2), unit: unitCVT, form: signedBytes, mean: isa.Unary(same), doc: "a, of 8 bits signed, as signed of 16 bits", ref: "10.1"},
		{name: "V2S8_TO_V2F16", also: []string{"S8_TO_F16"}, op: 0x90, fix: secondary(16, 20, 3), unit: unitCVT, form: signedBytes, mean: isa.Unary(intsToF16), doc: "a, of 8 bits signed, as float of 16 bits", ref: "10.1", until: 10},
		{name: "V2U8_TO_V2U16", also: []string{"U8_TO_U16"}, op: 0x90, fix: secondary(16, 20, 18), unit: unitCVT, form: unsignedBytes, mean: isa.Unary(same), doc: "a, of 8 bits unsigned, as unsigned of 16 bits", ref: "10.1"},
		{name: "V2U8_TO_V2F16", also: []string{"U8_TO_F16"}, op: 0x90, fix: secondary(16, 20, 19), unit: unitCVT, form: unsignedBytes, mean: isa.Unary(natsToF16), doc: "a, of 8 bits unsigned, as float of 16 bits", ref: "10.1", until: 10},
		{name: "U16_TO_U32", op: 0x90, fix: secondary(16, 20, 20), unit: unitCVT, form: low, mean: isa.Unary(toU32), doc: "a, of 16 bits unsigned, as unsigned of 32 bits", ref: "10.1"},
		{name: "U16_TO_F32", op: 0x90, fix: secondary(16, 20, 21), unit: unitCVT, form: low, mean: isa.Unary(natToF32), doc: "a, of 16 bits unsigned, as float of 32 bits", ref: "10.1", until: 10},
		{name: "S16_TO_S32", op: 0x90, fix: secondary(16, 20, 4), unit: unitCVT, form: low, mean: isa.Unary(toS32), doc: "a, of 16 bits signed, as signed of 32 bits", ref: "10.1"},
		{name: "S16_TO_F32", op: 0x90, fix: secondary(16, 20, 5), unit: unitCVT, form: low, mean: isa.Unary(intToF32), doc: "a, of 16 bits signed, as float of 32 bits", ref: "10.1", until: 10},
		{name: "V2S16_TO_V2F16", op: 0x90, fix: secondary(16, 20, 7), unit: unitCVT, form: pair(true), mean: wholeToFloat(V.SToF, ir.F32, ir.F16), doc: "a, of 16 bits signed, as float of 16 bits", ref: "10.1", until: 10},
		{name: "V2U16_TO_V2F16", op: 0x90, fix: secondary(16, 20, 23), unit: unitCVT, form: pair(false), mean: wholeToFloat(V.UToF, ir.F32, ir.F16), doc: "a, of 16 bits unsigned, as float of 16 bits", ref: "10.1", until: 10},
		{name: "S32_TO_F32", op: 0x90, fix: secondary(16, 20, 9), unit: unitCVT, form: whole(true), mean: wholeToFloat(V.SToF, ir.F64, ir.F32), doc: "a, of 32 bits signed, as float of 32 bits", ref: "10.1"},
		{name: "U32_TO_F32", op: 0x90, fix: secondary(16, 20, 25), unit: unitCVT, form: whole(false), mean: wholeToFloat(V.UToF, ir.F64, ir.F32), doc: "a, of 32 bits unsigned, as float of 32 bits", ref: "10.1"},
		{name: "F16_TO_U32", op: 0x90, fix: secondary(16, 20, 26), unit: unitCVT, form: f16, mean: nearestWhole(floatToU), doc: "a, of 16 bits float, as unsigned of 32 bits", ref: "10.1", until: 10},
		{name: "F16_TO_S32", op: 0x90, fix: secondary(16, 20, 10), unit: unitCVT, form: f16, mean: nearestWhole(floatToS), doc: "a, of 16 bits float, as signed of 32 bits", ref: "10.1", until: 10},
		{name: "V2F16_TO_V2U16", op: 0x90, fix: secondary(16, 20, 30), unit: unitCVT, form: v2f16, mean: nearestWhole(halvesToU), doc: "a, of 16 bits float, as unsigned of 16 bits", ref: "10.1", until: 10},
		{name: "V2F16_TO_V2S16", op: 0x90, fix: secondary(16, 20, 14), unit: unitCVT, form: v2f16, mean: nearestWhole(halvesToS), doc: "a, of 16 bits float, as signed of 16 bits", ref: "10.1", until: 10},
		{name: "FROUND.v2f16", op: 0x90, fix: secondary(16, 20, 15), unit: unitCVT, form: newForm(mods(roundAnyArg), dst(), float16s(0)), mean: isa.Effect(fround), doc: "a as a whole number", ref: "10.1", until: 10},
		{name: "F32_TO_U32", op: 0x90, fix: secondary(16, 20, 28), unit: unitCVT, form: f32, mean: nearestWhole(floatToU), doc: "a, of 32 bits float, as unsigned of 32 bits", ref: "10.1"},
		{name: "F32_TO_S32", op: 0x90, fix: secondary(16, 20, 12), unit: unitCVT, form: f32, mean: nearestWhole(floatToS), doc: "a, of 32 bits float, as signed of 32 bits", ref: "10.1"},
		{name: "FROUND.f32", op: 0x90, fix: secondary(16, 20, 13), unit: unitCVT, form: newForm(mods(roundAnyArg), dst(), float32s(0)), mean: isa.Effect(fround), doc: "a as a whole number", ref: "10.1"},
		{name: "F16_TO_F32", op: 0x90, fix: secondary(16, 20, 11), unit: unitCVT, form: newForm(mods(roundArg), dst(), oneHalf(0)), mean: isa.Unary(toF32), doc: "a, of 16 bits float, as float of 32 bits", ref: "10.1"},
		{name: "V2F32_TO_V2F16", op: 0xa5, fix: secondary(16, 19, 4), unit: unitCVT, form: newForm(mods(clampArg, roundArg), dst(), src(0, ir.F32).signs(), src(1, ir.F32).signs(), ignored(34, 35)), mean: isa.Binary(toHalves), doc: "a and b as a vector of halves", ref: "10.1", until: 10},
	}
}
