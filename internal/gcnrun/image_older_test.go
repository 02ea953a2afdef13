package gcnrun

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// runFor runs an instruction of another generation.
func (m *memRun) runFor(generation, text string) {
	m.t.Helper()
	variant, ok := gcn.Set().Arch.Variant(generation)
	if !ok {
		m.t.Fatalf("there is no %s", generation)
	}
	m.target = gcn.Set().At(variant, 0)
	m.run(text)
}

// TestImageOlder: atomics that gfx8 lacks, and one instruction of each other kind, on gfx6 and gfx7.
func TestImageOlder(t *testing.T) {
	float := math.Float32frombits
	for name, f := range map[string]func(m, d, cmp uint32) uint32{
		"rsub": func(m, d, _ uint32) uint32 { return d - m },
		"fmin": func(m, d, _ uint32) uint32 { return fl(min(float64(float(m)), float64(float(d)))) },
		"fmax": func(m, d, _ uint32) uint32 { return fl(max(float64(float(m)), float64(float(d)))) },
		"fcmpswap": func(m, d, c uint32) uint32 {
			if float(m) == float(c) {
				return d
			}
			return m
		},
		"swap": func(_, d, _ uint32) uint32 { return d },
	} {
		for _, generation := range []string{"gfx6", "gfx7"} {
			m := newMemRun(t)
			g := &image{kind: 9, data: 4, number: 7, bytes: 4, width: 8, height: 8, depth: 1, levels: 1, selects: identity}
			texel := func(i int) uint32 { return fl(float64(i%7) - 3) }
			g.put(m, 4, func(l, slice, y, x, c int) uint32 { return texel(8*y + x) })
			m.v(20, func(lane int) uint32 { return uint32(lane % 8) })
			m.v(21, func(lane int) uint32 { return uint32(lane / 8) })
			data := func(lane int) uint32 { return fl(float64(lane%5) - 2) }
			cmp := func(lane int) uint32 { return fl(float64(lane%7)-3+float64(lane%2)) ^ uint32(lane%3/2)<<31&texel(lane) }
			m.v(60, data)
			m.v(61, cmp)
			operands := "v60, v[20:21], s[8:15] dmask:0x1 unorm glc"
			if strings.Contains(name, "cmp") {
				operands = "v[60:61], v[20:21], s[8:15] dmask:0x3 unorm glc"
			}
			m.runFor(generation, "image_atomic_"+name+" "+operands)
			for lane := range 64 {
				if got, want := m.word(imageAt+g.at(0, 0, lane/8, lane%8)), f(texel(lane), data(lane), cmp(lane)); got != want {
					t.Errorf("%s: %s: lane %d leaves %#x, want %#x", generation, name, lane, got, want)
				}
			}
			m.wantV(60, texel)
			m.runFor(generation, "image_load v62, v[20:21], s[8:15] dmask:0x1 unorm")
			m.wantV(62, func(lane int) uint32 { return f(texel(lane), data(lane), cmp(lane)) })
			m.v(63, perLane(3))
			m.runFor(generation, "image_store v63, v[20:21], s[8:15] dmask:0x1 unorm")
			for lane := range 64 {
				if got := binary.LittleEndian.Uint32(m.global[imageAt+g.at(0, 0, lane/8, lane%8):]); got != uint32(3*lane) {
					t.Errorf("%s: lane %d stores %#x", generation, lane, got)
				}
			}
		}
	}
}
