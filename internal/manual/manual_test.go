package manual

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
)

// TestEveryRow: each row of each set has a page whose fields divide its bits without gap, and whose text is
// no wider than the fields need.
func TestEveryRow(t *testing.T) {
	for _, s := range all.Sets() {
		for v := range s.Variants {
			for i := range s.Defs {
				if d := &s.Defs[i]; d.InVariant(v) {
					b := isa.Bundle{Parts: []isa.Inst{sample(d, v)}}
					checkPage(t, PageOf(s, v, 0, &b, 0))
				}
			}
		}
	}
}

func checkPage(t *testing.T, pg *Page) {
	t.Helper()
	for _, p := range pg.Parts {
		next := p.Bits - 1
		for _, f := range p.Fields {
			if f.Hi != next || f.Lo > f.Hi || len(f.Bits) != f.Hi-f.Lo+1 {
				t.Fatalf("%s: field %s is bits %d to %d (%q), bit %d comes next", pg.Text, f.Owner, f.Lo, f.Hi, f.Bits, next)
			}
			next = f.Lo - 1
		}
		if next != -1 {
			t.Errorf("%s: bits 0 to %d are in no field", pg.Text, next)
		}
	}
	if pg.Fidelity == "" || (pg.Lack != "") != (pg.Fidelity == "none") {
		t.Errorf("%s: fidelity %q, lack %q", pg.Text, pg.Fidelity, pg.Lack)
	}
	if text := pg.Render(Paint{}); strings.Contains(text, " \n") || strings.Contains(text, "\x1b") {
		t.Errorf("%s: blanks at an end of line, or colours:\n%s", pg.Text, text)
	}
	if _, err := json.Marshal(pg); err != nil {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	s, v, err := all.Lookup("gcn:gfx8")
	if s == nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, text string }{
		{"v_add_f32 v0, v1, v2", "v_add_f32_e32 v0, v1, v2"},
		{"01050002", "v_add_f32_e32 v0, v1, v2"},
		{"0x01050002", "v_add_f32_e32 v0, v1, v2"},
		{"01 05 00 02", "v_add_f32_e32 v0, v1, v2"},
		{"v_bfe_u32", "v_bfe_u32 v0, s0, s0, s0"},
		{"s_endpgm", "s_endpgm"},
		{"v_add_f32 v0, v1", "error"},
		{"v_add_f32 v0, v1, v2 v3", "error"},
		{"ffffffff", "error"},
		{"0105", "error"},
		{"", "error"},
	} {
		var b isa.Bundle
		text := "error"
		if err := Parse(s, v, 0, c.what, &b); err == nil {
			text = b.Parts[0].String()
		}
		if text != c.text {
			t.Errorf("%q: %s, want %s", c.what, text, c.text)
		}
	}
}

func TestHex(t *testing.T) {
	for s, want := range map[string]string{"0102": "0102", "0x01 02": "0102", "01_02": "0102", "": "", "012": "", "0g": "", "v_add": ""} {
		b, ok := Hex(s)
		if got := fmt.Sprintf("%x", b); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s %v, want %q", s, got, ok, want)
		}
	}
}

// TestOpsMarkdown: every op is on the page.
func TestOpsMarkdown(t *testing.T) {
	page := OpsMarkdown()
	for op := range ir.Op(ir.Ops()) {
		if !strings.Contains(page, "\n| `"+op.String()+"` |") {
			t.Errorf("op %s is in no table of docs/ir.md", op)
		}
	}
}

func TestTable(t *testing.T) {
	got := Table([][]string{{"a", "bb", "c"}, {"aaa", "", ""}, {"é", "b"}}, "  ")
	if want := "  a    bb  c\n  aaa\n  é    b\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
