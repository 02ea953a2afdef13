package linter

import (
	"slices"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A Filter takes findings of a file out of its report: those that comments suppress, and those that a baseline knows.
type Filter struct {
	File     string
	Comments []*Suppression // of its text
	Baseline *Baseline      // nil: none
}

// A Filtered is the report that is left, and what was taken out of it.
type Filtered struct {
	*lint.Report
	Suppressed []Suppressed
	Known      int     // findings that are in the baseline
	Stale      []Known // findings of the baseline that the file does not have any more, of rules that are looked for
	// Beyond are findings of a rule that has so many that not all were held to comments and baseline. They count as found.
	Beyond int
}

// mostFiltered is how many findings of a rule are held to comments and a baseline.
const mostFiltered = 100_000

// Run runs lint and filters what it finds. What is wrong with comments is found too: that one suppresses nothing, or names a rule that the set
// does not have. Findings and comments are brought together by the lines of the text. Which comments are of use, and which entries of the
// baseline, does not depend on the severities that are reported, nor on the number of findings; what is about a rule that is not looked
// for is not judged.
func (f *Filter) Run(t *isa.Target, o lint.Options, run func(lint.Options) *lint.Report) *Filtered {
	if len(f.Comments) == 0 && f.Baseline == nil {
		return &Filtered{Report: run(o)}
	}
	wide := o
	wide.Least, wide.Most = isa.SeverityNote, mostFiltered
	r := &Filtered{Report: run(wide)}
	r.Beyond = r.Left
	r.Findings, r.Suppressed = take(f.Comments, r.Findings)
	var own []lint.Finding
	for _, s := range f.Comments {
		own = append(own, s.judge(t, f.File, &o)...)
	}
	own, more := take(f.Comments, own) // a comment may keep what is said of it from being reported
	r.Findings, r.Suppressed = append(r.Findings, own...), append(r.Suppressed, more...)
	if f.Baseline != nil {
		r.Findings, r.Known, r.Stale = f.Baseline.Take(f.File, r.Findings)
		r.Stale = slices.DeleteFunc(r.Stale, func(k Known) bool { return o.Rules != nil && !o.Rules(k.Rule) })
	}
	r.Limit(&o)
	return r
}
