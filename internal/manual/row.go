package manual

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A RowPage is what is known about a row in one variant and stage.
type RowPage struct {
	// Page is that of an instruction that shows what the row does: what Parse takes a mnemonic alone for. What is found out by trying,
	// modifiers without effect and broken rules, is left out.
	*Page
	Part     int         // of the page, the one of the row
	Fidelity ir.Fidelity // the worst of what its words that can run are
	Because  []string    // all that makes one of them less than exact, or why none can run
}

// PageOfRow is that of a row of the target. The error is of a row with a meaning of which no word can run.
func PageOfRow(t *isa.Target, d *isa.Def) (*RowPage, error) {
	f, first, err := tried(t, d)
	if err != nil {
		return nil, err
	}
	b := bundleOf(t, illustrate(t, d, first))
	f.Page = BriefPage(t, b, 0)
	f.Part = max(0, slices.IndexFunc(b.Parts, func(in isa.Inst) bool { return in.Def == d }))
	return f, nil
}

// FidelityOf is how exactly a row of the target runs, and what makes it less than exact.
func FidelityOf(t *isa.Target, d *isa.Def) (ir.Fidelity, []string, error) {
	f, _, err := tried(t, d)
	if err != nil {
		return 0, nil, err
	}
	return f.Fidelity, f.Because, nil
}

// tried is the fidelity of a row, and the first of its samples that can run, or the first if none can.
func tried(t *isa.Target, d *isa.Def) (*RowPage, isa.Inst, error) {
	list := samples(t, d)
	if d.Meaning == nil {
		return &RowPage{Fidelity: ir.NotRunnable, Because: []string{because(d.Name, d.Lack.String())}}, list[0], nil
	}
	f, first, why := &RowPage{}, -1, ""
	for i := range list {
		blk := lift(t, list[i])
		worst, reasons := fidelity(blk, d)
		if worst == ir.NotRunnable {
			why = blk.Why
			continue
		}
		if first < 0 {
			first = i
		}
		f.Fidelity = max(f.Fidelity, worst)
		for _, w := range reasons {
			f.Because = with(f.Because, w)
		}
	}
	if first < 0 {
		return nil, list[0], fmt.Errorf("%s: %s, %s %#x: none of its sample words can run: %s", t.Name, d.Name, d.Enc.Name, d.Op, why)
	}
	return f, list[first], nil
}

// An Exactness is how exactly a bundle runs.
type Exactness struct {
	Fidelity ir.Fidelity
	Because  []string      // what makes it less than exact
	Lack     string        // why it cannot run
	Reason   ir.TrapReason // of which kind that is
}

// ExactnessOf is that of a bundle of the target, lifted under a mode: the worst of its rows and of the ops of its meaning.
func ExactnessOf(t *isa.Target, b *isa.Bundle, mode uint32) (x Exactness) {
	blk := t.LiftOne(b, mode&t.Machine().ModeMask)
	var defs []*isa.Def
	for i := range b.Parts {
		defs = append(defs, b.Parts[i].Def)
	}
	x.Fidelity, x.Because = fidelity(blk, defs...)
	for i := range blk.Ops {
		if in := &blk.Ops[i]; trapped(in) {
			x.Lack, x.Reason = blk.Why, ir.TrapReason(in.Imm)
		}
	}
	return x
}
