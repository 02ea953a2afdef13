package rogue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// begun are the options that every group depends on: float mode, and the registers that names denote. No row names
// them.
var begun = []int{optDenormals, optNaN, optSlots, optIndexUnit, optConstants}

// liftText is the lift of a group, as text.
func liftText(tg *isa.Target, b *isa.Bundle) string {
	blk := tg.LiftOne(b, 0)
	return blk.Why + "\n" + ir.Print(tg.Machine(), blk)
}

// turned returns targets of the set with one option changed from its default, by the option's name, and one with all
// changed.
func turned(t *testing.T) (each map[string][]*isa.Target, all *isa.Target) {
	t.Helper()
	each, every := map[string][]*isa.Target{}, map[string]string{}
	for i, o := range options {
		for _, v := range o.Values {
			if v == o.Default || slices.Contains(begun, i) {
				continue
			}
			tg, err := target(t, PCO).With(PCO, map[string]string{o.Name: v})
			if err != nil {
				t.Fatal(err)
			}
			each[o.Name], every[o.Name] = append(each[o.Name], tg), v
		}
	}
	all, err := target(t, PCO).With(PCO, every)
	if err != nil {
		t.Fatal(err)
	}
	return each, all
}

// some is a random value that a field may hold.
func some(rnd *rand.Rand, k *isa.Kind, width int) uint64 {
	for {
		v := rnd.Uint64() & (1<<width - 1)
		if v >= uint64(len(k.Reserved)) || !k.Reserved[v] {
			return v
		}
	}
}

// anyOf is an instruction of the row with random fields.
func anyOf(rnd *rand.Rand, d *isa.Def) isa.Inst {
	in := isa.Inst{Def: d, Word: d.Value()}
	for i := range d.Args {
		a := &d.Args[i]
		for p := range a.Parts {
			in.Word = a.Parts[p].Put(in.Word, some(rnd, a.Parts[p].Kind, a.Parts[p].At.Len()))
		}
		if a.At.Len() > 0 {
			in.Word = a.Put(in.Word, some(rnd, a.Kind, a.At.Len()))
		}
	}
	in.Size = uint8(d.EncodedSize(in.Word))
	return in
}

// elsewhere are options that have no effect on a row lifted alone: the distance of a branch is resolved earlier, the
// unit of a base affects later groups, and a pack of all elements leaves no rest.
var elsewhere = []string{choiceDistance, choiceBase, choiceRest}

// TestRowsNameOptions checks that a row names each option that affects it, and that an option named by a row affects it
// if the option has two values.
func TestRowsNameOptions(t *testing.T) {
	base := target(t, PCO)
	each, all := turned(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	var b isa.Bundle
	for r := range Set().Defs {
		d := &Set().Defs[r]
		if d.Meaning == nil || d.Alias {
			continue
		}
		found := map[string]bool{}
		for range 60 {
			in := anyOf(rnd, d)
			if d.Check != nil && d.Check(&in) != "" || !sample(base, &in, &b) {
				continue
			}
			was := liftText(base, &b)
			if was == liftText(all, &b) {
				continue
			}
			for name, targets := range each {
				for _, tg := range targets {
					if !found[name] && was != liftText(tg, &b) {
						found[name] = true
						if !slices.ContainsFunc(b.Parts, func(in isa.Inst) bool { return slices.Contains(in.Def.Options, name) }) {
							t.Errorf("%s depends on %s and names it nowhere", base.Print(nil, &b), name)
						}
					}
				}
			}
		}
		for _, name := range d.Options {
			if each[name] != nil && !found[name] && !slices.Contains(elsewhere, name) {
				t.Errorf("%s (%s) names %s, which changes nothing", d.Name, d.Enc.Name, name)
			}
		}
	}
}
