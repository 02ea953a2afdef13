package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A metReport is the findings in one file of code, in a JSON report.
type metReport struct {
	File string `json:"file"`
	Case string `json:"case,omitempty"`
	*met
}

// report writes the findings of all runs of a command.
func (r *Reporting) report(a *app, form, command string, w io.Writer) error {
	switch form {
	case "sarif":
		log, err := r.runSARIF(a)
		if err != nil {
			return err
		}
		return writeJSON(w, log)
	case "junit":
		return r.runJUnit(command, w)
	}
	list := []metReport{}
	for i := range r.all {
		list = append(list, metReport{r.all[i].path, r.all[i].name, &r.all[i]})
	}
	return writeJSON(w, list)
}

// sanitizePage describes the rules of the sanitizer.
const sanitizePage = home + "/blob/main/docs/sanitize.md"

// faultRule is the rule of a fault, which is a finding in reports.
const faultRule = "fault"

// runSARIF returns the findings as a log of one run.
func (r *Reporting) runSARIF(a *app) (sarifLog, error) {
	rules := []sarifRule{{ID: faultRule, Short: sarifText{"A wave ends by a fault."}, HelpURI: sanitizePage, Config: sarifDefault{"error"}}}
	for _, x := range sanitize.Rules() {
		rules = append(rules, sarifRule{ID: x.ID, Short: sarifText{x.Doc}, HelpURI: sanitizePage, Config: sarifDefault{x.Severity.String()}})
	}
	if r.linted != nil {
		more, err := mergedRules()
		if err != nil {
			return sarifLog{}, err
		}
		rules = append(rules, more...)
	}
	var list []sarifResult
	for i := range r.all {
		list = append(list, r.all[i].sarif(a)...)
	}
	return sarifOf(rules, list), nil
}

// sarif returns the findings of a run as results.
func (m *met) sarif(a *app) (list []sarifResult) {
	at := sarifPlaces{a: a, file: m.path, linted: &linted{target: &isa.Target{}}, lines: map[string][][]byte{}}
	if data, err := a.readNow(m.path); err == nil && object.IsHSA(data) {
		at.files = rangesOf(data)
	}
	found := func(x *check.Finding) sarifResult {
		f := linter.AsLint(&x.Found)
		r := at.result(&f)
		for i := range x.Found.Others[min(1, len(x.Found.Others)):] {
			o := &x.Found.Others[i+1]
			r.Related = append(r.Related, at.locations(&lint.Instruction{Addr: o.Place.Addr, Text: o.Text, Place: o.Place}, o.Role+": ")[:1]...)
		}
		r.Fingerprints = map[string]string{"heddle/v1": x.ID}
		return r
	}
	for i := range m.Findings.Findings {
		list = append(list, found(&m.Findings.Findings[i]))
	}
	for i := range m.Excepted {
		r := found(&m.Excepted[i].Finding)
		r.Suppressions = []sarifSuppression{{"external", m.Excepted[i].Reason}}
		if m.Excepted[i].inText {
			r.Suppressions[0].Kind = "inSource"
		}
		list = append(list, r)
	}
	for i := range m.Faults {
		f := faultFinding(&m.Faults[i])
		list = append(list, at.result(&f))
	}
	for i := range m.found {
		list = append(list, at.result(&m.found[i]))
	}
	return list
}

// faultFinding returns a fault in the form of a finding of lint.
func faultFinding(f *check.Fault) lint.Finding {
	return lint.Finding{Finding: isa.Finding{Rule: faultRule, Msg: f.Msg}, Instruction: lint.Instruction{Addr: f.Place.Addr, Text: f.At.Text, Place: f.Place}}
}

// runJUnit writes a test suite for each run: a case for each finding, which fails if --fail-on selects it, and one that
// passes if none fails.
func (r *Reporting) runJUnit(command string, w io.Writer) error {
	all := junitSuites{Name: "heddle " + command}
	for i := range r.all {
		all.add(r.all[i].suite())
	}
	if len(r.all) == 0 {
		all.add((&met{}).suite())
	}
	return writeXML(w, all)
}

// suite returns the findings of a run as a test suite.
func (m *met) suite() junitSuite {
	s := junitSuite{Name: shown(strings.TrimSuffix(m.path+": "+m.name, ": "))}
	add := func(f *lint.Finding, class, skipped string) {
		x := junitCaseOf(m.path, &m.fail, f)
		x.Class = class
		if skipped != "" {
			x.Failure, x.Out, x.Skipped = nil, nil, &junitWhat{Message: shown(skipped)}
			s.Skipped++
		}
		if x.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, x)
	}
	for i := range m.Findings.Findings {
		f := linter.AsLint(&m.Findings.Findings[i].Found)
		add(&f, "heddle.run."+m.Findings.Findings[i].Check, "")
	}
	for i := range m.Excepted {
		f := linter.AsLint(&m.Excepted[i].Found)
		add(&f, "heddle.run."+m.Excepted[i].Check, fmt.Sprintf("suppressed: %s", orNoReason(m.Excepted[i].Reason)))
	}
	for i := range m.Faults {
		f := faultFinding(&m.Faults[i])
		x := junitCaseOf(m.path, &FailOn{FailOn: "error"}, &f) // whatever --fail-on says
		x.Class = "heddle.run.fault"
		s.Failures++
		s.Cases = append(s.Cases, x)
	}
	for i := range m.found {
		add(&m.found[i], "heddle.lint", "")
	}
	if s.Failures == 0 {
		s.Cases = append(s.Cases, junitCase{Name: "no findings that fail", Class: "heddle.run", File: shown(m.path)})
	}
	s.Tests = len(s.Cases)
	return s
}
