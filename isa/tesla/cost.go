package tesla

import (
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// on returns rows of a unit, but for those that say another.
func on(u unit, lists ...[]row) []row {
	rows := slices.Concat(lists...)
	for i := range rows {
		if rows[i].unit == unitNone {
			rows[i].unit = u
		}
	}
	return rows
}

// costs returns the unit of an instruction. No source says which one converts from and to 64 bits.
func costs(_ *isa.Target, b *isa.Bundle) []isa.Cost {
	in := &b.Parts[0]
	r := rowOf(in)
	c := isa.Cost{Unit: unitNames[r.unit]}
	if r.unit == unitSP && slices.ContainsFunc(in.Def.Args, func(a isa.Arg) bool { return a.Width == 64 }) {
		c.Lack = "no source says what executes conversions of 64 bits"
	}
	return []isa.Cost{c}
}
