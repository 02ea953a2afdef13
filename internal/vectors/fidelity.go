package vectors

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// judge says how sure the bits of a test are: the worst of its rows and of all ops of its block, and of the row the reasons.
func (t *testRun) judge(test *Test) {
	worst := ir.Exact
	var why []string
	for i := range t.bundle.Parts {
		d := t.bundle.Parts[i].Def
		if d.Fidelity <= ir.Exact {
			continue
		}
		worst = max(worst, d.Fidelity)
		test.Options = add(test.Options, d.Options...)
		if len(d.Options) == 0 {
			why = add(why, d.Name+": "+d.Fidelity.String())
		}
	}
	for i := range t.plan.block.Ops {
		if info := t.plan.block.Ops[i].Op.Info(); info.Fidelity > ir.Exact {
			worst = max(worst, info.Fidelity)
			why = add(why, "op "+info.Name+": "+info.Doc)
		}
	}
	if worst == ir.Exact {
		return
	}
	test.Fidelity = worst.String()
	t.row.Fidelity = max2(t.row.Fidelity, test.Fidelity)
	t.row.Why = add(t.row.Why, why...)
	t.row.Options = add(t.row.Options, test.Options...)
}

// max2 is the worse of two words: modelled is worse than approximate.
func max2(a, b string) string { return max(a, b) }

func add(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
