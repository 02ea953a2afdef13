package trial

// An instruction is one that no GPU has, in an opcode that is free, and what adding it takes.
type instruction struct {
	set, isa string
	name     string
	row      []edit // step 1
	meaning  []edit // step 2
	lists    []edit // what a vendor lists, and what said that the opcode is free
	golden   string // step 3: the file of testdata, "" where the set has none
	digests  bool   // step 4: internal/digest compares cases of the set
	formula  []edit // step 4, where a case is not enough
	text     string // as it is printed
	hex      string // the words, of what the layout says
	doc      string // what explain prints
	program  string // of the case, where the instruction has more than one row; else it is text
	regs     []string
	want     map[string]any // registers that are written, by the formula
	asked    []asked        // after steps 1 and 2
	recorded []record       // what step 5 records besides
}

// A record is a test that fails, and the command that it names.
type record struct {
	asked
	by []string
}

const noValue = "no test runs it against a value that its lift did not make: it needs a case in cases/state, or a test in this package"

var instructions = []instruction{
	{
		set: "gcn", digests: true, isa: "gcn:gfx8", name: "v_xadd3_u32",
		row: []edit{{file: "isa/gcn/rows_vop3.go", after: `"v_fma_f32"`,
			text: "\t\t" + `{_____, _____, 0x299, "v_xadd3_u32", "b32 = b32 b32 b32", m3(addXor), "(a ^ b) + c."},`}},
		meaning: []edit{{file: "isa/gcn/mean_vop.go", text: "\nfunc addXor(a, b, c V) V { return a.Xor(b).Add(c) }"}},
		golden:  "vop3.txt",
		formula: []edit{{file: "internal/gcnrun/formulas_test.go", after: `{"v_mul_lo_u32", "iii"`,
			text: "\t\t" + `{"v_xadd3_u32", "iiii", i3(func(a, b, c uint32) uint32 { return (a ^ b) + c })},`}},
		text: "v_xadd3_u32 v0, v1, v2, v3", hex: "000099d201050e04", doc: "(a ^ b) + c.",
		regs: []string{"v1=12", "v2=10", "v3=100"}, want: map[string]any{"v0": "0x0000006a"}, // 0b1100 ^ 0b1010 = 6
		asked: []asked{{"./internal/gcnrun", "^TestVOP3$", "v_xadd3_u32 has no formula"}},
	},
	{
		set: "valhall", isa: "valhall:v9", name: "IXADD.u32",
		row: []edit{{file: "isa/valhall/rows_int.go", after: `{name: "ISUB.u32"`,
			text: "\t\t" + `{name: "IXADD.u32", op: 0xa0, fix: secondary(16, 19, 7), unit: unitCVT, form: newForm(nil, dst(), src(0, ir.I32), src(1, ir.I32)), mean: isa.Binary(addInverted), doc: "a + ~b", ref: "10.2"},`}},
		meaning: []edit{{file: "isa/valhall/mean_int.go", text: "\nfunc addInverted(a, b V) V { return a.Add(b.Not()) }"}},
		lists:   []edit{{file: "isa/valhall/rules_reserved.go", after: `{"", nil, "CLPER.s32 CLPER.v*`, text: "\t" + `{"", nil, "IXADD.u32", 0, 0},`}},
		golden:  "words.txt",
		text:    "IXADD.u32 r0, r1, r2", hex: "0102070000c0a000", doc: "a + ~b",
		regs: []string{"r1=100", "r2=30"}, want: map[string]any{"r0": "0x00000045"}, // 100 - 31
		asked: []asked{
			{"./internal/valhallrun", "", "FAIL: IXADD.u32 (word): a + ~b, variants 111111, stages 0: " + noValue},
			{"./isa/valhall", "^TestReserved$", "v9: IXADD.u32: Arm's table does not have it, so reserves in rules_reserved.go must say that the hardware reserves it"},
		},
	},
	{
		set: "tesla", isa: "tesla:g80", name: "xadd",
		row: []edit{{file: "isa/tesla/rows_int.go", after: `fix: fixed(61, 63, 0, 48, 48, 1), form`,
			text: "\t\t" + `{name: "xadd", op: 3, fix: fixed(61, 63, 2), form: newForm(long, llDst.having(mcdst), lsw, lc2w), mean: of2(addInverted), doc: "a + ~b", ref: "6.1"},`}},
		meaning: []edit{{file: "isa/tesla/mean_int.go", text: "\nfunc addInverted(l *isa.Lift, a, b V) result { return intFlags(l, a.Add(b.Not())) }"}},
		golden:  "g80-cp/words.txt",
		text:    "xadd $r0 $r1 $r2", hex: "0102023080070040", doc: "a + ~b",
		regs: []string{"$r1=100", "$r2=30"}, want: map[string]any{"r0": "0x00000045"}, // 100 - 31
		asked: []asked{{"./internal/teslarun", "", "FAIL: xadd (long): a + ~b, variants 11111, stages 0: " + noValue}},
	},
	{
		set: "rogue", isa: "rogue", name: "lzc",
		row: []edit{{file: "isa/rogue/rows_bit.go", after: `{"ftb", "FTB"`,
			text: "\t\t" + `{"lzc", "LZC", nil, []isa.Fixed{holds(0, 1, 1, 1), holds(0, 5, 5, 1)}, isa.Unary(V.Clz), "ft3 = the zeros above the highest bit that is set, 32 if none is"},`}},
		lists: []edit{{file: "isa/rogue/entries.go", after: `{Name: "CBS"}`, text: "\t" + `{Name: "LZC"},`},
			{file: "README.md", after: "25 of the 121", text: "25 of the 122", replace: true}},
		text: "{ s2 = r1 p0: lzc ft3, s2; w1 = r0 }", hex: "459440a2804000410040", doc: "the zeros above the highest bit that is set",
		regs: []string{"r1=0x1000"}, want: map[string]any{"r0": "0x00000013"}, // bits 31 to 13
		asked: []asked{
			{"./internal/roguerun", "", "FAIL: lzc (count): ft3 = the zeros above the highest bit that is set, 32 if none is, variants 1, stages 0: " + noValue},
			{"./internal/manual", "^TestEntries$", "rows are for LZC, which the reference does not list"},
		},
	},
	{
		set: "attila", digests: true, isa: "attila", name: "xadd",
		row: []edit{{file: "isa/attila/rows.go", after: `"andp"`,
			text: "\t\t" + `{0x05, "xadd", f.iii, single, each2(addInverted), "a + ~b modulo 2^32"},`}},
		meaning: []edit{{file: "isa/attila/mean_vector.go", text: "\nfunc addInverted(a, b V) V { return a.Add(b.Not()) }"}},
		lists:   []edit{{file: "isa/attila/set.go", after: "If: is(0x05)", remove: true}},
		golden:  "words.txt",
		text:    "xadd r0.x, r1, r2", hex: "0500c63883000000011b00021b001b00", doc: "a + ~b modulo 2^32",
		regs: []string{"r1=100,1,1,1", "r2=30,1,1,1"}, want: map[string]any{"r0.x": "0x00000045", "r3.x": "0x00000045"}, // 100 - 31
		program: "xadd r0.x, r1, r2; xadd r3.x, r1, 30",
		asked: []asked{
			{"./internal/attilarun", "", "FAIL: xadd (register): a + ~b modulo 2^32, variants 11, stages 0: " + noValue},
			{"./isa/attila", "^TestGolden$", "057bb55209223e00f6189dc56b556e00 prints as"}, // once a word that did not decode
		},
		recorded: []record{
			{asked{"./internal/vectors", "^TestSizes$", "HEDDLE_SIZES=1 go test ./internal/vectors -run TestSizes writes it"},
				[]string{"env", "HEDDLE_SIZES=1", "go", "test", "./internal/vectors", "-run", "^TestSizes$"}},
			{asked{"./internal/digest", "^TestDigests$/^cases$/^pairs$/^attila-raw$", "attila-raw"},
				[]string{"go", "test", "./internal/digest", "-update", "-run", "^TestDigests$/^cases$/^pairs$/^attila-raw$"}},
		},
	},
}
