package draw

import (
	"math"
	"unsafe"
)

// Operations on rows of lanes, in Go. With assembly, clampRow processes four lanes at a time, byteRow and scaleRow
// eight on processors with hasVectors, byteWide and scaleWide sixteen on those with hasWide. Rows are at least as
// long as the first, a multiple of 4.

// Bits copies numbers, as bits, as far as they fit.
func Bits(to []uint32, from []float32) {
	copy(to, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(from))), len(from)))
}

// plainLinear interpolates linearly in the window: a + e1*(b/area) + e2*(c/area).
func plainLinear(to, e1, e2 []float32, area, a, b, c float32) {
	b, c = b/area, c/area
	for i := range to {
		to[i] = a + float32(e1[i]*b) + float32(e2[i]*c)
	}
}

// plainShare computes the perspective weights of the second and third corner, from 1/w at the corners.
func plainShare(p, q, e0, e1, e2 []float32, area, w0, w1, w2 float32) {
	w0, w1, w2 = w0/area, w1/area, w2/area
	for i := range p {
		b0, b1, b2 := float32(e0[i]*w0), float32(e1[i]*w1), float32(e2[i]*w2)
		sum := b0 + b1 + b2
		p[i], q[i] = b1/sum, b2/sum
	}
}

// plainMix is a + p*b + q*c, as bits.
func plainMix(to []uint32, p, q []float32, a, b, c float32) {
	for i := range to {
		to[i] = math.Float32bits(a + float32(p[i]*b) + float32(q[i]*c))
	}
}

// plainBytes converts the bits of float32 to pixels of four channels, red in the lowest byte.
func plainBytes(to []uint32, channels *[4][]uint32, truncate bool) {
	for i := range to {
		to[i] = 0
		for k := range channels {
			to[i] |= uint32(toByte(math.Float32frombits(channels[k][i]), truncate)) << (8 * k)
		}
	}
}

// plainClamp clamps numbers to low to high.
func plainClamp(to []float32, low, high float32) {
	for i, x := range to {
		to[i] = max(low, min(x, high))
	}
}

// plainScale multiplies values, as bits, by factors, except by factors of 0.
func plainScale(to, from []uint32, factors []float32) {
	for i, f := range factors[:len(to)] {
		if to[i] = from[i]; f != 0 {
			to[i] = math.Float32bits(math.Float32frombits(from[i]) * f)
		}
	}
}
