package mem

import "encoding/binary"

// Blocks of BC1 to BC5. Source: the Khronos data format specification, chapters S3TC and RGTC. A value is a fraction of
// two integers, which one division rounds.

// bcColour returns the colour of a texel of a BC1 block. With four, the block always has four colours, as in BC2 and
// BC3; else it has three and transparent black if the first is not above the second.
func bcColour(data []byte, x, y int, four bool) (c [4]float32) {
	a, b := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint16(data[2:])
	index := binary.LittleEndian.Uint32(data[4:]) >> (2 * (4*y + x)) & 3
	weights := [4][2]int{{3, 0}, {0, 3}, {2, 1}, {1, 2}}[index]
	if !four && a <= b {
		weights = [4][2]int{{2, 0}, {0, 2}, {1, 1}, {}}[index]
	}
	whole := weights[0] + weights[1]
	if whole == 0 {
		return c
	}
	for i, f := range [3]struct{ at, top int }{{11, 31}, {5, 63}, {0, 31}} {
		mixed := weights[0]*(int(a)>>f.at&f.top) + weights[1]*(int(b)>>f.at&f.top)
		c[i] = float32(mixed) / float32(whole*f.top)
	}
	c[3] = 1
	return c
}

// bcOne returns the component of a texel of a BC4 block: from 0 to 1, or from -1 to 1 if it is signed.
func bcOne(data []byte, x, y int, signed bool) float32 {
	a, b, low, top := int(data[0]), int(data[1]), 0, 255
	if signed {
		a, b, low, top = int(int8(data[0])), int(int8(data[1])), -127, 127
	}
	steps := 5
	if a > b {
		steps = 7
	}
	a, b = max(a, low), max(b, low)
	index := int(binary.LittleEndian.Uint64(data) >> (16 + 3*(4*y+x)) & 7)
	v := 0
	switch {
	case index == 0:
		v = a * steps
	case index == 1:
		v = b * steps
	case index <= steps:
		v = a*(steps+1-index) + b*(index-1)
	case index == 6:
		v = low * steps
	default:
		v = top * steps
	}
	return float32(v) / float32(top*steps)
}

func bc1(data []byte, x, y int) [4]float32 { return bcColour(data, x, y, false) }

func bc2(data []byte, x, y int) [4]float32 {
	c := bcColour(data[8:], x, y, true)
	c[3] = float32(binary.LittleEndian.Uint64(data)>>(4*(4*y+x))&15) / 15
	return c
}

func bc3(data []byte, x, y int) [4]float32 {
	c := bcColour(data[8:], x, y, true)
	c[3] = bcOne(data, x, y, false)
	return c
}

// bc4 and bc5 return the functions of one and two components.
func bc4(data []byte, x, y int) [4]float32       { return [4]float32{bcOne(data, x, y, false), 0, 0, 1} }
func bc4Signed(data []byte, x, y int) [4]float32 { return [4]float32{bcOne(data, x, y, true), 0, 0, 1} }

func bc5(data []byte, x, y int) [4]float32 {
	return [4]float32{bcOne(data, x, y, false), bcOne(data[8:], x, y, false), 0, 1}
}

func bc5Signed(data []byte, x, y int) [4]float32 {
	return [4]float32{bcOne(data, x, y, true), bcOne(data[8:], x, y, true), 0, 1}
}
