package gcn

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/mem"
)

// chipModes are GB_ADDR_CONFIG, the tile modes and the macro tile modes of chips, as kernel drivers set them.
var chipModes = map[string][3]string{
	"6 tahiti": {"12011003", "360292 360a92 361292 122a92 28a 21a92 31292 22112 4 288 361290 351290 301a90 289 321291 311291 301a91 302a91 28d 302aa1 302a9d 131291 121291 31291 21a91 22111 22111 22111 22111 22111 12911 0", ""},
	"6 verde":  {"12010002", "3a0112 3a0912 3a1112 212912 10a 111912 121112 22112 4 108 3a1110 351110 341910 109 361111 351111 341911 342911 10d 342921 34291d 221111 211111 121111 111911 22111 22111 22111 22111 22111 12911 0", ""},
	"7 bonaire": {"12010001", "800150 800950 801150 801950 802950 800148 802954 2800 144 148 2000150 6000154 2800 400148 2400150 2400170 6400154 2800 40014c 40014c 40015c 400174 400164 2800 40015c 400160 400178 c00148 2c00150 6c00154 2800 0",
		"e8 e4 d0 d0 d0 90 40 0 ed e9 e8 e4 d0 90 40 0"},
	"7 hawaii": {"12011003", "800450 800c50 801450 801c50 802c50 802c48 802c54 802954 444 448 2000450 6000454 6000158 400448 2400450 2400470 6400454 6400154 40044c 100044c 100045c 1000474 1000464 1000164 40045c 1000460 1000478 c00448 2c00450 6c00454 6c00154 0",
		"d8 d4 c0 c0 80 40 40 0 d8 d4 c0 80 d0 90 40 0"},
	"8 polaris10": {"22011003", "800310 800b10 801310 801b10 802b10 802b08 802b14 802954 304 2000308 2000310 6000314 6000154 2400308 2400310 2400330 6400314 6400154 40030c 100030c 100031c 1000334 1000324 1000164 40031c 1000320 1000338 2c00308 2c00310 6c00314 6c00154 0",
		"e8 e8 e8 e8 d4 c0 c0 0 ec e8 d4 d0 80 40 40 0"},
	"8 polaris11": {"22011002", "800150 800950 801150 801950 802950 802948 802954 802954 144 2000148 2000150 6000154 6000154 2400148 2400150 2400170 6400154 6400154 40014c 100014c 100015c 1000174 1000164 1000164 40015c 1000160 1000178 2c00148 2c00150 6c00154 6c00154 0",
		"e8 e8 e8 e4 d0 d0 d0 0 ed e9 e8 e4 d0 90 40 0"},
}

// tilingOf returns the tiling of a chip of chipModes.
func tilingOf(name string) *Tiling {
	words := func(text string) (list []uint32) {
		for _, w := range strings.Fields(text) {
			v, err := strconv.ParseUint(w, 16, 32)
			if err != nil {
				panic(err)
			}
			list = append(list, uint32(v))
		}
		return list
	}
	c := chipModes[name]
	t := &Tiling{Gen: int(name[0] - '0'), AddrConfig: words(c[0])[0]}
	copy(t.Modes[:], words(c[1]))
	copy(t.Macro[:], words(c[2]))
	return t
}

// A formula is a tile mode by the rules that AMD's address library states for each texel, in their form.
type formula struct {
	array, order, texel                  int
	pipes, banks, width, height, aspect  int
	split, thick                         int
	pipeConfig                           int
	rotatesBanks, rotatesPipes, resetsXY bool
	macro, splitRotates                  bool
	pitch, rows                          int
	samples                              int
}

// formulaOf decodes the registers.
func formulaOf(t *Tiling, index, texel, samples int) *formula {
	w := t.Modes[index]
	f := &formula{array: int(w >> 2 & 15), texel: texel, samples: samples, pipeConfig: int(w >> 6 & 31)}
	f.thick = []int{1, 1, 1, 4, 1, 1, 1, 4, 8, 4, 4, 1, 1, 4, 8, 4}[f.array]
	f.macro = f.array >= 4
	f.rotatesBanks = slices.Contains([]int{4, 7, 8}, f.array)
	f.rotatesPipes = slices.Contains([]int{12, 13, 14}, f.array)
	f.splitRotates = slices.Contains([]int{4, 12, 6, 11}, f.array)
	f.resetsXY = f.array == 5 || f.array == 9
	f.pipes = map[int]int{0: 2, 4: 4, 5: 4, 6: 4, 9: 8, 10: 8, 11: 8, 12: 8, 13: 8, 16: 16, 17: 16}[f.pipeConfig]
	bank := [4]uint32{w >> 14, w >> 16, w >> 18, w >> 20}
	f.order, f.split = int(w&3), 64<<(w>>11&7)
	if t.Gen > 6 {
		f.order = int(w >> 22 & 7)
		bytes := texel * 64 * f.thick
		if f.order != 2 {
			f.split = max(256, bytes*(1<<(w>>25&3)))
		}
		f.split = min(f.split, 1024<<(t.AddrConfig>>28&3))
		i := 0
		for n := min(bytes*samples, f.split); n > 64; n /= 2 {
			i++
		}
		if slices.Contains([]int{5, 6, 9, 10, 11, 15}, f.array) {
			i += 8
		}
		m := t.Macro[i]
		bank = [4]uint32{m, m >> 2, m >> 4, m >> 6}
	}
	f.width, f.height, f.aspect, f.banks = 1<<(bank[0]&3), 1<<(bank[1]&3), 1<<(bank[2]&3), 2<<(bank[3]&3)
	if f.macro {
		f.restrict(1024 << (t.AddrConfig >> 28 & 3))
	}
	return f
}

// restrict applies the restrictions of hardware to the shape of banks: a bank has 256 bytes or more, and tiles that all
// pipes have side by side in a block too; no more than a row of memory, by less width and then less height.
func (f *formula) restrict(row int) {
	tile := min(f.split, 64*f.thick*f.texel*f.samples)
	for tile*f.width*f.height < 256 {
		f.height *= 2
	}
	for tile*f.width*f.pipes*f.aspect < 256 {
		f.aspect *= 2
	}
	for tile*f.width*f.height > row && f.width > 1 {
		f.width /= 2
	}
	for tile*f.width*f.height > row && f.height > max(1, 256/(tile*f.width)) {
		f.height /= 2
	}
}

// inTile is the number of a texel in its tile.
func (f *formula) inTile(x, y, z int) (n int) {
	bit := func(v, i int) int { return v >> i & 1 }
	x0, x1, x2, y0, y1, y2, z0, z1, z2 := bit(x, 0), bit(x, 1), bit(x, 2), bit(y, 0), bit(y, 1), bit(y, 2), bit(z, 0), bit(z, 1), bit(z, 2)
	var b []int
	switch {
	case f.order == 4 && f.texel <= 2:
		b = []int{x0, y0, x1, y1, z0, z1, x2, y2}
	case f.order == 4 && f.texel == 4:
		b = []int{x0, y0, x1, z0, y1, z1, x2, y2}
	case f.order == 4:
		b = []int{x0, y0, z0, x1, y1, z1, x2, y2}
	case f.order == 0:
		b = map[int][]int{1: {x0, x1, x2, y1, y0, y2}, 2: {x0, x1, x2, y0, y1, y2}, 4: {x0, x1, y0, x2, y1, y2}, 8: {x0, y0, x1, x2, y1, y2}, 16: {y0, x0, x1, x2, y1, y2}}[f.texel]
	case f.order == 3:
		b = map[int][]int{1: {y0, y1, y2, x1, x0, x2}, 2: {y0, y1, y2, x0, x1, x2}, 4: {y0, y1, x0, y2, x1, x2}, 8: {y0, x0, y1, x1, x2, y2}}[f.texel]
	default:
		b = []int{x0, y0, x1, y1, x2, y2}
	}
	if f.order != 4 && f.thick > 1 {
		b = append(b, z0, z1)
	}
	if f.thick == 8 {
		b = append(b, z2)
	}
	for i, v := range b {
		n |= v << i
	}
	return n
}

// pipe is the number of the pipe of a tile without rotation, by the tile's coordinates.
func (f *formula) pipe(tx, ty int) int {
	x := func(i int) int { return tx >> (i - 3) & 1 }
	y := func(i int) int { return ty >> (i - 3) & 1 }
	switch f.pipeConfig {
	case 0:
		return x(3) ^ y(3)
	case 4:
		return x(4) ^ y(3) | (x(3)^y(4))<<1
	case 5:
		return x(3) ^ y(3) ^ x(4) | (x(4)^y(4))<<1
	case 10:
		return x(4) ^ y(3) ^ x(5) | (x(3)^y(4))<<1 | (x(5)^y(5))<<2
	case 12:
		return x(3) ^ y(3) ^ x(4) | (x(4)^y(4))<<1 | (x(5)^y(5))<<2
	case 17:
		return x(3) ^ y(3) ^ x(4) | (x(4)^y(4))<<1 | (x(5)^y(6))<<2 | (x(6)^y(5))<<3
	}
	panic(f.pipeConfig)
}

// bank is the number of the bank without rotation.
func (f *formula) bank(tx, ty int) int {
	tx, ty = tx/(f.width*f.pipes), ty/f.height
	x := func(i int) int { return tx >> i & 1 }
	y := func(i int) int { return ty >> i & 1 }
	switch f.banks {
	case 2:
		return x(0) ^ y(0)
	case 4:
		return x(0) ^ y(1) | (x(1)^y(0))<<1
	case 8:
		return x(0) ^ y(2) | (x(1)^y(1)^y(2))<<1 | (x(2)^y(0))<<2
	}
	return x(0) ^ y(3) | (x(1)^y(2)^y(3))<<1 | (x(2)^y(1))<<2 | (x(3)^y(0))<<3
}

// address is the address of a texel; pitch and rows are those of a slice, base is a multiple of 256.
func (f *formula) address(base, x, y, slice, sample int) int {
	element := f.inTile(x, y, slice)*f.texel + sample*64*f.texel
	if f.order == 2 {
		element = (f.inTile(x, y, slice)*f.samples + sample) * f.texel
	}
	tileBytes := 64 * f.thick * f.texel * f.samples
	if !f.macro {
		return base + slice/f.thick*f.pitch*f.rows*f.thick*f.texel*f.samples + (y/8*(f.pitch/8)+x/8)*tileBytes + element
	}
	splitSlice, perTile := 0, 1
	if tileBytes > f.split && f.thick == 1 {
		perTile, splitSlice, element = tileBytes/f.split, element/f.split, element%f.split
		tileBytes = f.split
	}
	width, height := 8*f.width*f.pipes*f.aspect, 8*f.height*f.banks/f.aspect
	blockBytes := tileBytes * f.width * f.height // in each bank of each pipe
	perRow := f.pitch / width
	total := perRow * (f.rows / height) * blockBytes * (splitSlice + perTile*(slice/f.thick))
	total += (y/height*perRow + x/width) * blockBytes
	total += (y/8%f.height*f.width + x/8/f.pipes%f.width) * tileBytes
	total += element
	px, py := x, y
	if f.resetsXY {
		px, py = x%width, y%height
	}
	pipeTurn, bankTurn := base/256%f.pipes, base/256/f.pipes%f.banks
	if f.rotatesBanks {
		bankTurn += (f.banks/2 - 1) * (slice / f.thick)
	}
	if f.rotatesPipes {
		pipeTurn += max(1, f.pipes/2-1) * (slice / f.thick)
		bankTurn += max(1, f.pipes/2-1) * (slice / f.thick) / f.pipes
	}
	bank := f.bank(px/8, py/8) ^ bankTurn
	if f.splitRotates {
		bank ^= (f.banks/2 + 1) * splitSlice
	}
	pipe := f.pipe(px/8, py/8) ^ pipeTurn%f.pipes
	base -= base / 256 % (f.pipes * f.banks) * 256
	return base + total%256 + 256*(pipe+f.pipes*(bank%f.banks)) + total/256*256*f.pipes*f.banks
}

// tiled calls f for the tile modes of all chips and all sizes of texels.
func tiled(t *testing.T, f func(name string, chip *Tiling, index, texel int)) {
	n := 0
	for _, chip := range slices.Sorted(maps.Keys(chipModes)) {
		tiling := tilingOf(chip)
		for index := range 31 {
			for _, texel := range []int{1, 2, 4, 8, 16} {
				m, err := tiling.mode(uint32(index), texel, 1)
				if err == nil && m.linear() || err == nil && m.order == orderRotated && texel == 16 {
					continue
				}
				name := fmt.Sprintf("%s, index %d, %d bytes", chip, index, texel)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				n++
				f(name, tiling, index, texel)
			}
		}
	}
	if n < 600 {
		t.Errorf("%d modes", n)
	}
}

// surface returns an image of two blocks by two of a mode, with the number of its slices.
func surface(t *testing.T, name string, chip *Tiling, index, texel, samples int, base uint64) (u *mem.Unit, w, h, n int) {
	t.Helper()
	m, err := chip.mode(uint32(index), texel, samples)
	if err != nil {
		t.Fatal(err)
	}
	w, h = m.block()
	w, h, n = 2*w, 2*h, 3*m.thick()
	r := plain()
	r.data, r.number = map[int]uint32{1: 1, 2: 2, 4: 4, 8: 11, 16: 14}[texel], 4
	r.base, r.tiling, r.kind = base, uint32(index), type2DArray
	r.width, r.height, r.pitch, r.depth, r.slice1 = uint32(w), uint32(h), uint32(w), uint32(n), uint32(n-1)
	if samples > 1 {
		r.kind, r.last = type2DMSAAs, uint32(log2(samples))
	}
	tex, err := textureOf(r.words(), space(t), chip, true)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if u, err = mem.NewUnit(*tex, mem.Sampler{}); err != nil {
		t.Fatal(err)
	}
	return u, w, h, n
}

// TestTiledAddresses: addresses of texels in all tile modes of chips are those of the rules for single texels.
func TestTiledAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	tiled(t, func(name string, chip *Tiling, index, texel int) {
		base := r.IntN(1<<20) << 8
		u, w, h, n := surface(t, name, chip, index, texel, 1, uint64(base))
		f := formulaOf(chip, index, texel, 1)
		f.pitch, f.rows = w, h
		for range 300 {
			x, y, slice := r.IntN(w), r.IntN(h), r.IntN(n)
			got, bytes := u.Place([3]uint32{uint32(x), uint32(y)}, uint32(slice), 0)
			if want := f.address(base, x, y, slice, 0); got != uint64(want) || int(bytes) != texel {
				t.Errorf("%s at %#x: %d, %d of slice %d: %#x, want %#x", name, base, x, y, slice, got, want)
				return
			}
		}
	})
}

// TestSampleAddresses: the same for samples of a pixel, and each has its own place in the bytes of a slice.
func TestSampleAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	n, parts := 0, 0
	tiled(t, func(name string, chip *Tiling, index, texel int) {
		samples := 2 << r.IntN(3)
		m, err := chip.mode(uint32(index), texel, samples)
		if err != nil || m.thick() > 1 || testing.Short() && r.IntN(8) > 0 {
			return
		}
		if n++; m.parts() > 1 {
			parts++
		}
		base := r.IntN(1<<20) << 8
		u, w, h, layers := surface(t, name, chip, index, texel, samples, uint64(base))
		f := formulaOf(chip, index, texel, samples)
		f.pitch, f.rows = w, h
		for range 300 {
			x, y, slice, sample := r.IntN(w), r.IntN(h), r.IntN(layers), r.IntN(samples)
			got, bytes := u.Place([3]uint32{uint32(x), uint32(y)}, uint32(slice), uint32(sample))
			if want := f.address(base, x, y, slice, sample); got != uint64(want) || int(bytes) != texel {
				t.Errorf("%s at %#x, %d samples: sample %d of %d, %d of slice %d: %#x, want %#x", name, base, samples, sample, x, y, slice, got, want)
				return
			}
		}
		if _, bytes := u.Place([3]uint32{}, 0, uint32(samples)); bytes != 0 {
			t.Errorf("%s: sample %d of %d", name, samples, samples)
		}
		u, w, h, _ = surface(t, name, chip, index, texel, samples, 0)
		taken := make([]bool, w*h*samples)
		for i := range taken {
			at, _ := u.Place([3]uint32{uint32(i / samples % w), uint32(i / samples / w)}, 0, uint32(i%samples))
			if k := at / uint64(texel); at%uint64(texel) != 0 || k >= uint64(len(taken)) || taken[k] {
				t.Fatalf("%s, %d samples: number %d is at %#x of %#x, or another", name, samples, i, at, len(taken)*texel)
			} else {
				taken[k] = true
			}
		}
	})
	if n < 30 || parts < 10 {
		t.Errorf("%d modes, %d of parts", n, parts)
	}
}

// TestTiledDistinct: each texel of a slice of tiles has its own place, and all are within the bytes of the slice.
func TestTiledDistinct(t *testing.T) {
	seen := map[tileMode]bool{}
	tiled(t, func(name string, chip *Tiling, index, texel int) {
		m, _ := chip.mode(uint32(index), texel, 1)
		if seen[m] || testing.Short() && len(seen) > 20 {
			return
		}
		seen[m] = true
		u, w, h, _ := surface(t, name, chip, index, texel, 1, 0)
		n := m.thick()
		taken := make([]bool, w*h*n)
		for slice := range n {
			for y := range h {
				for x := range w {
					at, _ := u.Place([3]uint32{uint32(x), uint32(y)}, uint32(slice), 0)
					i := at / uint64(texel)
					if at%uint64(texel) != 0 || i >= uint64(len(taken)) || taken[i] {
						t.Fatalf("%s: %d, %d of slice %d is at %#x of %#x, or another texel", name, x, y, slice, at, len(taken)*texel)
					}
					taken[i] = true
				}
			}
		}
	})
}

// TestTiledLevels: where the levels of images with tiles are, as RADV reports it for images that it created on these
// chips (vkGetImageSubresourceLayout): offset, and bytes of a layer. A level is in blocks if its padded size has one.
func TestTiledLevels(t *testing.T) {
	for _, c := range []struct {
		chips          string
		index          uint32
		texel          int
		w, h, d, pitch uint32
		volume         bool
		levels         string
	}{
		{"8 polaris10,8 polaris11,7 bonaire,7 hawaii", 14, 4, 300, 200, 1, 512, false,
			"0 80000, 80000 20000, a0000 8000, a8000 2000, aa000 800, aa800 200, aaa00 100, aab00 100, aac00 100"},
		{"6 tahiti", 16, 4, 300, 200, 1, 512, false, "0 80000, 80000 20000, a0000 8000, a8000 2000, aa000 800, aa800 200, aaa00 100, aab00 100, aac00 100"},
		{"8 polaris10,7 bonaire,7 hawaii,6 tahiti", 14, 1, 530, 260, 3, 1024, false,
			"0 80000, 200000 20000, 280000 8000, 2a0000 1000, 2a4000 400, 2a5000 100, 2a5400 100, 2a5800 100, 2a5c00 100, 2a6000 100"},
		{"8 polaris10,7 bonaire,7 hawaii", 14, 16, 130, 140, 3, 256, false,
			"0 100000, 400000 40000, 500000 10000, 540000 4000, 550000 800, 552000 400, 553000 400, 554000 400"},
		{"6 tahiti", 17, 16, 130, 140, 3, 256, false, "0 100000, 400000 40000, 500000 10000, 540000 4000, 550000 800, 552000 400, 553000 400, 554000 400"},
		{"8 polaris10,7 bonaire,7 hawaii", 14, 4, 140, 70, 20, 256, true,
			"0, 400000, 480000, 490000, 490800, 490a00, 490b00, 490c00"},
		{"6 tahiti", 16, 4, 140, 70, 20, 256, true, "0, 400000, 480000, 490000, 490800, 490a00, 490b00, 490c00"},
	} {
		for _, name := range strings.Split(c.chips, ",") {
			chip := tilingOf(name)
			r := plain()
			r.base, r.tiling, r.kind, r.pow2 = 0x700000, c.index, type2DArray, 1
			r.data, r.number = map[int]uint32{1: 1, 4: 4, 16: 14}[c.texel], 4
			r.width, r.height, r.depth, r.pitch, r.slice1 = c.w, c.h, c.d, c.pitch, c.d-1
			r.last = uint32(strings.Count(c.levels, ","))
			if c.volume {
				r.kind = type3D
			}
			tex, err := textureOf(r.words(), space(t), chip, true)
			if err != nil {
				t.Errorf("%s, index %d: %v", name, c.index, err)
				continue
			}
			f := formulaOf(chip, int(c.index), c.texel, 1)
			var got []string
			for l, p := range tex.Guest.Levels {
				if at := fmt.Sprintf("%x", p.Base-0x700000); c.volume {
					got = append(got, at)
				} else {
					got = append(got, fmt.Sprintf("%s %x", at, p.Slice))
				}
				side, w, h := [3]uint8{3, 3, 0}, 8*f.width*f.pipes*f.aspect, 8*f.height*f.banks/f.aspect
				if int(c.pitch)>>l >= w && power(max(int(c.h)>>l, 1)) >= h {
					side = [3]uint8{uint8(log2(w)), uint8(log2(h)), 0}
				}
				if p.Swizzle.Sides() != side {
					t.Errorf("%s, index %d, level %d: blocks of 2^%v texels, want 2^%v", name, c.index, l, p.Swizzle.Sides(), side)
				}
			}
			if s := strings.Join(got, ", "); s != c.levels {
				t.Errorf("%s, index %d, %d bytes: levels at %s, want %s", name, c.index, c.texel, s, c.levels)
			}
		}
	}
}

// TestThinLevels: tiles of several slices become thin on gfx6 in levels that have fewer, and not on gfx7 and gfx8.
func TestThinLevels(t *testing.T) {
	for _, c := range []struct {
		chip  string
		index uint32
		want  [4]uint8 // the slices of tiles of levels, as powers of two
	}{{"6 verde", 19, [4]uint8{3, 2, 0, 0}}, {"6 verde", 18, [4]uint8{2, 2, 0, 0}}, {"7 hawaii", 25, [4]uint8{3, 3, 3, 2}}, {"7 hawaii", 19, [4]uint8{2, 2, 2, 2}}} {
		r := plain()
		r.tiling, r.kind, r.pow2, r.data, r.number = c.index, type3D, 1, 1, 4
		r.width, r.height, r.depth, r.pitch, r.last = 1024, 1024, 8, 1024, 3
		if c.chip == "7 hawaii" {
			r.height = 512
		}
		tex, err := textureOf(r.words(), space(t), tilingOf(c.chip), false)
		if err != nil {
			t.Errorf("%s, index %d: %v", c.chip, c.index, err)
			continue
		}
		for l, p := range tex.Guest.Levels {
			if got := p.Swizzle.Sides()[2]; got != c.want[l] {
				t.Errorf("%s, index %d, level %d: tiles of 2^%d slices, want 2^%d", c.chip, c.index, l, got, c.want[l])
			}
		}
	}
}

// TestTilingErrors: what is not built or not possible is named.
func TestTilingErrors(t *testing.T) {
	for _, c := range []struct {
		mode, macro uint32
		gen         int
		change      func(r *resource)
		want        string
	}{
		{4<<2 | 7<<6, 0, 7, nil, "pipe configuration 7 (P4_32x32), which is not built"},
		{4<<2 | 15<<6, 0, 8, nil, "pipe configuration 15 (reserved)"},
		{4<<2 | 5<<6, 3 << 4, 8, nil, "macro tile aspect 8 of 2 banks"},
		{5 << 2, 0, 6, nil, "mode PRT_TILED_THIN1"},
		{4<<2 | 3, 0, 6, nil, "texels in order 3, which gfx6 does not define"},
		{4<<2 | 5<<6 | 6<<22, 0, 7, nil, "order 6, which does not exist"},
		{4<<2 | 5<<6 | 4<<22, 0, 7, func(r *resource) { r.pitch = 256 }, "thick order in tiles of mode 2D_TILED_THIN1"},
		{4<<2 | 5<<6, 0, 7, func(r *resource) { r.kind, r.first, r.last = 14, 1, 2 }, "2^2 samples a pixel from level 1 on"},
		{4<<2 | 5<<6, 0, 7, func(r *resource) { r.kind, r.last = 14, 4 }, "type 14: 2^4 samples a pixel from level 0 on, want 1 to 8"},
		{7<<2 | 5<<6 | 4<<22, 0, 7, func(r *resource) { r.kind, r.last, r.pitch = 14, 1, 256 }, "2 samples of a pixel in tiles of mode 2D_TILED_THICK"},
		{1 << 2, 0, 7, func(r *resource) { r.kind, r.last = 15, 1 }, "2 samples a pixel in linear images do not exist"},
		{2<<2 | 3<<22, 0, 7, func(r *resource) { r.data = 14; r.number = 4 }, "rotated tiles of texels of 16 bytes"},
		{2 << 2, 0, 7, func(r *resource) { r.data = 13; r.number = 4 }, "texels of 12 bytes are not tiled"},
		{2 << 2, 0, 7, func(r *resource) { r.pitch = 66 }, "a pitch of 66 texels, want a multiple of 8"},
		{4<<2 | 5<<6, 0, 7, func(r *resource) { r.pitch = 40 }, "a pitch of 40 texels, want a multiple of 32"},
	} {
		chip := &Tiling{Gen: c.gen}
		chip.Modes[3] = c.mode
		for i := range chip.Macro {
			chip.Macro[i] = c.macro
		}
		r := plain()
		if r.tiling = 3; c.change != nil {
			c.change(&r)
		}
		if _, err := textureOf(r.words(), space(t), chip, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("mode %#x: got %v, want %s", c.mode, err, c.want)
		}
	}
}

// TestHostileTilings: any registers and descriptors give an image or an error, and texels of an image have places.
func TestHostileTilings(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	images := 0
	for range 20000 {
		chip := &Tiling{Gen: 6 + r.IntN(3), AddrConfig: r.Uint32()}
		if r.IntN(4) > 0 {
			chip.AddrConfig &^= 7 << 4 // as all chips have it
		}
		index := r.Uint32() % 32
		chip.Modes[index] = r.Uint32()
		for i := range chip.Macro {
			chip.Macro[i] = r.Uint32()
		}
		d := plain()
		d.tiling, d.kind, d.data, d.number = index, 8+r.Uint32()%6, 1+r.Uint32()%14, 4
		d.width, d.height, d.depth, d.pitch = 1+r.Uint32()%2048, 1+r.Uint32()%2048, 1+r.Uint32()%64, 1024<<(r.Uint32()%4)
		d.last, d.pow2 = r.Uint32()%8, r.Uint32()%2
		tex, err := textureOf(d.words(), space(t), chip, false)
		if err != nil {
			continue
		}
		u, err := mem.NewUnit(*tex, mem.Sampler{})
		if err != nil {
			continue
		}
		images++
		for level := range d.last + 1 {
			size := u.Dims(level)
			if _, bytes := u.Place([3]uint32{size[0] - 1, max(size[1], 1) - 1, max(size[2], 1) - 1}, 0, level); bytes == 0 {
				t.Fatalf("mode %#x: no place of the last texel of level %d, %v", chip.Modes[index], level, size)
			}
		}
	}
	if images < 200 {
		t.Errorf("%d images", images)
	}
}
