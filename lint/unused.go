package lint

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// RuleUnused is the rule about comments that suppress findings. Run reads no text and never reports it; the code that
// reads the comments does, with Unused.
const RuleUnused = "unused-suppression"

// Unused returns a finding of RuleUnused about a comment and its position. It concerns no instruction.
func Unused(msg, hint, comment string, at loc.Position) Finding {
	return Finding{Finding: isa.Finding{Rule: RuleUnused, Msg: msg, Source: sourceDecoding, Severity: isa.SeverityWarning, Hint: hint},
		Instruction: Instruction{Text: comment, Place: loc.Place{Text: at}}}
}

// Limit drops the findings that o does not select: those below the least severity, and those of a rule beyond the
// maximum, which are counted in Left. It is for reports of Run with wider options.
func (r *Report) Limit(o *Options) {
	most := o.most()
	found := map[string]int{}
	kept := r.Findings[:0]
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity > o.Least || o.Rules != nil && !o.Rules(f.Rule) {
			continue
		}
		if found[f.Rule]++; found[f.Rule] > most {
			r.Left++
			continue
		}
		kept = append(kept, *f)
	}
	clear(r.Findings[len(kept):])
	r.Findings = kept
}

// most returns Options.Most, or its default.
func (o *Options) most() int {
	if o.Most == 0 {
		return 1000
	}
	return o.Most
}
