package tesla

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// Sections of the reference that rules cite.
const (
	sectWords     = "docs/reference/tesla.md 2.2"
	sectFields    = "docs/reference/tesla.md 2.4"
	sectRegisters = "docs/reference/tesla.md 3.1"
	sectGuards    = "docs/reference/tesla.md 4"
	sectAddresses = "docs/reference/tesla.md 5.2"
	sectSpaces    = "docs/reference/tesla.md 5.3"
	sectTypes     = "docs/reference/tesla.md 5.4"
	sectTraps     = "docs/reference/tesla.md 8.6"
	sectChoices   = "docs/reference/tesla.md 12"
)

// Rules that depend on more than the instruction: its address, the registers of the program.
const (
	ruleUnaligned  = "unaligned-long"
	ruleUndeclared = "register-undeclared"
)

// Rules about registers that nothing has written.
const (
	ruleUnsetR = "register-unset"
	ruleUnsetC = "flags-unset"
	ruleUnsetA = "address-unset"
)

// rules returns the rules that programs must obey although code that breaks them decodes. envyas accepts all of it,
// so assemblers here do, too.
func rules() []isa.Rule {
	return append([]isa.Rule{
		{ID: "idle-bits", Severity: isa.SeverityWarning, Source: sectFields, Check: idleBits,
			Doc:     "Fields that the operands of an instruction do not use are 0: an address register without memory, a bank without c[].",
			Example: ".enc 00aa0014 mov b32 $r0 $r21"},
		{ID: "ignored-predicate", Severity: isa.SeverityWarning, Source: sectGuards, Check: ignoredPredicate,
			Doc:     "An instruction that looks at no predicate has none.",
			Example: ".enc 030000a080000000 joinat 0x0"},
		{ID: "exit-predicate", Severity: isa.SeverityNote, Source: sectGuards, Check: exitPredicate,
			Doc:     "A condition stands before exit or join only where all threads are meant: these act whatever it says.",
			Example: "exit (lg $c0) mov b32 $r0 $r1"},
		{ID: "post-increment", Taken: true, Source: sectAddresses, Check: postIncrement,
			Doc:     "What is incremented is one of $a1 to $a4: $a0, $a5 and $a6 trap.",
			Example: "ld b32 $r0 l[$a5++0x4]"},
		{ID: "printed-address", Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 5.7", Check: printedAddress,
			Doc:     "The text of c[] shows the address that is read: envydis leaves out an increment in compute programs, and halves offsets beside p[].",
			Example: ".enc 11028236800700a4 min u32 $r4 $r1 c0[$a1+0x8]"},
		{ID: "address-write", Taken: true, Source: sectRegisters, Check: addressWrite,
			Doc:     "No instruction writes $a0, which stays 0, or $a5 to $a7, which programs cannot use.",
			Example: "add $a5 $a1 0x4"},
		{ID: "address-read", Taken: true, Source: sectRegisters, Check: addressRead,
			Doc:     "The address registers that are read are $a0 to $a4.",
			Example: "mov $r0 $a7"},
		{ID: "register-alignment", Taken: true, Source: sectRegisters, Check: registerAlignment,
			Doc:     "$rNd has an even number, $rNq one that 4 divides.",
			Example: "ld b64 $r3d l[0x0]"},
		{ID: "register-beyond", Severity: isa.SeverityWarning, Source: sectRegisters, Check: registerBeyond,
			Doc:     "All registers of a vector are there.",
			Example: "texauto all $r126:$r127:$r128:# $t0 $s0 $r126:$r127 0x0 0x0 0x0"},
		{ID: "memory-type", Taken: true, Source: sectTypes, Check: memoryType,
			Doc:     "The type of s[] is one that the source can have: a half no b32, none of the other sign, u8 for a cvt from 8 bits.",
			Example: "add b16 $r0l b32 s[0x10] $r1l"},
		{ID: "shared-outside", Severity: isa.SeverityWarning, Source: sectSpaces, Check: sharedOutside,
			Doc:     "A constant address of s[] is below 16 KiB.",
			Example: "st b32 s[0x4000] $r0"},
		{ID: "local-alignment", Severity: isa.SeverityWarning, Source: sectSpaces, Check: localAlignment,
			Doc:     "A constant address of l[] is a multiple of the size of the access.",
			Example: "ld b32 $r0 l[0x2]"},
		{ID: "output-stage", Taken: true, Source: sectTraps, Check: outputStage,
			Doc:     "st to o[] stands in vertex and geometry programs only.",
			Example: "st b32 o[0x4] $r0"},
		{ID: "output-result", Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 5.6", Check: outputResult,
			Doc:     "A result goes to o[] in vertex and geometry programs only: others have no outputs there.",
			Example: "mov b32 o[0x4] $r0"},
		{ID: "quad-outside", Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 7.4", Check: quadOutside,
			Doc:     "Lanes dx and dy of quadop are those of fragment programs: elsewhere they give 0.",
			Example: "quadop f32 sub subr sub subr $r0 dx $r1 $r1"},
		{ID: ruleUnaligned, Source: sectWords,
			Doc:     "An instruction of 8 bytes lies at a multiple of 8.",
			Example: ".exact\nmov b32 $r0 $r1\nnop\nexit nop"},
		{ID: ruleUndeclared, Severity: isa.SeverityWarning, Source: sectRegisters, Options: map[string]string{OptRegisters: "8"},
			Doc:     "An instruction writes registers that the program has, by option registers.",
			Example: "mov b32 $r8 $r0\nexit nop"},
	}, flowRules()...)
}

// flowRules returns those about sequences of instructions.
func flowRules() []isa.Rule {
	return []isa.Rule{
		{ID: ruleUnsetR, Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 9.1", Doc: "A register is written before it is read, but for $r0 of compute programs, which a launch sets.",
			Example: "mov b32 $r1 $r2\nexit nop"},
		{ID: ruleUnsetC, Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 9.1", Doc: "A $c is written before it is read.",
			Example: "(lg $c1) mov b32 $r1 $r0\nexit nop"},
		{ID: ruleUnsetA, Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 9.1", Doc: "An address register is written before it is read.",
			Example: "ld b32 $r1 l[$a1+0x4]\nexit nop"},
		{ID: isa.RuleStackUnder, Source: sectTraps, Doc: "join, break and quadpop find on the control stack what joinat, breakaddr and quadon push.",
			Example: "join nop\nexit nop"},
		{ID: isa.RuleStackMismatch, Source: sectTraps, Doc: "On top of the control stack is what join and quadpop take off it.",
			Example: "breakaddr out\njoin nop\nbreak\nout:\nexit nop"},
		{ID: isa.RuleStackInner, Severity: isa.SeverityNote, Source: sectChoices, Doc: "On top of the control stack is what break and ret take off it.",
			Example: "breakaddr out\njoinat end\n(lg $c0) break\nend:\njoin nop\nbreak\nout:\nexit nop"},
		{ID: isa.RuleStackUneven, Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 8.1", Doc: "All paths to an instruction leave the same on the control stack.",
			Example: "top:\njoinat end\n(lg $c0) bra top\nend:\njoin nop\nexit nop"},
		{ID: isa.RuleStackDepth, Severity: isa.SeverityWarning, Source: sectChoices, Doc: "Calls, joinat, breakaddr and quadon nest no deeper than the control stack.",
			Example: "call f\nexit nop\nf:\n(lg $c0) ret\ncall f\nret"},
		{ID: isa.RuleStackQuad, Source: sectTraps, Doc: "Between quadon and quadpop no thread branches, joins, breaks, calls or returns.",
			Example: "quadon\n(lg $c0) bra over\nover:\nquadpop\nexit nop"},
		{ID: isa.RuleReturnTop, Severity: isa.SeverityNote, Source: "docs/reference/tesla.md 8.3", Doc: "ret stands in what is called.",
			Example: "nop\nret"},
		{ID: isa.RuleJoinPlace, Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 8.2", Doc: "Threads join where the innermost joinat says.",
			Example: "joinat end\njoin nop\nend:\nexit nop"},
		{ID: isa.RuleBarrier, Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 8.5", Doc: "The threads of a warp come to a barrier together.",
			Example: "cvt u32 $c0 # u32 $r0\n(e $c0) bra over\nbar inc wait 0x0 0xfff\nover:\nexit nop"},
	}
}

// idleBits finds set bits that have no meaning with the values of the other fields: rows claim them for other
// operands.
func idleBits(d *isa.Def) isa.RuleCheck {
	if d.Canon == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		c := *in
		d.Canon(&c)
		if in.Opt(nameInc) != 0 && c.Has(nameInc) {
			if _, at := incremented(in, nil); at != nil {
				c.Put(nameInc, 1) // see printedAddress
			}
		}
		for _, n := range [...]isa.Name{nameSel, nameMem} {
			if c.Has(n) && (n == nameMem || c.Has(nameFlow) || c.Has(nameSrc2) || in.Get(nameMem) != 0) { // it selects the sources
				c.Put(n, in.Get(n))
			}
		}
		if c.Word == in.Word {
			return nil
		}
		diff := in.Word.AndNot(c.Word).Or(c.Word.AndNot(in.Word))
		lo := 0
		for diff.Bit(lo) == 0 {
			lo++
		}
		return &isa.Breach{Arg: -1, Msg: fmt.Sprintf("bit %d is set, and no operand uses it", lo)}
	}
}

// validate checks the addresses of instructions, and whether the program has the registers that they write.
func validate(v *isa.View) (fs []isa.Finding) {
	in := v.Inst()
	if in.Size == 8 && in.Addr%8 != 0 {
		fs = append(fs, isa.Finding{Rule: ruleUnaligned, Source: sectWords, Msg: in.Def.Name + ": an instruction of 8 bytes at an odd multiple of 4 (UNALIGNED_LONG_INSTRUCTION)",
			Hint: "the short instructions in front come in pairs, or the last of them is long"})
	}
	n := registerCount(v.Target)
	if n == NumR {
		return fs
	}
	var t isa.Touched
	t.Of(in)
	for _, sp := range t.Writes {
		if last := int(sp.Cell.Index) + int(sp.Count) - 1; sp.Cell.File == FileR && last >= n {
			return append(fs, isa.Finding{Rule: ruleUndeclared, Source: sectRegisters, Severity: isa.SeverityWarning,
				Msg: fmt.Sprintf("%s: writes $r%d, and the program has %d registers: it stays 0", in.Def.Name, last, n)})
		}
	}
	return fs
}
