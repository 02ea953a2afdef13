package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// textureRows are samples of textures. docs/reference/valhall.md 9.3.
func textureRows() []row {
	skip, kind := on("skip", 39), pick("register_type", 26, 2, regType, none0)
	width := pick("register_width", 46, 1, regWidth, none0)
	written, dim := pick("channels", 22, 4, channels, 15), pick("dimension", 28, 2, dimension, none0)
	wide, array, offset, shadow := on("wide_indices", 8), on("array_enable", 10), on("texel_offset", 11), on("shadow", 12)
	lod, whole, component := pick("lod_mode", 13, 3, lodMode, none0), on("integer_coordinates", 13), pick("fetch_component", 14, 2, gather, none0)
	handle := []operand{returned(resultBits), counted(isa.Use), src(0, ir.I64)}
	of := func(more ...isa.Arg) *form {
		return newForm(append(mods(slotArg, skip, kind, width, written, dim, wide, array, offset), more...), handle...)
	}
	project := pick("projection", 9, 1, flag("project"), 0)
	return []row{
		{name: "TEX_FETCH", op: 0x125, unit: unitT, form: of(), moves: movesTexel, mean: isa.Effect(texFetch), doc: "a texel", ref: "9.3"},
		{name: "TEX_SINGLE", also: []string{"TEX"}, op: 0x128, unit: unitT, form: of(shadow, lod, project), moves: movesTexel, mean: isa.Effect(texSingle), doc: "a sample of a texture", ref: "9.3"},
		{name: "TEX_GATHER", op: 0x129, unit: unitT, form: of(whole, component, shadow, project), moves: movesTexel, mean: isa.Effect(texGather), doc: "one component of four texels", ref: "9.3"},
		{name: "TEX_GRADIENT", op: 0x12a, unit: unitT, form: newForm(mods(slotArg, skip, kind, width, written, dim, wide, on("derivative", 15), on("lod_bias_disable", 13), on("lod_clamp_disable", 14), on("force_delta", 12), project), handle...), moves: movesTexel, mean: isa.Effect(texGradient), doc: "the level of detail of a sample", ref: "9.3", options: []string{choicePairs}},
		{name: "TEX_WEIGHTS", op: 0x126, unit: unitT, form: of(whole, pick("footprint", 14, 2, footprint, none0)), moves: movesTexel, doc: "the weights of a sample's texels", ref: "9.3", lack: isa.LackUndefined, note: noSource, until: 9},
		{name: "TEX_DUAL", op: 0x12f, unit: unitT, form: newForm(mods(slotArg, skip, kind, width, pick("secondary_register_width", 47, 1, regWidth, none0), written, dim, wide, array, offset, shadow, lod, project), handle...), moves: movesTexels, mean: isa.Effect(texDual), doc: "samples of two textures", ref: "9.3", options: []string{choicePairs}},
	}
}

// varyingTextureRows are samples of textures at varyings. docs/reference/valhall.md 9.3 and 9.4.
func varyingTextureRows() []row {
	handle := []operand{written8(), src(0, ir.I64), src(1, ir.I32).at(16)}
	of := func(packet bool, more ...isa.Arg) *form {
		if packet {
			more = append(more, pick("varying_source", 11, 1, flag("src_f16"), 0))
		}
		return newForm(append(mods(slotArg, on("skip", 39), pick("sample_and_update_mode", 33, 3, sampleUpdate, none0), pick("register_type", 26, 2, regType, none0),
			pick("varying_texture_register_width", 24, 2, varWidth, none0), pick("dimension", 28, 2, dimension, none0), on("wide_indices", 8), on("array_enable", 10), pick("projection", 9, 1, flag("project"), 0)), more...), handle...)
	}
	shadow, lod := on("shadow", 12), pick("lod_mode", 13, 3, lodMode, none0)
	single := func(packet bool) *form { return of(packet, shadow, lod) }
	gathered := func(packet bool) *form {
		return of(packet, on("integer_coordinates", 13), pick("fetch_component", 14, 2, gather, none0), shadow)
	}
	gradient := func(packet bool) *form { return of(packet, shadow, pick("lod_flags", 13, 2, lodFlags, 0)) }
	return []row{
		{name: "VAR_TEX_BUF_SINGLE", also: []string{"TODO.VAR_TEX"}, op: 0x130, unit: unitVT, form: single(true), moves: movesVarying, mean: varTex(true, false), doc: "a sample of a texture at a varying of a vertex packet", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_BUF_DUAL", op: 0x137, unit: unitVT, form: single(true), moves: movesVaryings, mean: varTex(true, true), doc: "samples of two textures at a varying of a vertex packet", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_SINGLE", op: 0x138, unit: unitVT, form: single(false), moves: movesVarying, mean: varTex(false, false), doc: "a sample of a texture at a varying", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_DUAL", op: 0x13f, unit: unitVT, form: single(false), moves: movesVaryings, mean: varTex(false, true), doc: "samples of two textures at a varying", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_BUF_GATHER", op: 0x131, unit: unitVT, form: gathered(true), moves: movesVarying, mean: varTexGather(true), doc: "one component of four texels at a varying of a vertex packet", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_GATHER", op: 0x139, unit: unitVT, form: gathered(false), moves: movesVarying, mean: varTexGather(false), doc: "one component of four texels at a varying", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_BUF_GRADIENT", op: 0x132, unit: unitVT, form: gradient(true), moves: movesOne, mean: varTexGradient(true), doc: "a gradient of a texture at a varying of a vertex packet", ref: "9.4", options: []string{choicePairs}},
		{name: "VAR_TEX_GRADIENT", op: 0x13a, unit: unitVT, form: gradient(false), moves: movesOne, mean: varTexGradient(false), doc: "a gradient of a texture at a varying", ref: "9.4", options: []string{choicePairs}},
	}
}
