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

// nextIsFree are rules in whose examples a copy of the offending instruction may follow without a finding: the
// instruction resets the state that the rule checks, or the copy changes the distance of a branch that is written as a
// number.
var nextIsFree = strings.Fields("pending-return m0-message m0-index trapsts store-data stack-uneven return-at-top join-place mutex-held vertex-kept block-open valhall/barrier-pending valhall/barrier-divergent")

// TestSecond: the offending instruction of every rule with an example is duplicated. Neither a comment at the first
// copy nor a baseline hides a finding at the second.
func TestSecond(t *testing.T) {
	once := map[string]int{} // rules by set for which a report without filters names only the first instruction
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			tg := s.At(v, 0)
			for _, r := range tg.Rules {
				if !r.In(v) || r.Example == "" || v > 0 && r.In(0) || slices.Contains(nextIsFree, r.ID) || slices.Contains(nextIsFree, s.Name+"/"+r.ID) {
					continue
				}
				if secondOf(t, tg, r.ID, r.Example) {
					once[s.Name]++
				}
			}
		}
	}
	for set, want := range map[string]int{"gcn": 10, "valhall": 7, "rogue": 4, "tesla": 3} {
		if once[set] < want {
			t.Errorf("%s: %d rules are about what is reported once, want %d", set, once[set], want)
		}
	}
}

// secondOf checks the example of a rule. It reports whether a report without filters omits the second instruction.
func secondOf(t *testing.T, tg *isa.Target, id, example string) bool {
	t.Helper()
	rep, _ := lintSuppressed(t, tg, id, example, id)
	if len(rep.Findings) == 0 {
		t.Errorf("%s, %s: the example is without findings", tg, id)
		return false
	}
	n := rep.Findings[0].Place.Text.Line
	lines := strings.Split(example, "\n")
	open := tg.Lexis().Comments[0]
	shut := map[string]string{"/*": " */"}[open]
	first := lines[n-1] + " " + open + " heddle: ignore " + id + shut
	text := func(line string) string { return strings.Join(slices.Insert(slices.Clone(lines), n-1, line), "\n") }

	got, gone := lintSuppressed(t, tg, id, text(first), id, lint.RuleUnused)
	if len(gone) == 0 || !slices.ContainsFunc(got.Findings, func(f lint.Finding) bool { return f.Rule == id && f.Place.Text.Line == n+1 }) {
		t.Errorf("%s, %s: %d suppressed, and nothing is found in line %d, only%s\n%s", tg, id, len(gone), n+1, listed(got), text(first))
	}
	known := NewBaseline("known.json")
	run := func(text string, f Filter) *Filtered {
		c, err := exampleCode(tg, id, text)
		if err != nil {
			t.Fatal(err)
		}
		o := lint.Options{Least: isa.SeverityNote, Rules: func(r string) bool { return r == id }}
		return f.Run(c.Target, o, func(o lint.Options) *lint.Report { return lint.Run(c, o) })
	}
	known.Add("example.s", run(example, Filter{File: "example.s", Record: true}).Findings)
	if r := run(example, Filter{File: "example.s", Baseline: known}); len(r.Findings)+len(r.Stale) > 0 || r.Known != known.Len() {
		t.Errorf("%s, %s: %d of %d known,%s", tg, id, r.Known, known.Len(), listed(r.Report))
	}
	if r := run(text(lines[n-1]), Filter{File: "example.s", Baseline: known}); len(r.Findings) == 0 {
		t.Errorf("%s, %s: a baseline of one finding hides two", tg, id)
	}
	plain, _ := lintSuppressed(t, tg, id, text(lines[n-1]), id)
	return len(plain.Findings) == len(rep.Findings)
}

// TestFilter: the findings that remain if some of several instructions that break a rule are suppressed or known.
func TestFilter(t *testing.T) {
	const load, ignore = "\ts_load_dword s4, s[0:1], 0x0\n", " // heddle: ignore pending-read, why"
	for _, tt := range []struct {
		name, known, text string // known: a text from which a baseline is written; "": none
		left              string // rules and lines
	}{
		{"first suppressed", "", load + "\ts_mov_b32 s5, s4" + ignore + "\n\ts_mov_b32 s6, s4\n\ts_mov_b32 s7, s4\n\ts_endpgm\n", "pending-read 3"},
		{"another is suppressed", "", load + "\ts_mov_b32 s5, s4\n\ts_waitcnt lgkmcnt(0)\n" + load + "\ts_mov_b32 s5, s4" + ignore + "\n\ts_endpgm\n", "pending-read 2"},
		{"a second that the first hides is suppressed", "", load + "\ts_mov_b32 s5, s4\n\ts_mov_b32 s6, s4" + ignore + "\n\ts_endpgm\n", "pending-read 2"},
		{"all suppressed", "", load + "\ts_mov_b32 s5, s4" + ignore + "\n\ts_mov_b32 s6, s4" + ignore + "\n\ts_endpgm\n", ""},
		{"read suppressed, then written", "", load + "\ts_mov_b32 s5, s4" + ignore + "\n\ts_mov_b32 s4, 0\n\ts_endpgm\n", "pending-write 3"},
		{"waited for", "", load + "\ts_mov_b32 s5, s4" + ignore + "\n\ts_waitcnt lgkmcnt(0)\n\ts_mov_b32 s6, s4\n\ts_endpgm\n", ""},
		{"a macro twice", "", load + "\t.macro m\n\ts_mov_b32 s5, s4\n\t.endm\n\tm" + ignore + "\n\tm\n\ts_endpgm\n", "pending-read 6"},
		{"loop", "", load + "again:\n\ts_mov_b32 s5, s4" + ignore + "\n\ts_mov_b32 s6, s4\n\ts_cbranch_scc1 again\n\ts_endpgm\n", "pending-read 4"},
		{"new one before", load + "\ts_mov_b32 s5, s4\n\ts_endpgm\n", load + "\ts_mov_b32 s6, s4\n\ts_mov_b32 s5, s4\n\ts_endpgm\n", "pending-read 2"},
		{"new one behind", load + "\ts_mov_b32 s5, s4\n\ts_endpgm\n", load + "\ts_mov_b32 s5, s4\n\ts_mov_b32 s6, s4\n\ts_endpgm\n", "pending-read 3"},
		{"new macro use", load + "\t.macro m\n\ts_mov_b32 s5, s4\n\t.endm\n\tm\n\ts_endpgm\n", load + "\t.macro m\n\ts_mov_b32 s5, s4\n\t.endm\n\tm\n\tm\n\ts_endpgm\n", "pending-read 6"},
		{"the second was known, too", load + "\ts_mov_b32 s5, s4\n\ts_mov_b32 s6, s4\n\ts_endpgm\n", load + "\ts_mov_b32 s5, s4\n\ts_mov_b32 s6, s4\n\ts_endpgm\n", ""},
		{"nothing of the baseline is left", "\ts_endpgm\n", load + "\ts_mov_b32 s5, s4\n\ts_mov_b32 s6, s4\n\ts_endpgm\n", "pending-read 2"},
	} {
		tg, err := sets.Lookup("gcn:gfx8")
		if err != nil {
			t.Fatal(err)
		}
		run := func(text string, f Filter) *Filtered {
			a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true, File: "a.s"})
			if len(errs) > 0 {
				t.Fatal(errs[0].Detail())
			}
			f.File, f.Comments = "a.s", Suppressions(tg, nil, []byte(text))
			return f.Run(tg, lint.Options{Least: isa.SeverityWarning}, func(o lint.Options) *lint.Report { return Assembly(a, o) })
		}
		var f Filter
		if tt.known != "" {
			f.Baseline = NewBaseline("known.json")
			f.Baseline.Add("a.s", run(tt.known, Filter{Record: true}).Findings)
		}
		if got := listedLines(run(tt.text, f).Findings); got != tt.left {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.left)
		}
	}
}

// TestIgnoredRule: a rule that is not requested does not end the state that another rule checks.
func TestIgnoredRule(t *testing.T) {
	text := "\ts_load_dword s4, s[0:1], 0x0\n\ts_mov_b32 s5, s4\n\ts_mov_b32 s4, 0\n\ts_endpgm\n"
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	r := Assembly(a, lint.Options{Least: isa.SeverityWarning, Rules: func(id string) bool { return id != isa.RulePendingRead }})
	if got := listedLines(r.Findings); got != "pending-write 3" {
		t.Errorf("without pending-read: %q", got)
	}
}

// listedLines returns rules and lines of findings.
func listedLines(list []lint.Finding) string {
	var parts []string
	for i := range list {
		parts = append(parts, fmt.Sprintf("%s %d", list[i].Rule, list[i].Place.Text.Line))
	}
	return strings.Join(parts, ", ")
}
