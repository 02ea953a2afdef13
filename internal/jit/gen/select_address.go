package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// An address of 64 bits is mostly packed from two rows for one access. Then accesses by vectors read the rows, and the
// 64-bit values are not computed, except where code exits, for the caller.

// A splitAddr is a step that packs addresses and has no code.
type splitAddr struct {
	step, last int // the step, and the last step that reads the addresses
	vec        lower.Place
	low, high  lower.Place
}

// splitAddresses finds such steps.
func (k *selector) splitAddresses() {
	if !k.wide() || !k.whole || k.b.Lanes%16 != 0 {
		return
	}
	for i := range k.b.Steps {
		s := &k.b.Steps[i]
		if s.Kind != lower.Compute || s.Op != ir.Pack || !k.looped(i) || s.Res[0].Kind != lower.InVec ||
			s.Args[0].Kind != lower.InRow || s.Args[1].Kind != lower.InRow {
			continue
		}
		x := splitAddr{step: i, vec: s.Res[0], low: s.Args[0], high: s.Args[1]}
		if k.onlyAddresses(&x) && x.last != 0 {
			k.split = append(k.split, x)
			k.drop(i, x.last)
		}
	}
}

// onlyAddresses finds the last reader, and reports whether all readers are accesses that can read the rows.
func (k *selector) onlyAddresses(x *splitAddr) bool {
	changed := false
	for i := x.step + 1; i < len(k.b.Steps); i++ {
		s := &k.b.Steps[i]
		if slices.Contains(s.Args, x.vec) || s.Mask == x.vec {
			if changed || k.choices[i].form != formVectors || s.Recorded || s.Args[0] != x.vec || slices.Contains(s.Args[1:], x.vec) {
				return false
			}
			x.last = i
		}
		if slices.Contains(s.Res, x.vec) {
			return true
		}
		changed = changed || writesUnnamed(s) || slices.Contains(s.Res, x.low) || slices.Contains(s.Res, x.high)
	}
	return !slices.Contains(k.b.Term, x.vec)
}

// splitOf returns the split addresses of step i, nil if they are not split.
func (p *plan) splitOf(i int) *splitAddr {
	for n := range p.split {
		if x := &p.split[n]; x.step < i && i <= x.last && len(p.b.Steps[i].Args) > 0 && p.b.Steps[i].Args[0] == x.vec {
			return x
		}
	}
	return nil
}
