package sanitize

import (
	"fmt"
	"math"
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// exact is the mode in which values are looked at.
const exact = num.ModeSet | num.RNE

// NaN reports whether the value, or an element of it, is a NaN.
func (v Value) NaN() bool {
	n := v.Type.Elem().Bits()
	if !v.Type.Elem().IsFloat() && n < 16 {
		return false
	}
	for b := v.Bits; b != 0; b = b >> (n - 1) >> 1 {
		one := b & (^uint64(0) >> (64 - n))
		if num.FUnord(n, exact, one, one) == 1 {
			return true
		}
		if v.Type.Elems() == 1 {
			break
		}
	}
	return false
}

// exceptional reports whether the value, or an element of it, is a NaN or an infinity. Integers count as floats.
func (v Value) exceptional() bool {
	n := v.Type.Elem().Bits()
	if n < 16 {
		return false
	}
	all := exponents(v.Type)
	for k := range v.Type.Elems() {
		if v.Bits>>(k*n)&all == all {
			return true
		}
	}
	return false
}

// zero reports whether the value, of one element, is zero, of any sign.
func (v Value) zero() bool { return v.Bits&(1<<(v.Type.Bits()-1)-1) == 0 }

// String returns the value as a number, and in parentheses as bits: -Inf (0xff800000).
func (v Value) String() string {
	switch t := v.Type; {
	case t.IsFloat():
		wide := num.FCvt(t.Bits(), 64, exact, v.Bits)
		size := min(max(t.Bits(), 32), 64)
		return fmt.Sprintf("%s (%#x)", strconv.FormatFloat(math.Float64frombits(wide), 'g', -1, size), v.Bits)
	case t == ir.I1:
		return strconv.FormatUint(v.Bits, 10)
	}
	return fmt.Sprintf("%#x", v.Bits)
}
