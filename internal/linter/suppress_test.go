package linter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// TestSuppressExamples: in every set, a comment in each of the set's syntaxes, after the statement or on a line before
// it, suppresses each rule with an example, with its reason, and gives no finding itself. Without findings it is
// unused.
func TestSuppressExamples(t *testing.T) {
	counts := map[string]int{}
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			tg := s.At(v, 0)
			for _, r := range tg.Rules {
				if !r.In(v) || r.Example == "" || v > 0 && r.In(0) { // each rule is checked in one variant
					continue
				}
				for _, open := range tg.Lexis().Comments {
					suppressExample(t, tg, &r, open)
				}
				counts[s.Name]++
			}
		}
	}
	for _, s := range sets.Sets() {
		if counts[s.Name] == 0 {
			t.Errorf("%s has no rule with an example", s.Name)
		}
	}
}

func suppressExample(t *testing.T, tg *isa.Target, r *isa.Rule, open string) {
	t.Helper()
	shut := map[string]string{"/*": " */"}[open]
	comment := open + " heddle: ignore " + r.ID + ", because, all in all, of this" + shut
	rep := recorded(t, tg, r)
	lines := strings.Split(r.Example, "\n")
	behind, above := slices.Clone(lines), []string{}
	marked := map[int]bool{}
	for _, f := range rep.Findings {
		n := f.Place.Text.Line
		if n == 0 {
			t.Errorf("%s, %s: a finding of the example has no line", tg, r.ID)
			return
		}
		if !marked[n] {
			behind[n-1] += " " + comment
		}
		marked[n] = true
	}
	for n, line := range lines {
		if marked[n+1] {
			above = append(above, "\t"+comment, "", "label"+fmt.Sprint(n)+":")
		}
		above = append(above, line)
	}
	for _, text := range []string{strings.Join(behind, "\n"), strings.Join(above, "\n")} {
		got, gone := lintSuppressed(t, tg, r.ID, text, r.ID, lint.RuleUnused)
		if len(got.Findings) > 0 || len(gone) != len(rep.Findings) {
			t.Errorf("%s, %s: %d suppressed, want %d, and left are%s\n%s", tg, r.ID, len(gone), len(rep.Findings), listed(got), text)
		}
		for _, x := range gone {
			if x.By.Reason != "because, all in all, of this" || x.Rule != r.ID {
				t.Errorf("%s, %s: suppressed is %s, reason %q", tg, r.ID, x.Rule, x.By.Reason)
			}
		}
	}
}

// recorded returns all findings that a baseline needs of the example of a rule.
func recorded(t *testing.T, tg *isa.Target, r *isa.Rule) *lint.Report {
	t.Helper()
	c, err := exampleCode(tg, r.ID, r.Example)
	if err != nil {
		t.Fatal(err)
	}
	f := Filter{Record: true}
	o := lint.Options{Least: isa.SeverityNote, Rules: func(id string) bool { return id == r.ID }}
	return f.Run(c.Target, o, func(o lint.Options) *lint.Report { return lint.Run(c, o) }).Report
}

// lintSuppressed lints an example for those rules, with its comments.
func lintSuppressed(t *testing.T, tg *isa.Target, id, text string, rules ...string) (*lint.Report, []Suppressed) {
	t.Helper()
	c, err := exampleCode(tg, id, text)
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s", tg, id, err, text)
	}
	o := lint.Options{Least: isa.SeverityNote, Rules: func(r string) bool { return slices.Contains(rules, r) }}
	f := Filter{File: "example.s", Comments: Suppressions(tg, nil, []byte(text))}
	r := f.Run(c.Target, o, func(o lint.Options) *lint.Report { return lint.Run(c, o) })
	return r.Report, r.Suppressed
}

func TestParseSuppression(t *testing.T) {
	for _, tt := range []struct{ comment, rules, reason, wrong string }{
		{"// heddle: ignore pending-read", "pending-read", "", ""},
		{"; heddle: ignore pending-read, the host waits", "pending-read", "the host waits", ""},
		{"# heddle:ignore pending-read,barrier-pending , one, two and three", "pending-read barrier-pending", "one, two and three", ""},
		{"/* heddle: ignore  invalid, stage, variant */", "invalid stage variant", "", ""},
		{"/* heddle: ignore invalid, one */ // another", "invalid", "one", ""},
		{"//! heddle: ignore invalid, stage by stage", "invalid", "stage by stage", ""},
		{"// heddle: ignore pending-red, no-such, done", "pending-red no-such", "done", ""},
		{"// heddle: ignore pending-read, pending-read", "pending-read", "", ""},
		{"// heddle: ignore nothing", "nothing", "", ""},
		{"// heddle: ignore", "", "", "names no rule"},
		{"// heddle: ignore , a reason", "", ", a reason", "names no rule"},
		{"// heddle: ignroe pending-read", "", "", `"ignroe" suppresses nothing`},
		{"// heddle: dis wrote this", "", "", "none"},
		{"// see heddle: ignore pending-read", "", "", "none"},
		{"// heddle:", "", "", "none"},
		{"", "", "", "none"},
	} {
		s := parseSuppression(tt.comment)
		if s == nil {
			if tt.wrong != "none" {
				t.Errorf("%q: is no comment to lint", tt.comment)
			}
			continue
		}
		if got := strings.Join(s.Rules, " "); got != tt.rules || s.Reason != tt.reason || !strings.Contains(s.wrong, tt.wrong) || (s.wrong == "") != (tt.wrong == "") {
			t.Errorf("%q: rules %q, reason %q, wrong %q", tt.comment, got, s.Reason, s.wrong)
		}
	}
}

// TestSuppress: the findings about comments, and which statements comments apply to.
func TestSuppress(t *testing.T) {
	const broken = "\ts_load_dword s4, s[0:1], 0x0\n\ts_mov_b32 s5, s4"
	for _, tt := range []struct {
		name, text string
		left       string // rules and lines of the reported findings
		gone       int
	}{
		{"without", broken + "\n\ts_endpgm\n", "pending-read 2", 0},
		{"line below is not meant", broken + "\n\t// heddle: ignore pending-read\n\ts_endpgm\n", "pending-read 2, unused-suppression 3", 0},
		{"other rule", broken + " // heddle: ignore pending-write\n\ts_endpgm\n", "pending-read 2, unused-suppression 2", 0},
		{"two rules, one unused", broken + " // heddle: ignore pending-read, pending-write, why\n\ts_endpgm\n", "unused-suppression 2", 1},
		{"two comments", broken + " // heddle: ignore pending-read\n\ts_endpgm\n", "", 1},
		{"not in a string", broken + "\n\ts_endpgm\n\t.ascii \"// heddle: ignore pending-read\"\n", "pending-read 2, invalid 4, truncated 4", 0},
		{"unknown rule", broken + "\n\ts_endpgm // heddle: ignore pending-red\n", "pending-read 2, unused-suppression 3", 0},
		{"rule of another set", "\ts_endpgm // heddle: ignore staging-odd\n", "unused-suppression 1", 0},
		{"rule of another variant", "\ts_endpgm // heddle: ignore smrd-sgpr\n", "", 0},
		{"misspelt", "\ts_endpgm // heddle: ingore pending-read\n", "unused-suppression 1", 0},
		{"unused is meant", "\ts_endpgm // heddle: ignore pending-read, unused-suppression, for gfx6\n", "", 1},
		{"at the end", "\ts_endpgm\n// heddle: ignore pending-read", "unused-suppression 2", 0},
		{"statement of several lines", "\ts_load_dword s4, s[0:1], 0x0\n\t.macro m\n\ts_mov_b32 s5, s4\n\t.endm\n// heddle: ignore pending-read\n\tm\n\ts_endpgm\n", "", 1},
	} {
		tg, err := sets.Lookup("gcn:gfx8")
		if err != nil {
			t.Fatal(err)
		}
		a, errs := asm.Assemble(tg, []byte(tt.text), asm.Options{NoLint: true, File: "a.s"})
		if len(errs) > 0 {
			t.Fatal(errs[0].Detail())
		}
		o := lint.Options{Least: isa.SeverityWarning}
		f := Filter{File: "a.s", Comments: Suppressions(tg, nil, []byte(tt.text))}
		r := f.Run(tg, o, func(o lint.Options) *lint.Report { return Assembly(a, o) })
		gone := r.Suppressed
		for _, f := range r.Findings {
			if f.Place.Text.File != "a.s" || f.Place.Text.Col == 0 {
				t.Errorf("%s: the place is %v", tt.name, f.Place)
			}
		}
		if got := listedLines(r.Findings); got != tt.left || len(gone) != tt.gone {
			t.Errorf("%s: %q, and %d suppressed; want %q, %d", tt.name, got, len(gone), tt.left, tt.gone)
		}
	}
}

// TestSuppressMany: findings beyond the limit of the list are counted after comments have suppressed theirs.
func TestSuppressMany(t *testing.T) {
	const n = 40
	const load = "\ts_load_dword s4, s[0:1], 0x0\n\ts_mov_b32 s5, s4"
	text := strings.Repeat(load+" // heddle: ignore pending-read\n\ts_waitcnt lgkmcnt(0)\n", n) + strings.Repeat(load+"\n", n) + "\ts_endpgm\n"
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
	f := Filter{Comments: Suppressions(tg, nil, []byte(text))}
	r := f.Run(tg, lint.Options{Least: isa.SeverityError, Most: n / 2}, func(o lint.Options) *lint.Report { return Assembly(a, o) })
	gone := r.Suppressed
	if len(r.Findings) != n/2 || r.Left != n/2 || len(gone) != n {
		t.Errorf("%d findings, %d more, %d suppressed; want %d, %d, %d", len(r.Findings), r.Left, len(gone), n/2, n/2, n)
	}
}

// FuzzSuppressions: any text can be read, and the positions of comments are in it.
func FuzzSuppressions(f *testing.F) {
	for _, text := range []string{"", "// heddle: ignore a", "/* heddle: ignore pending-read\n*/ s_nop 0", "s_nop 0 ; heddle: ignore", "a: b: // heddle: ignore x, y\r\n\"heddle:",
		".macro m\n# heddle: ignore a-b\n.endm", "{ heddle: ignore }\n// heddle: ignore é, ü"} {
		f.Add([]byte(text), uint8(0))
		f.Add([]byte(text), uint8(3))
	}
	list := sets.Sets()
	f.Fuzz(func(t *testing.T, text []byte, set uint8) {
		lines := strings.Count(string(text), "\n") + 1
		for _, s := range Suppressions(list[int(set)%len(list)].At(0, 0), nil, text) {
			if s.Line < 1 || s.Line > lines || s.Col < 1 {
				t.Errorf("%q at %d:%d of %d lines", s.Text, s.Line, s.Col, lines)
			}
			for _, n := range s.lines {
				if n < 1 || n > lines {
					t.Errorf("%q is about line %d of %d", s.Text, n, lines)
				}
			}
		}
	})
}
