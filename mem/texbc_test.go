package mem

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/num"
)

// s3tc is the colour of a texel of a block of 64 bits, as the Khronos data format specification has it: RGB0 and RGB1
// in 5, 6 and 5 bits, then mixes in thirds, or a half and black.
func s3tc(block uint64, x, y int, four bool) (c [3]float64, opaque bool) {
	ends := [2]uint64{block & 0xffff, block >> 16 & 0xffff}
	code := block >> (32 + 2*(4*y+x)) & 3
	mix := func(c0, c1 float64) float64 {
		switch {
		case code == 0:
			return c0
		case code == 1:
			return c1
		case code == 2 && (four || ends[0] > ends[1]):
			return (2*c0 + c1) / 3
		case code == 2:
			return (c0 + c1) / 2
		case four || ends[0] > ends[1]:
			return (c0 + 2*c1) / 3
		}
		return 0
	}
	for i := range c {
		part := func(e uint64) float64 {
			return [3]float64{float64(e>>11) / 31, float64(e>>5&63) / 63, float64(e&31) / 31}[i]
		}
		c[i] = mix(part(ends[0]), part(ends[1]))
	}
	return c, code != 3 || four || ends[0] > ends[1]
}

// rgtc is the component of a texel of a block of 64 bits: RED0 and RED1, then six or four mixes, then the least and the
// largest value.
func rgtc(block uint64, x, y int, signed bool) float64 {
	r0, r1, low, top := float64(block&255), float64(block>>8&255), 0.0, 255.0
	if signed {
		r0, r1, low, top = float64(int8(block)), float64(int8(block>>8)), -127, 127
	}
	code := float64(block >> (16 + 3*(4*y+x)) & 7)
	above := r0 > r1
	r0, r1 = max(r0, low), max(r1, low)
	switch {
	case code < 2:
		return [2]float64{r0, r1}[int(code)] / top
	case above:
		return ((8-code)*r0 + (code-1)*r1) / 7 / top
	case code < 6:
		return ((6-code)*r0 + (code-1)*r1) / 5 / top
	}
	return [2]float64{low, top}[int(code)-6] / top
}

// TestBC: texels of blocks of BC1 to BC5 are those of the specification's formulas.
func TestBC(t *testing.T) {
	rnd := rand.New(rand.NewPCG(71, 72))
	for range 300 {
		low, high := rnd.Uint64(), rnd.Uint64()
		if rnd.IntN(4) == 0 { // equal endpoints, and the two that signed components take for -1
			low = low&^0xffff | uint64([4]uint16{0x8081, 0x8180, 0x8080, 0x7f7f}[rnd.IntN(4)])
			high = high&^0xffffffff | high&0xffff<<16 | high&0xffff
		}
		data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
		for at := range 16 {
			x, y := at%4, at/4
			one, opaque := s3tc(low, x, y, false)
			two, _ := s3tc(high, x, y, true)
			alpha := 0.0
			if opaque {
				alpha = 1
			}
			for kind, want := range map[BlockKind][4]float64{
				BC1: {one[0], one[1], one[2], alpha},
				BC2: {two[0], two[1], two[2], float64(low>>(4*at)&15) / 15},
				BC3: {two[0], two[1], two[2], rgtc(low, x, y, false)},
				BC4: {rgtc(low, x, y, false), 0, 0, 1}, BC4Signed: {rgtc(low, x, y, true), 0, 0, 1},
				BC5:       {rgtc(low, x, y, false), rgtc(high, x, y, false), 0, 1},
				BC5Signed: {rgtc(low, x, y, true), rgtc(high, x, y, true), 0, 1},
			} {
				f := NewBlocks("bc", Blocks{Kind: kind, From: [4]uint8{0, 1, 2, 3}})
				got := f.Blocks.decode(data[:f.Bytes], x, y)
				for i := range got {
					if math.Abs(float64(got[i])-want[i]) > 1e-7 {
						t.Fatalf("kind %d, % x at %d, %d: %v, want %v", kind, data, x, y, got, want)
					}
				}
			}
		}
	}
}

// TestBPTC: texels of blocks of each mode of BC6H and BC7 are those of testdata/bptc.txt, which another decoder has
// made.
func TestBPTC(t *testing.T) {
	file, err := os.Open("testdata/bptc.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kinds := map[string]BlockKind{"bc7": BC7, "bc6": BC6, "bc6signed": BC6Signed}
	blocks := map[BlockKind]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		words := strings.Fields(lines.Text())
		kind := kinds[words[0]]
		block, err1 := hex.DecodeString(words[1])
		want, err2 := hex.DecodeString(words[2])
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		blocks[kind]++
		f := NewBlocks(words[0], Blocks{Kind: kind, From: [4]uint8{0, 1, 2, 3}})
		for at := range 16 {
			got := f.Blocks.decode(block, at%4, at/4)
			for i := range got {
				w := float32(1)
				switch {
				case kind == BC7:
					w = float32(want[4*at+i]) / 255
				case i < 3:
					half := binary.LittleEndian.Uint16(want[6*at+2*i:])
					w = math.Float32frombits(uint32(num.FCvt(16, 32, num.ModeSet, uint64(half))))
				}
				if got[i] != w {
					t.Errorf("%s, %s at %d, %d, component %d: %v, want %v", words[0], words[1], at%4, at/4, i, got[i], w)
				}
			}
		}
	}
	if blocks[BC7] != 72 || blocks[BC6] != 32 || blocks[BC6Signed] != 32 {
		t.Errorf("blocks by kind: %v", blocks)
	}
}

// TestBPTCRegions: every partition has texels in all its regions, texel 0 in the first, and the texel whose index is
// shorter in the region that it is the first of.
func TestBPTCRegions(t *testing.T) {
	for p := range 64 {
		for regions := 2; regions <= 3; regions++ {
			s := bptcShape{regions, p}
			var texels [3]int
			for k := range 16 {
				r := s.region(k)
				if r >= regions {
					t.Fatalf("partition %d of %d regions: texel %d in region %d", p, regions, k, r)
				}
				texels[r]++
			}
			short, n := s.short()
			for r := range regions {
				if texels[r] == 0 || n != regions || s.region(short[r]) != r {
					t.Errorf("partition %d of %d regions: region %d has %d texels, and texel %d has its short index", p, regions, r, texels[r], short[r])
				}
			}
		}
	}
}

// TestBlockTexels: texels of blocks by integer coordinates: the address of the block, the texel from the bytes of the
// block, and the texel at once.
func TestBlockTexels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(73, 74))
	s, err := NewSpace("global", NewSegment("texels", 0x1000, 4096, Read))
	if err != nil {
		t.Fatal(err)
	}
	data, _ := s.At(&Cursor{}, 0x1000, 4096, Read)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	f := NewBlocks("BC7", Blocks{Kind: BC7, From: [4]uint8{0, 1, 2, 3}})
	tex := Texture{Target: Texture2D, Format: f, Width: 19, Height: 13, Layers: 2, Guest: &Placement{Space: s, Levels: []Plane{{Base: 0x1000, Row: 128, Slice: 512}}}}
	u, err := NewUnit(tex, Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	for layer := range uint32(2) {
		for at := range uint32(19 * 13) {
			x, y := at%19, at/19
			want := 0x1000 + uint64(layer*512+y/4*128+x/4*16)
			addr, n := u.Block([3]uint32{x, y}, layer, 0)
			if _, none := u.Place([3]uint32{x, y}, layer, 0); addr != want || n != 16 || none != 0 {
				t.Fatalf("%d, %d: block of %d bytes at %#x, want 16 at %#x; texel of %d bytes", x, y, n, addr, want, none)
			}
			block := data[want-0x1000:][:16]
			var raw, bits [4]uint32
			for i := range raw {
				raw[i] = binary.LittleEndian.Uint32(block[4*i:])
			}
			for i, v := range f.Blocks.decode(block, int(x%4), int(y%4)) {
				bits[i] = math.Float32bits(v)
			}
			got, err := u.Texel(&Spot{At: [3]uint32{x, y}, Slice: layer})
			if u.Decode(raw, x, y) != bits || got != bits || err != nil {
				t.Fatalf("%d, %d: %x and %x, %v, want %x", x, y, u.Decode(raw, x, y), got, err, bits)
			}
		}
	}
	if _, n := u.Block([3]uint32{19, 0}, 0, 0); n != 0 {
		t.Error("a block outside of the image")
	}
	if _, err := u.Encode([4]uint32{}); err == nil {
		t.Error("a texel of a block is written")
	}
}
