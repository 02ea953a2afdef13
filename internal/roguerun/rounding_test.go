package roguerun

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRounding: with the option, sums and products round toward zero, but packs and unpacked integers still to nearest.
func TestRounding(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	k := newTask(t, map[string]string{"rounding": "zero"})
	for i := range floatOps {
		op := &floatOps[i]
		mods := make([]string, len(op.srcs))
		for phase := range 2 {
			k.words(op.text(phase, op.mods[0], mods), edges(96, rnd), func(in row) uint32 {
				return uint32(single.Write(op.f([]real{value(in.a, ""), value(in.b, ""), value(in.c, "")}), big.ToZero))
			})
		}
	}
	one := row{a: 0x3f800000, b: 0x33c00000} // 1, and three quarters of its ULP
	for option, want := range map[string]uint32{"nearest": 0x3f800001, "zero": 0x3f800000} {
		newTask(t, map[string]string{"rounding": option}).words("{ s0 = r0, s1 = r1, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r16 }", []row{one}, func(row) uint32 { return want })
	}
	// 1.75
	k.words("{ s0 = r0, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: pck.u32 ft2, is3; w0 = r16 }", []row{{a: 0x3fe00000}}, func(row) uint32 { return 2 })
	// between 2^24 + 2 and + 4
	k.words("{ s0 = r0, is4 = ft0 p0: unpck.u32 ft0, s0; w0 = r16 }", []row{{a: 0x01000003}}, func(row) uint32 { return 0x4b800002 })
}

// TestKeptDenormals: the option flushes denormals of 32 bits, but not those of 16 and 64 bits.
func TestKeptDenormals(t *testing.T) {
	k := newTask(t, map[string]string{"denormals": "flush"})
	// 2^-24, -2^-15, 1023 * 2^-24
	for h, want := range map[uint32]uint32{0x0001: 0x33800000, 0x8200: 0xb8000000, 0x03ff: 0x387fc000} {
		k.words("{ s0 = r0, is4 = ft0 p0: unpck.f16f16 ft0, s0; w0 = r16 }", []row{{a: h}}, func(row) uint32 { return want })
		k.words("{ repeat 2, s0 = r0..1, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: pck.f16f16 ft2, is3; w0 = r16 }", []row{{a: want, b: want}}, func(row) uint32 { return h<<16 | h })
	}
	x := newTexts(t, map[string]string{"denormals": "flush"})
	r := x.runner("{ s0 = r0..1, s1 = r2..3 p0: f64add w0, s0, s1; w0 = r16..17 }")
	for n, v := range [...]uint32{1, 0, 1, 0} {
		x.set(n, func(int) uint32 { return v })
	}
	if f := x.step(r, 1); f != nil || x.get(16, 0) != 2 || x.get(17, 0) != 0 {
		t.Errorf("%v: the sum of the least two doubles is %#x, %#x", f, x.get(16, 0), x.get(17, 0))
	}
	r = x.runner("{ s0 = r0, s1 = r1, s3 = r2, s4 = r3 p0: f16sop w0.e0.joutj, w0.e1.koutk, _, s0.e0, s1.e0, add, s3.e0, s4.e0, s0.e0, s1.e0, add, s3.e0, s4.e0, _; w0 = r16 }")
	for n, v := range [...]uint32{1, 0x3c00, 2, 0x3c00} { // 2^-24 * 1 + 2^-23 * 1
		x.set(n, func(int) uint32 { return v })
	}
	if f := x.step(r, 1); f != nil || x.get(16, 0) != 0x00030003 {
		t.Errorf("%v: a sum of halves is %#x", f, x.get(16, 0))
	}
}
