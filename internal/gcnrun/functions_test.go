package gcnrun

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// A function is an approximate instruction, its value in float64, the range of exponents of its sources, and the bound
// of its error: relative, in ULPs, or absolute.
type function struct {
	name     string
	f        func(x float64) float64
	min, max int
	signs    bool
	ulps     float64
	abs      float64
}

// functions are those of docs/reference/gcn.md 3.6.
var functions = []function{
	{"v_rcp_f32", reciprocal, -120, 120, true, 1, 0},
	{"v_rcp_iflag_f32", reciprocal, -120, 120, true, 1, 0},
	{"v_rsq_f32", rootReciprocal, -120, 120, false, 1, 0},
	{"v_sqrt_f32", math.Sqrt, -120, 120, false, 1, 0},
	{"v_exp_f32", math.Exp2, -20, 6, true, 1, 0},
	{"v_log_f32", math.Log2, -120, 120, false, 1, 1e-9},
	{"v_exp_legacy_f32", math.Exp2, -20, 6, true, 1, 0},
	{"v_log_legacy_f32", math.Log2, -120, 120, false, 1, 1e-9},
	{"v_sin_f32", func(x float64) float64 { return math.Sin(2 * math.Pi * x) }, -20, 7, true, 1, 1.0 / (1 << 19)},
	{"v_cos_f32", func(x float64) float64 { return math.Cos(2 * math.Pi * x) }, -20, 7, true, 1, 1.0 / (1 << 19)},
	{"v_rcp_f16", reciprocal, -13, 13, true, 1, 0},
	{"v_rsq_f16", rootReciprocal, -13, 13, false, 1, 0},
	{"v_sqrt_f16", math.Sqrt, -13, 13, false, 1, 0},
	{"v_exp_f16", math.Exp2, -10, 3, true, 1, 0},
	{"v_log_f16", math.Log2, -13, 13, false, 1, 1e-4},
	{"v_sin_f16", func(x float64) float64 { return math.Sin(2 * math.Pi * x) }, -10, 7, true, 1, 1e-3},
	{"v_cos_f16", func(x float64) float64 { return math.Cos(2 * math.Pi * x) }, -10, 7, true, 1, 1e-3},
	{"v_rcp_f64", reciprocal, -1000, 1000, true, 1 << 30, 0},
	{"v_rsq_f64", rootReciprocal, -1000, 1000, false, 1 << 30, 0},
	{"v_sqrt_f64", math.Sqrt, -1000, 1000, false, 1 << 30, 0},
}

func reciprocal(x float64) float64     { return 1 / x }
func rootReciprocal(x float64) float64 { return 1 / math.Sqrt(x) }

// A floatType is a float format by the suffix of names: total bits, bits of the fraction, and the exponent bias.
type floatType struct{ bits, mant, bias int }

var floatTypes = map[string]floatType{"f16": {16, 10, 15}, "f32": {32, 23, 127}, "f64": {64, 52, 1023}}

// value returns the number of a pattern that is no NaN or infinity.
func (f floatType) value(x uint64) float64 {
	frac, e := float64(x&(1<<f.mant-1)), int(x>>f.mant&(1<<(f.bits-1-f.mant)-1))
	if e == 0 {
		e = 1
	} else {
		frac += float64(uint64(1) << f.mant)
	}
	v := math.Ldexp(frac, e-f.bias-f.mant)
	if x>>(f.bits-1)&1 != 0 {
		v = -v
	}
	return v
}

// ulp returns the unit in the last place of the format at x.
func (f floatType) ulp(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-1, 1-f.bias)-f.mant)
}

// TestFunctions compares approximate instructions with the functions that they approximate, in all forms.
func TestFunctions(t *testing.T) {
	for i, f := range functions {
		ft := floatTypes[f.name[len(f.name)-3:]]
		for _, form := range []string{"_e32", "_e64", "_sdwa dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD", "_dpp quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"} {
			suffix, modifiers, _ := strings.Cut(form, " ")
			if suffix == "_sdwa" && ft.bits == 64 {
				continue
			}
			f.run(t, 0, ft, uint64(i), suffix, modifiers)
		}
	}
}

func (f *function) run(t *testing.T, variant int, ft floatType, seed uint64, suffix, modifiers string) {
	m := newMemRunOn(t, variant)
	m.st.Set(gcn.CellMode, 0, 0x3c0)
	rnd := rand.New(rand.NewPCG(seed, 4))
	var x [64]uint64
	for i := range x {
		e := uint64(f.min + ft.bias + rnd.IntN(f.max-f.min+1))
		x[i] = e<<ft.mant | rnd.Uint64()&(1<<ft.mant-1)
		if f.signs && i%2 == 0 {
			x[i] |= 1 << (ft.bits - 1)
		}
	}
	x[1] = uint64(ft.bias) << ft.mant // 1
	m.v(2, func(i int) uint32 { return uint32(x[i]) })
	m.v(3, func(i int) uint32 { return uint32(x[i] >> 32) })
	regs := " v10, v2 "
	if ft.bits == 64 {
		regs = " v[10:11], v[2:3] "
	}
	m.run(f.name + suffix + regs + modifiers)
	for i := range x {
		got := uint64(m.st.Get(gcn.VGPR(10), i))
		if ft.bits == 64 {
			got |= uint64(m.st.Get(gcn.VGPR(11), i)) << 32
		}
		want := f.f(ft.value(x[i]))
		if d := math.Abs(ft.value(got) - want); !(d <= max(f.ulps*ft.ulp(want), f.abs)) || got>>(ft.bits-1) > 1 {
			t.Errorf("%s%s of %v is %v, want %v", f.name, suffix, ft.value(x[i]), ft.value(got), want)
			return
		}
	}
}

// TestMacLegacy: a product with a zero factor is +0, whatever the other factor.
func TestMacLegacy(t *testing.T) {
	const inf, nan, one, two, three, minus0 = 0x7f800000, 0x7fc00000, 0x3f800000, 0x40000000, 0x40400000, 0x80000000
	for _, c := range []struct{ a, b, d, want uint32 }{
		{two, three, one, 0x40e00000}, {0, inf, two, two}, {nan, minus0, three, three}, {minus0, one, minus0, 0},
	} {
		m := newMemRun(t)
		m.v(1, all(c.a))
		m.v(2, all(c.b))
		m.v(3, all(c.d))
		m.run("v_mac_legacy_f32 v3, v1, v2")
		m.wantV(3, all(c.want))
	}
}

// idle are instructions that change only the program counter.
var idle = []string{
	"v_nop", "v_clrexcp", "s_nop 7", "s_waitcnt 0", "s_sleep 2", "s_wakeup", "s_sethalt 0", "s_sethalt 2", "s_setkill 0", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_sendmsg sendmsg(MSG_SYSMSG, SYSMSG_OP_REG_RD)", "s_icache_inv", "s_incperflevel 1",
	"s_decperflevel 1", "s_ttracedata", "s_dcache_inv", "s_dcache_inv_vol", "s_dcache_wb", "s_dcache_wb_vol",
	"s_atc_probe 1, s[2:3], 0x10", "s_atc_probe 1, s[2:3], s4", "s_atc_probe_buffer 1, s[4:7], 0x10", "s_atc_probe_buffer 1, s[4:7], s4",
	"ds_nop", "buffer_wbinvl1", "buffer_wbinvl1_vol",
}

// idleWords are v_nop and v_clrexcp in VOP3, which have no text.
var idleWords = []uint64{0xd1400000, 0xd1750000}

func TestIdle(t *testing.T) {
	for i := range len(idle) + len(idleWords) {
		m := newMemRun(t)
		rnd := rand.New(rand.NewPCG(1, 5))
		for k := range 8 {
			m.v(k, func(int) uint32 { return rnd.Uint32() })
			m.s(k, rnd.Uint32())
		}
		m.st.Exec = 0x123456789abcdef0
		before, global := m.st.Snapshot(), string(m.global)
		text := "a word of VOP3"
		if i < len(idle) {
			text = idle[i]
			m.run(text)
		} else {
			m.runWord(idleWords[i-len(idle)], text)
		}
		m.st.At, m.st.Clock = before.At, before.Clock
		if d := m.st.Diff(before, 3); d != nil {
			t.Errorf("%s: %q", text, d)
		}
		if string(m.global) != global {
			t.Errorf("%s changes memory", text)
		}
	}
}
