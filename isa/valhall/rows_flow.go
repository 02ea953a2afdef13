package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// flowRows are branches, barriers and no-ops. docs/reference/valhall.md 6.
func flowRows() []row {
	sure := on("conservative", 35)
	eq := pick("eq", 36, 1, again(flag("eq"), ".not 1"), 0)
	bare := newForm(nil)
	return []row{
		{name: "NOP", op: 0x0, unit: unitCVT, form: newForm(nil), check: notZero, bars: onlyZero, mean: isa.Effect(nothing), doc: "nothing", ref: "6"},
		{name: "BRANCHZ", also: []string{"BRANCH"}, op: 0x1f, unit: unitCVT, form: newForm(mods(sure, eq), tested(), number("target", 8, 27, target)), mean: isa.Effect(branchz), traits: isa.TraitGoes, doc: "goes to the target in the lanes whose condition is not 0, with eq in those where it is", ref: "6.1"},
		{name: "BRANCHZI", also: []string{"JUMP"}, op: 0x2f, unit: unitCVT, form: newForm(mods(sure, eq, on("absolute", 40)), tested(), src(1, ir.I32), unplaced), mean: isa.Effect(branchzi), traits: isa.TraitGoes, doc: "goes to the address b in the lanes whose condition is not 0, with eq in those where it is", ref: "6.1", options: []string{choiceDistance}},
		{name: "JUMP_EX", op: 0x3f, unit: unitCVT, form: newForm(mods(sure, eq, pick("stack_mode", 33, 2, stack, 2), on("diverge", 32)), tested(), src(1, ir.I32), src(2, ir.I32)), doc: "a jump with a stack of addresses", ref: "6.1", lack: isa.LackUndefined, note: noSource},
		{name: "DOORBELL", op: 0x4, unit: unitNone, form: bare, doc: "tells the driver", ref: "6", lack: isa.LackUndefined, note: noSource},
		{name: "EUREKA", op: 0x5, unit: unitNone, form: bare, doc: "tells the driver", ref: "6", lack: isa.LackUndefined, note: noSource},
		{name: "KABOOM", op: 0x6, unit: unitNone, form: bare, doc: "stops the program", ref: "6", lack: isa.LackUndefined, note: noSource},
		{name: "BARRIER", op: 0x45, unit: unitNone, form: newForm(mods(slotArg)), mean: isa.Effect(barrier), traits: isa.TraitBarrier, doc: "waits for all warps of the work-group, and orders its memory", ref: "8"},
	}
}
