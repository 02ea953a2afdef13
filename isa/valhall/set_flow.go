package valhall

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// What rules about control flow query. docs/reference/valhall.md 6 to 8.

// Traits of rows besides those of all sets.
const (
	traitLoad        isa.Traits = isa.TraitOwn << iota // reads memory that programs write
	traitStore                                         // writes memory
	traitVarying                                       // reads varyings
	traitUpdate                                        // and updates the kept interpolation state
	traitDepth                                         // executes after the depth tests of earlier fragments of the pixel
	traitTile                                          // executes after their accesses to the tile buffer
	traitEndsHelpers                                   // ends discarded threads
	traitQuad                                          // reads values of the other threads of a quad, helpers too
	traitBlend                                         // outputs the colour
	traitTest                                          // tests coverage
	traitEmit                                          // outputs depth
	traitCovers                                        // may end the fragment before
)

// Queues of slots as bits.
const (
	generalSlots = 1<<0 | 1<<1 | 1<<2
	depthSlots   = generalSlots | 1<<SlotDepth
	allSlots     = depthSlots | 1<<SlotGroup
)

func newFlow() *isa.Flow {
	return &isa.Flow{
		Traits: traitsOf, More: moreTraits, Pending: operations, Goes: goes, Drops: lastUses, Unset: unsetRule, Never: isa.Cells(FileR, 0, NumR), Begin: preloaded,
		Wait: waitText, Reconverge: func() string { return "NOP.reconverge" },
		Orders: []isa.Order{
			{Rule: ruleHelpersEnded, First: traitEndsHelpers, Then: traitQuad, Says: "takes values of other threads of the quad, whose helpers have ended"},
			{Rule: ruleBlendOrder, First: traitBlend, Then: traitTest, Says: "tests a fragment whose colour was given before"},
			{Rule: ruleEmitOrder, First: traitEmit, Then: traitCovers, Says: "may end a fragment whose depth was given before"},
		},
		Parted: []isa.Parted{{Rule: ruleQuadParted, Traits: traitQuad, Says: "takes values of other threads of the quad, of which some do not come here"}},
		Needs: []isa.Need{
			{Rule: isa.RuleBarrierStore, Traits: isa.TraitBarrier, Queues: depthSlots},
			{Rule: ruleBarrierWait, Traits: traitLoad | traitStore | isa.TraitBarrier, From: isa.TraitBarrier, Queues: 1 << SlotGroup},
			{Rule: ruleBarrierWait, Traits: isa.TraitEnd, From: isa.TraitBarrier, Queues: 1 << SlotGroup, Behind: true},
			{Rule: ruleWaitDepth, Traits: traitDepth, Queues: depthSlots, Begun: 1 << SlotDepth},
			{Rule: ruleWaitTile, Traits: traitTile, Queues: allSlots, Begun: 1 << SlotGroup, Except: isBlend},
			{Rule: ruleVaryingOrder, Traits: traitUpdate, From: traitVarying, Queues: generalSlots},
			{Rule: ruleMemoryOrder, Traits: traitLoad, From: traitStore, Queues: generalSlots, Reach: reach},
			{Rule: ruleMemoryOrder, Traits: traitStore, From: traitLoad | traitStore, Queues: generalSlots, Reach: reach},
		},
	}
}

// traitsOf are the traits of a row: its own, and those of all messages to the varying unit.
func traitsOf(d *isa.Def) isa.Traits {
	r := d.Data.(*row)
	if r.unit == unitV || r.unit == unitVT {
		return r.traits | traitVarying | isa.TraitVaries
	}
	return r.traits
}

// quadTraits are the traits of CLPER, and of samples whose level of detail is computed from differences in a quad.
func quadTraits(in *isa.Inst) isa.Traits {
	r := rowOf(in)
	if r.quad || (r.unit == unitT || r.unit == unitVT) && in.Has(nameLod) && in.Def.Find(names[nameLod]).Kind == lodMode && (in.Get(nameLod) == lodComputed || in.Get(nameLod) == lodBias) {
		return traitQuad
	}
	return 0
}

// moreTraits are the traits that follow from the fields of an instruction.
func moreTraits(in *isa.Inst, t isa.Traits) (more isa.Traits) {
	switch in.Get(nameFlow) {
	case flowReconverge, flowWait: // docs/reference/valhall.md 6
		more = isa.TraitReconverge
	case flowDiscard:
		more = traitEndsHelpers
		if t&isa.TraitGoes != 0 { // the field holds only one action
			more |= isa.TraitReconverge
		}
	case flowEnd:
		more = isa.TraitEnd
	}
	more |= quadTraits(in)
	if in.Has(namePage) && in.Get(namePage) == PageIdentity {
		more |= isa.TraitVaries // lane_id
	}
	switch {
	case t&isa.TraitGoes != 0 && t&traitTile == 0 && in.Get(nameA)>>6 <= isLast:
		more |= isa.TraitLanes
	case t&traitVarying != 0 && in.Has(nameUpdate) && in.Get(nameUpdate) != updateRetrieve,
		t&traitVarying != 0 && in.Has(nameSampleUpdate) && in.Get(nameSampleUpdate) != sampleUpdateRetrieve:
		more |= traitUpdate
	}
	return more
}

// operations are the operations that an instruction issues, followed by those that it waits for.
func operations(in *isa.Inst, _ *isa.Touched, dst []isa.Operation) []isa.Operation {
	if rowOf(in).isMessage() {
		writes, reads := pending(in)
		dst = append(dst, isa.Operation{Queue: messageSlot(in), Writes: writes, Reads: reads})
	}
	for _, s := range waitsOf(in.Get(nameFlow)) {
		dst = append(dst, isa.Operation{Queue: int(s), Wait: true})
	}
	return dst
}

// goes returns the targets of a branch. BLEND falls through to the call of a blend shader; with fixed-function blending
// it skips the call or ends. docs/reference/valhall.md 6.1 and 9.4.
func goes(b *isa.Bundle) (g isa.Going) {
	in := &b.Parts[0]
	switch {
	case in.Has(nameEq) && !in.Has(nameTarget): // BRANCHZI
		always, known := tests(in)
		return isa.Going{Falls: !known || !always, Open: !known || always}
	case in.Has(nameEq):
		always, known := tests(in)
		return isa.Going{Falls: !known || !always, Jumps: !known || always, Target: jumpTo(in, in.Get(nameTarget))}
	}
	g = isa.Going{Falls: true, Target: in.Addr + wordBytes + wordBytes*in.Get(nameTarget)}
	end := in.Get(nameFlow) == flowEnd
	g.Jumps, g.Vague = !end && in.Get(nameTarget) != 0, end // with end, no call need follow if a blend shader is never required
	return g
}

// GoesFar reports whether an instruction branches to an address in a register, other than those of blend descriptors.
func GoesFar(in *isa.Inst) bool {
	if !in.Has(nameEq) || in.Has(nameTarget) {
		return false
	}
	v := in.Get(nameB)
	blend := in.Get(namePage) == PageDescriptors && v >= firstSpecial+2*SpecialBlend && v < firstSpecial+2*(SpecialBlend+blends)
	return !blend || in.Get(nameAbsolute) == 0
}

// tests reports whether a branch is taken, if that does not depend on registers.
func tests(in *isa.Inst) (taken, known bool) {
	v := in.Get(nameA)
	if v < firstConstant || v >= firstSpecial {
		return false, false
	}
	x := constantOf(in, v-firstConstant)
	yes := x != 0
	switch in.Get(nameSwzA) {
	case combineH0:
		yes = uint16(x) != 0
	case combineH1:
		yes = x>>16 != 0
	case combineAnd:
		yes = x == combineOnes
	case combineLowBits:
		yes = x&combineMiddle != 0 && x&combineMiddle != combineMiddle
	}
	return yes == (in.Get(nameEq) == 0), true
}

// lastUses are the registers that sources mark as last uses.
func lastUses(in *isa.Inst, dst []ir.Span) []ir.Span {
	var room [2]isa.Span
	for i := range rowOf(in).form.srcs {
		a := &in.Def.Args[rowOf(in).form.srcs[i].arg]
		if v := a.Get(in.Word); v>>6 == isLast {
			for _, sp := range a.Kind.Cells(room[:0], in, a, v) {
				dst = append(dst, ir.Span{Cell: sp.Cell, Count: uint16(sp.N)})
			}
		}
	}
	return dst
}

// reach is the memory of LOAD and STORE: bytes from the address in a pair of registers, or of uniform words.
func reach(in *isa.Inst) (r isa.Reach, ok bool) {
	row := rowOf(in)
	if row.size.elem == 0 || row.traits&(traitLoad|traitStore) == 0 {
		return r, false
	}
	var room [2]isa.Span
	a := &in.Def.Args[row.form.srcs[0].arg]
	base := a.Kind.Cells(room[:0], in, a, a.Get(in.Word))
	if len(base) != 1 {
		return r, false
	}
	lo := int32(int16(in.Get(nameOffset)))
	return isa.Reach{Base: ir.Span{Cell: base[0].Cell, Count: uint16(base[0].N)}, Lo: lo, Hi: lo + int32(row.size.bits()/8)}, true
}

func unsetRule(_ *isa.Inst, _ isa.Traits, c ir.Cell) string {
	if c.File == FileR {
		return ruleUnset
	}
	return ""
}

// isBlend reports whether programs are blend shaders, whose callers have waited.
func isBlend(t *isa.Target) bool { return t.Option(optStage) == stageBlend }

// preloads are the registers that a launch fills, by option stage. docs/reference/valhall.md 7.1.
var preloads = [...][]struct{ first, n uint8 }{
	stageAny: {{48, 16}}, stageCompute: {{55, 8}}, stageVertex: {{59, 3}}, stageFragment: {{57, 5}}, stageBlend: {{0, 8}, {48, 1}, {60, 1}},
}

func preloaded(t *isa.Target, dst []ir.Span) []ir.Span {
	for _, p := range preloads[t.Option(optStage)] {
		dst = append(dst, ir.Span{Cell: regCell(int(p.first)), Count: uint16(p.n)})
	}
	return dst
}

// waitText is an instruction that waits for a slot, or for all slots.
func waitText(queue, _ int) string {
	switch queue {
	case SlotDepth:
		return "NOP.wait0126"
	case SlotGroup, -1:
		return "NOP.wait"
	}
	return "NOP.wait" + strconv.Itoa(queue)
}
