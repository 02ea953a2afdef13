package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Coefficients calls mark for each run of coefficients that a group reads by number, with the number of the first and
// their count. It reports false if the group also reads coefficients by an index register.
func Coefficients(b *isa.Bundle, mark func(first, n int)) bool {
	var rt routing
	route(b, &rt)
	known := true
	for i := range b.Parts {
		in := &b.Parts[i]
		for _, f := range [...]struct{ at, index isa.Name }{{nameCoeff, nameIdxCoeff}, {nameWCoeff, nameIdxW}} {
			if in.Has(f.at) {
				mark(int(in.Get(f.at))<<2, iterated(in, 0))
				known = known && in.Opt(f.index) == 0
			}
		}
		r := info(in)
		if r.mapping != nil || in.Def.Class == group.Header {
			continue
		}
		for n := range rt.src {
			if sourcesOf(in)>>n&1 == 0 {
				continue
			}
			count := 1
			if r.extent != nil {
				count = r.extent(in, n)
			}
			if rt.src[n].bank == bankCoeff {
				mark(int(rt.src[n].n), count+repeats(b)-1)
			}
			if bank, _, ok := rt.src[n].indexed(); ok && bank == idxCoeff {
				known = false
			}
		}
	}
	if rt.reads&readIS0 != 0 && rt.is0 < 6 && rt.src[rt.is0].bank == bankCoeff {
		mark(int(rt.src[rt.is0].n), repeats(b))
	}
	return known
}
