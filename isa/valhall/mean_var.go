package valhall

import (
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Varyings. docs/reference/valhall.md 9.4.

// A Varying is the slot of an input op: what a fragment requests from the launch.
type Varying uint32

// Bits of a slot, besides the byte offset in the low 16.
const (
	varyingSource           = 16      // first bit of the source format
	varyingSpecial  Varying = 1 << 30 // a value of the pipeline, by its number in the low bits
	varyingResource Varying = 1 << 31 // by a handle: table<<24 | index
	varyingPixel    Varying = 1 << 29 // the contents of the tile for the fragment, with the target in the low bits
)

// Offset is the byte offset of the first component in the record of attributes.
func (v Varying) Offset() int { return int(v & 0xffff) }

// Halves reports whether components in the record have 16 bits.
func (v Varying) Halves() bool { return v>>varyingSource&1 != 0 }

// Special is the number of a value of the pipeline: 0 the point coordinate, 2 1/w, 3 the depth.
func (v Varying) Special() (number int, ok bool) {
	return int(v & 15), v&varyingSpecial != 0 && v&varyingResource == 0
}

// Handle is the handle of the descriptor of the varying.
func (v Varying) Handle() (handle uint32, ok bool) {
	return uint32(v &^ varyingResource), v&varyingResource != 0
}

// Pixel is the number of the target whose pixel is requested.
func (v Varying) Pixel() (target int, ok bool) {
	return int(v & 15), v&varyingPixel != 0 && v&(varyingResource|varyingSpecial) == 0
}

// Numbers of special varyings.
const (
	VaryingPoint = 0
	VaryingW     = 2
	VaryingDepth = 3
)

// Source formats: bit 0 is set for halves, bit 1 for interpolated varyings.
const sourceSmooth = 2

// Sample modes: where a varying is interpolated.
const (
	sampleCenter = iota
	sampleCentroid
	sampleSample
	sampleExplicit
)

// A spot is the position in the pixel at which a varying is interpolated.
type spot struct {
	at     ir.How
	dx, dy V // of an offset
}

// spotOf is the spot of a sample mode. An explicit position is two signed halves in 1/256 pixel from the center.
func spotOf(l *isa.Lift, mode uint64, position V) spot {
	switch mode {
	case sampleCentroid:
		return spot{at: ir.AtCentroid}
	case sampleSample:
		return spot{at: ir.AtSample}
	case sampleExplicit:
		by := l.Const(ir.F32, 0x3b800000)
		axis := func(at int) V { return position.Extract(at, ir.I16).SExt(ir.I32).SToF(ir.F32).FMul(by) }
		return spot{ir.AtOffset, axis(0), axis(16)}
	}
	return spot{at: ir.AtCenter}
}

// interpolated is components of a varying, as words: floats if they are smooth, else as they are in the record.
func interpolated(l *isa.Lift, slot V, s spot, smooth bool, n int) []V {
	a := ir.IOAttr{Count: uint8(n), How: ir.HowFlat}
	if !smooth {
		s = spot{}
	} else {
		a.How = ir.HowPerspective | s.at
	}
	return l.Input(a, ir.I32, slot, s.dx, s.dy, l.Mask())
}

// convertVaryings converts components from the format of the record to that of registers.
func convertVaryings(vs []V, from, to bool) {
	for i, v := range vs {
		switch {
		case from && !to:
			vs[i] = widenFloat(v)
		case to && !from:
			vs[i] = narrowFloat(v)
		}
	}
}

// packetVarying is a varying of the record, at a byte offset, in the format of registers: halves or words. Smooth ones
// are interpolated as words, whatever their format in the record.
func packetVarying(l *isa.Lift, offset V, source uint64, s spot, n int, half bool) []V {
	smooth := source&sourceSmooth != 0
	slot := offset.And(l.I32(0xffff)).Or(l.I32(uint32(source&1) << varyingSource))
	vs := interpolated(l, slot, s, smooth, n)
	convertVaryings(vs, !smooth && source&1 != 0, half)
	return vs
}

// loadPacket is LD_VAR_BUF with registers that hold words, or halves.
func loadPacket(half bool) isa.Effect {
	return func(l *isa.Lift) {
		var offset V
		if l.In.Has(nameIndex) {
			offset = l.I32(uint32(l.In.Get(nameIndex)))
		} else {
			offset = l.Src(1).As(ir.I32)
		}
		s := spotOf(l, l.In.Get(nameSample), l.Src(0).As(ir.I32))
		landed(l, nameStaging, packetVarying(l, offset, l.In.Get(nameSource), s, components(l), half), half)
	}
}

// loadFlatPacket is LD_VAR_BUF_FLAT: a flat varying of the record, unchanged, in words or halves.
func loadFlatPacket(l *isa.Lift) {
	var offset V
	if l.In.Has(nameIndex) {
		offset = l.I32(uint32(l.In.Get(nameIndex)))
	} else {
		offset = l.Src(0)
	}
	f := l.In.Get(nameFormat)
	landed(l, nameStaging, packetVarying(l, offset, f&1, spot{}, components(l), isHalf(f)), isHalf(f))
}

// handleVarying is a varying by handle. The launch converts the format that its descriptor gives.
func handleVarying(l *isa.Lift, handle V, s spot, smooth bool, n int) []V {
	return interpolated(l, handle.Or(l.I32(uint32(varyingResource))), s, smooth, n)
}

// loadVarying is LD_VAR, a varying by descriptor; for flat ones the handle is the first source.
func loadVarying(smooth bool) isa.Effect {
	return func(l *isa.Lift) {
		var s spot
		from := 0
		if smooth {
			s, from = spotOf(l, l.In.Get(nameSample), l.Src(0)), 1
		}
		f := l.In.Get(nameFormat)
		vs := handleVarying(l, handleIn(l, from), s, smooth, components(l))
		convertVaryings(vs, false, f == formatF16)
		landed(l, nameStaging, vs, isHalf(f))
	}
}

// loadSpecial is LD_VAR_SPECIAL.
func loadSpecial(l *isa.Lift) {
	slot := l.I32(uint32(varyingSpecial) | uint32(l.In.Get(nameIndex)))
	vs := interpolated(l, slot, spotOf(l, l.In.Get(nameSample), l.Src(0)), true, components(l))
	f := l.In.Get(nameFormat)
	convertVaryings(vs, false, f == formatF16)
	landed(l, nameStaging, vs, isHalf(f))
}

// ReadsVarying is the byte offset in the record and the number of components that an instruction reads; the offset is
// -1 if it comes from a register. ok is false if the instruction reads no record.
func ReadsVarying(in *isa.Inst) (first, count int, ok bool) {
	switch {
	case !in.Has(nameSource) && !in.Has(nameSampleUpdate) && !readsFlat(in):
		return 0, 0, false
	case in.Has(nameSampleUpdate) || !in.Has(nameIndex):
		return -1, 0, true
	}
	return int(in.Get(nameIndex)), int(in.Get(nameVector)) + 1, true
}

// readsFlat reports whether an instruction is LD_VAR_BUF_FLAT.
func readsFlat(in *isa.Inst) bool { return strings.HasPrefix(in.Def.Name, "LD_VAR_BUF_FLAT") }
