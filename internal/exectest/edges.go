package exectest

import (
	"math"
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/ir"
)

// edgeInts are edge cases for integers of n bits, before they are truncated to n.
func edgeInts(n int) []uint64 {
	top := uint64(1) << (n - 1)
	return []uint64{0, 1, 2, ^uint64(0), top, top - 1, top + 1, uint64(n), uint64(n) - 1, uint64(n) + 1, 0x5555555555555555, 0x8000000080008080}
}

// edgeFloats are edge cases for floats with that many exponent and mantissa bits: zeros, denormals, one and its
// neighbours, the largest, infinity, quiet and signalling NaN; then negative.
func edgeFloats(exp, man int) []uint64 {
	one := (uint64(1)<<(exp-1) - 1) << man
	inf := (uint64(1)<<exp - 1) << man
	es := []uint64{0, 1, 1<<man - 1, 1 << man, one, one - 1, one + 1, one + 1<<(man-1), inf - 1, inf, inf | 1<<(man-1), inf | 1}
	for _, e := range es[:12:12] {
		es = append(es, e|1<<(exp+man))
	}
	return es
}

var floatEdges = map[ir.Type][]uint64{
	ir.F16: edgeFloats(5, 10), ir.F32: edgeFloats(8, 23), ir.F64: edgeFloats(11, 52),
}

// operand is the bits of an operand of type t: number i of a walk through the crossed edge values, every third time
// a random value. Operands of one op walk at different speeds.
func operand(rnd *rand.Rand, t ir.Type, i, arg int) uint64 {
	n := t.Bits()
	if e := t.Elem(); e != t {
		x := uint64(0)
		for at := 0; at < n; at += e.Bits() {
			x |= operand(rnd, e, i+at, arg) << at
		}
		return x
	}
	edges := floatEdges[t]
	if edges == nil {
		edges = edgeInts(n)
	}
	x := edges[i/pow(len(edges), arg)%len(edges)]
	switch rnd.IntN(6) {
	case 0:
		x = rnd.Uint64()
	case 1: // near a small number, like exponents and counts
		x = uint64(rnd.IntN(2*n+1)) - uint64(n/2)
		if t.IsFloat() {
			x = nearOne(rnd, t)
		}
	case 2:
		x = edges[rnd.IntN(len(edges))]
	}
	if n < 64 {
		x &= 1<<n - 1
	}
	return x
}

func pow(a, n int) int {
	p := 1
	for range n {
		p *= a
	}
	return p
}

// nearOne is a float of moderate size, whose sums and products do not overflow.
func nearOne(rnd *rand.Rand, t ir.Type) uint64 {
	f := rnd.NormFloat64() * 8
	switch t {
	case ir.F32:
		return uint64(math.Float32bits(float32(f)))
	case ir.F16:
		return uint64(math.Float32bits(float32(f))>>13&0x3ff | 15<<10 | uint32(rnd.IntN(2))<<15)
	}
	return math.Float64bits(f)
}
