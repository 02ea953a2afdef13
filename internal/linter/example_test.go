package linter

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
)

// TestExamples: the example of each rule breaks it in every variant that has the rule.
func TestExamples(t *testing.T) {
	n := 0
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			tg := s.At(v, 0)
			for i := range tg.Rules {
				r := &tg.Rules[i]
				if !r.In(v) || r.Example == "" {
					continue
				}
				n++
				rep, err := LintExample(tg, r.ID, r.Example)
				if err != nil {
					t.Errorf("%s, rule %s: %v", tg, r.ID, err)
				} else if len(rep.Findings) == 0 {
					t.Errorf("%s: the example of rule %s does not break it:\n%s", tg, r.ID, r.Example)
				}
			}
		}
	}
	if n < 70 {
		t.Errorf("%d examples", n)
	}
}
