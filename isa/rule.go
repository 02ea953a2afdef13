package isa

import "sync/atomic"

// A Severity says how serious it is to break a rule.
type Severity uint8

const (
	SeverityError   Severity = iota // hardware does something else than the text says, or something unknown
	SeverityWarning                 // it may work, or sources differ
	SeverityNote                    // it works, but is probably not what was meant
)

var severityNames = [...]string{SeverityError: "error", SeverityWarning: "warning", SeverityNote: "note"}

func (s Severity) String() string { return severityNames[s] }

// A Rule is what programs of a set must obey although code that breaks it decodes. Rules with a Check concern a
// single instruction: assemblers refuse an instruction that breaks one of severity error, unless told not to, and
// lint reports it. Rules without Check concern sequences of instructions; the code that checks them names them in
// findings.
type Rule struct {
	ID       string // stable: lower case, words joined by -
	Severity Severity
	Doc      string // one line: what must hold
	Source   string // section of the document that states it
	Example  string // text of an instruction, or of lines, that breaks it in the first of Variants
	Variants uint32 // bit i: variant i has it; 0: all
	// Taken says that assemblers accept what breaks the rule, whatever its severity: other assemblers do, and what
	// they print must assemble.
	Taken bool
	// Options under which the example breaks the rule, by name, if it obeys it by default.
	Options map[string]string
	// Check returns, for a row whose instructions can break the rule, the function that checks one; nil: none can. It
	// is called once for each row that is used. The function returns nil, and must not allocate, for an instruction
	// that obeys the rule.
	Check func(d *Def) RuleCheck
}

// A RuleCheck says how an instruction of a row breaks a rule.
type RuleCheck = func(in *Inst) *Breach

// A Breach is how an instruction breaks a rule.
type Breach struct {
	Msg  string // what is wrong, without the name of the instruction
	Hint string // what to write instead, or ""
	Arg  int    // the index in Def.Args of the one at fault; -1: none
}

// In reports whether the variant of that index has the rule.
func (r *Rule) In(variant int) bool { return r.Variants == 0 || r.Variants>>variant&1 != 0 }

// rowRules are the rules that instructions of a row can break.
type rowRules []struct {
	*Rule
	broken RuleCheck
}

// rulesOf returns the rules of a row. They are made when assembler or lint first use the row: decoding and printing
// never ask.
func (s *Set) rulesOf(d *Def) rowRules {
	rows := s.ruled.Load()
	if rows == nil {
		if len(s.Arch.Rules) == 0 {
			return nil
		}
		made := make([]atomic.Pointer[rowRules], len(s.Arch.Defs))
		s.ruled.CompareAndSwap(nil, &made)
		rows = s.ruled.Load()
	}
	at := &(*rows)[d.ID]
	if made := at.Load(); made != nil {
		return *made
	}
	made := new(rowRules)
	for i := range s.Arch.Rules {
		r := &s.Arch.Rules[i]
		if r.Check == nil || r.Variants != 0 && r.Variants&d.Variants == 0 {
			continue
		}
		if f := r.Check(d); f != nil {
			*made = append(*made, struct {
				*Rule
				broken RuleCheck
			}{r, f})
		}
	}
	at.Store(made)
	return *made
}

// RulesOf returns the IDs of the rules that instructions of a row can break.
func (s *Set) RulesOf(d *Def) (list []string) {
	for _, r := range s.rulesOf(d) {
		list = append(list, r.ID)
	}
	return list
}

// breach returns the first of the row's rules that assemblers enforce and the instruction breaks, and how; nil: it
// breaks none.
func (rules rowRules) breach(in *Inst) (*Rule, *Breach) {
	for _, r := range rules {
		if r.Severity != SeverityError || r.Taken || !r.In(int(in.Var)) {
			continue
		}
		if b := r.broken(in); b != nil {
			return r.Rule, b
		}
	}
	return nil, nil
}

// breaks reports a rule broken by an instruction whose operands begin at body. The error is placed at the operand at
// fault, or at the mnemonic.
func (s *Scan) breaks(r *Rule, b *Breach, in *Inst, start, body int) {
	far := len(s.Line) + 1
	if s.fail.set && far <= s.fail.far {
		return
	}
	at := start
	if b.Arg >= 0 {
		for i := range s.at { // offsets past the line are those of an earlier line
			s.at[i] = -1
		}
		s.Pos, s.numSaid = body, 0
		if d := in.Def; s.suffixes(d, in) && s.operands(d, in) && s.modifiers(d, in) && s.at[b.Arg] >= 0 {
			at = int(s.at[b.Arg])
		}
	}
	s.noteFar(far, at, r.ID, "%w", b.Msg, 0)
	s.fail.hint, s.fail.ref, s.fail.row = b.Hint, r.Source, in.Def
}

// broken appends the findings of the rules of an instruction's row.
func (s *Set) broken(in *Inst, fs []Finding) []Finding {
	for _, r := range s.rulesOf(in.Def) {
		if !r.In(int(in.Var)) {
			continue
		}
		if b := r.broken(in); b != nil {
			fs = append(fs, Finding{Rule: r.ID, Msg: in.Def.Name + ": " + b.Msg, Source: r.Source, Severity: r.Severity, Hint: b.Hint})
		}
	}
	return fs
}
