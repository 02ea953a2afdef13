package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// varyingRows are loads of varyings. docs/reference/valhall.md 9.4.
func varyingRows() []row {
	sample, update := pick("sample_mode", 38, 2, sampleMode, none0), pick("update_mode", 36, 2, updateMode, none0)
	from := pick("source_format", 24, 4, sourceFormat, none0)
	tableArg, indexArg := number("table", 8, 4, table), number("index", 12, 8, index)
	packet := func(t ir.Type) *form {
		return newForm(mods(slotArg, vectorArg, from, sample, update), written(), src(0, t), src(1, t))
	}
	packetBy := func(t ir.Type, lo, n int) *form {
		return newForm(mods(slotArg, vectorArg, from, sample, update), written(), src(0, t), number("index", lo, n, index))
	}
	vertexArg, flatArg := on("explicit_vertex", 36), pick("register_format", 24, 2, flatFormat, none0)
	oneVertex := pick("vertex_id", 37, 2, vertexID, 0)
	return []row{
		{name: "LD_VAR_FLAT_IMM", op: 0x41, unit: unitV, form: newForm(mods(slotArg, vectorArg, formatArg, vertexArg, oneVertex), written(), tableArg, indexArg), moves: movesComponents, mean: loadVarying(false), doc: "a varying that is one for the primitive, by table and index", ref: "9.4"},
		{name: "LD_VAR_BUF_FLAT_IMM", op: 0x40, unit: unitV, form: newForm(mods(slotArg, vectorArg, flatArg, vertexArg, oneVertex), written(), number("index", 8, 11, index), ignored(57, 58)), moves: movesComponents, mean: isa.Effect(loadFlatPacket), doc: "a varying of a vertex packet that is one for the primitive, by its byte offset", ref: "9.4", since: 14},
		{name: "LD_VAR_BUF_FLAT", op: 0x5f, unit: unitV, form: newForm(mods(slotArg, vectorArg, flatArg, vertexArg), written(), src(0, ir.I32)), moves: movesComponents, mean: isa.Effect(loadFlatPacket), doc: "a varying of a vertex packet that is one for the primitive, by its byte offset a", ref: "9.4", since: 14},
		{name: "LD_VAR_IMM", op: 0x54, unit: unitV, form: newForm(mods(slotArg, vectorArg, formatArg, sample, update), written(), src(0, ir.I32), tableArg, indexArg), moves: movesComponents, mean: loadVarying(true), doc: "a varying at a sample position, by table and index", ref: "9.4"},
		{name: "LD_VAR_FLAT", op: 0x55, unit: unitV, form: newForm(mods(slotArg, vectorArg, formatArg, vertexArg), written(), src(0, ir.I32)), moves: movesComponents, mean: loadVarying(false), doc: "a varying that is one for the primitive, by a handle", ref: "9.4"},
		{name: "LD_VAR_SPECIAL", op: 0x56, unit: unitV, form: newForm(mods(vectorArg, formatArg, sample, update, slotArg), written(), src(0, ir.I32), number("index", 12, 4, index)), moves: movesComponents, mean: isa.Effect(loadSpecial), doc: "a varying of the pipeline: 0 point coordinate, 2 w, 3 depth", ref: "9.4"},
		{name: "LD_VAR", op: 0x64, unit: unitV, form: newForm(mods(slotArg, vectorArg, formatArg, sample, update), written(), src(0, ir.I32), src(1, ir.I32)), moves: movesComponents, mean: loadVarying(true), doc: "a varying at a sample position, by a handle", ref: "9.4"},
		{name: "LD_VAR_BUF_IMM.f32", also: []string{"LD_VAR_IMM_F32"}, op: 0x5c, unit: unitV, form: packetBy(ir.I32, 16, 8), moves: movesWords, mean: loadPacket(false), doc: "a varying of a vertex packet, by its byte offset", ref: "9.4", until: 10},
		{name: "LD_VAR_BUF_IMM.f32", also: []string{"LD_VAR_IMM_F32"}, op: 0x5c, unit: unitV, form: packetBy(ir.I32, 8, 11), moves: movesWords, mean: loadPacket(false), doc: "a varying of a vertex packet, by its byte offset", ref: "9.4", since: 11},
		{name: "LD_VAR_BUF_IMM.f16", also: []string{"LD_VAR_IMM_F16"}, op: 0x5d, unit: unitV, form: packetBy(ir.V2I16, 16, 8), moves: movesHalves, mean: loadPacket(true), doc: "a varying of a vertex packet, by its byte offset", ref: "9.4", until: 10},
		{name: "LD_VAR_BUF_IMM.f16", also: []string{"LD_VAR_IMM_F16"}, op: 0x5d, unit: unitV, form: packetBy(ir.V2I16, 8, 11), moves: movesHalves, mean: loadPacket(true), doc: "a varying of a vertex packet, by its byte offset", ref: "9.4", since: 11},
		{name: "LD_VAR_BUF.f32", op: 0x6c, unit: unitV, form: packet(ir.I32), moves: movesWords, mean: loadPacket(false), doc: "a varying of a vertex packet, by the byte offset b", ref: "9.4"},
		{name: "LD_VAR_BUF.f16", op: 0x6d, unit: unitV, form: packet(ir.V2I16), moves: movesHalves, mean: loadPacket(true), doc: "a varying of a vertex packet, by the byte offset b", ref: "9.4"},
	}
}

// pixelRows are accesses to the tile. docs/reference/valhall.md 9.4.
func pixelRows() []row {
	return []row{
		{name: "DISCARD.f32", op: 0x20, unit: unitCVT, form: newForm(mods(pick("condition", 32, 3, condition, none0)), float32s(0), float32s(1)), mean: isa.Effect(discard), traits: traitCovers, doc: "discards the fragments of the lanes in which the comparison of a and b holds", ref: "9.4"},
		{name: "LD_TILE", op: 0x78, unit: unitNone, form: newForm(mods(on("z_stencil", 36), on("z_last_read", 39), vectorArg, formatArg, slotArg), written(), src(0, ir.I32), src(1, ir.I32), src(2, ir.I32)), moves: movesComponents, mean: isa.Effect(loadTile), traits: traitTile, doc: "a pixel of the tile buffer", ref: "9.4", options: []string{choiceTile}},
		{name: "ST_TILE", op: 0x79, unit: unitNone, form: newForm(mods(vectorArg, formatArg, slotArg), read(), src(0, ir.I32), src(1, ir.I32), src(2, ir.I32)), mean: isa.Effect(storeTile), traits: traitTile, doc: "a pixel of the tile buffer", ref: "9.4", options: []string{choiceTile}},
		{name: "ATEST", op: 0x7d, unit: unitNone, form: newForm(nil, written(), src(0, ir.I32), src(1, ir.F32).half(), src(2, ir.I32)), moves: movesOne, mean: isa.Effect(alphaTest), traits: traitDepth | traitTest | traitCovers, coverage: []isa.Name{nameStaging, nameA}, doc: "tests alpha b against the datum c and gives what remains of coverage a", ref: "9.4"},
		{name: "ZS_EMIT", op: 0x7e, unit: unitNone, form: newForm(mods(on("z", 25), on("stencil", 24), slotArg), written(), src(0, ir.I32), src(1, ir.I32), src(2, ir.I32)), moves: movesOne, mean: isa.Effect(emitDepth), traits: traitDepth | traitTest | traitEmit, coverage: []isa.Name{nameStaging, nameC}, doc: "depth, stencil and coverage of the fragment", ref: "9.4"},
		{name: "BLEND", op: 0x7f, unit: unitNone, form: newForm(mods(slotArg, vectorArg, formatArg), read(), src(0, ir.I64), src(1, ir.I32).at(16), number("target", 8, 8, blendTarget)), mean: isa.Effect(blend), traits: traitTile | isa.TraitGoes | traitBlend, coverage: []isa.Name{nameB}, doc: "the colour of a render target goes to blending, with descriptor a and coverage b", ref: "9.4"},
	}
}
