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
	// Record asks for all that a baseline must know: each instruction that breaks a rule, also those that a report leaves out because they
	// are about the same operation as one before.
	Record bool
}

// A Filtered is the report that is left, and what was taken out of it.
type Filtered struct {
	*lint.Report
	Suppressed []Suppressed
	Known      int     // findings that are in the baseline
	Stale      []Known // findings of the baseline that the file no longer has, of rules that are looked for
	// Beyond are findings of a rule that has so many that not all were held to comments and baseline. They count as found.
	Beyond int
}

// mostFiltered is how many findings of a rule are held to comments and a baseline.
const mostFiltered = 100_000

// Run runs lint and filters what it finds. What is wrong with comments is found too: that one suppresses nothing, or names a rule that the set
// does not have. Findings and comments are brought together by the lines of the text. What is taken out of the report hides nothing else: what
// a suppressed or known finding is about, such as a pending register, is reported where it is touched next. Which comments are of use, and which entries of the
// baseline, does not depend on the severities that are reported, nor on the number of findings; what is about a rule that is not looked
// for is not judged.
func (f *Filter) Run(t *isa.Target, o lint.Options, run func(lint.Options) *lint.Report) *Filtered {
	if len(f.Comments) == 0 && f.Baseline == nil && !f.Record {
		return &Filtered{Report: run(o)}
	}
	wide := o
	wide.Least, wide.Most = isa.SeverityNote, mostFiltered
	wide.Keeps = func(string, uint64, uint64) bool { return true }
	r := &Filtered{Report: run(wide)}
	r.Beyond = r.Left
	every := slices.Clone(r.Findings)
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
	if !f.Record && len(every) > 0 {
		r.Findings = f.once(every, r.Findings, wide, run)
	}
	r.Limit(&o)
	return r
}

// once is what is left of all findings, without those that are about the same as one before that is left: lint runs again, and keeps only what
// findings that were taken out are about.
func (f *Filter) once(every, left []lint.Finding, o lint.Options, run func(lint.Options) *lint.Report) []lint.Finding {
	type site struct {
		rule        string
		addr, other uint64
	}
	siteOf := func(f *lint.Finding) site {
		if f.Other == nil {
			return site{f.Rule, f.Addr, f.Addr}
		}
		return site{f.Rule, f.Addr, f.Other.Addr}
	}
	type finding struct {
		site
		msg string // of findings that name no other instruction: there may be several
	}
	findingOf := func(f *lint.Finding) finding {
		if f.Other == nil {
			return finding{siteOf(f), f.Msg}
		}
		return finding{siteOf(f), ""}
	}
	gone := map[finding]bool{}
	for i := range every {
		gone[findingOf(&every[i])] = true
	}
	var own []lint.Finding
	for i := range left {
		delete(gone, findingOf(&left[i]))
		if left[i].Rule == lint.RuleUnused {
			own = append(own, left[i])
		}
	}
	sites := map[site]bool{}
	for k := range gone {
		sites[k.site] = true
	}
	o.Keeps = func(rule string, addr, other uint64) bool { return sites[site{rule, addr, other}] }
	found := slices.DeleteFunc(run(o).Findings, func(x lint.Finding) bool { return gone[findingOf(&x)] })
	return append(found, own...)
}
