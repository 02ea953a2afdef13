package rogue

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Rules about feed-throughs that a group drives and does not read, or reads and does not drive.

// drives are the feed-throughs that an instruction of the main unit drives; bit n is FTn.
func drives(in *isa.Inst) uint8 {
	switch r := info(in); in.Def.Class {
	case group.P0, group.P0Elements:
		if r.reads&(writeW0|writeW1) == 0 {
			return 1 << group.FT0
		}
	case group.P1:
		if r.reads&writeW0 == 0 {
			return 1 << group.FT1
		}
	case group.Pack:
		if r.entry == "CONVERTTOF64" {
			return 1<<group.FT0 | 1<<group.FT2
		}
		return 1 << group.FT2
	}
	return 0
}

// A taking is a read of a feed-through within a group.
type taking struct {
	by    string
	feed  uint64 // its code
	early bool   // read before phase 2 drives any
}

// driven returns the feed-throughs that a group drives, as bits by code: in phases 0 and 1, and in all phases.
func driven(b *isa.Bundle) (early, all uint8) {
	early = 1 << group.FTE
	for i := range b.Parts {
		in := &b.Parts[i]
		if all |= drives(in); group.PhaseOf(in.Def.Class) != group.HasP2 {
			early |= drives(in)
		}
	}
	return early, all | early
}

// takings are the feed-throughs that a group of the main unit reads.
func takings(b *isa.Bundle, rt *routing) (list []taking) {
	if rt.part(b, group.Selectors) == nil {
		return nil
	}
	if in := rt.part(b, group.Test); in != nil {
		if rt.reads&readIS1 != 0 && rt.iss[1] == 0 {
			list = append(list, taking{"is1", group.FT0, false})
		}
		if rt.reads&readIS2 != 0 && rt.iss[2] == 0 {
			list = append(list, taking{"is2", group.FT1, false})
		}
	}
	if in := rt.part(b, group.Pack); in != nil && rt.reads&readIS3 != 0 && rt.iss[3] < 2 && !packsConstant(in) {
		list = append(list, taking{"is3", uint64(rt.iss[3]), true})
	}
	m := rt.part(b, group.Move)
	keeps := [2]bool{true, true}     // the values that IS4 and IS5 select remain, in part or under a condition
	if m != nil && m.Has(nameMov0) { // other instructions of its class write results themselves
		bytes := movedBytes(m)
		always := info(m).entry == "MOV"
		keeps = [2]bool{!always || bytes != allBytes, !always}
		if bytes != 0 && (rt.has[0] || rt.reads&readW0 != 0) {
			list = append(list, taking{"the move to w0", m.Get(nameMov0), false})
		}
		if rt.has[1] || rt.reads&readW1 != 0 {
			list = append(list, taking{"the move to w1", m.Get(nameMov1), false})
		}
	}
	for i, x := range [...]struct{ out, write reads }{{readW0, writeW0}, {readW1, writeW1}} {
		if keeps[i] && (rt.has[i] || rt.reads&x.out != 0) && rt.reads&x.write == 0 {
			list = append(list, taking{fmt.Sprintf("is%d", 4+i), uint64(rt.iss[4+i]), false})
		}
	}
	return list
}

// packsConstant reports whether a pack returns a constant and reads nothing.
func packsConstant(in *isa.Inst) bool {
	f := in.Opt(nameFormat)
	return info(in).entry == "PCK" && (f == formatZero || f == formatOne)
}

func feedUndriven(b *isa.Bundle, rt *routing) (msg, hint string) {
	list := takings(b, rt)
	if len(list) == 0 {
		return "", ""
	}
	early, all := driven(b)
	for _, x := range list {
		if x.early && early>>x.feed&1 == 0 || all>>x.feed&1 == 0 {
			return fmt.Sprintf("%s is ft%d, which no instruction of the group drives", x.by, x.feed), fmt.Sprintf("add the instruction that drives ft%d, or take another feed-through", x.feed)
		}
	}
	return "", ""
}

// sums are the layouts of the instructions of phase 0 that produce a carry.
var sums = [...]string{"int32_64", "int32_64_ext"}

func carrySum(b *isa.Bundle, rt *routing) (msg, hint string) {
	if in := rt.part(b, group.Test); in == nil || info(in).entry != "TSTC" {
		return "", ""
	}
	if in := rt.part(b, group.P0); in != nil && slices.Contains(sums[:], info(in).layout.name) {
		return "", ""
	}
	return "it tests the carry of a sum that the group does not have", "add a sum of 32 or 64 bits as phase 0"
}

// shiftSigns are the shifts whose sign is a feed-through, and the class of the unit that drives it.
var shiftSigns = [...]struct {
	name       string
	class      uint8
	what, hint string
}{
	{"asr.mtb", group.Bitmask, "ft0, which is s0 without msk", "add p0: msk, or take another sign"},
	{"asr.ftb", group.Count, "ft3, which is the number of ones of s2 without a count", "add p0: ftb, or take another sign"},
}

func shiftSign(b *isa.Bundle, rt *routing) (msg, hint string) {
	in := rt.part(b, group.Shift2)
	if in == nil {
		return "", ""
	}
	for _, x := range shiftSigns {
		if x.name != info(in).name {
			continue
		}
		if of := rt.part(b, x.class); of == nil || info(of).name == "byp" || info(of).name == "cbs" {
			return "the bit of its sign is " + x.what, x.hint
		}
	}
	return "", ""
}

// repeatWrites looks for a register that one repetition writes and a later one reads.
func repeatWrites(b *isa.Bundle, rt *routing) (msg, hint string) {
	times := repeats(b)
	if times == 1 || unpacks(b) || packs(b) || packsAny(b) {
		return "", ""
	}
	for n, r := range rt.src {
		if rt.used>>n&1 == 0 || !r.inRow() || rt.extent(b, n, times) != times {
			continue
		}
		for i, has := range rt.has {
			for at := range times {
				for later := at + 1; has && later < times; later++ {
					if x := r.behind(later); x == rt.dst[i].behind(at) {
						return fmt.Sprintf("repetition %d writes %s, which repetition %d reads as s%d", at+1, regText(x), later+1, n), "take other registers, or groups that do not repeat"
					}
				}
			}
		}
	}
	return "", ""
}

// repeatPredicate looks for a P0 that each repetition writes again.
func repeatPredicate(b *isa.Bundle, _ *routing) (msg, hint string) {
	if repeats(b) == 1 {
		return "", ""
	}
	for i := range b.Parts {
		in := &b.Parts[i]
		if c := in.Def.Class; c != group.Backend && c != group.Shift2 && info(in).reads&writeP0 != 0 && in.Opt(namePred) != 0 {
			return "each repetition writes p0 anew, and what the last one says stays", "leave out p0, or do not repeat"
		}
	}
	return "", ""
}

func countCondition(b *isa.Bundle, _ *routing) (msg, hint string) {
	if in := head(b); info(in).layout.name == "cnd" && in.Get(nameCC) != group.Always {
		return "its group is not about instances that wait, whose counters must change, too", "write (ignorepe) before the group"
	}
	return "", ""
}

// gradients are the instructions that read other pixels of the quad.
var gradients = [...]string{"FDSX", "FDSY", "FDSXF", "FDSYF"}

func quadCondition(b *isa.Bundle, rt *routing) (msg, hint string) {
	if !conditional(head(b)) {
		return "", ""
	}
	for _, class := range eitherPhase {
		if in := rt.part(b, class); in != nil && slices.Contains(gradients[:], info(in).entry) {
			return "a pixel of the quad may fail the condition of the group, and its value be an old one", "take it for all instances, and move under the condition"
		}
	}
	return "", ""
}

// ofTask reports whether all lanes of a task share a register.
func (r reg) ofTask() bool {
	c, ok := r.cell(0)
	return ok && !machine.Files[c.File].Kind.PerLane()
}

// taskUpdate looks for a register of the task that a group reads and writes while lanes do not take turns.
func taskUpdate(b *isa.Bundle, rt *routing) (msg, hint string) {
	if head(b).Opt(nameAtom) != 0 {
		return "", ""
	}
	msg = eachResult(b, rt, func(r reg, later bool) string {
		for n, s := range rt.src {
			if !later && r.ofTask() && rt.used>>n&1 != 0 && s == r {
				return fmt.Sprintf("reads and writes %s, which all instances share, at once", regText(r))
			}
		}
		return ""
	})
	if msg != "" {
		return msg, "write .atom behind the group, so that instances take turns"
	}
	return "", ""
}

// own are the special registers with per-lane values.
var own = [...]uint16{specialInst, SpecialX, SpecialX + 1, SpecialY, SpecialY + 1, SpecialLocal}

// taskLanes looks for a register of the task that is written with per-lane values.
func taskLanes(b *isa.Bundle, rt *routing) (msg, hint string) {
	if head(b).Opt(nameAtom) != 0 || conditional(head(b)) {
		return "", ""
	}
	msg = eachResult(b, rt, func(r reg, later bool) string {
		for n, s := range rt.src {
			if !later && r.ofTask() && rt.used>>n&1 != 0 && s.bank == bankSpecial && slices.Contains(own[:], s.n) {
				return fmt.Sprintf("all instances write %s, each another value, as %s is one for each", regText(r), regText(s))
			}
		}
		return ""
	})
	if msg != "" {
		return msg, "write under a condition that one instance fulfils, or with .atom"
	}
	return "", ""
}

// idleField looks for fields that do nothing and are not 0: text does not preserve them.
func idleField(d *isa.Def) isa.RuleCheck {
	var fields []*isa.Arg
	for i := range d.Args {
		if d.Args[i].Kind == idle {
			fields = append(fields, &d.Args[i])
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, a := range fields {
			if v := a.Get(in.Word); v != 0 {
				return &isa.Breach{Msg: fmt.Sprintf("field %s is %d and does nothing", a.Name, v), Hint: "only .enc keeps it", Arg: -1}
			}
		}
		return nil
	}
}
