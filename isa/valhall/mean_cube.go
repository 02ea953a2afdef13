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

// anyNaN is a NaN if one of three numbers is, and else no number that counts.
func anyNaN(x, y, z V) (nan, is V) {
	return x.FAdd(y).FAdd(z), x.FUnord(y).Or(z.FUnord(z))
}

func largest(x, y, z V) V { return x.FAbs().FMaxNum(y.FAbs()).FMaxNum(z.FAbs()) }

// cubeLargest is the largest absolute value of a direction. Its reciprocal scales the direction, and must be finite and not 0: of
// infinity it is 1, of zeros and subnormals 2.
func cubeLargest(x, y, z V) V {
	m := largest(x, y, z)
	bits := m.As(ir.I32)
	v := bits.Eq(bits.K(infinity)).Select(m.K(one32), m)
	v = bits.ULt(bits.K(leastNormal)).Select(m.K(two32), v)
	nan, is := anyNaN(x.FAbs(), y.FAbs(), z.FAbs())
	return is.Select(nan, v)
}

// infinite is set in a face of a direction with an infinite coordinate.
const infinite = 1 << 16

// cubeFace is the face of the largest coordinate; of those that are equal z comes before y, and y before x. A direction with a
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

// faceOf takes apart a face: whether it is one of x, one of y, and the negative one of its axis.
func faceOf(f V) (x, y, negative V) {
	axis := f.ShrU(f.K(faceBit + 1))
	return axis.Eq(axis.K(0)), axis.Eq(axis.K(1)), f.Extract(faceBit, ir.I1)
}

// cubeS is s: of +x -z, of -x z, of -z -x, else x.
func cubeS(z, x, face V) V {
	isX, isY, negative := faceOf(face)
	ofX := negative.Select(z, z.FNeg())
	ofZ := negative.And(isY.Not()).Select(x.FNeg(), x)
	return isX.Select(ofX, ofZ)
}

// cubeT is t: of +y z, of -y -z, else -y.
func cubeT(y, z, face V) V {
	_, isY, negative := faceOf(face)
	return isY.Select(negative.Select(z.FNeg(), z), y.FNeg())
}
