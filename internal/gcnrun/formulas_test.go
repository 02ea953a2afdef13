package gcnrun

import (
	"math/big"
	"math/bits"
)

// The instructions that exist only in VOP3, by the formulas of docs/reference/gcn.md 7.1. A formula gets the operands
// of one lane as bit patterns and returns the destination.

// A wide is an operand or result of up to four registers.
type wide [4]uint32

func (w wide) u() uint32 { return w[0] }
func (w wide) q() uint64 { return uint64(w[1])<<32 | uint64(w[0]) }

func word(x uint32) wide { return wide{x} }
func pair(x uint64) wide { return wide{uint32(x), uint32(x >> 32)} }

// A lane is the input of a formula: operands a, b and c, the old destination, its number, MODE.
type lane struct {
	a, b, c, d wide
	n          int
	mode       uint32
	undecided  bool // set by a formula if the result is undocumented
}

// A formula is an instruction: mnemonic, the types of result and operands, the function. Types: i 32 bits, q 64, o 128,
// s and h 16-bit integer and float, f and g 32- and 64-bit float. n is the text of the types in order of operands,
// destination first.
type formula struct {
	name  string
	types string
	f     func(l *lane) wide
}

func bytesOf(x uint32) [4]int64 {
	return [4]int64{int64(x & 255), int64(x >> 8 & 255), int64(x >> 16 & 255), int64(x >> 24)}
}

func abs64(x int64) int64 { return max(x, -x) }

// sadBytes returns the sum of byte differences; with masked, bytes where b is 0 are skipped.
func sadBytes(a, b uint32, masked bool) (sum int64) {
	x, y := bytesOf(a), bytesOf(b)
	for i := range x {
		if !masked || y[i] != 0 {
			sum += abs64(x[i] - y[i])
		}
	}
	return sum
}

func quadSad(l *lane, masked bool) wide {
	var r uint64
	for k := range 4 {
		sum := int64(l.c.q()>>(16*k)&0xffff) + sadBytes(uint32(l.a.q()>>(8*k)), l.b.u(), masked)
		r |= uint64(min(sum, 0xffff)) << (16 * k)
	}
	return pair(r)
}

func clampInt64(x, lo, hi int64) int64 { return min(max(x, lo), hi) }

// i3 and s3 wrap functions of unsigned and signed words as formulas.
func i3(f func(a, b, c uint32) uint32) func(l *lane) wide {
	return func(l *lane) wide { return word(f(l.a.u(), l.b.u(), l.c.u())) }
}

func s3(f func(a, b, c int32) int32) func(l *lane) wide {
	return func(l *lane) wide { return word(uint32(f(int32(l.a.u()), int32(l.b.u()), int32(l.c.u())))) }
}

func intFormulas() []formula {
	mid := func(a, b, c int64) int64 { return a + b + c - min(a, b, c) - max(a, b, c) }
	return []formula{
		{"v_mad_i32_i24", "iiii", i3(func(a, b, c uint32) uint32 {
			return uint32(signExtended(24, uint64(a))*signExtended(24, uint64(b))) + c
		})},
		{"v_mad_u32_u24", "iiii", i3(func(a, b, c uint32) uint32 { return a&0xffffff*(b&0xffffff) + c })},
		{"v_bfe_u32", "iiii", i3(func(a, b, c uint32) uint32 {
			off, w := b&31, c&31
			if w == 0 {
				return 0
			}
			return uint32(uint64(a) >> off & (1<<w - 1))
		})},
		{"v_bfe_i32", "iiii", i3(func(a, b, c uint32) uint32 {
			off, w := b&31, c&31
			if w == 0 {
				return 0
			}
			if off+w >= 32 {
				return uint32(int32(a) >> off)
			}
			return uint32(signExtended(int(w), uint64(a>>off)))
		})},
		{"v_bfi_b32", "iiii", i3(func(a, b, c uint32) uint32 { return a&b | ^a&c })},
		{"v_lerp_u8", "iiii", i3(func(a, b, c uint32) (r uint32) {
			x, y, z := bytesOf(a), bytesOf(b), bytesOf(c)
			for i := range x {
				r |= uint32((x[i]+y[i]+z[i]&1)/2) << (8 * i)
			}
			return r
		})},
		{"v_alignbit_b32", "iiii", i3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) })},
		{"v_alignbyte_b32", "iiii", i3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (8 * (c & 3))) })},
		{"v_min3_i32", "iiii", s3(func(a, b, c int32) int32 { return min(a, b, c) })},
		{"v_max3_i32", "iiii", s3(func(a, b, c int32) int32 { return max(a, b, c) })},
		{"v_med3_i32", "iiii", s3(func(a, b, c int32) int32 { return int32(mid(int64(a), int64(b), int64(c))) })},
		{"v_min3_u32", "iiii", i3(func(a, b, c uint32) uint32 { return min(a, b, c) })},
		{"v_max3_u32", "iiii", i3(func(a, b, c uint32) uint32 { return max(a, b, c) })},
		{"v_med3_u32", "iiii", i3(func(a, b, c uint32) uint32 { return uint32(mid(int64(a), int64(b), int64(c))) })},
		{"v_sad_u8", "iiii", i3(func(a, b, c uint32) uint32 { return c + uint32(sadBytes(a, b, false)) })},
		{"v_sad_hi_u8", "iiii", i3(func(a, b, c uint32) uint32 { return c + uint32(sadBytes(a, b, false))<<16 })},
		{"v_msad_u8", "iiii", i3(func(a, b, c uint32) uint32 { return c + uint32(sadBytes(a, b, true)) })},
		{"v_sad_u16", "iiii", i3(func(a, b, c uint32) uint32 {
			return c + uint32(abs64(u16(a)-u16(b))+abs64(u16(a>>16)-u16(b>>16)))
		})},
		{"v_sad_u32", "iiii", i3(func(a, b, c uint32) uint32 { return c + max(a, b) - min(a, b) })},
	}
}

func moreIntFormulas() []formula {
	return []formula{
		{"v_qsad_pk_u16_u8", "qqiq", func(l *lane) wide { return quadSad(l, false) }},
		{"v_mqsad_pk_u16_u8", "qqiq", func(l *lane) wide { return quadSad(l, true) }},
		{"v_mul_lo_u32", "iii", i3(func(a, b, _ uint32) uint32 { return a * b })},
		{"v_mul_lo_i32", "iii", i3(func(a, b, _ uint32) uint32 { return a * b })},
		{"v_mul_hi_u32", "iii", i3(func(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) })},
		{"v_mul_hi_i32", "iii", s3(func(a, b, _ int32) int32 { return int32(int64(a) * int64(b) >> 32) })},
		{"v_mad_u16", "ssss", i3(func(a, b, c uint32) uint32 { return (a*b + c) & 0xffff })},
		{"v_mad_i16", "ssss", i3(func(a, b, c uint32) uint32 { return (a*b + c) & 0xffff })},
		{"v_perm_b32", "iiii", i3(permuted)},
		{"v_bcnt_u32_b32", "iii", i3(func(a, b, _ uint32) uint32 { return uint32(bits.OnesCount32(a)) + b })},
		{"v_bfm_b32", "iii", i3(func(a, b, _ uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) })},
		{"v_mbcnt_lo_u32_b32", "iii", func(l *lane) wide {
			return word(l.b.u() + uint32(bits.OnesCount64(uint64(l.a.u())&(1<<min(l.n, 32)-1))))
		}},
		{"v_mbcnt_hi_u32_b32", "iii", func(l *lane) wide {
			return word(l.b.u() + uint32(bits.OnesCount64(uint64(l.a.u())<<32&(1<<l.n-1))))
		}},
		{"v_cvt_pk_u16_u32", "iii", i3(func(a, b, _ uint32) uint32 { return min(a, 0xffff) | min(b, 0xffff)<<16 })},
		{"v_cvt_pk_i16_i32", "iii", i3(func(a, b, _ uint32) uint32 {
			x, y := clampInt64(int64(int32(a)), -0x8000, 0x7fff), clampInt64(int64(int32(b)), -0x8000, 0x7fff)
			return uint32(x)&0xffff | uint32(y)<<16
		})},
		{"v_lshlrev_b64", "qiq", func(l *lane) wide { return pair(l.b.q() << (l.a.u() & 63)) }},
		{"v_lshrrev_b64", "qiq", func(l *lane) wide { return pair(l.b.q() >> (l.a.u() & 63)) }},
		{"v_ashrrev_i64", "qiq", func(l *lane) wide { return pair(uint64(int64(l.b.q()) >> (l.a.u() & 63))) }},
		{"v_lshl_b64", "qqi", func(l *lane) wide { return pair(l.a.q() << (l.b.u() & 63)) }},
		{"v_lshr_b64", "qqi", func(l *lane) wide { return pair(l.a.q() >> (l.b.u() & 63)) }},
		{"v_ashr_i64", "qqi", func(l *lane) wide { return pair(uint64(int64(l.a.q()) >> (l.b.u() & 63))) }},
	}
}

// permuted selects the bytes of a:b that c names.
func permuted(a, b, c uint32) (r uint32) {
	both := uint64(a)<<32 | uint64(b)
	for i := range 4 {
		s, x := c>>(8*i)&255, uint64(0)
		switch {
		case s < 8:
			x = both >> (8 * s) & 255
		case s < 12: // the sign of a half
			x = -(both >> (16*(s-8) + 15) & 1) & 255
		case s > 12:
			x = 255
		}
		r |= uint32(x) << (8 * i)
	}
	return r
}

// Parts of MODE.
func (l *lane) rounding(t floatType) uint32 { return l.mode >> (2 * oneIf(t.bits != 32)) & 3 }
func (l *lane) flushIn(t floatType) bool    { return l.mode>>(4+2*oneIf(t.bits != 32))&1 == 0 }
func (l *lane) flushOut(t floatType) bool   { return l.mode>>(5+2*oneIf(t.bits != 32))&1 == 0 }

func oneIf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// operand reads a float operand in the lane's mode; round rounds the result.
func (l *lane) operand(t floatType, w wide) real {
	return t.real(w.q()&(1<<(t.bits-1)<<1-1), l.flushIn(t))
}

func (l *lane) round(t floatType, r real) wide {
	p, odd := t.round(r, l.rounding(t), l.flushOut(t))
	l.undecided = l.undecided || odd
	return pair(p)
}

func fma(t floatType) func(l *lane) wide {
	return func(l *lane) wide {
		p := l.operand(t, l.a).times(l.operand(t, l.b))
		return l.round(t, p.plus(l.operand(t, l.c), l.rounding(t) == toDown))
	}
}

// mad rounds twice and always flushes. legacy: a product with a zero factor is +0.
func mad(t floatType, legacy bool, addend func(l *lane) wide) func(l *lane) wide {
	return func(l *lane) wide {
		read := func(w wide) real { return t.real(w.q()&(1<<(t.bits-1)<<1-1), true) }
		a, b, c := read(l.a), read(l.b), read(addend(l))
		p := a.times(b)
		if legacy && (a.zero() || b.zero()) {
			p = real{x: new(big.Float)}
		}
		mid, odd1 := t.round(p, l.rounding(t), true)
		r, odd2 := t.round(t.real(mid, true).plus(c, l.rounding(t) == toDown), l.rounding(t), true)
		l.undecided = odd1 || odd2
		return pair(r)
	}
}

func thirdOperand(l *lane) wide { return l.c }
func oldResult(l *lane) wide    { return l.d }

// less orders numbers and infinities, with -0 below +0, as option minmax-zero requires.
func less(a, b real) bool {
	rank := func(r real) int {
		switch {
		case r.inf && r.neg:
			return -1
		case r.inf:
			return 1
		}
		return 0
	}
	if rank(a) != rank(b) || a.inf {
		return rank(a) < rank(b)
	}
	if c := a.signed().Cmp(b.signed()); c != 0 {
		return c < 0
	}
	return a.neg && !b.neg
}

// minMax keeps denormals. A number is preferred to a NaN; a signaling NaN gives a quiet one if MODE.IEEE is set.
func minMax(t floatType, l *lane, a, b uint64, max bool) uint64 {
	x, y := t.real(a, false), t.real(b, false)
	quiet := uint64(1) << (t.mant - 1)
	switch ieee := l.mode>>9&1 != 0; {
	case ieee && x.signaling:
		return a | quiet
	case ieee && y.signaling:
		return b | quiet
	case x.nan && y.nan:
		return a
	case x.nan:
		return b
	case y.nan:
		return a
	case less(y, x) != max:
		return b
	}
	return a
}

func pick(t floatType, max bool) func(l *lane) wide {
	return func(l *lane) wide { return pair(minMax(t, l, l.a.q(), l.b.q(), max)) }
}

func pick3(max bool) func(l *lane) wide {
	t := floatTypes["f32"]
	return func(l *lane) wide { return pair(minMax(t, l, minMax(t, l, l.a.q(), l.b.q(), max), l.c.q(), max)) }
}

// med3 returns the median, or min3 if an operand is a NaN.
func med3(l *lane) wide {
	t := floatTypes["f32"]
	for _, w := range []wide{l.a, l.b, l.c} {
		if t.real(w.q(), false).nan {
			return pick3(false)(l)
		}
	}
	a, b, c := l.a.q(), l.b.q(), l.c.q()
	l.undecided = oneIf(a<<33 == 0)+oneIf(b<<33 == 0)+oneIf(c<<33 == 0) > 1 // zeros of both signs
	least, most := minMax(t, l, minMax(t, l, a, b, false), c, false), minMax(t, l, minMax(t, l, a, b, true), c, true)
	for _, x := range []uint64{a, b, c} {
		if n := oneIf(x == least) + oneIf(x == most); n == 0 {
			return pair(x)
		}
	}
	// If two are the same, the result is that one, whether the third is smaller or larger.
	if a == b || a == c {
		return pair(a)
	}
	return pair(b)
}

func ldexp(t floatType) func(l *lane) wide {
	return func(l *lane) wide {
		r := l.operand(t, l.a)
		if r.x != nil && !r.zero() {
			n := clampInt64(int64(int32(l.b.u())), -5000, 5000)
			r.x = new(big.Float).SetMantExp(r.x, int(n))
		}
		return l.round(t, r)
	}
}

func floatFormulas() []formula {
	h, f, g := floatTypes["f16"], floatTypes["f32"], floatTypes["f64"]
	two := func(t floatType, op func(l *lane, a, b real) real) func(l *lane) wide {
		return func(l *lane) wide { return l.round(t, op(l, l.operand(t, l.a), l.operand(t, l.b))) }
	}
	return []formula{
		{"v_fma_f32", "ffff", fma(f)}, {"v_fma_f64", "gggg", fma(g)}, {"v_fma_f16", "hhhh", fma(h)},
		{"v_mad_f32", "ffff", mad(f, false, thirdOperand)}, {"v_mad_f16", "hhhh", mad(h, false, thirdOperand)},
		{"v_mad_legacy_f32", "ffff", mad(f, true, thirdOperand)}, {"v_mac_legacy_f32", "fff", mad(f, true, oldResult)},
		{"v_add_f64", "ggg", two(g, func(l *lane, a, b real) real { return a.plus(b, l.rounding(g) == toDown) })},
		{"v_mul_f64", "ggg", two(g, func(_ *lane, a, b real) real { return a.times(b) })},
		{"v_min_f64", "ggg", pick(g, false)}, {"v_max_f64", "ggg", pick(g, true)},
		{"v_min3_f32", "ffff", pick3(false)}, {"v_max3_f32", "ffff", pick3(true)}, {"v_med3_f32", "ffff", med3},
		{"v_ldexp_f32", "ffi", ldexp(f)}, {"v_ldexp_f64", "ggi", ldexp(g)},
		{"v_cubeid_f32", "ffff", cubePart(0)}, {"v_cubesc_f32", "ffff", cubePart(1)}, {"v_cubetc_f32", "ffff", cubePart(2)}, {"v_cubema_f32", "ffff", cubePart(3)},
		{"v_mullit_f32", "ffff", mullit},
		{"v_cvt_pk_u8_f32", "ifii", func(l *lane) wide { return packedByte(l, l.c.u()) }},
		{"v_cvt_pkaccum_u8_f32", "ifi", func(l *lane) wide { return packedByte(l, l.d.u()) }},
		{"v_cvt_pknorm_i16_f32", "iff", normalised(-1, 32767)}, {"v_cvt_pknorm_u16_f32", "iff", normalised(0, 65535)},
		{"v_cvt_pkrtz_f16_f32", "iff", packedHalves},
	}
}

// cubePart is one of the four cube instructions. docs/reference/gcn.md 7.2.
func cubePart(part int) func(l *lane) wide {
	t := floatTypes["f32"]
	return func(l *lane) wide {
		var v [3]real
		for i, w := range []wide{l.a, l.b, l.c} {
			v[i] = t.real(w.q(), true)
			l.undecided = l.undecided || v[i].nan || w.u()>>23&255 == 0 && w.u()<<9 != 0
		}
		if l.undecided {
			return wide{}
		}
		x, y, z := v[0], v[1], v[2]
		ge := func(a, b real) bool { a.neg, b.neg = false, false; return !less(a, b) }
		below := func(a real) bool { return a.neg && !a.zero() }
		face := func(a real, id float64) real { return realOf(big.NewFloat(id+float64(oneIf(below(a)))), false) }
		flip := func(when bool, a real) real {
			if when {
				return a.negate()
			}
			return a
		}
		out := [4]real{face(x, 0), flip(!below(x), z), y.negate(), x}
		switch {
		case ge(z, x) && ge(z, y):
			out = [4]real{face(z, 4), flip(below(z), x), y.negate(), z}
		case ge(y, x):
			out = [4]real{face(y, 2), x, flip(below(y), z), y}
		}
		if part == 3 {
			out[3] = out[3].times(realOf(big.NewFloat(2), false))
		}
		return l.round(t, out[part])
	}
}

// mullit returns the product with 0 * x = 0, or the most negative number if c, or b, is out of its range.
func mullit(l *lane) wide {
	t := floatTypes["f32"]
	a, b, c := l.operand(t, l.a), l.operand(t, l.b), l.operand(t, l.c)
	if c.nan || c.neg || c.zero() || b.nan || b.inf && b.neg || l.b.u() == 0xff7fffff {
		return word(0xff7fffff)
	}
	if a.zero() || b.zero() {
		return word(0)
	}
	return l.round(t, a.times(b))
}

// packedByte replaces the byte of old that b selects by a, rounded as MODE says to an unsigned byte.
func packedByte(l *lane, old uint32) wide {
	t := floatTypes["f32"]
	a, v := l.operand(t, l.a), uint64(0)
	switch {
	case a.nan || a.neg:
	case a.inf || a.x.Cmp(big.NewFloat(300)) > 0:
		v = 255
	default:
		v = roundedInt(a, l.rounding(t))
	}
	at := 8 * (l.b.u() & 3)
	return word(old&^(255<<at) | uint32(min(v, 255))<<at)
}

// roundedInt rounds a non-negative number to an integer.
func roundedInt(a real, round uint32) uint64 {
	n, _ := a.x.Int(nil)
	rest := new(big.Float).SetPrec(exactBits).Sub(a.x, new(big.Float).SetInt(n))
	half := rest.Cmp(big.NewFloat(0.5))
	if round == toNearest && (half > 0 || half == 0 && n.Bit(0) == 1) || round == toUp && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n.Uint64()
}

// normalised scales to 16-bit integers, to nearest even. Values within 1/128 of a tie are undecided, because the
// rounding of the product itself is undocumented.
func normalised(low, scale float64) func(l *lane) wide {
	t := floatTypes["f32"]
	half := func(l *lane, w wide) uint32 {
		a := l.operand(t, w)
		one := realOf(big.NewFloat(1), false)
		switch {
		case a.nan || a.neg && low == 0:
			return 0
		case a.inf || a.x.Cmp(one.x) > 0:
			a = real{neg: a.neg, x: one.x}
		}
		p := new(big.Float).SetPrec(exactBits).Mul(a.x, big.NewFloat(scale))
		whole, _ := p.Int(nil)
		rest, _ := new(big.Float).SetPrec(exactBits).Sub(p, new(big.Float).SetInt(whole)).Float64()
		l.undecided = l.undecided || abs64(int64(rest*1024)-512) < 8
		n := int64(roundedInt(real{x: p}, toNearest))
		if a.neg {
			n = -n
		}
		return uint32(n) & 0xffff
	}
	return func(l *lane) wide { return word(half(l, l.a) | half(l, l.b)<<16) }
}

// packedHalves packs a and b as f16, rounded toward zero.
func packedHalves(l *lane) wide {
	h, f := floatTypes["f16"], floatTypes["f32"]
	half := func(w wide) uint32 {
		x := l.operand(f, w)
		p, odd := h.round(x, toZero, l.flushOut(h))
		l.undecided = l.undecided || odd || x.nan // which NaN results is undocumented
		return uint32(p)
	}
	return word(half(l.a) | half(l.b)<<16)
}
