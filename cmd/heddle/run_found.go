package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A met is the findings in a run, and the fault that ended it.
type met struct {
	check.Findings
	// Excepted are findings that a comment or a file suppresses.
	Excepted []excepted `json:"suppressed_findings,omitempty"`
	Known    int        `json:"in_baseline,omitempty"`
	// Incomplete is the reason why only a part of the run was checked; "": all of it was.
	Incomplete string `json:"incomplete,omitempty"`
	checked
	path   string // of the code
	name   string // of a case, which others of the file have not; ""
	fail   FailOn
	checks sanitize.Check
	code   *ranCode
}

// An excepted finding is one that is suppressed.
type excepted struct {
	check.Finding
	Reason string `json:"reason"` // "": the comment gives none
	inText bool   // by a comment
}

// A ranCode is the code of a run: its file, and the comments in its text that suppress findings.
type ranCode struct {
	path     string
	comments []*linter.Suppression
}

// text adds the comments of one of several texts that run.
func (r *ranCode) text(t *isa.Target, file string, text []byte) {
	for _, s := range linter.Suppressions(t, nil, text) {
		s.File = file
		r.comments = append(r.comments, s)
	}
}

// met returns the findings since watcher was called; fault is the error of the run.
func (c *runCmd) met(a *app, fault error) met { return c.since(a, fault, c.checks(), c.Target) }

// since returns what checks have found of the code of a file since found was made; fault is the error of the run.
func (r *Reporting) since(a *app, fault error, checks sanitize.Check, path string) met {
	m := met{Findings: r.found.Findings(fault), fail: r.FailOn, checks: checks, path: path, code: &r.ran}
	if r.ran.path != "" {
		m.path = r.ran.path
	}
	if r.found != nil {
		if m.Incomplete = r.found.Incomplete(); fault != nil {
			m.Incomplete = check.CutShort
		}
	}
	if r.linted != nil {
		m.checked = *r.linted
	}
	for i := range m.Faults {
		m.Faults[i].Msg = a.plainText(m.Faults[i].Msg)
	}
	m.filter(r)
	return m
}

// filter removes the findings that are suppressed or in the baseline.
func (m *met) filter(r *Reporting) {
	m.Findings.Findings = slices.DeleteFunc(m.Findings.Findings, func(x check.Finding) bool {
		gone := excepted{Finding: x, Reason: r.except(&x.Found)}
		if s := linter.Ignored(m.code.comments, &x.Found); s != nil {
			gone.Reason, gone.inText = s.Reason, true
		} else if gone.Reason == "" {
			return false
		}
		m.Excepted = append(m.Excepted, gone)
		return true
	})
	if r.base == nil || r.WriteBaseline != "" {
		return
	}
	known, i := r.base.Has(m.path, m.asLint()), -1
	m.Findings.Findings = slices.DeleteFunc(m.Findings.Findings, func(check.Finding) bool {
		if i++; known[i] {
			m.Known++
		}
		return known[i]
	})
}

// asLint returns the findings in the form of lint.
func (m *met) asLint() (list []lint.Finding) {
	for i := range m.Findings.Findings {
		f := linter.AsLint(&m.Findings.Findings[i].Found)
		if f.Other != nil { // a baseline tells findings apart by their text
			f.Text += "; " + f.Other.Text
		}
		if f.Place.Symbol == "" { // a file may have many cases
			f.Place.Symbol = m.name
		}
		list = append(list, f)
	}
	return list
}

// same returns what is the same on all engines and any number of workers: what was found, and how often.
func (m *met) same() (list []string) {
	for i := range m.Findings.Findings {
		x := &m.Findings.Findings[i]
		list = append(list, fmt.Sprintf("%s %d %#x", x.ID, x.Count, x.At.Addr))
	}
	return list
}

// err returns the error for a run with findings that --fail-on selects.
func (m *met) err() error {
	var what []string
	n := 0
	for i := range m.Findings.Findings {
		if m.fail.fails(m.Findings.Findings[i].Found.Severity()) {
			n++
		}
	}
	if n > 0 {
		what = append(what, spell.Count(n, "finding")+" of the sanitizer")
	}
	if n := m.failing; n > 0 {
		what = append(what, spell.Count(n, "finding")+" of lint")
	}
	if what == nil || m.never {
		return nil
	}
	return wrong{errors.New(strings.Join(what, ", "))}
}

// print prints the findings, each after an indent. The fault is printed as the error of the run.
func (m *met) print(a *app, indent string) {
	for i := range m.Findings.Findings {
		m.printFound(a, indent, &m.Findings.Findings[i])
	}
	m.checked.print(a, indent)
	gone := filtered(len(m.Suppressed)+len(m.Excepted), m.Known)
	switch n := len(m.Findings.Findings); {
	case m.Incomplete != "" && n == 0:
		a.say("%scheck: incomplete: %s; none was found up to there%s\n", indent, m.Incomplete, gone)
	case m.Incomplete != "":
		a.say("%scheck: incomplete: %s; %s up to there%s\n", indent, m.Incomplete, spell.Count(n, "finding"), gone)
	case m.Lint != nil && n+len(m.found)+m.Left == 0:
		a.printf("%scheck: no findings of the sanitizer, none of lint%s\n", indent, gone)
	case m.checks != 0 && n == 0:
		a.printf("%ssanitizer: no findings of %s%s\n", indent, strings.ReplaceAll(m.checks.String(), ",", ", "), gone)
	}
}

// printFound prints a finding: place, severity, what is wrong, rule and instruction, and a line for each other
// instruction.
func (m *met) printFound(a *app, indent string, x *check.Finding) {
	f := &x.Found
	place, at := placeOf(m.path, &f.At.Place)
	a.say("%s%s: %s: %s [%s] in %q%s\n", indent, place, x.Severity, f.Msg, f.Rule, f.At.Text, at)
	for i := range f.Others {
		o := &f.Others[i]
		if f.Left > 0 && i == len(f.Others)-1 {
			a.printf("%s    and %d more\n", indent, f.Left)
		}
		place, at := placeOf(m.path, &o.Place)
		a.say("%s    %s: %s %q%s\n", indent, place, f.Does(i), o.Text, at)
	}
	a.say("%s    %s, %s\n", indent, x.ID, timesFound(f))
}

// timesFound says how often a finding was found, and where first.
func timesFound(f *sanitize.Finding) string {
	s := "found for " + spell.Count(int(min(f.Count, 1<<62)), f.Unit)
	switch {
	case f.Unit == "time" && f.Count == 1:
		s = "found once"
	case f.Unit == "time":
		s = fmt.Sprintf("found %d times", f.Count)
	}
	if f.Rule == "idle-wait" || f.At.Item != nil { // it is about all, or about a draw
		return s
	}
	return s + fmt.Sprintf(", first in group (%d,%d,%d)", f.Group[0], f.Group[1], f.Group[2])
}

// keepFindings adds the findings of a run to what is written when the command ends.
func (r *Reporting) keepFindings(m *met) {
	r.baseline(m)
	r.all, r.any = append(r.all, *m), true
}

// baseline moves the findings of a run to the file of --write-baseline.
func (r *Reporting) baseline(m *met) {
	if !r.several && r.base != nil && r.WriteBaseline != "" {
		r.base.Add(m.path, m.asLint())
		m.Known, m.Findings.Findings = len(m.Findings.Findings), m.Findings.Findings[:0]
	}
}

// writeFindings writes the files of --report and --write-baseline, and lists what suppresses nothing.
func (r *Reporting) writeFindings(a *app, command string) error {
	if !r.any { // nothing has run to an end
		return nil
	}
	var err error
	for _, f := range r.reports {
		err = errors.Join(err, a.save(f.path, func(w io.Writer) error { return r.report(a, f.form, command, w) }))
	}
	if r.WriteBaseline != "" {
		err = errors.Join(err, r.writeBaseline(a, 0))
	}
	r.unused(a)
	if err != nil {
		return fmt.Errorf("findings: %w", err)
	}
	return nil
}
