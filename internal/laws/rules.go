package laws

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// Rules checks that each rule has a description, that the examples of rules about single instructions decode and break
// the rule, and that assemblers reject an example exactly if the rule has severity error and is not one that they
// permit.
func Rules(t *testing.T, s *isa.Set) {
	seen := map[string]bool{}
	for i := range s.Arch.Rules {
		r := &s.Arch.Rules[i]
		if r.ID == "" || r.Doc == "" || r.Source == "" || r.Example == "" || seen[r.ID] {
			t.Errorf("rule %q: ID, doc, source or example is missing, or the ID is that of another one", r.ID)
		}
		seen[r.ID] = true
		if r.Check == nil {
			continue
		}
		for v := range s.Variants {
			if r.In(v) {
				rule(t, s.At(v, 0), r)
				break
			}
		}
	}
}

func rule(t *testing.T, tg *isa.Target, r *isa.Rule) {
	var b isa.Bundle
	made, errs := asm.Assemble(tg, []byte(r.Example), asm.Options{NoLint: true})
	if len(errs) > 0 {
		t.Errorf("%s: rule %s: the example %q: %v", tg, r.ID, r.Example, errs[0])
		return
	}
	if err := tg.DecodeBundle(made.Code, 0, &b); err != nil || b.Size() != len(made.Code) {
		t.Errorf("%s: rule %s: the example %q does not decode as one instruction: %v", tg, r.ID, r.Example, err)
		return
	}
	if !slices.ContainsFunc(tg.Lint(nil, &b, nil), func(f isa.Finding) bool {
		return f.Rule == r.ID && f.Severity == r.Severity && f.Msg != "" && f.Source == r.Source
	}) {
		t.Errorf("%s: rule %s: lint finds nothing in %q", tg, r.ID, r.Example)
	}
	_, errs = asm.Assemble(tg, []byte(r.Example), asm.Options{})
	if r.Severity == isa.SeverityError && !r.Taken {
		if len(errs) != 1 || errs[0].Code != r.ID || errs[0].Ref != r.Source || errs[0].Col < 1 || errs[0].Col > len(r.Example) {
			t.Errorf("%s: rule %s: %q assembles with %v", tg, r.ID, r.Example, errs)
		}
		if _, errs = asm.Assemble(tg, []byte(".exact\n"+r.Example), asm.Options{}); len(errs) > 0 {
			t.Errorf("%s: rule %s: with .exact %q assembles with %v", tg, r.ID, r.Example, errs)
		}
		_, errs = asm.Assemble(tg, []byte(r.Example), asm.Options{NoLint: true})
	}
	if len(errs) > 0 {
		t.Errorf("%s: rule %s: %q assembles with %v", tg, r.ID, r.Example, errs)
	}
}
