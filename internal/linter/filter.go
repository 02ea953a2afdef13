package linter

import (
	"slices"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A Filter removes findings of a file from its report: those that comments suppress, and those in a baseline.
type Filter struct {
	File     string
	Comments []*Suppression // of its text
	Baseline *Baseline      // nil: none
	// Record requests all findings that a baseline needs: each instruction that breaks a rule, even if a report omits
	// it because it is about the same operation as an earlier one.
	Record bool
}

// A Filtered is the remaining report, and what was removed from it.
type Filtered struct {
	*lint.Report
	Suppressed []Suppressed
	Known      int     // findings that are in the baseline
	Stale      []Known // findings of the baseline that no longer occur, for the rules that are checked
	// Beyond is the number of findings that were not compared with comments and baseline because their rule has too
	// many. They count as reported.
	Beyond int
}

// mostFiltered limits the findings of a rule that are compared with comments and a baseline.
const mostFiltered = 100_000

// Run runs lint and filters the findings. It also reports comments that suppress nothing or name a rule that the set
// does not have. Findings and comments are matched by the lines of the text. Removing a finding hides nothing else: the
// cause of a suppressed or known finding, such as a pending register, is reported at the next access. Which comments
// are used, and which entries of the baseline, does not depend on the severities that are reported, nor on the number
// of findings. Comments and entries for rules that are not checked are not judged.
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
	own, more := take(f.Comments, own) // a comment may suppress findings about itself
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

// once returns left without the findings that have the same cause as an earlier one in left. It runs lint again,
// keeping only the causes of findings that were removed.
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
		msg string // of findings that name no other instruction: one place may have several
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
