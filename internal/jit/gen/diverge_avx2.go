package gen

import (
	"math"

	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// This file is diverge.go for vectors of 256 bits; diverge.go itself uses vectors of 512 bits and mask registers.

// Vectors of a step.
const (
	yPlace   = 0 // the lowest PC, or that of waiting lanes
	yWaiting = 1 // PCs of four waiting lanes
	yLower   = 2 // masks of 64 bits: lanes at that PC that must be considered
	yTop     = 4 // the highest bit: PCs are compared as unsigned numbers
	yAt      = 5 // masks of 64 bits: the given lanes
	yGiven   = 6 // these, from the current four on
	yFourth  = 7 // the bits of four lanes
)

// broadcast256 broadcasts a general register of 64 bits to a vector.
func (c *terminator) broadcast256(y int, from x86.Operand) {
	c.a.Emit(x86.VMOVQ, x86.X(y), from)
	c.a.Emit(x86.VPBROADCASTQ, x86.Y(y), x86.X(y))
}

// lowestWaitingPC256 is lowestWaitingPC with vectors of 256 bits.
func (c *terminator) lowestWaitingPC256() {
	a := c.a
	top := x86.Imm(math.MinInt64)
	a.Emit(x86.MOV, x86.RAX, top)
	c.broadcast256(yTop, x86.RAX)
	a.Emit(x86.XOR, regLowest, x86.RAX)
	c.broadcast256(yPlace, regLowest)
	c.eachPCs256(regWaiting, func(places x86.Operand) {
		a.Emit(x86.VPXOR, x86.Y(yWaiting), x86.Y(yTop), places)
		a.Emit(x86.VPCMPGTQ, x86.Y(yLower), x86.Y(yPlace), x86.Y(yWaiting))
		a.Emit(x86.VPAND, x86.Y(yLower), x86.Y(yLower), x86.Y(yAt))
		a.Emit(x86.VBLENDVPD, x86.Y(yPlace), x86.Y(yPlace), x86.Y(yWaiting), x86.Y(yLower))
	})
	lower := func() {
		a.Emit(x86.VPCMPGTQ, x86.X(yLower), x86.X(yPlace), x86.X(yWaiting))
		a.Emit(x86.VBLENDVPD, x86.X(yPlace), x86.X(yPlace), x86.X(yWaiting), x86.X(yLower))
	}
	a.Emit(x86.VEXTRACTI128, x86.X(yWaiting), x86.Y(yPlace), x86.Imm(1))
	lower()
	a.Emit(x86.VPSHUFD, x86.X(yWaiting), x86.X(yPlace), x86.Imm(0x4e))
	lower()
	a.Emit(x86.VMOVQ, regLowest, x86.X(yPlace))
	a.Emit(x86.MOV, x86.RAX, top)
	a.Emit(x86.XOR, regLowest, x86.RAX)
	c.broadcast256(yPlace, regLowest)
	c.eachPCs256(regWaiting, func(places x86.Operand) {
		a.Emit(x86.VPCMPEQQ, x86.Y(yWaiting), x86.Y(yPlace), places)
		a.Emit(x86.VPAND, x86.Y(yWaiting), x86.Y(yWaiting), x86.Y(yAt))
		a.Emit(x86.VMOVMSKPD, x86.R32(0), x86.Y(yWaiting))
		c.addActive()
	})
	c.alignActive()
}

// eachPCs256 is eachPCs; yAt holds the lanes.
func (c *terminator) eachPCs256(lanes x86.Operand, f func(places x86.Operand)) {
	a, n := c.a, c.b.Lanes/4
	c.broadcast256(yGiven, lanes)
	a.Emit(x86.VPMOVZXDQ, x86.Y(yFourth), c.table(laneBits))
	for i := range n {
		a.Emit(x86.VPAND, x86.Y(yAt), x86.Y(yGiven), x86.Y(yFourth))
		a.Emit(x86.VPCMPEQQ, x86.Y(yAt), x86.Y(yAt), x86.Y(yFourth))
		f(x86.At(x86.RDX, int32(32*i)))
		if i < n-1 {
			a.Emit(x86.VPSRLQ, x86.Y(yGiven), x86.Y(yGiven), x86.Imm(4))
		}
	}
}
