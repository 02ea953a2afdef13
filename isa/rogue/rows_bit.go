package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// The bit unit's first phase is a byte that three units share, followed by a constant. Each unit has rows of its own;
// those of the second and third are views of the byte. docs/reference/rogue.md 3.

// shared are the fields of the byte, without those in the unit's own row.
func shared(own ...isa.Name) (args []isa.Arg) {
	all := []isa.Arg{hidden(nameVendor, bit(0, 7)), hidden(nameCountSrc, bit(0, 6)), hidden(nameCountOp, several(bit(0, 1), bit(0, 5))), hidden(nameShift1, span(0, 3, 2))}
	for _, a := range all {
		keep := true
		for _, n := range own {
			keep = keep && a.Name != names[n]
		}
		if keep {
			args = append(args, a)
		}
	}
	return args
}

// bitPhase0Rows are the three units of the first phase.
func bitPhase0Rows() []row {
	srcByte, imm := hidden(nameImm, bit(0, 4)), hidden(nameOp, bit(0, 0))
	vendor := shared(nameVendor)
	vendor = append(vendor, isa.Arg{Name: names[nameVendor], Kind: plain, At: bit(0, 7), Place: isa.Hidden, Default: 1})
	ft01 := []isa.Arg{word("ft0"), word("ft1")}
	bitmask := func(args ...isa.Arg) []isa.Arg {
		return append(append(vendor[:len(vendor):len(vendor)], ft01...), args...)
	}
	view := func(own []isa.Name, args ...isa.Arg) []isa.Arg {
		return append(append(shared(own...), srcByte, imm), args...)
	}
	rows := []row{
		{name: "byp", also: []string{"bbyp0bm", "mov"}, entry: "BYP", classes: []uint8{group.Bitmask}, layout: layout{"phase0_src", 1}, fix: []isa.Fixed{holds(0, 4, 4, 0), holds(0, 0, 0, 0)}, args: bitmask(source(0), source(1)), uses: 3,
			mean: isa.Effect(bypassBits), doc: "ft0 = s0, ft1 = s1", ref: "5.5"},
		{name: "msk", entry: "MSK", classes: []uint8{group.Bitmask}, layout: layout{"phase0_src", 1}, fix: []isa.Fixed{holds(0, 4, 4, 0), holds(0, 0, 0, 1)}, args: bitmask(source(0), source(1)), uses: 3,
			mean: isa.Effect(maskBits), doc: "ft1 = s0 bits set from bit s1 on, ft0 = the number of the highest", ref: "5.5"},
		{name: "byp", also: []string{"bbyp0bm", "bbyp0bm_imm32", "mov"}, entry: "BYP", classes: []uint8{group.Bitmask}, layout: layout{"phase0_imm16", 3}, fix: []isa.Fixed{holds(0, 4, 4, 1), holds(0, 0, 0, 0)},
			args: bitmask(source(0), operand(nameImm, several(span(1, 7, 0), span(2, 7, 0)), immediate(16))), uses: 1, mean: isa.Effect(bypassBits), doc: "ft0 = s0, ft1 = the constant", ref: "5.5"},
		{name: "byp", also: []string{"bbyp0bm", "bbyp0bm_imm32", "mov"}, entry: "BYP", classes: []uint8{group.Bitmask}, layout: layout{"phase0_imm32", 5}, fix: []isa.Fixed{holds(0, 4, 4, 1), holds(0, 0, 0, 1)},
			args: bitmask(source(0), operand(nameImm, several(span(1, 7, 0), span(2, 7, 0), span(3, 7, 0), span(4, 7, 0)), immediate(32))), uses: 1, mean: isa.Effect(bypassBits), doc: "ft0 = s0, ft1 = the constant", ref: "5.5"},
	}
	shifts := [...]struct {
		name, entry string
		also        []string
		uses        uint8
		args        []isa.Arg
		mean        isa.Meaning
		doc         string
	}{
		{"byp", "BYP", []string{"bbyp0s1", "mov"}, 4, []isa.Arg{source(2)}, isa.Unary(same), "ft2 = s2"},
		{"shfl", "SHFL", []string{"shuffle"}, 6, []isa.Arg{source(2), source(1)}, isa.Binary(interleave), "ft2 = bits of s2 in even places and of s1 in odd ones, of the low halves"},
		{"rev", "REV", nil, 4, []isa.Arg{source(2)}, isa.Unary(V.BitRev), "ft2 = the bits of s2 in reverse order"},
		{"lsl", "LSL", nil, 6, []isa.Arg{source(2), source(1)}, isa.Binary(shiftLeft), "ft2 = s2 << s1"},
	}
	for code, x := range shifts {
		rows = append(rows, row{name: x.name, also: x.also, entry: x.entry, classes: []uint8{group.Shift1}, layout: layout{"shift1", 1}, fix: []isa.Fixed{holds(0, 3, 2, uint64(code))},
			args: view([]isa.Name{nameShift1}, append([]isa.Arg{word("ft2")}, x.args...)...), uses: x.uses, mean: x.mean, doc: x.doc, ref: "5.5"})
	}
	counts := [...]struct {
		name, entry string
		also        []string
		fix         []isa.Fixed
		mean        isa.Meaning
		doc         string
	}{
		{"cbs", "CBS", nil, []isa.Fixed{holds(0, 1, 1, 0), holds(0, 5, 5, 0)}, isa.Unary(V.Popcount), "ft3 = the bits that are set"},
		{"ftb", "FTB", nil, []isa.Fixed{holds(0, 1, 1, 0), holds(0, 5, 5, 1)}, isa.Unary(topBit), "ft3 = the number of the highest bit that is set, -1 if none is"},
		{"byp", "BYP", []string{"mov"}, []isa.Fixed{holds(0, 1, 1, 1), holds(0, 5, 5, 0)}, isa.Unary(same), "ft3 = the source"},
	}
	from := countSource()
	for _, x := range counts {
		rows = append(rows, row{name: x.name, also: x.also, entry: x.entry, classes: []uint8{group.Count}, layout: layout{"count", 1}, fix: x.fix,
			args: view([]isa.Name{nameCountOp, nameCountSrc}, word("ft3"), operand(nameCountSrc, bit(0, 6), from)), mean: x.mean, doc: x.doc, ref: "5.5"})
	}
	return rows
}

// countSource is the source of a bit count: s2 or ft2.
func countSource() *isa.Kind {
	k := sourceKind(2)
	text, parse := k.Text, k.Parse
	k.Name = "s2 or ft2"
	k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		if v != 0 {
			return append(dst, "ft2"...)
		}
		return text(p, dst, in, a, v)
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.Accept("ft2") {
			return 1, true
		}
		return parse(s, in, a)
	}
	return k
}

// logicalRows are the second phase. docs/reference/rogue.md 3.
func logicalRows() (rows []row) {
	ops := [...]struct {
		name, entry string
		code        uint64
		mean        isa.Meaning
		doc         string
	}{{"or", "OR", 0, isa.Binary(V.Or), "or"}, {"and", "AND", 1, isa.Binary(V.And), "and"}, {"xor", "XOR", 2, isa.Binary(V.Xor), "xor"}, {"nor", "NOR", 4, isa.Binary(nor), "nor"}, {"nand", "NAND", 5, isa.Binary(nand), "nand"}, {"xnor", "XNOR", 6, isa.Binary(xnor), "xnor"}}
	masks := func(name isa.Name, at int, text string) isa.Arg {
		return operand(name, bit(0, at), words("a mask or _", "_", text))
	}
	fix := []isa.Fixed{holds(0, 7, 6, 1), holds(0, 4, 4, 0)}
	for _, x := range ops {
		inverse := masks(nameMaskB, 5, "~ft1")
		also(inverse.Kind, 1, "ft1.invert")
		rows = append(rows, row{name: x.name, also: []string{"logical." + x.name}, entry: x.entry, classes: []uint8{group.Logical}, layout: layout{"phase1", 1}, fix: append(fix[:2:2], holds(0, 2, 0, x.code)),
			args: []isa.Arg{word("ft4"), masks(nameMaskA, 3, "ft1"), word("ft2"), inverse, source(3)}, uses: 8, mean: x.mean, doc: "ft4 = ft2 " + x.doc + " s3, each under its mask", ref: "5.5"})
	}
	return append(rows, row{name: "byp", also: []string{"mov"}, entry: "BYP", classes: []uint8{group.Logical}, layout: layout{"phase1", 1}, fix: append(fix[:2:2], holds(0, 2, 0, 7)),
		args: []isa.Arg{word("ft4"), word("ft1", "s1"), ignored(nameMaskA, bit(0, 3)), ignored(nameMaskB, bit(0, 5))}, mean: isa.Effect(bypassLogical), doc: "ft4 = ft1", ref: "5.5"})
}

// bitPhase2Rows are the second shift and the test, which share the byte of the third phase.
func bitPhase2Rows() (rows []row) {
	third := hidden(nameTestOp, bit(0, 3))
	base := []isa.Arg{hidden(namePred, bit(0, 5)), hidden(nameTestSrc, bit(0, 4)), third}
	top := []isa.Fixed{holds(0, 7, 6, 0)}
	ops := [...]struct {
		name, entry string
		pred        bool
		mean        isa.Meaning
		doc         string
	}{{"lsl", "LSL", false, isa.Binary(shiftLeft), "ft4 << s4"}, {"shr", "SHR", false, isa.Binary(shiftRight), "ft4 >> s4"}, {"rol", "ROL", false, isa.Binary(rotateLeft), "ft4 rotated left by s4"},
		{"cps", "CPS", true, isa.Effect(clearSet), "s4 without the bits of ft4, which are set if P0"}, {"asr.twb", "ASR", false, isa.Effect(asrFrom(signTop)), "ft4 >> s4 with the sign of bit 31"},
		{"asr.pwb", "ASR", false, isa.Effect(asrFrom(signHalf)), "ft4 >> s4 with the sign of bit 15"}, {"asr.mtb", "ASR", false, isa.Effect(asrFrom(signMask)), "ft4 >> s4 with the sign of bit ft0"},
		{"asr.ftb", "ASR", false, isa.Effect(asrFrom(signFound)), "ft4 >> s4 with the sign of bit ft3"}}
	for code, x := range ops {
		r := row{name: x.name, entry: x.entry, classes: []uint8{group.Shift2}, layout: layout{"phase2", 1}, fix: append(top[:1:1], holds(0, 2, 0, uint64(code))), uses: 16, mean: x.mean, doc: "ft5 = " + x.doc, ref: "5.5"}
		r.args = append(base[:3:3], word("ft5"))
		if x.pred {
			r.args, r.reads = append(r.args, word("p0", "_")), readP0
		}
		r.args = append(r.args, word("ft4"), source(4))
		rows = append(rows, r)
	}
	for code, name := range [...]string{"tz", "tnz"} {
		rows = append(rows, row{name: name, entry: upper(name), classes: []uint8{group.BitTest}, layout: layout{"test", 1}, fix: append(top[:1:1], holds(0, 3, 3, uint64(code))), reads: writeP0,
			args: []isa.Arg{hidden(nameShift2, span(0, 2, 0)), operand(namePred, bit(0, 5), predOut), operand(nameTestSrc, bit(0, 4), words("ft5 or ft3", "ft5", "ft3"))},
			mean: isa.Effect(testBits(code)), doc: "P0 = whether the value is " + [...]string{"0", "not 0"}[code], ref: "5.5"})
	}
	return rows
}
