package num

import "math/bits"

// A QuadTable is a piecewise quadratic function, as in special function units: the highest bits of x
// select a piece, the lower ones are the distance d from its start, and the value is
//
//	(c0<<C0 + c1*d + c2*(square(d<<Square)<<C2) + Bias) >> Right
//
// where square is the truncated square of 17 bits that the unit computes.
type QuadTable struct {
	Low    uint // bits of d
	C0     uint
	Square uint
	C2     uint
	Bias   int64
	Right  uint
	Coef   [][3]int32 // c0, c1, c2 of each piece
}

// At returns the value at x; bits above those of the piece number are ignored. The number of pieces is a power
// of two.
func (t *QuadTable) At(x uint64) int64 {
	c := &t.Coef[x>>(t.Low&63)&uint64(len(t.Coef)-1)]
	d := x & (1<<(t.Low&63) - 1)
	square := int64(square17(d<<(t.Square&63)) << (t.C2 & 63))
	return (int64(c[0])<<(t.C0&63) + int64(c[1])*int64(d) + int64(c[2])*square + t.Bias) >> (t.Right & 63)
}

// square17 is about x*x >> 19 for an x of 17 bits: the partial product of bit i is truncated to x >> (18-i) before
// the products are added. The truncated parts are the products of bits i and j with i+j below 18: all of the low 9
// bits with one another, and of bit 9+h with low bits up to 8-h, either way round. The latter are added four at a
// time, in 16 bits each.
func square17(x uint64) uint64 {
	x &= 1<<17 - 1
	low, high := x&(1<<9-1), x>>9
	cut := low * 0x0008_0004_0002_0001 & lowBits[high&15]
	cut += low * 0x0080_0040_0020_0010 & lowBits[high>>4]
	cut = cut * 0x0001_0001_0001_0001 >> 48
	return (x*x - low*low - cut<<10) >> 19
}

// lowBits has nine bits in each 16-bit field whose bit, of four, is set in the index.
var lowBits = [16]uint64{
	0, 0x1ff, 0x1ff_0000, 0x1ff_01ff, 0x1ff_0000_0000, 0x1ff_0000_01ff, 0x1ff_01ff_0000, 0x1ff_01ff_01ff,
	0x1ff_0000_0000_0000, 0x1ff_0000_0000_01ff, 0x1ff_0000_01ff_0000, 0x1ff_0000_01ff_01ff,
	0x1ff_01ff_0000_0000, 0x1ff_01ff_0000_01ff, 0x1ff_01ff_01ff_0000, 0x1ff_01ff_01ff_01ff,
}

// An SFU is a function of a special function unit whose tables are published, so that its results are exact.
type SFU uint8

// Those of Tesla. docs/reference/tesla.md 7. Denormal operands are flushed to zero, and so are results.
const (
	TeslaRcp    SFU = iota // 1/x
	TeslaRsqrt             // 1/sqrt(x)
	TeslaLg2               // log2(x)
	TeslaEx2               // 2^x, with the result of TeslaPreEx2 as operand
	TeslaSin               // the sine, with the result of TeslaPreSin as operand
	TeslaCos               // the cosine, likewise
	TeslaPreSin            // x in quarter turns, as a sign-magnitude fixed-point number: 2.23 bits
	TeslaPreEx2            // x as a sign-magnitude fixed-point number: 7.23 bits
	NumSFU
)

var sfus = [NumSFU]struct {
	name string
	f    func(a uint32) uint32
	doc  string
}{
	TeslaRcp:    {"tesla-rcp", teslaRcp, "1/a."},
	TeslaRsqrt:  {"tesla-rsqrt", teslaRsqrt, "1/sqrt(a)."},
	TeslaLg2:    {"tesla-lg2", teslaLg2, "Logarithm to base 2."},
	TeslaEx2:    {"tesla-ex2", teslaEx2, "2^x of what tesla-preex2 gives of x."},
	TeslaSin:    {"tesla-sin", func(a uint32) uint32 { return teslaSine(a>>31, a, 0) }, "Sine of x, of what tesla-presin gives of x."},
	TeslaCos:    {"tesla-cos", func(a uint32) uint32 { return teslaSine(0, a, 1) }, "Cosine of x, of what tesla-presin gives of x."},
	TeslaPreSin: {"tesla-presin", teslaPreSin, "a in quarter turns, as a fixed-point number with its sign: 2.23 bits."},
	TeslaPreEx2: {"tesla-preex2", teslaPreEx2, "a as a fixed-point number with its sign: 7.23 bits."},
}

// String returns the name in the IR's text form.
func (f SFU) String() string {
	if f >= NumSFU {
		return "sfu?"
	}
	return sfus[f].name
}

// Doc returns a sentence that says what the function computes.
func (f SFU) Doc() string {
	if f >= NumSFU {
		return ""
	}
	return sfus[f].doc
}

// SFUOf returns the function of that name, and whether there is one.
func SFUOf(name string) (SFU, bool) {
	for f := range NumSFU {
		if sfus[f].name == name {
			return f, true
		}
	}
	return 0, false
}

// Table returns the table of the function; nil if there is none.
func (f SFU) Table() *QuadTable {
	switch f {
	case TeslaRcp:
		return &quadRcp
	case TeslaRsqrt:
		return &quadRsqrt
	case TeslaLg2:
		return &quadLg2
	case TeslaEx2:
		return &quadEx2
	case TeslaSin, TeslaCos:
		return &quadSin
	}
	return nil
}

// Of evaluates the function at the bits a; 0 for an invalid function.
func (f SFU) Of(a uint32) uint32 { return f.Function()(a) }

// Function is Of for many calls.
func (f SFU) Function() func(a uint32) uint32 {
	if f >= NumSFU {
		return func(uint32) uint32 { return 0 }
	}
	return sfus[f].f
}

// The tables and how they are read.
var (
	quadRcp   = QuadTable{Low: 16, C0: 13, Square: 1, Bias: 0x47e7, Right: 15, Coef: teslaRcpCoef[:]}
	quadRsqrt = QuadTable{Low: 17, C0: 14, C2: 2, Bias: 0x7fff, Right: 16, Coef: teslaRsqrtCoef[:]}
	quadLg2   = QuadTable{Low: 17, C0: 12, C2: 1, Bias: 0x3345, Right: 2, Coef: teslaLg2Coef[:]}
	quadEx2   = QuadTable{Low: 17, C0: 13, Bias: 0x77e2, Right: 15, Coef: teslaEx2Coef[:]}
	quadSin   = QuadTable{Low: 17, C0: 11, Coef: teslaSinCoef[:]}
)

const (
	sfuNaN    = 0x7fffffff
	sfuInf    = 0x7f800000
	sfuOne    = 1 << 23     // the top bit of a significand
	fixedNaN  = 0x4000_0000 // of the fixed-point formats
	fixedHuge = 0x4080_0000
)

// A sfuFloat is a float split into its fields; a denormal is a zero.
type sfuFloat struct {
	sign           uint32 // in place
	exp            int    // without bias
	man            uint64 // below the top bit
	zero, inf, nan bool
}

func sfuSplit(a uint32) sfuFloat {
	e, m := a>>23&0xff, a&(sfuOne-1)
	return sfuFloat{sign: a & (1 << 31), exp: int(e) - 127, man: uint64(m), zero: e == 0, inf: e == 255 && m == 0, nan: e == 255 && m != 0}
}

// sfuJoin makes a float of the significand man, of 24 bits or 1<<24, and the exponent; flushed to zero, or
// infinite.
func sfuJoin(sign uint32, exp int, man int64) uint32 {
	x := int64(exp+127)<<23 + man - sfuOne
	switch {
	case x < sfuOne:
		x = 0
	case x > sfuInf:
		x = sfuInf
	}
	return sign | uint32(x)
}

// sfuCut truncates the fixed-point number r with that many fraction bits to a float.
func sfuCut(sign uint32, r uint64, fraction int) uint32 {
	if r == 0 {
		return sign
	}
	top := bits.Len64(r) - 1
	return sfuJoin(sign, top-fraction, int64(r<<(63-top)>>40))
}

func teslaRcp(a uint32) uint32 {
	if e := a >> 23 & 0xff; e-1 < 254 {
		return sfuJoin(a&(1<<31), 126-int(e), quadRcp.At(uint64(a&(sfuOne-1))))
	}
	switch x := sfuSplit(a); {
	case x.nan:
		return sfuNaN
	case x.inf:
		return x.sign
	}
	return a&(1<<31) | sfuInf
}

func teslaRsqrt(a uint32) uint32 {
	if a-sfuOne < sfuInf-sfuOne { // above 0
		exp := int(a>>23) - 127
		g := a&(sfuOne-1) | uint32(exp&1)<<23
		if g == 0 {
			return sfuJoin(0, -exp/2, sfuOne)
		}
		return sfuJoin(0, -1-exp>>1, quadRsqrt.At(uint64(g)))
	}
	switch x := sfuSplit(a); {
	case x.zero:
		return x.sign | sfuInf
	case x.nan || x.sign != 0:
		return sfuNaN
	}
	return 0
}

func teslaLg2(a uint32) uint32 {
	if a-sfuOne < sfuInf-sfuOne && a != 127<<23 { // above 0, not 1
		r := int64(int(a>>23)-127)<<36 + quadLg2.At(uint64(a&(sfuOne-1)))
		below := r >> 63
		return sfuCut(uint32(below)&(1<<31), uint64(r^below), 36)
	}
	switch x := sfuSplit(a); {
	case x.zero:
		return 1<<31 | sfuInf
	case x.nan || x.sign != 0:
		return sfuNaN
	case x.inf:
		return sfuInf
	}
	return 0
}

// sfuFixed is x as a fixed-point number with 23 fraction bits, truncated.
func sfuFixed(significand uint64, exp int) uint64 {
	if exp < 0 {
		return significand >> min(-exp, 63)
	}
	return significand << exp
}

// sfuSpecial returns the result for an x that does not fit a fixed-point format, and whether x is such.
func sfuSpecial(x sfuFloat, huge bool) (uint32, bool) {
	switch {
	case x.nan:
		return x.sign | fixedNaN, true
	case huge:
		return x.sign | fixedHuge, true
	}
	return x.sign, x.zero
}

// teslaPreSin: 0xa2f983 is 2/pi with 24 fraction bits. Whole turns are lost.
func teslaPreSin(a uint32) uint32 {
	x := sfuSplit(a)
	if r, ok := sfuSpecial(x, x.inf); ok {
		return r
	}
	turns := (x.man | sfuOne) * 0xa2f983 >> 16
	if x.exp > 8+63 {
		return x.sign
	}
	return x.sign | uint32(sfuFixed(turns, x.exp-8)&(1<<25-1))
}

func teslaPreEx2(a uint32) uint32 {
	if e := a >> 23 & 0xff; e-1 < 127+7-1 { // below 2^7
		return a&(1<<31) | uint32(uint64(a&(sfuOne-1)|sfuOne)<<7>>min(127+7-e, 63))
	}
	x := sfuSplit(a)
	if r, ok := sfuSpecial(x, x.exp >= 7); ok {
		return r
	}
	return x.sign | uint32(sfuFixed(x.man|sfuOne, x.exp))
}

func teslaEx2(a uint32) uint32 {
	negative := a>>31 != 0
	if a&fixedNaN != 0 {
		switch {
		case a&sfuOne == 0:
			return sfuNaN
		case negative:
			return 0
		}
		return sfuInf
	}
	i, f := int(a>>23&0x7f), uint64(a&(sfuOne-1))
	if negative {
		i = -i
		if f != 0 {
			i, f = i-1, ^f&(sfuOne-1)
		}
	}
	return sfuJoin(0, i, quadEx2.At(f))
}

// teslaSine: bits 23 and 24 are the quadrant, to which the cosine adds one.
func teslaSine(sign, a, add uint32) uint32 {
	if a&fixedNaN != 0 {
		return sfuNaN
	}
	quadrant, f := (a>>23+add)&3, uint64(a&(sfuOne-1))
	if quadrant&1 != 0 {
		f = ^f & (sfuOne - 1)
	}
	return sfuCut((sign^quadrant>>1)<<31, uint64(quadSin.At(f)), 37)
}
