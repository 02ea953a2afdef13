package isa

import (
	"fmt"
	"strings"
)

// Lint reports the rules that the parts of a bundle break although they decode: set bits that nothing claims, unless
// hardware is known to ignore them; fields of the encoding that the row does not read; Arch.Rules; and what
// Arch.Validate checks. The bundles before and after are nil if there is none or it is unknown.
func (t *Target) Lint(prev, b, next *Bundle) (fs []Finding) {
	v := View{Target: t, Bundle: b, Prev: prev, Next: next}
	for v.Part = range b.Parts {
		in := v.Inst()
		if in.Def.Enc.Unclaimed == Unknown {
			fs = in.unclaimed(fs)
		}
		fs = t.Set.broken(in, fs)
		if t.Validate != nil {
			fs = append(fs, t.Validate(&v)...)
		}
	}
	return fs
}

// unclaimed reports set bits that the row does not claim: a note for fields of the encoding that the row does not
// read, a warning for bits without a meaning in the encoding.
func (in *Inst) unclaimed(fs []Finding) []Finding {
	fields, _ := in.unread()
	if len(fields) > 0 {
		have, they := "holds", "it"
		if len(fields) > 1 {
			have, they = "hold", "them"
		}
		fs = append(fs, Finding{Rule: "unread-field", Msg: fmt.Sprintf("%s: %s %s bits, and this form does not read %s", in.Def.Name, strings.Join(fields, ", "), have, they),
			Source: in.Def.Enc.Source, Severity: SeverityNote})
	}
	if msg := in.Unclaimed(); msg != "" {
		fs = append(fs, Finding{Rule: OptionUnclaimed, Msg: msg, Source: in.Def.Enc.Source, Severity: SeverityWarning})
	}
	return fs
}
