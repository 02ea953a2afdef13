package rogue

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/mem"
)

// Border colours. The state of a sampler holds the number of one in a table of the driver, which stores it as a texel
// of each format. Mesa's table begins with the six colours of Vulkan: even ones for formats of floats and fixed point,
// odd ones for integers. docs/reference/rogue.md 7.4.

// borderColours are the colours by half of their number: red, green, blue and alpha, each 1 if true.
var borderColours = [...][4]bool{{}, {3: true}, {true, true, true, true}}

// borderWhite is the texel of ones in the format with a shared exponent.
const borderWhite = 16<<27 | 256<<18 | 256<<9 | 256

// borderOf returns the border texel of a sampler, converted by the format.
func borderOf(image, sampler *words, f *mem.Format) (border [4]float32, err error) {
	n := sampler.field(samplerColour, 6)
	if !bordered(sampler) {
		return border, nil
	}
	if int(n)/2 >= len(borderColours) {
		return border, fmt.Errorf("a sampler with border colour %d: 0 to 5 are those of Vulkan; where the driver's table of others lies is in no state of a program", n)
	}
	whole := n&1 != 0
	if f.Blocks != nil {
		if whole {
			return border, fmt.Errorf("a sampler with border colour %d, of integers: a format of blocks has none", n)
		}
		return blockBorder(f.Blocks, &borderColours[n/2]), nil
	}
	x, err := lie(image)
	if err != nil {
		return border, err
	}
	if integers := x.kind == 'I' || x.kind == 'J'; integers && !whole || (x.kind == 'F' || x.kind == 'E') && whole {
		return border, fmt.Errorf("a sampler with border colour %d: of format %d the table of colours has no such texel", n, x.code)
	}
	texel, err := x.colour(&borderColours[n/2], !whole)
	if err != nil {
		return border, err
	}
	return f.Decode(texel), nil
}

// colour returns the texel of zeros and ones: as floats, or as integers.
func (x *texels) colour(of *[4]bool, floats bool) ([]byte, error) {
	b := make([]byte, 16)
	if x.kind == 'E' {
		if of[0] {
			binary.LittleEndian.PutUint32(b, borderWhite)
		}
		return b, nil
	}
	f, err := x.plain(floats)
	if err != nil {
		return nil, err
	}
	var t [4]uint32
	for i, one := range of {
		switch {
		case one && floats:
			t[i] = math.Float32bits(1)
		case one:
			t[i] = 1
		}
	}
	f.Encode(b, t)
	return b, nil
}

// blockBorder returns a border colour for a block-compressed image: Mesa's table holds an uncompressed texel for it.
func blockBorder(b *mem.Blocks, of *[4]bool) (t [4]float32) {
	for i, from := range b.From {
		if from == mem.BlockOne || from < mem.BlockOne && of[from] {
			t[i] = 1
		}
	}
	return t
}
