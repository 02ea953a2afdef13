package gcnrun

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A texelCase is a format, and a texel in it: its bytes and its components.
type texelCase struct {
	name         string
	data, number int
	bytes        string // in hex, first byte first
	comps        [4]uint32
	noStore      bool // bytes do not follow from components, or stores are not supported
}

func fl(x float64) uint32 { return math.Float32bits(float32(x)) }

var one = fl(1)

// texelCases are written by hand from docs/reference/gcn.md 8.1.1 and 8.4.2.
var texelCases = []texelCase{
	{name: "8 unorm", data: 1, number: 0, bytes: "33", comps: [4]uint32{fl(51.0 / 255), 0, 0, one}},
	{name: "8 uint", data: 1, number: 4, bytes: "c3", comps: [4]uint32{0xc3, 0, 0, 1}},
	{name: "8_8 snorm", data: 3, number: 1, bytes: "7f81", comps: [4]uint32{one, fl(-1), 0, one}},
	{name: "8_8 snorm least", data: 3, number: 1, bytes: "4080", comps: [4]uint32{fl(64.0 / 127), fl(-1), 0, one}, noStore: true},
	{name: "16 sint", data: 2, number: 5, bytes: "feff", comps: [4]uint32{0xfffffffe, 0, 0, 1}},
	{name: "16 float", data: 2, number: 7, bytes: "003e", comps: [4]uint32{fl(1.5), 0, 0, one}},
	{name: "16_16 unorm", data: 5, number: 0, bytes: "ffff0080", comps: [4]uint32{one, fl(32768.0 / 65535), 0, one}},
	{name: "32 float", data: 4, number: 7, bytes: "0000c0bf", comps: [4]uint32{fl(-1.5), 0, 0, one}},
	{name: "32 sint", data: 4, number: 5, bytes: "f0ffff7f", comps: [4]uint32{0x7ffffff0, 0, 0, 1}},
	{name: "10_11_11 float", data: 6, number: 7, bytes: "c0031e80", comps: [4]uint32{fl(1), fl(1), fl(2), one}},
	{name: "2_10_10_10 unorm", data: 9, number: 0, bytes: "ff0310c0", comps: [4]uint32{one, 0, fl(1.0 / 1023), one}},
	{name: "10_10_10_2 uint", data: 8, number: 4, bytes: "07104080", comps: [4]uint32{3, 1, 1, 0x201}},
	{name: "8_8_8_8 unorm", data: 10, number: 0, bytes: "00ff8001", comps: [4]uint32{0, one, fl(128.0 / 255), fl(1.0 / 255)}},
	{name: "8_8_8_8 uscaled", data: 10, number: 2, bytes: "00ff8001", comps: [4]uint32{0, fl(255), fl(128), one}},
	{name: "8_8_8_8 sscaled", data: 10, number: 3, bytes: "00ff8001", comps: [4]uint32{0, fl(-1), fl(-128), one}},
	{name: "8_8_8_8 snorm_ogl", data: 10, number: 6, bytes: "007f80ff", comps: [4]uint32{fl(1.0 / 255), one, fl(-1), fl(-1.0 / 255)}},
	{name: "8_8_8_8 srgb", data: 10, number: 9, bytes: "00ff0a80", comps: [4]uint32{0, one, fl(10.0 / 255 / 12.92), fl(128.0 / 255)}, noStore: true},
	{name: "32_32 uint", data: 11, number: 4, bytes: "0100000002000080", comps: [4]uint32{1, 0x80000002, 0, 1}},
	{name: "16_16_16_16 float", data: 12, number: 7, bytes: "003c0040007c00bc", comps: [4]uint32{one, fl(2), fl(math.Inf(1)), fl(-1)}},
	{name: "32_32_32 float", data: 13, number: 7, bytes: "0000803f0000004000004040", comps: [4]uint32{one, fl(2), fl(3), one}},
	{name: "32_32_32_32 uint", data: 14, number: 4, bytes: "01000000020000000300000004000000", comps: [4]uint32{1, 2, 3, 4}},
	{name: "5_6_5 unorm", data: 16, number: 0, bytes: "1f04", comps: [4]uint32{one, fl(32.0 / 63), 0, one}},
	{name: "1_5_5_5 unorm", data: 17, number: 0, bytes: "0080", comps: [4]uint32{0, 0, 0, one}},
	{name: "5_5_5_1 unorm", data: 18, number: 0, bytes: "01f8", comps: [4]uint32{one, 0, 0, one}},
	{name: "4_4_4_4 unorm", data: 19, number: 0, bytes: "0ff3", comps: [4]uint32{one, 0, fl(3.0 / 15), one}},
	{name: "8_24 unorm", data: 20, number: 0, bytes: "ffffff00", comps: [4]uint32{one, 0, 0, one}},
	{name: "24_8 uint", data: 21, number: 4, bytes: "05010000", comps: [4]uint32{5, 1, 0, 1}},
	{name: "X24_8_32 float", data: 22, number: 7, bytes: "0000803f07000000", comps: [4]uint32{one, fl(7), 0, one}},
	{name: "5_9_9_9", data: 34, number: 7, bytes: "00010080", comps: [4]uint32{fl(1), 0, 0, one}, noStore: true},
	{name: "4_4 unorm", data: 57, number: 0, bytes: "f0", comps: [4]uint32{0, one, 0, one}},
	{name: "6_5_5 unorm", data: 58, number: 0, bytes: "1ffc", comps: [4]uint32{one, 0, one, one}},
}

// bytesOf returns the bytes of a case.
func (c *texelCase) bytesOf(t *testing.T) (b []byte) {
	if _, err := fmt.Sscanf(c.bytes, "%x", &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestImageFormats: image_load returns the components of a texel, image_store writes only its bytes.
func TestImageFormats(t *testing.T) {
	for i := range texelCases {
		c := &texelCases[i]
		t.Run(c.name, func(t *testing.T) {
			want := c.bytesOf(t)
			m := newMemRun(t)
			g := &image{kind: 9, data: c.data, number: c.number, bytes: len(want), width: 9, height: 3, depth: 1, levels: 1, selects: identity}
			g.put(m, 1, func(l, slice, y, x, comp int) uint32 { return 0 })
			m.v(20, func(lane int) uint32 { return uint32(lane % 9) })
			m.v(21, func(lane int) uint32 { return uint32(lane / 9) })
			for lane := range 27 {
				copy(m.global[imageAt+g.at(0, 0, lane/9, lane%9):], want)
			}
			m.run("image_load v[60:63], v[20:21], s[8:15] dmask:0xf unorm")
			for k, x := range c.comps {
				m.wantV(60+k, func(lane int) uint32 {
					if lane >= 27 {
						return 0 // before the image
					}
					return x
				})
			}
			if c.noStore {
				return
			}
			for k, x := range c.comps {
				m.v(70+k, all(x))
			}
			for at := range m.global {
				m.global[at] = 0x5a
			}
			m.run("image_store v[70:73], v[20:21], s[8:15] dmask:0xf unorm")
			expect := make([]byte, len(m.global))
			for at := range expect {
				expect[at] = 0x5a
			}
			for lane := range 27 {
				copy(expect[imageAt+g.at(0, 0, lane/9, lane%9):], want)
			}
			if diff := exectest.Differs(0, m.global, expect); diff != "" {
				t.Errorf("stores: %s", diff)
			}
		})
	}
}

// An accessCase is an image of one type with accesses to random texels.
type accessCase struct {
	kind, axes, depth, levels, base int
	slice                           bool
}

// TestImageAddresses: loads and stores of images of each type access the texel at their coordinates, slice and level;
// outside they access nothing.
func TestImageAddresses(t *testing.T) {
	for _, k := range []accessCase{
		{8, 1, 1, 1, 0, false}, {9, 2, 1, 3, 0, false}, {9, 2, 1, 4, 1, false}, {10, 3, 5, 3, 0, false}, {11, 2, 6, 1, 0, true}, {12, 1, 3, 1, 0, true},
		{13, 2, 3, 3, 0, true},
	} {
		for _, mip := range []bool{false, true} {
			k.access(t, mip)
		}
	}
}

// stamp returns a texel that encodes its position.
func stamp(l, slice, y, x, _ int) uint32 { return uint32(1 + l<<24 + slice<<16 + y<<8 + x) }

// place returns the offset of the texel at x, y, z, slice, level, and its value; -1 if there is none.
func (k *accessCase) place(g *image, p [5]int, mip bool) (off int, value uint32) {
	l, slice := k.base, 0
	if mip {
		l += p[4]
	}
	if l >= k.levels {
		return -1, 0
	}
	size := [3]int{max(g.width>>l, 1), max(g.height>>l, 1), max(k.depth>>l, 1)}
	for a := range k.axes {
		if p[a] < 0 || p[a] >= size[a] {
			return -1, 0
		}
	}
	if k.axes == 1 {
		p[1] = 0
	}
	switch {
	case k.axes == 3:
		slice = p[2]
	case k.slice:
		if slice = p[3]; slice < 0 || slice >= k.depth {
			return -1, 0
		}
	}
	return imageAt + g.at(l, slice, p[1], p[0]), stamp(l, slice, p[1], p[0], 0)
}

func (k *accessCase) access(t *testing.T, mip bool) {
	t.Helper()
	m := newMemRun(t)
	g := &image{kind: k.kind, data: 4, number: 4, bytes: 4, width: 12, height: 12, depth: k.depth, levels: k.levels, base: k.base, selects: identity}
	if k.axes == 1 {
		g.height = 1
	}
	g.put(m, 4, stamp)
	rnd := rand.New(rand.NewPCG(uint64(k.kind), uint64(k.levels)))
	var at [64][5]int // x y z slice level
	for lane := range at {
		at[lane] = [5]int{rnd.IntN(14) - 1, rnd.IntN(14) - 1, rnd.IntN(k.depth+2) - 1, rnd.IntN(k.depth+2) - 1, rnd.IntN(k.levels + 1)}
	}
	regs, name, modifier := []int{0, 1, 2}[:k.axes], "", " unorm"
	if k.slice {
		regs, modifier = append(regs[:k.axes:k.axes], 3), " unorm da"
	}
	if mip {
		regs, name = append(regs[:len(regs):len(regs)], 4), "_mip"
	}
	for i, a := range regs {
		m.v(20+i, func(lane int) uint32 { return uint32(at[lane][a]) })
	}
	for i, pck := range []string{"", "_pck"} {
		m.run(fmt.Sprintf("image_load%s%s v%d, v[20:23], s[8:15] dmask:0x1%s", name, pck, 60+i, modifier))
		m.wantV(60+i, func(lane int) uint32 { _, v := k.place(g, at[lane], mip); return v })
	}
	for _, pck := range []string{"", "_pck"} {
		want := append([]byte(nil), m.global...)
		m.v(70, func(lane int) uint32 { return 0xabc00000 + uint32(lane) })
		for lane := range 64 {
			if off, _ := k.place(g, at[lane], mip); off >= 0 {
				binary.LittleEndian.PutUint32(want[off:], 0xabc00000+uint32(lane))
			}
		}
		m.run("image_store" + name + pck + " v70, v[20:23], s[8:15] dmask:0x1" + modifier)
		if !slices.Equal(m.global, want) {
			t.Errorf("type %d, store%s%s: memory differs", k.kind, name, pck)
		}
		g.offset, g.pitch, g.rows = nil, nil, nil
		g.put(m, 4, stamp)
	}
}

// TestImagePacked: _pck_sgn sign-extends texels of 8 and 16 bits, dmask selects words of larger ones.
func TestImagePacked(t *testing.T) {
	m := newMemRun(t)
	g := &image{kind: 9, data: 3, number: 1, bytes: 2, width: 4, height: 1, depth: 1, levels: 2, selects: identity}
	g.put(m, 2, func(l, slice, y, x, c int) uint32 { return 0x9000 + uint32(x+16*l) })
	m.v(20, func(lane int) uint32 { return uint32(lane % 2) })
	m.v(21, all(0))
	m.v(22, all(1))
	m.run("image_load_pck_sgn v60, v[20:22], s[8:15] dmask:0x1 unorm")
	m.wantV(60, func(lane int) uint32 { return 0xffff9000 + uint32(lane%2) })
	m.run("image_load_mip_pck_sgn v60, v[20:22], s[8:15] dmask:0x1 unorm")
	m.wantV(60, func(lane int) uint32 { return 0xffff9010 + uint32(lane%2) })
	m.run("image_load_mip_pck v60, v[20:22], s[8:15] dmask:0x1 unorm")
	m.wantV(60, func(lane int) uint32 { return 0x9010 + uint32(lane%2) })

	m = newMemRun(t)
	g = &image{kind: 9, data: 14, number: 7, bytes: 16, width: 4, height: 1, depth: 1, levels: 1, selects: identity}
	g.put(m, 4, func(l, slice, y, x, c int) uint32 { return uint32(16*x + c) })
	m.v(20, func(lane int) uint32 { return uint32(lane % 4) })
	m.v(21, all(0))
	m.run("image_load_pck v[60:61], v[20:21], s[8:15] dmask:0xa unorm")
	m.wantV(60, func(lane int) uint32 { return uint32(16*(lane%4) + 1) })
	m.wantV(61, func(lane int) uint32 { return uint32(16*(lane%4) + 3) })
}

// TestImageData: dmask, selects, tfe and d16 determine the data registers.
func TestImageData(t *testing.T) {
	m := newMemRun(t)
	// z, one, x, zero
	g := &image{kind: 9, data: 12, number: 7, bytes: 8, width: 4, height: 1, depth: 1, levels: 1, selects: [4]int{6, 1, 4, 0}}
	halves := [4]uint32{0x3c00, 0x4000, 0x4200, 0x4400} // 1 2 3 4
	g.put(m, 2, func(l, slice, y, x, c int) uint32 { return halves[c] })
	m.v(20, all(0))
	m.v(21, all(0))
	load := func(text string, want ...uint32) {
		t.Helper()
		for i := range 6 {
			m.v(60+i, all(0xdead))
		}
		m.run(text)
		for i := range 6 {
			x := uint32(0xdead)
			if i < len(want) {
				x = want[i]
			}
			m.wantV(60+i, all(x))
		}
	}
	load("image_load v[60:63], v[20:21], s[8:15] dmask:0xf unorm", fl(3), fl(1), fl(1), 0)
	load("image_load v[60:61], v[20:21], s[8:15] dmask:0x9 unorm", fl(3), 0)
	load("image_load v[60:62], v[20:21], s[8:15] dmask:0x3 unorm tfe", fl(3), fl(1), 0)
	load("image_load v[60:62], v[20:21], s[8:15] dmask:0x7 unorm d16", 0x4200, 0x3c00, 0x3c00)
	m.v(20, all(9)) // outside: 0 in all components
	load("image_load v[60:63], v[20:21], s[8:15] dmask:0xf unorm", 0, 0, 0, 0)

	// A store writes the component of the first select that names it, and 0 for one that no select or dmask names.
	m.v(20, all(1))
	at := imageAt + g.at(0, 0, 0, 1)
	m.v(70, all(fl(0.5)))
	m.v(71, all(fl(0.25)))
	m.run("image_store v[70:71], v[20:21], s[8:15] dmask:0x5 unorm")
	if got := binary.LittleEndian.Uint64(m.global[at:]); got != 0x0000_3800_0000_3400 {
		t.Errorf("stored %#x", got)
	}
	m.v(70, all(0xffff3c00))
	m.run("image_store v70, v[20:21], s[8:15] dmask:0x1 unorm d16")
	if got := binary.LittleEndian.Uint64(m.global[at:]); got != 0x0000_3c00_0000_0000 {
		t.Errorf("stored %#x with d16", got)
	}
}

// TestImageSize: image_get_resinfo.
func TestImageSize(t *testing.T) {
	for _, c := range []struct {
		kind, depth int
		da          string
		want        [4]uint32 // of level 1
	}{{8, 1, "", [4]uint32{6, 1, 1, 2}}, {9, 1, "", [4]uint32{6, 3, 1, 2}}, {10, 5, "", [4]uint32{6, 3, 2, 2}}, {11, 6, " da", [4]uint32{6, 3, 1, 2}}, {13, 5, " da", [4]uint32{6, 3, 5, 2}}, {12, 5, " da", [4]uint32{6, 5, 1, 2}}} {
		m := newMemRun(t)
		g := &image{kind: c.kind, data: 1, number: 0, bytes: 1, width: 13, height: 7, depth: c.depth, levels: 3, base: 0, selects: identity}
		if c.kind == 8 || c.kind == 12 {
			g.height = 1
		}
		g.levels = 2
		g.put(m, 1, func(l, slice, y, x, c int) uint32 { return 0 })
		m.v(20, func(lane int) uint32 { return uint32(lane%2) + 1 })
		m.run("image_get_resinfo v[60:63], v20, s[8:15] dmask:0xf" + c.da)
		for i, x := range c.want {
			m.wantV(60+i, func(lane int) uint32 {
				if lane%2 == 1 && i < 3 {
					return 0 // there is no level 2
				}
				return x
			})
		}
	}
}

// imageAtomics are the operations as functions of the texel and the data: docs/reference/gcn.md 8.1.
var imageAtomics = map[string]func(m, d, cmp uint32) uint32{
	"swap": func(m, d, _ uint32) uint32 { return d },
	"cmpswap": func(m, d, c uint32) uint32 {
		if m == c {
			return d
		}
		return m
	},
	"add":  func(m, d, _ uint32) uint32 { return m + d },
	"sub":  func(m, d, _ uint32) uint32 { return m - d },
	"smin": func(m, d, _ uint32) uint32 { return uint32(min(int32(m), int32(d))) },
	"umin": func(m, d, _ uint32) uint32 { return min(m, d) },
	"smax": func(m, d, _ uint32) uint32 { return uint32(max(int32(m), int32(d))) },
	"umax": func(m, d, _ uint32) uint32 { return max(m, d) },
	"and":  func(m, d, _ uint32) uint32 { return m & d },
	"or":   func(m, d, _ uint32) uint32 { return m | d },
	"xor":  func(m, d, _ uint32) uint32 { return m ^ d },
	"inc": func(m, d, _ uint32) uint32 {
		if m >= d {
			return 0
		}
		return m + 1
	},
	"dec": func(m, d, _ uint32) uint32 {
		if m == 0 || m > d {
			return d
		}
		return m - 1
	},
}

// TestImageAtomic: each operation on the texels of 64 lanes, with and without glc, of 32 and some of 64 bits.
func TestImageAtomic(t *testing.T) {
	for name, f := range imageAtomics {
		for _, glc := range []string{"", " glc"} {
			rnd := rand.New(rand.NewPCG(1, 2))
			m := newMemRun(t)
			g := &image{kind: 9, data: 4, number: 4, bytes: 4, width: 8, height: 8, depth: 1, levels: 1, selects: identity}
			var texel, data, cmp [64]uint32
			for i := range texel {
				texel[i], data[i] = uint32(rnd.IntN(5)-2), uint32(rnd.IntN(5)-2)
				cmp[i] = texel[i] + uint32(rnd.IntN(2))
			}
			g.put(m, 4, func(l, slice, y, x, c int) uint32 { return texel[8*y+x] })
			m.v(20, func(lane int) uint32 { return uint32(lane % 8) })
			m.v(21, func(lane int) uint32 { return uint32(lane / 8) })
			m.v(60, func(lane int) uint32 { return data[lane] })
			m.v(61, func(lane int) uint32 { return cmp[lane] })
			m.st.Exec = 0x7fff_ffff_ffff_fffe
			vdata := "v60"
			dmask := "0x1"
			if strings.Contains(name, "cmp") {
				vdata, dmask = "v[60:61]", "0x3"
			}
			m.run("image_atomic_" + name + " " + vdata + ", v[20:21], s[8:15] dmask:" + dmask + " unorm" + glc)
			for lane := range 64 {
				want, result := f(texel[lane], data[lane], cmp[lane]), data[lane]
				if lane == 0 || lane == 63 {
					want = texel[lane]
				} else if glc != "" {
					result = texel[lane]
				}
				if got := m.word(imageAt + g.at(0, 0, lane/8, lane%8)); got != want {
					t.Errorf("%s%s: lane %d leaves %#x, want %#x", name, glc, lane, got, want)
				}
				if got := m.st.Get(gcn.VGPR(60), lane); got != result {
					t.Errorf("%s%s: lane %d has %#x, want %#x", name, glc, lane, got, result)
				}
			}
		}
	}
}

// TestImageAtomicWide: 64 bits, lanes outside the image, and texels of another size.
func TestImageAtomicWide(t *testing.T) {
	m := newMemRun(t)
	g := &image{kind: 9, data: 11, number: 4, bytes: 8, width: 8, height: 8, depth: 1, levels: 1, selects: identity}
	g.put(m, 4, func(l, slice, y, x, c int) uint32 { return 0xffffffff })
	m.v(20, perLane(1)) // all but 8 lanes are outside
	m.v(21, all(0))
	m.v(60, all(1))
	m.v(61, all(0))
	m.run("image_atomic_add v[60:61], v[20:21], s[8:15] dmask:0x3 unorm glc")
	for i := range 2 {
		m.wantV(60+i, func(lane int) uint32 {
			if lane < 8 {
				return 0xffffffff
			}
			return 0
		})
	}
	if got := binary.LittleEndian.Uint64(m.global[imageAt:]); got != 0 {
		t.Errorf("the sum of 64 bits is %#x", got)
	}
	if f := m.try("image_atomic_add v60, v[20:21], s[8:15] dmask:0x1 unorm"); f == nil || !strings.Contains(f.Error(), "an access of 4 bytes to texels of 8") {
		t.Errorf("32 bits of a texel of 64: %v", f)
	}
}

// TestImageLod: image_get_lod returns the level of detail, clamped and unclamped.
func TestImageLod(t *testing.T) {
	m := newMemRun(t)
	g := &image{kind: 9, data: 1, number: 0, bytes: 1, width: 32, height: 32, depth: 1, levels: 3, selects: identity}
	g.put(m, 1, func(l, slice, y, x, c int) uint32 { return 0 })
	s := samplerWords{maxLod: 2, minLod: 0.5, bias: 0.25}
	m.s(20, s.words()...)
	step := func(lane int) float64 { return float64(int(1) << (lane / 4 % 5)) } // texels to the next lane
	m.v(20, func(lane int) uint32 { return fl(float64(lane&1) * step(lane) / 32) })
	m.v(21, func(lane int) uint32 { return fl(float64(lane>>1&1) * step(lane) / 64) })
	m.run("image_get_lod v[60:61], v[20:21], s[8:15], s[20:23] dmask:0x3")
	m.wantV(61, func(lane int) uint32 { return fl(float64(lane/4%5) + 0.25) })
	m.wantV(60, func(lane int) uint32 { return fl(max(min(float64(lane/4%5)+0.25, 2), 0.5)) })
}

// TestImageTexels: without filters coordinates select the texel that contains them; unorm coordinates are not scaled by
// the size.
func TestImageTexels(t *testing.T) {
	for _, unorm := range []string{"", " unorm"} {
		m := newMemRun(t)
		g := &image{kind: 11, data: 4, number: 7, bytes: 4, width: 8, height: 8, depth: 6, levels: 1, selects: identity}
		g.put(m, 4, func(l, slice, y, x, c int) uint32 { return fl(float64(slice*64 + y*8 + x)) })
		s := samplerWords{maxLod: 2, clamp: [3]int{2, 2, 2}}
		m.s(20, s.words()...)
		scale, least := 1.0/8, 1.0 // on a face coordinates go from 1 to 2
		if unorm != "" {
			scale, least = 1, 0
		}
		m.v(20, func(lane int) uint32 { return fl((float64(lane%8)+0.25)*scale + least) })
		m.v(21, func(lane int) uint32 { return fl((float64(lane/8)+0.75)*scale + least) })
		m.v(22, func(lane int) uint32 { return fl(float64(lane % 6)) })
		m.run("image_sample_lz v60, v[20:22], s[8:15], s[20:23] dmask:0x1 da" + unorm)
		m.wantV(60, func(lane int) uint32 { return fl(float64(lane%6*64 + lane)) })
	}
}

// TestImageRefused: invalid descriptors are faults that say what is wrong.
func TestImageRefused(t *testing.T) {
	for _, c := range []struct {
		word  int
		clear uint32
		set   uint32
		want  string
	}{
		{3, 0x1f << 20, 14 << 20, "tiling index 14: only 8"},
		{3, 0xf << 28, 3 << 28, "type 3, want 8 to 15"},
		{1, 0x3f << 20, 48 << 20, "data format 48, FMASK8_S4_F2, which is not built"},
		{1, 0x3f << 20, 0, "data format 0, which does not exist"},
		{1, 0xf << 26, 12 << 26, "number format 12"},
		{6, 0, 1 << 21, "compression_en"},
		{3, 0, 1 << 12, "levels 1 to 0"},
		{1, 0xff, 0x55, "global load of 4 bytes"},
	} {
		m := newMemRun(t)
		g := &image{kind: 9, data: 10, number: 0, bytes: 4, width: 8, height: 8, depth: 1, levels: 1, selects: identity}
		g.put(m, 4, func(l, slice, y, x, c int) uint32 { return 0 })
		w := g.words(globalBase + imageAt)
		w[c.word] = w[c.word]&^c.clear | c.set
		m.s(8, w...)
		m.s(20, (&samplerWords{maxLod: 1}).words()...)
		m.v(20, all(0))
		m.v(21, all(0))
		for _, text := range []string{"image_load v60, v[20:21], s[8:15] dmask:0x1 unorm", "image_sample_lz v60, v[20:21], s[8:15], s[20:23] dmask:0x1"} {
			if f := m.try(text); f == nil || !strings.Contains(f.Error(), c.want) || !strings.Contains(f.Error(), "lane 0") {
				t.Errorf("%s: fault %v, want %s", text, f, c.want)
			}
		}
	}
}
