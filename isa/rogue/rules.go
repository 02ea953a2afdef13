package rogue

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Sections of the reference that rules cite.
const (
	sectRules   = "docs/reference/rogue.md 6"
	sectGroups  = "docs/reference/rogue.md 2"
	sectFence   = "docs/reference/rogue.md 5.6"
	sectFlow    = "docs/reference/rogue.md 5.8"
	sectTasks   = "docs/reference/rogue.md 7.1"
	sectCount   = "docs/reference/rogue.md 5.9"
	sectPacks   = "docs/reference/rogue.md 5.4"
	sectTests   = "docs/reference/rogue.md 5.3"
	sectFloats  = "docs/reference/rogue.md 5.1"
	sectBits    = "docs/reference/rogue.md 5.5"
	sectText    = "docs/reference/rogue.md 9"
	sectOutputs = "docs/reference/rogue.md 5.7"
	sectEntry   = "docs/reference/rogue.md 1"
)

// Rules over the flow of control.
const (
	ruleUnset      = "register-unset"
	ruleUnsetState = "state-unset"
	ruleFenceIdle  = "fence-idle"
	ruleMutexFree  = "mutex-free"
	ruleMutexTwice = "mutex-twice"
	ruleMutexHeld  = "mutex-held"
	ruleMutexOrder = "mutex-order"
	ruleVertexKept = "vertex-kept"
	ruleBlockNone  = "block-none"
	ruleBlockOpen  = "block-open"
)

// A groupRule is a rule about a whole group. broken returns how a group breaks it, and a hint; "" if it does not.
type groupRule struct {
	isa.Rule
	broken func(b *isa.Bundle, rt *routing) (msg, hint string)
}

// groupRules are rules that groups must obey although groups that break them decode. Assemblers accept such groups,
// since what is disassembled must assemble. What no encoding can express (two instructions of one phase, a set of
// phases that does not exist, a group of more than 32 bytes) is an error in text.
func groupRules() []groupRule {
	return []groupRule{
		{isa.Rule{ID: "movc-test", Taken: true, Source: sectRules, Doc: "A group with movc has a test: movc moves where that holds.",
			Example: "{ s0 = r1, is4 = ft0, is5 = ft0 p0: mbyp ft0, s0; p2_mov: movc.phase2end w0, _, ftt, ft0, is4, _, _; w0 = r2 }"}, movcTest},
		{isa.Rule{ID: "constant-write", Taken: true, Source: sectRules, Doc: "No result goes to a constant, nor to a special register that only the hardware writes.",
			Example: "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = sc1 }"}, constantWrite},
		{isa.Rule{ID: "internal-destination", Taken: true, Source: sectRules, Doc: "What comes later, of loads, atomics, samples and iterations, goes to no internal register.",
			Example: "{ s0 = r0..1, s3 = i0 backend: ld s3, drc0, 1, s0; }"}, internalDestination},
		{isa.Rule{ID: "register-beyond", Taken: true, Source: sectRules, Doc: "Temporaries and vertex inputs have numbers below 248, the special bank below 240.",
			Example: "{ s0 = r250, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r1 }"}, registerBeyond},
		{isa.Rule{ID: "same-result", Severity: isa.SeverityWarning, Source: sectRules, Doc: "The two results of a group go to different registers.",
			Example: "{ s0 = r1, s1 = r2, is4 = ft0, is5 = ft0 p0: fadd ft0, s0, s1; w0 = r3, w1 = r3 }"}, sameResult},
		{isa.Rule{ID: "feed-undriven", Taken: true, Source: sectGroups, Doc: "A feed-through that a result, a test, a pack or a move takes is one that an instruction of the group drives.",
			Example: "{ s0 = r1, is4 = ft1 p0: mbyp ft0, s0; w0 = r2 }"}, feedUndriven},
		{isa.Rule{ID: "carry-sum", Taken: true, Source: sectTests, Doc: "A group that tests a carry has a sum of 32 or 64 bits.",
			Example: "{ s0 = r1, is4 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.c.phase2end ftt, p0, _, _; w0 = r2 }"}, carrySum},
		{isa.Rule{ID: "shift-sign", Severity: isa.SeverityNote, Source: sectBits, Doc: "The bit that asr.mtb takes for the sign is what msk gives, and that of asr.ftb what ftb gives.",
			Example: "{ s0 = r1, s1 = r2, s4 = r3 p0: byp ft0, ft1, s0, s1; p2: asr.mtb ft5, ft4, s4; w0 = r4 }"}, shiftSign},
		{isa.Rule{ID: "repeat-overwrite", Severity: isa.SeverityWarning, Source: sectGroups, Doc: "No repetition of a group writes a register that a later one reads.",
			Example: "{ repeat 2, s0 = r1..2, is4 = ft0 p0: mbyp ft0, s0; w0 = r2..3 }"}, repeatWrites},
		{isa.Rule{ID: "repeat-predicate", Severity: isa.SeverityWarning, Source: sectGroups, Doc: "A group that repeats does not write P0: what the last repetition writes would stay.",
			Example: "{ repeat 2, s0 = r1..2, is1 = ft0, is4 = ft0 p0: mbyp ft0, s0; p2_tst: tst.f32.z.phase2end ftt, p0, is1, _; w0 = r3..4 }"}, repeatPredicate},
		{isa.Rule{ID: "count-condition", Severity: isa.SeverityWarning, Source: sectCount, Doc: "Groups that count blocks ignore Pe: counters of instances that wait must change.",
			Example: "{ s0 = r1 ctrl: cndend pe, w0, s0, 1; w0 = r1 }"}, countCondition},
		{isa.Rule{ID: "quad-condition", Severity: isa.SeverityWarning, Source: sectFloats, Doc: "A difference of the pixels of a quad has no condition: all of them take part.",
			Example: "if(p0) { s0 = r1, is4 = ft0 p0: fdsx ft0, s0; w0 = r2 }"}, quadCondition},
		{isa.Rule{ID: "task-update", Severity: isa.SeverityWarning, Source: sectFence, Doc: "A group that reads and writes a register of the task is atomic.",
			Example: "{ s0 = r1, s1 = sc1, s2 = cf5, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = cf5 }"}, taskUpdate},
		{isa.Rule{ID: "task-lanes", Severity: isa.SeverityWarning, Source: sectEntry, Doc: "A register of the task takes no value that each instance has for itself: the last instance would win.",
			Example: "{ s0 = sr51, is4 = ft0 p0: mbyp ft0, s0; w0 = cf5 }"}, taskLanes},
		{isa.Rule{ID: "pixel-overlap", Severity: isa.SeverityWarning, Source: sectGroups, Doc: "A group that reads or writes a pixel output checks for overlaps, with .olchk, and so does movmsk.",
			Example: "{ s0 = po0, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r1 }"}, pixelOverlap},
		{isa.Rule{ID: "fred-alone", Taken: true, Source: sectRules, Doc: "fred has its group to itself.",
			Example: "{ s0 = r1, s3 = sc0, is4 = ft0, is5 = ft0 p0: fred.sin.a w0, w1, _, s0, s3, 0; p2_tst: tst.f32.z.phase2end ftt, p0, is1, _; w0 = r2, w1 = r3 }"}, fredAlone},
		{isa.Rule{ID: "complex-shares", Severity: isa.SeverityWarning, Source: sectRules, Doc: "A complex operation, rcp to arctanc, takes the whole main unit: the other phase of it has no instruction.",
			Example: "{ s0 = r1, s3 = r2, s4 = r3, is4 = ft1 p0: frcp w0, s0; p1: fmul ft1, s3, s4; w0 = r4 }"}, complexShares},
		{isa.Rule{ID: "source-place", Severity: isa.SeverityWarning, Source: sectRules, Doc: "Coefficients and pixel outputs are read as s0, s2 or s3: Mesa puts none elsewhere, although maps hold them.",
			Example: "{ s0 = r1, s1 = cf4, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r2 }"}, sourcePlace},
		{isa.Rule{ID: "source-order", Severity: isa.SeverityNote, Source: sectRules, Doc: "Of s0 to s2, and of s3 to s5, the backend names the first ones: a map cannot leave one out, constant 0 stands there.",
			Example: "{ s0 = sc0, s1 = r2..3, s3 = r4 backend: ld s3, drc0, 1, s1; }"}, sourceOrder},
		{isa.Rule{ID: "beyond-group", Severity: isa.SeverityNote, Source: sectTasks, Doc: "Nothing is passed on to other work-groups or kernels in globals and shared registers: each work-group begins with its own here.",
			Example: "{ s0 = r1, is4 = ft0 p0: mbyp ft0, s0; w0 = g3 }"}, beyondGroup},
	}
}

// rules are the rules about groups, single instructions, and control flow.
func rules() (list []isa.Rule) {
	for _, r := range groupRules() {
		list = append(list, r.Rule)
	}
	return append(list, []isa.Rule{
		{ID: "lod-mode", Taken: true, Source: sectRules, Check: lodMode, Doc: "pplod, a level of detail by pixel, stands with bias or replace.",
			Example: "{ s0 = sh0..3, s1 = r0, s2 = sh4..7, s4 = r4 backend: smp.2d.pplod s4, drc0, s0, s1, s2, _, 1; }"},
		{ID: "pack-format", Severity: isa.SeverityWarning, Source: sectPacks, Check: packFormat, Doc: "The format of a pack has a published meaning: 13, probably se9995, has none.",
			Example: "{ s0 = r1, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: pck.se9995 ft2, is3; w0 = r2 }"},
		{ID: "count-adjust", Severity: isa.SeverityWarning, Source: sectCount, Check: countAdjust, Doc: "The adjustment of a mask counter is 1 or 2; of cndef, cndlt and cndend 0, too.",
			Example: "(ignorepe) { s0 = r1 ctrl: cndst.if(p0) pe, w0, s0, 0; w0 = r1 }"},
		{ID: "idle-field", Severity: isa.SeverityNote, Source: sectText, Check: idleField, Doc: "Fields that do nothing are 0: text does not hold them.",
			Example: ".enc 04807878f0243141 { ctrl: ditr.sat.f16.pixel r120, drc0, cf240, 3; }"},
		{ID: "fence-condition", Severity: isa.SeverityWarning, Source: sectFence, Check: fenceCondition, Doc: "A wait for a data fence has no condition.",
			Example: "if(p0) { ctrl: wdf drc0; }"},
		{ID: isa.RulePendingRead, Source: sectFence, Doc: "No instruction reads a register that a load, an atomic, a sample or an iteration may still write: wdf of its fence comes before.",
			Example: "{ s0 = sh0..1, s3 = r4 backend: ld s3, drc0, 1, s0; }\n{ s0 = r4, s1 = sc64, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r1 }"},
		{ID: isa.RulePendingWrite, Source: sectFence, Doc: "No instruction writes a register that a load, an atomic, a sample or an iteration writes later: wdf of its fence comes before.",
			Example: "{ s0 = sh0..1, s3 = r4 backend: ld s3, drc0, 1, s0; }\n{ s0 = sh1, s1 = sc64, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r4 }"},
		{ID: ruleFenceIdle, Severity: isa.SeverityWarning, Source: sectFence, Doc: "Before wdf something begins that signals its fence.",
			Example: "{ s0 = sh0..1, s3 = r4 backend: ld s3, drc0, 1, s0; }\n{ ctrl: wdf drc1; }"},
		{ID: ruleMutexFree, Source: sectFlow, Doc: "A task releases a mutex that it has locked, on one path at least.",
			Example: "{ ctrl: mutex.lock 3; }\n{ ctrl: mutex.release 4; }"},
		{ID: ruleMutexTwice, Source: sectFlow, Doc: "A task does not lock a mutex that it has locked.",
			Example: "{ ctrl: mutex.lock 3; }\n{ ctrl: mutex.lock 3; }"},
		{ID: ruleMutexHeld, Severity: isa.SeverityWarning, Source: sectFlow, Doc: "A task releases what it has locked before it ends.",
			Example: "{ ctrl: mutex.lock 3; }\n{ ctrl: nop.end; }"},
		{ID: ruleMutexOrder, Severity: isa.SeverityWarning, Source: sectFlow, Doc: "Tasks that lock two mutexes lock them in one order.",
			Example: "{ ctrl: mutex.lock 1; }\n{ ctrl: mutex.lock 2; }\n{ ctrl: mutex.release 2; }\n{ ctrl: mutex.release 1; }\n{ ctrl: mutex.lock 2; }\n{ ctrl: mutex.lock 1; }\n{ ctrl: mutex.release 1; }\n{ ctrl: mutex.release 2; }\n{ ctrl: nop.end; }"},
		{ID: ruleVertexKept, Severity: isa.SeverityWarning, Source: sectOutputs, Doc: "A vertex whose outputs are written is done before the task ends: emit says so.",
			Example: "{ s0 = vi4, is0 = s0, is4 = fte backend: uvsw.write w0, 0; }\n{ ctrl: nop.end; }"},
		{ID: ruleBlockNone, Severity: isa.SeverityWarning, Source: sectCount, Doc: "A block that ends has begun, on one path at least.",
			Example: "(ignorepe) { s0 = r4 ctrl: cndend pe, w0, s0, 1; w0 = r4 }\n{ ctrl: nop.end; }"},
		{ID: ruleBlockOpen, Severity: isa.SeverityWarning, Source: sectCount, Doc: "Blocks end before the program does; the one that makes the counter need not.",
			Example: "(ignorepe) { s0 = r4 ctrl: cndst pe, w0, s0, 1; w0 = r4 }\n{ ctrl: nop.end; }"},
		{ID: ruleUnset, Severity: isa.SeverityWarning, Source: sectEntry, Doc: "A temporary, an internal register or an index register is written before it is read.",
			Example: "{ s0 = r1, s1 = sc64, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r2 }"},
		{ID: ruleUnsetState, Severity: isa.SeverityWarning, Source: sectEntry, Doc: "P0 and the link address are written before they are read.",
			Example: "if(p0) { s0 = sh1, s1 = sc64, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r2 }"},
	}...)
}

// validator checks groups against the rules about whole groups.
func validator() func(v *isa.View) []isa.Finding {
	list := groupRules()
	return func(v *isa.View) (fs []isa.Finding) {
		if v.Part != 0 {
			return nil
		}
		var rt routing
		route(v.Bundle, &rt)
		for i := range list {
			r := &list[i]
			if msg, hint := r.broken(v.Bundle, &rt); msg != "" {
				fs = append(fs, isa.Finding{Rule: r.ID, Msg: lead(v.Bundle).Def.Name + ": " + msg, Source: r.Source, Severity: r.Severity, Hint: hint})
			}
		}
		return fs
	}
}

func movcTest(b *isa.Bundle, _ *routing) (msg, hint string) {
	if in := group.Find(b, group.Move); in != nil && info(in).entry == "MOVC" && group.Find(b, group.Test) == nil {
		return "it moves where the test of the group holds, which has none", "add p2_tst, or take movwm, which always moves"
	}
	return "", ""
}

// regText is the name of a register in messages.
func regText(r reg) string { return string(appendReg(nil, r, 1, PCO)) }

// eachResult calls f for the registers that a group writes, later writes included, until f returns a message.
func eachResult(b *isa.Bundle, rt *routing, f func(r reg, later bool) string) string {
	for i, has := range rt.has {
		if has {
			if msg := f(rt.dst[i], false); msg != "" {
				return msg
			}
		}
	}
	if _, at, ok := destination(b); ok && at >= 0 && at < len(rt.src) {
		return f(rt.src[at], true)
	}
	return ""
}

func constantWrite(b *isa.Bundle, rt *routing) (msg, hint string) {
	msg = eachResult(b, rt, func(r reg, _ bool) string {
		c, ok := r.cell(0)
		switch {
		case r.bank != bankSpecial || r.n >= numSpecial || ok && (c.File != FileSr || r.n == specialValid):
			return ""
		case isConstant(r.n):
			return regText(r) + " is a constant"
		}
		return regText(r) + " can only be read"
	})
	if msg != "" {
		return msg, "write a temporary"
	}
	return "", ""
}

func beyondGroup(b *isa.Bundle, rt *routing) (msg, hint string) {
	msg = eachResult(b, rt, func(r reg, _ bool) string {
		c, ok := r.cell(0)
		if behind, _, indexed := r.indexed(); ok && (c.File == FileG || c.File == FileSh) || indexed && behind == idxShared {
			return regText(r) + " is written: tasks of the work-group find it here, those of others would on hardware"
		}
		return ""
	})
	return msg, ""
}

func internalDestination(b *isa.Bundle, rt *routing) (msg, hint string) {
	msg = eachResult(b, rt, func(r reg, later bool) string {
		if later && r.bank == bankSpecial && r.n >= specialInternal && r.n < specialInternal+numInternal {
			return regText(r) + " cannot take what comes later"
		}
		return ""
	})
	if msg != "" {
		return msg, "take a temporary"
	}
	return "", ""
}

// limits are one more than the highest register number of a bank; 0: no limit.
var limits = [8]int{bankSpecial: numSpecial, bankTemp: numTemps, bankVtxin: numTemps}

func registerBeyond(b *isa.Bundle, rt *routing) (msg, hint string) {
	beyond := func(r reg, n int) {
		if r.behind(n-1).bank == bankNone && msg == "" {
			msg = fmt.Sprintf("there are no %d registers from %s on", n, regText(r))
			return
		}
		if most := limits[r.bank]; most > 0 && msg == "" && int(r.n)+n > most && !(r.bank == bankSpecial && isConstant(r.n) && int(r.n) < most) {
			r.n += uint16(n - 1)
			msg = fmt.Sprintf("there is no %s: %s is the last", regText(r), regText(reg{r.bank, uint16(most - 1)}))
		}
	}
	for n, r := range rt.src {
		if rt.used>>n&1 != 0 {
			beyond(r, extent(b, n))
		}
	}
	for i, has := range rt.has {
		if has {
			beyond(rt.dst[i], results(b))
		}
	}
	if in, at, ok := destination(b); ok && at < 0 {
		beyond(reg{bankTemp, uint16(in.Get(nameDst))}, 1)
	}
	return msg, ""
}

func sameResult(b *isa.Bundle, rt *routing) (msg, hint string) {
	if !rt.has[0] || !rt.has[1] {
		return "", ""
	}
	if rt.dst[0] == rt.dst[1] {
		return "w0 and w1 are both " + regText(rt.dst[0]), "leave out the one that does not count"
	}
	n := results(b)
	for i := range n {
		for j := range n {
			if r := rt.dst[0].behind(i); r == rt.dst[1].behind(j) {
				return fmt.Sprintf("w0 of repetition %d and w1 of repetition %d are both %s", i+1, j+1, regText(r)), "take registers that do not overlap"
			}
		}
	}
	return "", ""
}

func pixelOverlap(b *isa.Bundle, rt *routing) (msg, hint string) {
	if head(b).Get(nameOlchk) != 0 {
		return "", ""
	}
	hint = "write .olchk behind the group"
	for n, r := range rt.src {
		if rt.used>>n&1 != 0 && r.isPixel() {
			return "reads " + regText(r) + " without a check for overlaps", hint
		}
	}
	for i, has := range rt.has {
		if has && rt.dst[i].isPixel() {
			return "writes " + regText(rt.dst[i]) + " without a check for overlaps", hint
		}
	}
	if in := group.Find(b, group.Backend); in != nil && info(in).layout.name == "movmsk" {
		return "has no check for overlaps", hint
	}
	return "", ""
}

func fredAlone(b *isa.Bundle, _ *routing) (msg, hint string) {
	if in := group.Find(b, group.P0); in == nil || info(in).entry != "FRED" {
		return "", ""
	}
	for i := range b.Parts {
		if in := &b.Parts[i]; in.Def.Class != group.P0 && group.PhaseOf(in.Def.Class) != 0 {
			return "stands in a group with fred", "give it a group of its own"
		}
	}
	return "", ""
}

// isComplex reports whether an instruction occupies the whole main unit: such instructions write results themselves.
func isComplex(in *isa.Inst) bool {
	return in != nil && (in.Def.Class == group.P0 || in.Def.Class == group.P1) && info(in).reads&writeW0 != 0
}

func complexShares(b *isa.Bundle, _ *routing) (msg, hint string) {
	first, second := group.Find(b, group.P0), group.Find(b, group.P1)
	if first == nil || second == nil || !isComplex(first) && !isComplex(second) {
		return "", ""
	}
	in := first
	if !isComplex(in) {
		in = second
	}
	return in.Def.Name + " shares the main unit with an instruction of the other phase", "give it a group of its own"
}

func sourcePlace(b *isa.Bundle, rt *routing) (msg, hint string) {
	for _, n := range [...]int{1, 4, 5} {
		if r := rt.src[n]; rt.used>>n&1 != 0 && (r.bank == bankCoeff || r.isPixel()) {
			return fmt.Sprintf("%s is s%d", regText(r), n), "make it s0, s2 or s3"
		}
	}
	return "", ""
}

func sourceOrder(b *isa.Bundle, rt *routing) (msg, hint string) {
	in := group.Find(b, group.Backend)
	if in == nil || len(info(in).picks) == 0 {
		return "", ""
	}
	used := rt.used
	for half := 0; half < len(rt.src); half += group.FirstUpper {
		m := used >> half & 7
		for n := range group.FirstUpper {
			if m>>n&1 == 0 && m>>n != 0 && rt.src[half+n] == (reg{}) {
				return fmt.Sprintf("s%d is not used, and s%d is", half+n, half+count(m)-1), fmt.Sprintf("move it to s%d", half+n)
			}
		}
	}
	return "", ""
}

// breach is a finding about an operand of an instruction.
func breach(d *isa.Def, n isa.Name, msg, hint string) *isa.Breach {
	at := -1
	for i := range d.Args {
		if d.Args[i].Name == names[n] {
			at = i
		}
	}
	return &isa.Breach{Msg: msg, Hint: hint, Arg: at}
}

func lodMode(d *isa.Def) isa.RuleCheck {
	if d.Find(names[namePPLOD]) == nil || d.Find(names[nameLOD]) == nil {
		return nil
	}
	b := breach(d, namePPLOD, "pplod needs bias or replace", "add .bias or .replace, or leave out .pplod")
	return func(in *isa.Inst) *isa.Breach {
		if m := in.Get(nameLOD); in.Get(namePPLOD) != 0 && m != lodBias && m != lodReplace {
			return b
		}
		return nil
	}
}

// formatUnknown is the pack format that has a name and no known semantics.
const formatUnknown = 13

func packFormat(d *isa.Def) isa.RuleCheck {
	if d.Find(names[nameFormat]) == nil || d.Name == "pck.prog" {
		return nil
	}
	b := breach(d, nameFormat, "format 13 has no published meaning, perhaps a shared exponent", "take another format")
	return func(in *isa.Inst) *isa.Breach {
		if in.Get(nameFormat) == formatUnknown {
			return b
		}
		return nil
	}
}

func countAdjust(d *isa.Def) isa.RuleCheck {
	if a := d.Find(names[nameAdjust]); a == nil || a.Place == isa.Hidden {
		return nil
	}
	least := uint64(0)
	if d.Name == "cndst" {
		least = 1
	}
	b := breach(d, nameAdjust, "the counter is adjusted by 1 or 2", "")
	return func(in *isa.Inst) *isa.Breach {
		if v := in.Get(nameAdjust); v < least || v > 2 {
			return b
		}
		return nil
	}
}

func fenceCondition(d *isa.Def) isa.RuleCheck {
	if d.Data.(*row).entry != "WDF" {
		return nil
	}
	b := &isa.Breach{Msg: "a wait has no condition: all instances wait", Hint: "leave out the condition", Arg: -1}
	return func(in *isa.Inst) *isa.Breach {
		if in.Get(nameCC) != 0 {
			return b
		}
		return nil
	}
}
