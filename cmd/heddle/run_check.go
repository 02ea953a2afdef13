package main

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// A checked is what run --check finds in the code without running it.
type checked struct {
	Lint       *[]jsonLintFinding `json:"lint,omitempty"` // nil: without --check
	Suppressed []jsonSuppressed   `json:"suppressed,omitempty"`
	Left       int                `json:"left,omitempty"` // number of findings that are not listed
	file       string
	found      []lint.Finding
	failing    int  // findings that --fail-on selects
	never      bool // no finding makes the exit code 1
}

// lintCode notes which code runs, and lints it before it does, with --check.
func (c *runCmd) lintCode(path string, k *code) {
	c.ran = ranCode{path, nil}
	if k.source != nil {
		c.ran.comments = linter.Suppressions(k.target, k.format, k.source)
	}
	if !c.Check {
		return
	}
	least := isa.SeverityWarning
	if c.FailOn.FailOn != "never" {
		least = max(least, severityOf(c.FailOn.FailOn))
	}
	defer collectOften(len(k.data))()
	r := k.lint(lint.Options{Least: least}, linter.Filter{File: path})
	list := []jsonLintFinding{}
	l := &checked{Lint: &list, Left: r.Left, file: path, found: r.Findings, failing: r.Beyond, never: c.FailOn.FailOn == "never"}
	for i := range r.Findings {
		if c.fails(r.Findings[i].Severity) {
			l.failing++
		}
		list = append(list, jsonFindingOf(&r.Findings[i]))
	}
	for i := range r.Suppressed {
		l.Suppressed = append(l.Suppressed, jsonSuppressed{jsonFindingOf(&r.Suppressed[i].Finding), r.Suppressed[i].By.Reason})
	}
	c.linted = l
}

// lintText is lintCode for an assembled text. The error is that its instructions have no encoding for lint.
func (c *runCmd) lintText(path string, r *asm.Assembly, source []byte) error {
	if c.Check && slices.ContainsFunc(r.Bundles, func(b isa.Bundle) bool { return b.Private() }) {
		return hinted{fmt.Errorf("--check: %s has instructions without a public encoding, which lint does not read", path), "--races and --waits look at the run alone"}
	}
	c.lintCode(path, &code{target: r.Target, text: r, source: source})
	return nil
}

// lintProgram is lintCode for the code object assembled from sections.
func (c *runCmd) lintProgram(path string, r *assembled, o *object.CodeObject) error {
	t, err := findFor(o, path, "", "")
	if err == nil {
		c.lintCode(path, &code{target: t, object: o, source: r.source, format: r.format})
	}
	return err
}

// lintBuild is lintCode for a build of a manifest.
func (c *runCmd) lintBuild(m *casefile.Manifest, b *casefile.Build) error {
	path := m.Path(b.File)
	if !c.Check && c.checks() == 0 {
		return nil
	}
	var text *asm.Assembly
	var source []byte
	read := *m
	read.Assemble = func(b *casefile.Build, file string, data []byte) (_ []byte, err error) {
		text, err = check.Assembled(b, file, data)
		source = data
		return nil, err
	}
	data, err := read.ReadCode(b)
	if err != nil {
		return err
	}
	if text != nil {
		return c.lintText(path, text, source)
	}
	k := &code{data: data}
	if object.IsHSA(data) {
		return c.lintObject(path, data)
	}
	if k.target, err = sets.Lookup(b.ISA + ":" + b.Variant); err == nil {
		c.lintCode(path, k)
	}
	return err
}

// lintObject is lintCode for a code object.
func (c *runCmd) lintObject(path string, data []byte) error {
	if c.ran = (ranCode{path, nil}); !c.Check {
		return nil
	}
	k := &code{data: data}
	if err := k.read(&CodeFile{}, path, data, &Style{}); err != nil {
		return err
	}
	c.lintCode(path, k)
	return nil
}

// print prints the findings, indented.
func (l *checked) print(a *app, indent string) {
	for i := range l.found {
		printFinding(a, indent, l.file, &l.found[i])
	}
	if l.Left > 0 {
		a.printf("%s%d more findings of lint are not shown\n", indent, l.Left)
	}
}
