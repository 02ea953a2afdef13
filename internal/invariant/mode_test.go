package invariant

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// The modes that the program of TestMode switches between: MODE bits 7:0. Rounding of f32 in bits 1:0 and of f64 and
// f16 in 3:2 (0 nearest, 1 up, 2 down, 3 to zero); denormals of f32 in 5:4, of the others in 7:6 (1 keeps inputs, 2
// keeps results). Source: docs/reference/gcn.md 3.
const (
	nearestKept  = 0xf0
	upFlushed    = 0x05
	downInputs   = 0x5a
	zeroResults  = 0xaf
	turnsCompare = 100
)

// measure computes results that depend on the mode in 12 registers from v[out] up.
func measure(out int) string {
	f := func(format string, regs ...any) string { return fmt.Sprintf("\t"+format+"\n", regs...) }
	return f("v_add_f32 v%d, v0, v1", out) +
		f("v_mul_f32 v%d, v2, v3", out+1) + // a denormal result
		f("v_mul_f32 v%d, v4, v5", out+2) + // a denormal input
		f("v_add_f64 v[%d:%d], v[6:7], v[8:9]", out+3, out+4) +
		f("v_mul_f64 v[%d:%d], v[10:11], v[12:13]", out+5, out+6) +
		f("v_mul_f64 v[%d:%d], v[14:15], v[16:17]", out+7, out+8) +
		f("v_add_f16 v%d, v18, v19", out+9) +
		f("v_mul_f16 v%d, v20, v21", out+10) +
		f("v_mul_f16 v%d, v22, v23", out+11)
}

// flips returns a loop that runs s7 times and measures in four modes per iteration, changing rounding and denormals one
// after the other, or both: by immediate to two modes, by register to those in s1 and s2, which are exchanged after
// each iteration.
func flips() string {
	return "loop:\n" +
		"\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x0\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xf\n" + measure(30) +
		"\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x5\n" + measure(50) +
		"\ts_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s1\n" + measure(70) +
		"\ts_lshr_b32 s4, s2, 4\n\ts_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s2\n\ts_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s4\n" + measure(90) + `
	s_mov_b32 s3, s1
	s_mov_b32 s1, s2
	s_mov_b32 s2, s3
	s_add_u32 s0, s0, 1
	s_cmp_lt_u32 s0, s7
	s_cbranch_scc1 loop
	s_endpgm
`
}

// operands returns the registers that measure reads: two for each sum or product, in lane l.
func operands(l int) map[int]float64 {
	sign := float64(1 - l%2*2)
	tiny := float64(1+l/2%7) / 8 // of half a ULP of 1: below, at and above a tie
	return map[int]float64{
		0: sign, 1: sign * tiny * 0x1p-22,
		2: 0x1p-70, 3: float64(l+1) * 0x1p-72,
		4: float64(l+1) * 0x1p-140, 5: 0x1p40,
		6: sign, 8: sign * tiny * 0x1p-51,
		10: 0x1p-600, 12: float64(l+1) * 0x1p-450,
		14: float64(l+1) * 0x1p-1060, 16: 0x1p60,
		18: sign, 19: sign * tiny * 0x1p-9,
		20: 0x1p-10, 21: float64(l+1) * 0x1p-14,
		22: float64(l+1) * 0x1p-24, 23: 0x1p10,
	}
}

// A format is the parameters of a type: its width, bits of precision, and smallest normal number.
type format struct {
	bits, prec int
	normal     float64
}

var formats = []format{{32, 24, 0x1p-126}, {64, 53, 0x1p-1022}, {16, 11, 0x1p-14}}

// expected returns the bits of the three results of a type in a lane and mode, from exact arithmetic.
func (f format) expected(mode uint32, a, b, c, d, e, g float64) (sum, result, input uint64) {
	round, denorm := mode&3, mode>>4&3
	if f.bits != 32 {
		round, denorm = mode>>2&3, mode>>6&3
	}
	x := new(big.Float).SetPrec(uint(f.prec)).SetMode([]big.RoundingMode{big.ToNearestEven, big.ToPositiveInf, big.ToNegativeInf, big.ToZero}[round])
	s, _ := x.Add(big.NewFloat(a), big.NewFloat(b)).Float64()
	p, q := c*d, e*g // exact: few bits, far from the limits of f64 except for its own denormals, which are exact, too
	if denorm&2 == 0 && p < f.normal {
		p = 0
	}
	if denorm&1 == 0 && e < f.normal {
		q = 0
	}
	return f.encode(s), f.encode(p), f.encode(q)
}

// encode returns the bits of a number that the format can represent. Go has no halves.
func (f format) encode(x float64) uint64 {
	switch f.bits {
	case 32:
		return uint64(math.Float32bits(float32(x)))
	case 64:
		return math.Float64bits(x)
	}
	sign := uint64(0)
	if x < 0 {
		sign, x = 1<<15, -x
	}
	if x < f.normal {
		return sign | uint64(x*0x1p24)
	}
	frac, exp := math.Frexp(x) // x = frac * 2^exp, frac in [0.5, 1)
	return sign | uint64(exp+14)<<10 | uint64(frac*0x1p11)&0x3ff
}

// TestMode: results in a loop that changes rounding and denormals are those of the current mode, for each way to change
// it, and each block is lifted once for each mode in which it runs, for any number of iterations.
func TestMode(t *testing.T) {
	code, _ := assemble(t, flips())
	first := 0
	for _, turns := range []uint32{1, 2, 3, turnsCompare} {
		w, p := newWave(t, code)
		for l := range w.st.Lanes {
			for r, x := range operands(l) {
				f := formats[formatOf(r)]
				bits := f.encode(x)
				w.st.Set(gcn.VGPR(r), l, uint32(bits))
				if f.bits == 64 {
					w.st.Set(gcn.VGPR(r+1), l, uint32(bits>>32))
				}
			}
		}
		w.st.Set(gcn.SGPR(7), 0, turns)
		w.st.Set(gcn.SGPR(1), 0, downInputs)
		w.st.Set(gcn.SGPR(2), 0, zeroResults)
		if err := w.run(p); err != nil {
			t.Fatal(err)
		}
		modes := []uint32{nearestKept, upFlushed, downInputs, zeroResults}
		if turns%2 == 0 {
			modes[2], modes[3] = modes[3], modes[2]
		}
		for i, mode := range modes {
			w.compare(t, 30+20*i, mode)
		}
		w.countLifts(t, p.Lifts())
		switch {
		case turns == 3: // now every block has run in all of its modes
			first = p.Lifts()
		case turns > 3 && p.Lifts() != first:
			t.Errorf("%d turns take %d lifts, three %d", turns, p.Lifts(), first)
		}
	}
}

// formatOf returns the format of an operand of measure, by its first register.
func formatOf(r int) int {
	switch {
	case r < 6:
		return 0
	case r < 18:
		return 1
	}
	return 2
}

// compare compares the results from v[out] up with the formulas, in all lanes.
func (w *wave) compare(t *testing.T, out int, mode uint32) {
	t.Helper()
	at := out
	for i, f := range formats {
		first, step := []int{0, 6, 18}[i], 1+f.bits/64
		for l := range w.st.Lanes {
			o := operands(l)
			x := func(k int) float64 { return o[first+k*step] }
			sum, result, input := f.expected(mode, x(0), x(1), x(2), x(3), x(4), x(5))
			for k, want := range []uint64{sum, result, input} {
				got := uint64(w.st.Get(gcn.VGPR(at+k*step), l))
				if step == 2 {
					got |= uint64(w.st.Get(gcn.VGPR(at+2*k+1), l)) << 32
				}
				if got != want {
					t.Fatalf("mode %#x lane %d: f%d %s is %#x, want %#x", mode, l, f.bits,
						[]string{"sum", "small product", "product of a denormal"}[k], got, want)
				}
			}
		}
		at += 3 * step
	}
}

// countLifts checks that no block was lifted twice in a mode, and that there are at most blocks times modes lifts.
func (w *wave) countLifts(t *testing.T, lifted int) {
	t.Helper()
	seen, blocks, modes := map[ir.Key]bool{}, map[uint64]bool{}, map[uint32]bool{}
	for _, k := range w.lifts.keys {
		if seen[k] {
			t.Errorf("block %#x is lifted twice under mode %#x", k.PC, k.Mode)
		}
		seen[k], blocks[k.PC], modes[k.Mode] = true, true, true
	}
	if lifted != len(seen) || lifted > len(blocks)*len(modes) {
		t.Errorf("%d lifts of %d blocks under %d modes", lifted, len(blocks), len(modes))
	}
	var list strings.Builder
	for m := range modes {
		fmt.Fprintf(&list, " %#x", m)
	}
	t.Logf("%d lifts of %d blocks; modes%s", lifted, len(blocks), list.String())
}
