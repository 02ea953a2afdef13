package num

import "math"

// The functions Rows are float ops on all lanes of a wave, for engines. The host's float unit computes four lanes
// at a time. Lanes whose result may not be exact are recomputed by the exact op. The result may share memory with
// an operand, lane for lane.

// An Arg32 is an operand of 32 bits: V[i&K] is that of lane i. K is 63, or 0 for a uniform operand.
type Arg32 struct {
	V *[64]uint32
	K int
}

// An Arg64 is an operand of 64 bits, as Arg32.
type Arg64 struct {
	V *[64]uint64
	K int
}

// At returns the operand of a lane.
func (a Arg32) At(lane int) uint64 { return uint64(a.V[lane&a.K&63]) }

// At returns the operand of a lane.
func (a Arg64) At(lane int) uint64 { return a.V[lane&a.K&63] }

func f32(a uint32) float32 { return math.Float32frombits(a) }
func f64(a uint64) float64 { return math.Float64frombits(a) }

// asHost reports whether the host's float unit rounds as the mode says.
func asHost(m Mode) bool { return hostFloats && m&roundMask == RNE }

// flushes32 is the bound for a<<1-1 below which an operand a is a denormal that one of the flags applies to: 0 if
// the mode has none of them.
func flushes32(m, flags Mode) uint32 {
	if m&flags != 0 {
		return 1<<24 - 1
	}
	return 0
}

// flushes64 is flushes32 for binary64 and FlushIn.
func flushes64(m Mode) uint64 {
	if m&FlushIn != 0 {
		return 1<<53 - 1
	}
	return 0
}

// sums32 says which sums r are certain: r<<1-lo < hi. If the mode flushes operands, these sums are so large that no
// denormal operand affects them: a denormal is less than a quarter of the distance from such a number to the next.
func sums32(m Mode) (lo, hi uint32) {
	if m&FlushIn != 0 {
		return 64 << 24, (255 - 64) << 24
	}
	return 2 << 24, 253 << 24
}

// unambiguous reports whether s, the nearest binary64 to an exact value, is not midway between two binary32
// numbers, so that rounding it again equals rounding the value.
func unambiguous(s float64) bool { return (math.Float64bits(s)-1<<28)&(1<<29-1) != 0 }

// cut is the mask of bits that FMad drops of a product in binary64: none if c is zero.
func cut(c uint32) uint64 {
	c <<= 1
	return uint64(int64(int32(c|-c))>>31) & (1<<29 - 1)
}

// order32 maps numbers to integers in the same order, -0 below +0.
func order32(a uint32) int32 { return int32(a ^ uint32(int32(a)>>31)>>1) }

func each32to32(m Mode, d *[64]uint32, f func(n int, m Mode, a uint64) uint64, a Arg32, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = uint32(f(32, m, a.At(i)))
	}
}

func each32and32to32(m Mode, d *[64]uint32, f func(n int, m Mode, a, b uint64) uint64, a, b Arg32, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = uint32(f(32, m, a.At(i), b.At(i)))
	}
}

func each32and32and32to32(m Mode, d *[64]uint32, f func(n int, m Mode, a, b, c uint64) uint64, a, b, c Arg32, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = uint32(f(32, m, a.At(i), b.At(i), c.At(i)))
	}
}

func each32to64(m Mode, d *[64]uint64, f func(n int, m Mode, a uint64) uint64, a Arg32, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = f(64, m, a.At(i))
	}
}

func each64to32(m Mode, d *[64]uint32, f func(n int, m Mode, a uint64) uint64, a Arg64, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = uint32(f(32, m, a.At(i)))
	}
}

func each64to64(m Mode, d *[64]uint64, f func(n int, m Mode, a uint64) uint64, a Arg64, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = f(64, m, a.At(i))
	}
}

func each64and64to64(m Mode, d *[64]uint64, f func(n int, m Mode, a, b uint64) uint64, a, b Arg64, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = f(64, m, a.At(i), b.At(i))
	}
}

func each64and64and64to64(m Mode, d *[64]uint64, f func(n int, m Mode, a, b, c uint64) uint64, a, b, c Arg64, first, last int) {
	for i := first; i < last; i++ {
		d[i&63] = f(64, m, a.At(i), b.At(i), c.At(i))
	}
}

func each32and32tomask(m Mode, f func(n int, m Mode, a, b uint64) uint64, a, b Arg32, first, last int) (mask uint64) {
	for i := first; i < last; i++ {
		mask |= f(32, m, a.At(i), b.At(i)) << (i & 63)
	}
	return mask
}

func each64and64tomask(m Mode, f func(n int, m Mode, a, b uint64) uint64, a, b Arg64, first, last int) (mask uint64) {
	for i := first; i < last; i++ {
		mask |= f(64, m, a.At(i), b.At(i)) << (i & 63)
	}
	return mask
}
