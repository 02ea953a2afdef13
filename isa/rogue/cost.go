package rogue

import (
	"slices"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// unitNames are the names of the phases of a group, by the class of a part; "": the class has no instructions.
var unitNames = [group.NumClasses]string{
	group.P0: "main 0", group.P0Elements: "main 0", group.P1: "main 1", group.Pack: "main 2", group.Test: "main 2", group.Move: "main 2",
	group.Backend: "backend", group.Bitmask: "bit 0", group.Shift1: "bit 0", group.Count: "bit 0", group.Logical: "bit 1",
	group.Shift2: "bit 2", group.BitTest: "bit 2", group.Control: "control",
}

// costs returns the phases of a group that have an instruction.
func costs(_ *isa.Target, b *isa.Bundle) (list []isa.Cost) {
	for i := range b.Parts {
		u := unitNames[b.Parts[i].Def.Class]
		if u != "" && !slices.ContainsFunc(list, func(c isa.Cost) bool { return c.Unit == u }) {
			list = append(list, isa.Cost{Unit: u})
		}
	}
	if list == nil {
		return []isa.Cost{{Unit: "none", Lack: "the group has no instruction"}}
	}
	return list
}
