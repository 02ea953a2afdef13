package lint

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// RuleUnused is the rule that comments keep which suppress findings. Run looks at no text and never reports it; who reads the comments does,
// with Unused.
const RuleUnused = "unused-suppression"

// Unused is a finding of RuleUnused: a comment of a text, and where it is. It is about no instruction.
func Unused(msg, hint, comment string, at loc.Position) Finding {
	return Finding{Finding: isa.Finding{Rule: RuleUnused, Msg: msg, Source: sourceDecoding, Severity: isa.SeverityWarning, Hint: hint},
		Instruction: Instruction{Text: comment, Place: loc.Place{Text: at}}}
}

// Limit drops the findings that o does not ask for: those of less than the least severity, and those of a rule beyond so many, which are counted in
// Left. It is for reports of Run with wider options.
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

// most is Options.Most, or what 0 stands for.
func (o *Options) most() int {
	if o.Most == 0 {
		return 1000
	}
	return o.Most
}
