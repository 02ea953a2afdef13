package rogue

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/mem"
)

// What images answer besides texels. docs/reference/rogue.md 5.7.

// asked is the unit as an instruction asks it.
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

// A filterInfo gives instead of texels how they are filtered, a byte a result: as a fraction of 255 or, if normal is not set, as it is.
// First weights along x, y and z in 256ths and the whole part of the level of detail; under levels that part of the level as it was before
// the limits, plus 128, and the fractions of both.
type filterInfo struct {
	*mem.Unit
	levels, normal bool
}

// levelBias is what is added to a level of detail so that it has no sign.
const levelBias = 128

// Sample answers a quad.
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

// in256ths is a number in units of 1/256, within 16 bits; NaN is 0.
func in256ths(x float32) uint32 {
	if !(x > 0) {
		return 0
	}
	return uint32(min(float64(x)*256, 0xffff))
}

// byteOf is a weight in units of 1/256: the bits of a float below 1.
func byteOf(w uint32) uint32 { return in256ths(math.Float32frombits(w)) & 0xff }

// A packedTexels stores texels that come as words of their bytes. With pairs two channels of 16 bits come in words 0 and 2 each: as Mesa
// packs them, two by two.
type packedTexels struct {
	*mem.Unit
	pairs bool
}

// Encode gives the bytes of a texel.
func (p *packedTexels) Encode(t [4]uint32) ([4]uint32, error) {
	if p.pairs {
		return [4]uint32{t[0], t[2]}, nil
	}
	return t, nil
}

// pairs is whether texels are more than two channels of 16 bits.
func (x *texels) pairs() bool { return x.bytes > 4 && x.code >= firstPairs && x.code <= lastPairs }

// Formats of three and four channels of 16 bits by code.
const (
	firstPairs = 28
	lastPairs  = 33
)
