package isa

import "fmt"

// Lint reports the rules that the parts of a bundle break although they decode: set bits that nothing claims, where
// it is not known that hardware ignores them, and Arch.Rules and what the instruction set itself checks. The bundles before and
// behind are nil where there is none or it is not known.
func (t *Target) Lint(prev, b, next *Bundle) (fs []Finding) {
	v := View{Target: t, Bundle: b, Prev: prev, Next: next}
	for v.Part = range b.Parts {
		in := v.Inst()
		if r := in.Res(); in.Def.Enc.Unclaimed == Unknown && !r.IsZero() {
			lo := 0
			for r.Bit(lo) == 0 {
				lo++
			}
			msg := fmt.Sprintf("%s: bit %d is set, which %s gives no meaning", in.Def.Name, lo, in.Def.Enc.Name)
			if n := r.Count(); n > 1 {
				msg = fmt.Sprintf("%s: %d bits are set, the lowest %d, which %s gives no meaning", in.Def.Name, n, lo, in.Def.Enc.Name)
			}
			fs = append(fs, Finding{Rule: "unclaimed-bits", Msg: msg, Source: in.Def.Enc.Source, Severity: SeverityWarning})
		}
		fs = t.Set.broken(in, fs)
		if t.Validate != nil {
			fs = append(fs, t.Validate(&v)...)
		}
	}
	return fs
}
