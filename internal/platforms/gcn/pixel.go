package gcn

import (
	"math"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// Initial state of pixel waves. docs/reference/gcn.md 14.2.

// inputFace is the bit of SPI_PS_INPUT_ADDR of the front face.
const inputFace = 12

// A pixelInput is what a bit of SPI_PS_INPUT_ADDR enables: a number of registers and their values for a fragment.
type pixelInput struct {
	regs int
	fill func(f *draw.Fragment) [3]uint32
}

func words(xs ...float32) (w [3]uint32) {
	for i, x := range xs {
		w[i] = math.Float32bits(x)
	}
	return w
}

func persp(f *draw.Fragment) [3]uint32  { return words(f.Persp[0], f.Persp[1]) }
func linear(f *draw.Fragment) [3]uint32 { return words(f.Linear[0], f.Linear[1]) }

// pixelInputs are the inputs by bit. With one sample per pixel the sample, the centre and the centroid coincide.
var pixelInputs = [...]pixelInput{
	{2, persp}, {2, persp}, {2, persp},
	{3, func(f *draw.Fragment) [3]uint32 { // pull model
		return words(f.Persp[0]*f.InvW, f.Persp[1]*f.InvW, f.InvW)
	}},
	{2, linear}, {2, linear}, {2, linear},
	{1, func(*draw.Fragment) [3]uint32 { return words() }}, // line stipple
	{1, func(f *draw.Fragment) [3]uint32 { return words(float32(f.X) + 0.5) }},
	{1, func(f *draw.Fragment) [3]uint32 { return words(float32(f.Y) + 0.5) }},
	{1, func(f *draw.Fragment) [3]uint32 { return words(f.Depth) }},
	{1, func(f *draw.Fragment) [3]uint32 { return words(1 / f.InvW) }},
	inputFace: {1, func(f *draw.Fragment) [3]uint32 {
		if f.Front {
			return [3]uint32{^uint32(0)}
		}
		return [3]uint32{}
	}},
	{1, func(*draw.Fragment) [3]uint32 { return words() }}, // ancillary: sample 0, layer 0
	{1, func(f *draw.Fragment) [3]uint32 {
		if f.Covered {
			return [3]uint32{1}
		}
		return [3]uint32{}
	}},
	{1, func(f *draw.Fragment) [3]uint32 { return [3]uint32{uint32(f.X)&0xffff | uint32(f.Y)<<16} }},
}

// fillPixels sets the vector registers of a pixel wave. An input that is in SPI_PS_INPUT_ADDR but not in
// SPI_PS_INPUT_ENA has its registers, and they are 0.
func (s *setup) fillPixels(st *exec.State, in []draw.Fragment) {
	addr, ena := s.regs["SPI_PS_INPUT_ADDR"], s.regs["SPI_PS_INPUT_ENA"]
	n := 0
	for b := range pixelInputs {
		if addr>>b&1 == 0 {
			continue
		}
		p := &pixelInputs[b]
		for lane := range in {
			var w [3]uint32
			if ena>>b&1 != 0 {
				w = p.fill(&in[lane])
			}
			for i := range p.regs {
				st.Set(gcn.VGPR(n+i), lane, w[i])
			}
		}
		n += p.regs
	}
}
