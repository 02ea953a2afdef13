package manual

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// maxSamples limits the words of a row that are tried.
const maxSamples = 24

// samples returns instructions of the row: the first has the lowest permitted value in each field; the others have, in
// turn, the values that the kinds of its operands name as worth testing, and all values of small fields.
func samples(t *isa.Target, d *isa.Def) []isa.Inst {
	list := make([]isa.Inst, 0, maxSamples)
	for k := range maxSamples {
		in := isa.Inst{Def: d, Word: d.Value(), Var: uint8(t.Variant), Stage: uint8(t.Stage)}
		for i := range d.Args {
			a := &d.Args[i]
			v := a.Default
			if k > 0 && a.At != nil {
				v = worthTesting(a, k+i)
			}
			in.Word = a.Put(in.Word, allowed(a.Kind, v))
			for j := range a.Parts {
				if p := &a.Parts[j]; len(p.At) > 0 {
					in.Word = p.Put(in.Word, allowed(p.Kind, p.Default))
				}
			}
		}
		in.Size = uint8(d.EncodedSize(in.Word))
		if d.Check == nil || d.Check(&in) == "" || k == maxSamples-1 && len(list) == 0 {
			list = append(list, in)
		}
	}
	return list
}

// allowed returns v if the kind permits it, else the first permitted value worth testing, else the first one above v.
func allowed(k *isa.Kind, v uint64) uint64 {
	may := func(v uint64) bool { return v >= uint64(len(k.Reserved)) || !k.Reserved[v] }
	if i := slices.IndexFunc(k.Samples, may); !may(v) && i >= 0 && k.Samples[i] > v {
		return k.Samples[i]
	}
	for v < uint64(len(k.Reserved)) && k.Reserved[v] {
		v++
	}
	return v
}

// worthTesting returns a value of the operand's field worth testing, a different one each turn.
func worthTesting(a *isa.Arg, turn int) uint64 {
	n := a.At.Len()
	if s := a.Kind.Samples; len(s) > 0 && n > 4 {
		return s[turn%len(s)] & bits.Ones(n)
	}
	return uint64(turn) & bits.Ones(n)
}

func lift(t *isa.Target, in isa.Inst) *ir.Block { return t.LiftOne(bundleOf(t, in), 0) }

// bundleOf returns a bundle with the instruction: the one that its set makes, or the instruction alone.
func bundleOf(t *isa.Target, in isa.Inst) *isa.Bundle {
	b := &isa.Bundle{}
	if t.Group == nil || t.Group.Sample == nil || !t.Group.Sample(t, &in, b) {
		b.Parts = append(b.Parts[:0], in)
	}
	return b
}

// firstStage returns the first stage that has the row.
func firstStage(d *isa.Def) int {
	st := 0
	for !d.InStage(st) {
		st++
	}
	return st
}

// rowFidelity returns the worst fidelity of the words of a row that can run, in all its variants. Words with reserved
// values do not count. The error reports a row with semantics of which no word can run.
func rowFidelity(s *isa.Set, d *isa.Def) (worst ir.Fidelity, err error) {
	for v := range s.Variants {
		if !d.InVariant(v) {
			continue
		}
		f, e := variantFidelity(s.At(v, firstStage(d)), d)
		if worst = max(worst, f); e != nil && err == nil {
			err = e
		}
	}
	if worst != ir.FidelityUnset {
		err = nil
	}
	return worst, err
}

// variantFidelity is rowFidelity in one variant.
func variantFidelity(t *isa.Target, d *isa.Def) (ir.Fidelity, error) {
	f, _, err := FidelityOf(t, d)
	return f, err
}

// trapped reports whether the op is a trap because the instruction cannot run.
func trapped(in *ir.Inst) bool {
	return in.Op == ir.Trap && ir.TrapReason(in.Imm) != ir.TrapGuest
}

// fidelity returns the worst fidelity of the rows and of every op in their lift, and the reasons why it is not exact.
func fidelity(blk *ir.Block, defs ...*isa.Def) (worst ir.Fidelity, why []string) {
	worst = ir.Exact
	for _, d := range defs {
		if d.Fidelity > ir.Exact {
			worst = max(worst, d.Fidelity)
			why = append(why, because(d.Name, orElse(strings.Join(d.Options, ", "), d.Fidelity.String())))
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
