package num

// FNeg flips the sign bit, also of a NaN. The mode is ignored.
func FNeg(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	return (a ^ f.sign) & (f.sign | f.abs)
}

// FAbs clears the sign bit, also of a NaN. The mode is ignored.
func FAbs(n int, m Mode, a uint64) uint64 { return a & formatOf(n).abs }

// order maps numbers to integers in the same order, -0 and +0 both to 0.
func (f *format) order(a uint64) int64 {
	if a&f.sign != 0 {
		return -int64(a & f.abs)
	}
	return int64(a & f.abs)
}

// FEq is 1 if a == b; 0 if either is a NaN. The zeros are equal.
func FEq(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return 0
	}
	return truth(f.order(f.flushIn(m, a)) == f.order(f.flushIn(m, b)))
}

// FLt is 1 if a < b; 0 if either is a NaN.
func FLt(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	return truth(f.less(m, a, b))
}

// less is a < b, false if either is a NaN.
func (f *format) less(m Mode, a, b uint64) bool {
	if f.isNaN(a) || f.isNaN(b) {
		return false
	}
	return f.order(f.flushIn(m, a)) < f.order(f.flushIn(m, b))
}

// FLe is 1 if a <= b; 0 if either is a NaN.
func FLe(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return 0
	}
	return truth(f.order(f.flushIn(m, a)) <= f.order(f.flushIn(m, b)))
}

// FUnord is 1 if a or b is a NaN.
func FUnord(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	return truth(f.isNaN(a) || f.isNaN(b))
}

// FMinNum is the lesser number; -0 is less than +0. If one operand is a NaN, the other is the result. For two NaNs
// the NaN rule applies, but under NaNFirst and NaNSecond without IEEE a signalling one passes unchanged. With IEEE
// a signalling NaN on either side makes the result NaN, quieted. Denormals are flushed as the mode says.
func FMinNum(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return f.minMaxNaN(m, a, b)
	}
	a, b = f.flushIn(m, a), f.flushIn(m, b)
	if x, y := f.order(a), f.order(b); x < y || x == y && a&f.sign != 0 {
		return f.flushOut(m, a)
	}
	return f.flushOut(m, b)
}

// FMaxNum is the greater number; +0 is greater than -0. NaNs and denormals as in FMinNum.
func FMaxNum(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) || f.isNaN(b) {
		return f.minMaxNaN(m, a, b)
	}
	a, b = f.flushIn(m, a), f.flushIn(m, b)
	if x, y := f.order(a), f.order(b); x > y || x == y && a&f.sign == 0 {
		return f.flushOut(m, a)
	}
	return f.flushOut(m, b)
}

// minMaxNaN is FMinNum and FMaxNum where a or b is a NaN.
func (f *format) minMaxNaN(m Mode, a, b uint64) uint64 {
	if m&IEEE != 0 && (f.isSNaN(a) || f.isSNaN(b)) {
		return f.nan2(m, a, b)
	}
	switch {
	case !f.isNaN(a):
		return f.flushOut(m, f.flushIn(m, a))
	case !f.isNaN(b):
		return f.flushOut(m, f.flushIn(m, b))
	case m&IEEE != 0:
		return f.nan2(m, a, b)
	}
	switch m.NaN() {
	case NaNFirst:
		return a
	case NaNSecond:
		return b
	}
	return f.invalid(m)
}

// FMinSel is a if a < b, else b: b if either is a NaN or both are zeros. A NaN b passes unchanged, unless the NaN
// rule is NaNCanon or NaNOnes. Denormals are flushed as the mode says.
func FMinSel(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	return f.selected(m, f.less(m, a, b), a, b)
}

// FMaxSel is a if a > b, else b. NaNs and denormals as in FMinSel.
func FMaxSel(n int, m Mode, a, b uint64) uint64 {
	f := formatOf(n)
	return f.selected(m, f.less(m, b, a), a, b)
}

// selected is a or b as the result of FMinSel or FMaxSel.
func (f *format) selected(m Mode, first bool, a, b uint64) uint64 {
	if first {
		b = a
	}
	if f.isNaN(b) {
		if m.NaN() == NaNCanon || m.NaN() == NaNOnes {
			return f.invalid(m)
		}
		return b
	}
	return f.flushOut(m, f.flushIn(m, b))
}

// FSat clamps a to [0, 1]. -0 gives +0, or -0 with SatNegZero. A NaN gives 0 with DX10Clamp,
// 1 with SatNaNOne, else the NaN rule's NaN. Denormals flush as the mode says, to +0.
func FSat(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		switch {
		case m&DX10Clamp != 0:
			return 0
		case m&SatNaNOne != 0:
			return f.one()
		}
		return f.nan1(m, a)
	}
	a = f.flushIn(m, a)
	switch {
	case a == f.sign && m&SatNegZero != 0:
		return a
	case a&f.sign != 0:
		return 0
	}
	return f.flushOut(m, min(a, f.one()))
}

// FCanon is a*1: denormals flushed as the mode says, NaNs by its rule.
func FCanon(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	if f.isNaN(a) {
		return f.nan1(m, a)
	}
	return f.flushOut(m, f.flushIn(m, a))
}

// Classes of FClass, one bit each.
const (
	ClassSNaN = 1 << iota
	ClassQNaN
	ClassNegInf
	ClassNegNormal
	ClassNegDenormal
	ClassNegZero
	ClassPosZero
	ClassPosDenormal
	ClassPosNormal
	ClassPosInf
)

// FClass returns the one bit of ClassSNaN to ClassPosInf that fits a, in the order of GCN's v_cmp_class. Under
// FlushIn a denormal is a zero.
func FClass(n int, m Mode, a uint64) uint64 {
	f := formatOf(n)
	a = f.flushIn(m, a)
	abs := a & f.abs
	if abs > f.inf {
		if f.isSNaN(a) {
			return ClassSNaN
		}
		return ClassQNaN
	}
	k := 0 // distance from the zeros, outward
	switch {
	case abs == f.inf:
		k = 3
	case abs&f.inf != 0:
		k = 2
	case abs != 0:
		k = 1
	}
	if a&f.sign != 0 {
		return ClassNegZero >> k
	}
	return ClassPosZero << k
}
