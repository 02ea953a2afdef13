package manual

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/internal/toygroup"
	"github.com/heddle-gpu/heddle/internal/toyvec"
	"github.com/heddle-gpu/heddle/internal/toywarp"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// allSets returns the real sets and the toys.
func allSets() []*isa.Set {
	return append(sets.Sets(), toy.Set(), toywarp.Set(), toyvec.Set(), toygroup.Set())
}

// TestEveryRow: each row of each set has a page whose fields cover its bits without gaps, and whose text is no wider
// than the fields need.
func TestEveryRow(t *testing.T) {
	for _, s := range allSets() {
		for v := range s.Variants {
			for i := range s.Defs {
				if d := &s.Defs[i]; d.InVariant(v) {
					tg := s.At(v, firstStage(d))
					_, in, _ := tried(tg, d)
					pg := PageOf(tg, bundleOf(tg, in), 0)
					checkPage(t, pg)
					if (d.Meaning == nil) != (pg.Fidelity == "none") {
						t.Errorf("%s: fidelity %s; a row with a meaning runs, one without does not: %s", pg.Text, pg.Fidelity, pg.Lack)
					}
				}
			}
		}
	}
}

// TestRowFidelity: a row with semantics has a fidelity with which it runs, never better than its declared one, and its
// line in the docs has it.
func TestRowFidelity(t *testing.T) {
	for _, s := range allSets() {
		page, err := SetMarkdown(s, nil)
		if err != nil {
			t.Error(err)
		}
		for i := range s.Defs {
			d := &s.Defs[i]
			if d.Meaning == nil {
				continue
			}
			f, err := rowFidelity(s, d)
			if err != nil || f < ir.Exact || f >= ir.NotRunnable || f < d.Fidelity {
				t.Errorf("%s: %v, %v; its own is %v", d.Name, f, err, d.Fidelity)
			}
			if says := strings.Contains(d.Doc, "approximate on hardware"); says && f != ir.Approximate {
				t.Errorf("%s: %v, and its page says: %s", d.Name, f, d.Doc)
			}
			if line := fmt.Sprintf("\n| `%s` | %#x | %s | %s | ", d.Name, d.Op, variantNames(s, d), f); !strings.Contains(page, line) {
				t.Errorf("docs/isa-%s.md has no line %q", s.Name, line)
			}
		}
	}
}

// TestRowThatCannotRun: a row with semantics of which every word traps gives an error that names it.
func TestRowThatCannotRun(t *testing.T) {
	s, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	d := *s.Rows("v_readfirstlane_b32")[0]
	d.Meaning = isa.Effect(func(l *isa.Lift) { l.Trap(ir.TrapReserved, "nothing will do") })
	if f, err := rowFidelity(s.Set, &d); err == nil || !strings.Contains(err.Error(), "gcn: v_readfirstlane_b32, VOP1 0x2: none of its sample words can run: nothing will do") {
		t.Errorf("%v, %v", f, err)
	}
}

// hole matches a missing operand in a formula: empty brackets (except for calls without arguments), nothing before a
// comma, or nothing after an operator.
var hole = regexp.MustCompile(`\[\]|\(,|, ,|, \)|(^|[^a-z])\(\)|  |[-+*/&|^=?:] \)|(?:^| )= *$`)

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
	for _, line := range pg.Formula {
		if hole.MatchString(line) || strings.Count(line, "(") != strings.Count(line, ")") {
			t.Errorf("%s: an operand is missing: %s", pg.Text, line)
		}
	}
	if text := pg.Render(Paint{}, true); strings.Contains(text, " \n") || strings.Contains(text, "\x1b") {
		t.Errorf("%s: blanks at an end of line, or colours:\n%s", pg.Text, text)
	}
	if _, err := json.Marshal(pg); err != nil {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	s, err := sets.Lookup("gcn:gfx8")
	if s == nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, text string }{
		{"v_add_f32 v0, v1, v2", "v_add_f32_e32 v0, v1, v2"},
		{"01050002", "v_add_f32_e32 v0, v1, v2"},
		{"0x01050002", "v_add_f32_e32 v0, v1, v2"},
		{"01 05 00 02", "v_add_f32_e32 v0, v1, v2"},
		{"v_bfe_u32", "v_bfe_u32 v0, v1, v2, v3"},
		{"s_endpgm", "s_endpgm"},
		{"v_readfirstlane_b32", "v_readfirstlane_b32 s0, v0"},
		{"v_add_f32 v0, v1", "error"},
		{"v_add_f32 v0, v1, v2 v3", "error"},
		{"ffffffff", "error"},
		{"0105", "error"},
		{"", "error"},
	} {
		var b isa.Bundle
		text := "error"
		if err := Parse(s, c.what, &b); err == nil {
			text = b.Parts[0].String()
		}
		if text != c.text {
			t.Errorf("%q: %s, want %s", c.what, text, c.text)
		}
	}
}

// TestIllustrated: a mnemonic alone is explained with different registers, if the row accepts them.
func TestIllustrated(t *testing.T) {
	for _, c := range []struct{ isa, what, text string }{
		{"gcn:gfx8", "v_add_f32", "v_add_f32_e32 v0, v1, v2"},
		{"gcn:gfx8", "v_fma_f64", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]"},
		{"gcn:gfx8", "v_readlane_b32", "v_readlane_b32 s0, v0, s1"},
		{"gcn:gfx8", "s_and_b64", "s_and_b64 s[0:1], s[2:3], s[4:5]"},
		{"gcn:gfx8", "image_sample", "image_sample v0, v1, s[0:7], s[8:11]"},
		{"valhall", "FMA.f32", "FMA.f32 r0, r1, r2, r3"},
		{"tesla", "add", "add b16 $r0l $r1l $r2l"},
		{"rogue", "fmad", "{ s0 = r1, s1 = r2, s2 = r3, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r0 }"},
		{"attila", "mad", "mad o0, i0, i1, i2"},
	} {
		s, err := sets.Lookup(c.isa)
		if s == nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := Parse(s, c.what, &b); err != nil {
			t.Fatal(err)
		}
		if text := string(s.Print(nil, &b)); text != c.text {
			t.Errorf("%s %s: %s, want %s", c.isa, c.what, text, c.text)
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

// anchors returns the anchors that GitHub makes of the headings of a page of the repository: letters, digits, hyphens
// and underscores in lower case, blanks as hyphens.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	list, code := map[string]bool{}, false
	for line := range strings.Lines(string(text)) {
		code = code != strings.HasPrefix(line, "```")
		if !code && strings.HasPrefix(line, "#") {
			heading := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#"))), " ", "-")
			list[regexp.MustCompile(`[^\pL\pN_-]`).ReplaceAllString(heading, "")] = true
		}
	}
	return list
}

// leads reports a section whose path is no heading of a file of the repository.
func leads(t *testing.T, who string, sec Section, pages map[string]map[string]bool) {
	t.Helper()
	path, anchor, _ := strings.Cut(sec.Path, "#")
	if pages[path] == nil {
		pages[path] = anchors(t, path)
	}
	if !pages[path][anchor] {
		t.Errorf("%s: %q leads to no heading", who, sec.Path)
	}
	if !strings.HasSuffix(sec.URL, "/"+sec.Path) {
		t.Errorf("%s: %s is not where %s is read", who, sec.URL, sec.Path)
	}
}

// TestSections: the page of every row names and links the sections that its sources cite, and so do the rules that it
// breaks.
func TestSections(t *testing.T) {
	pages := map[string]map[string]bool{}
	for _, s := range sets.Sets() {
		for i := range s.Rules {
			r := &s.Rules[i]
			list := sections(r.Source)
			if len(list) == 0 {
				t.Errorf("%s %s: source %q has no sections", s.Name, r.ID, r.Source)
			}
			for _, sec := range list {
				leads(t, s.Name+" "+r.ID, sec, pages)
			}
		}
		for v := range s.Variants {
			for i := range s.Defs {
				d := &s.Defs[i]
				if !d.InVariant(v) {
					continue
				}
				p := part(s, &isa.Inst{Def: d})
				if len(p.Sections) == 0 {
					t.Errorf("%s %s: source %q has no sections", s.Name, d.Name, p.Source)
				}
				for _, sec := range p.Sections {
					leads(t, s.Name+" "+d.Name, sec, pages)
					number, _, _ := strings.Cut(sec.Title, " ")
					if !strings.Contains(p.Source, " "+number) || !strings.Contains(sec.URL, "/docs/reference/"+s.Name+".md#"+strings.ReplaceAll(number, ".", "")+"-") {
						t.Errorf("%s %s: source %q has section %q at %s", s.Name, d.Name, p.Source, sec.Title, sec.URL)
					}
				}
			}
		}
	}
}
