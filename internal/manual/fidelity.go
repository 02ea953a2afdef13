package manual

import (
	"fmt"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// maxSamples is how many words of a row are tried.
const maxSamples = 24

// samples are instructions of the row: the first has the lowest value in each field that may stand there, the
// others have what the kinds of its operands name as worth testing, and all values of small fields, by turns.
func samples(d *isa.Def, variant int) []isa.Inst {
	list := make([]isa.Inst, maxSamples)
	for k := range list {
		in := isa.Inst{Def: d, Word: d.Value(), Var: uint8(variant)}
		for i := range d.Args {
			a := &d.Args[i]
			v := a.Default
			if k > 0 && a.At != nil {
				v = worthTesting(a, k+i)
			}
			for v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
				v++
			}
			in.Word = a.Put(in.Word, v)
		}
		in.Size = uint8(d.EncodedSize(in.Word))
		list[k] = in
	}
	return list
}

// worthTesting is a value of the operand's field, another at each turn.
func worthTesting(a *isa.Arg, turn int) uint64 {
	n := a.At.Len()
	if s := a.Kind.Samples; len(s) > 0 && n > 4 {
		return s[turn%len(s)] & bits.Ones(n)
	}
	return uint64(turn) & bits.Ones(n)
}

// sample is the first of samples that can run, or the first if none can.
func sample(s *isa.Set, variant int, d *isa.Def) isa.Inst {
	list := samples(d, variant)
	for i := range list {
		if f, _ := fidelity(lift(s, variant, list[i]), d); f != ir.NotRunnable {
			return list[i]
		}
	}
	return list[0]
}

func lift(s *isa.Set, variant int, in isa.Inst) *ir.Block {
	return s.LiftOne(variant, 0, &isa.Bundle{Parts: []isa.Inst{in}}, 0, nil)
}

// rowFidelity is the worst of what the words of a row that can run are, in all its variants. A word that holds
// something reserved says nothing about the row. The error is of a row with a meaning of which no word can run.
func rowFidelity(s *isa.Set, d *isa.Def) (ir.Fidelity, error) {
	worst := ir.FidelityUnset
	why := ""
	for v := range s.Variants {
		if !d.InVariant(v) {
			continue
		}
		for _, in := range samples(d, v) {
			blk := lift(s, v, in)
			if f, _ := fidelity(blk, d); f != ir.NotRunnable {
				worst = max(worst, f)
			} else {
				why = blk.Why
			}
		}
	}
	if worst == ir.FidelityUnset {
		return worst, fmt.Errorf("%s: %s, %s %#x: none of its sample words can run: %s", s.Name, d.Name, d.Enc.Name, d.Op, why)
	}
	return worst, nil
}

// trapped reports whether the op says that the instruction cannot run.
func trapped(in *ir.Inst) bool {
	return in.Op == ir.Trap && ir.TrapReason(in.Imm) != ir.TrapGuest
}

// fidelity is the worse of the rows' own and of that of every op in their lift, and what makes it less than exact.
func fidelity(blk *ir.Block, defs ...*isa.Def) (worst ir.Fidelity, why []string) {
	worst = ir.Exact
	for _, d := range defs {
		if d.Fidelity > ir.Exact {
			worst = max(worst, d.Fidelity)
			why = append(why, because(d.Name, orElse(d.Option, d.Fidelity.String())))
		}
	}
	seen := map[ir.Op]bool{}
	for i := range blk.Ops {
		in := &blk.Ops[i]
		if trapped(in) {
			return ir.NotRunnable, nil
		}
		if info := in.Op.Info(); info.Fidelity > ir.Exact && !seen[in.Op] {
			seen[in.Op] = true
			worst = max(worst, info.Fidelity)
			why = append(why, because("op "+in.Op.String(), info.Doc))
		}
	}
	return worst, why
}

func because(what, why string) string { return what + ": " + why }

func orElse(s, t string) string {
	if s == "" {
		return t
	}
	return s
}
