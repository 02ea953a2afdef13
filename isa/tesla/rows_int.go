package tesla

import "github.com/heddle-gpu/heddle/isa"

// addOps are the operations of add and mad; hi and lo are bits 28 and 22 of words that have them there.
var addOps = [...]struct {
	name   string
	hi, lo int
	doc    string
}{
	opAdd:  {"add", 0, 0, "a + b"},
	opSub:  {"sub", 0, 1, "a - b"},
	opSubR: {"subr", 1, 0, "b - a"},
	opAddC: {"addc", 1, 1, "a + b + carry"},
}

// carried returns the operands followed by the $c that addc reads.
func (o addOp) carried(carry operand, ops ...operand) []operand {
	if o == opAddC {
		ops = append(ops, carry)
	}
	return ops
}

// addRows are additions and subtractions. docs/reference/tesla.md 6.1.
func addRows() (rows []row) {
	add := func(o addOp, enc *isa.Encoding, op uint64, fix []isa.Fixed, bits string, ops ...operand) {
		rows = append(rows, row{name: addOps[o].name, op: op, fix: fix, form: newForm(enc, ops...), mean: of2(iadd(o)), doc: addOps[o].doc + ", " + bits + " bits", ref: "6.1"})
	}
	for i := range addOps {
		o, a := addOp(i), addOps[i]
		op := uint64(2 + a.hi)
		half, whole := fixed(15, 15, 0, 22, 22, a.lo), fixed(15, 15, 1, 22, 22, a.lo)
		add(o, short, op, half, "16", o.carried(shortCarry, text("b16").having(sat(8)), sDstH, ssh, sch)...)
		add(o, short, op, whole, "32", o.carried(shortCarry, text("b32").having(sat(8)), sDst, ssw, scw)...)
		add(o, imm, op, half, "16", o.carried(shortCarry, text("b16").having(sat(8)), sDstH, ish, immH)...)
		add(o, imm, op, whole, "32", o.carried(shortCarry, text("b32").having(sat(8)), sDst, isw, immW)...)
		half, whole = fixed(61, 63, 0, 58, 58, 0, 22, 22, a.lo), fixed(61, 63, 0, 58, 58, 1, 22, 22, a.lo)
		add(o, long, op, half, "16", o.carried(carryIn, text("b16"), llDstH.having(bitPart("sat", 59, saturate), mcdst), lsh, lc3h)...)
		add(o, long, op, whole, "32", o.carried(carryIn, text("b32"), llDst.having(bitPart("sat", 59, saturate), mcdst), lsw, lc3w)...)
	}
	return rows
}

// mulRows are products of halves, and of 24 bits. docs/reference/tesla.md 6.2.
func mulRows() []row {
	const doc16, doc24 = "a * b of 16 bits each, 32 bits", "a * b of 24 bits each, the low 32 bits, or with high those above the low 16"
	signed := func(name string, at int) operand { return pick(name, at, at, signed16) }
	wide := func(high1, at int) operand {
		return pick("signed", at, at, signed24).having(bitPart("high", high1, high))
	}
	return []row{
		{name: "mul", op: 4, fix: fixed(22, 22, 0), form: newForm(short, sDst, signed("signed1", 15), ssh, signed("signed2", 8), sch), mean: of2(imul16), doc: doc16, ref: "6.2"},
		{name: "mul", op: 4, fix: fixed(22, 22, 1), form: newForm(short, sDst, wide(8, 15), ssw, scw), mean: of2(imul24), doc: doc24, ref: "6.2"},
		{name: "mul", op: 4, fix: fixed(22, 22, 0), form: newForm(imm, sDst, signed("signed1", 15), ish, signed("signed2", 8), immH), mean: of2(imul16), doc: doc16, ref: "6.2"},
		{name: "mul", op: 4, fix: fixed(22, 22, 1), form: newForm(imm, sDst, wide(8, 15), isw, immW), mean: of2(imul24), doc: doc24, ref: "6.2"},
		{name: "mul", op: 4, fix: fixed(61, 63, 0, 48, 48, 0), form: newForm(long, llDst.having(mcdst), signed("signed1", 47), lsh, signed("signed2", 46), lc2h), mean: of2(imul16), doc: doc16, ref: "6.2"},
		{name: "mul", op: 4, fix: fixed(61, 63, 0, 48, 48, 1), form: newForm(long, llDst.having(mcdst), wide(46, 47), lsw, lc2w), mean: of2(imul24), doc: doc24, ref: "6.2"},
	}
}

// A factors is the factors of a mad, and whether the sum saturates.
type factors struct {
	words    string
	kind     mulKind
	half     bool // sources of 16 bits
	sat      bool
	op, sub  int // of the long form
	b15, b8  int // of the others
	longOnly bool
	doc      string
}

var products = [...]factors{
	{"(mul u16", mulU16, true, false, 6, 0, 0, 0, false, "a * b, unsigned, 16 bits each"},
	{"(mul s16", mulS16, true, false, 6, 1, 0, 1, false, "a * b, signed, 16 bits each"},
	{"(mul s16", mulS16, true, true, 6, 2, 1, 0, false, "a * b, signed, 16 bits each"},
	{"(mul u24", mulU24, false, false, 6, 3, 1, 1, false, "low 32 bits of a * b, unsigned, 24 bits each"},
	{"(mul s24", mulS24, false, false, 6, 4, 0, 0, true, "low 32 bits of a * b, signed, 24 bits each"},
	{"(mul s24", mulS24, false, true, 6, 5, 0, 0, true, "low 32 bits of a * b, signed, 24 bits each"},
	{"(mul high u24", mulHighU24, false, false, 6, 6, 0, 0, true, "bits 16 to 47 of a * b, unsigned, 24 bits each"},
	{"(mul high s24", mulHighS24, false, false, 6, 7, 0, 0, true, "bits 16 to 47 of a * b, signed, 24 bits each"},
	{"(mul high s24", mulHighS24, false, true, 7, 0, 0, 0, true, "bits 16 to 47 of a * b, signed, 24 bits each"},
}

// halfSigns are the signs of factors of 16 bits.
var halfSigns = [mulHighS24 + 1]sign{mulU16: noSign, mulS16: isSigned}

// madRows are products that are added to. docs/reference/tesla.md 6.3.
func madRows() (rows []row) {
	add := func(o addOp, p *factors, enc *isa.Encoding, op int, fix []isa.Fixed, ops ...operand) {
		if p.sat {
			ops = append([]operand{text("sat")}, ops...)
		}
		doc := map[addOp]string{opAdd: "p + c", opSub: "p - c", opSubR: "c - p", opAddC: "p + c + carry"}[o] + ", where p is " + p.doc
		if p.sat {
			doc += "; saturated"
		}
		rows = append(rows, row{name: addOps[o].name, op: uint64(op), fix: fix, form: newForm(enc, ops...), mean: of3(imad(p.kind, o, p.sat)), doc: doc, ref: "6.3", sign: halfSigns[p.kind]})
	}
	close := text(")")
	close.arg.Tight = true
	for i := range addOps {
		for k := range products {
			o, a, p := addOp(i), addOps[i], &products[k]
			s1, s2, i1, i2, l1, l2 := ssw, scw, isw, immW, lsw, lc2w
			if p.half {
				s1, s2, i1, i2, l1, l2 = ssh, sch, ish, immH, lsh, lc2h
			}
			if !p.longOnly {
				fix := fixed(15, 15, p.b15, 8, 8, p.b8, 22, 22, a.lo)
				add(o, p, short, 6+a.hi, fix, o.carried(shortCarry, sDst, text(p.words), s1, s2, close, again)...)
				add(o, p, imm, 6+a.hi, fix, o.carried(shortCarry, sDst, text(p.words), i1, i2, close, again)...)
			}
			fix := fixed(61, 63, p.sub, 58, 59, i)
			dst := llDst.having(mcdst)
			add(o, p, long, p.op, fix, o.carried(carryIn, dst, text(p.words), l1, l2, close, lc3w)...)
		}
	}
	return rows
}

// compareRows are sums of differences, minima, maxima and comparisons. docs/reference/tesla.md 6.4.
func compareRows() (rows []row) {
	const sad = "|a - b| + c"
	rows = append(rows,
		row{name: "sad", op: 5, fix: fixed(15, 15, 0), form: newForm(short, sDst, pick("signed", 8, 8, signed16), src1H, src2H, again), mean: of3(isad), doc: sad, ref: "6.4"},
		row{name: "sad", op: 5, fix: fixed(15, 15, 1), form: newForm(short, sDst, pick("signed", 8, 8, signed32), src1, src2, again), mean: of3(isad), doc: sad, ref: "6.4"},
	)
	for _, w := range [...]struct {
		b58      int
		k        *isa.Kind
		dst      operand
		s1, c2   operand
		operands string
	}{
		{0, signed16, llDstH, lsh, lc2h, "16"},
		{1, signed32, llDst, lsw, lc2w, "32"},
	} {
		sign := pick("signed", 59, 59, w.k)
		dst := w.dst.having(mcdst)
		fix := func(sub int) []isa.Fixed { return fixed(61, 63, sub, 58, 58, w.b58) }
		rows = append(rows,
			row{name: "sad", op: 5, fix: fix(0), form: newForm(long, llDst.having(mcdst), sign, w.s1, w.c2, lc3w), mean: of3(isad), doc: sad, ref: "6.4"},
			row{name: "set", op: 3, fix: fix(3), form: newForm(long, dst, pick("cond", 46, 48, setInt), sign, w.s1, w.c2), mean: of2(iset), doc: "all ones if the comparison holds, else 0; " + w.operands + " bits", ref: "6.5"},
			row{name: "max", op: 3, fix: fix(4), form: newForm(long, sign, dst, w.s1, w.c2), mean: of2(imax), doc: "the larger, " + w.operands + " bits", ref: "6.5"},
			row{name: "min", op: 3, fix: fix(5), form: newForm(long, sign, dst, w.s1, w.c2), mean: of2(imin), doc: "the smaller, " + w.operands + " bits", ref: "6.5"},
		)
	}
	return rows
}

// shiftRows are shifts by a source and by a constant. docs/reference/tesla.md 6.7.
func shiftRows() (rows []row) {
	for _, w := range [...]struct {
		b58    int
		bits   string
		k      *isa.Kind
		dst    operand
		s1, c2 operand
		count  operand
	}{
		{0, "b16", signed16, llDstH, lsh, lc2h, constantIn("count", 16, 22, shiftCount).narrow()},
		{1, "b32", signed32, llDst, lsw, lc2w, constantIn("count", 16, 22, shiftCount)},
	} {
		dst := w.dst.having(mcdst)
		for b52, by := range []operand{w.c2, w.count} {
			fix := func(sub int) []isa.Fixed { return fixed(61, 63, sub, 58, 58, w.b58, 52, 52, b52) }
			rows = append(rows,
				row{name: "shl", op: 3, fix: fix(6), form: newForm(long, text(w.bits), dst, w.s1, by), mean: of2(ishl), doc: "a << b", ref: "6.7"},
				row{name: "shr", op: 3, fix: fix(7), form: newForm(long, pick("signed", 59, 59, w.k), dst, w.s1, by), mean: of2(ishr), doc: "a >> b", ref: "6.7"},
			)
		}
	}
	return rows
}

// logicOps are the operations on bits, in the order of their codes.
var logicOps = [...]struct {
	name string
	op   logicOp
	doc  string
}{{"and", logicAnd, "a & b"}, {"or", logicOr, "a | b"}, {"xor", logicXor, "a ^ b"}, {"mov2", logicMov2, "b"}}

// logicRows are operations on bits. docs/reference/tesla.md 6.6.
func logicRows() (rows []row) {
	not1, not2 := bitPart("not1", 48, invert), bitPart("not2", 49, invert)
	for i, o := range logicOps {
		rows = append(rows,
			row{name: o.name, op: 13, fix: fixed(15, 15, i>>1, 8, 8, i&1), form: newForm(imm, text("b32"), sDst, isw.having(bitPart("not1", 22, invert)), immW), mean: of2(logic(o.op)), doc: o.doc, ref: "6.6"},
			row{name: o.name, op: 13, fix: fixed(61, 63, 0, 58, 58, 0, 46, 47, i), form: newForm(long, text("b16"), llDstH.having(mcdst), lsh.having(not1), lc2h.having(not2)), mean: of2(logic(o.op)), doc: o.doc + ", 16 bits", ref: "6.6"},
			row{name: o.name, op: 13, fix: fixed(61, 63, 0, 58, 58, 1, 46, 47, i), form: newForm(long, text("b32"), llDst.having(mcdst), lsw.having(not1), lc2w.having(not2)), mean: of2(logic(o.op)), doc: o.doc, ref: "6.6"},
		)
	}
	return rows
}
