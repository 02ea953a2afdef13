package gcn

import "github.com/heddle-gpu/heddle/isa"

// A predicate of a compare block: its name, its semantics by type, and its doc.
type predicate struct {
	name string
	mean isa.Binary
	doc  string
}

// floatPredicates are those of a float block, in order of opcode. docs/reference/gcn.md 1.4.
func floatPredicates() []predicate {
	return []predicate{
		{"f", never, "0"},
		{"lt", V.FLt, "a < b"},
		{"eq", V.FEq, "a = b"},
		{"le", V.FLe, "a <= b"},
		{"gt", swap(V.FLt), "a > b"},
		{"lg", lessGreater, "a < b or a > b"},
		{"ge", swap(V.FLe), "a >= b"},
		{"o", not(V.FUnord), "neither is NaN"},
		{"u", V.FUnord, "a or b is NaN"},
		{"nge", not(swap(V.FLe)), "not a >= b"},
		{"nlg", not(lessGreater), "not (a < b or a > b)"},
		{"ngt", not(swap(V.FLt)), "not a > b"},
		{"nle", not(V.FLe), "not a <= b"},
		{"neq", not(V.FEq), "not a = b"},
		{"nlt", not(V.FLt), "not a < b"},
		{"tru", always, "1"},
	}
}

// signedPredicates and unsignedPredicates are those of an integer block.
func signedPredicates() []predicate {
	return []predicate{
		{"f", never, "0"}, {"lt", V.SLt, "a < b, signed"}, {"eq", V.Eq, "a = b"}, {"le", V.SLe, "a <= b, signed"},
		{"gt", swap(V.SLt), "a > b, signed"}, {"ne", V.Ne, "a differs from b"}, {"ge", swap(V.SLe), "a >= b, signed"}, {"t", always, "1"},
	}
}

func unsignedPredicates() []predicate {
	return []predicate{
		{"f", never, "0"}, {"lt", V.ULt, "a < b, unsigned"}, {"eq", V.Eq, "a = b"}, {"le", V.ULe, "a <= b, unsigned"},
		{"gt", swap(V.ULt), "a > b, unsigned"}, {"ne", V.Ne, "a differs from b"}, {"ge", swap(V.ULe), "a >= b, unsigned"}, {"t", always, "1"},
	}
}

// A vopcBlock is a block of compares: opcode of the first predicate in each generation, of the compare and of its
// cmpx form, which also writes EXEC.
type vopcBlock struct {
	cmp6, cmpx6, cmp8, cmpx8 int
	prefix                   string
	typ                      string // suffix of the mnemonic
	operand                  string // type in the signature
	predicates               []predicate
}

func vopcBlocks() []vopcBlock {
	return []vopcBlock{
		{_____, _____, 0x20, 0x30, "v_cmp", "f16", "f16", floatPredicates()},
		{0x00, 0x10, 0x40, 0x50, "v_cmp", "f32", "f32", floatPredicates()},
		{0x20, 0x30, 0x60, 0x70, "v_cmp", "f64", "f64", floatPredicates()},
		{0x40, 0x50, _____, _____, "v_cmps", "f32", "f32", floatPredicates()},
		{0x60, 0x70, _____, _____, "v_cmps", "f64", "f64", floatPredicates()},
		{_____, _____, 0xa0, 0xb0, "v_cmp", "i16", "b16", signedPredicates()},
		{_____, _____, 0xa8, 0xb8, "v_cmp", "u16", "b16", unsignedPredicates()},
		{0x80, 0x90, 0xc0, 0xd0, "v_cmp", "i32", "b32", signedPredicates()},
		{0xc0, 0xd0, 0xc8, 0xd8, "v_cmp", "u32", "b32", unsignedPredicates()},
		{0xa0, 0xb0, 0xe0, 0xf0, "v_cmp", "i64", "b64", signedPredicates()},
		{0xe0, 0xf0, 0xe8, 0xf8, "v_cmp", "u64", "b64", unsignedPredicates()},
	}
}

const classDoc = "1 if a is of a class whose bit of b is set: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf."

// vopcClass are the class tests.
func vopcClass() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{0x88, 0x88, 0x10, "v_cmp_class_f32", "mask = f32 b32", m2(class), classDoc},
		{0x98, 0x98, 0x11, "v_cmpx_class_f32", "mask = f32 b32 | w:exec", cmpx(class), classDoc + " Also written to EXEC."},
		{0xa8, 0xa8, 0x12, "v_cmp_class_f64", "mask = f64 b32", m2(class), classDoc},
		{0xb8, 0xb8, 0x13, "v_cmpx_class_f64", "mask = f64 b32 | w:exec", cmpx(class), classDoc + " Also written to EXEC."},
		{_____, _____, 0x14, "v_cmp_class_f16", "mask = f16 b16", m2(class), classDoc},
		{_____, _____, 0x15, "v_cmpx_class_f16", "mask = f16 b16 | w:exec", cmpx(class), classDoc + " Also written to EXEC."},
	}
}

// vopc lists the compares: the class tests, and each block's predicates in both forms.
func vopc() []row {
	rows := vopcClass()
	at := func(base, i int) int {
		if base == _____ {
			return _____
		}
		return base + i
	}
	for _, b := range vopcBlocks() {
		sig := "mask = " + b.operand + " " + b.operand
		for i, p := range b.predicates {
			doc := "1 if " + p.doc + "."
			if len(p.doc) == 1 {
				doc = p.doc + "."
			}
			suffix := "_" + p.name + "_" + b.typ
			rows = append(rows,
				row{at(b.cmp6, i), at(b.cmp6, i), at(b.cmp8, i), b.prefix + suffix, sig, p.mean, doc},
				row{at(b.cmpx6, i), at(b.cmpx6, i), at(b.cmpx8, i), b.prefix + "x" + suffix, sig + " | w:exec", cmpx(p.mean), doc + " Also written to EXEC."})
		}
	}
	return rows
}
