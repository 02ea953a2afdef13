package tesla

import (
	"fmt"
	"math/big"
	"math/bits"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// intSources are what nameFrom says of an integer source: bits of the operand, bits that count, and whether it has a
// sign.
var intSources = []struct {
	operand, n int
	signed     bool
}{{16, 16, false}, {32, 32, false}, {16, 8, false}, {32, 8, false}, {16, 16, true}, {32, 32, true}, {16, 8, true}, {32, 8, true}}

// cvtFields are the fields of a conversion: bit 0 neg, 1 abs, 2 sat.
func cvtFields(words int, round int) map[isa.Name]uint64 {
	return map[isa.Name]uint64{nameNeg1: uint64(words & 1), nameAbs1: uint64(words >> 1 & 1), nameSat: uint64(words >> 2), nameRound: uint64(round)}
}

// clamped is v in the range of n bits.
func clamped(v *big.Int, n int, signed bool) *big.Int {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(n))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	switch {
	case v.Cmp(lo) < 0:
		return lo
	case v.Cmp(hi) > 0:
		return hi
	}
	return v
}

// worded is v with the words abs and neg of a conversion.
func worded(v *big.Int, fields map[isa.Name]uint64) *big.Int {
	v = new(big.Int).Set(v)
	if fields[nameAbs1] != 0 {
		v.Abs(v)
	}
	if fields[nameNeg1] != 0 {
		v.Neg(v)
	}
	return v
}

// typesOf is a pair of types, of which field from, as from%2, chooses that of intSources.
func typesOf(from int) []cvtType {
	pair := make([]cvtType, 2)
	for i := range pair {
		s := intSources[from&^1+i]
		pair[i] = cvtType{bits: s.n, signed: s.signed}
	}
	return pair
}

func TestIntegerConversions(t *testing.T) {
	for from, s := range intSources {
		for _, d := range []struct {
			reg, n int
			signed bool
		}{{16, 16, false}, {16, 8, false}, {32, 32, false}, {32, 8, false}, {16, 16, true}, {16, 8, true}, {32, 32, true}, {32, 8, true}} {
			for words := range 4 {
				fields := cvtFields(words, 0)
				fields[nameFrom] = uint64(from) % 2
				c := trial{name: fmt.Sprint("cvt ", from, d), mean: of1(cvtInt(typeOf(d.reg), d.n, d.signed, typesOf(from))), srcs: []ir.Type{typeOf(s.operand)}, dst: typeOf(d.reg), fields: fields}
				c.against(t, 128, func(a []uint64) outcome {
					v := cut(clamped(worded(number(a[0], s.n, s.signed), fields), d.n, d.signed), d.reg)
					return outcome{v, signs(v, d.reg)}
				})
			}
		}
	}
}

// losing is the magnitude that the way to an f16 leaves of an integer of 32 bits; up says that it may be rounded up.
func losing(m uint64, below, up bool) uint64 {
	if up && m>>5&0x1ffffff == 0x1ffffff {
		return 0
	}
	low := (m - flagOf(below)) & 0xffff
	lost := 2 + min(16-bits.Len64(low), 5)
	return m & (1<<(32-lost) - 1)
}

// intAsFloat is an integer by way of an f32.
func intAsFloat(a uint64, from, round, to int, fields map[isa.Name]uint64) outcome {
	s := intSources[from]
	v := number(a, s.n, s.signed)
	below := v.Sign() < 0
	minus := (below && fields[nameAbs1] == 0) != (fields[nameNeg1] != 0)
	m := new(big.Int).Abs(v).Uint64()
	if to == 16 && s.n == 32 {
		m = losing(m, below, round == toNearest || round == toUp && !minus || round == toDown && minus)
	}
	x := real{neg: minus, r: new(big.Rat).SetInt(new(big.Int).SetUint64(m))}
	if minus {
		x.r.Neg(x.r)
	}
	r := bitsOf(32, round, flushed, x)
	if fields[nameSat] != 0 {
		r = saturatedBits(r, f32NaN)
	}
	if to == 32 {
		return result32(r)
	}
	r = bitsOf(16, round, kept, realOf(32, r, false))
	return outcome{r, floatSigns(16, r, true)}
}

func TestIntegersAsFloats(t *testing.T) {
	for from, s := range intSources {
		for words := range 8 {
			for round := range 4 {
				fields := cvtFields(words, round)
				fields[nameFrom] = uint64(from) % 2
				for _, to := range []int{16, 32} {
					typ := map[int]ir.Type{16: ir.F16, 32: ir.F32}[to]
					c := trial{name: "i2f", mean: of1(cvtIntFloat(typ, typesOf(from))), srcs: []ir.Type{typeOf(s.operand)}, dst: typeOf(to), fields: fields}
					c.adjust = func(a []uint64) {
						switch a[0] & 7 { // where the defect begins and ends
						case 1:
							a[0] = a[0]&0x8000001f | 0x3fffffe0 | a[0]>>3&1<<30 - a[0]>>4&1<<5
						case 3:
							a[0] = -((1<<29 | 1<<15) >> (a[0] >> 3 % 5))
						}
						a[0] &= 1<<s.operand - 1
					}
					c.against(t, 128, func(a []uint64) outcome { return intAsFloat(a[0], from, round, to, fields) })
				}
			}
		}
	}
}

// asF32 is a float source of 16 or 32 bits as an f32.
func asF32(n int, a uint64) uint64 {
	if n == 32 {
		return a
	}
	x := realOf(16, a, true)
	if x.nan {
		return f32NaN
	}
	return bitsOf(32, toNearest, kept, x)
}

// roundedInt is x rounded to an integer, as one.
func roundedInt(x real, round int) *big.Int {
	k := onGrid(x.r, 0, round)
	if x.neg {
		k.Neg(k)
	}
	return k
}

// huge stands for an infinity among integers.
func huge(neg bool) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), 100)
	if neg {
		v.Neg(v)
	}
	return v
}

func TestFloatsAsIntegers(t *testing.T) {
	for _, n := range []int{16, 32} {
		for words := range 4 {
			for round := range 4 {
				fields := cvtFields(words, round)
				for _, to := range []int{16, 32} {
					for _, signed := range bools {
						c := trial{name: "f2i", mean: of1(cvtFloatInt(typeOf(to), signed)), srcs: []ir.Type{typeOf(n)}, dst: typeOf(to), fields: fields, adjust: nearIntegers(n)}
						c.against(t, 250, func(a []uint64) outcome {
							x := realOf(32, withSigns(32, asF32(n, a[0]), fields, nameNeg1, nameAbs1), false)
							v := new(big.Int)
							switch {
							case x.inf:
								v = huge(x.neg)
							case !x.nan:
								v = roundedInt(x, round)
							}
							r := cut(clamped(v, to, signed), to)
							return outcome{r, signs(r, to)}
						})
					}
				}
			}
		}
	}
}

// nearIntegers makes floats of n bits that lie about the integers, and about halves, every now and then.
func nearIntegers(n int) func(a []uint64) {
	f := formats[n]
	return func(a []uint64) {
		if a[0]&3 != 0 {
			return
		}
		e := a[0] >> 5 % 70 % uint64(1-f.emin)
		half := uint64(0)
		if int(e) <= f.m {
			half = uint64(1) << (uint64(f.m) - e) >> 1
		}
		frac := a[0] * 0x9e3779b97f4a7c15 >> (64 - f.m)
		frac = frac&^(half<<1-1) + half + a[0]>>2&3 - 1
		a[0] = (a[0]>>12&1<<(n-1-f.m)|uint64(1-f.emin)+e)<<f.m | frac&(1<<f.m-1)
	}
}

// floatAsFloat is a conversion of floats of up to 32 bits.
func floatAsFloat(n, to int, a uint64, integral bool, nan uint64, fields map[isa.Name]uint64) outcome {
	round := int(fields[nameRound])
	x := realOf(32, withSigns(32, asF32(n, a), fields, nameNeg1, nameAbs1), false)
	v := uint64(f32NaN)
	if !x.nan {
		v = bitsOf(32, toNearest, flushed, x)
	}
	if fields[nameSat] != 0 {
		v = saturatedBits(v, nan)
	}
	x = realOf(32, v, false)
	if integral && !x.nan && !x.inf {
		x.r = new(big.Rat).SetInt(roundedInt(x, round))
		v = bitsOf(32, toNearest, kept, x)
	}
	if to == 32 {
		return result32(v)
	}
	least := scaled(big.NewRat(1, 1), -33)
	switch {
	case x.nan:
		v = 0x7fff
	case !x.inf && new(big.Rat).Abs(x.r).Cmp(least) < 0:
		v = flagOf(x.neg) << 15
	case integral && !x.inf && new(big.Rat).Abs(x.r).Cmp(big.NewRat(65536, 1)) < 0:
		v = bitsOf(16, toZero, kept, x)
	default:
		v = bitsOf(16, round, kept, x)
	}
	return outcome{v, floatSigns(16, v, true)}
}

func TestFloatConversions(t *testing.T) {
	for _, n := range []int{16, 32} {
		for words := range 8 {
			for round := range 4 {
				m := modesOfSaturation[(words+round)%len(modesOfSaturation)]
				given := m.given
				if m.new == 0 {
					given = 0
				}
				fields := cvtFields(words, round)
				for _, to := range []int{16, 32} {
					for _, integral := range bools {
						typ := map[int]ir.Type{16: ir.F16, 32: ir.F32}[to]
						c := trial{name: "f2f", mean: of1(cvtFloat(typ, integral)), srcs: []ir.Type{typeOf(n)}, dst: typeOf(to), fields: fields,
							variant: m.variant, options: map[string]string{"sat-nan": m.option}}
						near := nearIntegers(n)
						c.adjust = func(a []uint64) {
							if near(a); n == 32 && a[0]&7 == 5 { // about the range of f16
								a[0] = a[0]&0x80ffffff | (0x2e+a[0]>>20%0x1c)<<24
							}
						}
						c.against(t, 250, func(a []uint64) outcome { return floatAsFloat(n, to, a[0], integral, given, fields) })
					}
				}
			}
		}
	}
}
