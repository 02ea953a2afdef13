package rogue

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

var backendOnly = []uint8{group.Backend}

// backend is the opcode of a backend instruction. docs/reference/rogue.md 3.
func backend(op uint64, more ...isa.Fixed) []isa.Fixed {
	return append([]isa.Fixed{holds(0, 7, 5, op)}, more...)
}

// outputRows write vertex outputs. docs/reference/rogue.md 5.7.
func outputRows() []row {
	sink := operand(nameSink, bit(0, 4), words("w0 or w1", "w0", "w1"))
	to := operand(nameImm, span(1, 7, 0), outputKind())
	from := operand(nameSrc, span(1, 2, 0), pick("a source"))
	var rows []row
	add := func(name string, code uint64, imm uint64, l layout, args []isa.Arg, doc string, mean isa.Meaning) *row {
		rows = append(rows, row{name: name, entry: "UVSW", classes: backendOnly, layout: l, fix: backend(0, holds(0, 3, 3, imm), holds(0, 2, 0, code)), args: args, mean: mean, doc: doc, ref: "5.7"})
		return &rows[len(rows)-1]
	}
	const writes = readW0 | readW1
	for _, x := range [...]struct {
		name, struc string
		code        uint64
		mean        isa.Meaning
		doc         string
	}{{"uvsw.write", "uvsw_write", 0, isa.Effect(vertexOutput), "a vertex output = w0 or w1"},
		{"uvsw.write.emit.endtask", "uvsw_write_emit_endtask", 6, isa.Effect(vertexOutputEnd), "a vertex output = w0 or w1; the vertex is done, and the task"}} {
		r := add(x.name, x.code, 0, layout{x.struc + "_reg", 2}, []isa.Arg{sink, from}, x.doc+"; its number is in a source", x.mean)
		r.picks, r.reads = []isa.Name{nameSrc}, writes
		r = add(x.name, x.code, 1, layout{x.struc + "_imm", 2}, []isa.Arg{sink, to}, x.doc, x.mean)
		r.reads = writes
	}
	stream := operand(nameStream, span(1, 1, 0), number("a stream", numeral{low: 0, high: 3}))
	for _, x := range [...]struct {
		name, struc string
		code        uint64
		streams     bool
		doc         string
		mean        isa.Meaning
	}{{"uvsw.emit", "uvsw_emit", 1, true, "the vertex is done", isa.Effect(emitVertex)}, {"uvsw.cut", "uvsw_cut", 2, true, "the strip ends", isa.Effect(nothing)},
		{"uvsw.emit.cut", "uvsw_emit_cut", 3, true, "the vertex is done, and the strip", isa.Effect(emitVertex)}, {"uvsw.endtask", "uvsw_endtask", 4, false, "the task is done", isa.Effect(endTask)},
		{"uvsw.emit.endtask", "uvsw_emit_endtask", 5, false, "the vertex is done, and the task", isa.Effect(emitVertexEnd)}} {
		r := add(x.name, x.code, 0, layout{x.struc, 1}, nil, x.doc, x.mean)
		r.fix = append(r.fix, holds(0, 4, 4, 0))
		if x.streams {
			r = add(x.name, x.code, 1, layout{x.struc + "_imm", 2}, []isa.Arg{stream}, x.doc+", of a stream", x.mean)
			r.fix = append(r.fix, holds(0, 4, 4, 0))
		}
	}
	return rows
}

// iterated is the number of registers of an iteration: four words per coefficient set.
func iterated(in *isa.Inst, n int) int {
	times := times(in)
	switch n {
	case 0:
		return 4 * times
	case 2:
		return 4
	}
	return times
}

// moved is the number of registers of a load or a store: two for an address.
func moved(in *isa.Inst, n int) int {
	switch {
	case uint64(n) == in.Get(nameAddr):
		return 2
	case in.Has(nameData) && uint64(n) == in.Get(nameData) || !in.Has(nameData) && n == group.FirstUpper:
		return burst(in)
	}
	return 1
}

// chosenSpan is the number of registers of the one source that an instruction selects.
func chosenSpan(length int) func(in *isa.Inst, n int) int {
	return func(in *isa.Inst, n int) int {
		if uint64(n) == in.Get(nameSrc) {
			return length
		}
		return 1
	}
}

// sampled is the number of registers of a sample: four words of state, the channels.
func sampled(in *isa.Inst, n int) int {
	switch n {
	case 0, 2:
		return 4
	case 4:
		return 1 + int(in.Get(nameChan))
	}
	return 1
}

// stateRows are the backend instructions that access no memory, besides outputs.
func stateRows() []row {
	mode := dotted("a mask", "vm icm icmoc icmi caxy ? ? ?")
	from := func(at int) isa.Arg { return operand(nameSrc, span(at, 2, 0), pick("a source")) }
	exec := operand(nameAddr, span(0, 4, 2), pick("a source"))
	iteration := dotted("a sample position", "pixel sample centroid ?")
	drc, satBit := operand(nameDRC, bit(0, 3), drcs), on(nameSat, bit(1, 4), "sat")
	times := operand(nameCount, span(1, 3, 0), number("a number of values", numeral{low: 1, high: 16, zero: 16}))
	return []row{
		{name: "movmsk", classes: backendOnly, layout: layout{"movmsk", 1}, fix: backend(1, holds(0, 4, 4, 1), holds(0, 3, 3, 0), holds(0, 2, 0, 1)), doc: "the mask of instances = w0", ref: "5.7", reads: readW0, lack: isa.LackUndefined, note: "what it does to a task is not public"},
		{name: "movmsk.sm", classes: backendOnly, layout: layout{"movmsk_sm", 2}, fix: backend(1, holds(0, 4, 4, 1), holds(0, 3, 3, 1), holds(0, 2, 0, 1)), args: []isa.Arg{from(1)}, picks: []isa.Name{nameSrc}, doc: "the sample mask = a source", ref: "5.7", lack: isa.LackUndefined, note: "what it does to a task is not public"},
		{name: "savmsk", classes: backendOnly, layout: layout{"savmsk", 1}, fix: backend(1, holds(0, 4, 4, 0), holds(0, 3, 3, 0)), args: []isa.Arg{suffix(nameMode, span(0, 2, 0), mode), word("w0", "_"), word("w1", "_")}, reads: writeW0 | writeW1, mean: isa.Effect(saveMask), doc: "w0 = the mask of the instance's samples", ref: "5.7"},
		{name: "phas", classes: backendOnly, layout: layout{"phas_reg", 2}, fix: backend(2, holds(0, 1, 0, 0)), args: []isa.Arg{exec, from(1)}, picks: []isa.Name{nameAddr, nameSrc}, doc: "the next phase of the task", ref: "5.7", lack: isa.LackUndefined, note: "phases of a task are not described"},
		{name: "phas", classes: backendOnly, layout: layout{"phas_imm", 2}, fix: backend(2, holds(0, 0, 0, 1)), args: []isa.Arg{on(nameEnd, bit(0, 1), "end"), suffix(nameRate, span(1, 7, 6), dotted("a rate", "inst smp_sel smp_full ?")), exec,
			operand(nameTemps, span(1, 5, 0), number("a number of registers", numeral{low: 0, high: 252, shift: 2}))}, picks: []isa.Name{nameAddr}, doc: "the next phase of the task", ref: "5.7", lack: isa.LackUndefined, note: "phases of a task are not described"},
		{name: "setl", classes: backendOnly, layout: layout{"setl", 1}, fix: backend(3, holds(0, 4, 1, 0)), args: []isa.Arg{operand(nameSink, bit(0, 0), words("w0 or w1", "w0", "w1"))}, reads: readW0 | readW1, mean: isa.Effect(setLink), doc: "the link address = w0 or w1, in units of 16 bits", ref: "5.8", options: []string{choiceLink}},
		{name: "depthf", entry: "DEPTHF", classes: backendOnly, layout: layout{"vistest_depthf", 1}, fix: backend(4, holds(0, 4, 0, 0)), args: []isa.Arg{word("w0")}, reads: readW0, mean: isa.Effect(depthFeedback), doc: "the depth of the pixel = w0", ref: "5.7"},
		{name: "atst", entry: "ATST", classes: backendOnly, layout: layout{"vistest_atst", 1}, fix: backend(4, holds(0, 4, 3, 0), holds(0, 1, 1, 1)), args: []isa.Arg{on(nameIFB, bit(0, 0), "ifb"), operand(namePred, bit(0, 2), predOut), source(0), source(1), source(2)},
			uses: 7, reads: writeP0, mean: isa.Effect(alphaTest), doc: "P0 = whether s1 passes the test against s0 that s2 describes", ref: "5.7", options: []string{choiceAlpha}},
		{name: "fitr", entry: "FITR", classes: backendOnly, layout: layout{"fitr", 2}, fix: backend(5, holds(0, 4, 4, 0), holds(0, 2, 2, 0)), args: []isa.Arg{satBit, suffix(nameMode, span(0, 1, 0), iteration), source(3), drc, source(0), times}, uses: 9,
			extent: iterated, mean: isa.Effect(iterate(linear)), doc: "registers from s3 on = values of the coefficient sets from s0 on at the pixel", ref: "5.7", options: []string{choiceCoefficients}},
		{name: "fitrp", entry: "FITRP", classes: backendOnly, layout: layout{"fitr", 2}, fix: backend(5, holds(0, 4, 4, 1), holds(0, 2, 2, 0)), args: []isa.Arg{satBit, suffix(nameMode, span(0, 1, 0), iteration), source(3), drc, source(0), source(2), times}, uses: 13,
			extent: iterated, mean: isa.Effect(iterate(perspective)), doc: "registers from s3 on = values of the coefficient sets from s0 on at the pixel, divided by that of s2", ref: "5.7", options: []string{choiceCoefficients, choicePerspective}},
		{name: "emitpix", classes: backendOnly, layout: layout{"emitpix", 1}, fix: backend(6, holds(0, 4, 2, 0), holds(0, 0, 0, 0)), mean: isa.Effect(nothing), args: []isa.Arg{on(nameFreeP, bit(0, 1), "freep"), source(0), source(2)}, uses: 5, doc: "the pixel outputs leave; s0 and s2 are the state of the back end", ref: "5.7", options: []string{choiceEmit}},
	}
}

// memoryRows are loads, stores, atomics and fences. docs/reference/rogue.md 3.
func memoryRows() []row {
	drc := operand(nameDRC, bit(0, 3), drcs)
	chosen := func(n isa.Name, b, hi, lo int) isa.Arg { return operand(n, span(b, hi, lo), pick("a source")) }
	address, lengths := chosen(nameAddr, 1, 7, 5), number("a number of registers", numeral{low: 1, high: 16, zero: 16})
	words16 := operand(nameBurst, several(span(1, 4, 2), bit(2, 0)), lengths)
	length := chosen(nameBurst, 1, 4, 2)
	loadMode, storeMode := dotted("a cache mode", "- bypass forcelinefill ?"), dotted("a cache mode", "writethrough writeback lazywriteback ?")
	slc := dotted("a cache mode of the second level", "slcbypass slcwriteback slcwritethrough slcnoalloc")
	level := func(at bits.Ranges) isa.Arg { // the text that marks the long form
		a := suffix(nameSLC, at, slc)
		a.Needed = true
		return a
	}
	loadSLC := dotted("a cache mode of the second level", "- slcwriteback slcwritethrough slcnoalloc")
	also(loadSLC, 0, ".slcbypass")
	load, store := suffix(nameCache, span(1, 1, 0), loadMode), suffix(nameCache, span(1, 1, 0), storeMode)
	data, size := chosen(nameData, 2, 6, 4), operand(nameSize, span(2, 3, 2), sizeKind())
	none := word("_")
	var rows []row
	add := func(name, entry string, l layout, fix []isa.Fixed, args []isa.Arg, picks []isa.Name, uses uint8, mean isa.Meaning, doc string) {
		rows = append(rows, row{name: name, entry: entry, classes: backendOnly, layout: l, fix: fix, args: args, picks: picks, uses: uses, mean: mean, doc: doc, ref: "5.6"})
	}
	add("idf", "IDF", layout{"idf", 2}, backend(7, holds(0, 4, 4, 0), holds(0, 2, 0, 0)), []isa.Arg{drc, operand(nameSrc, span(1, 2, 0), pick("a source"))}, []isa.Name{nameSrc}, 0, isa.Effect(fenceMemory), "a fence through the memory system")
	loads, from := backend(7, holds(0, 2, 0, 1)), "registers from s3 on = words of memory"
	add("ld", "LD", layout{"ld_immbl", 3}, append(loads[:2:2], holds(0, 4, 4, 1), holds(2, 3, 3, 0)), []isa.Arg{load, suffix(nameSLC, span(2, 2, 1), loadSLC), source(3), drc, words16, address}, []isa.Name{nameAddr}, 8, isa.Effect(loadWords), from)
	add("ld.regbl", "LD", layout{"ld_regbl", 2}, append(loads[:2:2], holds(0, 4, 4, 0)), []isa.Arg{load, source(3), drc, length, address}, []isa.Name{nameAddr, nameBurst}, 8, isa.Effect(loadCounted), from+", as many as a source says")
	add("ld.regbl", "LD", layout{"ld_regbl_ext24", 3}, append(loads[:2:2], holds(0, 4, 4, 1), holds(2, 3, 3, 1), holds(2, 0, 0, 0)), []isa.Arg{load, level(span(2, 2, 1)), source(3), drc, length, address}, []isa.Name{nameAddr, nameBurst}, 8, isa.Effect(loadCounted), from+", as many as a source says")
	stores, to := backend(7, holds(0, 2, 0, 2), holds(2, 1, 1, 0)), "memory = bytes, halves or words of registers"
	immediate, register := holds(0, 4, 4, 1), holds(0, 4, 4, 0)
	short, long := holds(2, 7, 7, 0), holds(2, 7, 7, 1)
	add("st", "ST", layout{"st_immbl", 3}, append(stores[:3:3], immediate, short), []isa.Arg{store, data, size, drc, words16, address, none}, []isa.Name{nameAddr, nameData}, 0, isa.Effect(storeWords), to)
	add("st.regbl", "ST", layout{"st_regbl", 3}, append(stores[:3:3], register, short, holds(2, 0, 0, 0)), []isa.Arg{store, data, size, drc, length, address, none}, []isa.Name{nameAddr, nameData, nameBurst}, 0, isa.Effect(storeCounted), to+", as many as a source says")
	tiled, plainStore := holds(3, 5, 5, 0), holds(3, 5, 5, 1)
	cover := operand(nameMaskSrc, span(3, 2, 0), coverKind())
	picks := []isa.Name{nameAddr, nameData, nameMaskSrc}
	for _, x := range [...]struct {
		fix   isa.Fixed
		name  string
		slc   isa.Arg
		tiled bool
	}{{plainStore, "st", level(span(3, 4, 3)), false}, {tiled, "st.tiled", suffix(nameSLC, span(3, 4, 3), loadSLC), true}} {
		rest := []isa.Fixed{long, x.fix, holds(3, 7, 6, 0)}
		r := len(rows)
		add(x.name, "ST", layout{"st_immbl_ext24", 4}, append(append(stores[:3:3], immediate), rest...), []isa.Arg{store, x.slc, data, size, drc, words16, address, cover}, picks, 0, isa.Effect(storeWords), to)
		add(x.name+".regbl", "ST", layout{"st_regbl_ext24", 4}, append(append(stores[:3:3], register, holds(2, 0, 0, 0)), rest...), []isa.Arg{store, x.slc, data, size, drc, length, address, cover}, append(picks[:3:3], nameBurst), 0, isa.Effect(storeCounted), to+", as many as a source says")
		if x.tiled {
			for i := range rows[r:] {
				rows[r+i].options = []string{choiceTiled}
			}
		}
	}
	return transfers(append(rows, atomicRow(drc)))
}

// transfers completes the rows of memory: the first is the fence, the last the atomic.
func transfers(rows []row) []row {
	for i := range rows {
		rows[i].extent, rows[i].options = moved, append(rows[i].options, choiceAlignment)
		if slices.Contains(rows[i].picks, nameMaskSrc) {
			rows[i].options = append(rows[i].options, choiceCover)
		}
		rows[i].oneName()
	}
	rows[0].options, rows[0].extent, rows[len(rows)-1].extent = nil, chosenSpan(2), chosenSpan(3)
	return rows
}

// oneName gives a transfer whose length is a source the name of the others, as the reference does.
func (r *row) oneName() {
	if name, ok := strings.CutSuffix(r.name, ".regbl"); ok {
		r.spell, r.also = []string{Seed: name}, []string{name}
	}
}

// atomicRow is the atomic.
func atomicRow(drc isa.Arg) row {
	op := dotted("an atomic operation", "add sub xchg ? umin imin umax imax and or xor ? ? ? ? ?")
	return row{name: "atomic", spell: []string{Seed: "atom"}, also: []string{"atom"}, entry: "ATOM", classes: backendOnly, layout: layout{"atomic", 3}, fix: backend(7, holds(0, 4, 4, 0), holds(0, 2, 0, 5), holds(1, 3, 3, 0), holds(2, 7, 3, 0)),
		args: []isa.Arg{suffix(nameOp, span(1, 7, 4), op), operand(nameDst, span(2, 2, 0), pick("a source")), drc, operand(nameSrc, span(1, 2, 0), pick("a source"))}, picks: []isa.Name{nameSrc, nameDst},
		mean: isa.Effect(atomic), doc: "memory = an operation of memory and a register, the old word to another; address and operand are three registers", ref: "5.6"}
}

// sampleRows are texture samples, by dimension, in the lengths that their modifiers need. docs/reference/rogue.md 3.
func sampleRows() (rows []row) {
	lod := dotted("a level of detail", "- bias replace gradients")
	also(lod, 3, ".gradient")
	drc := operand(nameDRC, bit(0, 3), drcs)
	channels := operand(nameChan, span(1, 3, 2), number("a number of channels", numeral{low: 1, high: 4, minus: 1}))
	fcnorm, mode := on(nameFCNorm, bit(0, 4), "fcnorm"), suffix(nameLOD, span(1, 1, 0), lod)
	a := []isa.Arg{on(nameProj, bit(2, 6), "proj"), fcnorm, on(nameNNCoords, bit(2, 3), "nncoords"), mode, on(namePPLOD, bit(2, 7), "pplod"),
		on(nameTAO, bit(2, 0), "tao"), on(nameSOO, bit(2, 1), "soo"), on(nameSNO, bit(2, 2), "sno"), suffix(nameBypass, span(2, 5, 4), bypassKind())}
	loadMode, storeMode := dotted("a cache mode", "- bypass forcelinefill ?"), dotted("a cache mode", "writethrough writeback lazywriteback ?")
	also(storeMode, 1, ".bypass") // PCO has the names of loads here
	also(storeMode, 2, ".forcelinefill")
	slc := dotted("a cache mode of the second level", "- slcwriteback slcwritethrough slcnoalloc")
	also(slc, 0, ".slcbypass")
	last := []isa.Arg{on(nameArray, bit(4, 0), "array"), on(nameInteger, bit(4, 1), "integer"), on(nameComparison, bit(4, 2), "comparison"), on(nameF16Input, bit(4, 3), "f16input"), on(nameDirect, bit(4, 4), "direct")}
	swap, f16 := on(nameSched, bit(3, 3), "schedswap"), on(nameF16, bit(3, 4), "f16")
	bLoad := []isa.Arg{swap, f16, suffix(nameCache, span(3, 2, 1), loadMode), suffix(nameSLC, span(3, 6, 5), slc)}
	bStore := []isa.Arg{swap, f16, suffix(nameCache, span(3, 2, 1), storeMode), suffix(nameSLC, span(3, 6, 5), slc), must("wrt")}
	exta, noExta, extb, noExtb := holds(1, 4, 4, 1), holds(1, 4, 4, 0), holds(1, 7, 7, 1), holds(1, 7, 7, 0)
	ab, abc := []isa.Fixed{exta, extb, holds(3, 7, 7, 0)}, []isa.Fixed{exta, extb, holds(3, 7, 7, 1), holds(4, 7, 5, 0)}
	read, write := holds(3, 0, 0, 0), holds(3, 0, 0, 1)
	forms := [...]struct {
		name  string
		size  int
		fix   []isa.Fixed
		args  []isa.Arg
		write bool
	}{
		{"smp_brief", 2, []isa.Fixed{noExta, noExtb}, []isa.Arg{fcnorm, mode}, false}, {"smp_exta", 3, []isa.Fixed{exta, noExtb}, a, false},
		{"smp_extab", 4, append(ab[:3:3], read), slices.Concat(a, bLoad), false}, {"smp_extabc", 5, append(abc[:4:4], read), slices.Concat(a, last, bLoad), false},
		{"smp_extab", 4, append(ab[:3:3], write), slices.Concat(a, bStore), true}, {"smp_extabc", 5, append(abc[:4:4], write), slices.Concat(a, last, bStore), true},
	}
	for dim := 1; dim <= 3; dim++ {
		text := strconv.Itoa(dim) + "d"
		old := "smp" + text
		for _, f := range forms {
			r := row{name: "smp." + text, spell: []string{Seed: old, Mesa24: old}, also: []string{old}, entry: "SMP", classes: backendOnly, layout: layout{f.name, f.size},
				fix: append(backend(7, holds(0, 2, 0, 4), holds(1, 6, 5, uint64(dim))), f.fix...), uses: 1 | 2 | 4 | 16, doc: "registers from s4 on = a sample of the texture s0 with the sampler s2 at s1", ref: "5.7", options: []string{choiceTexture, choiceSamples}, extent: sampled}
			r.mean = isa.Effect(sampleOf(dim))
			switch {
			case f.write:
				r.options = append(r.options, choiceStore)
			case f.size == 5:
				r.options = append(r.options, choiceReference, choiceOrder)
				fallthrough
			case f.size > 2:
				r.options = append(r.options, choiceRaw, choiceBypass)
			}
			if f.write {
				r.mean = isa.Effect(writeOf(dim))
				r.doc = "the texel of the image s0 at s1 = registers from s4 on"
			}
			r.args = append(f.args[:len(f.args):len(f.args)], source(4), drc, source(0), source(1), source(2), isa.Arg{Name: "s3", Kind: lodSource(), At: bits.Ranges{}}, channels)
			rows = append(rows, r)
		}
	}
	return rows
}
