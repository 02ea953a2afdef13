package valhall

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// memoryRows are loads, stores and atomics by address. docs/reference/valhall.md 9.1.
func memoryRows() []row {
	loads := func(width string) *form {
		return newForm(mods(pick("memory_access", 24, 2, access, 0), loadLane(width), on("unsigned", 39), slotArg), written(), src(0, ir.I64), number("offset", 8, 16, offset16))
	}
	storesOf := func(lane ...isa.Arg) *form {
		return newForm(append(append(mods(pick("memory_access", 24, 2, access, 0)), lane...), slotArg), read(), src(0, ir.I64), number("offset", 8, 16, offset16))
	}
	stores := storesOf()
	narrow := map[string]*form{"i8": storesOf(pick("store_lane", 36, 2, storeBytes, 0)), "i16": storesOf(pick("store_lane", 36, 1, storeHalves, 0))}
	var rows []row
	for op, s := range sizes {
		rows = append(rows, row{name: "LOAD." + s.name(), op: 0x60, fix: secondary(27, 29, uint64(op)), unit: unitLS, form: loads(s.name()), size: s, moves: s.landed, part: s.part,
			mean: isa.Effect(load(s)), traits: traitLoad | isa.TraitVaries, doc: "memory at address a, of " + s.digits() + " bits", ref: "9.1"})
	}
	for op, s := range sizes {
		rows = append(rows, row{name: "STORE." + s.name(), op: 0x61, fix: secondary(27, 29, uint64(op)), unit: unitLS, form: cmp.Or(narrow[s.name()], stores), size: s, moves: s.staged,
			mean: isa.Effect(store(s)), traits: traitStore, doc: "memory at address a, " + s.digits() + " bits", ref: "9.1"})
	}
	return append(rows, slices.Concat(atomicRows(), checkedRows(), manyRows())...)
}

// checkedRows are loads and stores that check bounds. Before v14 three bits hold the size; later two do, and the number
// of registers determines which sizes they select from.
func checkedRows() (rows []row) {
	access := pick("memory_access", 24, 3, access3, 0)
	offset := operand{arg: isa.Arg{Name: "offset", At: bits.Ranges{bits.Span(8, 15), bits.Span(36, 39)}, Kind: offset8}}
	for _, r := range [...]struct {
		name      string
		op        uint64
		load, imm bool
	}{{"LD_CHECKED", 0x172, true, false}, {"ST_CHECKED", 0x173, false, false}, {"LD_CHECKED_IMM", 0x72, true, true}, {"ST_CHECKED_IMM", 0x73, false, true}} {
		group, oob := read, mods()
		if r.load {
			group, oob = written, mods(on("oob_ignore", 29))
		}
		from := []operand{src(0, ir.I64), src(1, ir.I32), src(2, ir.I32)}
		if r.imm {
			from = []operand{src(0, ir.I64), src(1, ir.I32).at(16), offset}
		}
		for op, s := range sizes {
			part := group()
			part.arg.Parts = slices.Clone(part.arg.Parts)
			part.arg.Parts[partCount].At = nil
			size := row{name: r.name + "." + s.name(), op: r.op, unit: unitLS, size: s, moves: func(*isa.Inst, *isa.Arg) int { return s.words() }, doc: s.digits() + " bits at address a, if they are within bounds", ref: "9.1", lack: isa.LackUndefined, note: noSource}
			before, later := size, size
			before.fix, before.form, before.since, before.until = secondary(27, 29, uint64(op)), newForm(mods(access, slotArg), append([]operand{group()}, from...)...), 12, 13
			later.fix = []isa.Fixed{isa.Must(27, 28, uint64(op&3)), isa.Must(33, 35, uint64(s.words()))}
			if !r.load {
				later.fix = append(later.fix, isa.Must(29, 29, 0))
			}
			later.form, later.since = newForm(append(slices.Clone(oob), access, slotArg), append([]operand{part}, from...)...), 14
			rows = append(rows, before, later)
		}
	}
	return rows
}

// manyRows are loads and stores of up to 64 registers.
func manyRows() []row {
	form := mods(pick("size", 33, 6, multiple, none0), pick("memory_access", 24, 2, access, 0), slotArg)
	first := operand{arg: isa.Arg{Name: "first", At: dstBits, Kind: register}}
	load, store := first, first
	load.arg.Role, store.arg.Role = isa.Define, isa.Use
	return []row{
		{name: "LD_MULTI", op: 0x62, fix: append(secondary(27, 29, 0), isa.Must(46, 47, stagingWrite)), unit: unitLS, form: newForm(form, load, src(0, ir.I64), number("offset", 8, 16, offset16)), doc: "registers from memory at address a", ref: "9.1", lack: isa.LackUndefined, note: noSource, since: 14},
		{name: "ST_MULTI", op: 0x63, fix: append(secondary(27, 29, 0), isa.Must(46, 47, stagingRead)), unit: unitLS, form: newForm(form, store, src(0, ir.I64), number("offset", 8, 16, offset16)), doc: "registers to memory at address a", ref: "9.1", lack: isa.LackUndefined, note: noSource, since: 14},
	}
}

// atomicRows are atomics. docs/reference/valhall.md 10.3.
func atomicRows() []row {
	offset := number("offset", 8, 8, offset8)
	atoms := func(k *isa.Kind) *form {
		return newForm(mods(slotArg, pick("atomic_operation", 22, 4, k, 0)), read(), src(0, ir.I64), offset)
	}
	ones := newForm(mods(slotArg, pick("atomic_operation", 22, 4, atomicOne, 0)), counted(isa.Define), src(0, ir.I64), offset)
	atomBack := func(k *isa.Kind) *form {
		return newForm(mods(slotArg, on("compare", 26), pick("atomic_operation", 22, 4, k, 0)), returned(resultBits), both(), src(0, ir.I64), offset)
	}
	alone := newForm(mods(slotArg, pick("atomic_operation", 22, 4, atomicOne, 0)), src(0, ir.I64), offset, operand{arg: fixedValue(40, 45, 0)})
	noGroup := append(secondary(33, 35, 0), isa.Must(46, 47, stagingRead))
	return []row{
		{name: "ATOM.i32", op: 0x68, fix: secondary(27, 29, 3), unit: unitLS, form: atoms(atomic), moves: size32.staged, mean: isa.Effect(atom(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 32 bits", ref: "10.3"},
		{name: "ATOM.i64", op: 0x68, fix: secondary(27, 29, 5), unit: unitLS, form: atoms(atomicWide), moves: size64.staged, mean: isa.Effect(atom(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 64 bits", ref: "10.3"},
		{name: "ATOM1.i32", op: 0x69, fix: append(secondary(27, 29, 3), noGroup...), unit: unitLS, form: alone, mean: isa.Effect(atom1(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation with 1 on memory at address a, of 32 bits", ref: "10.3"},
		{name: "ATOM1.i64", op: 0x69, fix: append(secondary(27, 29, 5), noGroup...), unit: unitLS, form: alone, mean: isa.Effect(atom1(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation with 1 on memory at address a, of 64 bits", ref: "10.3"},
		{name: "ATOM1_RETURN.i32", also: []string{"TODO.ATOM_C1"}, op: 0x69, fix: append(secondary(27, 29, 3), isa.Must(46, 47, stagingWrite)), unit: unitLS, form: ones, moves: size32.staged, mean: isa.Effect(atom1(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation with 1 on memory at address a, of 32 bits; gives what was there", ref: "10.3"},
		{name: "ATOM1_RETURN.i64", op: 0x69, fix: append(secondary(27, 29, 5), isa.Must(46, 47, stagingWrite)), unit: unitLS, form: ones, moves: size64.staged, mean: isa.Effect(atom1(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation with 1 on memory at address a, of 64 bits; gives what was there", ref: "10.3"},
		{name: "ATOM_RETURN.i32", also: []string{"TODO.ATOM_C"}, op: 0x120, fix: secondary(27, 29, 3), unit: unitLS, form: atomBack(atomic), moves: size32.staged, mean: isa.Effect(atomReturn(size32)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 32 bits; gives what was there", ref: "10.3"},
		{name: "ATOM_RETURN.i64", op: 0x120, fix: secondary(27, 29, 5), unit: unitLS, form: atomBack(atomicWide), moves: size64.staged, mean: isa.Effect(atomReturn(size64)), traits: traitLoad | traitStore | isa.TraitVaries, doc: "an atomic operation on memory at address a, of 64 bits; gives what was there", ref: "10.3"},
	}
}

// bufferRows are loads and addresses by descriptor. docs/reference/valhall.md 9.2.
func bufferRows() []row {
	loads := func(width string) *form {
		return newForm(mods(pick("memory_access", 24, 3, access3, 0), loadLane(width), on("unsigned", 39), slotArg), written(), src(0, ir.I32), src(1, ir.I32))
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
			mean: isa.Effect(loadBuffer(s)), doc: s.digits() + " bits of the buffer with handle b, at byte a", ref: "9.2", options: []string{choiceBounds}})
	}
	return append(rows, []row{
		{name: "LEA_PKA", op: 0x6b, unit: unitLS, form: newForm(mods(slotArg), two...), moves: movesTwo, doc: "the address of byte a of the buffer with handle b", ref: "9.2", mean: isa.Effect(leaPacked), options: []string{choiceAddresses}},
		{name: "LEA_BUF", op: 0x6e, unit: unitLS, form: newForm(mods(slotArg), two...), moves: movesTwo, doc: "the address of element a of the buffer with handle b", ref: "9.4", mean: isa.Effect(leaBuffer), options: []string{choiceAddresses}},
		{name: "LD_CVT", op: 0x70, unit: unitLS, form: newForm(mods(slotArg, pick("memory_access", 37, 3, access3, 0), vectorArg, formatArg), written(), src(0, ir.I64), src(1, ir.I32).at(16), number("offset", 8, 8, offset8)), moves: movesComponents, mean: isa.Effect(loadConverted), traits: traitLoad, doc: "a texel or attribute at address a, converted as b says", ref: "9.3"},
		{name: "LD_GCLK.u64", op: 0x44, unit: unitLS, form: newForm(mods(slotArg, pick("source", 0, 3, clock, none0)), written()), moves: movesTwo, mean: isa.Effect(readClock), doc: "a clock: cycles of the core, or the time of the system", ref: "9.4", options: []string{choiceClock}},
		{name: "LEA_BUF_IMM", op: 0x5e, unit: unitLS, form: newForm(mods(slotArg), written(), src(0, ir.I32), number("table", 8, 4, table), number("index", 12, 8, index)), moves: movesTwo, mean: isa.Effect(leaBuffer), doc: "the address of element a of a buffer, by table and index", ref: "9.4"},
		{name: "LD_ATTR_IMM", op: 0x66, fix: secondary(37, 38, 0), unit: unitLS, form: loadedBy, moves: movesComponents, mean: loadElement(UseAttribute, attributePlace), doc: "a vertex attribute by table and index: of vertex a, instance b", ref: "9.2"},
		{name: "LD_TEX_IMM", op: 0x66, fix: secondary(37, 38, 1), unit: unitLS, form: loadedBy, moves: movesComponents, mean: loadElement(UseTexel, texelPlace), traits: traitLoad, doc: "a texel of an image by table and index, at a and b", ref: "9.2"},
		{name: "LD_ATTR", op: 0x76, fix: secondary(37, 38, 0), unit: unitLS, form: loaded, moves: movesComponents, mean: loadElement(UseAttribute, attributePlace), doc: "a vertex attribute with handle c: of vertex a, instance b", ref: "9.2"},
		{name: "LD_TEX", op: 0x76, fix: secondary(37, 38, 1), unit: unitLS, form: loaded, moves: movesComponents, mean: loadElement(UseTexel, texelPlace), traits: traitLoad, doc: "a texel of the image with handle c, at a and b", ref: "9.2"},
		{name: "LEA_ATTR_IMM", op: 0x67, fix: secondary(37, 38, 0), unit: unitLS, form: placeBy, moves: movesThree, mean: elementAddress(UseAttribute, attributePlace), doc: "where a vertex attribute lies, and its conversion", ref: "9.2"},
		{name: "LEA_TEX_IMM", op: 0x67, fix: secondary(37, 38, 1), unit: unitLS, form: placeBy, moves: movesThree, mean: elementAddress(UseTexel, texelPlace), doc: "where a texel of an image lies, and its conversion", ref: "9.2"},
		{name: "LEA_ATTR", op: 0x77, fix: secondary(37, 38, 0), unit: unitLS, form: place, moves: movesThree, mean: elementAddress(UseAttribute, attributePlace), doc: "where a vertex attribute lies, and its conversion", ref: "9.2"},
		{name: "LEA_TEX", op: 0x77, fix: secondary(37, 38, 1), unit: unitLS, form: three16, moves: movesThree, mean: elementAddress(UseTexel, texelPlace), doc: "where a texel of an image lies, and its conversion", ref: "9.2"},
		{name: "ST_CVT", also: []string{"ST_IMAGE"}, op: 0x71, unit: unitLS, form: newForm(mods(slotArg, pick("memory_access", 37, 3, access3, 0), vectorArg, formatArg), read(), src(0, ir.I64), src(1, ir.I32).at(16), number("offset", 8, 8, offset8)), mean: isa.Effect(storeConverted), traits: traitStore, doc: "a texel or attribute at address a, converted as b says", ref: "9.3"},
	}...)
}
