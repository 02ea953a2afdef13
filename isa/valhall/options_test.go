package valhall

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// begun are the options that every program depends on: float mode, and properties of the launch. No row names them.
var begun = []int{optSubnormals, optNaN, optStage, optRegisters}

// liftText is the lift of an instruction, as text.
func liftText(t *testing.T, tg *isa.Target, in *isa.Inst) string {
	t.Helper()
	b := tg.LiftOne(&isa.Bundle{Parts: []isa.Inst{*in}}, 0)
	return b.Why + "\n" + ir.Print(tg.Machine(), b)
}

// turned returns targets of the set with one option changed from its default, by the option's name, and one with all
// changed.
func turned(t *testing.T) (each map[string][]*isa.Target, all *isa.Target) {
	t.Helper()
	each, every := map[string][]*isa.Target{}, map[string]string{}
	base := Set().At(0, 0)
	for i, o := range options {
		if slices.Contains(begun, i) {
			continue
		}
		for _, v := range o.Values {
			if v == o.Default {
				continue
			}
			tg, err := base.With(0, map[string]string{o.Name: v})
			if err != nil {
				t.Fatal(err)
			}
			each[o.Name] = append(each[o.Name], tg)
			every[o.Name] = v
		}
	}
	all, err := base.With(0, every)
	if err != nil {
		t.Fatal(err)
	}
	return each, all
}

// TestRowsNameOptions checks that a row names each option that affects it, and that an option named by a row affects it
// if the option has two values.
func TestRowsNameOptions(t *testing.T) {
	base := Set().At(0, 0)
	each, all := turned(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for r := range Set().Defs {
		d := &Set().Defs[r]
		if d.Meaning == nil {
			continue
		}
		found := map[string]bool{}
		for range 80 {
			in := isa.Inst{Def: d, Word: d.Value(), Size: wordBytes}
			for i := range d.Args {
				a := &d.Args[i]
				for p := range a.Parts {
					in.Word = a.Parts[p].Put(in.Word, some(rnd, a.Parts[p].Kind, a.Parts[p].At.Len()))
				}
				if a.At.Len() > 0 {
					in.Word = a.Put(in.Word, some(rnd, a.Kind, a.At.Len()))
				}
			}
			if d.Check != nil && d.Check(&in) != "" {
				continue
			}
			was := liftText(t, base, &in)
			if was == liftText(t, all, &in) {
				continue
			}
			for name, targets := range each {
				for _, tg := range targets {
					if was != liftText(t, tg, &in) {
						found[name] = true
					}
				}
			}
		}
		for name := range found {
			if !slices.Contains(d.Options, name) {
				t.Errorf("%s depends on %s and does not name it", d.Name, name)
			}
		}
		for _, name := range d.Options {
			if each[name] != nil && !found[name] {
				t.Errorf("%s names %s, which changes nothing", d.Name, name)
			}
		}
	}
}

// some is a random value that an instruction may hold.
func some(rnd *rand.Rand, k *isa.Kind, width int) uint64 {
	for {
		v := rnd.Uint64() & (1<<width - 1)
		if v >= uint64(len(k.Reserved)) || !k.Reserved[v] {
			return v
		}
	}
}
