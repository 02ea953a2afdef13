package vectors

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// judge sets the fidelity of a test: the worst of its rows and of all ops of its block, with the reasons of the row. A
// bound in ULPs applies to an approximate test whose results are whole f32.
func (t *testRun) judge(test *Test) {
	worst, ulp := ir.Exact, 0
	var why, bounds []string
	for i := range t.bundle.Parts {
		d := t.bundle.Parts[i].Def
		if b := t.setting.BoundOf(d); b != nil {
			ulp = max(ulp, int(b.ULP))
			bounds = add(bounds, fmt.Sprintf("%s: hardware is within %s: %s", d.Name, b.Says(), b.Source))
		}
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
	if test.Fidelity = worst.String(); worst == ir.Approximate {
		why = append(why, bounds...)
		if t.plan.floats() {
			test.ULP = ulp
		}
	}
	t.row.Fidelity = worse(t.row.Fidelity, test.Fidelity)
	t.row.ULP = max(t.row.ULP, test.ULP)
	t.row.Why = add(t.row.Why, why...)
	t.row.Options = add(t.row.Options, test.Options...)
}

// floats reports whether all that the block sets is whole f32: for parts of one, and for halves, a bound in ULPs has no
// meaning.
func (p *plan) floats() bool {
	makers := map[ir.Val]*ir.Inst{}
	for i := range p.block.Ops {
		in := &p.block.Ops[i]
		for k := range int(in.NRes) {
			makers[in.Res+ir.Val(k)] = in
		}
		switch in.Op {
		case ir.SetX, ir.SetLast:
			return false
		case ir.Set:
			if m := makers[in.Args[0]]; m == nil || m.Op != ir.Cast || p.block.Vals[m.Args[0]].Type != ir.F32 {
				return false
			}
		}
	}
	return true
}

// worse returns the worse of two fidelities, "" being exact.
func worse(a, b string) string {
	if order := []string{"", ir.Exact.String(), ir.Approximate.String(), ir.Modelled.String()}; slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

func add(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
