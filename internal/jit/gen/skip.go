package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// skipInactive emits the test of an iteration, which jumps to idle if it has no active lane.
func (c *loopEmitter) skipInactive(active lower.Place, idle x86.Label) {
	c.a.Emit(x86.CMP, c.lanesOf(active.At), x86.Imm(0))
	c.a.Emit(x86.JE, x86.To(idle))
}

// lanesOf is the operand of the lanes of a mask in the loop's iteration.
func (c *loopEmitter) lanesOf(at int32) x86.Operand { return x86.At(regMasks, 8*at).Size(c.lanes / 8) }

// skipped emits the rest of a skipped iteration: it clears its lanes in the masks that the loop makes.
func (c *loopEmitter) skipped(idle x86.Label) {
	if len(c.partMasks) == 0 {
		c.a.Bind(idle)
		return
	}
	next := c.a.NewLabel()
	c.a.Emit(x86.JMP, x86.To(next))
	c.a.Bind(idle)
	c.a.Emit(x86.XOR, x86.R32(rax), x86.R32(rax))
	for _, at := range c.partMasks {
		c.a.Emit(x86.MOV, c.lanesOf(at), x86.G(c.lanes, rax))
	}
	c.a.Bind(next)
}
