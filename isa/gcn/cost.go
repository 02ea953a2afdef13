package gcn

import "github.com/heddle-gpu/heddle/isa"

// costs returns the unit and the class of an instruction.
func costs(_ *isa.Target, b *isa.Bundle) []isa.Cost {
	in := &b.Parts[0]
	e := in.Def.Data.(*entry)
	u := e.unit
	if u == unitLDS && in.Opt(nameGDS) != 0 {
		u = unitGDS
	}
	return []isa.Cost{{Unit: unitNames[u], Class: e.class}}
}
