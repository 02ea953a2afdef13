package rogue

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

// TestSamples: one of several samples of a texel, next to each other or in planes; in rows with a stride, and twiddled.
func TestSamples(t *testing.T) {
	texels := noise(2 * 4 * 8 * 8)
	px, py := func(l int) int { return l % 5 }, func(l int) int { return l / 5 % 4 }
	sample := func(l int) int { return l % 4 }
	data := [][]uint32{places(func(l int) float64 { return float64(px(l)) + 0.5 }), places(func(l int) float64 { return float64(py(l)) + 0.5 }),
		numbers(func(l int) int { return sample(l)<<16 | 0x7<<19 })}
	for _, c := range []struct {
		name   string
		planes bool
		image  *state
		at     func(x, y, s int) int // in samples of two bytes
	}{
		{"rows", false, image(4, 7, 5, 4).put(0, 62, 2).put(1, 0, 6-1), func(x, y, s int) int { return 4*(6*y+x) + s }},
		{"rows in planes", true, image(4, 7, 5, 4).put(0, 62, 2).put(1, 0, 6-1), func(x, y, s int) int { return 6*4*s + 6*y + x }},
		{"twiddled", false, image(1, 7, 5, 5).put(0, 62, 2), func(x, y, s int) int { return 4*twist(x, y, 8) + s }},
		{"twiddled in planes", true, image(1, 7, 5, 5).put(0, 62, 2), func(x, y, s int) int { return 64*s + twist(x, y, 8) }},
	} {
		x := &shot{how: "2d.fcnorm.nncoords.sno", image: c.image, sampler: sampler(), texels: texels, data: data, chans: 2}
		if c.planes {
			x.options = map[string]string{"samples": "planes"}
		}
		x.want(t, c.name, 2, func(l, i int) uint32 { return unorm(texels[2*c.at(px(l), py(l), sample(l))+i]) })

		x.how = "2d.fcnorm.nncoords.sno.wrt"
		x.data = append(append([][]uint32{}, data...), numbers(func(l int) int { return l<<8 | 0x55 }))
		x.texels = make([]byte, len(texels))
		_, left, err := x.take(t, 0)
		if err != nil {
			t.Fatal(c.name, err)
		}
		want := make([]byte, len(texels))
		for l := range 32 { // the last lane that has a texel determines it
			binary.LittleEndian.PutUint16(want[2*c.at(px(l), py(l), sample(l)):], uint16(l<<8|0x55))
		}
		if string(left) != string(want) {
			t.Errorf("%s: stored % x, want % x", c.name, left, want)
		}
	}
	x := &shot{how: "2d.fcnorm.nncoords", image: image(4, 7, 5, 4).put(0, 62, 1).put(1, 0, 6-1), sampler: sampler(), texels: texels, data: data[:2]}
	x.want(t, "no number", 1, func(l, _ int) uint32 { return unorm(texels[4*(6*py(l)+px(l))]) })
}

// TestComparison: texels are compared with a reference by the state of the sampler, and the results blended; both
// orders, and both positions of the reference.
func TestComparison(t *testing.T) {
	texels := noise(4 * 16)
	ref := func(l int) float64 { return float64(float32(texels[4*(l%16)]) / 255) }
	holds := func(mode int, a, b float64) bool { // less, equal, greater by bit
		return mode&1 != 0 && a < b || mode&2 != 0 && a == b || mode&4 != 0 && a > b
	}
	refs := places(ref)
	cx, cy := places(func(l int) float64 { return (float64(l%3) + 1) / 4 }), places(func(l int) float64 { return (float64(l/3%3) + 1) / 4 })
	zero := []uint32{0}
	for mode := range 8 {
		for _, c := range []struct {
			how        string
			options    map[string]string
			data       [][]uint32
			texelFirst bool
		}{
			{"2d.comparison.fcnorm", nil, [][]uint32{cx, cy, refs}, false},
			{"2d.comparison.fcnorm", map[string]string{"comparison-order": "texel-reference"}, [][]uint32{cx, cy, refs}, true},
			{"2d.replace.pplod.comparison.fcnorm", nil, [][]uint32{cx, cy, refs, zero}, false},
			{"2d.replace.pplod.comparison.fcnorm", map[string]string{"comparison-reference": "last"}, [][]uint32{cx, cy, zero, refs}, false},
		} {
			x := &shot{how: c.how, image: image(4, 12, 4, 4).put(1, 0, 3), sampler: sampler().put(0, 36, 1).put(0, 38, 1).put(0, 59, uint64(mode)), texels: texels, data: c.data, options: c.options}
			x.want(t, fmt.Sprintf("%s, %v, mode %d", c.how, c.options, mode), 1, func(l, _ int) uint32 {
				passed := 0
				for i := range 4 {
					texel := float64(float32(texels[4*(4*(l/3%3+i/2)+l%3+i%2)]) / 255)
					a, b := float64(float32(ref(l))), texel
					if c.texelFirst {
						a, b = b, a
					}
					if holds(mode, a, b) {
						passed++
					}
				}
				return bitsOf(float64(passed) / 4)
			})
		}
	}
	x := &shot{how: "2d.data.comparison.fcnorm", image: image(4, 12, 4, 4).put(1, 0, 3), sampler: sampler().put(0, 59, 7), texels: texels, data: [][]uint32{cx, cy}}
	x.want(t, "raw texels are not compared", 1, func(l, _ int) uint32 { return unorm(texels[4*(4*(l/3%3)+l%3)]) })
}

// TestBorder: the colours of Vulkan, converted by the format and swizzled.
func TestBorder(t *testing.T) {
	outside := [][]uint32{{bitsOf(-3)}, {bitsOf(0.5)}}
	for n, want := range [6][4]float64{{}, {}, {3: 1}, {3: 1}, {1, 1, 1, 1}, {1, 1, 1, 1}} {
		s := sampler().put(0, 50, uint64(n))
		s[0] ^= (2 ^ 4) << 41
		for _, c := range []struct {
			format uint64
			how    string
			floats bool
			alpha  bool // the format has one
		}{{12, "2d.fcnorm", true, true}, {61, "2d.fcnorm", true, true}, {12, "2d", false, true}, {62, "2d", false, true}, {26, "2d.fcnorm", true, false}, {7, "2d.fcnorm", true, false}, {88, "2d.fcnorm", true, false}} {
			if (n&1 == 0) != c.floats {
				continue
			}
			x := &shot{how: c.how, image: image(4, c.format, 4, 4).put(1, 0, 3), sampler: s, texels: make([]byte, 256), data: outside, chans: 4}
			x.image[0] &^= 0xfff << 5
			x.image.put(0, 14, 3).put(0, 11, 0).put(0, 8, 4).put(0, 5, 5) // w, x, one, zero
			x.want(t, fmt.Sprintf("colour %d, format %d", n, c.format), 4, func(_, i int) uint32 {
				alpha := want[3]
				if !c.alpha {
					alpha = 1
				}
				v := [4]float64{alpha, want[0], 1, 0}[i]
				if !c.floats {
					return uint32(v)
				}
				return bitsOf(v)
			})
		}
	}
	s := sampler().put(0, 50, 5)
	s[0] ^= (2 ^ 4) << 41
	x := &shot{how: "2d.fcnorm", image: image(4, 12, 4, 4).put(1, 0, 3), sampler: s, texels: make([]byte, 256), data: outside, chans: 4}
	x.want(t, "ones of integers as fractions", 4, func(int, int) uint32 { return unorm(1) })
}

// TestInfo: weights of the filter in 256ths, levels of detail as integers and 256ths, before and after clamping.
func TestInfo(t *testing.T) {
	lod := func(l int) float64 { return float64(l)*0.3125 - 2.25 } // -2.25 to 7.4375
	level := func(l int) int { return int(math.Floor(math.Min(math.Max(lod(l), 0), 2))) }
	x := &shot{how: "2d.replace.pplod.info", image: image(1, 28, 8, 8).put(1, 0, 3).put(1, 15, 1), sampler: sampler(), texels: make([]byte, 64)}
	x.sampler.put(0, 36, 1).put(0, 38, 1).put(0, 40, 1)
	x.sampler[0] &^= 0x3ff<<23 | 0x3ff<<13
	x.sampler.put(0, 23, 6*64+32).put(0, 13, 16) // 0.25 to 6.5
	at := func(l, axis int) float64 { return float64((l*5+axis*11)%32)/32 + 1.0/128 }
	x.data = [][]uint32{places(func(l int) float64 { return at(l, 0) }), places(func(l int) float64 { return at(l, 1) }), places(lod)}
	info := func(l, i int) int {
		after := math.Min(math.Max(lod(l), 0.25), 6.5)
		switch i {
		case 0, 1:
			c := at(l, i)*float64(int(8)>>level(l)) - 0.5
			return int((c - math.Floor(c)) * 256)
		case 3:
			return int(after)
		case 4:
			return int(math.Floor(lod(l))) + 128
		case 5:
			return int((after - math.Floor(after)) * 256)
		case 6:
			return int((lod(l) - math.Floor(lod(l))) * 256)
		}
		return 0
	}
	x.want(t, "numbers", 7, func(l, i int) uint32 { return uint32(info(l, i)) })
	x.how = "2d.fcnorm.replace.pplod.info"
	x.want(t, "fractions", 7, func(l, i int) uint32 { return bitsOf(float64(info(l, i)) / 255) })

	texels := noise(4 * 16)
	x = &shot{how: "2d.fcnorm.both", image: image(4, 12, 4, 4).put(1, 0, 3), sampler: sampler(), texels: texels}
	x.data = [][]uint32{places(func(l int) float64 { return (float64(l%3) + 1.25) / 4 }), places(func(l int) float64 { return (float64(l/3%3) + 1) / 4 }), {0}}
	x.how = "2d.fcnorm.replace.pplod.both"
	data := func(l, i int) uint32 { return unorm(texels[4*(4*(l/3%3+i/2)+l%3+i%2)]) }
	weights := func(i int) uint32 { return bitsOf([7]float64{192, 128, 0, 0, 128, 0, 0}[i] / 255) }
	x.want(t, "texels, then weights", 11, func(l, i int) uint32 {
		if i < 4 {
			return data(l, i)
		}
		return weights(i - 4)
	})
	x.options = map[string]string{"bypass-order": "info-data"}
	x.want(t, "weights, then texels", 11, func(l, i int) uint32 {
		if i < 7 {
			return weights(i)
		}
		return data(l, i-7)
	})
}

// TestWhole: integer texel coordinates, one and three.
func TestWhole(t *testing.T) {
	texels := noise(4 * 4 * 4)
	row := &shot{how: "1d.fcnorm.integer", image: image(0, 0, 50, 1), sampler: sampler(), texels: texels, options: map[string]string{"texture": "rows"}}
	row.data = [][]uint32{numbers(func(l int) int { return l*3 - 20 })}
	row.want(t, "a row", 1, func(l, _ int) uint32 { return unorm(texels[min(max(l*3-20, 0), 49)]) })

	x := &shot{how: "3d.fcnorm.integer", image: image(2, 0, 4, 4).put(1, 4, 3), sampler: sampler(), texels: texels, options: map[string]string{"texture": "rows"}}
	n := func(l, axis int) int { return (l*7 + axis*l) % 4 }
	x.data = [][]uint32{numbers(func(l int) int { return n(l, 0) }), numbers(func(l int) int { return n(l, 1) }), numbers(func(l int) int { return n(l, 2) })}
	x.want(t, "a volume", 1, func(l, _ int) uint32 { return unorm(texels[16*n(l, 2)+4*n(l, 1)+n(l, 0)]) })
}

// TestPackedStore: texels that a program has packed are stored unchanged, those of four channels of 16 bits from words
// 0 and 2; for integer formats components are stored, also by default.
func TestPackedStore(t *testing.T) {
	word := func(l, i int) uint32 { return uint32(l)*0x01234567 + uint32(i)*0x10101010 }
	for _, c := range []struct {
		format uint64
		bytes  int
		fcnorm string
		texel  func(l int) []uint32 // its words
	}{
		{0, 1, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0)} }},
		{5, 2, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0)} }},
		{58, 3, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0)} }},
		{12, 4, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0)} }},
		{88, 4, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0)} }},
		{31, 6, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0), word(l, 2)} }},
		{28, 8, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0), word(l, 2)} }},
		{34, 8, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0), word(l, 1)} }},
		{64, 12, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0), word(l, 1), word(l, 2)} }},
		{61, 16, ".fcnorm", func(l int) []uint32 { return []uint32{word(l, 0), word(l, 1), word(l, 2), word(l, 3)} }},
		{12, 4, "", func(l int) []uint32 {
			var v uint32
			for i := range 4 {
				v |= min(word(l, i), 255) << (8 * i)
			}
			return []uint32{v}
		}},
		{35, 8, "", func(l int) []uint32 { return []uint32{word(l, 0), word(l, 1)} }},
	} {
		x := &shot{how: "2d" + c.fcnorm + ".nncoords.wrt", image: image(4, c.format, 8, 4).put(1, 0, 7), sampler: sampler(), texels: make([]byte, 32*c.bytes), chans: 4}
		x.data = [][]uint32{places(func(l int) float64 { return float64(l % 8) }), places(func(l int) float64 { return float64(l / 8) })}
		for i := range 4 {
			x.data = append(x.data, numbers(func(l int) int { return int(word(l, i)) }))
		}
		_, left, err := x.take(t, 0)
		if err != nil {
			t.Fatal(err)
		}
		for l := range 32 {
			var want []byte
			for _, w := range c.texel(l) {
				want = binary.LittleEndian.AppendUint32(want, w)
			}
			if got := left[l*c.bytes:][:c.bytes]; string(got) != string(want[:c.bytes]) {
				t.Fatalf("format %d: texel %d is % x, want % x", c.format, l, got, want[:c.bytes])
			}
		}
	}
}

// TestFormats: fields of formats, from the lowest bits up.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format uint64
		bits   [4]int // of each channel
		skip   int    // bits before the first
		bytes  int
	}{
		{3, [4]int{2, 3, 3, 8}, 0, 2}, {22, [4]int{24, 8}, 0, 4}, {23, [4]int{8}, 24, 4}, {32, [4]int{16, 16, 16}, 0, 6}, {39, [4]int{8}, 32, 8}, {58, [4]int{8, 8, 8}, 0, 3},
		{83, [4]int{1, 5, 5, 5}, 0, 2}, {85, [4]int{2, 10, 10, 10}, 0, 4}, {87, [4]int{8, 24}, 0, 4}, {5, [4]int{5, 6, 5}, 0, 2},
	} {
		texels := noise(32 * c.bytes)
		x := &shot{how: "2d.nncoords", image: image(4, c.format, 32, 1).put(1, 0, 31), sampler: sampler(), texels: texels, chans: 4}
		x.data = [][]uint32{places(func(l int) float64 { return float64(l) }), {0}}
		x.want(t, fmt.Sprintf("format %d", c.format), 4, func(l, i int) uint32 {
			at := c.skip
			for _, n := range c.bits[:i] {
				at += n
			}
			if c.bits[i] == 0 {
				return map[int]uint32{3: 1}[i]
			}
			var b [16]byte
			copy(b[:], texels[l*c.bytes:][:c.bytes])
			return uint32(binary.LittleEndian.Uint64(b[at/64*8:])>>(at%64)) & (1<<c.bits[i] - 1)
		})
	}
	small := func(v uint32, bits int) uint32 { // a float of five bits of exponent, here without denormals
		return (v>>(bits-5)+127-15)<<23 | v&(1<<(bits-5)-1)<<(23-(bits-5))
	}
	texels := make([]byte, 4*32)
	for l := range 32 {
		binary.LittleEndian.PutUint32(texels[4*l:], (0x1e0+uint32(l))|(0x3c0+2*uint32(l))<<10|(0x3c0+uint32(3*l))<<21)
	}
	x := &shot{how: "2d.fcnorm.nncoords", image: image(4, 27, 32, 1).put(1, 0, 31), sampler: sampler(), texels: texels, chans: 4}
	x.data = [][]uint32{places(func(l int) float64 { return float64(l) }), {0}}
	x.want(t, "small floats", 4, func(l, i int) uint32 {
		return [4]uint32{small(0x1e0+uint32(l), 10), small(0x3c0+uint32(2*l), 11), small(0x3c0+uint32(3*l), 11), bitsOf(1)}[i]
	})
}

// TestBlocks: textures of blocks of four by four texels, whose levels are twiddled by blocks; channels are swizzled.
func TestBlocks(t *testing.T) {
	// 10 by 16 texels in 4 by 4 blocks, 5 by 8 in 2 by 2, 2 by 4 in one.
	blocks := noise(8 * (16 + 4 + 1))
	base, side, size := [3]int{0, 16, 20}, [3]int{4, 2, 1}, [3][2]int{{10, 16}, {5, 8}, {2, 4}}
	for i := range len(blocks) / 8 { // individual colours of two halves, without differences
		blocks[8*i+3] &^= 2
	}
	level := func(l int) int { return l % 3 }
	px := func(l int) int { return l * 7 % size[level(l)][0] }
	py := func(l int) int { return l * 5 % size[level(l)][1] }
	colour := func(l, comp int) int {
		at := 8 * (base[level(l)] + twist(px(l)/4, py(l)/4, side[level(l)]))
		b := binary.BigEndian.Uint64(blocks[at:])
		x, y := px(l)%4, py(l)%4
		half := x / 2
		if b>>32&1 != 0 {
			half = y / 2
		}
		step := [8][2]int{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}[b>>(37-3*half)&7][b>>(4*x+y)&1]
		if b>>(16+4*x+y)&1 != 0 {
			step = -step
		}
		return min(max(17*int(b>>(60-8*comp-4*half)&15)+step, 0), 255)
	}
	x := &shot{how: "2d.fcnorm.nncoords.replace.pplod", image: image(1, 68, 10, 16).put(1, 0, 3).put(1, 15, 1).put(1, 54, 1), sampler: sampler(), texels: blocks, chans: 4}
	x.image[0] &^= 0xfff << 5
	x.image.put(0, 14, 2).put(0, 11, 0).put(0, 8, 3).put(0, 5, 5) // z, x, w, zero
	x.data = [][]uint32{places(func(l int) float64 { return float64(px(l)) + 0.5 }), places(func(l int) float64 { return float64(py(l)) + 0.5 }), places(func(l int) float64 { return float64(level(l)) })}
	x.want(t, "blocks", 4, func(l, i int) uint32 {
		if i > 1 {
			return [4]uint32{2: bitsOf(1), 3: 0}[i]
		}
		return unorm(byte(colour(l, [2]int{2, 0}[i])))
	})
	x.sampler[0] ^= (2 ^ 4) << 41
	x.sampler.put(0, 50, 4)
	x.data[0] = places(func(int) float64 { return -1 })
	x.want(t, "white border", 4, func(_, i int) uint32 { return []uint32{bitsOf(1), bitsOf(1), bitsOf(1), 0}[i] })
}
