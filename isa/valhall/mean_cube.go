package valhall

import "github.com/heddle-gpu/heddle/ir"

// Cube maps. docs/reference/valhall.md 10.1. A face is in bits 29-31: +x, -x, +y, -y, +z, -z.

const faceBit = 29

// Floats of 32 bits.
const (
	leastNormal  = 0x00800000
	infinity     = 0x7f800000
	one32, two32 = 0x3f800000, 0x40000000
)

// anyNaN is a NaN if one of three numbers is a NaN; is reports whether one is.
func anyNaN(x, y, z V) (nan, is V) {
	return x.FAdd(y).FAdd(z), x.FUnord(y).Or(z.FUnord(z))
}

func largest(x, y, z V) V { return x.FAbs().FMaxNum(y.FAbs()).FMaxNum(z.FAbs()) }

// cubeLargest is the largest absolute value in a direction. Its reciprocal scales the direction, and must be finite and
// not 0: for infinity cubeLargest is 1, for zeros and subnormals 2.
func cubeLargest(x, y, z V) V {
	m := largest(x, y, z)
	bits := m.As(ir.I32)
	v := bits.Eq(bits.K(infinity)).Select(m.K(one32), m)
	v = bits.ULt(bits.K(leastNormal)).Select(m.K(two32), v)
	nan, is := anyNaN(x.FAbs(), y.FAbs(), z.FAbs())
	return is.Select(nan, v)
}

// infinite is a flag in the face of a direction with an infinite coordinate.
const infinite = 1 << 16

// cubeFace is the face of the largest coordinate; z precedes y and y precedes x if they are equal. A direction with a
// NaN is on +z.
func cubeFace(x, y, z V) V {
	m := largest(x, y, z)
	face := func(c V, axis uint32) V {
		negative := c.FLt(c.K(0)).ZExt(ir.I32)
		return negative.Or(negative.K(uint64(2 * axis)))
	}
	v := y.FAbs().FEq(m).Select(face(y, 1), face(x, 0))
	v = z.FAbs().FEq(m).Select(face(z, 2), v)
	v = v.Shl(v.K(faceBit))
	v = m.As(ir.I32).Eq(v.K(infinity)).Select(v.Or(v.K(infinite)), v)
	_, nan := anyNaN(x, y, z)
	return nan.Select(v.K(2*2<<faceBit), v)
}

// faceOf decodes a face: whether it is an x face, a y face, and the negative face of its axis.
func faceOf(f V) (x, y, negative V) {
	axis := f.ShrU(f.K(faceBit + 1))
	return axis.Eq(axis.K(0)), axis.Eq(axis.K(1)), f.Extract(faceBit, ir.I1)
}

// cubeS is s: -z for +x, z for -x, -x for -z, else x.
func cubeS(z, x, face V) V {
	isX, isY, negative := faceOf(face)
	ofX := negative.Select(z, z.FNeg())
	ofZ := negative.And(isY.Not()).Select(x.FNeg(), x)
	return isX.Select(ofX, ofZ)
}

// cubeT is t: z for +y, -z for -y, else -y.
func cubeT(y, z, face V) V {
	_, isY, negative := faceOf(face)
	return isY.Select(negative.Select(z.FNeg(), z), y.FNeg())
}
