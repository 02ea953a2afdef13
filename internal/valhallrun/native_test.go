package valhallrun

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/num"
)

// randomFloats returns floats of moderate size, and edge values.
func randomFloats(rnd *rand.Rand, n int) (vs []uint32) {
	for _, x := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 2, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-30, 3e38} {
		vs = append(vs, math.Float32bits(x))
	}
	for len(vs) < n {
		vs = append(vs, math.Float32bits(float32((rnd.Float64()-0.25)*math.Ldexp(1, rnd.IntN(40)-20))))
	}
	return vs
}

// near reports whether a float is within an ULP of another; NaNs are equal.
func near(got uint32, want float64) bool {
	x := float64(math.Float32frombits(got))
	if math.IsNaN(want) || math.IsInf(want, 0) || math.IsNaN(x) || math.IsInf(x, 0) {
		return math.IsNaN(want) && math.IsNaN(x) || x == float64(float32(want))
	}
	return math.Abs(x-want) <= math.Max(math.Abs(want)*math.Ldexp(1, -23), math.Ldexp(1, -149))
}

// TestNativeFunctions: logarithm, power of two, root, sine and cosine of v14, compared with functions of doubles.
func TestNativeFunctions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 1))
	vs := randomFloats(rnd, 4000)
	for _, c := range []struct {
		text string
		f    func(x float64) float64
	}{{"FLOG.f32 r4, r8", math.Log2}, {"FEXPF.f32 r4, r8", math.Exp2}, {"FSQRT.f32 r4, r8", math.Sqrt}} {
		newWarpOf(t, "v14", nil).each(c.text, [][]uint32{vs}, func(i int, got uint32) bool {
			if want := c.f(float64(math.Float32frombits(vs[i]))); !near(got, want) {
				t.Errorf("%s of %#08x: %#08x, want %v", c.text, vs[i], got, want)
				return false
			}
			return true
		})
	}
	angles, quarters := make([]uint32, 4000), make([]uint32, 4000)
	for i := range angles {
		angles[i], quarters[i] = math.Float32bits(float32((rnd.Float64()-0.5)*math.Pi/2)), math.Float32bits(12582912+float32(rnd.IntN(2000)-1000))
	}
	for _, text := range []string{"FSINCOS.f32.sin r4, r8, r10", "FSINCOS.f32.cos r4, r8, r10"} {
		newWarpOf(t, "v14", nil).each(text, [][]uint32{angles, quarters}, func(i int, got uint32) bool {
			// Quarter turns are the low bits of 1.5 * 2^23 + n.
			x, q := float64(math.Float32frombits(angles[i])), int(quarters[i]&3)
			if text[12] == 'c' {
				q++
			}
			want := [...]float64{math.Sin(x), math.Cos(x), -math.Sin(x), -math.Cos(x)}[q&3]
			if d := math.Abs(float64(math.Float32frombits(got)) - want); d > math.Ldexp(1, -23) {
				t.Errorf("%s of %v and %d: %#08x, want %v", text, x, q, got, want)
				return false
			}
			return true
		})
	}
}

// TestNativeHalves: logarithm and power of halves of v12, compared with functions of doubles: the result is one of the
// two nearest halves.
func TestNativeHalves(t *testing.T) {
	half := func(x float64) uint32 {
		return uint32(num.FCvt(64, 16, num.RNE, math.Float64bits(x)))
	}
	value := func(h uint32) float64 { return math.Float64frombits(num.FCvt(16, 64, num.RNE, uint64(h&0xffff))) }
	var xs, ys []uint32
	rnd := rand.New(rand.NewPCG(14, 2))
	for range 3000 {
		xs = append(xs, half(math.Ldexp(1+rnd.Float64(), rnd.IntN(8)-4)))
		ys = append(ys, half(rnd.Float64()*4-2))
	}
	for _, text := range []string{"FLOG.f16 r4, r8.h0", "FPOW.f16 r4, r8.h0, r10.h0"} {
		newWarpOf(t, "v12", nil).each(text, [][]uint32{xs, ys}, func(i int, got uint32) bool {
			want := math.Log2(value(xs[i]))
			if text[1] == 'P' {
				want = math.Pow(value(xs[i]), value(ys[i]))
			}
			if d := math.Abs(value(got) - want); d > math.Max(math.Abs(want)*math.Ldexp(1, -11), math.Ldexp(1, -24)) || got&0xffff != got>>16 {
				t.Errorf("%s of %v, %v: %#x, want %v in both halves", text, value(xs[i]), value(ys[i]), got, want)
				return false
			}
			return true
		})
	}
}

// TestCarries: IADDC and ISUBB as sums and differences of 33 bits; carries chain to sums of 64 bits.
func TestCarries(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 3))
	edges := []uint32{0, 1, 0xffffffff, 0x80000000, 0x7fffffff}
	cols := make([][]uint32, 3)
	for range 3000 {
		for c := range cols {
			v := rnd.Uint32()
			if rnd.IntN(3) == 0 {
				v = edges[rnd.IntN(len(edges))]
			}
			cols[c] = append(cols[c], v)
		}
	}
	for text, want := range map[string]func(a, b, c int64) uint32{
		"IADDC.u32 r4, r8, r10, r12":   func(a, b, c int64) uint32 { return uint32(a + b + c) },
		"IADDC.u32.c r4, r8, r10, r12": func(a, b, c int64) uint32 { return uint32(min(1, (a+b+c)>>32)) },
		"ISUBB.u32 r4, r8, r10, r12":   func(a, b, c int64) uint32 { return uint32(a - b - c) },
		"ISUBB.u32.c r4, r8, r10, r12": func(a, b, c int64) uint32 { return uint32(uint64(a-b-c) >> 63) },
	} {
		newWarp(t, nil).each(text, cols, func(i int, got uint32) bool {
			if w := want(int64(cols[0][i]), int64(cols[1][i]), int64(cols[2][i])); got != w {
				t.Errorf("%s of %#x, %#x, %#x: %#x, want %#x", text, cols[0][i], cols[1][i], cols[2][i], got, w)
				return false
			}
			return true
		})
	}
	for _, text := range []string{"IADDC.u32 r4, r8, r10, r12"} {
		if f := newWarp(t, map[string]string{"carries": "none"}).try(text); f == nil {
			t.Errorf("%s runs although the option says that nothing is known", text)
		}
	}
}

// TestMixedProducts: IDP of bytes, with each source signed or unsigned, by the formula of kraid's ops.rs (OpIDpAdd).
func TestMixedProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 4))
	cols := make([][]uint32, 3)
	for range 2000 {
		for c := range cols {
			cols[c] = append(cols[c], rnd.Uint32()|map[bool]uint32{true: 0x7fff0000}[c == 2 && rnd.IntN(2) == 0])
		}
	}
	byteOf := func(v uint32, i int, unsigned bool) int64 {
		b := byte(v >> (8 * i))
		if unsigned {
			return int64(b)
		}
		return int64(int8(b))
	}
	for mods := range 8 {
		text := "IDP.v4s8"
		for bit, m := range []string{".saturate", ".v4u8_a", ".v4u8_b"} {
			if mods>>bit&1 != 0 {
				text += m
			}
		}
		newWarpOf(t, "v14", nil).each(text+" r4, r8, r10, r12", cols, func(i int, got uint32) bool {
			sum := int64(0)
			for k := range 4 {
				sum += byteOf(cols[0][i], k, mods&2 != 0) * byteOf(cols[1][i], k, mods&4 != 0)
			}
			sum += int64(int32(cols[2][i]))
			if mods&1 != 0 {
				sum = max(math.MinInt32, min(math.MaxInt32, sum))
			}
			if got != uint32(sum) {
				t.Errorf("%s of %#x, %#x, %#x: %#x, want %#x", text, cols[0][i], cols[1][i], cols[2][i], got, uint32(sum))
				return false
			}
			return true
		})
	}
}

// TestClock: LD_GCLK returns an increasing count in two registers, for both clocks.
func TestClock(t *testing.T) {
	w := newWarp(t, nil)
	if f := w.program("LD_GCLK.u64.slot0.cycle_counter.wait0 @r0:r1\nNOP\nNOP\nLD_GCLK.u64.slot0.system_timestamp.wait0 @r2:r3\nNOP.end"); f != nil {
		t.Fatal(f)
	}
	if a, b := w.get(0, 3), w.get(2, 3); b != a+3 || w.get(1, 3) != 0 || w.get(3, 3) != 0 {
		t.Errorf("%d, and three instructions later %d", a, b)
	}
}
