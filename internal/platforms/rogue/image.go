package rogue

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// Results of images other than texels. docs/reference/rogue.md 5.7.

// asked returns the unit in the form that an instruction accesses.
func asked(u *mem.Unit, image *words, how rogue.TexUse) (exec.Image, error) {
	if yes, levels := how.Info(); yes {
		return &filterInfo{Unit: u, levels: levels, normal: how.Normal()}, nil
	}
	if how.Packed() {
		if ofBlocks(image) {
			return nil, fmt.Errorf("a store to a texture of blocks")
		}
		x, err := lie(image)
		if err != nil {
			return nil, err
		}
		return &packedTexels{Unit: u, pairs: x.pairs()}, nil
	}
	return u, nil
}

// A filterInfo returns filter parameters instead of texels, one byte per result: as a fraction of 255 or, if normal is
// not set, as an integer. By default these are the weights along x, y and z in 256ths and the integer part of the level
// of detail. With levels set they are that integer part before clamping to the limits, plus 128, and the fractions of
// both.
type filterInfo struct {
	*mem.Unit
	levels, normal bool
}

// levelBias is added to a level of detail to make it unsigned.
const levelBias = 128

// Sample executes the op for a quad.
func (f *filterInfo) Sample(q *mem.Quad) {
	f.Weights(q)
	weights := q.Texel
	f.Lods(q)
	for lane := range q.Texel {
		if q.Need>>lane&1 == 0 {
			continue
		}
		w := &weights[lane]
		after := in256ths(math.Float32frombits(q.Texel[lane][0]))
		before := in256ths(math.Float32frombits(q.Texel[lane][1]) + levelBias)
		v := [4]uint32{byteOf(w[0]), byteOf(w[1]), byteOf(w[2]), after >> 8}
		if f.levels {
			v = [4]uint32{before >> 8, after & 0xff, before & 0xff}
		}
		if f.normal {
			for i := range v {
				v[i] = math.Float32bits(float32(v[i]) / 255)
			}
		}
		q.Texel[lane] = v
	}
}

// in256ths converts a number to units of 1/256, limited to 16 bits; NaN is 0.
func in256ths(x float32) uint32 {
	if !(x > 0) {
		return 0
	}
	return uint32(min(float64(x)*256, 0xffff))
}

// byteOf converts a weight, given as the bits of a float below 1, to units of 1/256.
func byteOf(w uint32) uint32 { return in256ths(math.Float32frombits(w)) & 0xff }

// A packedTexels stores texels that arrive as words of their bytes. With pairs set, two channels of 16 bits each arrive
// in words 0 and 2: Mesa packs them in pairs.
type packedTexels struct {
	*mem.Unit
	pairs bool
}

// Encode returns the bytes of a texel.
func (p *packedTexels) Encode(t [4]uint32) ([4]uint32, error) {
	if p.pairs {
		return [4]uint32{t[0], t[2]}, nil
	}
	return t, nil
}

// pairs reports whether texels have more than two channels of 16 bits.
func (x *texels) pairs() bool { return x.bytes > 4 && x.code >= firstPairs && x.code <= lastPairs }

// Formats of three and four channels of 16 bits by code.
const (
	firstPairs = 28
	lastPairs  = 33
)
