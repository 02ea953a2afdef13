package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/loc"
)

// tell reports the findings in the requested format.
func (c *lintCmd) tell(a *app, r *linted) error {
	form, err := c.form()
	if err != nil {
		return err
	}
	switch form {
	case "json":
		return a.json(c.report(r))
	case "junit":
		return a.xml(c.junit(r))
	case "sarif":
		return a.json(c.sarif(a, r))
	}
	c.print(a, r)
	if a.out.Flush() == nil { // else that error is reported
		fmt.Fprintf(a.err, "heddle: %s\n", shownText(c.File+": "+r.summary()))
		r.stale(c).tell(a, c.Baseline.Baseline)
	}
	return nil
}

// stale returns the entries of the baseline that match no finding.
func (r *linted) stale(c *lintCmd) *staleList {
	l := &staleList{r.Stale}
	l.gone(c.base)
	return l
}

// print writes findings.
func (c *lintCmd) print(a *app, r *linted) {
	for i := range r.Findings {
		printFinding(a, "", c.File, &r.Findings[i])
	}
}

// printFinding writes a finding in a file, with an indent before its lines.
func printFinding(a *app, indent, file string, f *lint.Finding) {
	place, at := placeOfFinding(file, f)
	a.say("%s%s: %s: %s [%s]", indent, place, f.Severity, f.Msg, f.Rule)
	if f.Text != "" {
		a.say(" in %q", f.Text)
	}
	a.say("%s\n", at)
	if f.Other != nil {
		place, at := placeOf(file, &f.Other.Place)
		a.say("%s    %s: %q%s\n", indent, place, f.Other.Text, at)
	}
	if f.Hint != "" {
		a.say("%s    %s\n", indent, f.Hint)
	}
	if f.Source != "" {
		a.say("%s    see %s\n", indent, f.Source)
	}
}

// placeOfFinding is placeOf for a finding. A finding about a comment has no instruction and no address.
func placeOfFinding(file string, f *lint.Finding) (place, at string) {
	if place, at = placeOf(file, &f.Place); f.Rule == lint.RuleUnused {
		at = ""
	}
	return place, at
}

// placeOf returns the place of an instruction in a file: line and column of assembly, or of the source of a compiled
// file, in the format of compilers so that editors recognise it; or the file and the address. at is additional
// information for the end of the line.
func placeOf(file string, p *loc.Place) (place, at string) {
	more := *p
	switch {
	case p.Text.Known():
		more.Text = loc.Position{}
		return p.Text.String(), " at " + more.String()
	case clang.IsSource(file) && p.Source.Known():
		source := p.Source
		if filepath.Base(source.File) == filepath.Base(file) {
			source.File = file
		}
		more.Source = loc.Position{}
		return source.String(), " at " + more.String()
	}
	if at := p.String(); at != fmt.Sprintf("%#x", p.Addr) {
		return fmt.Sprintf("%s+%#x", file, p.Addr), " at " + at
	}
	return fmt.Sprintf("%s+%#x", file, p.Addr), ""
}

// forget drops data that only the report of the file needs.
func (r *linted) forget() { r.files = nil }

// summary describes the findings, and how much was linted.
func (r *linted) summary() string {
	var found []string
	for s := isa.SeverityError; s <= isa.SeverityNote; s++ {
		if n := r.Count(s); n > 0 {
			found = append(found, spell.Count(n, s.String()))
		}
	}
	if r.Left > 0 {
		found = append(found, fmt.Sprintf("%d more that are not shown", r.Left))
	}
	if found == nil {
		found = []string{"no findings"}
	}
	in := []string{spell.Count(r.Instructions, "instruction")}
	if r.Reached < r.Instructions {
		in = append(in, fmt.Sprintf("%d of them reached", r.Reached))
	}
	where := spell.Count(r.Kernels, "entry")
	if r.Kernels != 1 {
		where = fmt.Sprintf("%d entries", r.Kernels)
	}
	if r.Functions > 0 {
		where += " and " + spell.Count(r.Functions, "function")
	}
	return fmt.Sprintf("%s%s in %s from %s", strings.Join(found, ", "), filtered(len(r.Suppressed), r.Known), strings.Join(in, ", "), where)
}

// A jsonLint is the output of lint --json.
type jsonLint struct {
	File         string            `json:"file"`
	ISA          string            `json:"isa"`
	Bytes        int               `json:"bytes"`
	Instructions int               `json:"instructions"` // that were checked
	Reached      int               `json:"reached"`      // of these, from entries
	Kernels      int               `json:"kernels"`      // entries of kernels
	Functions    int               `json:"functions"`
	Errors       int               `json:"errors"`
	Warnings     int               `json:"warnings"`
	Notes        int               `json:"notes"`
	Left         int               `json:"left,omitempty"` // number of findings that are not listed
	Findings     []jsonLintFinding `json:"findings"`
	Suppressed   []jsonSuppressed  `json:"suppressed,omitempty"` // by comments
	Known        int               `json:"in_baseline,omitempty"`
	staleList
}

// A jsonSuppressed is a finding that a comment suppresses.
type jsonSuppressed struct {
	jsonLintFinding
	Reason string `json:"reason"` // "": the comment gives none
}

type jsonLintFinding struct {
	jsonInstruction
	Rule     string           `json:"rule"`
	Severity string           `json:"severity"`
	Msg      string           `json:"msg"`
	Source   string           `json:"source,omitempty"` // where the rule is described
	Hint     string           `json:"hint,omitempty"`
	Other    *jsonInstruction `json:"other,omitempty"` // the other instruction
}

type jsonInstruction struct {
	loc.JSON
	Text string `json:"text,omitempty"`
}

func (c *lintCmd) report(r *linted) jsonLint {
	j := jsonLint{File: c.File, ISA: r.target.String(), Bytes: r.Bytes, Instructions: r.Instructions, Reached: r.Reached, Kernels: r.Kernels,
		Functions: r.Functions, Errors: r.Count(isa.SeverityError), Warnings: r.Count(isa.SeverityWarning), Notes: r.Count(isa.SeverityNote),
		Left: r.Left, Findings: []jsonLintFinding{}}
	for i := range r.Findings {
		j.Findings = append(j.Findings, jsonFindingOf(&r.Findings[i]))
	}
	for i := range r.Suppressed {
		x := &r.Suppressed[i]
		j.Suppressed = append(j.Suppressed, jsonSuppressed{jsonFindingOf(&x.Finding), x.By.Reason})
	}
	j.Known, j.staleList = r.Known, staleList{r.Filtered.Stale}
	return j
}

func jsonFindingOf(f *lint.Finding) jsonLintFinding {
	x := jsonLintFinding{jsonInstruction{f.Place.JSON(), f.Text}, f.Rule, f.Severity.String(), f.Msg, f.Source, f.Hint, nil}
	if f.Other != nil {
		x.Other = &jsonInstruction{f.Other.Place.JSON(), f.Other.Text}
	}
	return x
}

// junit returns the report of one file.
func (c *lintCmd) junit(r *linted) junitSuites {
	all := junitSuites{Name: "heddle lint"}
	all.add(c.suite(r))
	return all
}

// suite returns a test suite for a file: one case per finding, which fails if --fail-on selects it, and a passing case
// if none fails.
func (c *lintCmd) suite(r *linted) junitSuite {
	s := junitSuite{Name: shown(c.File)}
	class := "heddle.lint." + r.target.String()
	for i := range r.Findings {
		f := &r.Findings[i]
		x := c.junitCase(f)
		x.Class = class
		if x.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, x)
	}
	for i := range r.Suppressed {
		f := &r.Suppressed[i]
		x := c.junitCase(&f.Finding)
		x.Class, x.Failure, x.Out, x.Skipped = class, nil, nil, &junitWhat{Message: shown(reasonOf(f))}
		s.Skipped++
		s.Cases = append(s.Cases, x)
	}
	if s.Failures == 0 {
		s.Cases = append(s.Cases, junitCase{Name: "no " + c.failing(), Class: class, File: shown(c.File), Out: &junitPlain{r.summary()}})
	}
	s.Tests = len(s.Cases)
	return s
}

// failing describes in the plural what makes a suite fail.
func (c *lintCmd) failing() string {
	if c.FailOn.FailOn == "note" {
		return "findings"
	}
	return map[bool]string{true: "warnings", false: "errors"}[c.FailOn.FailOn == "warning"]
}

// junitCase returns a finding as a case. Its file and line are those of the text, else of the source.
func (c *lintCmd) junitCase(f *lint.Finding) junitCase { return junitCaseOf(c.File, &c.FailOn, f) }

// junitCaseOf returns a finding in a file as a case, which fails if --fail-on selects it.
func junitCaseOf(file string, fail *FailOn, f *lint.Finding) junitCase {
	place, at := placeOfFinding(file, f)
	p := f.Place.Position()
	x := junitCase{Name: shown(f.Rule + " " + place), File: shown(cmp.Or(p.Path, p.File, file)), Line: p.Line}
	text := fmt.Sprintf("%s: %s: %s%s", place, f.Severity, f.Msg, at)
	other := ""
	if f.Other != nil {
		place, at := placeOf(file, &f.Other.Place)
		other = fmt.Sprintf("%s: %q%s", place, f.Other.Text, at)
	}
	for _, more := range []string{f.Text, other, f.Hint, f.Source} {
		if more != "" {
			text += "\n" + more
		}
	}
	if fail.fails(f.Severity) {
		x.Failure = &junitWhat{shown(f.Msg), shown(f.Rule), shownText(text)}
	} else {
		x.Out = &junitPlain{shownText(text)}
	}
	return x
}

// A fileRange is a part of a file that is loaded at an address.
type fileRange struct{ addr, off, size uint64 }

// rangesOf returns the loaded parts of a code object.
func rangesOf(data []byte) (list []fileRange) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			list = append(list, fileRange{p.Vaddr, p.Off, p.Filesz})
		}
	}
	return list
}
