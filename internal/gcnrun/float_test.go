package gcnrun

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// TestRoundings: f32 rounds by one field of MODE, f16 and f64 by the other.
func TestRoundings(t *testing.T) {
	for wide := range uint32(4) {
		for single := range uint32(4) {
			m := newMemRun(t)
			m.st.Set(gcn.CellMode, 0, single|wide<<2|0xf0)
			m.v(2, all(0x3f800000)) // 1
			m.v(3, all(0x33c00000)) // 0.75 ULP of 1
			m.v(4, all(0x3c00))
			m.v(5, all(0x1200))
			m.v(6, all(0))
			m.v(7, all(0x3ff00000))
			m.v(8, all(0))
			m.v(9, all(0x3ca80000))
			m.run("v_add_f32_e32 v10, v2, v3")
			m.run("v_add_f16_e32 v11, v4, v5")
			m.run("v_add_f64 v[12:13], v[6:7], v[8:9]")
			up := func(mode uint32) uint32 { return map[uint32]uint32{0: 1, 1: 1}[mode] } // to nearest and up
			m.wantV(10, all(0x3f800000+up(single)))
			m.wantV(11, all(0x3c00+up(wide)))
			m.wantV(12, all(up(wide)))
			m.v(3, all(0x80000000|0x33c00000)) // with the other sign
			m.v(2, all(0xbf800000))
			m.run("v_add_f32_e32 v10, v2, v3")
			m.wantV(10, all(0xbf800000+map[uint32]uint32{0: 1, 2: 1}[single]))
			if t.Failed() {
				t.Fatalf("rounding %d of f32, %d of f64 and f16", single, wide)
			}
		}
	}
}

// TestDenormals: multiply-adds that round twice flush in every mode, minimum and maximum in none, the others by MODE,
// for sources and results.
func TestDenormals(t *testing.T) {
	const tiny, one, half, least = 0x00000400, 0x3f800000, 0x3f000000, 0x00800000
	for denorm := range uint32(4) {
		kept := func(bit uint32, x uint32) uint32 {
			if denorm&bit != 0 {
				return x
			}
			return 0
		}
		for _, c := range []struct {
			text       string
			a, b, want uint32
		}{
			{"v_mad_f32 v1, v2, v3, 0", tiny, one, 0},
			{"v_mad_f32 v1, v2, v3, 0", least, half, 0},
			{"v_mad_f32 v1, 0, v3, v2", tiny, one, 0},
			{"v_mad_legacy_f32 v1, v2, v3, 0", tiny, one, 0},
			{"v_mad_legacy_f32 v1, v2, v3, 0", least, half, 0},
			{"v_madmk_f32 v1, v2, 0x3f800000, v2", tiny, one, 0},
			{"v_madak_f32 v1, v2, v3, 0x400", 0, one, 0},
			{"v_min_f32_e32 v1, v2, v3", tiny, one, tiny},
			{"v_max_f32_e32 v1, v2, v3", tiny, 0x80000000 | one, tiny},
			{"v_min3_f32 v1, v2, v3, 1.0", tiny, one, tiny},
			{"v_max3_f32 v1, v2, v3, 0", tiny, 0x80000000 | one, tiny},
			{"v_mul_f32_e32 v1, v2, v3", tiny, 0x43800000, kept(keepIn, kept(keepOut, tiny<<8))},
			{"v_mul_f32_e32 v1, v2, v3", tiny, 0x4b800000, kept(keepIn, 0x06000000)}, // 2^-139 * 2^24 = 2^-115
			{"v_mul_f32_e32 v1, v2, v3", least, half, kept(keepOut, least/2)},
			{"v_fma_f32 v1, v2, v3, 0", least, half, kept(keepOut, least/2)},
			{"v_mov_b32_e32 v1, v2", tiny, 0, tiny},
		} {
			c := modeCase{c.text, denorm<<4 | 3<<6, uint64(c.a), uint64(c.b), uint64(c.want)}
			c.run(t)
		}
		half16 := modeCase{"v_mad_f16 v1, v2, v3, 0", denorm<<6 | 3<<4, 0x10, 0x3c00, 0}
		half16.run(t)
		half16 = modeCase{"v_min_f16_e32 v1, v2, v3", denorm<<6 | 3<<4, 0x10, 0x3c00, 0x10}
		half16.run(t)
		half16 = modeCase{"v_add_f16_e32 v1, v2, v3", denorm<<6 | 3<<4, 0x10, 0x10, uint64(kept(keepIn, kept(keepOut, 0x20)))}
		half16.run(t)
	}
}

// TestLdexp: the exponent is signed, of 16 bits for f16 and of 32 for f32.
func TestLdexp(t *testing.T) {
	for _, c := range []modeCase{
		{"v_ldexp_f16_e32 v1, v2, v3", 0xf0, 0x3c00, 0xffff, 0x3800},
		{"v_ldexp_f16_e32 v1, v2, v3", 0xf0, 0x3c00, 0x1_0003, 0x4800},
		{"v_ldexp_f16_e32 v1, v2, v3", 0xf0, 0xbc00, 0x7fff, 0xfc00},
		{"v_ldexp_f16_e32 v1, v2, v3", 0xf0, 0x3c00, 0x8000, 0},
		{"v_ldexp_f32 v1, v2, v3", 0xf0, 0x3f800000, 0xffffffff, 0x3f000000},
		{"v_ldexp_f32 v1, v2, v3", 0xf0, 0x3f800000, 0x0000ffff, 0x7f800000},
		{"v_ldexp_f32 v1, v2, v3", 0xf0, 0x3f800000, 0x80000000, 0},
	} {
		c.run(t)
	}
}

// TestFloors: v_cvt_rpi is floor(a + 0.5), v_cvt_flr floor(a), both saturating.
func TestFloors(t *testing.T) {
	for _, x := range []float32{0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, -0.25, -0.5, -0.75, -1, -1.5, -2.5, 1e6, 8388607.5, -8388607.5, 16777217, 3e9, -3e9, 2147483520, -2147483648} {
		limit := func(v float64) uint32 { return uint32(int32(max(min(v, math.MaxInt32), math.MinInt32))) }
		for text, want := range map[string]float64{"v_cvt_rpi_i32_f32_e32 v1, v2": math.Floor(float64(x) + 0.5), "v_cvt_flr_i32_f32_e32 v1, v2": math.Floor(float64(x))} {
			for round := range uint32(4) {
				c := modeCase{text, modeOf(round, 3), uint64(math.Float32bits(x)), 0, uint64(limit(want))}
				c.run(t)
			}
		}
	}
}

// TestWideMultiplyAdd: the product of 64 bits plus c, saturated with clamp, by big integers.
func TestWideMultiplyAdd(t *testing.T) {
	values := []uint32{0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff}
	sums := []uint64{0, 1, 1 << 62, 1<<63 - 1, 1 << 63, 1<<63 + 1, ^uint64(0), 0x1_00000000}
	for _, a := range values {
		for _, b := range values {
			for _, signed := range []bool{false, true} {
				for _, clamp := range []string{"", " clamp"} {
					wideMultiplyAdd(t, a, b, sums, signed, clamp)
				}
			}
		}
	}
}

// wideMultiplyAdd runs a * b plus a sum in each lane.
func wideMultiplyAdd(t *testing.T, a, b uint32, sums []uint64, signed bool, clamp string) {
	name, x, y := "v_mad_u64_u32", int64(a), int64(b)
	low, high := new(big.Int), new(big.Int).SetUint64(^uint64(0))
	if signed {
		name, x, y = "v_mad_i64_i32", int64(int32(a)), int64(int32(b))
		low, high = big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	}
	m := newMemRun(t)
	m.st.Exec = 1<<len(sums) - 1
	m.v(2, all(a))
	m.v(3, all(b))
	c := func(i int) uint64 { return sums[i%len(sums)] }
	m.v(4, func(i int) uint32 { return uint32(c(i)) })
	m.v(5, func(i int) uint32 { return uint32(c(i) >> 32) })
	m.run(name + " v[6:7], s[2:3], v2, v3, v[4:5]" + clamp)
	word, over := make([]uint64, len(sums)), uint32(0)
	for i := range sums {
		exact := new(big.Int).SetUint64(c(i))
		if signed {
			exact.SetInt64(int64(c(i)))
		}
		exact.Add(exact, new(big.Int).Mul(big.NewInt(x), big.NewInt(y)))
		if exact.Cmp(low) < 0 || exact.Cmp(high) > 0 {
			over |= 1 << i
		}
		if clamp != "" && exact.Cmp(low) < 0 {
			exact = low
		} else if clamp != "" && exact.Cmp(high) > 0 {
			exact = high
		}
		word[i] = new(big.Int).And(exact, new(big.Int).SetUint64(^uint64(0))).Uint64()
	}
	m.wantV(6, func(i int) uint32 { return uint32(word[i]) })
	m.wantV(7, func(i int) uint32 { return uint32(word[i] >> 32) })
	m.wantS(2, over, 0)
	if t.Failed() {
		t.Fatalf("%s of %#x, %#x%s", name, a, b, clamp)
	}
}

// TestCube: the axis of the largest magnitude is selected; in ties z precedes y, then x; -0 is not negative.
// docs/reference/gcn.md 7.2.
func TestCube(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 0.5, -0.5}
	for _, x := range values {
		for _, y := range values {
			for op, k := range map[string]int{"id": 0, "sc": 1, "tc": 2, "ma": 3} {
				m := newMemRun(t)
				z := func(i int) float32 { return values[i%len(values)] }
				m.v(2, all(math.Float32bits(x)))
				m.v(3, all(math.Float32bits(y)))
				m.v(4, func(i int) uint32 { return math.Float32bits(z(i)) })
				m.run("v_cube" + op + "_f32 v1, v2, v3, v4")
				for i := range values {
					if got, want := math.Float32frombits(m.st.Get(gcn.VGPR(1), i)), cube(x, y, z(i))[k]; got != want {
						t.Fatalf("v_cube%s of %v, %v, %v is %v, want %v", op, x, y, z(i), got, want)
					}
				}
			}
		}
	}
}

// cube is id, sc, tc and ma.
func cube(x, y, z float32) [4]float32 {
	abs := func(a float32) float32 { return float32(math.Abs(float64(a))) }
	switch {
	case abs(z) >= abs(x) && abs(z) >= abs(y) && z < 0:
		return [4]float32{5, -x, -y, 2 * z}
	case abs(z) >= abs(x) && abs(z) >= abs(y):
		return [4]float32{4, x, -y, 2 * z}
	case abs(y) >= abs(x) && y < 0:
		return [4]float32{3, x, -z, 2 * y}
	case abs(y) >= abs(x):
		return [4]float32{2, x, z, 2 * y}
	case x < 0:
		return [4]float32{1, z, -y, 2 * x}
	}
	return [4]float32{0, -z, -y, 2 * x}
}

// random returns a pattern with an exponent and a fraction that is not 0.
func (f floatType) random(rnd *rand.Rand, exponent int) uint64 {
	return rnd.Uint64()&1<<(f.bits-1) | uint64(exponent)<<f.mant | rnd.Uint64()&(1<<f.mant-1) | 1
}
