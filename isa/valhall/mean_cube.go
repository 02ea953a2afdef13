package valhall

import "github.com/heddle-gpu/heddle/ir"

// Cube maps. docs/reference/valhall.md 10.1. A face is in bits 29-31: +x, -x, +y, -y, +z, -z.

const faceBit = 29

func cubeLargest(x, y, z V) V { return x.FAbs().FMaxNum(y.FAbs()).FMaxNum(z.FAbs()).FCanon() }

// cubeFace is the face of the first coordinate that is largest.
func cubeFace(x, y, z V) V {
	largest := cubeLargest(x, y, z)
	face := func(c V, axis uint32) V {
		negative := c.FLt(c.K(0)).ZExt(ir.I32)
		return negative.Or(negative.K(uint64(2 * axis)))
	}
	v := y.FAbs().FEq(largest).Select(face(y, 1), face(z, 2))
	v = x.FAbs().FEq(largest).Select(face(x, 0), v)
	return v.Shl(v.K(faceBit))
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
