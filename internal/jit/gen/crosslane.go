package gen

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Cross-lane steps read their source from memory. So a segment ends before such a step if the segment has made the row
// that the step reads, and before a step that would overwrite the row while other iterations still read it.

// rowBase loads the address of a row's first lane, less the returned offset, into r12.
func (c *assembly) rowBase(p lower.Place) (offset int32) {
	base := x86.At(x86.RDI, code.OffV)
	if p.At < 0 {
		base = x86.At(x86.RDI, code.OffRows)
	}
	c.a.Emit(x86.MOV, x86.R64(r12), base)
	return c.rowOffset(p)
}

// readLane emits a step that reads from one lane.
func (c *uniformEmitter) readLane(s *lower.Step) {
	a := c.a
	if s.Op == ir.ReadLane {
		c.load(rax, s.Args[1])
		a.Emit(x86.AND, x86.R32(rax), x86.Imm(int64(c.b.Lanes-1)))
	} else {
		c.loadWordMask(rax, s.Args[1])
		a.Emit(x86.TZCNT, x86.RAX, x86.RAX)
		a.Emit(x86.AND, x86.R32(rax), x86.Imm(ir.MaxLanes-1)) // out of range: lane 0
	}
	offset := c.rowBase(s.Args[0])
	a.Emit(x86.MOV, x86.R32(rax), x86.At(x86.R64(r12), offset).Index(x86.RAX, 4))
	c.keep(0, rax, s.Res[0])
}

// shuffle emits a step whose lanes read other lanes.
func (c *loopEmitter) shuffle(s *lower.Step) {
	which, from := c.value(s.Args[1]), c.scratch(0)
	d, got := c.resultAt(s.Res[0], 0), c.resultAt(s.Res[1], 1) // the old contents may be spilled through rax
	c.copy(from, which)
	c.a.Emit(x86.MOV, x86.RAX, word(s.Args[2])) // in a loop no register holds it
	if s.Args[2].Kind == lower.InWord {
		c.a.Emit(x86.AND, x86.R32(rax), x86.Imm(1))
		c.a.Emit(x86.NEG, x86.RAX)
		c.clearUnusedLanes(rax)
	}
	mem := x86.At(x86.R64(r12), c.rowBase(s.Args[0])).Index(from, 4)
	if c.wide() {
		k6 := x86.K(6)
		c.sourceMask(s, from, got)
		c.a.Emit(x86.VPXORD, d, d, d)
		c.a.Emit(x86.KMOVW, k6, got)
		c.a.Emit(x86.VPGATHERDD, d.Mask(k6), mem)
		return
	}
	t := c.scratch(1)
	c.sourceMask256(s, from, got)
	c.a.Emit(x86.VPXOR, d, d, d)
	c.a.Emit(x86.VMOVAPS, t, got)
	c.a.Emit(x86.VPGATHERDD, d, mem, t)
}

// sourceMask makes a mask of the lanes whose source lanes exist, are in the mask in rax, and are in their group.
func (c *loopEmitter) sourceMask(s *lower.Step, from, got x86.Operand) {
	a, low, high, count, k6 := c.a, c.scratch(1), c.scratch(2), c.scratch(3), x86.K(6)
	a.Emit(x86.VPBROADCASTD, low, x86.R32(rax))
	a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
	a.Emit(x86.VPBROADCASTD, high, x86.R32(rax))
	a.Emit(x86.VPTESTMD, k6, from, c.e.Word(32))
	a.Emit(x86.VPBLENDMD, low.Mask(k6), low, high)
	a.Emit(x86.VPANDD, count, from, c.e.Word(31))
	a.Emit(x86.VPSRLVD, low, low, count)
	a.Emit(x86.VPTESTMD, k6, low, c.e.Word(1))
	a.Emit(x86.VPTESTNMD, k6.Mask(k6), from, c.e.Word(^uint32(ir.MaxLanes-1)))
	if s.Imm != 0 {
		a.Emit(x86.VPXORD, count, from, c.row(laneNumbers))
		a.Emit(x86.VPTESTNMD, k6.Mask(k6), count, c.e.Word(-uint32(s.Imm)))
	}
	a.Emit(x86.KMOVW, got, k6)
}

// laneNumbers is the row of lane numbers.
var laneNumbers = lower.Place{Kind: lower.InRow, At: ^int32(lower.LaneRow)}

// sourceMask256 is sourceMask for masks that are sign bits.
func (c *loopEmitter) sourceMask256(s *lower.Step, from, got x86.Operand) {
	a, low, t, u := c.a, c.scratch(1), c.scratch(2), c.scratch(3)
	spread := func(i int) { // rax to scratch i
		x := c.halfScratch(i)
		a.Emit(x86.VMOVD, x, x86.R32(rax))
		a.Emit(x86.VPBROADCASTD, c.scratch(i), x)
	}
	spread(1)
	a.Emit(x86.SHR, x86.RAX, x86.Imm(32))
	spread(2)
	a.Emit(x86.VPSLLD, u, from, x86.Imm(26)) // the bit that selects the upper half of the mask
	a.Emit(x86.VBLENDVPS, low, low, t, u)
	a.Emit(x86.VPSLLD, u, from, x86.Imm(27))
	a.Emit(x86.VPSRLD, u, u, x86.Imm(27))
	a.Emit(x86.VPSRLVD, low, low, u)
	a.Emit(x86.VPSLLD, low, low, x86.Imm(31))
	a.Emit(x86.VPXOR, t, t, t)
	a.Emit(x86.VPSRLD, u, from, x86.Imm(6))
	a.Emit(x86.VPCMPEQD, u, u, t)
	a.Emit(x86.VPAND, low, low, u)
	if s.Imm != 0 {
		a.Emit(x86.VPXOR, u, from, c.row(laneNumbers))
		a.Emit(x86.VPSRLD, u, u, x86.Imm(int64(bits.TrailingZeros64(s.Imm))))
		a.Emit(x86.VPCMPEQD, u, u, t)
		a.Emit(x86.VPAND, low, low, u)
	}
	a.Emit(x86.VMOVAPS, got, low)
}
