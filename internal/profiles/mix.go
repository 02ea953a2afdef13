package profiles

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Unit is what a unit of the chip did. An instruction that takes several counts in each.
type Unit struct {
	Name         string `json:"unit"`
	Instructions int    `json:"instructions"` // of the code, that ran
	Waves        uint64 `json:"waves"`
	Lanes        uint64 `json:"lanes"`
}

// unitsOf returns the units of the instruction at pc; nil: its code is none of an instruction set.
func unitsOf(code ir.Code, pc uint64) (list []string) {
	d, _ := ir.Describe(code)
	p, ok := d.(interface {
		ir.Code
		BundleAt(pc uint64) (*isa.Bundle, error)
	})
	if !ok {
		return nil
	}
	t := isa.TargetOf(p)
	b, err := p.BundleAt(pc)
	if t == nil || err != nil {
		return nil
	}
	for _, c := range t.Costs(t, b) {
		list = append(list, c.Unit)
	}
	return list
}

// count adds an instruction to the sums, and to its units.
func (p *Profile) count(in *Inst) {
	p.Instructions += in.Waves
	p.Lanes += in.Lanes
	for _, name := range in.Units {
		at := slices.IndexFunc(p.Mix, func(u Unit) bool { return u.Name == name })
		if at < 0 {
			at, p.Mix = len(p.Mix), append(p.Mix, Unit{Name: name})
		}
		u := &p.Mix[at]
		u.Instructions++
		u.Waves += in.Waves
		u.Lanes += in.Lanes
	}
}

// sortMix puts the units that most waves used first.
func (p *Profile) sortMix() {
	slices.SortStableFunc(p.Mix, func(x, y Unit) int { return cmp.Or(cmp.Compare(y.Waves, x.Waves), cmp.Compare(x.Name, y.Name)) })
}
