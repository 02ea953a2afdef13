package gcnrun

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// olderFunctions are approximate instructions that gfx8 lacks.
var olderFunctions = []function{
	{"v_rcp_clamp_f32", reciprocal, -120, 120, true, 1, 0},
	{"v_rcp_legacy_f32", reciprocal, -120, 120, true, 1, 0},
	{"v_rsq_clamp_f32", rootReciprocal, -120, 120, false, 1, 0},
	{"v_rsq_legacy_f32", rootReciprocal, -120, 120, false, 1, 0},
	{"v_log_clamp_f32", math.Log2, -120, 120, false, 1, 1e-9},
	{"v_rcp_clamp_f64", reciprocal, -1000, 1000, true, 1 << 30, 0},
	{"v_rsq_clamp_f64", rootReciprocal, -1000, 1000, false, 1 << 30, 0},
}

// TestOlderFunctions: for results in the range of numbers they are like the other functions.
func TestOlderFunctions(t *testing.T) {
	for i, f := range olderFunctions {
		for _, variant := range []int{gfx6, gfx7} {
			for _, suffix := range []string{"_e32", "_e64"} {
				f.run(t, variant, floatTypes[f.name[len(f.name)-3:]], uint64(i), suffix, "")
			}
		}
	}
}

// TestInfiniteResults: their results instead of infinity.
func TestInfiniteResults(t *testing.T) {
	const inf, minus = 0x7f800000, 1 << 31
	for name, values := range map[string][][2]uint32{
		"v_rcp_clamp_f32":  {{0, 0x7f7fffff}, {minus, 0xff7fffff}, {inf, 0}, {minus | inf, minus}, {1, 0x7f7fffff}, {minus | 1, 0xff7fffff}},
		"v_rcp_legacy_f32": {{0, 0}, {minus, minus}, {inf, 0}, {minus | 1, minus}, {0x40000000, 0x3f000000}},
		"v_rsq_clamp_f32":  {{0, 0x7f7fffff}, {minus, 0xff7fffff}, {inf, 0}, {0x40800000, 0x3f000000}},
		"v_rsq_legacy_f32": {{0, 0}, {1, 0}, {inf, 0}, {0x40800000, 0x3f000000}},
		"v_log_clamp_f32":  {{0, 0xff7fffff}, {minus, 0xff7fffff}, {0x41000000, 0x40400000}},
	} {
		for _, v := range values {
			m := newMemRunOn(t, gfx6)
			m.v(1, all(v[0]))
			m.run(name + "_e32 v2, v1")
			m.wantV(2, all(v[1]))
			if t.Failed() {
				t.Fatalf("%s of %#x", name, v[0])
			}
		}
	}
	for name, values := range map[string][][2]uint64{
		"v_rcp_clamp_f64": {{0, 0x7fefffffffffffff}, {1 << 63, 0xffefffffffffffff}, {0x4000000000000000, 0x3fe0000000000000}},
		"v_rsq_clamp_f64": {{0, 0x7fefffffffffffff}, {0x7ff0000000000000, 0}},
	} {
		for _, v := range values {
			m := newMemRunOn(t, gfx7)
			m.v(2, all(uint32(v[0])))
			m.v(3, all(uint32(v[0]>>32)))
			m.run(name + "_e32 v[4:5], v[2:3]")
			m.wantV(4, all(uint32(v[1])))
			m.wantV(5, all(uint32(v[1]>>32)))
			if t.Failed() {
				t.Fatalf("%s of %#x", name, v[0])
			}
		}
	}
}

// mullitEdges are f32 patterns at which the conditions change.
var mullitEdges = []uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x40490fdb, 0xc2f00000, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001}

// TestMullit: a * b with 0 * x = 0 if c > 0 and b is above the least number, else the least number. By the page b does
// not matter.
func TestMullit(t *testing.T) {
	for _, variant := range []int{gfx6, gfx7} {
		for _, option := range []string{"r600", "page"} {
			for _, a := range mullitEdges {
				for _, b := range mullitEdges {
					m := newMemRun(t).on(variant, map[string]string{"mullit": option})
					m.v(1, all(a))
					m.v(2, all(b))
					m.v(3, func(i int) uint32 { return mullitEdges[i%len(mullitEdges)] })
					m.run("v_mullit_f32 v4, v1, v2, v3")
					for lane, c := range mullitEdges {
						if got, want := m.st.Get(gcn.VGPR(4), lane), mullitOf(option, a, b, c); !sameFlushed(got, want) {
							t.Fatalf("%s: v_mullit_f32 of %#x, %#x, %#x is %#x, want %#x", option, a, b, c, got, want)
						}
					}
				}
			}
		}
	}
}

// mullitOf returns the result for an option, without flushing.
func mullitOf(option string, x, y, z uint32) uint32 {
	f := math.Float32frombits
	switch a, b, c := f(x), f(y), f(z); {
	case !(c > 0) || option == "r600" && !(b > -math.MaxFloat32):
		return 0xff7fffff
	case a == 0 || b == 0:
		return 0
	default:
		return math.Float32bits(a * b)
	}
}

// sameFlushed reports whether two results are equal, with all NaNs equal and denormals flushed.
func sameFlushed(got, want uint32) bool {
	g, w := math.Float32frombits(got), math.Float32frombits(want)
	return got == want || w != w && g != g || want&0x7f800000 == 0 && got&0x7fffffff == 0 && want&0x7fffffff != 0
}

// byteSum returns the sum of the differences of four bytes of a, from byte k on, and b; with masked, bytes where b is 0
// are skipped.
func byteSum(a uint64, b uint32, k int, masked bool) (sum uint64) {
	for i := range 4 {
		x, y := int64(a>>(8*(k+i))&0xff), int64(b>>(8*i)&0xff)
		if !masked || y != 0 {
			sum += uint64(max(x-y, y-x))
		}
	}
	return sum
}

// TestQuadSums: v_qsad_u8 and v_mqsad_u8 of gfx6, whose 16-bit sums saturate, and v_mqsad_u32_u8, whose sums follow the
// option.
func TestQuadSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	for round := range 64 {
		a, b, c := rnd.Uint64(), rnd.Uint32(), [4]uint32{rnd.Uint32(), rnd.Uint32(), ^uint32(0) - rnd.Uint32N(600), 0}
		if round%3 == 0 {
			b &= 0xff00ff00
		}
		if round%4 == 0 {
			c[0] |= 0xffff
		}
		set := func(m *memRun) {
			m.v(2, all(uint32(a)))
			m.v(3, all(uint32(a>>32)))
			m.v(4, all(b))
			for i, w := range c {
				m.v(8+i, all(w))
				m.s(8+i, w)
			}
		}
		for name, masked := range map[string]bool{"v_qsad_u8": false, "v_mqsad_u8": true} {
			m := newMemRunOn(t, gfx6)
			set(m)
			m.run(name + " v[20:21], v[2:3], v4, v[8:9]")
			for i := range 2 {
				lo := min(uint64(c[i]&0xffff)+byteSum(a, b, 2*i, masked), 0xffff)
				hi := min(uint64(c[i]>>16)+byteSum(a, b, 2*i+1, masked), 0xffff)
				m.wantV(20+i, all(uint32(hi<<16|lo)))
			}
		}
		for _, o := range []struct {
			text, option string
			saturates    bool
		}{{"v_mqsad_u32_u8 v[2:5], v[2:3], v4, v[8:11]", "saturate", true}, {"v_mqsad_u32_u8 v[20:23], v[2:3], v4, v[8:11]", "wrap", false},
			{"v_mqsad_u32_u8 v[20:23], v[2:3], v4, v[8:11] clamp", "wrap", true}, {"v_mqsad_u32_u8 v[20:23], v[2:3], v4, s[8:11]", "wrap", false}} {
			for _, variant := range []int{gfx7, 0} {
				if variant == gfx7 && strings.HasSuffix(o.text, "clamp") {
					continue // gfx7 lacks it
				}
				m := newMemRun(t).on(variant, map[string]string{"quad-sums": o.option})
				set(m)
				m.run(o.text)
				first := 20
				if strings.Contains(o.text, "v[2:5]") { // overlapping the sources
					first = 2
				}
				for i := range 4 {
					want := uint64(c[i]) + byteSum(a, b, i, true)
					if o.saturates {
						want = min(want, 0xffffffff)
					}
					m.wantV(first+i, all(uint32(want)))
				}
			}
		}
		if t.Failed() {
			t.Fatalf("a %#x, b %#x, c %#x", a, b, c)
		}
	}
}

// TestOlderFaults: results of gfx6 for numbers that compilers avoid, by the option; gfx7 does not have these errata.
func TestOlderFaults(t *testing.T) {
	const inf, nan = 0x7ff0000000000000, 0x7ff8000000000000
	for _, c := range []struct {
		text            string
		a, good, faulty uint64
		bits            int
	}{
		{"v_fract_f64_e32 v[4:5], v[2:3]", 0xbc00000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 64},
		{"v_fract_f64_e64 v[4:5], v[2:3]", 0x400c000000000000, 0x3fe0000000000000, 0x3fe0000000000000, 64},
		{"v_frexp_exp_i32_f64_e32 v4, v[2:3]", inf, 0, 0xffffffff, 32},
		{"v_frexp_exp_i32_f64_e32 v4, v[2:3]", nan, 0, 0xffffffff, 32},
		{"v_frexp_exp_i32_f64_e64 v4, v[2:3]", 0x4000000000000000, 2, 2, 32},
		{"v_frexp_mant_f64_e32 v[4:5], v[2:3]", inf, inf, 0xfff8000000000000, 64},
		{"v_frexp_mant_f64_e64 v[4:5], v[2:3]", 0x4018000000000000, 0x3fe8000000000000, 0x3fe8000000000000, 64},
		{"v_frexp_exp_i32_f32_e32 v4, v2", 0xff800000, 0, 0xffffffff, 32},
		{"v_frexp_mant_f32_e32 v4, v2", 0xff800000, 0xff800000, 0xffc00000, 32},
	} {
		for _, o := range []struct {
			variant int
			option  string
		}{{gfx6, "absent"}, {gfx6, "present"}, {gfx7, "present"}} {
			want := c.good
			if o.variant == gfx6 && o.option == "present" {
				want = c.faulty
			}
			m := newMemRun(t).on(o.variant, map[string]string{"gfx6-faults": o.option})
			m.v(2, all(uint32(c.a)))
			m.v(3, all(uint32(c.a>>32)))
			m.run(c.text)
			m.wantV(4, all(uint32(want)))
			if c.bits == 64 {
				m.wantV(5, all(uint32(want>>32)))
			}
			if t.Failed() {
				t.Fatalf("%s of %#x on variant %d, faults %s", c.text, c.a, o.variant, o.option)
			}
		}
	}
}

// TestIntegerSigns: abs and neg bits of VOP3 on integer sources affect the top bit, or do nothing, by the option.
func TestIntegerSigns(t *testing.T) {
	for option, obeyed := range map[string]bool{"obeyed": true, "ignored": false} {
		for signs := range uint64(4) {
			m := newMemRun(t).on(0, map[string]string{"integer-signs": option})
			m.v(1, all(0xf0000001))
			m.v(2, all(0))
			m.runWord(0xd1150003|(256+1)<<32|(256+2)<<41|signs&1<<61|signs>>1<<8, "v_xor_b32_e64 v3, v1, v2 with signs")
			want := uint32(0xf0000001)
			if obeyed && signs>>1 != 0 {
				want &= 1<<31 - 1
			}
			if obeyed && signs&1 != 0 {
				want ^= 1 << 31
			}
			m.wantV(3, all(want))
		}
	}
}

// TestMoveForms: v_mov_fed_b32, a debug opcode, moves in each of its forms.
func TestMoveForms(t *testing.T) {
	for _, form := range []string{"_e32 v3, v1", "_e64 v3, v1", "_sdwa v3, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD", "_dpp v3, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"} {
		m := newMemRun(t)
		m.v(1, perLane(0x01234567))
		m.run(fmt.Sprint("v_mov_fed_b32", form))
		m.wantV(3, perLane(0x01234567))
	}
}

// TestIndexOfOlder: bit 27 of MODE has no effect before gfx8.
func TestIndexOfOlder(t *testing.T) {
	m := newMemRunOn(t, gfx7)
	m.st.Set(gcn.CellMode, 0, 0x3c0|1<<27)
	m.st.Set(gcn.CellM0, 0, 0xf005)
	m.v(1, all(11))
	m.v(6, all(66))
	m.run("v_mov_b32_e32 v2, v1")
	m.wantV(2, all(11))
}
