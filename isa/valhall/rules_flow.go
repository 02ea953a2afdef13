package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// Rules over the flow of control. docs/reference/valhall.md 6 to 8.
const (
	ruleBarrierWait  = "barrier-wait"
	ruleWaitDepth    = "wait-depth"
	ruleWaitTile     = "wait-tile"
	ruleVaryingOrder = "varying-order"
	ruleMemoryOrder  = "memory-order"
	ruleUnset        = "register-unset"
	ruleUndeclared   = "register-undeclared"
	ruleHelpersEnded = "helpers-ended"
	ruleQuadParted   = "quad-parted"
	ruleBlendOrder   = "blend-order"
	ruleEmitOrder    = "emit-order"
)

// flowRules are the rules about sequences of instructions.
func flowRules() []isa.Rule {
	return []isa.Rule{
		{ID: isa.RulePendingRead, Source: sectSlots, Doc: "No instruction reads a register that a pending message will write: a wait for its slot comes before.",
			Example: "LOAD.i32.slot0 @r0, r48, offset:0\nMOV.i32 r1, r0\nNOP.end"},
		{ID: isa.RulePendingWrite, Source: sectSlots, Doc: "No instruction writes a register that a pending message will write.",
			Example: "LOAD.i32.slot0 @r0, r48, offset:0\nMOV.i32 r0, 0x0\nNOP.end"},
		{ID: isa.RuleLastPending, Source: sectSlots, Doc: "No instruction marks a register as read for the last time that a pending message has yet to read.",
			Example: "MOV.i32 r0, 0x0\nSTORE.i32.slot0 @r0, r48, offset:0\nMOV.i32 r1, ^r0\nNOP.end"},
		{ID: isa.RuleLastRead, Source: "docs/reference/valhall.md 2", Doc: "A register that is marked as read for the last time is written before it is read again.",
			Example: "MOV.i32 r0, ^r48\nMOV.i32 r1, r48\nNOP.end"},
		{ID: isa.RuleBarrierStore, Source: sectSlots, Doc: "No message on slots 0, 1, 2 is pending at BARRIER.",
			Example: "STORE.i32.slot0 @r48, r50, offset:0\nBARRIER.slot7.wait\nNOP.end"},
		{ID: ruleBarrierWait, Source: sectSlots, Doc: "A wait for slot 7 follows a BARRIER before threads access memory, come to another one, or end.",
			Example: "BARRIER.slot7\nLOAD.i32.slot0 @r0, r48, offset:0\nNOP.end"},
		{ID: isa.RuleBarrier, Severity: isa.SeverityWarning, Source: sectModel, Doc: "No branch leads some threads of a group around a BARRIER and back to the others.",
			Example: "BRANCHZ.reconverge r48, offset:1\nBARRIER.slot7.wait\nNOP.reconverge\nNOP\nNOP.end"},
		{ID: ruleWaitDepth, Source: sectSlots, Doc: "All paths to ATEST and ZS_EMIT have waited for slots 0, 1, 2 and 6.",
			Example: "ATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\nNOP.end"},
		{ID: ruleWaitTile, Source: sectSlots, Doc: "All paths to BLEND, LD_TILE and ST_TILE have waited for slots 0, 1, 2, 6 and 7, but those of blend shaders.",
			Example: "MOV.i32 r0, 0x0\nMOV.i32 r1, 0x0\nBLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_0.w0, r60, target:0x0\nNOP.end"},
		{ID: ruleVaryingOrder, Source: sectSlots, Doc: "A load of a varying that changes what is kept of the interpolation, store or clobber, waits for all before it.",
			Example: "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\nLD_VAR_BUF_IMM.f32.slot1.src_f32.center.store @r1, r61, index:0x10\nNOP.end"},
		{ID: ruleMemoryOrder, Severity: isa.SeverityWarning, Source: sectSlots, Doc: "An access of memory waits for those before it, if one of them is a store, but for other bytes behind the same address: else their order is open.",
			Example: "STORE.i32.slot0 @r48, r50, offset:0\nLOAD.i32.slot1 @r0, r50, offset:0\nNOP.end"},
		{ID: isa.RuleReconverge, Severity: isa.SeverityWarning, Source: sectModel, Doc: "Threads that a branch parts meet: the last instruction of a block whose successor has other predecessors says reconverge, but a branch on to a later address, where its threads wait.",
			Example: "NOP\nBRANCHZ r48, offset:-2\nNOP.end"},
		{ID: ruleHelpersEnded, Severity: isa.SeverityWarning, Source: sectFlow, Doc: "A computed level of detail, and CLPER, come before discarded threads end: they take values of helpers.",
			Example: "NOP.discard\nCLPER.i32.subgroup4.xor r0, r48, 0x1000000.b3\nNOP.end"},
		{ID: ruleQuadParted, Severity: isa.SeverityWarning, Source: sectModel, Doc: "No branch on what threads hold leads some threads around a sample with a computed level of detail, or CLPER.",
			Example: "BRANCHZ.reconverge r48, offset:2\nCLPER.i32.subgroup4.xor r0, r49, 0x1000000.b3\nNOP.reconverge\nNOP\nNOP.end"},
		{ID: ruleBlendOrder, Severity: isa.SeverityWarning, Source: sectPixels, Doc: "ATEST and ZS_EMIT come before BLEND: a fragment is tested before its colour counts.",
			Example: "NOP.wait\nBLEND.slot0.v4.f16 @r58:r59, blend_descriptor_0.w0, r60, target:0x0\nNOP.wait0126\nATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\nNOP.end"},
		{ID: ruleEmitOrder, Severity: isa.SeverityWarning, Source: sectPixels, Doc: "ATEST and DISCARD come before ZS_EMIT: they decide whether the depth of a fragment counts.",
			Example: "NOP.wait0126\nZS_EMIT.z.slot0.wait0126 @r60, r58, r59, r60\nATEST.wait0 @r60, r60, 0x3F800000, atest_datum.w0\nNOP.end"},
		{ID: ruleUnset, Severity: isa.SeverityWarning, Source: sectBegin, Doc: "A register is written before it is read, or is one that the launch fills, by option stage.",
			Example: "MOV.i32 r1, r0\nNOP.end"},
	}
}

// A thread with 32 registers has those below lowRegisters, and those from highRegisters on.
const (
	lowRegisters  = 16
	highRegisters = 48
)

// validate checks that a thread has the registers that are named, and that it cannot still be a helper where helpers
// end.
func validate(v *isa.View) (fs []isa.Finding) {
	in := v.Inst()
	if v.Target.Option(optStage) == stageCompute && in.Get(nameFlow) == flowDiscard {
		fs = append(fs, isa.Finding{Rule: ruleHelpersCompute, Source: sectFlow, Severity: isa.SeverityWarning, Hint: "drop .discard",
			Msg: in.Def.Name + ": ends discarded threads, which a compute shader has not"})
	}
	if v.Target.Option(optRegisters) != fewRegisters {
		return fs
	}
	var t isa.Touched
	t.Of(in)
	for _, sp := range append(t.Reads, t.Writes...) {
		first, last := int(sp.Cell.Index), int(sp.Cell.Index)+int(sp.Count)-1
		if sp.Cell.File == FileR && last >= lowRegisters && first < highRegisters {
			return append(fs, isa.Finding{Rule: ruleUndeclared, Source: sectBegin, Msg: fmt.Sprintf("%s: names r%d, and a thread has r0 to r%d and r%d to r%d",
				in.Def.Name, max(first, lowRegisters), lowRegisters-1, highRegisters, NumR-1)})
		}
	}
	return fs
}
