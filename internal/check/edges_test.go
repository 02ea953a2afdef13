package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

// movesCode copies v10 and v11 to v2 and v3, and s10 to s2, and ends the wave.
const movesCode = "0203147e" + "0303167e" + "02008abe" + "000081bf"

// moved are cases for movesCode: the initial registers, the expected ones, and how they are compared.
var moved = []struct {
	name            string
	v2, v3, s2      string
	regs, mask, cmp string // of final, final_mask and compare
	what            string // in the result; "" if it passes
	lanes           int    // 0: 1
}{
	// Two halves per word: each is compared by itself.
	{name: "halves", v2: `"0x3c003c00"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16"`},
	{name: "high half", v2: `"0x3c013c00"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16"`, what: "v10 lane 0 is 0x3c013c00, want 0x3c003c00"},
	{name: "low half", v2: `"0x3c003c01"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16"`, what: "v10 lane 0 is 0x3c003c01"},
	{name: "halves 1 ulp off", v2: `"0x3c013bff"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16","ulp":1`},
	{name: "high half 2 ulp off", v2: `"0x3c023c00"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16","ulp":1`, what: "v10 lane 0"},
	{name: "low half 2 ulp off", v2: `"0x3c003c02"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16","ulp":1`, what: "v10 lane 0"},
	{name: "high half is another NaN", v2: `"0xfe013c00"`, regs: `"v10":"0x7e003c00"`, cmp: `"type":"f16","nan":"any"`},
	{name: "high half is a NaN for a number", v2: `"0x7e003c00"`, regs: `"v10":"0x3c003c00"`, cmp: `"type":"f16","nan":"any"`, what: "v10 lane 0"},
	{name: "high half is -0", v2: `"0x80003c00"`, regs: `"v10":"0x00003c00"`, cmp: `"type":"f16","zero_sign":"any"`},
	{name: "high half is -0, strictly", v2: `"0x80003c00"`, regs: `"v10":"0x00003c00"`, cmp: `"type":"f16"`, what: "v10 lane 0"},
	// Meeting either bound is enough.
	{name: "within ulp", v2: `"0x3f800002"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","ulp":2`},
	{name: "beyond ulp", v2: `"0x3f800003"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","ulp":2`, what: "v10 lane 0 is 0x3f800003"},
	{name: "within abs", v2: `"0x3fc00000"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","abs":0.5`},
	{name: "beyond abs", v2: `"0x3fc00001"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","abs":0.5`, what: "v10 lane 0"},
	{name: "below, within abs", v2: `"0x3f000000"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","abs":0.5`},
	{name: "within ulp, beyond abs", v2: `"0x4b000001"`, regs: `"v10":"0x4b000000"`, cmp: `"type":"f32","ulp":1,"abs":0.5`},
	{name: "within abs, beyond ulp", v2: `"0x3fc00000"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","ulp":1,"abs":0.5`},
	{name: "beyond both", v2: `"0x3fc00001"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","ulp":1,"abs":0.5`, what: "v10 lane 0"},
	{name: "bits of an integer", v2: `"0x3f800001"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"u32","ulp":1,"abs":1`, what: "v10 lane 0"},
	{name: "infinity and the largest", v2: `"0x7f7fffff"`, regs: `"v10":"0x7f800000"`, cmp: `"type":"f32","ulp":5,"abs":1e38`, what: "v10 lane 0"},
	// NaN and zeros.
	{name: "another NaN", v2: `"0xffc00001"`, regs: `"v10":"0x7fc00000"`, cmp: `"type":"f32","nan":"any"`},
	{name: "another NaN, strictly", v2: `"0xffc00001"`, regs: `"v10":"0x7fc00000"`, cmp: `"type":"f32","zero_sign":"any"`, what: "v10 lane 0"},
	{name: "a number for any NaN", v2: `"0x3f800000"`, regs: `"v10":"0x7fc00000"`, cmp: `"type":"f32","nan":"any","ulp":9,"abs":9`, what: "v10 lane 0"},
	{name: "a NaN for a number", v2: `"0x7fc00000"`, regs: `"v10":"0x3f800000"`, cmp: `"type":"f32","nan":"any","ulp":9,"abs":9`, what: "v10 lane 0"},
	{name: "-0", v2: `"0x80000000"`, regs: `"v10":"0"`, cmp: `"type":"f32","zero_sign":"any"`},
	{name: "-0, strictly", v2: `"0x80000000"`, regs: `"v10":"0"`, cmp: `"type":"f32","nan":"any"`, what: "v10 lane 0"},
	{name: "-0 for a denormal", v2: `"0x80000000"`, regs: `"v10":"1"`, cmp: `"type":"f32","zero_sign":"any"`, what: "v10 lane 0"},
	// Masks remove bits; the rest is compared as bits, not as numbers.
	{name: "masked", v2: `"0xffff0001"`, regs: `"v10":"0x00000001"`, mask: `"v10":"0xffff"`, cmp: `"type":"u32"`},
	{name: "masked, but expected", v2: `"0x00000001"`, regs: `"v10":"0xffff0001"`, mask: `"v10":"0xffff"`, cmp: `"type":"u32"`},
	{name: "under the mask", v2: `"0xffff0003"`, regs: `"v10":"0x00000001"`, mask: `"v10":"0xffff"`, cmp: `"type":"u32"`, what: "v10 lane 0 is 0x00000003, want 0x00000001"},
	{name: "a mask by lane", v2: `["0x1","0x2"]`, regs: `"v10":["0x1","0x3"]`, mask: `"v10":["0xffffffff","0xfffffffe"]`, cmp: `"type":"u32"`, lanes: 2},
	{name: "a mask of another lane", v2: `["0x1","0x2"]`, regs: `"v10":["0x1","0x3"]`, mask: `"v10":["0xfffffffe","0xffffffff"]`, cmp: `"type":"u32"`, lanes: 2, what: "v10 lane 1 is 0x00000002, want 0x00000003"},
	{name: "a lane that does not count", v2: `["0x1","0x2"]`, regs: `"v10":["0x1","0xdead"]`, mask: `"v10":["0xffffffff","0"]`, cmp: `"type":"u32"`, lanes: 2},
	{name: "a masked number", v2: `"0x3f800001"`, regs: `"v10":"0x3f800000"`, mask: `"v10":"0xffffffff"`, cmp: `"type":"f32","ulp":5`, what: "v10 lane 0 is 0x3f800001, want 0x3f800000"},
	{name: "a masked register only", v2: `"0x3f800001"`, v3: `"0x3f800001"`, regs: `"v10":"0x3f800001","v11":"0x3f800000"`, mask: `"v10":"0xffffffff"`, cmp: `"type":"f32","ulp":5`},
	{name: "masked scalar", s2: `"0xff01"`, regs: `"s10":"0x01"`, mask: `"s10":"0xff"`, cmp: `"type":"u32"`},
	{name: "a scalar is bits", s2: `"0x3f800001"`, regs: `"s10":"0x3f800000"`, cmp: `"type":"f32","ulp":5`, what: "s10 lane 0 is 0x3f800001, want 0x3f800000"},
	// A double is a pair of registers, in words and beyond them.
	{name: "high word of a pair", v2: `"0"`, v3: `"0x3ff00001"`, regs: `"v10":"0","v11":"0x3ff00000"`, cmp: `"type":"f64","ulp":9`, what: "v10 and v11 lane 0"},
	{name: "half a pair", v2: `"1"`, regs: `"v10":"0"`, cmp: `"type":"f64","ulp":9`, what: "v10 lane 0 is 0x00000001, want 0x00000000"},
}

// TestCompare: each rule of comparison, by a case that follows it and one that breaks it.
func TestCompare(t *testing.T) {
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	for _, c := range moved {
		lanes := max(c.lanes, 1)
		text := fmt.Sprintf(`{"name":"x","isa":"gcn","variant":"gfx8","stage":"raw","code":"%s","asm":[],"launch":{"lanes":%d},`+
			`"initial":{"regs":{"exec_lo":"0xffffffff","exec_hi":"0xffffffff","v2":%s,"v3":%s,"s2":%s}},"final":{"regs":{%s}},"final_mask":{%s},"compare":{%s}}`,
			movesCode, lanes, or(c.v2, `"0"`), or(c.v3, `"0"`), or(c.s2, `"0"`), c.regs, c.mask, c.cmp)
		file := filepath.Join(t.TempDir(), "moved.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var got []Result
		if _, err := Run(context.Background(), []string{file}, Options{Each: func(r Result) { got = append(got, r) }}); err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		r := got[0]
		if c.what == "" && (r.Status != Passed || r.What != "") || c.what != "" && (r.Status != Failed || !strings.HasPrefix(r.What, c.what)) {
			t.Errorf("%s: %s %q, want %q", c.name, r.Status, r.What, c.what)
		}
	}
}

// TestMemoryRules: elements of memory are compared by the case's rule, an incomplete element by its bytes.
func TestMemoryRules(t *testing.T) {
	one, other := []byte{0, 0, 0x80, 0x3f}, []byte{1, 0, 0x80, 0x3f}
	for _, c := range []struct {
		name      string
		rule      rule
		want, got []byte
		at        int
		text      string
	}{
		{"bytes", rule{typ: "u32", ulp: 9}, one, other, 0, "0x01"},
		{"within ulp", rule{typ: "f32", ulp: 1}, one, other, -1, ""},
		{"beyond ulp", rule{typ: "f32"}, slices.Concat(one, one), slices.Concat(one, other), 4, "0x3f800001 (1.0000001192092896)"},
		{"a tail", rule{typ: "f32", ulp: 9}, slices.Concat(one, []byte{1, 2}), slices.Concat(other, []byte{1, 3}), 5, "0x03"},
		{"halves", rule{typ: "f16", ulp: 1}, []byte{0, 0x3c, 0, 0x3c}, []byte{1, 0x3c, 2, 0x3c}, 2, "0x3c02 (1.001953125)"},
		{"doubles", rule{typ: "f64", ulp: 1}, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, []byte{1, 0, 0, 0, 0, 0, 0xf0, 0x3f}, -1, ""},
		{"NaN", rule{typ: "f32", nanAny: true}, []byte{0, 0, 0xc0, 0x7f}, []byte{1, 0, 0xc0, 0xff}, -1, ""},
	} {
		if at, _, got := c.rule.firstApart(c.want, c.got); at != c.at || got != c.text {
			t.Errorf("%s: %d %q, want %d %q", c.name, at, got, c.at, c.text)
		}
	}
}

// TestListingSyntax: the text of a case without final state is compared in the syntax that the case names.
func TestListingSyntax(t *testing.T) {
	const text = `{"name":"x","isa":"rogue","variant":"rogue","stage":"raw","code":"240200c1a2000040","asm":["%s"],"syntax":"%s","launch":{"lanes":1},"compare":{"type":"u32"}}`
	for _, c := range [][3]string{
		{"{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }", "pco"},
		{"{ main p0: fadd ft0, s0, s1; s0=r1, s1=r2 is4/w0=ft0 w0=r0 }", "mesa24"},
		{"{ main p0: fadd ft0, s0, s1; s0=r1, s1=r2 is4/w0=ft0 w0=r0 }", "pco", "code+0x0 decodes to"},
	} {
		file := filepath.Join(t.TempDir(), "listing.jsonl")
		if err := os.WriteFile(file, fmt.Appendf(nil, text, c[0], c[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		var got []string
		if _, err := Run(context.Background(), []string{file}, Options{Each: func(r Result) { got = append(got, r.What) }}); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], c[2]) || (got[0] == "") != (c[2] == "") {
			t.Errorf("%s: %q, %v", c[1], got, err)
		}
	}
}

// TestInputsStay: a buffer without expectation must be unchanged, unless it is excluded from comparison.
func TestInputsStay(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an output", "", "", ""},
		{"an input that the kernel writes", `"expect":"y.exp.bin",`, ``, "buffer y[0] is 0x"},
		{"an input that may change", `"expect":"y.exp.bin","compare":{"type":"f32","mode":"exact"`, `"compare":{"type":"f32","mode":"skip"`, ""},
		{"an output that is not compared", `"mode":"exact"`, `"mode":"skip"`, ""},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(saxpy)); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, "manifest.json"), func(s string) string {
			s = regexp.MustCompile(`\s+`).ReplaceAllString(s, "")
			if !strings.Contains(s, c.old) {
				t.Fatalf("the manifest has no %s", c.old)
			}
			return strings.Replace(s, c.old, c.new, 1)
		})
		var got []string
		_, err := Run(context.Background(), []string{dir}, Options{Run: regexp.MustCompile("gfx803$|^manifest|^file"), Each: func(r Result) { got = append(got, r.What) }})
		if err != nil || len(got) != 1 || c.want == "" && got[0] != "" || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		if c.want != "" && !strings.Contains(got[0], ", and must stay as it was; 937 of 1000 elements differ") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestBufferBounds: buffers are compared by either bound, and by bounds only if the mode says so.
func TestBufferBounds(t *testing.T) {
	word := func(vs ...uint32) (b []byte) {
		for _, v := range vs {
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		return b
	}
	for _, c := range []struct {
		name      string
		cmp       casefile.BufferCompare
		want, got uint32
		same      bool
	}{
		{"ulp", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 2}, 0x3f800000, 0x3f800002, true},
		{"beyond ulp", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 2}, 0x3f800000, 0x3f800003, false},
		{"abs", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", Abs: 0.5}, 0x3f800000, 0x3fc00000, true},
		{"beyond abs", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", Abs: 0.5}, 0x3f800000, 0x3fc00001, false},
		{"abs, beyond ulp", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 1, Abs: 0.5}, 0x3f800000, 0x3fc00000, true},
		{"ulp, beyond abs", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 1, Abs: 0.5}, 0x4b000000, 0x4b000001, true},
		{"beyond both", casefile.BufferCompare{Type: "f32", Mode: "ulp_or_abs", ULP: 1, Abs: 0.5}, 0x4b000000, 0x4b000002, false},
		{"exact", casefile.BufferCompare{Type: "f32", Mode: "exact", ULP: 2, Abs: 1}, 0x3f800000, 0x3f800001, false},
		{"any NaN", casefile.BufferCompare{Type: "f32", Mode: "exact", NaNAny: true}, 0x7fc00000, 0xffc00001, true},
		{"any NaN, but no zero", casefile.BufferCompare{Type: "f32", Mode: "exact", NaNAny: true}, 0, 1 << 31, false},
		{"a NaN", casefile.BufferCompare{Type: "f32", Mode: "exact", ZeroAny: true}, 0x7fc00000, 0xffc00001, false},
		{"any zero", casefile.BufferCompare{Type: "f32", Mode: "exact", ZeroAny: true}, 0, 1 << 31, true},
		{"integers", casefile.BufferCompare{Type: "u32", Mode: "ulp_or_abs", ULP: 2, Abs: 2}, 1, 2, false},
	} {
		for _, last := range []bool{false, true} { // in the first element, and in the last
			want, got := word(c.want, 5, 6), word(c.got, 5, 6)
			if last {
				want, got = word(5, 6, c.want), word(5, 6, c.got)
			}
			b := casefile.Buffer{Name: "b", Elem: "float32", Expect: "e", Compare: c.cmp}
			if what := CompareBuffer(&b, want, got); c.same != (what == "") || !c.same && !strings.Contains(what, "1 of 3 elements differ") {
				t.Errorf("%s, last %t: %q", c.name, last, what)
			}
		}
	}
}

// TestListing: a case without final state is code and its text, one instruction per entry, with none missing on either
// side.
func TestListing(t *testing.T) {
	const mov, end = `"v_mov_b32_e32 v10, v2"`, `"s_endpgm"`
	for _, c := range []struct{ code, asm, want string }{
		{"0203147e000081bf", mov + "," + end, ""},
		{"0203147e000081bf", mov + `],"syntax":"nosuch","x":[""`, "the case has text of a syntax that is not known: nosuch"},
		{"0203147e000081bf", mov, "4 bytes of code after the last entry of asm"},
		{"0203147e", mov + "," + end, "the code ends before entry 1 of asm"},
		{"0203147e000081bf", end + "," + mov, `code+0x0 decodes to "v_mov_b32_e32 v10, v2", want "s_endpgm"`},
		{"0203147e000081bf", mov + "," + mov, `code+0x4 decodes to "s_endpgm", want "v_mov_b32_e32 v10, v2"`},
	} {
		text := `{"name":"x","isa":"gcn","variant":"gfx8","stage":"raw","code":"` + c.code + `","asm":[` + c.asm + `],"launch":{"lanes":64},"compare":{"type":"u32"}}`
		file := filepath.Join(t.TempDir(), "listing.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var got []string
		if _, err := Run(context.Background(), []string{file}, Options{Each: func(r Result) { got = append(got, r.What) }}); err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s as %s: %q, %v; want %q", c.code, c.asm, got, err, c.want)
		}
	}
}
