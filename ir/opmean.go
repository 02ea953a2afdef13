package ir

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/num"
)

// The meanings that concern the IR's own representation rather than arithmetic.

// Int1x2 returns two results; n is the width of the results' type.
type Int1x2 func(n int, a uint64) (uint64, uint64)

func (Int1x2) meaning() {}

func ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

func same(_ int, a uint64) uint64 { return a }

func choose(_ int, c, a, b uint64) uint64 {
	if c&1 != 0 {
		return a
	}
	return b
}

func fneg(n int, a uint64) uint64 { return a ^ 1<<(n-1) }
func fabs(n int, a uint64) uint64 { return a &^ (1 << (n - 1)) }

func packHalves(n int, a, b uint64) uint64             { return a | b<<(n/2) }
func unpackHalves(n int, a uint64) (uint64, uint64)    { return a & ones(n), a >> n & ones(n) }
func extractBits(_, to int, imm, a uint64) uint64      { return a >> imm & ones(to) }
func insertBits(_, piece int, imm, a, b uint64) uint64 { return a&^(ones(piece)<<imm) | b<<imm }

func sfu(_, _ int, imm, a uint64) uint64 {
	return uint64(num.SFU(min(imm, uint64(num.NumSFU))).Of(uint32(a)))
}

func laneID(c *WaveCall) {
	for i := range c.Lanes {
		c.Res[0][i] = uint64(i)
	}
}

// mask returns argument i as a lane mask of the wave.
func (c *WaveCall) mask(i int) uint64 {
	m := c.Args[i][0]
	if c.Wide[i] == 0 { // uniform: all lanes or none
		m = -(m & 1)
	}
	return m & ones(c.Lanes)
}

func ballot(c *WaveCall) { c.Res[0][0] = c.mask(0) & c.mask(1) }
func lanes(c *WaveCall)  { c.Res[0][0] = c.Args[0][0] & ones(c.Lanes) }

func anyLane(c *WaveCall)  { c.Res[0][0] = bit(c.mask(0)&c.mask(1) != 0) }
func allLanes(c *WaveCall) { c.Res[0][0] = bit(^c.mask(0)&c.mask(1) == 0) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// laneOf returns argument i of the lane, of any type.
func (c *WaveCall) laneOf(i, lane int) uint64 {
	if c.Width == 1 {
		return c.mask(i) >> lane & 1
	}
	return c.Arg(i, lane)
}

func readLane(c *WaveCall) { c.Res[0][0] = c.laneOf(0, int(c.Args[1][0]%uint64(c.Lanes))) }

func readFirst(c *WaveCall) {
	lane := 0
	if m := c.mask(1); m != 0 {
		lane = bits.TrailingZeros64(m)
	}
	c.Res[0][0] = c.laneOf(0, lane)
}

func (c *WaveCall) put(lane int, v uint64) {
	if c.Width == 1 {
		c.Res[0][0] |= v & 1 << lane
	} else {
		c.Res[0][lane] = v
	}
}

func shuffle(c *WaveCall) {
	*c.Res[0], *c.Res[1] = Vec{}, Vec{}
	m := c.mask(2)
	outside := uint64(0) // bits of a lane's number that select its group
	if c.Imm != 0 {
		outside = -c.Imm
	}
	for i := range c.Lanes {
		from := c.Arg(1, i)
		if from < uint64(c.Lanes) && m>>from&1 != 0 && (from^uint64(i))&outside == 0 {
			c.put(i, c.laneOf(0, int(from)))
			c.Res[1][0] |= 1 << i
		}
	}
}

func scatterLane(c *WaveCall) {
	*c.Res[0], *c.Res[1] = Vec{}, Vec{}
	for m := c.mask(2); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if to := c.Arg(1, i); to < uint64(c.Lanes) {
			if c.Width == 1 {
				c.Res[0][0] &^= 1 << to
			}
			c.put(int(to), c.laneOf(0, i))
			c.Res[1][0] |= 1 << to
		}
	}
}
