package valhallrun

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// Attributes and texels by index.

// An attributeCase is an attribute of a buffer with bytes 0, 1, 2 and so on times 7.
type attributeCase struct {
	name, format string // register format
	pixel        uint32
	kind         uint32 // of attribute
	instance     bool
	r, e, d      uint32 // divisor
	offset       int32
	want         func(data []byte, vertex, instance int) []uint32
}

func word(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// attributeCases are computed by hand: strides are 20 bytes.
var attributeCases = []attributeCase{
	{"floats", "f32", pixel(191, 0), 1, false, 0, 0, 0, 4, func(b []byte, v, _ int) []uint32 {
		b = b[4+20*v:]
		return []uint32{word(b), word(b[4:]), word(b[8:]), word(b[12:])}
	}},
	{"two floats", "f32", pixel(175, 16), 1, false, 0, 0, 0, 0, func(b []byte, v, _ int) []uint32 {
		return []uint32{word(b[20*v:]), word(b[20*v+4:]), 0, 0x3f800000}
	}},
	{"bytes as unorm", "f32", pixel(187, 4), 1, false, 0, 0, 0, 0, func(b []byte, v, _ int) []uint32 {
		b = b[20*v:]
		return []uint32{float(float64(b[2]) / 255), float(float64(b[1]) / 255), float(float64(b[0]) / 255), float(float64(b[3]) / 255)}
	}},
	{"shorts", "auto", pixel(140, 16), 1, false, 0, 0, 0, 2, func(b []byte, v, _ int) []uint32 {
		b = b[2+20*v:]
		return []uint32{uint32(b[0]) | uint32(b[1])<<8, uint32(b[2]) | uint32(b[3])<<8, 0, 1}
	}},
	{"signed bytes", "s32", pixel(195, 16), 1, false, 0, 0, 0, 0, func(b []byte, v, _ int) []uint32 {
		return []uint32{uint32(int32(int8(b[20*v]))), 0, 0, 1}
	}},
	{"by instance", "u32", pixel(133, 16), 1, true, 0, 0, 0, 0, func(b []byte, _, i int) []uint32 {
		return []uint32{word(b[20*i:]), 0, 0, 1}
	}},
	{"every fourth", "u32", pixel(133, 16), 2, true, 2, 0, 0, 0, func(b []byte, _, i int) []uint32 {
		return []uint32{word(b[20*(i/4):]), 0, 0, 1}
	}},
	{"every third", "u32", pixel(133, 16), 3, true, 1, 0, 0x2aaaaaab, 0, func(b []byte, _, i int) []uint32 {
		return []uint32{word(b[20*(i/3):]), 0, 0, 1}
	}},
}

// TestAttributes: LD_ATTR by index and by handle, LEA_ATTR, and LD_CVT and ST_CVT of the result.
func TestAttributes(t *testing.T) {
	for _, c := range attributeCases {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c *attributeCase) run(t *testing.T) {
	var a arena
	d, data := a.buffer(20*14+8, 0)
	for i := range data {
		data[i] = byte(7 * i)
	}
	kept := append([]byte{}, data...)
	handle := a.add(tabVertex, d)
	frequency := uint32(0)
	if c.instance {
		frequency = 1
	}
	attr := a.add(tabAttribute, [8]uint32{5 | c.kind<<4 | 1<<8 | c.pixel<<10, handle>>24 | frequency<<6 | c.r<<24 | c.e<<29, uint32(c.offset), handle & 0xffffff, 20, c.d})
	w := a.warp(t)
	w.set(8, func(lane int) uint32 { return uint32(lane) })
	w.set(9, func(lane int) uint32 { return uint32(lane * 5 % 16) })
	w.set(10, func(int) uint32 { return attr })
	w.run(fmt.Sprintf("LD_ATTR_IMM.v4.%s.slot0 @r0:r1:r2:r3, r8, r9, index:0x%X, table:0x1", c.format, attr&0xffffff))
	w.run(fmt.Sprintf("LD_ATTR.v4.%s.slot0 @r4:r5:r6:r7, r8, r9, r10", c.format))
	w.run("LEA_ATTR.slot0 @r12:r13:r14, r8, r9, r10")
	w.run(fmt.Sprintf("LEA_ATTR_IMM.slot0 @r16:r17:r18, r8, r9, table:0x1, index:0x%X", attr&0xffffff))
	w.run(fmt.Sprintf("LD_CVT.slot0.v4.%s @r20:r21:r22:r23, r12, r14, offset:0x0", c.format))
	for lane := range valhall.Lanes {
		id := lane
		if c.instance {
			id = lane * 5 % 16
		}
		div := map[uint32]int{1: 1, 2: 4, 3: 3}[c.kind]
		n := map[uint32]int{191: 16, 175: 8, 187: 4, 140: 4, 195: 1, 133: 4}[c.pixel>>12]
		first := id/div*20 + int(c.offset)
		want, place, conversion := []uint32{0, 0, 0, 0}, uint64(0), uint32(0)
		if first+n <= len(kept) {
			want, place, conversion = c.want(kept, lane, lane*5%16), uint64(d[2])|uint64(d[3])<<32+uint64(first), c.pixel
		}
		for i, x := range want {
			for _, r := range []int{i, 4 + i, 20 + i} {
				if got := w.get(r, lane); got != x {
					t.Fatalf("lane %d r%d is %#x, want %#x", lane, r, got, x)
				}
			}
		}
		for i, x := range []uint32{uint32(place), uint32(place >> 32), conversion} {
			for _, r := range []int{12 + i, 16 + i} {
				if got := w.get(r, lane); got != x {
					t.Fatalf("LEA_ATTR: lane %d r%d is %#x, want %#x", lane, r, got, x)
				}
			}
		}
	}
	c.store(t, w, a.data[uint64(d[2])|uint64(d[3])<<32-arenaAt:][:len(kept)], kept)
}

// store stores the loaded values to where they were, so memory is unchanged; then other values, but not those of
// helpers.
func (c *attributeCase) store(t *testing.T, w *warp, live, kept []byte) {
	store := fmt.Sprintf("ST_CVT.v4.%s.slot0 @r0:r1:r2:r3, r12, r14, offset:0x0", map[string]string{"auto": "u32"}[c.format]+map[bool]string{true: c.format}[c.format != "auto"])
	w.run(store)
	if string(live) != string(kept) {
		t.Fatal("a round trip through ST_CVT changes memory")
	}
	w.set(0, func(int) uint32 { return 0 })
	w.st.SetMask(ir.Cell{File: valhall.FileHelper}, 0xffff)
	if w.run(store); string(live) != string(kept) {
		t.Fatal("helpers store")
	}
	w.run("ST_CVT.force" + store[len("ST_CVT"):])
	if string(live) == string(kept) {
		t.Fatal("helpers that are forced to do not store")
	}
}

// TestHalves: registers of halves hold two components.
func TestHalves(t *testing.T) {
	var a arena
	d, data := a.buffer(64, 0)
	for i := range 16 {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(i)-3.25))
	}
	handle := a.add(tabVertex, d)
	a.add(tabAttribute, [8]uint32{5 | 1<<4 | pixel(191, 0)<<10, handle >> 24, 0, handle & 0xffffff, 16})
	a.add(tabAttribute, [8]uint32{5 | 1<<4 | pixel(155, 0)<<10, handle >> 24, 0, handle & 0xffffff, 16})
	w := a.warp(t)
	w.set(8, func(lane int) uint32 { return uint32(lane % 4) })
	w.run("LD_ATTR_IMM.v3.f16.slot0 @r0:r1, r8, r9, index:0x0, table:0x1")
	w.run("LD_ATTR_IMM.v4.u16.slot0 @r2:r3, r8, r9, index:0x1, table:0x1")
	half := func(x float64) uint32 { // exact: a few bits of fraction
		if x == 0 {
			return 0
		}
		m, e := math.Frexp(math.Abs(x))
		h := uint32(e+14)<<10 | uint32(m*2048)&0x3ff
		if x < 0 {
			h |= 0x8000
		}
		return h
	}
	for lane := range 8 {
		b := data[16*(lane%4):]
		x := func(i int) uint32 { return half(float64(4*(lane%4)+i) - 3.25) }
		for r, want := range []uint32{x(0) | x(1)<<16, x(2), uint32(b[0]) | uint32(b[1])<<16, uint32(b[2]) | uint32(b[3])<<16} {
			if got := w.get(r, lane); got != want {
				t.Errorf("lane %d r%d is %#x, want %#x", lane, r, got, want)
			}
		}
	}
}

// TestImages: texels of images by index, their addresses, and stores to them; texels outside are 0 and are not stored.
func TestImages(t *testing.T) {
	for _, p := range []picture{
		{dim: flat, width: 20, height: 18, layers: 1, levels: 1, bytes: 4, format: pixel(131+24, 0), tiled: true},
		{dim: flat, width: 5, height: 3, layers: 4, levels: 1, bytes: 4, format: pixel(155, 0)},
		{dim: deep, width: 5, height: 3, depth: 4, layers: 1, levels: 1, bytes: 4, format: pixel(155, 0)},
		{dim: cube, width: 4, height: 4, layers: 1, levels: 1, bytes: 4, format: pixel(155, 0), tiled: true},
	} {
		p.swizzle = unswizzled
		p.texel = func(_, s, x, y int) []byte { return []byte{byte(x + 1), byte(y + 1), byte(s + 1), 0x80} }
		var a arena
		image := a.add(tabImage, a.texture(p))
		w := a.warp(t)
		x := func(lane int) int { return lane * 7 % (p.width + 2) }
		y := func(lane int) int { return lane * 3 % (p.height + 1) }
		z := func(lane int) int {
			return lane % (max(p.layers*map[uint32]int{cube: 6}[p.dim], p.layers, p.depth) + 1)
		}
		w.set(8, func(lane int) uint32 { return uint32(x(lane) | y(lane)<<16) })
		w.set(9, func(lane int) uint32 { return uint32(z(lane)<<16 | 0x55) })
		w.set(10, func(int) uint32 { return image })
		w.run("LD_TEX_IMM.v4.u32.slot0 @r0:r1:r2:r3, r8, r9, index:0x0, table:0x5")
		w.run("LD_TEX.v4.u32.slot0 @r4:r5:r6:r7, r8, r9, r10")
		w.run("LEA_TEX_IMM.slot0 @r16:r17:r18, r8, r9, table:0x5, index:0x0")
		w.run("LEA_TEX.slot0 @r20:r21:r22, r8, r9, r10")
		slices := max(p.layers, p.depth)
		if p.dim == cube {
			slices = 6
		}
		for lane := range valhall.Lanes {
			slice := z(lane)
			if p.dim == flat && p.layers == 1 {
				slice = 0 // no operand names it
			}
			inside := x(lane) < p.width && y(lane) < p.height && slice < slices
			want := [4]uint32{}
			if inside {
				want = [4]uint32{uint32(x(lane) + 1), uint32(y(lane) + 1), uint32(slice + 1), 0x80}
			}
			for i, v := range want {
				if got, by := w.get(i, lane), w.get(4+i, lane); got != v || by != v {
					t.Fatalf("dimension %d: lane %d, %d %d %d: component %d is %#x and %#x, want %#x", p.dim, lane, x(lane), y(lane), z(lane), i, got, by, v)
				}
			}
			addr := uint64(w.get(16, lane)) | uint64(w.get(17, lane))<<32
			if addr != uint64(w.get(20, lane))|uint64(w.get(21, lane))<<32 || w.get(18, lane) != w.get(22, lane) || (addr != 0) != inside || (w.get(18, lane) != 0) != inside {
				t.Fatalf("dimension %d: lane %d: address %#x, conversion %#x; inside %v", p.dim, lane, addr, w.get(18, lane), inside)
			}
			if b := a.data[max(addr, arenaAt)-arenaAt:]; inside && word(b) != want[0]|want[1]<<8|want[2]<<16|0x80000000 {
				t.Fatalf("lane %d: the texel at %#x is %#x", lane, addr, word(b))
			}
		}
		storesToImage(t, w)
	}
}

// storesToImage stores to texels at r16 to r18, and reads them at r8 and r9.
func storesToImage(t *testing.T, w *warp) {
	w.set(0, func(lane int) uint32 { return 0x100 + uint32(lane) }) // clamped to a byte
	w.run("ST_CVT.slot0.v4.u32 @r0:r1:r2:r3, r16, r18, offset:0x0")
	w.run("LD_TEX_IMM.v4.u32.slot0 @r24:r25:r26:r27, r8, r9, index:0x0, table:0x5")
	for lane := range valhall.Lanes {
		if got, inside := w.get(24, lane), w.get(18, lane) != 0; inside && got != 0xff || !inside && got != 0 {
			t.Errorf("lane %d: what is stored is %#x", lane, got)
		}
	}
}

// TestBufferAddress: LEA_BUF_IMM of buffers with and without structure.
func TestBufferAddress(t *testing.T) {
	var a arena
	simple, _ := a.buffer(64, 0)
	structured, _ := a.buffer(256, 24)
	a.add(tabBuffer, simple)
	a.add(tabBuffer, structured)
	w := a.warp(t)
	w.set(8, func(lane int) uint32 { return uint32(3 * lane) })
	w.run("LEA_BUF_IMM.slot0 @r0:r1, r8, table:0x0, index:0x0")
	w.run("LEA_BUF_IMM.slot0 @r2:r3, r8, table:0x0, index:0x1")
	w.set(9, func(int) uint32 { return 1 }) // the same by a handle
	w.run("LEA_BUF.slot0 @r4:r5, r8, r9")
	for lane := range valhall.Lanes {
		for i := range 2 {
			if got, want := w.get(4+i, lane), w.get(2+i, lane); got != want {
				t.Errorf("LEA_BUF: lane %d has %#x, want %#x", lane, got, want)
			}
		}
	}
	for lane := range valhall.Lanes {
		for r, want := range []uint64{uint64(simple[2]) | uint64(simple[3])<<32 + uint64(3*lane), uint64(structured[2]) | uint64(structured[3])<<32 + uint64(72*lane)} {
			if got := uint64(w.get(2*r, lane)) | uint64(w.get(2*r+1, lane))<<32; got != want {
				t.Errorf("lane %d: %#x, want %#x", lane, got, want)
			}
		}
	}
	if f := w.try("LEA_BUF_IMM.slot0 @r0:r1, r8, table:0xD, index:0x0"); f == nil {
		t.Error("a vertex packet outside of vertex programs is no fault")
	}
}
