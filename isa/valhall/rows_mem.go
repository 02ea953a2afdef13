package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// memoryRows are loads, stores and atomics by address. docs/reference/valhall.md 9.1.
func memoryRows() []row {
	loads := func(width string) *form {
		return newForm(mods(pick("memory_access", 24, 2, access, 0), loadLane(width), on("unsigned", 39), slotArg), written(), src(0, ir.I64), number("offset", 8, 16, offset16))
	}
	stores := newForm(mods(pick("memory_access", 24, 2, access, 0), slotArg), read(), src(0, ir.I64), number("offset", 8, 16, offset16))
	offset := number("offset", 8, 8, offset8)
	atoms := newForm(mods(slotArg, pick("atomic_operation", 22, 4, atomic, 0)), read(), src(0, ir.I64), offset)
	ones := newForm(mods(slotArg, pick("atomic_operation", 22, 4, atomicOne, 0)), written(), src(0, ir.I64), offset)
	atomBack := newForm(mods(slotArg, on("compare", 26), pick("atomic_operation", 22, 4, atomic, 0)), returned(resultBits), both(), src(0, ir.I64), offset)
	var rows []row
	for op, s := range sizes {
		rows = append(rows, row{name: "LOAD." + s.name(), op: 0x60, fix: secondary(27, 29, uint64(op)), unit: unitLS, form: loads(s.name()), size: s, moves: s.landed, part: s.part,
			mean: isa.Eff(load(s)), traits: traitLoad | isa.TraitVaries, doc: "memory at address a, of " + s.digits() + " bits", ref: "9.1"})
	}
	for op, s := range sizes {
		rows = append(rows, row{name: "STORE." + s.name(), op: 0x61, fix: secondary(27, 29, uint64(op)), unit: unitLS, form: stores, size: s, moves: s.staged,
			mean: isa.Eff(store(s)), traits: traitStore, doc: "memory at address a, " + s.digits() + " bits", ref: "9.1"})
	}
	return append(rows, []row{
		{name: "ATOM.i32", op: 0x68, fix: secondary(27, 29, 3), unit: unitLS, form: atoms, moves: size32.staged, mean: isa.Eff(atom(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 32 bits", ref: "10.3"},
		{name: "ATOM.i64", op: 0x68, fix: secondary(27, 29, 5), unit: unitLS, form: atoms, moves: size64.staged, mean: isa.Eff(atom(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 64 bits", ref: "10.3"},
		{name: "ATOM1_RETURN.i32", also: []string{"TODO.ATOM_C1"}, op: 0x69, fix: secondary(27, 29, 3), unit: unitLS, form: ones, moves: size32.staged, mean: isa.Eff(atom1(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation with 1 on memory at address a, of 32 bits; gives what was there", ref: "10.3"},
		{name: "ATOM1_RETURN.i64", op: 0x69, fix: secondary(27, 29, 5), unit: unitLS, form: ones, moves: size64.staged, mean: isa.Eff(atom1(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation with 1 on memory at address a, of 64 bits; gives what was there", ref: "10.3"},
		{name: "ATOM_RETURN.i32", also: []string{"TODO.ATOM_C"}, op: 0x120, fix: secondary(27, 29, 3), unit: unitLS, form: atomBack, moves: size32.staged, mean: isa.Eff(atomReturn(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 32 bits; gives what was there", ref: "10.3"},
		{name: "ATOM_RETURN.i64", op: 0x120, fix: secondary(27, 29, 5), unit: unitLS, form: atomBack, moves: size64.staged, mean: isa.Eff(atomReturn(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 64 bits; gives what was there", ref: "10.3"},
	}...)
}

// bufferRows are loads and addresses by descriptor. docs/reference/valhall.md 9.2.
func bufferRows() []row {
	loads := func(width string) *form {
		return newForm(mods(loadLane(width), on("unsigned", 39), slotArg), written(), src(0, ir.I32), src(1, ir.I32))
	}
	tableArg, indexArg := number("table", 16, 4, table), number("index", 20, 4, index)
	two := []operand{written(), src(0, ir.I32), src(1, ir.I32)}
	three := append(two[:3:3], src(2, ir.I32))
	three16 := newForm(mods(vectorArg, slotArg), written(), src(0, ir.V2I16), src(1, ir.I32), src(2, ir.I32))
	loaded, loadedBy := newForm(mods(vectorArg, formatArg, slotArg), three...), newForm(mods(vectorArg, formatArg, slotArg), append(two[:3:3], indexArg, tableArg)...)
	place, placeBy := newForm(mods(vectorArg, slotArg), three...), newForm(mods(slotArg), append(two[:3:3], tableArg, indexArg)...)
	var rows []row
	for op, s := range sizes {
		rows = append(rows, row{name: "LD_BUFFER." + s.name(), also: []string{"LD_PKA." + s.name()}, op: 0x6a, fix: secondary(27, 29, uint64(op)), unit: unitLS, form: loads(s.name()), size: s, moves: s.landed, part: s.part,
			mean: isa.Eff(loadBuffer(s)), doc: s.digits() + " bits of the buffer with handle b, at byte a", ref: "9.2", options: []string{choiceBounds}})
	}
	return append(rows, []row{
		{name: "LEA_BUF_IMM", op: 0x5e, unit: unitLS, form: newForm(mods(slotArg), written(), src(0, ir.I32), number("table", 8, 4, table), number("index", 12, 8, index)), moves: movesTwo, mean: isa.Eff(leaBuffer), doc: "the address of element a of a buffer, by table and index", ref: "9.4"},
		{name: "LD_ATTR_IMM", op: 0x66, fix: secondary(37, 38, 0), unit: unitLS, form: loadedBy, moves: movesComponents, mean: loadElement(UseAttribute, attributePlace), doc: "a vertex attribute by table and index: of vertex a, instance b", ref: "9.2"},
		{name: "LD_TEX_IMM", op: 0x66, fix: secondary(37, 38, 1), unit: unitLS, form: loadedBy, moves: movesComponents, mean: loadElement(UseTexel, texelPlace), traits: traitLoad, doc: "a texel of an image by table and index, at a and b", ref: "9.2"},
		{name: "LD_ATTR", op: 0x76, fix: secondary(37, 38, 0), unit: unitLS, form: loaded, moves: movesComponents, mean: loadElement(UseAttribute, attributePlace), doc: "a vertex attribute with handle c: of vertex a, instance b", ref: "9.2"},
		{name: "LD_TEX", op: 0x76, fix: secondary(37, 38, 1), unit: unitLS, form: loaded, moves: movesComponents, mean: loadElement(UseTexel, texelPlace), traits: traitLoad, doc: "a texel of the image with handle c, at a and b", ref: "9.2"},
		{name: "LEA_ATTR_IMM", op: 0x67, fix: secondary(37, 38, 0), unit: unitLS, form: placeBy, moves: movesThree, mean: elementAddress(UseAttribute, attributePlace), doc: "where a vertex attribute lies, and its conversion", ref: "9.2"},
		{name: "LEA_TEX_IMM", op: 0x67, fix: secondary(37, 38, 1), unit: unitLS, form: placeBy, moves: movesThree, mean: elementAddress(UseTexel, texelPlace), doc: "where a texel of an image lies, and its conversion", ref: "9.2"},
		{name: "LEA_ATTR", op: 0x77, fix: secondary(37, 38, 0), unit: unitLS, form: place, moves: movesThree, mean: elementAddress(UseAttribute, attributePlace), doc: "where a vertex attribute lies, and its conversion", ref: "9.2"},
		{name: "LEA_TEX", op: 0x77, fix: secondary(37, 38, 1), unit: unitLS, form: three16, moves: movesThree, mean: elementAddress(UseTexel, texelPlace), doc: "where a texel of an image lies, and its conversion", ref: "9.2"},
		{name: "ST_CVT", also: []string{"ST_IMAGE"}, op: 0x71, unit: unitLS, form: newForm(mods(slotArg, pick("memory_access", 37, 3, access3, 0), vectorArg, formatArg), read(), src(0, ir.I64), src(1, ir.I32).at(16), number("offset", 8, 8, offset8)), mean: isa.Eff(storeConverted), traits: traitStore, doc: "a texel or attribute at address a, converted as b says", ref: "9.3"},
	}...)
}
