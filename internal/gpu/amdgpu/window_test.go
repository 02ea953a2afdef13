//go:build linux && amd64

package amdgpu

import (
	"fmt"
	"strings"
	"testing"
)

// windowPacket is a copy between tiled and linear memory, from one corner each: COPY_TILED_SUB_WINDOW. Pitches and
// slices are in texels.
func windowPacket(gen int, detile uint32, tiled uint64, corner [3]uint32, pitch, slice, info uint32, linear uint64, linearCorner [3]uint32, linearPitch, linearSlice uint32, size [3]uint32) []uint32 {
	less := uint32(0)
	if gen == 8 {
		less = 1
	}
	return []uint32{1 | 5<<8 | detile<<31, uint32(tiled), uint32(tiled >> 32), corner[0] | corner[1]<<16, corner[2] | (pitch/8-1)<<16, slice/64 - 1, info,
		uint32(linear), uint32(linear >> 32), linearCorner[0] | linearCorner[1]<<16, linearCorner[2] | (linearPitch-1)<<16, linearSlice - 1,
		(size[0] - less) | (size[1]-less)<<16, size[2] - less}
}

// Tile modes of 4 bytes: tiles in thin order, and blocks of banks (radeonsi, encode_tile_info; the fields are those of
// tile mode 14 and its macro tile mode on each chip).
const thin1D = 2 | 2<<3 | 1<<8

var thin2D = map[string]uint32{"bonaire": 2 | 4<<3 | 1<<8 | 2<<11 | 1<<18 | 2<<21 | 1<<24 | 4<<26, "polaris10": 2 | 4<<3 | 1<<8 | 2<<11 | 2<<18 | 3<<21 | 2<<24 | 12<<26}

// TestWindows: windows of texels go from linear memory to tiles, on to other tiles, and back.
func TestWindows(t *testing.T) {
	const pitch, rows = 512, 256 // of surfaces, in texels
	for chip, gen := range map[string]int{"bonaire": 7, "polaris10": 8} {
		b := newBench(t, chip, Options{})
		dma := ring{kind: ipDMA}
		linear, first, second, back := b.at(0x20000), uint64(0x40000), uint64(0x90000), b.at(0x30000)
		for i := range 64 * 64 {
			linear[i] = uint32(i) * 0x10001
		}
		must := func(words []uint32) {
			t.Helper()
			if err := b.run(dma, 0x10000, words...); err != nil {
				t.Fatal(chip, err, b.log)
			}
		}
		// 40x24 texels at (3, 5) of a surface of tiles, whose rows are 64 texels.
		must(windowPacket(gen, 0, first, [3]uint32{3, 5}, 64, 64*64, thin1D, 0x20000, [3]uint32{8, 2}, 64, 64*64, [3]uint32{40, 24, 1}))
		for y := range uint32(24) {
			for x := range uint32(40) {
				tx, ty, n := x+3, y+5, uint32(0)
				for i := range uint32(3) {
					n |= tx>>i&1<<(2*i) | ty>>i&1<<(2*i+1)
				}
				if got, want := b.at(first)[(ty/8*8+tx/8)*64+n], linear[(y+2)*64+x+8]; got != want {
					t.Fatalf("%s: (%d,%d) is %#x in tiles, want %#x", chip, x, y, got, want)
				}
			}
		}
		// Tiles (0..6, 0..4) to (8, 16) of blocks, and from there back to a linear window.
		less := [2]uint32{}
		if gen == 8 {
			less = [2]uint32{8, 1}
		}
		must([]uint32{1 | 6<<8, uint32(first), 0, 0, (64/8 - 1) << 16, 64*64/64 - 1, thin1D, uint32(second), 0, 8 | 16<<16, (pitch/8 - 1) << 16, pitch*rows/64 - 1, thin2D[chip] &^ 7,
			(48 - less[0]) | (32-less[0])<<16, 1 - less[1]})
		must(windowPacket(gen, 1, second, [3]uint32{8 + 3, 16 + 5}, pitch, pitch*rows, thin2D[chip], 0x30000, [3]uint32{1, 1}, 50, 50*30, [3]uint32{40, 24, 1}))
		for y := range uint32(24) {
			for x := range uint32(40) {
				if got, want := back[(y+1)*50+x+1], linear[(y+2)*64+x+8]; got != want {
					t.Fatalf("%s: (%d,%d) comes back as %#x, want %#x", chip, x, y, got, want)
				}
			}
		}
		if back[0] != 0 || back[50] != 0 || back[50+41] != 0 || back[25*50+1] != 0 {
			t.Errorf("%s: texels beside the window are written", chip)
		}
		err := b.run(dma, 0x10000, 1|6<<8, uint32(first), 0, 0, (64/8-1)<<16, 64*64/64-1, thin1D, uint32(second), 0, 0, (64/8-1)<<16, 64*64/64-1, thin1D, (44-less[0])|(32-less[0])<<16, 1-less[1])
		if err == nil || !strings.Contains(fmt.Sprint(b.log), "is 44 texels, not a multiple of 8") {
			t.Errorf("%s: %v, %s", chip, err, b.log)
		}
		b = newBench(t, chip, Options{})
		err = b.run(dma, 0x10000, windowPacket(gen, 0, first, [3]uint32{}, 64, 64*64, thin1D|1<<3, 0x20000, [3]uint32{}, 64, 64*64, [3]uint32{8, 8, 1})...)
		if err == nil || !strings.Contains(fmt.Sprint(b.log), "1D_TILED_THICK") {
			t.Errorf("%s: %v, %s", chip, err, b.log)
		}
	}
}
