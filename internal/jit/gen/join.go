package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// Avoids store-forwarding stalls. A loop writes its masks in parts, 16 or 8 lanes each. A wider load soon afterwards
// would wait until all parts have reached the cache: the processor forwards a load from one outstanding store only. So
// masks are merged from their parts first.

// apart reports whether loops write masks in several parts.
func (c *compiler) apart() bool { return c.b.Lanes > c.lanes }

// parts is the number of parts of a mask.
func (c *compiler) parts() int { return c.b.Lanes / c.lanes }

// partAt is the operand of a part of a mask in memory.
func (c *compiler) partAt(at int32, n int) x86.Operand {
	size := c.lanes / 8
	return wordAt(at).Plus(int32(size * n)).Size(size)
}

// join merges the masks that the piece's loop has written.
func (c *compiler) join() {
	if !c.apart() {
		return
	}
	a, low := c.a, x86.G(c.lanes, rax)
	for _, at := range c.written {
		n := c.parts() - 1
		a.Emit(x86.MOVZX, x86.R32(rax), c.partAt(at, n))
		for i := n - 1; i >= 0; i-- {
			a.Emit(x86.SHL, x86.R64(rax), x86.Imm(int64(c.lanes)))
			a.Emit(x86.MOV, low, c.partAt(at, i))
		}
		a.Emit(x86.MOV, wordAt(at).Size(8), x86.R64(rax))
	}
	c.written = c.written[:0]
}

// readWhole reports whether a mask is read as one word after the piece's loop. A guard that it is empty tests its
// parts.
func (c *compiler) readWhole(p lower.Place) bool {
	for i := c.piece.From; i < len(c.b.Steps); i++ {
		s := &c.b.Steps[i]
		if c.cut.phases[i] != inside && s.Kind != lower.Expect && (s.Mask == p || slices.Contains(s.Args, p)) || c.shuffles(s) && s.Args[2] == p {
			return true
		}
	}
	return slices.Contains(c.b.Term, p)
}

// testParts sets the flags according to whether a mask has a lane.
func (c *compiler) testParts(at int32) {
	c.a.Emit(x86.MOVZX, x86.R32(rax), c.partAt(at, 0))
	for i := 1; i < c.parts(); i++ {
		c.a.Emit(x86.OR, x86.G(c.lanes, rax), c.partAt(at, i))
	}
}
