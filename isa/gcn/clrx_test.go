package gcn_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// inDialect returns the target of a variant and a dialect.
func inDialect(t testing.TB, variant, dialect string) *isa.Target {
	tg, err := gcn.Set().Target(isa.Config{Variant: variant, Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// spellings are texts of CLRX and LLVM that assemble to the same bytes, except for bits that LLVM's text cannot
// express. Their positions are those of docs/reference/gcn.md 1.
var spellings = []struct {
	clrx, llvm string
	bits       []int // of the first eight bytes
}{
	{"v_add_f32 v0, v1, v2", "v_add_f32_e32 v0, v1, v2", nil},
	{"V_ADD_F32 V[0], v[1:1], V002", "v_add_f32_e32 v0, v1, v2", nil},
	{"v_add_f32 v0, v1, v2 vop3", "v_add_f32_e64 v0, v1, v2", nil},
	{"v_add_f32_e64 v0, v1, v2", "v_add_f32_e64 v0, v1, v2", nil},
	{"v_add_f32 v0, v1, v2 vop3:0", "v_add_f32_e32 v0, v1, v2", nil},
	{"v_add_f32 v0, abs(v1), -abs(v2)", "v_add_f32_e64 v0, |v1|, -|v2|", nil},
	{"v_add_f32 v0, |v1|, - v2", "v_add_f32_e64 v0, |v1|, -v2", nil},
	{"v_add_f32 v0, v1, v2 abs:3 neg:[0,1]", "v_add_f32_e64 v0, |v1|, -|v2|", nil},
	{"v_mul_u32_u24 v0, s1, -v2", "v_mul_u32_u24_e64 v0, s1, v2", []int{62}},
	{"v_add_f32 v0, v1, v2 mul:2 clamp", "v_add_f32_e64 v0, v1, v2 clamp mul:2", nil},
	{"v_add_f32 v0, v1, v2 omod:3", "v_add_f32_e64 v0, v1, v2 div:2", nil},
	{"v_mov_b32 v0, v1 clamp", "v_mov_b32_e64 v0, v1", []int{15}},
	{"v_mov_b32 v0, v1 sdwa", "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD", nil},
	{"v_mov_b32 v0, v1 dst_sel:w1 src0_sel:byte_2 dst_un:preserve", "v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2", nil},
	{"v_mov_b32 v0, sext(v1)", "v_mov_b32_sdwa v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD", nil},
	{"v_cmp_lt_f32 vcc, v1, v2 dst_sel:b1 src0_sel:b3", "v_cmp_lt_f32 vcc, v1, v2 src0_sel:BYTE_3 src1_sel:DWORD", []int{40}},
	{"v_mov_b32 v0, v1 row_shl:3", "v_mov_b32_dpp v0, v1 row_shl:3 row_mask:0xf bank_mask:0xf", nil},
	{"v_mov_b32 v0, v1 quad_perm:[3,2,1,0] bank_mask:5 row_mask:4 bound_ctrl", "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0x4 bank_mask:0x5 bound_ctrl:1", nil},
	{"v_mov_b32 v0, v1 row_bcast15", "v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xf bank_mask:0xf", nil},
	{"v_mov_b32 v0, v1 row_mirror wave_shl", "v_mov_b32_dpp v0, v1 wave_shl:1 row_mask:0xf bank_mask:0xf", nil},
	{"v_mov_b32 v0, v1 dpp", "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", nil},
	{"v_cmp_lg_i32 vcc, v1, v2", "v_cmp_ne_i32_e32 vcc, v1, v2", nil},
	{"v_cmpx_tru_u32 vcc, v1, v2", "v_cmpx_t_u32_e32 vcc, v1, v2", nil},
	{"v_cmp_t_f32 vcc, v1, v2", "v_cmp_tru_f32_e32 vcc, v1, v2", nil},
	{"v_add_i32 v0, vcc, v1, v2", "v_add_u32_e32 v0, vcc, v1, v2", nil},
	{"v_mov_b32 v0, lit(1)", "v_mov_b32_e32 v0, lit(0x1)", nil},
	{"v_mov_b32 v0, lit ( 2.0 )", "v_mov_b32_e32 v0, lit(0x40000000)", nil},
	{"v_mov_b32 v0, 0x40000000", "v_mov_b32_e32 v0, lit(0x40000000)", nil},
	{"v_cvt_f32_f64 v0, lit(2.0)", "v_cvt_f32_f64_e32 v0, lit(0x40000000)", nil},
	{"v_mov_b32 v0, .5", "v_mov_b32_e32 v0, 0.5", nil},
	{"v_mov_b32 v0, -1.s", "v_mov_b32_e32 v0, -1.0", nil},
	{"s_add_u32 s0, s1, -4.5h", "s_add_u32 s0, s1, 0xc480", nil},
	{"s_add_u32 s0, vcc[1], flat_scratch[0]", "s_add_u32 s0, vcc_hi, flat_scratch_lo", nil},
	{"s_and_b64 s[0:1], vcc[0:1], execz", "s_and_b64 s[0:1], vcc, src_execz", nil},
	{"s_mov_b32_e64 s0, 5", "s_mov_b32 s0, lit(0x5)", nil},
	{"s_waitcnt VmCnt ( 3 )&expcnt(9) & lgkmcnt(1)", "s_waitcnt vmcnt(3) expcnt(1) lgkmcnt(1)", nil},
	{"s_getreg_b32 s0, hwreg (mode, 4, 2)", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 2)", nil},
	{"s_getreg_b32 s0, hwreg(@3+1, 0, 32)", "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)", nil},
	{"s_sendmsg sendmsg(gs, emit-cut, 3)", "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT_CUT, 3)", nil},
	{"s_sendmsg sendmsg(system)", "s_sendmsg sendmsg(15, 0, 0)", nil},
	{"s_cmp_ne_u64 s[0:1], s[2:3]", "s_cmp_lg_u64 s[0:1], s[2:3]", nil},
	{"buffer_load_dword v1, v5, s[0:3], 0 offset:16 glc:1 slc:0", "buffer_load_dword v1, off, s[0:3], 0 offset:16 glc", []int{32, 34}},
	{"buffer_load_dword v1, s[0:3], 0", "buffer_load_dword v1, off, s[0:3], 0", nil},
	{"buffer_load_dword v3, v2, s[0:3], 0 idxen lds", "buffer_load_dword v2, s[0:3], 0 idxen lds", []int{40, 41}},
	{"tbuffer_load_format_x v1, v2, s[0:3], 0 idxen format:[32,float]", "tbuffer_load_format_x v1, v2, s[0:3], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] idxen", nil},
	{"tbuffer_load_format_x v1, v2, s[0:3], 0 idxen format:[sint]", "tbuffer_load_format_x v1, v2, s[0:3], 0 format:[BUF_NUM_FORMAT_SINT] idxen", nil},
	{"flat_atomic_add v7, v[0:1], v2", "flat_atomic_add v[0:1], v2", []int{56, 57, 58}},
	{"flat_atomic_add v7, v[0:1], v2 glc", "flat_atomic_add v7, v[0:1], v2 glc", nil},
	{"image_load v0, v[4:7], s[8:15] unorm", "image_load v0, v[4:7], s[8:15] dmask:0x1 unorm", nil},
	{"image_load v[0:2], v[4:7], s[8:11] dmask:11 unorm r128", "image_load v[0:2], v[4:7], s[8:15] dmask:0xb unorm r128", nil},
	{"exp mrt01, v0, v1, off, off done vm compr:0", "exp mrt1 v0, v1, off, off done vm", nil},
	{"v_interp_p1_f32 v0, v1, aTTR007 . Z", "v_interp_p1_f32_e32 v0, v1, attr7.z", nil},
	{"ds_gws_sema_v v5 offset:4 gds", "ds_gws_sema_v offset:4 gds", []int{32, 34}},
	{"ds_add_u32 v1, v2 offset:1 offset:8", "ds_add_u32 v1, v2 offset:8", nil},
	{"buffer_load_dword v1, off, s[0:3], 0 offset:4", "buffer_load_dword v1, off, s[0:3], 0 offset:4", nil},
}

func TestCLRXSpellings(t *testing.T) {
	clrx, llvm := asm.NewLines(inDialect(t, "gfx8", "clrx")), asm.NewLines(inDialect(t, "gfx8", ""))
	for _, tt := range spellings {
		want, err := llvm.Asm(nil, []byte(tt.llvm))
		if err != nil {
			t.Errorf("%s: %v", tt.llvm, err)
			continue
		}
		code := unhexed(t, string(want))
		for _, b := range tt.bits {
			code[b/8] |= 1 << (b % 8)
		}
		got, err := clrx.Asm(nil, []byte(tt.clrx))
		if err != nil || string(got) != hex.EncodeToString(code) {
			t.Errorf("%s: %s, %v, want %x", tt.clrx, got, err, code)
		}
	}
}

func unhexed(t testing.TB, digits string) []byte {
	code, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// Files of CLRX: several statements per line, its comments, symbols for registers and constants, expressions after @.
func TestCLRXFiles(t *testing.T) {
	for _, tt := range []struct{ clrx, llvm string }{
		{"a=%s[4:7]; s_mov_b64 a[2:3], a[0:1] # comment", "s_mov_b64 s[6:7], s[4:5]"},
		{"a=%v5\nb = %a[0]\n v_mov_b32 b, -a // c", "v_mov_b32_e64 v5, v5"},
		{"n=3; v_mov_b32 v[n], s[n*2:n*2]", "v_mov_b32 v3, s6"},
		{"s0=7; s_mov_b32 s1, @s0+1; s_mov_b32 s2, s0", "s_mov_b32 s1, 8\ns_mov_b32 s2, s0"},
		{"c=%-3; f=%.5; e=%execz; s_add_u32 s0, c, f; s_mov_b32 s0, e", "s_add_u32 s0, -3, 0.5\ns_mov_b32 s0, src_execz"},
		{"v_mov_b32 r, 1; r=%v2", "v_mov_b32 v2, 1"},
		{"a=%v1; v_mov_b32 a, 0; a=%v2; v_mov_b32 a, 0", "v_mov_b32 v1, 0\nv_mov_b32 v2, 0"},
		{"x: s_branch x; s_branch .+8", "x: s_branch x\ns_branch .+8"},
		{".rept 2; s_nop \\+; .endr; s_nop ';'-'0'", "s_nop 0\ns_nop 1\ns_nop 11"},
		{"d=15; v_mad_f32 v0, v1, -d, v2", "v_mad_f32 v0, v1, -15, v2"},
	} {
		want, errs := asm.Assemble(inDialect(t, "gfx8", ""), []byte(tt.llvm), asm.Options{})
		if len(errs) > 0 {
			t.Fatal(tt.llvm, errs)
		}
		for _, src := range []string{".isa gcn:gfx8\n.dialect clrx\n" + tt.clrx, tt.clrx} {
			tg := inDialect(t, "gfx8", "")
			if !strings.HasPrefix(src, ".isa") {
				tg = inDialect(t, "gfx8", "clrx")
			}
			got, errs := asm.Assemble(tg, []byte(src), asm.Options{})
			if len(errs) > 0 {
				t.Errorf("%s: %v", tt.clrx, errs)
				continue
			}
			code := want.Code
			if strings.Contains(tt.clrx, "-a") {
				code = binary.LittleEndian.AppendUint64(nil, binary.LittleEndian.Uint64(code)|1<<61) // neg of source 0
			}
			if !bytes.Equal(got.Code, code) {
				t.Errorf("%s: %x, want %x", tt.clrx, got.Code, code)
			}
		}
	}
}

// Errors in CLRX's text, and their places.
func TestCLRXErrors(t *testing.T) {
	for _, tt := range []struct {
		text string
		col  int
		want string
	}{
		{"v_bogus v0", 1, "no instruction"},
		{"v_add_f32 v0, v1, v256", 19, "out of range"},
		{"v_add_f32 v0, v1, v[3", 19, "no closing bracket"},
		{"v_add_f32 v0, v[2:1], v3", 15, "out of order"},
		{"v_add_f32 v0, v1,", 18, "an operand"},
		{"v_add_f32 v0, v1, v2 vop3 sdwa", 27, "two forms"},
		{"v_add_f64 v[0:1], v[2:3], v[4:5] sdwa", 1, "has no form sdwa"},
		{"v_add_f32 v0, v1, v2 mul:3", 26, "no such value"},
		{"v_mov_b32 v0, v1 dst_sel:b4", 26, "no value of that name"},
		{"v_mov_b32 v0, v1 row_shl", 25, "number of lanes"},
		{"v_mov_b32 v0, v1 row_shl:0", 26, "0 lanes"},
		{"v_mov_b32 v0, v1 quad_perm:[1,2,3]", 28, "four lanes"},
		{"v_add_f32 v0, v1, v2 bogus", 22, "no modifier"},
		{"image_load v0, v[4:7], s[8:15] dmask:0", 32, "no component"},
		{"image_load v0, v[4:7], s[8:15] r128", 24, "4 registers"},
		{"s_getreg_b32 s0, hwreg(bogus, 0, 1)", 24, "a number or an expression"},
		{"s_sendmsg sendmsg(gs", 20, "closing parenthesis"},
		{"s_waitcnt vmcnt(1) & bogus(2)", 22, "vmcnt(), expcnt() or lgkmcnt()"},
		{"tbuffer_load_format_x v1, v2, s[0:3], 0 idxen format:[33]", 55, "no data or number format"},
		{"flat_load_dword v0, v[0:1] offset", 28, "offset has one value"},
		{"s_mov_b32 s0, lit(1.0.0)", 19, ""},
		{"v_nop vop3", 1, "in the form e64"},
		{"tbuffer_load_format_x v[1:2], v2, s[0:3], 0 idxen tfe", 51, "no row of MTBUF"},
	} {
		_, err := asm.Line(inDialect(t, "gfx8", "clrx"), tt.text)
		if err == nil {
			t.Errorf("%s: no error", tt.text)
			continue
		}
		if e := isa.AsError(err); !strings.Contains(e.Msg, tt.want) || e.Col != tt.col || e.Source != tt.text {
			t.Errorf("%s: %+v, want %q at %d", tt.text, e, tt.want, tt.col)
		}
	}
}

// FuzzCLRX: any text assembles to what is an instruction, or is an error with its place.
func FuzzCLRX(f *testing.F) {
	for _, tt := range spellings {
		f.Add(tt.clrx)
	}
	f.Add("a=%s[1:2]; s_mov_b32 a[0], @x; x=3")
	f.Fuzz(func(t *testing.T, src string) { laws.FuzzFile(t, inDialect(t, "gfx8", "clrx"), src) })
}

// clrxShares are the least shares of CLRX's own test tables that must pass, in hundredths of a percent. The rest:
// fields that the instruction does not use, combinations that LLVM has no row for (TFE of MTBUF and FLAT, DPP of
// compares, scalar atomics), registers where LLVM accepts none, numbers that CLRX truncates, and texts that CLRX
// refuses and LLVM does not.
var clrxShares = map[string]int{"disasm gfx6": 9310, "disasm gfx7": 7880, "disasm gfx8": 9140,
	"asm gfx6": 9490, "asm gfx7": 9390, "asm gfx8": 9340, "errors": 9660}

func TestCLRXTables(t *testing.T) {
	type count struct{ passed, all int }
	counts := map[string]*count{}
	add := func(key string, ok bool) {
		c := counts[key]
		if c == nil {
			c = &count{}
			counts[key] = c
		}
		if c.all++; ok {
			c.passed++
		}
	}
	for _, r := range clrxTable(t, "clrx_pairs.tsv.gz") {
		add(r[0]+" "+r[1], clrxPair(inDialect(t, r[1], "clrx"), r[0], unhexed(t, r[2]), r[3]))
	}
	for _, r := range clrxTable(t, "clrx_asm_errors.tsv.gz") {
		_, errs := asm.Assemble(inDialect(t, r[1], "clrx"), []byte(r[3]), asm.Options{})
		add("errors", len(errs) > 0)
	}
	for key, least := range clrxShares {
		if c := counts[key]; c == nil || c.passed*10000 < least*c.all {
			t.Errorf("%s: %+v pass, at least %d in 10000 must", key, c, least)
		} else {
			t.Logf("%s: %d of %d", key, c.passed, c.all)
		}
	}
}

// clrxTable returns the rows of a table of the full set of cases.
func clrxTable(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	path := filepath.Join(cases.Dir(t), "third-party", "gcn-clrx", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT CHECKED against CLRX's tables: %v", err)
	}
	text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`)
	for _, line := range cases.Lines(t, path) {
		r := strings.Split(line, "\t")
		r[3] = text.Replace(r[3])
		rows = append(rows, r)
	}
	return rows[1:]
}

// What CLRX's disassembler prints for fields that the instruction does not use, and for branch targets.
var (
	unusedField = regexp.MustCompile(` (\w+=\w+|(neg|abs|sext)\d|:0x\w+)`)
	clrxLabel   = regexp.MustCompile(`\.L(\d+)_0`)
)

// clrxPair reports whether a text assembles to the bytes. The disassembler's text need only be the same instruction;
// what it does not know must be none.
func clrxPair(tg *isa.Target, direction string, code []byte, text string) bool {
	var x, y isa.Bundle
	if direction == "disasm" {
		if strings.Contains(text, "_ill_") {
			return tg.DecodeBundle(code, 0, &x) != nil
		}
		text = clrxLabel.ReplaceAllString(unusedField.ReplaceAllString(text, ""), ".+$1")
	}
	a, errs := asm.Assemble(tg, []byte(text+"\n"), asm.Options{NoLint: true}) // many break a rule of the hardware
	switch {
	case len(errs) > 0:
		return false
	case bytes.Equal(a.Code, code):
		return true
	case direction == "asm" || tg.DecodeBundle(code, 0, &x) != nil || tg.DecodeBundle(a.Code, 0, &y) != nil:
		return false
	}
	return bytes.Equal(tg.Print(nil, &x), tg.Print(nil, &y))
}
