package manual

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/toywarp"
	"github.com/heddle-gpu/heddle/isa"
)

// TestNothingDescribedIsMissing: in every set, only rows that no source describes do not run.
func TestNothingDescribedIsMissing(t *testing.T) {
	for _, s := range sets.Sets() {
		for i := range s.Defs {
			if d := &s.Defs[i]; d.Meaning == nil && d.Lack != isa.LackUndefined && d.Lack != isa.LackForm {
				t.Errorf("%s: %s (%s) is described and has no meaning: %s", s.Name, d.Name, d.Enc.Name, d.Lack)
			}
		}
	}
}

// TestCoverageStages: stages in which an instruction is the same share a line with the sum of their cases; other stages
// have lines of their own, or none if they lack the instruction.
func TestCoverageStages(t *testing.T) {
	s := toywarp.Set()
	cases := CaseCount{}
	for i := range s.Defs {
		if n := Instructions(s)(&s.Defs[i]); n.Name == "add" || n.Name == "ddx" {
			cases[n] = map[Place]int{{0, toywarp.VP}: 2, {0, toywarp.FP}: 3}
		}
	}
	page, err := CoverageMarkdown(s, cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| mnemonic |", "| stages |", "| `ddx` | fp | DA exact, 3 |", "| `add` | all | DA exact, 5 |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "`ddx` | vp") {
		t.Error("ddx is in a stage that does not have it")
	}
}

// TestInstructions: rows with one mnemonic in the same layout are different instructions; a short and a long form are
// one.
func TestInstructions(t *testing.T) {
	a := toywarp.Arch()
	extra := a.Defs[0]
	for i := range a.Defs {
		if a.Defs[i].Name == "mul" {
			extra = a.Defs[i]
		}
	}
	forms := map[Instruction]bool{}
	name := Instructions(toywarp.Set())
	for i := range toywarp.Set().Defs {
		if d := &toywarp.Set().Defs[i]; d.Name == "mul" {
			forms[name(d)] = true
		}
	}
	if len(forms) != 1 || !forms[Instruction{Name: "mul"}] {
		t.Errorf("the forms of mul are %v", forms)
	}
	other := extra
	other.Doc = "Another product."
	s := &isa.Set{Arch: &isa.Arch{Variants: a.Variants, Defs: []isa.Def{extra, other}}}
	name = Instructions(s)
	if x, y := name(&s.Defs[0]), name(&s.Defs[1]); x == y || y.What != other.Doc {
		t.Errorf("%v and %v", x, y)
	}
}
