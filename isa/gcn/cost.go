package gcn

import (
	"cmp"

	"github.com/heddle-gpu/heddle/isa"
)

// words returns how many words each lane moves to LDS, of a load from there: 32 bits or less each.
func words(in *isa.Inst) int {
	var sent, got int
	for i := range in.Def.Args {
		switch a := &in.Def.Args[i]; a.Name {
		case "data0", "data1":
			sent += a.Width / 32
		case "vdst":
			got = a.Width / 32
		}
	}
	return max(1, cmp.Or(sent, got))
}

// costs returns the unit and the class of an instruction, and of LDS the words.
func costs(_ *isa.Target, b *isa.Bundle) []isa.Cost {
	in := &b.Parts[0]
	e := in.Def.Data.(*entry)
	u := e.unit
	if u == unitLDS && in.Opt(nameGDS) != 0 {
		u = unitGDS
	}
	c := isa.Cost{Unit: unitNames[u], Class: e.class}
	if u == unitLDS {
		c.Count = words(in)
	}
	return []isa.Cost{c}
}
