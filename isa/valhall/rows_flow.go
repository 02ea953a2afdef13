package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// flowRows are branches, barriers, and what does nothing. docs/reference/valhall.md 6.
func flowRows() []row {
	sure := on("conservative", 35)
	eq := on("eq", 36)
	return []row{
		{name: "NOP", op: 0x0, unit: unitCVT, form: newForm(nil), check: notZero, bars: onlyZero, mean: isa.Eff(nothing), doc: "nothing", ref: "6"},
		{name: "BRANCHZ", op: 0x1f, unit: unitCVT, form: newForm(mods(sure, eq), tested(), number("target", 8, 27, target)), mean: isa.Eff(branchz), traits: isa.TraitGoes, doc: "goes to the target in the lanes whose condition is not 0, with eq in those where it is", ref: "6.1", options: []string{choiceLowBits}},
		{name: "BRANCHZI", op: 0x2f, unit: unitCVT, form: newForm(mods(sure, eq, on("absolute", 40)), tested(), src(1, ir.I32), unplaced), mean: isa.Eff(branchzi), traits: isa.TraitGoes, doc: "goes to the address b in the lanes whose condition is not 0, with eq in those where it is", ref: "6.1", options: []string{choiceDistance, choiceLowBits}},
		{name: "BARRIER", op: 0x45, unit: unitNone, form: newForm(mods(slotArg)), mean: isa.Eff(barrier), traits: isa.TraitBarrier, doc: "waits for all warps of the work-group, and orders its memory", ref: "8"},
	}
}
