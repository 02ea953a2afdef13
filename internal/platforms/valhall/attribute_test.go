package valhall

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/mem"
)

// A divisor is what a driver writes into an attribute descriptor for a division by a number that is no power of two:
// Mesa, pan_compute_npot_divisor. The factor is 2^(32+shift)/d, rounded up; or rounded down, and then the id is rounded
// up, where the remainder is small.
type divisor struct{ shift, more, factor uint32 }

func divisorOf(d uint32) divisor {
	shift := uint32(bits.Len32(d) - 1)
	t := uint64(1) << (32 + shift)
	if t%uint64(d) <= 1<<shift {
		return divisor{shift, 1, uint32(t/uint64(d)) &^ (1 << 31)}
	}
	return divisor{shift, 0, uint32(t/uint64(d)+1) &^ (1 << 31)}
}

// attributeAt returns an attribute of one byte per element in a buffer of the given size at 0x40000.
func attributeAt(t *testing.T, size uint32, d descriptor) *attribute {
	t.Helper()
	return attributeIn(t, 9, uint64(size), d)
}

// attributeIn is that of an architecture; word 5 of its buffer is the upper word of the size.
func attributeIn(t *testing.T, arch int, size uint64, d descriptor) *attribute {
	t.Helper()
	const tables, buffers = 0x1000, 0x2000
	at := func(name string, base uint64, words ...uint32) mem.Segment {
		var b []byte
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return mem.SegmentOf(name, base, b, true, false)
	}
	buffer := make([]uint32, 16)
	copy(buffer[8:], []uint32{9, uint32(size), 0x40000, 0, 0, uint32(size >> 32)})
	s, err := mem.NewSpace("global", at("tables", tables, 0, 0, 0, 0, buffers, 0, 64, 0), at("buffers", buffers, buffer...))
	if err != nil {
		t.Fatal(err)
	}
	d[0], d[3] = d[0]|5|163<<12<<10|16<<10, 1 // R8
	d[1] |= 1                                 // table 1, whose buffer 1 it is
	a, err := newAttribute(s, tables|2, d, arch)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAttributeElements: an element's index is that of the vertex or the instance, by the type; shifted and divided it
// is equal to the result of a plain division, with the descriptors of a driver.
func TestAttributeElements(t *testing.T) {
	ids := []uint32{0, 1, 2, 3, 5, 6, 7, 99, 100, 101, 255, 256, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 2, 1<<32 - 1}
	for n := range uint32(100) {
		for _, instance := range []uint32{0, 1} {
			d := n + 1
			kind, by := uint32(3), divisorOf(d)
			if d&n == 0 {
				kind, by = 2, divisor{shift: uint32(bits.TrailingZeros32(d))}
			}
			if d == 1 {
				kind = 1
			}
			a := attributeAt(t, 1<<32-1, descriptor{kind << 4, instance<<6 | by.shift<<24 | by.more<<29, 0, 0, 1, by.factor, 0, 0})
			for _, q := range append([]uint32{d - 1, d, d + 1, 77*d - 1, 77 * d}, ids...) {
				at := [3]uint32{q, 12345}
				if instance == 1 {
					at = [3]uint32{12345, q}
				}
				want, bytes := 0x40000+uint64(q/d), uint32(1)
				if q/d == 1<<32-1 { // after the last byte
					want, bytes = 0, 0
				}
				if addr, n := a.Place(at, 0, 0); addr != want || n != bytes {
					t.Fatalf("type %d, %d by %d (%+v): %d bytes at %#x, want %d at %#x", kind, q, d, by, n, addr, bytes, want)
				}
			}
		}
	}
}

// TestAttributeEdges: stride, offset and the size of the buffer.
func TestAttributeEdges(t *testing.T) {
	for _, c := range []struct {
		size, stride uint32
		offset       int32
		id           uint32
		want         uint64 // 0: outside
	}{
		{100, 10, 0, 9, 0x4005a}, {100, 10, 9, 9, 0x40063}, {100, 10, 10, 9, 0}, {100, 10, 0, 10, 0}, {91, 10, 0, 9, 0x4005a}, {90, 10, 0, 9, 0},
		{100, 10, -10, 1, 0x40000}, {100, 10, -11, 1, 0}, {100, 0, 7, 1000, 0x40007}, {0, 0, 0, 0, 0},
	} {
		a := attributeAt(t, c.size, descriptor{1 << 4, 0, uint32(c.offset), 0, c.stride, 0, 0, 0})
		if addr, n := a.Place([3]uint32{c.id}, 0, 0); addr != c.want || (n == 1) != (c.want != 0) {
			t.Errorf("%+v: %d bytes at %#x", c, n, addr)
		}
	}
	for kind := range uint32(16) {
		_, err := newAttribute(&mem.Space{}, 0, descriptor{5 | kind<<4, 0, 0, 0, 0, 0, 0, 0}, 9)
		if of := strings.Contains(fmt.Sprint(err), fmt.Sprintf("type %d", kind)); of != (kind < 1 || kind > 3) { // the tables are missing, too
			t.Errorf("type %d: %v", kind, err)
		}
	}
}

// TestTargetStates: a blend descriptor field by field.
func TestTargetStates(t *testing.T) {
	const equations, enabled = 0x122 | 0x503<<12, 1 << 9 // source; a mixture by alpha
	alpha := draw.BlendTerms{Src: draw.SrcAlpha, Dst: draw.OneMinusSrcAlpha}
	replace := draw.BlendTerms{Src: draw.One, Dst: draw.Zero}
	for code := range uint32(1 << 16) {
		b := descriptor{enabled | code<<16, equations | 15<<28, 2, 0}
		s, err := targetState(b)
		if want := float32(float64(code) / 65535); err != nil || s.Blend.Constant != [4]float32{want, want, want, want} {
			t.Fatalf("constant %#x: %v, want %v: %v", code, s.Blend.Constant, want, err)
		}
	}
	for mask := range uint32(16) {
		for mode, on := range []bool{1: false, 2: true} {
			s, err := targetState(descriptor{enabled, equations | mask<<28, uint32(mode), 0})
			if mode == 0 {
				if err == nil {
					t.Error("a blend shader is no error")
				}
				continue
			}
			if err != nil || s.Mask != uint8(mask)^15 || s.Blend.On != on {
				t.Errorf("mode %d, mask %#x: %+v: %v", mode, mask, s, err)
			}
		}
		for _, b := range []descriptor{{enabled, equations | mask<<28, 3, 0}, {0, equations | mask<<28, 2, 0}, {0, equations | mask<<28, 0, 0}} {
			if s, err := targetState(b); err != nil || s.Mask != 15 || s.Blend.On {
				t.Errorf("%#x, which is off: %+v: %v", b, s, err)
			}
		}
	}
	if s, err := targetState(descriptor{enabled, equations, 2, 0}); err != nil || s.Blend.Color != replace || s.Blend.Alpha != alpha {
		t.Errorf("equations: %+v: %v", s.Blend, err)
	}
	if _, err := targetState(descriptor{enabled | 1<<8, equations, 2, 0}); err == nil {
		t.Error("alpha that becomes 1 is no error")
	}
}

// TestAttributeSize: from v12 on a buffer's size has 64 bits.
func TestAttributeSize(t *testing.T) {
	d := descriptor{1 << 4, 0, 0, 0, 1 << 20, 0, 0, 0} // by number, elements 1 MiB apart
	for arch, want := range map[int]uint64{9: 0, 11: 0, 12: 0x40000 + 4096<<20, 14: 0x40000 + 4096<<20} {
		if addr, _ := attributeIn(t, arch, 1<<32|16, slices.Clone(d)).Place([3]uint32{4096}, 0, 0); addr != want {
			t.Errorf("v%d: %#x, want %#x", arch, addr, want)
		}
	}
}
