package vectors

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A bound is how far hardware may be from the correctly rounded value of ops that are approximate.
type bound struct {
	isa  string
	ops  []ir.Op
	bits int // of the result
	ulp  int // 0: the bound is no number of ulp
	says string
}

// bounds are those that are published.
func bounds() []bound {
	curves := []ir.Op{ir.FRcp, ir.FRsq, ir.FExp2, ir.FLog2}
	return []bound{
		{"gcn", curves, 32, 1, "within 1 ulp: docs/reference/gcn.md 3.6"},
		{"gcn", []ir.Op{ir.FSinRev, ir.FCosRev}, 32, 0, "absolute error about 2^-19 to 2^-21: docs/reference/gcn.md 3.6"},
		{"gcn", []ir.Op{ir.FRcp, ir.FRsq}, 64, 0, "relative error about 2^-22 to 2^-26: docs/reference/gcn.md 3.6"},
		{"valhall", []ir.Op{ir.FRcp, ir.FRsq}, 32, 1, "within about 1 ulp: docs/reference/valhall.md 10.1"},
		{"rogue", curves, 32, 2, "within an ulp or two: docs/reference/rogue.md 5.1"},
		{"attila", []ir.Op{ir.FSin, ir.FCos, ir.FExp2, ir.FLog2}, 32, 1, "within 1 ulp of the simulator: docs/reference/attila.md 6.4"},
	}
}

// boundOf is the bound of an op of a set.
func boundOf(isa string, in *ir.Inst) (b bound, ok bool) {
	for _, b := range bounds() {
		if b.isa == isa && b.bits == in.Type.Bits() && slices.Contains(b.ops, in.Op) {
			return b, true
		}
	}
	return bound{}, false
}

// judge says how sure the bits of a test are: the worst of its rows and of all ops of its block, and of the row the reasons. A bound in ulp is
// that of the test if all its approximate ops have one.
func (t *testRun) judge(test *Test) {
	worst, ulp, whole := ir.Exact, 0, true
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
		in := &t.plan.block.Ops[i]
		info := in.Op.Info()
		if info.Fidelity <= ir.Exact {
			continue
		}
		worst = max(worst, info.Fidelity)
		text := "op " + info.Name + ": " + info.Doc
		b, ok := boundOf(t.setting.Name, in)
		if ok {
			text += " Hardware: " + b.says + "."
		}
		ulp, whole = max(ulp, b.ulp), whole && b.ulp > 0
		why = add(why, text)
	}
	if worst == ir.Exact {
		return
	}
	if test.Fidelity = worst.String(); whole {
		test.ULP = ulp
	}
	t.row.Fidelity = worse(t.row.Fidelity, test.Fidelity)
	t.row.ULP = max(t.row.ULP, test.ULP)
	t.row.Why = add(t.row.Why, why...)
	t.row.Options = add(t.row.Options, test.Options...)
}

// worse is the worse of two words, "" being exact.
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
