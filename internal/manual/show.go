package manual

import (
	"math/rand/v2"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Illustrated is a bundle around an instruction of the row that can run, with registers that differ.
func Illustrated(t *isa.Target, d *isa.Def) *isa.Bundle { return bundleOf(t, illustrated(t, d)) }

// PlainName is the mnemonic of a row without the suffix of its form.
func PlainName(d *isa.Def) string { return plainName(d) }

// FieldsOf divides the bits of an instruction among their owners, highest first.
func FieldsOf(in *isa.Inst) []Field { return fields(in) }

// FirstTarget is the row's set as the first variant and stage that have the row.
func FirstTarget(s *isa.Set, d *isa.Def) *isa.Target {
	v := 0
	for !d.InVariant(v) {
		v++
	}
	return s.At(v, firstStage(d))
}

// RowFidelity is the worst of what the words of a row that can run are, in all its variants.
func RowFidelity(s *isa.Set, d *isa.Def) (ir.Fidelity, error) {
	if d.Meaning == nil {
		return ir.NotRunnable, nil
	}
	return rowFidelity(s, d)
}

// A Restriction is what words of a row must keep to, found out by trying some: a check that refuses them, or a rule that they break although they decode.
type Restriction struct {
	Rule    string // "" of what is no instruction at all
	Msg     string // of the first word that was found
	Example string // its text; "" of what does not decode
	Source  string
}

const (
	triedWords = 64 // of a row
	mostShown  = 6  // of its checks
)

// Restrictions are those that words of the row meet; the same ones each time.
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

// triedWord is a word of the row: what its kinds name as worth testing, then any values that may stand there.
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
