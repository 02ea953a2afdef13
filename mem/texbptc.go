package mem

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// Blocks of BC6H and BC7. Source: the Khronos data format specification, chapter BPTC. A block has one to three
// regions. Each has a line of colours between two endpoints, on which an index selects the colour of a texel.

// A bptcBits reads the fields of a block, lowest bits first.
type bptcBits struct {
	low, high uint64
}

func bptcOf(data []byte) *bptcBits {
	return &bptcBits{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])}
}

// take returns the next n bits.
func (b *bptcBits) take(n int) int {
	v := b.low & (1<<n - 1)
	b.low, b.high = b.low>>n|b.high<<(64-n), b.high>>n
	return int(v)
}

// bptcRegions2 and bptcRegions3 are the regions of texels by partition: two bits of each texel, the first lowest.
var (
	bptcRegions2 = [64]uint32{
		0x50505050, 0x40404040, 0x54545454, 0x54505040, 0x50404000, 0x55545450, 0x55545040, 0x54504000,
		0x50400000, 0x55555450, 0x55544000, 0x54400000, 0x55555440, 0x55550000, 0x55555500, 0x55000000,
		0x55150100, 0x00004054, 0x15010000, 0x00405054, 0x00004050, 0x15050100, 0x05010000, 0x40505054,
		0x00404050, 0x05010100, 0x14141414, 0x05141450, 0x01155440, 0x00555500, 0x15014054, 0x05414150,
		0x44444444, 0x55005500, 0x11441144, 0x05055050, 0x05500550, 0x11114444, 0x41144114, 0x44111144,
		0x15055054, 0x01055040, 0x05041050, 0x05455150, 0x14414114, 0x50050550, 0x41411414, 0x00141400,
		0x00041504, 0x00105410, 0x10541000, 0x04150400, 0x50410514, 0x41051450, 0x05415014, 0x14054150,
		0x41050514, 0x41505014, 0x40011554, 0x54150140, 0x50505500, 0x00555050, 0x15151010, 0x54540404,
	}
	bptcRegions3 = [64]uint32{
		0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
		0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
		0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
		0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
		0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
		0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
		0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
		0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
	}
)

// The texels whose index lacks its highest bit, which is 0: texel 0 in the first region, and in the others the one that
// the hexadecimal digit of the partition names.
const (
	bptcShort2 = "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f"
	bptcShort3 = "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33"
	bptcThird3 = "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8"
)

// bptcWeights are the weights of the second endpoint, of 64, by the bits of an index.
var bptcWeights = [5][16]int{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// A bptcShape is the regions of a block by its partition.
type bptcShape struct{ regions, partition int }

// region returns the region of a texel.
func (s bptcShape) region(texel int) int {
	switch s.regions {
	case 2:
		return int(bptcRegions2[s.partition] >> (2 * texel) & 3)
	case 3:
		return int(bptcRegions3[s.partition] >> (2 * texel) & 3)
	}
	return 0
}

// short returns the texels whose index lacks its highest bit, one of each region.
func (s bptcShape) short() (texels [3]int, n int) {
	digit := func(list string) int { return strings.IndexByte("0123456789abcdef", list[s.partition]) }
	switch s.regions {
	case 2:
		texels[1] = digit(bptcShort2)
	case 3:
		texels[1], texels[2] = digit(bptcShort3), digit(bptcThird3)
	}
	return texels, s.regions
}

// weight reads the indices of n bits of all texels, and returns the weight of one.
func (s bptcShape) weight(b *bptcBits, n, texel int) int {
	at, size := n*texel, n
	texels, shorts := s.short()
	for _, k := range texels[:shorts] {
		switch {
		case k < texel:
			at--
		case k == texel:
			size--
		}
	}
	one := *b
	one.take(at)
	b.take(16*n - shorts)
	return bptcWeights[n][one.take(size)]
}

// bptcMix is the value between two endpoints.
func bptcMix(a, b, weight int) int { return (a*(64-weight) + b*weight + 32) >> 6 }

// A bptcMode is a mode of BC7: what the fields of its blocks are.
type bptcMode struct {
	regions, partition, rotation, choice uint8 // number of regions; bits of the partition, the rotation, and the choice of the indices
	colour, alpha                        uint8 // bits of a component of an endpoint
	each, shared                         uint8 // 1: each endpoint, or both of a region, have one more lowest bit
	index, second                        uint8 // bits of an index, and of a second one
}

var bptcModes = [8]bptcMode{
	{regions: 3, partition: 4, colour: 4, each: 1, index: 3},
	{regions: 2, partition: 6, colour: 6, shared: 1, index: 3},
	{regions: 3, partition: 6, colour: 5, index: 2},
	{regions: 2, partition: 6, colour: 7, each: 1, index: 2},
	{regions: 1, rotation: 2, choice: 1, colour: 5, alpha: 6, index: 2, second: 3},
	{regions: 1, rotation: 2, colour: 7, alpha: 8, index: 2, second: 2},
	{regions: 1, colour: 7, alpha: 7, each: 1, index: 4},
	{regions: 2, partition: 6, colour: 5, alpha: 5, each: 1, index: 2},
}

// bc7 returns the colour of a texel of a BC7 block. A block of no mode is transparent black.
func bc7(data []byte, x, y int) (c [4]float32) {
	number := bits.TrailingZeros8(data[0])
	if number >= len(bptcModes) {
		return c
	}
	m, b := &bptcModes[number], bptcOf(data)
	b.take(number + 1)
	shape := bptcShape{int(m.regions), b.take(int(m.partition))}
	rotation, choice := b.take(int(m.rotation)), b.take(int(m.choice))
	ends := m.endpoints(b)
	texel := 4*y + x
	pair := ends[2*shape.region(texel):]
	w := [2]int{shape.weight(b, int(m.index), texel)} // of colours and of alpha
	if w[1] = w[0]; m.second > 0 {
		w[1] = shape.weight(b, int(m.second), texel)
	}
	if choice == 1 {
		w[0], w[1] = w[1], w[0]
	}
	for i := range c {
		weight := w[0]
		if i == 3 {
			weight = w[1]
		}
		c[i] = float32(bptcMix(pair[0][i], pair[1][i], weight)) / 255
	}
	if rotation > 0 {
		c[rotation-1], c[3] = c[3], c[rotation-1]
	}
	return c
}

// endpoints reads the endpoints of all regions, expanded to 8 bits.
func (m *bptcMode) endpoints(b *bptcBits) (ends [6][4]int) {
	n := 2 * int(m.regions)
	for i := range 4 {
		for k := range n {
			if i < 3 {
				ends[k][i] = b.take(int(m.colour))
			} else {
				ends[k][i] = b.take(int(m.alpha))
			}
		}
	}
	var last [6]int
	for k := range n {
		switch {
		case m.each > 0:
			last[k] = b.take(1)
		case m.shared > 0 && k&1 == 0:
			last[k] = b.take(1)
			last[k+1] = last[k]
		}
	}
	more := int(m.each | m.shared)
	for k := range n {
		for i := range 4 {
			size := int(m.colour) + more
			if i == 3 {
				size = int(m.alpha) + more
			}
			v := ends[k][i]<<more | last[k]
			ends[k][i] = v<<(8-size) | v>>max(2*size-8, 0)
		}
		if m.alpha == 0 {
			ends[k][3] = 255
		}
	}
	return ends
}
