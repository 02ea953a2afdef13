package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// More rules of single instructions. docs/reference/valhall.md 1, 4, 6.

func wordRules() []isa.Rule {
	return []isa.Rule{
		{ID: "placeholder", Severity: isa.SeverityWarning, Source: sectWord, Check: placed,
			Doc:     "Bits 47:40 are 0xC0 where an instruction has no result and no staging registers.",
			Example: ".enc 0000000000800000 NOP"},
		{ID: "write-nothing", Severity: isa.SeverityWarning, Source: sectWord, Check: writesNothing,
			Doc:     "A result is written to a half at least.",
			Example: ".enc 0100000000009100 MOV.i32 r0.h1, r1"},
		{ID: "write-half", Severity: isa.SeverityWarning, Source: sectWord, Check: writesHalf,
			Doc:     "A result of 64 bits is written whole.",
			Example: "IADD.u64 r0.h0, r2, r4"},
		{ID: "staging-flags", Taken: true, Source: sectStaging, Check: stagingFlags,
			Doc:     "Bits 47:46 say of staging registers what the instruction does: 1 reads them, 2 writes them, 3 both.",
			Example: ".enc 0200001802406000 LOAD.i32.slot0 @r0, r2, offset:0"},
		{ID: "staging-count", Severity: isa.SeverityWarning, Source: sectStaging, Check: stagingCount,
			Doc:     "A message has as many staging registers as hold what it moves.",
			Example: "LOAD.i64.slot0 @r0, r2, offset:0"},
		{ID: "slot-group", Taken: true, Source: sectSlots, Check: slotGroup,
			Doc:     "Slot 7 is that of BARRIER, slots 0 to 2 are those of other messages.",
			Example: "STORE.i32.slot7 @r0, r2, offset:0"},
		{ID: "branch-self", Severity: isa.SeverityWarning, Source: sectBranch, Check: branchSelf,
			Doc:     "A branch does not go to itself: nothing changes what it tests.",
			Example: "BRANCHZ.reconverge r0, offset:-1"},
		{ID: "branch-end", Severity: isa.SeverityWarning, Source: sectFlow, Check: branchEnds,
			Doc:     "A branch does not end the threads that execute it.",
			Example: "BRANCHZ.end r0, offset:1"},
		{ID: "last-mixed", Severity: isa.SeverityWarning, Source: sectSlots, Check: lastMixed,
			Doc:     "An instruction that reads a register several times marks all of these as the last, or none.",
			Example: "FADD.f32 r0, ^r1, r1"},
		{ID: ruleUndeclared, Source: sectBegin, Options: map[string]string{"registers": "32"},
			Doc:     "An instruction names registers that a thread has, by option registers.",
			Example: "MOV.i32 r16, r48\nNOP.end"},
	}
}

// placed checks the bits where other instructions have a result.
func placed(d *isa.Def) isa.RuleCheck {
	a := d.Find(placeholder.Name)
	if a == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if a.Get(in.Word) == a.Default {
			return nil
		}
		return &isa.Breach{Msg: fmt.Sprintf("%#x stands where the instruction has no result, and not %#x", a.Get(in.Word), a.Default), Arg: -1}
	}
}

func writesNothing(d *isa.Def) isa.RuleCheck {
	dst := d.Data.(*row).form.dst
	if dst < 0 || d.Args[dst].Parts[partMask].Kind == narrow {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if in.Get(nameMask) != 0 {
			return nil
		}
		return &isa.Breach{Msg: "neither half of the result is written", Arg: dst}
	}
}

func writesHalf(d *isa.Def) isa.RuleCheck {
	dst := d.Data.(*row).form.dst
	if dst < 0 || d.Args[dst].Width != 64 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if m := in.Get(nameMask); m == 0 || m == 3 {
			return nil
		}
		return &isa.Breach{Msg: "half of a result of 64 bits is written", Arg: dst}
	}
}

// stagingFlags checks that the flags of a register group match what the instruction does. Flags of an empty group are
// not checked.
func stagingFlags(d *isa.Def) isa.RuleCheck {
	for _, i := range d.Data.(*row).form.regs {
		a := &d.Args[i]
		if len(a.Parts) <= partFlags {
			continue
		}
		want := a.Parts[partFlags].Default
		return func(in *isa.Inst) *isa.Breach {
			_, n := group(in, a)
			if has := a.Part(in.Word, partFlags); n > 0 && has != want {
				return &isa.Breach{Msg: fmt.Sprintf("the word says of the staging registers that it %s, and it %s", uses[has], uses[want]), Arg: i}
			}
			return nil
		}
	}
	return nil
}

// uses are the staging flags in words.
var uses = [...]string{"does nothing with them", "reads them", "writes them", "reads and writes them"}

// stagingCount checks that messages have as many registers as they transfer; samples have rules of their own.
func stagingCount(d *isa.Def) isa.RuleCheck {
	r := d.Data.(*row)
	moves := r.moves
	if moves == nil && d.Find(names[nameFormat]) != nil {
		moves = movesComponents
	}
	if moves == nil || r.unit == unitVT || d.Find(names[nameChannels]) != nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, i := range r.form.regs {
			a := &in.Def.Args[i]
			want := moves(in, a)
			if _, n := group(in, a); n != want {
				return &isa.Breach{Msg: fmt.Sprintf("%d staging registers, where the access has %d", n, want), Arg: i}
			}
		}
		return nil
	}
}

func slotGroup(d *isa.Def) isa.RuleCheck {
	if !d.Data.(*row).form.slot {
		return nil
	}
	barrier, arg := d.Data.(*row).traits&isa.TraitBarrier != 0, d.Find(slotArg.Name).Index()
	return func(in *isa.Inst) *isa.Breach {
		switch s := in.Get(nameSlot); {
		case barrier && s != SlotGroup:
			return &isa.Breach{Msg: fmt.Sprintf("slot %d is that of other messages", s), Hint: "slot7", Arg: arg}
		case !barrier && s == SlotGroup:
			return &isa.Breach{Msg: "slot 7 is that of BARRIER", Hint: "slot0, slot1 or slot2", Arg: arg}
		}
		return nil
	}
}

func branchSelf(d *isa.Def) isa.RuleCheck {
	if d.Find(names[nameEq]) == nil || d.Find(names[nameTarget]) == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if jumpTo(in, in.Get(nameTarget)) != in.Addr {
			return nil
		}
		return &isa.Breach{Msg: "goes to itself", Arg: -1}
	}
}

func branchEnds(d *isa.Def) isa.RuleCheck {
	if d.Find(names[nameEq]) == nil {
		return nil
	}
	return brokenBy(nameFlow, flowEnd, isa.Breach{Msg: "a branch that ends its threads", Hint: "another instruction for the flow", Arg: -1})
}

// brokenBy is the check of a rule that forbids one value of a field.
func brokenBy(n isa.Name, value uint64, b isa.Breach) isa.RuleCheck {
	return func(in *isa.Inst) *isa.Breach {
		if in.Get(n) != value {
			return nil
		}
		found := b
		return &found
	}
}

// lastMixed: the register may be freed at the marked source before another source reads it.
func lastMixed(d *isa.Def) isa.RuleCheck {
	srcs := d.Data.(*row).form.srcs
	if len(srcs) < 2 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		var marked, plain uint64
		for i := range srcs {
			if v := in.Def.Args[srcs[i].arg].Get(in.Word); v>>6 == isLast {
				marked |= 1 << (v & 63)
			} else if v>>6 == isRegister {
				plain |= 1 << v
			}
		}
		if marked&plain == 0 {
			return nil
		}
		return &isa.Breach{Msg: "reads a register that another of its sources marks as read for the last time", Hint: "mark both, or none", Arg: -1}
	}
}
