package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// tell reports what was found in the form that is asked for.
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
		log, err := c.sarif(a, r)
		if err != nil {
			return err
		}
		return a.json(log)
	}
	c.print(a, r)
	if a.out.Flush() == nil { // else that is said
		fmt.Fprintf(a.err, "heddle: %s\n", shownText(c.File+": "+r.summary()))
	}
	return nil
}

// print writes findings.
func (c *lintCmd) print(a *app, r *linted) {
	for i := range r.Findings {
		f := &r.Findings[i]
		place, at := r.place(c.File, f.Addr)
		a.say("%s: %s: %s [%s]", place, f.Severity, f.Msg, f.Rule)
		if f.Text != "" {
			a.say(" in %q", f.Text)
		}
		a.say("%s\n", at)
		if f.Other != nil {
			place, at := r.place(c.File, f.Other.Addr)
			a.say("    %s: %q%s\n", place, f.Other.Text, at)
		}
		if f.Hint != "" {
			a.say("    %s\n", f.Hint)
		}
		if f.Source != "" {
			a.say("    see %s\n", f.Source)
		}
	}
}

// place is an address of the file. Of assembly it is line and column, as compilers say them so that editors find them, and the address
// stands behind.
func (r *linted) place(file string, addr uint64) (place, at string) {
	if line, col := r.line(addr); line > 0 {
		return fmt.Sprintf("%s:%d:%d", file, line, col), fmt.Sprintf(" at %#x", addr)
	}
	return fmt.Sprintf("%s+%#x", file, addr), ""
}

// line is the line and column of an address, 0 if there is none.
func (r *linted) line(addr uint64) (line, col int) {
	if r.text == nil {
		return 0, 0
	}
	i, _ := slices.BinarySearchFunc(r.text.Lines, int(addr-r.text.Base)+1, func(l asm.SourceLine, off int) int { return l.Off - off })
	if i == 0 {
		return 0, 0
	}
	at := &r.text.Lines[i-1]
	return int(at.Line), int(at.Col)
}

// forget drops what only the report of the file needs.
func (r *linted) forget() { r.text, r.files = nil, nil }

// summary says what was found in how much.
func (r *linted) summary() string {
	var found []string
	for s := isa.SeverityError; s <= isa.SeverityNote; s++ {
		if n := r.Count(s); n > 0 {
			found = append(found, count(n, s.String()))
		}
	}
	if r.Left > 0 {
		found = append(found, fmt.Sprintf("%d more that are not shown", r.Left))
	}
	if found == nil {
		found = []string{"no findings"}
	}
	in := []string{count(r.Instructions, "instruction")}
	if r.Reached < r.Instructions {
		in = append(in, fmt.Sprintf("%d of them reached", r.Reached))
	}
	where := count(r.Kernels, "entry")
	if r.Kernels != 1 {
		where = fmt.Sprintf("%d entries", r.Kernels)
	}
	if r.Functions > 0 {
		where += " and " + count(r.Functions, "function")
	}
	return fmt.Sprintf("%s in %s from %s", strings.Join(found, ", "), strings.Join(in, ", "), where)
}

// A jsonLint is what lint --json prints.
type jsonLint struct {
	File         string            `json:"file"`
	ISA          string            `json:"isa"`
	Bytes        int               `json:"bytes"`
	Instructions int               `json:"instructions"` // that were looked at
	Reached      int               `json:"reached"`      // of these, from entries
	Kernels      int               `json:"kernels"`      // entries at which waves begin
	Functions    int               `json:"functions"`
	Errors       int               `json:"errors"`
	Warnings     int               `json:"warnings"`
	Notes        int               `json:"notes"`
	Left         int               `json:"left,omitempty"` // findings that are not in the list
	Findings     []jsonLintFinding `json:"findings"`
}

type jsonLintFinding struct {
	Addr     uint64      `json:"addr"`
	Line     int         `json:"line,omitempty"` // of assembly
	Col      int         `json:"col,omitempty"`
	Text     string      `json:"text,omitempty"`
	Rule     string      `json:"rule"`
	Severity string      `json:"severity"`
	Msg      string      `json:"msg"`
	Source   string      `json:"source,omitempty"`
	Hint     string      `json:"hint,omitempty"`
	Other    *lint.Place `json:"other,omitempty"` // the other instruction
}

func (c *lintCmd) report(r *linted) jsonLint {
	j := jsonLint{File: c.File, ISA: r.target.String(), Bytes: r.Bytes, Instructions: r.Instructions, Reached: r.Reached, Kernels: r.Kernels,
		Functions: r.Functions, Errors: r.Count(isa.SeverityError), Warnings: r.Count(isa.SeverityWarning), Notes: r.Count(isa.SeverityNote),
		Left: r.Left, Findings: []jsonLintFinding{}}
	for _, f := range r.Findings {
		line, col := r.line(f.Addr)
		j.Findings = append(j.Findings, jsonLintFinding{f.Addr, line, col, f.Text, f.Rule, f.Severity.String(), f.Msg, f.Source, f.Hint, f.Other})
	}
	return j
}

// junit is the report of one file.
func (c *lintCmd) junit(r *linted) junitSuites {
	all := junitSuites{Name: "heddle lint"}
	all.add(c.suite(r))
	return all
}

// suite is a test suite of a file: a case for each finding, which fails if --fail-on means it; and one that passes if none fails.
func (c *lintCmd) suite(r *linted) junitSuite {
	s := junitSuite{Name: shown(c.File)}
	class := "heddle.lint." + r.target.String()
	for i := range r.Findings {
		f := &r.Findings[i]
		place, at := r.place(c.File, f.Addr)
		line, _ := r.line(f.Addr)
		x := junitCase{Name: shown(f.Rule + " " + place), Class: class, File: shown(c.File), Line: line}
		text := fmt.Sprintf("%s: %s: %s%s", place, f.Severity, f.Msg, at)
		for _, more := range []string{f.Text, f.Hint, f.Source} {
			if more != "" {
				text += "\n" + more
			}
		}
		if c.fails(f.Severity) {
			x.Failure = &junitWhat{shown(f.Msg), shown(f.Rule), shownText(text)}
			s.Failures++
		} else {
			x.Out = &junitPlain{shownText(text)}
		}
		s.Cases = append(s.Cases, x)
	}
	if s.Failures == 0 {
		s.Cases = append(s.Cases, junitCase{Name: "no " + c.failing(), Class: class, File: shown(c.File), Out: &junitPlain{r.summary()}})
	}
	s.Tests = len(s.Cases)
	return s
}

// failing is what makes a suite fail, in the plural.
func (c *lintCmd) failing() string {
	if c.FailOn.FailOn == "note" {
		return "findings"
	}
	return map[bool]string{true: "warnings", false: "errors"}[c.FailOn.FailOn == "warning"]
}

// sarif is all rules of the set, and the findings.
func (c *lintCmd) sarif(a *app, r *linted) (sarifLog, error) {
	results, err := c.sarifResults(a, r)
	if err != nil {
		return sarifLog{}, err
	}
	var rules []sarifRule
	for _, x := range lint.Rules(r.target) {
		rules = append(rules, sarifRule{ID: x.ID, Short: sarifText{x.Doc}, Full: &sarifText{x.Doc + " See " + x.Source + "."}, HelpURI: lintPage,
			Config: sarifDefault{x.Severity.String()}})
	}
	return sarifOf(rules, results), nil
}

// sarifResults are the findings of a file.
func (c *lintCmd) sarifResults(a *app, r *linted) ([]sarifResult, error) {
	if err := r.countColumns(a, c.File); err != nil {
		return nil, err
	}
	var results []sarifResult
	for i := range r.Findings {
		f := &r.Findings[i]
		text := f.Msg
		if f.Hint != "" {
			text += ": " + f.Hint
		}
		x := sarifResult{RuleID: f.Rule, Level: f.Severity.String(), Message: sarifText{text}, Locations: []sarifLocation{{Physical: c.physical(r, f.Addr)}}}
		if f.Other != nil {
			x.Related = []sarifLocation{{c.physical(r, f.Other.Addr), &sarifText{f.Other.Text}}}
		}
		results = append(results, x)
	}
	return results, nil
}

// countColumns counts the columns of findings in characters, as sarifOf says that they are; asm counts bytes. Lines of the file are
// read again for it; a pipe has none, and no columns.
func (r *linted) countColumns(a *app, file string) error {
	if r.text == nil || len(r.Findings) == 0 {
		return nil
	}
	var lines [][]byte
	if info, err := os.Stat(file); file != "-" && err == nil && info.Mode().IsRegular() {
		text, err := a.readNow(file)
		if err != nil {
			return err
		}
		lines = bytes.Split(text, []byte("\n"))
	}
	for i := range r.text.Lines {
		x := &r.text.Lines[i]
		col := int(x.Col)
		if x.Col = 0; int(x.Line) <= len(lines) && col <= len(lines[x.Line-1]) {
			x.Col = int32(utf8.RuneCount(lines[x.Line-1][:col-1]) + 1)
		}
	}
	return nil
}

// physical is a place of the file: a line of a text, bytes of a binary, and the address of what is loaded at one.
func (c *lintCmd) physical(r *linted, addr uint64) sarifPhysical {
	p := sarifPhysical{Artifact: artifactOf(c.File), Address: &sarifAddress{addr}}
	if line, col := r.line(addr); line > 0 {
		p.Region = &sarifRegion{StartLine: line, StartColumn: col}
		return p
	}
	for _, f := range r.files {
		if off := addr - f.addr; addr >= f.addr && off < f.size {
			at := f.off + off
			p.Region = &sarifRegion{ByteOffset: &at, ByteLength: int(min(f.size-off, uint64(max(r.target.Unit, 1))))}
			return p
		}
	}
	return p
}

// A fileRange is a part of a file that is loaded at an address.
type fileRange struct{ addr, off, size uint64 }

// rangesOf are what of a code object is loaded.
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
