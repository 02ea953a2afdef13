package sanitize_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// storing stores v4 at 4*v0 of the first argument.
const storing = "s_load_dwordx2 s[0:1], s[4:5], 0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v2, 2, v0\nv_add_u32 v2, vcc, s0, v2\nv_mov_b32 v3, s1\nv_addc_u32 v3, vcc, 0, v3, vcc\nflat_store_dword v[2:3], v4\ns_endpgm\n"

// made makes an infinity in lane 0 of v4, and loadingOne loads v6 from the second argument.
const (
	made       = "v_cvt_f32_u32 v4, v0\nv_rcp_f32 v4, v4\n"
	loadingOne = "s_load_dwordx2 s[2:3], s[4:5], 8\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s2\nv_mov_b32 v3, s3\nflat_load_dword v6, v[2:3]\ns_waitcnt vmcnt(0)\n"
)

// numericIn are programs for waves of 64 lanes, with the number of the lane in v0, and what is found: rule, lanes,
// instruction, and the instructions that made and carried a value.
var numericIn = []struct {
	name, isa, text string
	want            []string
}{
	{"stored", "gfx803", "v_cvt_f32_u32 v4, v0\nv_rcp_f32 v4, v4\nv_mul_f32 v4, 0, v4\nv_mov_b32 v5, v4\nv_add_f32 v4, 1.0, v5\n" + storing,
		[]string{"nan-result | 1 | flat_store_dword v[2:3], v4 | v_rcp_f32_e32 v4, v4 > v_mul_f32_e32 v4, 0, v4 > v_mov_b32_e32 v5, v4 > v_add_f32_e32 v4, 1.0, v5"}},
	{"an infinity", "gfx803", "v_mov_b32 v4, 0x7f000000\nv_mul_f32 v4, 4.0, v4\n" + storing, []string{"infinity-result | 64 | flat_store_dword v[2:3], v4 | v_mul_f32_e32 v4, 4.0, v4"}},
	{"not used", "gfx803", "v_cvt_f32_u32 v4, v0\nv_log_f32 v5, v4\nv_sqrt_f32 v6, -v4\nv_mov_b32 v4, 0\n" + storing,
		[]string{"zero-division | 1 | v_log_f32_e32 v5, v4 | ", "nan-made | 63 | v_sqrt_f32_e64 v6, -v4 | "}},
	{"a constant", "gfx803", "v_mov_b32 v4, 0x7f800000\nv_cvt_f32_u32 v5, v0\nv_min_f32 v4, v4, v5\nv_max_f32 v4, 0x7f800000, v4\nv_add_f32 v4, 1.0, v4\n" + storing, nil},
	{"a loaded one", "gfx803", "s_load_dwordx2 s[2:3], s[4:5], 8\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s2\nv_mov_b32 v3, s3\nflat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0)\nv_add_f32 v4, 1.0, v4\n" + storing, nil},
	{"a NaN of a loaded infinity", "gfx803", "s_load_dwordx2 s[2:3], s[4:5], 8\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s2\nv_mov_b32 v3, s3\nflat_load_dword v4, v[2:3] offset:0\ns_waitcnt vmcnt(0)\nv_mul_f32 v4, 0x7f800000, v4\nv_sub_f32 v4, v4, v4\n" + storing,
		[]string{"nan-result | 64 | flat_store_dword v[2:3], v4 | v_sub_f32_e32 v4, v4, v4"}},
	{"inactive lanes", "gfx803", "v_cvt_f32_u32 v4, v0\ns_mov_b64 exec, -2\nv_rcp_f32 v4, v4\ns_mov_b64 exec, -1\n" + storing, nil},
	{"clamped", "gfx803", "v_mov_b32 v5, 0x7f800000\nv_mul_f32 v4, 0, v5 clamp\n" + storing, nil},
	{"selected away", "gfx803", "v_cvt_f32_u32 v4, v0\nv_rcp_f32 v4, v4\nv_mul_f32 v4, 0, v4\nv_cmp_u_f32 vcc, v4, v4\nv_cndmask_b32 v4, v4, 0, vcc\n" + storing,
		[]string{"zero-division | 1 | v_rcp_f32_e32 v4, v4 | ", "nan-made | 1 | v_mul_f32_e32 v4, 0, v4 | "}},
	{"decides", "gfx803", "v_cvt_f32_u32 v5, v0\nv_sqrt_f32 v4, -v5\nv_cmp_lt_f32 vcc, v4, v5\ns_and_saveexec_b64 s[2:3], vcc\ns_endpgm\n",
		[]string{"nan-decides | 63 | s_and_saveexec_b64 s[2:3], vcc | v_sqrt_f32_e64 v4, -v5 > v_cmp_lt_f32_e32 vcc, v4, v5"}},
	{"asked for", "gfx803", "v_cvt_f32_u32 v5, v0\nv_sqrt_f32 v4, -v5\nv_cmp_u_f32 vcc, v4, v5\ns_and_saveexec_b64 s[2:3], vcc\nv_cmp_neq_f32 vcc, v4, v4\ns_and_saveexec_b64 s[2:3], vcc\ns_endpgm\n",
		[]string{"nan-made | 63 | v_sqrt_f32_e64 v4, -v5 | "}},
	{"through group memory", "gfx803", "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nv_cvt_f32_u32 v4, v0\nv_rcp_f32 v4, v4\nds_write_b32 v1, v4\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v1, 0xfc, v1\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" + storing,
		[]string{"infinity-result | 1 | flat_store_dword v[2:3], v4 | v_rcp_f32_e32 v4, v4 > ds_write_b32 v1, v4 > ds_read_b32 v4, v1"}},
	{"across lanes", "gfx803", "v_cvt_f32_u32 v4, v0\nv_rcp_f32 v4, v4\ns_nop 4\nv_readlane_b32 s8, v4, 0\nv_mov_b32 v4, s8\n" + storing,
		[]string{"infinity-result | 64 | flat_store_dword v[2:3], v4 | v_rcp_f32_e32 v4, v4 > v_readlane_b32 s8, v4, 0 > v_mov_b32_e32 v4, s8"}},
	{"a zero where an infinity was", "gfx803", made + "v_mov_b32 v4, 0\n" + loadingOne + "v_add_f32 v4, v4, v6\n" + storing, []string{"zero-division | 1 | v_rcp_f32_e32 v4, v4 | "}},
	{"a constant where an infinity was", "gfx803", made + "v_mov_b32 v4, 0x7f800000\n" + storing, []string{"zero-division | 1 | v_rcp_f32_e32 v4, v4 | "}},
	{"a loaded one where an infinity was", "gfx803", made + "v_mov_b32 v6, v4\n" + loadingOne + "v_mov_b32 v4, v6\n" + storing, []string{"zero-division | 1 | v_rcp_f32_e32 v4, v4 | "}},
	{"a loaded one in a word where an infinity was", "gfx803", "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\n" + made + "ds_write_b32 v1, v4\n" + loadingOne + "ds_write_b32 v1, v6\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" + storing,
		[]string{"zero-division | 1 | v_rcp_f32_e32 v4, v4 | "}},
	{"f64", "gfx803", "v_cvt_f64_u32 v[4:5], v0\nv_rcp_f64 v[4:5], v[4:5]\nv_mul_f64 v[6:7], v[4:5], 0\nv_mov_b32 v4, v7\n" + storing,
		[]string{"nan-result | 1 | flat_store_dword v[2:3], v4 | v_rcp_f64_e32 v[4:5], v[4:5] > v_mul_f64 v[6:7], v[4:5], 0 > v_mov_b32_e32 v4, v7"}},
	{"f16", "gfx803", "v_cvt_f16_u16 v4, v0\nv_mul_f16 v4, 0x7800, v4\n" + strings.Replace(storing, "store_dword", "store_short", 1),
		[]string{"infinity-result | 62 | flat_store_short v[2:3], v4 | v_mul_f16_e32 v4, 0x7800, v4"}},
	{"a special function", "tesla:g80", "cvt rn f32 $r2 u32 $r0\nrcp f32 $r2 $r2\nexit nop\n", []string{"zero-division | 1 | rcp f32 $r2 $r2 | "}},
	{"valhall", "valhall:v9", "U32_TO_F32 r2, r60\nFRCP.f32 r2, r2\nFADD.f32 r2, r2, r2\nNOP.end\n", []string{"zero-division | 1 | FRCP.f32 r2, r2 | "}},
}

// checkedBlocks are blocks that are verified.
type checkedBlocks struct{ *sanitize.Numeric }

func (c checkedBlocks) Watch(code ir.Code, w []exec.Window) ir.Code {
	return verifiedCode{c.Numeric.Watch(code, w)}
}

type verifiedCode struct{ ir.Code }

func (v verifiedCode) Unwrap() ir.Code { return v.Code }

func (v verifiedCode) Block(at ir.Key) (*ir.Block, error) {
	b, err := v.Code.Block(at)
	if err == nil {
		err = ir.Verify(v.Machine(), b)
	}
	return b, err
}

// numericOf runs 64 lanes with an engine, and returns what is found.
func numericOf(t *testing.T, isa, text, engine string, args ...any) []*sanitize.Number {
	t.Helper()
	e, err := heddle.Engine(engine)
	if err != nil {
		t.Skip(err)
	}
	p, err := heddle.MustFind(isa).Program(text, heddle.ProgramOptions{Name: "k", Group: 4096})
	if err != nil {
		t.Fatal(err)
	}
	n := &sanitize.Numeric{}
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Engine: e, Watcher: checkedBlocks{n}, Counted: true}}
	if r, err := p.Launch(context.Background(), l, cloned(args)...); err != nil {
		t.Error(engine, err)
	} else if plain := withArgs(t, p, l, args); r.Counters != plain.Counters {
		t.Errorf("%s: counters %+v, without a sanitizer %+v", engine, r.Counters, plain.Counters)
	}
	return n.Found()
}

func withArgs(t *testing.T, p *heddle.Program, l heddle.Launch, args []any) *launch.Result {
	t.Helper()
	l.Watcher = nil
	r, err := p.Launch(context.Background(), l, cloned(args)...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cloned returns buffers with the same contents.
func cloned(args []any) (list []any) {
	for _, a := range args {
		list = append(list, bytes.Clone(a.([]byte)))
	}
	return list
}

var engineNames = []string{"reference", "portable", "jit"}

func TestNumeric(t *testing.T) {
	for _, x := range numericIn {
		for _, engine := range engineNames {
			t.Run(x.name+"/"+engine, func(t *testing.T) {
				var got []string
				loaded := binary.LittleEndian.AppendUint32(nil, 0x7f800000)
				var args []any
				if strings.Contains(x.text, "s_load") {
					args = []any{make([]byte, 256), loaded}
				}
				for _, f := range numericOf(t, x.isa, x.text, engine, args...) {
					var path []string
					for _, in := range f.Path {
						path = append(path, in.Text)
					}
					form := f.Finding()
					got = append(got, fmt.Sprintf("%s | %d | %s | %s", form.Rule, f.Count, f.At.Text, strings.Join(path, " > ")))
				}
				if strings.Join(got, "\n") != strings.Join(x.want, "\n") {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(x.want, "\n"))
				}
			})
		}
	}
}

// TestNumericWaves: a NaN or an infinity that a wave leaves in group memory for another one is followed there.
func TestNumericWaves(t *testing.T) {
	for _, c := range []struct {
		product, use string
		kind         sanitize.NumericKind
		path         int
	}{
		{"v_mul_f32 v4, 0, v4\n", "v_add_f32 v4, 1.0, v4\n", sanitize.StoresNaN, 5},
		{"v_mul_f32 v4, 0, v4\n", "", sanitize.StoresNaN, 4},
		{"", "v_add_f32 v4, 1.0, v4\n", sanitize.StoresInfinity, 4},
		{"", "", sanitize.StoresInfinity, 3},
	} {
		text := "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\n" + made + c.product + "ds_write_b32 v1, v4\ns_waitcnt lgkmcnt(0)\ns_barrier\n" +
			"v_xor_b32 v1, 0x100, v1\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" + c.use + storing
		p, err := heddle.MustFind("gfx803").Program(text, heddle.ProgramOptions{Name: "k", Group: 4096})
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range engineNames {
			e, err := heddle.Engine(engine)
			if err != nil {
				t.Skip(err)
			}
			n := &sanitize.Numeric{}
			l := heddle.Launch{Grid: [3]uint32{128}, Block: [3]uint32{128}, Settings: launch.Settings{Engine: e, Watcher: checkedBlocks{n}}}
			if _, err := p.Launch(context.Background(), l, make([]byte, 512)); err != nil {
				t.Fatal(err)
			}
			if f := n.Found(); len(f) != 1 || f[0].Kind != c.kind || f[0].Wave != 1 || f[0].Lanes != 1 || f[0].Count != 1 || len(f[0].Path) != c.path {
				t.Errorf("%q, %q, %s: %+v", c.product, c.use, engine, n.Findings())
			}
		}
	}
}

// loading loads v5, v6 and v7 of the lane from the arguments.
const loading = "v_lshlrev_b32 v1, 2, v0\n" +
	"s_load_dwordx4 s[0:3], s[4:5], 0\ns_load_dwordx2 s[8:9], s[4:5], 16\ns_waitcnt lgkmcnt(0)\n" +
	"v_add_u32 v2, vcc, s0, v1\nv_mov_b32 v3, s1\nv_addc_u32 v3, vcc, 0, v3, vcc\nflat_load_dword v5, v[2:3]\n" +
	"v_add_u32 v2, vcc, s2, v1\nv_mov_b32 v3, s3\nv_addc_u32 v3, vcc, 0, v3, vcc\nflat_load_dword v6, v[2:3]\n" +
	"v_add_u32 v2, vcc, s8, v1\nv_mov_b32 v3, s9\nv_addc_u32 v3, vcc, 0, v3, vcc\nflat_load_dword v7, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"

// lanesOf makes the arguments of loading.
func lanesOf(lanes *[3][64]float32) (args []any) {
	for i := range lanes {
		var b []byte
		for _, f := range lanes[i] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
		args = append(args, b)
	}
	return args
}

// TestConversions compares what is told of conversions with the ranges of their results.
func TestConversions(t *testing.T) {
	around := []float64{0, 0.5, 1, -0.5, -0.99, -1, 255.4, 255.6, 256, 32767.6, 32768, -32768.4, -32769, 65504, 65519, 65520, 65536, 1 << 31, 1<<31 - 128, -(1 << 31), -(1 << 31) - 256,
		1 << 32, 1<<32 - 256, 1e20, -1e20, math.Inf(1), math.Inf(-1), math.NaN()}
	var lanes [3][64]float32
	for i := range 64 {
		lanes[0][i] = float32(around[i%len(around)])
	}
	for _, c := range []struct {
		text   string
		inside func(a float64) bool
	}{
		{"v_cvt_i32_f32 v8, v5", func(a float64) bool { return math.Trunc(a) >= -1<<31 && math.Trunc(a) < 1<<31 }},
		{"v_cvt_u32_f32 v8, v5", func(a float64) bool { return math.Trunc(a) >= 0 && math.Trunc(a) < 1<<32 }},
		{"v_cvt_rpi_i32_f32 v8, v5", func(a float64) bool { return math.Floor(a+0.5) >= -1<<31 && math.Floor(a+0.5) < 1<<31 }},
		{"v_cvt_f16_f32 v8, v5", func(a float64) bool { return math.Abs(a) < 65520 || math.IsNaN(a) || math.IsInf(a, 0) }},
		{"v_cvt_pkrtz_f16_f32 v8, v5, 0", func(a float64) bool { return math.Abs(a) < 65536 || math.IsNaN(a) || math.IsInf(a, 0) }},
		{"v_cvt_f64_f32 v[8:9], v5\nv_cvt_i32_f64 v8, v[8:9]", func(a float64) bool { return math.Trunc(a) >= -1<<31 && math.Trunc(a) < 1<<31 }},
	} {
		want, first := uint64(0), -1
		for i, a := range lanes[0] {
			if !c.inside(float64(a)) {
				if want++; first < 0 {
					first = i
				}
			}
		}
		for _, engine := range engineNames {
			t.Run(c.text+"/"+engine, func(t *testing.T) {
				got := uint64(0)
				for _, f := range numericOf(t, "gfx803", loading+c.text+"\ns_endpgm\n", engine, lanesOf(&lanes)...) {
					if f.Kind == sanitize.Converts {
						if got += f.Count; f.Lanes != 1<<first {
							t.Errorf("lanes %#x, want %d", f.Lanes, first)
						}
					}
				}
				if got != want {
					t.Errorf("%d lanes, want %d", got, want)
				}
			})
		}
	}
}

// single returns a number rounded to float32, exactly as the format has it or with denormals flushed.
func single(x *big.Float, flush bool) float32 {
	f, _ := x.Float32()
	return flushed(f, flush)
}

func flushed(f float32, flush bool) float32 {
	if flush && math.Abs(float64(f)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(f)))
	}
	return f
}

func exact(f float32, flush bool) *big.Float {
	return new(big.Float).SetPrec(600).SetFloat64(float64(flushed(f, flush)))
}

// nearDenormals makes numbers of which many, or products of which, are denormal.
func nearDenormals(rnd *rand.Rand) *[3][64]float32 {
	var lanes [3][64]float32
	for i := range lanes {
		for k := range 64 {
			exp := rnd.IntN(60) - 150
			if rnd.IntN(3) == 0 {
				exp = rnd.IntN(200) - 150
			}
			lanes[i][k] = float32(math.Ldexp(math.Float64frombits(rnd.Uint64()>>12|0x3ff<<52), exp))
			switch rnd.IntN(12) {
			case 0:
				lanes[i][k] = 0
			case 1:
				lanes[i][k] = 1
			case 2:
				lanes[i][k] = -lanes[0][k]
			}
			if rnd.IntN(2) == 0 {
				lanes[i][k] = -lanes[i][k]
			}
		}
	}
	return &lanes
}

// TestFlushes compares what is told of flushed denormals with arithmetic on numbers as they are: where the results
// differ.
func TestFlushes(t *testing.T) {
	ops := []struct {
		text string
		is   func(a, b, c float32, flush bool) float32
	}{
		{"v_mul_f32 v8, v5, v6", func(a, b, _ float32, f bool) float32 {
			return single(exact(a, f).Mul(exact(a, f), exact(b, f)), f)
		}},
		{"v_add_f32 v8, v5, v6", func(a, b, _ float32, f bool) float32 {
			return single(exact(a, f).Add(exact(a, f), exact(b, f)), f)
		}},
		{"v_sub_f32 v8, v5, v6", func(a, b, _ float32, f bool) float32 {
			return single(exact(a, f).Sub(exact(a, f), exact(b, f)), f)
		}},
		{"v_mad_f32 v8, v5, v6, v7", func(a, b, c float32, f bool) float32 {
			p := single(exact(a, f).Mul(exact(a, f), exact(b, f)), f)
			return single(exact(p, f).Add(exact(p, f), exact(c, f)), f)
		}},
		{"v_fma_f32 v8, v5, v6, v7", func(a, b, c float32, f bool) float32 {
			p := exact(a, f).Mul(exact(a, f), exact(b, f))
			return single(p.Add(p, exact(c, f)), f)
		}},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 24 {
		lanes := nearDenormals(rnd)
		c := ops[round%len(ops)]
		want := uint64(0)
		for k := range 64 {
			plain, flush := c.is(lanes[0][k], lanes[1][k], lanes[2][k], false), c.is(lanes[0][k], lanes[1][k], lanes[2][k], true)
			if math.Float32bits(plain) != math.Float32bits(flush) {
				want++
			}
		}
		for _, engine := range engineNames {
			got := uint64(0)
			for _, f := range numericOf(t, "gfx803", loading+c.text+"\ns_endpgm\n", engine, lanesOf(lanes)...) {
				if f.Kind == sanitize.Flushes {
					got += f.Count
				}
			}
			if got != want {
				t.Errorf("%s, %s: %d lanes, want %d", c.text, engine, got, want)
			}
		}
	}
}

// TestNumericEngines compares what engines find in random programs on numbers of all kinds.
func TestNumericEngines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	mnemonics := []string{"v_add_f32 D, S, S", "v_mul_f32 D, S, S", "v_mac_f32 D, S, S", "v_fma_f32 D, S, S, S", "v_rcp_f32 D, S", "v_rsq_f32 D, S", "v_log_f32 D, S", "v_sqrt_f32 D, S",
		"v_mov_b32 D, S", "v_cndmask_b32 D, S, S, vcc", "v_cmp_lt_f32 vcc, S, S", "v_cvt_i32_f32 D, S", "v_cvt_f16_f32 D, S", "v_cvt_f32_f16 D, S", "v_mul_f16 D, S, S", "v_min_f32 D, S, S",
		"v_add_f32 D, S, S clamp", "v_ldexp_f32 D, S, S", "v_add_u32 D, vcc, S, S", "v_xor_b32 D, S, S", "s_mov_b64 exec, vcc", "s_mov_b64 exec, -1", "ds_write_b32 v1, S", "ds_read_b32 D, v1\ns_waitcnt lgkmcnt(0)"}
	numbers := []float32{0, 1, -1, 0.5, 1e-38, 1e-40, -1e-44, 3e38, 1e19, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 65504, 4e9}
	some, compared := 0, 0
	for range 30 {
		var lanes [3][64]float32
		for i := range lanes {
			for k := range 64 {
				lanes[i][k] = numbers[rnd.IntN(len(numbers))]
			}
		}
		text := loading + "s_mov_b32 m0, -1\nv_mov_b32 v8, v5\n"
		for range 40 {
			line := mnemonics[rnd.IntN(len(mnemonics))]
			for _, c := range []string{"D", "S"} {
				for strings.Contains(line, c) {
					line = strings.Replace(line, c, fmt.Sprintf("v%d", 4+rnd.IntN(5)), 1)
				}
			}
			text += line + "\n"
		}
		text += "s_mov_b64 exec, -1\n" + storing
		var first string
		for _, engine := range engineNames {
			var got []string
			for _, f := range numericOf(t, "gfx803", text, engine, lanesOf(&lanes)...) {
				form := f.Finding()
				got = append(got, fmt.Sprint(form.Rule, f.Count, form.String()))
			}
			if all := strings.Join(got, "\n"); engine == engineNames[0] {
				first = all
			} else if all != first {
				t.Fatalf("%s finds\n%s\nthe reference\n%s\nin\n%s", engine, all, first, text)
			}
		}
		if first != "" {
			some++
		}
		alone, all := numericAmong(t, text, 0, lanesOf(&lanes)), numericAmong(t, text, sanitize.CheckAll|sanitize.CheckSync, lanesOf(&lanes))
		if alone != "" {
			compared++
		}
		if all != alone {
			t.Fatalf("with the other checks\n%s\nalone\n%s\nin\n%s", all, alone, text)
		}
	}
	if some < 25 || compared < 25 {
		t.Errorf("something is found in %d and %d programs of 30", some, compared)
	}
}

// numericAmong returns what Numeric finds together with other checks.
func numericAmong(t *testing.T, text string, others sanitize.Check, args []any) string {
	t.Helper()
	p, err := heddle.MustFind("gfx803").Program(text, heddle.ProgramOptions{Name: "k", Group: 4096})
	if err != nil {
		t.Fatal(err)
	}
	w := sanitize.New(others|sanitize.CheckNumeric, nil)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: w, Policy: exec.RecordFaults}}
	if _, err := p.Launch(context.Background(), l, cloned(args)...); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range w.Findings() {
		if f.Check() == "numeric" {
			got = append(got, fmt.Sprint(f.Rule, f.Count, f.String()))
		}
	}
	return strings.Join(got, "\n")
}
