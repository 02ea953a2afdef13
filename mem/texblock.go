package mem

import "encoding/binary"

// Blocks is how a format encodes blocks of four by four texels: ETC2, EAC and BC1 to BC7, by the Khronos data format
// specification; or of two texels of a row that share two of three components.
type Blocks struct {
	Kind BlockKind
	From [4]uint8 // which component of the block x, y, z and w are: 0 to 3, BlockOne, BlockZero
	SRGB bool     // the first three components of the block are in sRGB
}

// Components that a block does not store.
const (
	BlockOne  = 4
	BlockZero = 5
)

// A BlockKind is an encoding of blocks.
type BlockKind uint8

const (
	ETC2RGB BlockKind = iota
	ETC2RGBA
	ETC2Punch // RGB, or transparent
	EACR
	EACRSigned
	EACRG
	EACRGSigned
	BC1
	BC2
	BC3
	BC4
	BC4Signed
	BC5
	BC5Signed
	BC6
	BC6Signed
	BC7
	SharedRB // bytes: the first component, the second of texel 0, the third, the second of texel 1
	SharedBR // the second component of texel 0, the first, the second of texel 1, the third
	numBlockKinds
)

// blockKinds are the bytes of a block, and the function that returns the components of a texel.
var blockKinds = [numBlockKinds]struct {
	bytes int
	texel func(data []byte, x, y int) [4]float32
}{
	ETC2RGB: {8, etc2RGB}, ETC2RGBA: {16, etc2RGBA}, ETC2Punch: {8, etc2Punch},
	EACR: {8, eacR}, EACRSigned: {8, eacRSigned}, EACRG: {16, eacRG}, EACRGSigned: {16, eacRGSigned},
	BC1: {8, bc1}, BC2: {16, bc2}, BC3: {16, bc3}, BC4: {8, bc4}, BC4Signed: {8, bc4Signed}, BC5: {16, bc5}, BC5Signed: {16, bc5Signed},
	BC6: {16, bc6}, BC6Signed: {16, bc6Signed}, BC7: {16, bc7}, SharedRB: {4, sharedRB}, SharedBR: {4, sharedBR},
}

// Sides returns the number of texels of a block along x and y.
func (b *Blocks) Sides() (x, y uint32) {
	if b.Kind == SharedRB || b.Kind == SharedBR {
		return 2, 1
	}
	return 4, 4
}

func sharedRB(data []byte, x, _ int) [4]float32 {
	return [4]float32{unorm8[data[0]], unorm8[data[1+2*x]], unorm8[data[2]], 1}
}

func sharedBR(data []byte, x, _ int) [4]float32 {
	return [4]float32{unorm8[data[1]], unorm8[data[2*x]], unorm8[data[3]], 1}
}

// NewBlocks is a format of blocks.
func NewBlocks(name string, b Blocks) *Format {
	return &Format{Name: name, Bytes: blockKinds[b.Kind].bytes, Blocks: &b}
}

// decode is the texel at x, y of a block.
func (b *Blocks) decode(data []byte, x, y int) (t [4]float32) {
	c := blockKinds[b.Kind].texel(data, x, y)
	for i := 0; b.SRGB && i < 3; i++ {
		c[i] = CurveSRGB.apply(c[i])
	}
	for i, from := range b.From {
		switch {
		case from < BlockOne:
			t[i] = c[from]
		case from == BlockOne:
			t[i] = 1
		}
	}
	return t
}

func eacR(data []byte, x, y int) [4]float32 { return [4]float32{eacWide(data, x, y, false), 0, 0, 1} }
func eacRSigned(data []byte, x, y int) [4]float32 {
	return [4]float32{eacWide(data, x, y, true), 0, 0, 1}
}

func eacRG(data []byte, x, y int) [4]float32 {
	return [4]float32{eacWide(data, x, y, false), eacWide(data[8:], x, y, false), 0, 1}
}

func eacRGSigned(data []byte, x, y int) [4]float32 {
	return [4]float32{eacWide(data, x, y, true), eacWide(data[8:], x, y, true), 0, 1}
}

func etc2RGB(data []byte, x, y int) [4]float32   { return etc2Colour(data, x, y, false) }
func etc2Punch(data []byte, x, y int) [4]float32 { return etc2Colour(data, x, y, true) }

func etc2RGBA(data []byte, x, y int) [4]float32 {
	base, change := eacSteps(data, x, y)
	c := etc2Colour(data[8:], x, y, false)
	c[3] = float32(min(max(int(data[0])+change*base, 0), 255)) / 255
	return c
}

// etc2Colour returns the colour of a texel; punch says that the block may have transparent texels.
func etc2Colour(data []byte, x, y int, punch bool) (c [4]float32) {
	rgb, opaque := etc2(binary.BigEndian.Uint64(data), x, y, punch)
	if !opaque {
		return c
	}
	for i, v := range rgb {
		c[i] = float32(min(max(v, 0), 255)) / 255
	}
	c[3] = 1
	return c
}

// eacTable are the steps of EAC by table and index.
var eacTable = [16][8]int8{
	{-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10}, {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9}, {-2, -5, -8, -10, 1, 4, 7, 9}, {-2, -4, -8, -10, 1, 3, 7, 9}, {-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9}, {-1, -2, -3, -10, 0, 1, 2, 9}, {-4, -6, -8, -9, 3, 5, 7, 8}, {-3, -5, -7, -9, 2, 4, 6, 8},
}

// eacSteps are the multiplier of a block and the step of a texel.
func eacSteps(data []byte, x, y int) (multiplier, step int) {
	w := binary.BigEndian.Uint64(data)
	return int(w >> 52 & 15), int(eacTable[w>>48&15][w>>(45-3*(4*x+y))&7])
}

// eacWide is a component of eleven bits: from 0 to 1, or from -1 to 1.
func eacWide(data []byte, x, y int, signed bool) float32 {
	multiplier, step := eacSteps(data, x, y)
	if multiplier > 0 {
		step *= 8 * multiplier
	}
	if signed {
		return float32(min(max(max(int(int8(data[0])), -127)*8+step, -1023), 1023)) / 1023
	}
	return float32(min(max(int(data[0])*8+4+step, 0), 2047)) / 2047
}

// etcSteps are the two steps of ETC by table, etcFar those of its modes with two colours.
var (
	etcSteps = [8][2]int{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}
	etcFar   = [8]int{3, 6, 11, 16, 23, 32, 41, 64}
)

// A colour is red, green and blue, 0 to 255; sums may be outside this range.
type colour [3]int

func (c colour) plus(d int) colour { return colour{c[0] + d, c[1] + d, c[2] + d} }

// wide expands components of that many bits to eight.
func (c colour) wide(bits int) colour {
	for i := range c {
		c[i] = c[i]<<(8-bits) | c[i]>>(2*bits-8)
	}
	return c
}

// etc2 returns the texel of a colour block; punch says that the difference bit is an opacity bit.
func etc2(w uint64, x, y int, punch bool) (c colour, opaque bool) {
	f := func(at, bits int) int { return int(w >> at & (1<<bits - 1)) }
	n := 4*x + y
	index := f(16+n, 1)<<1 | f(n, 1)
	differs := f(33, 1) == 1
	clear := punch && !differs
	if !differs && !punch {
		pair := [2]colour{{f(60, 4), f(52, 4), f(44, 4)}, {f(56, 4), f(48, 4), f(40, 4)}}
		return etcStep(w, pair[etcHalf(w, x, y)].wide(4), x, y, index, false), true
	}
	a := colour{f(59, 5), f(51, 5), f(43, 5)}
	b := a
	for i := range b {
		b[i] += int(int8(f(56-8*i, 3)<<5) >> 5)
	}
	outside := func(i int) bool { return b[i] < 0 || b[i] > 31 }
	switch {
	case outside(0):
		c = etcT(f, index)
	case outside(1):
		c = etcH(f, index)
	case outside(2):
		return etcPlanar(f, x, y), true
	default:
		c = etcStep(w, [2]colour{a, b}[etcHalf(w, x, y)].wide(5), x, y, index, clear)
	}
	return c, !clear || index != 2
}

// etcHalf is which half of a block a texel is in.
func etcHalf(w uint64, x, y int) int {
	if w>>32&1 != 0 {
		return y / 2
	}
	return x / 2
}

// etcStep returns a colour plus the step of a texel; with clear the small step is 0.
func etcStep(w uint64, c colour, x, y, index int, clear bool) colour {
	steps := etcSteps[w>>(37-3*etcHalf(w, x, y))&7]
	if clear {
		steps[0] = 0
	}
	d := steps[index&1]
	if index&2 != 0 {
		d = -d
	}
	return c.plus(d)
}

// etcT is mode T: one colour, and three around another.
func etcT(f func(at, bits int) int, index int) colour {
	b := colour{f(44, 4), f(40, 4), f(36, 4)}.wide(4)
	d := etcFar[f(34, 2)<<1|f(32, 1)]
	return [4]colour{colour{f(59, 2)<<2 | f(56, 2), f(52, 4), f(48, 4)}.wide(4), b.plus(d), b, b.plus(-d)}[index]
}

// etcH is mode H: two colours around each of two.
func etcH(f func(at, bits int) int, index int) colour {
	a := colour{f(59, 4), f(56, 3)<<1 | f(52, 1), f(51, 1)<<3 | f(47, 3)}.wide(4)
	b := colour{f(43, 4), f(39, 4), f(35, 4)}.wide(4)
	at := f(34, 1)<<2 | f(32, 1)<<1
	if a[0]<<16|a[1]<<8|a[2] >= b[0]<<16|b[1]<<8|b[2] {
		at |= 1
	}
	d := etcFar[at]
	return [4]colour{a.plus(d), a.plus(-d), b.plus(d), b.plus(-d)}[index]
}

// etcPlanar is the planar mode: a plane through three colours.
func etcPlanar(f func(at, bits int) int, x, y int) (c colour) {
	six := func(v int) int { return v<<2 | v>>4 }
	seven := func(v int) int { return v<<1 | v>>6 }
	o := colour{six(f(57, 6)), seven(f(56, 1)<<6 | f(49, 6)), six(f(48, 1)<<5 | f(43, 2)<<3 | f(39, 3))}
	h := colour{six(f(34, 5)<<1 | f(32, 1)), seven(f(25, 7)), six(f(19, 6))}
	v := colour{six(f(13, 6)), seven(f(6, 7)), six(f(0, 6))}
	for i := range c {
		c[i] = min(max((x*(h[i]-o[i])+y*(v[i]-o[i])+4*o[i]+2)>>2, 0), 255)
	}
	return c
}
