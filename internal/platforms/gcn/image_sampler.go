package gcn

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/mem"
)

// clamps are the modes of coordinates, by code.
var clamps = [8]mem.WrapMode{
	mem.Repeat, mem.MirroredRepeat, mem.ClampToEdge, mem.MirrorClampToEdge,
	mem.Clamp, mem.MirrorClamp, mem.ClampToBorder, mem.MirrorClampToBorder,
}

// texelCompares are comparison functions by code. A code compares the reference with the texel; the values compare the
// texel with the reference.
var texelCompares = [8]mem.Compare{
	mem.CompareNever, mem.CompareGreater, mem.CompareEqual, mem.CompareGreaterEqual,
	mem.CompareLess, mem.CompareNotEqual, mem.CompareLessEqual, mem.CompareAlways,
}

// borders are the border colours by code; code 3 takes one from a table.
var borders = [3][4]float32{{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}}

const borderTable = 3

// rules are the rules in which the texture units of GCN differ from others.
var rules = mem.Rules{Face: mem.FaceGiven, Wrap: mem.WrapTexel, Border: mem.BorderColour, Lod: mem.LodLength, Ref: mem.RefGiven, Mix: mem.MixAxes,
	Gather: mem.GatherFrom}

// samplerOf returns the sampler that an S# describes. Its comparison applies to instructions that compare; for others
// the caller clears it. Source: docs/reference/gcn.md 8.4.3.
func samplerOf(s []uint32) (*mem.Sampler, error) {
	if len(s) != SamplerWords {
		return nil, fmt.Errorf("gcn: S# of %d words, want %d", len(s), SamplerWords)
	}
	smp := &mem.Sampler{
		Mip:     mem.MipFilter(field(s, 2, 26, 2)),
		Bias:    fixed(int32(field(s, 2, 0, 14)<<18) >> 18),
		MinLod:  fixed(int32(field(s, 1, 0, 12))),
		MaxLod:  fixed(int32(field(s, 1, 12, 12))),
		Compare: texelCompares[field(s, 0, 12, 3)],

		Unnormalised: field(s, 0, 15, 1) != 0,
		Rules:        rules,
	}
	if field(s, 0, 28, 1) == 0 {
		smp.Rules.Seam = mem.SeamAcross
	}
	border := false
	for i := range smp.Wrap {
		code := field(s, 0, 3*i, 3)
		smp.Wrap[i] = clamps[code]
		border = border || code >= 4
	}
	var aniso [2]bool
	for i, at := range []int{20, 22} {
		code := field(s, 2, at, 2)
		*[]*mem.Filter{&smp.Mag, &smp.Min}[i] = mem.Filter(code & 1)
		aniso[i] = code >= 2
	}
	if aniso[0] || aniso[1] {
		smp.MaxAniso = 1 << min(field(s, 0, 9, 3), 4)
	}
	colour := field(s, 3, 30, 2)
	switch {
	case field(s, 2, 26, 2) == 3:
		return nil, fmt.Errorf("gcn: S# of mip filter 3, which does not exist")
	case field(s, 0, 29, 2) != 0:
		return nil, fmt.Errorf("gcn: S# of filter mode %d: only 0, which mixes texels, is built", field(s, 0, 29, 2))
	case border && colour == borderTable:
		return nil, fmt.Errorf("gcn: S# whose border colour is number %d of a table, which no launch gives", field(s, 3, 0, 12))
	case colour != borderTable:
		smp.Border = borders[colour]
	}
	return smp, nil
}

// fixed converts a number with 8 bits of fraction.
func fixed(x int32) float32 { return float32(x) / 256 }

// borderOf returns the border of a sampler with its components selected by a T#, as integers if the texels are
// integers.
func borderOf(border [4]float32, t []uint32, integer bool) (b [4]float32) {
	for i, s := range selects(t) {
		x := float32(0)
		switch {
		case s == 1:
			x = 1
		case s >= 4:
			x = border[s-4]
		}
		if b[i] = x; integer {
			b[i] = math.Float32frombits(uint32(x))
		}
	}
	return b
}
