package tesla

import (
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

const (
	f64NaN   = 0xfff8000000000000 // of an invalid operation
	f64Quiet = 1 << 51
)

var (
	two64   = []ir.Type{ir.I64, ir.I64}
	three64 = []ir.Type{ir.I64, ir.I64, ir.I64}
)

func isNaN64(a uint64) bool { return a<<1 > 0x7ff<<53 }

// firstNaN is the first NaN, quiet.
func firstNaN(as ...uint64) (nan uint64, some bool) {
	for _, a := range as {
		if isNaN64(a) {
			return a | f64Quiet, true
		}
	}
	return 0, false
}

// signs64 applies the signs to numbers other than NaN.
func signs64(a uint64, fields map[isa.Name]uint64, neg, abs isa.Name) uint64 {
	if isNaN64(a) {
		return a
	}
	return withSigns(64, a, fields, neg, abs)
}

func result64(v uint64) outcome { return outcome{v, floatSigns(64, v, true)} }

// fused returns a*b+c, where a NaN of b has precedence over one of c, and that over one of a.
func fused(a, b, c uint64, round int) uint64 {
	if nan, some := firstNaN(b, c, a); some {
		return nan
	}
	p, invalid := productOf(realOf(64, a, true), realOf(64, b, true))
	if invalid {
		return f64NaN
	}
	s, invalid := sumOf(p, realOf(64, c, true), round == toDown)
	if invalid {
		return f64NaN
	}
	return bitsOf(64, round, kept, s)
}

// spread makes exponents small, so that terms overlap, and sometimes sums cancel.
func spread(a []uint64) {
	for i := range a {
		if a[i]&3 != 0 && !isNaN64(a[i]) {
			a[i] = a[i]&0x800fffffffffffff | (1023+a[i]>>3%31-15)<<52
		}
	}
	if a[0]&15 == 1 {
		a[len(a)-1] = a[0] ^ 1<<63
		a[len(a)-2] = 0x3ff<<52 | a[0]>>4&1
	}
}

func TestDoubleArithmetic(t *testing.T) {
	for words := range uint64(4) {
		for round := range 4 {
			fields := map[isa.Name]uint64{nameNeg1: words & 1, nameNeg2: words >> 1, nameNeg3: words >> 1, nameRound: uint64(round)}
			c := trial{name: "fma", mean: of3(dfma), srcs: three64, dst: ir.I64, fields: fields, variant: G200, adjust: spread}
			c.against(t, 600, func(a []uint64) outcome {
				return result64(fused(signs64(a[0], fields, nameNeg1, nameAbs1), a[1], signs64(a[2], fields, nameNeg3, nameAbs2), round))
			})
			c = trial{name: "add", mean: of2(dadd), srcs: two64, dst: ir.I64, fields: fields, variant: G200, adjust: func(a []uint64) {
				if a[0]&7 == 0 {
					a[1] = a[0] ^ 1<<63
				}
			}}
			c.against(t, 600, func(a []uint64) outcome {
				x, y := signs64(a[0], fields, nameNeg1, nameAbs1), signs64(a[1], fields, nameNeg2, nameAbs2)
				if nan, some := firstNaN(y, x); some {
					return result64(nan)
				}
				s, invalid := sumOf(realOf(64, x, true), realOf(64, y, true), round == toDown)
				if invalid {
					return result64(f64NaN)
				}
				return result64(bitsOf(64, round, kept, s))
			})
			c = trial{name: "mul", mean: of2(dmul), srcs: two64, dst: ir.I64, fields: fields, variant: G200}
			c.against(t, 600, func(a []uint64) outcome {
				zero := uint64(1 << 63)
				if round == toDown {
					zero = 0
				}
				return result64(fused(signs64(a[0], fields, nameNeg1, nameAbs1), a[1], zero, round))
			})
		}
	}
}

func TestDoubleComparisons(t *testing.T) {
	for bits := range uint64(16) {
		fields := map[isa.Name]uint64{nameNeg1: bits & 1, nameNeg2: bits >> 1 & 1, nameAbs1: bits >> 2 & 1, nameAbs2: bits >> 3, nameCond: bits}
		for i, mean := range []mean2{dmin, dmax} {
			c := trial{name: "min, max", mean: of2(mean), srcs: two64, dst: ir.I64, fields: fields, variant: G200}
			c.adjust = func(a []uint64) {
				if sometimesEqual(a); a[0]&7 == 2 { // NaNs, of which the second signals
					a[0], a[1] = a[0]|0x7ff<<52, a[1]&^f64Quiet|0x7ff<<52|1
				}
			}
			c.against(t, 500, func(a []uint64) outcome {
				x, y := signs64(a[0], fields, nameNeg1, nameAbs1), signs64(a[1], fields, nameNeg2, nameAbs2)
				return result64(chosen(64, x, y, i == 0, true, a[1]|f64Quiet))
			})
		}
		c := trial{name: "set", mean: of2(dset), srcs: two64, dst: ir.I32, fields: fields, variant: G200, adjust: sometimesEqual}
		c.against(t, 500, func(a []uint64) outcome {
			x, y := withSigns(64, a[0], fields, nameNeg1, nameAbs1), withSigns(64, a[1], fields, nameNeg2, nameAbs2)
			return compares(bits, realOf(64, x, true), realOf(64, y, true))
		})
	}
}

// cvtPairs are widths of sources and results of which one at least is 64.
var cvtPairs = [][2]int{{32, 64}, {64, 32}, {64, 64}}

var floatTypes = map[int]ir.Type{32: ir.F32, 64: ir.F64}

func TestDoubleConversions(t *testing.T) {
	for _, w := range cvtPairs {
		n, to := w[0], w[1]
		for words := range 4 {
			for round := range 4 {
				for _, integral := range bools {
					if integral && n != to {
						continue // no instruction has both
					}
					fields := cvtFields(words, round)
					c := trial{name: "f2f", mean: of1(cvtFloatWide(floatTypes[to], integral)), srcs: []ir.Type{typeOf(n)}, dst: typeOf(to), fields: fields, variant: G200}
					near := nearIntegers(n)
					c.adjust = func(a []uint64) {
						if near(a); to == 32 && a[0]&7 == 5 { // about the range of f32
							a[0] = a[0]&0x800fffffffffffff | (0x360+a[0]>>20%0x130)<<52
						}
					}
					c.against(t, 400, func(a []uint64) outcome { return wideFloat(n, to, a[0], integral, fields) })
				}
			}
		}
	}
}

// wideFloat is a conversion of floats that keeps denormals and the payload of a NaN.
func wideFloat(n, to int, a uint64, integral bool, fields map[isa.Name]uint64) outcome {
	x := realOf(n, a, true)
	f, g := formats[n], formats[to]
	if x.nan {
		payload := a & (1<<f.m - 1) << (52 - f.m) >> (52 - g.m)
		v := flagOf(x.neg)<<(to-1) | uint64(3-2*g.emin)<<g.m | payload | 1<<(g.m-1)
		return outcome{v, ccZ | ccS}
	}
	if fields[nameAbs1] != 0 && x.neg {
		x = x.minus()
	}
	if fields[nameNeg1] != 0 {
		x = x.minus()
	}
	round := int(fields[nameRound])
	if integral && !x.inf {
		x.r = new(big.Rat).SetInt(roundedInt(x, round))
	}
	v := bitsOf(to, round, kept, x)
	return outcome{v, floatSigns(to, v, true)}
}

func TestWideFloatsAsIntegers(t *testing.T) {
	for _, w := range cvtPairs {
		n, to := w[0], w[1]
		for words := range 4 {
			for round := range 4 {
				for _, signed := range bools {
					fields := cvtFields(words, round)
					c := trial{name: "f2i", mean: of1(cvtFloatIntWide(typeOf(to), signed)), srcs: []ir.Type{typeOf(n)}, dst: typeOf(to), fields: fields, variant: G200}
					near := nearIntegers(n)
					c.adjust = func(a []uint64) {
						if near(a); n == 64 && a[0]&31 == 5 {
							a[0] = 0x41efffffffe00000 | a[0]>>5&1<<63 | a[0]>>7&3 // 2^32-1
						}
					}
					c.against(t, 400, func(a []uint64) outcome { return wideInteger(n, to, a[0], signed, fields) })
				}
			}
		}
	}
}

// wideInteger is a conversion to an integer that reports clamping. Two properties of the model look like slips: a
// magnitude of 2^32-1 counts as clamped, and one beyond 64 bits without a sign does not.
func wideInteger(n, to int, a uint64, signed bool, fields map[isa.Name]uint64) outcome {
	x := realOf(n, withSigns(n, a, fields, nameNeg1, nameAbs1), true)
	if x.nan {
		v := uint64(1) << (to - 1)
		return outcome{v, signs(v, to) | ccO}
	}
	v := huge(x.neg)
	if !x.inf {
		v = roundedInt(x, int(fields[nameRound]))
	}
	fits := clamped(v, to, signed)
	r := cut(fits, to)
	cc := signs(r, to)
	beyond := to == 64 && !signed && v.Sign() > 0
	if fits.Cmp(v) != 0 && !beyond || new(big.Int).Abs(v).Cmp(big.NewInt(0xffffffff)) == 0 {
		cc |= ccO
	}
	return outcome{r, cc}
}

func TestIntegersAsWideFloats(t *testing.T) {
	for _, w := range cvtPairs {
		n, to := w[0], w[1]
		for words := range 8 {
			for round := range 4 {
				for _, signed := range bools {
					fields := cvtFields(words, round)
					c := trial{name: "i2f", mean: of1(cvtIntFloatWide(floatTypes[to], signed)), srcs: []ir.Type{typeOf(n)}, dst: typeOf(to), fields: fields, variant: G200}
					c.against(t, 300, func(a []uint64) outcome {
						v := number(a[0], n, signed)
						minus := (v.Sign() < 0 && fields[nameAbs1] == 0) != (fields[nameNeg1] != 0)
						x := real{r: new(big.Rat).SetInt(v.Abs(v))}
						if minus && signed {
							x = x.minus()
						}
						r := bitsOf(to, round, kept, x)
						if minus && !signed { // the sign comes when it is rounded
							r |= 1 << (to - 1)
						}
						return outcome{r, floatSigns(to, r, true)}
					})
				}
			}
		}
	}
}
