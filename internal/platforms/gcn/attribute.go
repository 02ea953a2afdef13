package gcn

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/num"
)

// primMask is the PRIM_MASK of all waves. Programs move it to M0, which interpolation reads.
const primMask = 0x2c0de0

// An attribute is the source of attribute n of interpolation: SPI_PS_INPUT_CNTL_n. docs/reference/gcn.md 14.3.
type attribute struct {
	param    int  // parameter export of the vertex shader
	constant int  // index in constants; -1: none
	flat     bool // the value at the provoking vertex
	halves   bool // two f16 per word
}

// constants are the values used instead of a parameter.
var constants = [4][4]float32{{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}}

// attributes returns the attributes that SPI_PS_IN_CONTROL counts.
func (r registers) attributes() (as []attribute) {
	for i := range r.bits("SPI_PS_IN_CONTROL", 0, 5) {
		name := fmt.Sprintf("SPI_PS_INPUT_CNTL_%d", i)
		a := attribute{param: r.bits(name, 0, 4), constant: -1, flat: r.bit(name, 10), halves: r.bit(name, 19)}
		if r.bit(name, 5) {
			a.constant = r.bits(name, 8, 9)
		}
		as = append(as, a)
	}
	return as
}

// parameters returns how many parameters of vertices the attributes read.
func parameters(as []attribute) (n int) {
	for _, a := range as {
		if a.constant < 0 {
			n = max(n, a.param+1)
		}
	}
	return n
}

// steps returns P0, P10 and P20 of the values at three vertices.
func (a *attribute) steps(v [3]uint32) (p [3]uint32) {
	p[0] = v[0]
	if a.flat || a.constant >= 0 {
		return p
	}
	for i := 1; i < 3; i++ {
		if !a.halves {
			p[i] = math.Float32bits(math.Float32frombits(v[i]) - math.Float32frombits(v[0]))
			continue
		}
		for at := 0; at < 32; at += 16 {
			d := num.FAdd(16, num.ModeSet, uint64(v[i]>>at&0xffff), num.FNeg(16, num.ModeSet, uint64(v[0]>>at&0xffff)))
			p[i] |= uint32(d) << at
		}
	}
	return p
}

// inputs executes the input ops of pixel waves. corners returns the values of a component of an attribute at the three
// vertices of a lane's primitive. If primitives is not nil, the lanes of each of its masks are those of one primitive.
type inputs struct {
	attrs      []attribute
	corners    func(lane, attr, component int) [3]uint32
	primitives *[]uint64
}

// primitivesOf appends the lanes of each primitive to list: consecutive lanes below n for which of returns the same.
func primitivesOf(list []uint64, n int, of func(lane int) *[3][]uint32) []uint64 {
	var last *[3][]uint32
	for lane := range n {
		if p := of(lane); lane == 0 || p != last || p == nil {
			last, list = p, append(list, 0)
		}
		list[len(list)-1] |= 1 << lane
	}
	return list
}

// Input implements exec.Inputs.
func (in *inputs) Input(c *exec.IOCall) (refused uint64, err error) {
	if slot, ok := c.Same(); ok && in.primitives != nil && in.check(gcn.Attribute(slot)) == nil {
		in.byPrimitive(c, gcn.Attribute(slot))
		return 0, nil
	}
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		slot := gcn.Attribute(c.Slot[lane])
		if e := in.check(slot); e != nil {
			refused |= 1 << lane
			if err == nil {
				err = e
			}
			continue
		}
		c.Value[0][lane] = in.value(slot, c.How, lane)
	}
	return refused, err
}

// byPrimitive executes an op in which all lanes read one slot. It computes the value once for each primitive, and for
// the lanes without a primitive, which code may make active.
func (in *inputs) byPrimitive(c *exec.IOCall, slot gcn.Attribute) {
	to, rest := &c.Value[0], c.Lanes
	for _, lanes := range *in.primitives {
		m := lanes & c.Lanes
		if m == 0 {
			continue
		}
		value := in.value(slot, c.How, bits.TrailingZeros64(m))
		for ; m != 0; m &= m - 1 {
			to[bits.TrailingZeros64(m)&63] = value
		}
		rest &^= lanes
	}
	if rest == 0 {
		return
	}
	for value := in.value(slot, c.How, bits.TrailingZeros64(rest)); rest != 0; rest &= rest - 1 {
		to[bits.TrailingZeros64(rest)&63] = value
	}
}

// value returns P0, P10 or P20 of a lane.
func (in *inputs) value(slot gcn.Attribute, how ir.How, lane int) uint32 {
	a := &in.attrs[slot.Number()]
	var v [3]uint32
	if a.constant >= 0 {
		v[0] = math.Float32bits(constants[a.constant][slot.Component()])
	} else {
		v = in.corners(lane, slot.Number(), slot.Component())
	}
	p := a.steps(v)
	switch how {
	case ir.HowP10:
		return p[1]
	case ir.HowP20:
		return p[2]
	}
	return p[0]
}

func (in *inputs) check(slot gcn.Attribute) error {
	switch {
	case slot.PrimMask() != primMask:
		return fmt.Errorf("interpolation with M0 other than PRIM_MASK: %#x, want %#x", slot.PrimMask(), primMask)
	case slot.Number() >= len(in.attrs):
		return fmt.Errorf("attribute %d; SPI_PS_IN_CONTROL says there are %d", slot.Number(), len(in.attrs))
	}
	return nil
}

// ofFragments returns the inputs of the fragments that run.
func (r *runner) ofFragments() *inputs {
	return &inputs{
		attrs: r.s.attrs,
		corners: func(lane, attr, component int) (v [3]uint32) { // 0 if the lane has no fragment
			at := 4*r.s.attrs[attr].param + component
			for i := 0; i < len(v) && lane < len(r.in); i++ {
				v[i] = r.in[lane].Params[i][at]
			}
			return v
		},
		primitives: &r.primitives,
	}
}
