package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Tests of phase 2. docs/reference/rogue.md 5.3.

// Types of test operands, by code.
const (
	testF32 = iota
	testU16
	testS16
	testU8
	testS8
	testU32
	testS32
)

// A comparison is a test on floats and on integers; b is 0 for a test with one operand.
type comparison struct {
	float    func(a, b V) V
	signed   func(a, b V) V
	unsigned func(a, b V) V
	// unordered reports whether the test holds for a NaN.
	unordered bool
}

func floatNe(a, b V) V    { return a.FEq(b).Not() }
func floatGt(a, b V) V    { return b.FLt(a) }
func floatGe(a, b V) V    { return b.FLe(a) }
func signedGt(a, b V) V   { return b.SLt(a) }
func signedGe(a, b V) V   { return b.SLe(a) }
func unsignedGt(a, b V) V { return b.ULt(a) }
func unsignedGe(a, b V) V { return b.ULe(a) }

var (
	equal    = comparison{V.FEq, V.Eq, V.Eq, false}
	unequal  = comparison{floatNe, V.Ne, V.Ne, true}
	below    = comparison{V.FLt, V.SLt, V.ULt, false}
	notAbove = comparison{V.FLe, V.SLe, V.ULe, false}
	above    = comparison{floatGt, signedGt, unsignedGt, false}
	notBelow = comparison{floatGe, signedGe, unsignedGe, false}
)

// compared is a test of one operand against 0, or of two operands. It drives FTT, and P0 if the instruction says so.
func compared(c comparison, two bool) func(l *isa.Lift) {
	return func(l *isa.Lift) {
		st, typ := data(l), l.In.Opt(nameType)
		a := testOperand(l, 1, typ)
		b := a.K(0)
		if two {
			b = testOperand(l, 2, typ)
		}
		switch typ {
		case testF32:
			is := c.float(a, b)
			if c.unordered && l.Option(optTestNaN) == nanFails {
				is = is.And(a.FUnord(b).Not())
			}
			st.tested(l, is)
		case testS16, testS8, testS32:
			st.tested(l, c.signed(a, b))
		default:
			st.tested(l, c.unsigned(a, b))
		}
	}
}

// testOperand is operand n as the test reads it. Narrow types read an element, of which the encoding has one for both
// operands; floats read the word, or in text-only rows a half of it.
func testOperand(l *isa.Lift, n int, typ uint64) V {
	v, e, half := data(l).selected(l, n), l.In.Opt(nameElem0), l.In.Opt(nameHalf1)
	if n == 2 {
		half = l.In.Opt(nameHalf2)
		if l.In.Has(nameElem1) {
			e = l.In.Get(nameElem1)
		}
	}
	switch typ {
	case testF32:
		if half != 0 {
			return ofHalf(half16(l, v, int(half-1)))
		}
		return v.As(ir.F32)
	case testU16, testS16:
		return elementOf(v, e, 16, typ == testS16)
	case testU8, testS8:
		return elementOf(v, e, 8, typ == testS8)
	}
	return v
}

// tested writes the result of a test.
func (st *state) tested(l *isa.Lift, v V) {
	st.ftt = v
	if l.In.Get(namePred) != 0 {
		st.setPredicate(v)
	}
}

// testCarry tests the carry out of the sum of phase 0.
func testCarry(l *isa.Lift) {
	st := data(l)
	if !st.carry.Valid() {
		l.Fail(ir.TrapUndefined, "tst.c: the group has no sum of 32 or 64 bits whose carry it could test")
		return
	}
	st.tested(l, st.carry)
}

// movc moves if the test of the group holds.
func movc(l *isa.Lift) {
	st := data(l)
	if !st.ftt.Valid() {
		l.Fail(ir.TrapUndefined, "movc: the group has no test")
		return
	}
	st.move(l, st.ftt)
}
