package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// moveRows are moves between registers. docs/reference/tesla.md 3 and 6.8.
func moveRows() []row {
	return []row{
		{name: "mov", op: 1, fix: fixed(15, 15, 0), form: newForm(short, text("b16").having(bitPart("sfu", 17, sfuWord)), sDstH, ssh), mean: of1(move), doc: "a", ref: "6.8"},
		{name: "mov", op: 1, fix: fixed(15, 15, 1), form: newForm(short, text("b32").having(bitPart("sfu", 17, sfuWord)), sDst, ssw), mean: of1(move), doc: "a", ref: "6.8"},
		{name: "mov", op: 1, fix: fixed(15, 15, 0), form: newForm(imm, text("b16"), lDstH, immH), mean: of1(move), doc: "a", ref: "6.8"},
		{name: "mov", op: 1, fix: fixed(15, 15, 1), form: newForm(imm, text("b32"), lDst, immW), mean: of1(move), doc: "a", ref: "6.8"},
		{name: "mov", op: 1, fix: fixed(61, 63, 0, 58, 58, 0), form: newForm(long, text("b16").having(bitPart("sfu", 57, sfuWord)), llDstH, lsh).with(laneArg), mean: isa.Effect(moveLanes), doc: "a, in the lanes of each quad that are named", ref: "6.8"},
		{name: "mov", op: 1, fix: fixed(61, 63, 0, 58, 58, 1), form: newForm(long, text("b32").having(bitPart("sfu", 57, sfuWord)), llDst, lsw).with(laneArg), mean: isa.Effect(moveLanes), doc: "a, in the lanes of each quad that are named", ref: "6.8"},

		{name: "mov", op: 0, fix: fixed(61, 63, 1), form: newForm(long, lDst, flagsIn), mean: isa.Effect(movFromC), doc: "the four flags of $c", ref: "6.8"},
		{name: "mov", op: 0, fix: fixed(61, 63, 2), form: newForm(long, lDst, aSrc), mean: of1(move), doc: "$a", ref: "6.8"},
		{name: "mov", op: 0, fix: fixed(61, 63, 3), form: newForm(long, lDst, operand{arg: use("special", span(46, 49), specialRegister, 32), get: getSpecial}), mean: of1(move), doc: "a special register", ref: "3.3"},
		{name: "mov", op: 0, fix: fixed(61, 63, 5), form: newForm(long, cDst, src1).with(ignoredFlag), mean: isa.Effect(movToC), doc: "the low four bits become flags", ref: "6.8"},
		{name: "shl", op: 0, fix: fixed(61, 63, 6), form: newForm(long, aDst, lsw, constantIn("count", 16, 19, shiftCount)), mean: of2(shlA), doc: "a << b, 16 bits", ref: "6.8"},
		{name: "add", op: 13, fix: fixed(61, 63, 1), form: newForm(long, aDst, aSrc, constantIn("imm", 9, 24, addend)), mean: of2(addA), doc: "$a + b, 16 bits", ref: "6.8"},
	}
}

// memoryRows are loads and stores. docs/reference/tesla.md 5.
func memoryRows() (rows []row) {
	rows = append(rows,
		row{name: "ld", unit: unitAttribute, op: 0, fix: fixed(61, 63, 0, 58, 58, 1, 53, 53, 1), stages: 1<<VP | 1<<GP, mean: isa.Effect(loadAttribute), doc: "a word of a[]", ref: "5.3",
			form: newForm(long, text("b32"), llDst, memory(9, 15, attribute, isa.Use, "addr")).with(laneArg)},
		row{name: "st", unit: unitOutput, op: 0, fix: fixed(61, 63, 4, 54, 55, 3), mean: isa.Effect(storeOutput), doc: "an output", ref: "5.3",
			form: newForm(long, text("b32"), memory(9, 22, output, isa.Define, "addr"), src3)},
	)
	rows = append(rows, on(unitShared, sharedRows())...)
	for t, k := range [...]*isa.Kind{typeU8: const8, typeU16: const16, typeS16: const16, typeB32: const32} {
		rows = append(rows, row{name: "ld", unit: unitConstant, op: 1, fix: fixed(61, 63, 1, 46, 47, t), mean: loadBank(uint8(t)), doc: "a " + typeNames[t] + " of c[]", ref: "5.3",
			form: newForm(long, loaded, text(typeNames[t]), memory(9, map[int]int{typeU8: 24, typeU16: 23, typeS16: 23, typeB32: 22}[t], k, isa.Use, "addr", "inc", "bank"))})
	}
	return append(rows, wideRows()...)
}

// sharedRows are those of shared memory.
func sharedRows() (rows []row) {
	address := [...]operand{typeU8: memory(9, 24, shared8, isa.Use, "addr", "inc"), typeU16: memory(9, 23, shared16, isa.Use, "addr", "inc"),
		typeS16: memory(9, 23, shared16, isa.Use, "addr", "inc"), typeB32: memory(9, 22, shared32, isa.Use, "addr", "inc")}
	into := address
	for i := range into {
		into[i].arg.Role = isa.Define
	}
	store := func(fix []isa.Fixed, t int, variants uint32, words ...operand) {
		rows = append(rows, row{name: "st", op: 0, fix: fix, stages: 1 << CP, variants: variants, mean: storeShared(uint8(t)), doc: "stores to s[]", ref: "5.3",
			form: newForm(long, append(words, into[t], stored)...)})
	}
	store(fixed(61, 63, 7, 54, 54, 1), typeU8, 0, text("b8"))
	store(fixed(61, 63, 7, 58, 58, 0, 54, 54, 0), typeU16, 0, text("b16"))
	store(fixed(61, 63, 7, 58, 58, 1, 54, 54, 0), typeB32, allVariants&^fromG200, text("b32"))
	store(fixed(61, 63, 7, 58, 58, 1, 54, 54, 0), typeB32, fromG200, text("b32").having(bitPart("unlock", 55, unlocks)))
	for t := range address {
		fix := fixed(61, 63, 2, 46, 47, t)
		if t == typeB32 {
			fix = append(fix, fixed(55, 55, 0)...)
		}
		rows = append(rows, row{name: "ld", op: 1, fix: fix, stages: 1 << CP, variants: fromG84, mean: loadShared(uint8(t)), doc: "a " + typeNames[t] + " of s[]", ref: "5.3",
			form: newForm(long, loaded, text(typeNames[t]), address[t])})
	}
	return append(rows, row{name: "ld", op: 1, fix: fixed(61, 63, 2, 46, 47, typeB32, 55, 55, 1), stages: 1 << CP, variants: fromG200,
		mean: isa.Effect(loadLocked), doc: "a word of s[], which is locked if it was not; the flags say whether it was", ref: "8.5", option: choiceLock,
		note: "That a lock which fails sets Z is a choice; that one which succeeds sets S is seen in compiled code (docs/reference/tesla.md 12).",
		form: newForm(long, text("lock"), cDst, loaded, text("b32"), address[typeB32]).with(ignoredFlag)})
}

// wide are the types of local and global memory by code.
var wide = [...]wideType{
	{"u8", whole, 1, 1, false}, {"s8", whole, 1, 1, true}, {"u16", whole, 2, 1, false}, {"s16", whole, 2, 1, true},
	{"b64", pair, 4, 2, false}, {"b128", quad, 4, 4, false}, {"b32", whole, 4, 1, false},
}

// wideRows are those of local and global memory.
func wideRows() (rows []row) {
	for t := range wide {
		w := &wide[t]
		width := 32 * sizes[w.size].n
		k := [...]*isa.Kind{whole: register, pair: pairRegister, quad: quadRegister}[w.size]
		dst := operand{arg: define("dst", span(2, 8), k, width)}
		src := operand{arg: use("dst", span(2, 8), k, width)}
		own, ownTo := memory(9, 24, local, isa.Use, "addr", "inc"), memory(9, 24, local, isa.Define, "addr", "inc")
		bank := isa.Arg{Name: "gbank", At: span(16, 19), Kind: hidden, Place: isa.Hidden}
		all := operand{arg: use("address", span(9, 15), global, 32)}
		add := func(name string, sub int, stages uint32, doc string, mean isa.Meaning, f *form) {
			rows = append(rows, row{name: name, unit: [...]unit{2: unitLocal, 3: unitLocal, 4: unitGlobal, 5: unitGlobal}[sub], op: 13, fix: fixed(61, 63, sub, 53, 55, t), stages: stages, mean: mean, doc: doc, ref: "5.3", form: f, bytes: w.bytes * w.count})
		}
		add("ld", 2, 0, "loads from l[]", loadWide(w, inLocal), newForm(long, text(w.name), dst, own))
		add("st", 3, 0, "stores to l[]", storeWide(w, inLocal), newForm(long, text(w.name), ownTo, src))
		add("ld", 4, 1<<CP, "loads from g[]", loadWide(w, inGlobal), newForm(long, text(w.name), dst, all).with(bank))
		add("st", 5, 1<<CP, "stores to g[]", storeWide(w, inGlobal), newForm(long, text(w.name), all, src).with(bank))
	}
	return rows
}

// An atomic is an operation on g[] in one size.
type atomic struct {
	name     string
	op, size int
	ir       uint8
	word     string
	result   bool // only with a result
	doc      string
}

// Codes of sizes of atomics.
const (
	size64       = 4
	size32       = 6
	sizeSigned32 = 7
)

var atomics = [...]atomic{
	{"add", 0, size32, ir.AtomicAdd, "u32", false, "old + b"}, {"add", 0, sizeSigned32, ir.AtomicAdd, "s32", false, "old + b"}, {"add", 0, size64, ir.AtomicAdd, "u64", false, "old + b"},
	{"exch", 1, size32, ir.AtomicSwap, "b32", true, "b"}, {"exch", 1, size64, ir.AtomicSwap, "b64", true, "b"},
	{"cas", 2, size32, ir.AtomicCmpSwap, "b32", true, "c if old is b"}, {"cas", 2, size64, ir.AtomicCmpSwap, "b64", true, "c if old is b"},
	{"inc", 4, size32, ir.AtomicInc, "u32", false, "0 if old >= b, else old + 1"}, {"dec", 5, size32, ir.AtomicDec, "u32", false, "b if old is 0 or above b, else old - 1"},
	{"max", 6, size32, ir.AtomicUMax, "u32", false, "the larger"}, {"max", 6, sizeSigned32, ir.AtomicSMax, "s32", false, "the larger"},
	{"min", 7, size32, ir.AtomicUMin, "u32", false, "the smaller"}, {"min", 7, sizeSigned32, ir.AtomicSMin, "s32", false, "the smaller"},
	{"and", 10, size32, ir.AtomicAnd, "b32", false, "old & b"}, {"or", 11, size32, ir.AtomicOr, "b32", false, "old | b"}, {"xor", 12, size32, ir.AtomicXor, "b32", false, "old ^ b"},
}

// atomicRows are operations on g[], without and with the old value as result. docs/reference/tesla.md 5.5.
func atomicRows() (rows []row) {
	for i := range atomics {
		a := &atomics[i]
		k, variants, width := register, uint32(fromG84), 32
		if a.size == size64 {
			k, variants, width = pairRegister, fromG200, 64
		}
		fix := func(sub int) []isa.Fixed { return fixed(61, 63, sub, 34, 37, a.op, 53, 55, a.size) }
		if !a.result {
			to := operand{arg: use("address", span(9, 15), global, 32)}
			rows = append(rows, row{name: "red", op: 13, fix: fix(6), stages: 1 << CP, variants: variants, mean: atomicOn(a.ir, width/8, nameDst, false), doc: a.doc + " replaces a word of g[]", ref: "5.5",
				form: newForm(long, text(a.name), text(a.word), to, operand{arg: use("dst", span(2, 8), k, width)}).with(isa.Arg{Name: "gbank", At: span(16, 19), Kind: hidden, Place: isa.Hidden})})
		}
		name, words := a.name, []operand{text(a.word)}
		if !a.result {
			name, words = "ld", []operand{text(a.name), text(a.word)}
		}
		ops := append(words, operand{arg: define("dst", span(2, 8), k, width)}, operand{arg: use("address", span(9, 15), global, 32)}, operand{arg: use("src2", nil, k, width)})
		if a.op == 2 {
			ops = append(ops, operand{arg: use("src3", nil, k, width)})
		}
		rows = append(rows, row{name: name, op: 13, fix: fix(7), stages: 1 << CP, variants: variants, mean: atomicOn(a.ir, width/8, nameSrc2, true), doc: a.doc + " replaces a word of g[]; the result is what was there", ref: "5.5",
			form: newForm(long, ops...).with(isa.Arg{Name: "gbank", At: span(23, 26), Kind: hidden, Place: isa.Hidden})})
	}
	return rows
}
