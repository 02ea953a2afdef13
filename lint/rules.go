package lint

import (
	"github.com/heddle-gpu/heddle/isa"
)

// Rules of all sets.
const (
	ruleOffEnd      = "runs-off-end"
	ruleOutside     = "branch-outside"
	ruleInto        = "branch-into-instruction"
	ruleFallsInto   = "falls-into-function"
	ruleUnreached   = "unreached-code"
	ruleNoCode      = "unreached-data"
	ruleTangle      = "too-tangled"
	ruleUnclaimed   = "unclaimed-bits"
	ruleUnread      = "unread-field"
	sourceDecoding  = "docs/lint.md"
	sourceOfControl = "docs/lint.md"
)

// common are the rules that every set has: errors of decoding, and of control flow.
var common = []isa.Rule{
	{ID: isa.ErrInvalid, Source: sourceDecoding, Doc: "What is reached is an instruction."},
	{ID: isa.ErrReserved, Source: sourceDecoding, Doc: "No instruction that is reached holds a reserved value or reserved bits."},
	{ID: isa.ErrIllegal, Source: sourceDecoding, Doc: "The fields of an instruction that is reached are legal together."},
	{ID: isa.ErrVariant, Source: sourceDecoding, Doc: "What is reached is an instruction of this variant."},
	{ID: isa.ErrStage, Source: sourceDecoding, Doc: "What is reached is an instruction of this stage."},
	{ID: isa.ErrTruncated, Source: sourceDecoding, Doc: "The last instruction that is reached is whole."},
	{ID: ruleUnclaimed, Severity: isa.SeverityWarning, Source: sourceDecoding, Doc: "No bit is set that the encoding gives no meaning."},
	{ID: ruleUnread, Severity: isa.SeverityNote, Source: sourceDecoding, Doc: "Fields that the encoding has and the form of the instruction does not read are 0."},
	{ID: ruleOffEnd, Source: sourceOfControl, Doc: "Execution does not run off the end of the code."},
	{ID: ruleOutside, Source: sourceOfControl, Doc: "A branch goes to code of the same section."},
	{ID: ruleInto, Source: sourceOfControl, Doc: "A branch goes to the begin of an instruction, not into one that is reached, too."},
	{ID: ruleFallsInto, Severity: isa.SeverityWarning, Source: sourceOfControl, Doc: "Execution does not run from one function into the next."},
	{ID: ruleUnreached, Severity: isa.SeverityNote, Source: sourceOfControl, Doc: "Each instruction is reached from an entry."},
	{ID: ruleNoCode, Severity: isa.SeverityNote, Source: sourceOfControl, Doc: "What no entry leads to is instructions, too, and not data."},
	{ID: RuleUnused, Severity: isa.SeverityWarning, Source: sourceDecoding, Doc: "A comment that suppresses a rule names one that its statement breaks."},
	{ID: ruleTangle, Severity: isa.SeverityNote, Source: sourceOfControl, Doc: "Paths are few enough to follow them all; else rules about paths miss some."},
}

// Rules returns all rules that are checked in code of the target: those of all sets, then those of its own. Rules
// that its variant does not have are left out.
func Rules(t *isa.Target) (rs []isa.Rule) {
	for _, r := range append(append([]isa.Rule{}, common...), t.Rules...) {
		if r.In(t.Variant) {
			rs = append(rs, r)
		}
	}
	return rs
}

// rulesOf returns the rules of a target by name.
func rulesOf(t *isa.Target) map[string]*isa.Rule {
	m := map[string]*isa.Rule{}
	for i := range common {
		m[common[i].ID] = &common[i]
	}
	for i := range t.Rules {
		m[t.Rules[i].ID] = &t.Rules[i]
	}
	return m
}

// find adds a finding of a rule at a step; other is the other step, or -1.
func (a *analysis) find(r *isa.Rule, at, other int32, msg, hint string) {
	if r == nil || !a.asked(r) || !a.room(r.ID) {
		return
	}
	f := Finding{Finding: isa.Finding{Rule: r.ID, Msg: msg, Source: r.Source, Severity: r.Severity, Hint: hint}}
	f.Instruction = a.instruction(a.look(at).addr)
	if other >= 0 {
		o := a.instruction(a.look(other).addr)
		f.Other = &o
	}
	a.rep.Findings = append(a.rep.Findings, f)
}

// findAt adds a finding about bytes that are no instruction.
func (a *analysis) findAt(r *isa.Rule, addr uint64, msg string) {
	if r == nil || !a.room(r.ID) {
		return
	}
	a.rep.Findings = append(a.rep.Findings, Finding{Finding: isa.Finding{Rule: r.ID, Msg: msg, Source: r.Source, Severity: r.Severity},
		Instruction: Instruction{Addr: addr, Place: a.code.Map.At(addr)}})
}

// instruction returns the one at an address of the code.
func (a *analysis) instruction(addr uint64) Instruction {
	x := Instruction{Addr: addr, Text: a.text(addr), Place: a.code.Map.At(addr)}
	if x.Text != "" {
		x.Branch = a.branches(&a.bundle)
	}
	return x
}

// branches reports whether a part of a bundle names a code address as its target.
func (a *analysis) branches(b *isa.Bundle) bool {
	for p := 0; a.t.Branch != nil && p < len(b.Parts); p++ {
		if _, ok := a.t.Branch(b, p); ok {
			return true
		}
	}
	return false
}

// room counts a finding and reports whether it is kept.
func (a *analysis) room(rule string) bool {
	a.found[rule]++
	if a.found[rule] <= a.opt.Most {
		return true
	}
	a.rep.Left++
	return false
}

// text returns the text of the instruction at an address of the code.
func (a *analysis) text(addr uint64) string {
	if a.decode(addr) != nil {
		return ""
	}
	return string(a.t.Print(nil, &a.bundle))
}

// decode decodes the bundle at an address.
func (a *analysis) decode(addr uint64) error {
	return a.t.DecodeBundle(a.code.Bytes[addr-a.code.Base:], addr, &a.bundle)
}
