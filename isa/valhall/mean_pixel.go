package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// What fragments write to the tile. docs/reference/valhall.md 9.4.

// A PixelOut is the slot of an output op: what a fragment gives to the launch.
type PixelOut uint32

// Slots of outputs. Colours have the target in the low four bits, and a class.
const (
	PixelCoverage PixelOut = 1 << 8 // coverage after ATEST: one word
	PixelDepth    PixelOut = 2 << 8 // depth, a float, and stencil; the low bits say which of them exist
	PixelStore    PixelOut = 1 << 7 // of a colour: it is not blended
	pixelClass             = 4      // first bit of the class
)

// Target is the render target of a colour.
func (p PixelOut) Target() int { return int(p & 15) }

// Depth and Stencil report whether a fragment gives them.
func (p PixelOut) Depth() bool   { return p&1 != 0 }
func (p PixelOut) Stencil() bool { return p&2 != 0 }

// Integer reports whether the components of a colour are integers; else they are floats.
func (p PixelOut) Integer() bool { return p>>pixelClass&1 != 0 }

// Fields of a blend descriptor's first word. docs/reference/valhall.md 9.4.
const (
	blendModeBits = 3 // 0: a shader blends
	blendTargetAt = 16
)

// discard makes helpers of the threads in which a comparison holds.
func discard(l *isa.Lift) {
	yes, ok := holds(l, &floatConds, l.Src(0), l.Src(1))
	if !ok {
		return
	}
	gone := helpers(l).Or(yes)
	l.Set(ir.Cell{File: FileHelper}, gone, l.Mask())
	l.Scratch[scratchHelper] = gone
}

// covered is a coverage, 0 for helpers.
func covered(l *isa.Lift, coverage V) V {
	return helpers(l).Select(l.I32(0), coverage)
}

// alphaTest is ATEST: it passes coverage on, whatever alpha and the datum are. The launch rejects draws with alpha
// test.
func alphaTest(l *isa.Lift) {
	c := covered(l, l.Src(0))
	l.Src(1)
	l.Src(2)
	l.Output(ir.IOAttr{Count: 1}, l.I32(uint32(PixelCoverage)), []V{c}, l.Mask())
	stage(l, nameStaging, []V{c})
}

// emitDepth is ZS_EMIT.
func emitDepth(l *isa.Lift) {
	c := covered(l, l.Src(2))
	mask := l.Mask().And(c.Eq(l.I32(0)).Not())
	slot := uint32(PixelDepth) | uint32(l.In.Get(nameZ)) | uint32(l.In.Get(nameStencil))<<1
	l.Output(ir.IOAttr{Count: 2}, l.I32(slot), []V{l.Src(0), l.Src(1)}, mask)
	stage(l, nameStaging, []V{c})
}

// colour is the components of a colour in staging registers, one word each, and whether they are integers. Without a
// format, a register holds two components if there are fewer registers than components.
func colour(l *isa.Lift, f uint64) (vs []V, integer bool) {
	vs = staging(l)
	n := components(l)
	if f == formatAuto {
		if f = formatF32; len(vs) < n {
			f = formatF16
		}
	}
	if isHalf(f) {
		vs = splitHalves(vs)
	}
	vs = vs[:min(n, len(vs))]
	for i, v := range vs {
		switch f {
		case formatF16:
			vs[i] = widenFloat(v)
		case formatS16:
			vs[i] = v.Extract(0, ir.I16).SExt(ir.I32)
		}
	}
	return vs, f >= formatS32
}

// putColour outputs a colour for a target, in covered threads; nothing if it has no registers.
func putColour(l *isa.Lift, target, coverage V, more PixelOut) {
	vs, integer := colour(l, l.In.Get(nameFormat))
	if len(vs) == 0 {
		return
	}
	if integer {
		more |= 1 << pixelClass
	}
	slot := target.Or(l.I32(uint32(more)))
	mask := l.Mask().And(covered(l, coverage).Eq(l.I32(0)).Not())
	l.Output(ir.IOAttr{Count: uint8(len(vs))}, slot, vs, mask)
}

// blend is BLEND. If the descriptor needs a blend shader, nothing is output and the code that calls it follows; else
// that code is skipped.
func blend(l *isa.Lift) {
	low, _ := l.Src(0).Unpack(ir.I32)
	shader := low.And(l.I32(blendModeBits)).Eq(l.I32(0))
	l.Guard(shader.Not())
	putColour(l, low.ShrU(l.I32(blendTargetAt)).And(l.I32(15)), l.Src(1), 0)
	if l.In.Get(nameTarget) != 0 && l.In.Get(nameFlow) != flowEnd {
		l.Scratch[scratchJump] = l.Mask()
	}
	l.Guard(V{})
}

// Fields of a pixel indices descriptor, the first source of LD_TILE and ST_TILE: the target.
const pixelTargetBits = 8

// loadTile is LD_TILE: the contents of the target, as floats or integers by the register format.
func loadTile(l *isa.Lift) {
	if !modelled(l, optTile) {
		return
	}
	target := l.Src(0).And(l.I32(pixelTargetBits - 1))
	f, n := l.In.Get(nameFormat), components(l)
	a := ir.IOAttr{Count: uint8(n), How: ir.HowFlat}
	mask := l.Mask().And(l.Src(1).Eq(l.I32(0)).Not())
	l.Src(2) // the conversion of the target's bits is left to the launch
	vs := l.Input(a, ir.I32, target.Or(l.I32(uint32(varyingPixel))), V{}, V{}, mask)
	convertVaryings(vs, false, f == formatF16)
	landed(l, nameStaging, vs, isHalf(f))
}

// storeTile is ST_TILE: a colour replaces the contents of the target.
func storeTile(l *isa.Lift) {
	if !modelled(l, optTile) {
		return
	}
	l.Src(2)
	putColour(l, l.Src(0).And(l.I32(pixelTargetBits-1)), l.Src(1), PixelStore)
}
