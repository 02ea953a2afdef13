package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Avoids store-forwarding stalls. A loop writes its masks in parts, 16 or 8 lanes each. A wider load soon afterwards
// would wait until all parts have reached the cache: the processor forwards a load from one outstanding store only. So
// masks are merged from their parts first.

// hasMaskParts reports whether loops write masks in several parts.
func (c *assembly) hasMaskParts() bool { return c.b.Lanes > c.lanes }

// maskParts is the number of parts of a mask.
func (c *assembly) maskParts() int { return c.b.Lanes / c.lanes }

// maskPart is the operand of a part of a mask in memory.
func (c *assembly) maskPart(at int32, n int) x86.Operand {
	size := c.lanes / 8
	return wordAt(at).Plus(int32(size * n)).Size(size)
}

// mergeMaskParts merges the masks that the segment's loop has written.
func (c *loopEmitter) mergeMaskParts() {
	if !c.hasMaskParts() {
		return
	}
	a, low := c.a, x86.G(c.lanes, rax)
	for _, at := range c.wholeMasks {
		n := c.maskParts() - 1
		a.Emit(x86.MOVZX, x86.R32(rax), c.maskPart(at, n))
		for i := n - 1; i >= 0; i-- {
			a.Emit(x86.SHL, x86.R64(rax), x86.Imm(int64(c.lanes)))
			a.Emit(x86.MOV, low, c.maskPart(at, i))
		}
		a.Emit(x86.MOV, wordAt(at).Size(8), x86.R64(rax))
	}
	c.wholeMasks = c.wholeMasks[:0]
}

// readWhole reports whether a mask is read as one word after the segment's loop. A guard that it is empty tests its
// parts.
func (c *loopEmitter) readWhole(p lower.Place) bool {
	for i := c.g.from; i < len(c.b.Steps); i++ {
		s, f := &c.b.Steps[i], &c.choices[i]
		switch {
		case f.phase != inLoop && s.Kind != lower.Expect && (s.Mask == p || slices.Contains(s.Args, p)),
			f.form == formShuffle && s.Args[2] == p, f.isAffine() && !s.Full && s.Mask == p:
			return true
		}
	}
	return slices.Contains(c.b.Term, p)
}

// testMaskParts sets the flags according to whether a mask has a lane.
func (c *assembly) testMaskParts(at int32) {
	c.a.Emit(x86.MOVZX, x86.R32(rax), c.maskPart(at, 0))
	for i := 1; i < c.maskParts(); i++ {
		c.a.Emit(x86.OR, x86.G(c.lanes, rax), c.maskPart(at, i))
	}
}
