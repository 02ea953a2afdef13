package vectors

import (
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
)

// A shape is the format in which an operand's register is read: a width in bits, and a kind.
type shape struct {
	bits int
	kind meaning.Kind
}

// An edgeBook caches the edge values of shapes.
type edgeBook map[shape][]uint64

// of returns the edge values of a shape, most interesting first; docs/vectors.md lists them.
func (b edgeBook) of(s shape) []uint64 {
	list, ok := b[s]
	if ok {
		return list
	}
	switch {
	case s.kind == meaning.Float && s.bits == 16:
		list = edges16()
	case s.kind == meaning.Float && s.bits == 32:
		list = edges32()
	case s.kind == meaning.Float && s.bits == 64:
		list = edges64()
	default:
		list = edgesInt(s.bits)
	}
	b[s] = list
	return list
}

// edges16 returns edge values of f16: zeros, ones, infinities, quiet and signalling NaNs with payloads, the ends of the
// denormal and normal ranges, ties of rounding to an integer, the ends of integer ranges.
func edges16() []uint64 {
	return []uint64{
		0x0000, 0x3c00, 0x8000, 0xbc00, 0x7e00, 0x7c00, 0xfc00, 0x7c01, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff, 0xfbff,
		0x7e2a, 0xfe00, 0xfd55, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x3bff, 0x3c01, 0x37ff, 0x6400, 0x63ff, 0x6bff, 0x6c00, 0x77ff,
		0x7800, 0x0200, 0x4248, 0x3555, 0x2e66, 0x1400, 0x5640, 0xd640,
	}
}

// edges32 returns the same for f32, with the ends of the ranges that convert to f16 and to integers, and ties.
func edges32() []uint64 {
	return []uint64{
		0x00000000, 0x3f800000, 0x80000000, 0xbf800000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7f800001, 0x00000001, 0x80000001,
		0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7fc12345, 0xffc00000, 0xffa5a5a5, 0x3f000000,
		0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3f7fffff, 0x3f800001, 0x3effffff, 0x4b000000, 0x4affffff, 0x4b7fffff,
		0x4b800000, 0x4f000000, 0x4effffff, 0xcf000000, 0xcf000001, 0x4f800000, 0x4f7fffff, 0x477fe000, 0x477ff000, 0x477fefff,
		0x38800000, 0x387fffff, 0x33800000, 0x33000000, 0x33000001, 0x3f801000, 0x3f803000, 0x40490fdb, 0x3ea2f983, 0x43800000,
		0xc2fc0000, 0xc3160000, 0x42ff0000, 0x00400000, 0x5f000000, 0xdf000000,
	}
}

// edges64 returns the same for f64, with the ends of the range that converts to f32.
func edges64() []uint64 {
	return []uint64{
		0x0000000000000000, 0x3ff0000000000000, 0x8000000000000000, 0xbff0000000000000, 0x7ff8000000000000, 0x7ff0000000000000,
		0xfff0000000000000, 0x7ff0000000000001, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
		0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff8123456789abc, 0xfff8000000000000,
		0xfff4a5a5a5a5a5a5, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
		0x3fefffffffffffff, 0x3ff0000000000001, 0x3fdfffffffffffff, 0x4330000000000000, 0x432fffffffffffff, 0x433fffffffffffff,
		0x41dfffffffc00000, 0xc1e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000, 0x47efffffe0000000,
		0x47effffff0000000, 0x47efffffefffffff, 0x3810000000000000, 0x380fffffe0000000, 0x36a0000000000000, 0x3690000000000000,
		0x3690000000000001, 0x3ff0000010000000, 0x3ff0000030000000, 0x400921fb54442d18, 0x0008000000000000,
	}
}

// edgesInt returns integers: small ones, the ends of the signed and unsigned ranges of 8, 16, 24, 32 and 64 bits, shift
// amounts up to and beyond the width, patterns.
func edgesInt(bits int) (list []uint64) {
	all := []uint64{
		0, 1, ^uint64(0), 1<<(bits-1) - 1, 1 << (bits - 1), 1<<(bits-1) + 1, 2, 31, 32, 33, 15, 16, 17, 63, 64, 65, 7, 8, 9, 5, 24, 127, 128, 255,
		256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0xaaaaaaaaaaaaaaaa, 0x5555555555555555, 0x00ff00ff00ff00ff, 0xff80ff80ff80ff80, 0x123456789abcdef0, ^uint64(1), ^uint64(31), ^uint64(127),
	}
	seen := map[uint64]bool{}
	for _, v := range all {
		if v &= ones(bits); !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

func ones(n int) uint64 { return ^uint64(0) >> (64 - max(1, min(n, 64))) }

// random returns a random value of a shape. Half of the floats have an exponent near that of 1, so that sums and
// products are seldom trivial; the others are random bits. Integers have a random number of leading zeros or ones.
func (r *source) random(s shape) uint64 {
	v := r.next()
	if s.kind != meaning.Float {
		v >>= r.below(s.bits)
		if r.one(3) {
			v = ^v
		}
		return v & ones(s.bits)
	}
	exponent, fraction := floatParts(s.bits)
	if exponent == 0 || r.one(2) {
		return v & ones(s.bits)
	}
	e := ones(exponent-1) + uint64(r.below(17)) - 8
	return v&(ones(1)<<(s.bits-1)|ones(fraction)) | e<<fraction
}

// floatParts returns the widths of exponent and fraction of a float.
func floatParts(bits int) (exponent, fraction int) {
	switch bits {
	case 16:
		return 5, 10
	case 32:
		return 8, 23
	case 64:
		return 11, 52
	}
	return 0, 0
}

// value returns the value of operand number k of a test, in a lane: slot numbers lanes through the tests of a row. With
// edges it is an edge value of the list, and slots go through all pairs of edge values of two operands; otherwise one
// in four is an edge value.
func (r *source) value(s shape, list []uint64, k, slot int, edges bool) uint64 {
	n := len(list)
	switch {
	case edges && k == 0:
		return list[slot%n]
	case edges:
		return list[(slot%n*(2*k+3)+slot/n+7*k)%n]
	case r.one(4):
		return pick(r, list)
	}
	return r.random(s)
}

// shapesOf returns the numbers in a word as the program reads it; bits that f does not name are read as an integer.
func shapesOf(f meaning.Format, width int) (at []int, shapes []shape) {
	for _, x := range f {
		if x.At >= 0 && x.At+x.Bits <= width && x.Kind != meaning.Mask {
			at, shapes = append(at, x.At), append(shapes, shape{x.Bits, x.Kind})
		}
	}
	if at == nil {
		return []int{0}, []shape{{width, meaning.Integer}}
	}
	return at, shapes
}

// widthOf returns the number of bits of a cell, in a lane or in the wave.
func widthOf(k ir.CellKind) int {
	if k == ir.Lane1 || k == ir.Wave1 || k == ir.ExecMask {
		return 1
	}
	return 32
}
