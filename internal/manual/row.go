package manual

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A RowPage describes a row in one variant and stage.
type RowPage struct {
	// Page is the page of an instruction that illustrates the row, as Parse selects it for a mnemonic. It omits what
	// requires trials: modifiers without effect and broken rules.
	*Page
	Part     int         // index of the row's own part in the page
	Fidelity ir.Fidelity // the worst of its words that can run
	Because  []string    // all reasons why one of them is not exact, or why none can run
}

// PageOfRow returns the page of a row of the target. The error reports a row with semantics of which no word can run.
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

// FidelityOf returns the fidelity of a row of the target, and the reasons why it is not exact.
func FidelityOf(t *isa.Target, d *isa.Def) (ir.Fidelity, []string, error) {
	f, _, err := tried(t, d)
	if err != nil {
		return 0, nil, err
	}
	return f.Fidelity, f.Because, nil
}

// tried returns the fidelity of a row, and the first of its samples that can run, or the first if none can.
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

// An Exactness is the fidelity of a bundle.
type Exactness struct {
	Fidelity ir.Fidelity
	Because  []string      // why it is not exact
	Lack     string        // why it cannot run
	Reason   ir.TrapReason // kind of Lack
}

// ExactnessOf returns the fidelity of a bundle of the target, lifted in a mode: the worst of its rows and of the ops of
// its semantics.
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
