package gcnrun

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// otherwise are the instructions that exist only in VOP3 and are covered by other tests of this package, with those
// tests.
var otherwise = map[string]string{
	"v_div_scale_f32": "TestDivScale", "v_div_scale_f64": "TestDivScale", "v_div_fmas_f32": "TestDivFmas", "v_div_fmas_f64": "TestDivFmas",
	"v_div_fixup_f16": "TestDivFixup", "v_div_fixup_f32": "TestDivFixup", "v_div_fixup_f64": "TestDivFixup",
	"v_mad_u64_u32": "TestWideMultiplyAdd", "v_mad_i64_i32": "TestWideMultiplyAdd", "v_trig_preop_f64": "TestTrigPreop",
	"v_readlane_b32": "TestLaneNumbers", "v_writelane_b32": "TestLaneNumbers",
	"v_nop": "TestIdle", "v_clrexcp": "TestIdle",
	"v_interp_p1ll_f16": "TestInterpolation", "v_interp_p1lv_f16": "TestInterpolation", "v_interp_p2_f16": "TestInterpolation",
	"v_qsad_u8": "TestQuadSums", "v_mqsad_u32_u8": "TestQuadSums",
}

// formulas returns all formulas, by mnemonic.
func formulas() map[string]formula {
	m := map[string]formula{}
	for _, f := range slices.Concat(intFormulas(), moreIntFormulas(), floatFormulas()) {
		m[f.name] = f
	}
	return m
}

// TestVOP3 compares every instruction that exists only in VOP3 with its formula, in each generation that has it: 64
// tuples of edge values and random ones, some lanes inactive, and for floats every rounding mode, with denormals kept
// and flushed.
func TestVOP3(t *testing.T) {
	all, ran := formulas(), map[string]bool{}
	for gen := range gcn.Set().Variants {
		for i := range gcn.Set().Defs {
			d := &gcn.Set().Defs[i]
			if d.Enc.Name != "VOP3" || !d.InVariant(gen) || d.Meaning == nil || strings.HasSuffix(d.Name, "_e64") {
				continue
			}
			f, ok := all[d.Name]
			if !ok {
				if otherwise[d.Name] == "" {
					t.Errorf("%s has no formula", d.Name)
				}
				continue
			}
			ran[d.Name] = true
			f.run(t, gen, uint64(i))
		}
	}
	for name := range all {
		if !ran[name] {
			t.Logf("%s: no row of VOP3 alone has this formula and a meaning", name)
		}
	}
}

// run tests the formula in the relevant modes.
func (f *formula) run(t *testing.T, gen int, seed uint64) {
	modes := []uint32{0x3c0}
	if strings.ContainsAny(f.types, "fgh") {
		modes = modes[:0]
		for round := range uint32(4) {
			for denorm := range uint32(4) {
				modes = append(modes, modeOf(round, denorm)|round&1<<9)
			}
		}
	}
	for _, mode := range modes {
		rnd := rand.New(rand.NewPCG(seed, uint64(mode)))
		if !f.once(t, gen, mode, rnd) {
			return
		}
	}
}

// once runs 64 tuples.
func (f *formula) once(t *testing.T, gen int, mode uint32, rnd *rand.Rand) bool {
	m := newMemRun(t)
	m.target = gcn.Set().At(gen, 0)
	m.st.Set(gcn.CellMode, 0, mode)
	var lanes [64]lane
	for i := range lanes {
		lanes[i] = f.tuple(i, mode, rnd)
		for k, w := range []wide{lanes[i].d, lanes[i].a, lanes[i].b, lanes[i].c} {
			for j, x := range w {
				m.st.Set(gcn.VGPR(8*k+j), i, x)
			}
		}
	}
	exec := rnd.Uint64() | rnd.Uint64()
	m.st.Exec = exec
	text := f.name
	for k, c := range f.types {
		if n := registers(c); n == 1 {
			text += fmt.Sprintf(", v%d", 8*k)
		} else {
			text += fmt.Sprintf(", v[%d:%d]", 8*k, 8*k+n-1)
		}
	}
	text = strings.Replace(text, ",", "", 1)
	m.run(text)
	for i := range lanes {
		l := &lanes[i]
		want := f.f(l)
		if exec>>i&1 == 0 {
			want, l.undecided = l.d, false
		}
		nan := f.isNaN(want)
		var got wide
		for j := range registers(rune(f.types[0])) {
			got[j] = m.st.Get(gcn.VGPR(j), i)
		}
		for j := registers(rune(f.types[0])); j < len(want); j++ {
			want[j] = 0
		}
		if l.undecided || nan && f.isNaN(got) && exec>>i&1 != 0 || got == want {
			continue
		}
		t.Errorf("%s: %s with MODE %#x, lane %d: %08x, %08x, %08x and %08x before give %08x, want %08x", m.target, text, mode, i, l.a, l.b, l.c, l.d, got, want)
		return false
	}
	return true
}

// registers returns the number of registers of an operand of a type.
func registers(c rune) int {
	switch c {
	case 'q', 'g':
		return 2
	case 'o':
		return 4
	}
	return 1
}

// isNaN reports whether a result of the formula is a NaN, whose bits are not compared.
func (f *formula) isNaN(w wide) bool {
	ft, ok := map[byte]floatType{'h': floatTypes["f16"], 'f': floatTypes["f32"], 'g': floatTypes["f64"]}[f.types[0]]
	return ok && ft.real(w.q()&(1<<(ft.bits-1)<<1-1), false).nan
}

// tuple makes the operands of a lane.
func (f *formula) tuple(n int, mode uint32, rnd *rand.Rand) lane {
	l := lane{n: n, mode: mode}
	ops := []*wide{&l.d, &l.a, &l.b, &l.c}
	near := rnd.IntN(40) - 20 // exponents of a tuple are close, so that sums and rounding are not trivial
	for k, c := range f.types {
		switch c {
		case 'f', 'g', 'h':
			*ops[k] = pair(floatTypes[map[rune]string{'f': "f32", 'g': "f64", 'h': "f16"}[c]].edge(rnd, near))
		default:
			for j := range ops[k] {
				ops[k][j] = edgeInts[rnd.IntN(len(edgeInts))]
				if rnd.IntN(2) == 0 {
					ops[k][j] = rnd.Uint32() >> rnd.UintN(32)
				}
			}
		}
		if k > 0 {
			for j := registers(c); j < 4; j++ {
				ops[k][j] = 0
			}
		}
	}
	return l
}

var edgeInts = []uint32{0, 1, 2, 3, 5, 8, 12, 13, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffff, 0x800000, 0xffffff,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x01020304, 0x0c0d0807, 0xff00ff00}

// edge returns a random pattern: one in three is a special one.
func (f floatType) edge(rnd *rand.Rand, near int) uint64 {
	one := uint64(f.bias) << f.mant
	top := uint64(1)<<(f.bits-1) - 1<<f.mant // infinity
	special := []uint64{0, 1, 2, 1<<f.mant - 1, 1 << f.mant, 1<<f.mant + 1, one, one + 1, one - 1, top - 1, top, top | 1<<(f.mant-1), top | 1,
		one + 1<<f.mant, one + 1<<(f.mant-1), one - 1<<f.mant, 3, 1 << (f.mant - 1)}
	sign := uint64(rnd.IntN(2)) << (f.bits - 1)
	if rnd.IntN(3) == 0 {
		return sign | special[rnd.IntN(len(special))]
	}
	limit := 1<<(f.bits-1-f.mant) - 2
	e := f.bias + near/2 + rnd.IntN(8) - 4
	if rnd.IntN(8) == 0 {
		e = rnd.IntN(limit)
	}
	frac := rnd.Uint64() & (1<<f.mant - 1)
	if rnd.IntN(2) == 0 {
		frac &= ^uint64(0) << rnd.IntN(f.mant) // short fractions, so that ties occur
	}
	return sign | uint64(min(max(e, 0), limit))<<f.mant | frac
}
