package roguerun

import (
	"fmt"
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// TestNaNs: the NaN that an operation returns, and whether tests of a NaN are true.
func TestNaNs(t *testing.T) {
	const payload, quieted, canonical = 0xff812345, 0xffc12345, 0x7fc00000
	rows := []row{{a: payload, b: 0x40000000}, {a: 0x40000000, b: payload}, {a: 0x7f800000, b: 0xff800000}}
	for option, want := range map[string][3]uint32{"canonical": {canonical, canonical, canonical}, "first": {quieted, quieted, canonical}} {
		at := -1
		newTask(t, map[string]string{"nan": option}).words("{ s0 = r0, s1 = r1, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r16 }", rows, func(in row) uint32 {
			at++
			return want[min(at, len(rows)-1)]
		})
	}
	for option, differs := range map[string]bool{"unequal": true, "never": false} {
		for name, holds := range map[string]bool{"ne": differs, "e": false, "l": false, "ge": false} {
			text := fmt.Sprintf("{ s0 = r0, s1 = r1, is0 = s1, is1 = ft0, is2 = fte, is4 = ft0 p0: mbyp ft0, s0; p2_tst: tst.f32.%s.phase2end ftt, p0, is1, is2; w0 = r16 }", name)
			newTask(t, map[string]string{"test-nan": option}).each(text, rows[:2], func(_ row, got result) string {
				if got.p != holds {
					return fmt.Sprintf("p0 %t", holds)
				}
				return ""
			})
		}
	}
	k := newTask(t, map[string]string{"test-nan": "never"})
	k.each("{ s0 = r0, s1 = r1, is0 = s1, is1 = ft0, is2 = fte, is4 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.ne.phase2end ftt, p0, is1, is2; w0 = r16 }", rows[:2], func(_ row, got result) string {
		if !got.p {
			return "p0 true: words have no NaN"
		}
		return ""
	})
}

// TestIndexUnits: an index counts registers, or several at once, in sources and results.
func TestIndexUnits(t *testing.T) {
	for option, unit := range map[string]int{"1": 1, "2": 2, "4": 4, "8": 8, "16": 16} {
		k := newTask(t, map[string]string{"index-unit": option})
		for n := range 200 {
			k.set(n, func(lane int) uint32 { return uint32(1000*n + lane) })
		}
		for lane := range rogue.Lanes {
			k.st.Set(ir.Cell{File: rogue.FileIdx}, lane, uint32(lane%6))
		}
		if f := k.step(k.group("{ s0 = r3[idx0], is4 = ft0 p0: mbyp ft0, s0; w0 = vi2[idx0] }"), 1); f != nil {
			t.Fatal(f)
		}
		for lane := range rogue.Lanes {
			at := lane % 6 * unit
			if got, want := k.st.Get(ir.Cell{File: rogue.FileVi, Index: uint16(2 + at)}, lane), uint32(1000*(3+at)+lane); got != want {
				t.Errorf("unit %s, lane %d: %d, want %d", option, lane, got, want)
			}
		}
	}
}

// TestPerspective: 41 divided by 41, and times the rounded reciprocal of 41, which is a different number.
func TestPerspective(t *testing.T) {
	quotient := func(v, w float32) float32 { return v / w }
	for option, f := range map[string]func(v, w float32) float32{"divide": quotient, "reciprocal": func(v, w float32) float32 { return v * quotient(1, w) }} {
		k := newTask(t, map[string]string{"perspective": option})
		for i, v := range []float32{0, 0, 41, 0, 0, 0, 41} { // the set of W, then that of the value
			k.st.Set(ir.Cell{File: rogue.FileCf, Index: uint16(i)}, 0, math.Float32bits(v))
		}
		if f := k.step(k.group("{ s0 = cf4, s2 = cf0, s3 = r16 backend: fitrp.pixel s3, drc0, s0, s2, 1; }"), 1); f != nil {
			t.Fatal(f)
		}
		if got, want := math.Float32frombits(k.get(16, 3)), f(41, 41); got != want {
			t.Errorf("%s: %v, want %v", option, got, want)
		}
	}
	if quotient(41, 41) == 41*quotient(1, 41) {
		t.Error("both are the same")
	}
}

// TestPackedNaN: the integer for a NaN.
func TestPackedNaN(t *testing.T) {
	for option, want := range map[string]map[string]uint32{"zero": {".u8888": 0, ".s8888": 0, ".scale.s8888": 0, ".s32": 0, ".o8888": 0x80},
		"least": {".u8888": 0, ".s8888": 0x80, ".scale.s8888": 0x81, ".s32": 0x80000000, ".o8888": 0}} {
		for format, w := range want {
			mask := uint32(0xff)
			if format == ".s32" {
				mask = ^uint32(0)
			}
			k := newTask(t, map[string]string{"pack-nan": option})
			k.set(0, func(int) uint32 { return 0x7fc00001 })
			k.run("{ s0 = r0, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck" + format + " ft2, is3; w0 = r1 }")
			if got := k.get(1, 3) & mask; got != w {
				t.Errorf("%s, pck%s: %#x, want %#x", option, format, got, w)
			}
		}
	}
}

// TestRepeatedConstants: which constants the repetitions of a group read.
func TestRepeatedConstants(t *testing.T) {
	for option, step := range map[string]uint32{"stay": 0, "advance": 1} {
		k := newTask(t, map[string]string{"repeat-constants": option})
		k.run("{ repeat 3, s0 = sc5, is4 = ft0 p0: mbyp ft0, s0; w0 = r1 }")
		for i := range uint32(3) {
			if got, want := k.get(1+int(i), 7), 5+step*i; got != want {
				t.Errorf("%s: r%d is %d, want %d", option, 1+i, got, want)
			}
		}
	}
}
