package linter

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// lintGCN returns the findings in a text for gfx8.
func lintGCN(t *testing.T, text string) []lint.Finding {
	t.Helper()
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true, File: "a.s"})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	return Assembly(a, lint.Options{Least: isa.SeverityWarning}).Findings
}

const baselineText1 = `main:
	s_load_dword s4, s[0:1], 0x0
	s_mov_b32 s5, s4
	s_load_dword s4, s[0:1], 0x8
	s_mov_b32 s5, s4
	s_cbranch_scc1 far
	s_endpgm
far:
	.long 0xc400380f, 0x03020100
	s_endpgm
`

// TestBaseline: findings stay known when code moves. One more of the same kind, or one in another function, is new.
func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	b := NewBaseline(filepath.Join(dir, "ci", "lint.json"))
	file := filepath.Join(dir, "a.s")
	found := lintGCN(t, baselineText1)
	if len(found) != 3 {
		t.Fatalf("%d findings", len(found))
	}
	b.Add(file, found)
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	b, err := ReadBaseline(filepath.Join(dir, "ci", "lint.json"), out.Bytes())
	if err != nil || b.Len() != 3 {
		t.Fatalf("%v in %s", err, out.String())
	}
	if !strings.Contains(out.String(), `{"file":"../a.s","rule":"pending-read","symbol":"main","text":"s_mov_b32 s5, s4","count":2}`) {
		t.Errorf("the file is\n%s", out.String())
	}
	moved := "first:\n\ts_nop 0\n\ts_nop 1\n" + strings.Replace(baselineText1, "\ts_cbranch", "\n// more\n\ts_nop 3\n\ts_cbranch", 1)
	for _, tt := range []struct {
		name, text         string
		left, known, stale int
	}{
		{"the same", baselineText1, 0, 3, 0},
		{"moved", moved, 0, 3, 0},
		{"one more", strings.Replace(baselineText1, "\ts_cbranch", "\ts_load_dword s4, s[0:1], 0x0\n\ts_mov_b32 s5, s4\n\ts_cbranch", 1), 1, 3, 0},
		{"one less", strings.Replace(baselineText1, "\ts_mov_b32 s5, s4\n", "\ts_waitcnt lgkmcnt(0)\n", 1), 0, 2, 1},
		{"another function", strings.Replace(baselineText1, "main:", "other:", 1), 2, 1, 1},
		{"mended", "main:\n\ts_endpgm\n", 0, 0, 2},
	} {
		left, known, stale := b.Take(file, lintGCN(t, tt.text))
		if len(left) != tt.left || known != tt.known || len(stale) != tt.stale {
			t.Errorf("%s: %d new, %d known, %v stale; want %d, %d, %d", tt.name, len(left), known, stale, tt.left, tt.known, tt.stale)
		}
	}
	if left, known, _ := b.Take(filepath.Join(dir, "b.s"), found); len(left) != 3 || known != 0 {
		t.Errorf("another file: %d new, %d known", len(left), known)
	}
}

// TestBaselineBranch: the target of a branch is no part of a finding's identity.
func TestBaselineBranch(t *testing.T) {
	b := NewBaseline("lint.json")
	b.Add("a.s", lintGCN(t, "main:\n\ts_load_dword vcc_lo, s[0:1], 0x0\n\ts_cbranch_vccz out\n\ts_endpgm\nout:\n\ts_endpgm\n"))
	if b.Len() == 0 {
		t.Fatal("no findings")
	}
	left, known, stale := b.Take("a.s", lintGCN(t, "main:\n\ts_load_dword vcc_lo, s[0:1], 0x0\n\ts_cbranch_vccz out\n\ts_nop 0\n\ts_nop 0\n\ts_endpgm\nout:\n\ts_endpgm\n"))
	if len(left) != 0 || known != b.Len() || len(stale) != 0 {
		t.Errorf("%v new, %d of %d known, %v stale", left, known, b.Len(), stale)
	}
}

// schema is docs/schemas/baseline.schema.json.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", "baseline.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("baseline.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBaselineSchema: written files match the schema, and reader and schema reject the same files; what JSON Schema
// cannot express, only the reader rejects.
func TestBaselineSchema(t *testing.T) {
	s := schema(t)
	full := NewBaseline("lint.json")
	full.Add("a.s", lintGCN(t, baselineText1))
	full.Add("-", lintGCN(t, "\t.long 0xffffffff\n"))
	var written, empty bytes.Buffer
	if err := full.Write(&written); err != nil {
		t.Fatal(err)
	}
	if err := NewBaseline("lint.json").Write(&empty); err != nil {
		t.Fatal(err)
	}
	const one = `{"file": "a", "rule": "r", "count": 1}`
	file := func(findings string) string {
		return `{"format": "heddle-lint-baseline-1", "findings": [` + findings + `]}`
	}
	for _, tt := range []struct {
		text  string
		valid bool   // by the schema
		want  string // the reader's error
	}{
		{written.String(), true, ""},
		{empty.String(), true, ""},
		{file(one), true, ""},
		{file(one + "," + one), false, "findings[1]: the same finding"},
		{file(one + `, {"file": "a", "rule": "r", "count": 2}`), true, "findings[1]: the same finding"},
		{file(`{"file": "a", "rule": "r", "count": 0}`), false, "count is 0"},
		{file(`{"rule": "r", "count": 1}`), false, "file or rule is missing"},
		{file(`{"file": "a", "rule": "r", "count": 1, "line": 3}`), false, `unknown field "line"`},
		{file(`{"file": "a", "rule": "r", "count": "1"}`), false, "lint.json:1:"},
		{file(`null`), false, "file or rule is missing"},
		{`{"format": "heddle-lint-baseline-2", "findings": []}`, false, `format is "heddle-lint-baseline-2", want "heddle-lint-baseline-1"`},
		{`{"findings": []}`, false, `format is ""`},
		{`[]`, false, "lint.json:1:1: not a baseline of lint"},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); (err == nil) != tt.valid {
			t.Errorf("%s: the schema says %v", tt.text, err)
		}
		_, err = ReadBaseline("lint.json", []byte(tt.text))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
	for text, want := range map[string]string{"": "lint.json", "{\n\"format\": }": "lint.json:2:11: ", file(one) + " x": "something follows"} {
		if _, err := ReadBaseline("lint.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzBaseline: reading and writing a baseline again gives the same file.
func FuzzBaseline(f *testing.F) {
	f.Add([]byte(`{"format": "heddle-lint-baseline-1", "findings": [{"file": "a", "rule": "r", "count": 1}]}`))
	f.Add([]byte(`{"format": "heddle-lint-baseline-1", "findings": null}`))
	f.Add([]byte(`{"format": 1`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBaseline("lint.json", data)
		if err != nil {
			return
		}
		var x, y bytes.Buffer
		if err := b.Write(&x); err != nil {
			t.Fatal(err)
		}
		c, err := ReadBaseline("lint.json", x.Bytes())
		if err != nil {
			t.Fatalf("%v in %s", err, x.String())
		}
		if err := c.Write(&y); err != nil || x.String() != y.String() {
			t.Errorf("%v: %s became %s", err, x.String(), y.String())
		}
	})
}
