package manual

import (
	"math/rand/v2"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Illustrated returns a bundle with an instruction of the row that can run and has different registers as operands.
func Illustrated(t *isa.Target, d *isa.Def) *isa.Bundle { return bundleOf(t, illustrated(t, d)) }

// PlainName returns the mnemonic of a row without the suffix of its form.
func PlainName(d *isa.Def) string { return plainName(d) }

// FieldsOf divides the bits of an instruction into fields, highest first.
func FieldsOf(in *isa.Inst) []Field { return fields(in) }

// FirstTarget returns the set as a target for the first variant and stage that have the row.
func FirstTarget(s *isa.Set, d *isa.Def) *isa.Target {
	v := 0
	for !d.InVariant(v) {
		v++
	}
	return s.At(v, firstStage(d))
}

// RowFidelity returns the worst fidelity of the words of a row that can run, in all its variants.
func RowFidelity(s *isa.Set, d *isa.Def) (ir.Fidelity, error) {
	if d.Meaning == nil {
		return ir.NotRunnable, nil
	}
	return rowFidelity(s, d)
}

// A Restriction is a constraint on words of a row that trials have found: a check that rejects them, or a rule that
// they break although they decode.
type Restriction struct {
	Rule    string // "" if the word is no instruction
	Msg     string // of the first such word
	Example string // its text; "" if it does not decode
	Source  string
}

const (
	triedWords = 64 // per row
	mostShown  = 6  // of the checks of a row
)

// Restrictions returns the restrictions that words of the row violate. The result is deterministic.
func Restrictions(t *isa.Target, d *isa.Def) (list []Restriction) {
	rnd := rand.New(rand.NewPCG(1, uint64(d.ID)))
	checks, seen := 0, map[string]bool{}
	for k := range triedWords {
		in := triedWord(t, d, k, rnd)
		if d.Check != nil {
			if msg := d.Check(&in); msg != "" {
				if !seen[msg] && checks < mostShown {
					list = append(list, Restriction{Msg: msg})
					checks++
				}
				seen[msg] = true
				continue
			}
		}
		b := bundleOf(t, in)
		for _, f := range t.Lint(nil, b, nil) {
			if !seen["rule "+f.Rule] {
				seen["rule "+f.Rule] = true
				list = append(list, Restriction{f.Rule, f.Msg, string(t.Print(nil, b)), f.Source})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Restriction) int { return compareBool(a.Rule == "", b.Rule == "") })
	return list
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// triedWord returns a word of the row: first with the values that its kinds name as worth testing, then with random
// permitted ones.
func triedWord(t *isa.Target, d *isa.Def, k int, rnd *rand.Rand) isa.Inst {
	in := isa.Inst{Def: d, Word: d.Value(), Var: uint8(t.Variant), Stage: uint8(t.Stage)}
	for i := range d.Args {
		a := &d.Args[i]
		if a.At == nil {
			continue
		}
		v := worthTesting(a, k+i)
		if k >= maxSamples {
			v = rnd.Uint64() & (1<<min(a.At.Len(), 63) - 1)
		}
		in.Word = a.Put(in.Word, allowed(a.Kind, v))
		for j := range a.Parts {
			p := &a.Parts[j]
			if len(p.At) == 0 {
				continue
			}
			v := p.Default
			if k >= maxSamples && p.At.Len() <= 4 {
				v = rnd.Uint64() & (1<<p.At.Len() - 1)
			}
			in.Word = p.Put(in.Word, allowed(p.Kind, v))
		}
	}
	in.Size = uint8(d.EncodedSize(in.Word))
	return in
}
