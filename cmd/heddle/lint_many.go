package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/many"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// A lintTotal counts the findings in many files.
type lintTotal struct {
	manyTotal
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Left     int `json:"left,omitempty"`

	Suppressed int `json:"suppressed"`
	Known      int `json:"in_baseline"`
	staleList

	broken int // number of files that were not linted
}

// add adds the findings in a file.
func (t *lintTotal) add(r *linted) {
	t.Errors += r.Count(isa.SeverityError)
	t.Warnings += r.Count(isa.SeverityWarning)
	t.Notes += r.Count(isa.SeverityNote)
	t.Left += r.Left
	t.Suppressed += len(r.Suppressed)
	t.Known += r.Known
	t.Stale = append(t.Stale, r.Stale...)
}

// found describes the findings in words.
func (t *lintTotal) found() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{t.Errors, "error"}, {t.Warnings, "warning"}, {t.Notes, "note"}} {
		if x.n > 0 {
			parts = append(parts, spell.Count(x.n, x.what))
		}
	}
	if t.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d more that are not shown", t.Left))
	}
	if parts == nil {
		parts = []string{"no findings"}
	}
	return strings.Join(parts, ", ") + filtered(t.Suppressed, t.Known)
}

// A lintReport writes a report on many files: its start, the findings of one file, a file that cannot be read, and its
// end. It is written incrementally, so that memory use does not grow with its length.
type lintReport struct {
	begin  func(a *app) error
	file   func(c *lintCmd, a *app, r *linted) error
	failed func(a *app, f many.File, err error, code int)
	end    func(a *app, t *lintTotal)
	out    func(a *app) io.Writer // nil: standard output directly
	broken func(f many.File, err error)
}

// many lints many files.
func (c *lintCmd) many(a *app) error {
	form, err := c.form()
	if err != nil {
		return err
	}
	rep, err := lintReports[form]()
	if err == nil {
		err = c.readBaseline(a)
	}
	if err != nil {
		return err
	}
	t := &lintTotal{}
	w := c.work(rep, t)
	out := io.Writer(a.out)
	if rep.out != nil {
		out = rep.out(a)
	}
	begin := sync.OnceValue(func() error { return rep.begin(a) })
	w.out = lateWriter{begin, out}
	if t.manyTotal, err = eachFile(a, &c.Many, w); err != nil { // then the report is incomplete
		return err
	}
	t.Wrong -= t.broken - t.Unreadable // a source that clang rejects was not linted
	t.Unreadable = t.broken
	switch {
	case c.WriteBaseline == "":
	case t.broken > 0: // the baseline would lose its entries
		fmt.Fprintf(a.err, "heddle: %s is not written, since %s could not be looked at\n", shownText(c.WriteBaseline), spell.Count(t.broken, "file"))
		return t.end(a, t.said("refused"))
	default:
		if err := c.writeBaseline(a, t.Left); err != nil {
			return err
		}
		return t.end(a, t.said(""))
	}
	if err := begin(); err != nil {
		return err
	}
	t.gone(c.base)
	rep.end(a, t)
	if a.out.Flush() == nil {
		t.tell(a, c.Baseline.Baseline)
	}
	return t.end(a, t.says())
}

// says describes the total in words.
func (t *lintTotal) says() string {
	looked := t.Files - t.Unreadable
	switch {
	case t.Unreadable == 0:
		return t.found() + " in " + t.said("")
	case looked == 0:
		return "nothing was looked at: " + spell.Count(t.Files, "file") + " cannot be read, assembled or compiled" + t.passedOver()
	}
	return fmt.Sprintf("%s in %s; %d more could not be read, assembled or compiled", t.found(), spell.Count(looked, "file"), t.Unreadable) + t.passedOver()
}

// unreadable reports one file that cannot be linted in the requested format; JSON and text already have its error.
func (c *lintCmd) unreadable(a *app, err error) error {
	form, e := c.form()
	if e != nil || a.ctx.Err() != nil || form != "junit" && form != "sarif" {
		return err
	}
	rep, e := lintReports[form]()
	if e == nil {
		e = rep.begin(a)
	}
	if e != nil {
		return e
	}
	f := many.File{Path: c.File}
	if rep.failed != nil {
		rep.failed(a, f, err, exitOf(err))
	}
	if rep.broken != nil {
		rep.broken(f, err)
	}
	rep.end(a, &lintTotal{manyTotal: manyTotal{Files: 1, Unreadable: 1}})
	return err
}

// work returns the processing of each file, reported by rep and counted by t.
func (c *lintCmd) work(rep *lintReport, t *lintTotal) manyWork[*linted] {
	return manyWork[*linted]{command: "lint", paths: c.Paths, take: c.takesCode, takes: c.codeTaken(), compiling: &c.Compiling, failed: rep.failed,
		work: func(a *app, f many.File) (*linted, error) {
			one := *c
			one.File = f.Path
			r, err := one.look(a)
			if err != nil || c.WriteBaseline != "" {
				return r, err
			}
			if err := rep.file(&one, a, r); err != nil {
				return nil, err
			}
			r.forget()
			return r, one.verdict(r)
		},
		done: func(f many.File, r *linted, err error) error {
			switch {
			case r != nil:
				if t.add(r); c.WriteBaseline != "" {
					c.base.Add(f.Path, r.Findings)
				}
			case rep.broken != nil:
				rep.broken(f, err)
			}
			if r == nil {
				t.broken++
			}
			return nil
		}}
}

// lintReports are the reports by format. Each is used for one run.
var lintReports = map[string]func() (*lintReport, error){"text": textLints, "json": jsonLints, "junit": junitLints, "sarif": sarifLints}

// textLints prints findings in the same way as for one file.
func textLints() (*lintReport, error) {
	return &lintReport{begin: func(*app) error { return nil },
		file: func(c *lintCmd, a *app, r *linted) error { c.print(a, r); return nil },
		end:  func(*app, *lintTotal) {}}, nil
}

// jsonLints prints a line of JSON for each file, and one with the total.
func jsonLints() (*lintReport, error) {
	return &lintReport{begin: func(*app) error { return nil },
		file: func(c *lintCmd, a *app, r *linted) error {
			line, err := oneLine(c.report(r))
			a.out.Write(append(line, '\n'))
			return err
		},
		failed: failedLine,
		end:    func(a *app, t *lintTotal) { a.out.Write(totalLine(t)) }}, nil
}

// junitLints prints a test suite for each file; a file that cannot be read is a suite with an error.
func junitLints() (*lintReport, error) {
	suite := func(a *app, s junitSuite) error {
		e := xml.NewEncoder(a.out)
		e.Indent("  ", "  ")
		if err := e.EncodeElement(s, xml.StartElement{Name: xml.Name{Local: "testsuite"}}); err != nil {
			return err
		}
		return a.out.WriteByte('\n')
	}
	return &lintReport{begin: func(a *app) error {
		_, err := a.out.WriteString(xml.Header + "<testsuites name=\"heddle lint\">\n")
		return err
	}, file: func(c *lintCmd, a *app, r *linted) error { return suite(a, c.suite(r)) },
		failed: func(a *app, f many.File, err error, _ int) {
			text := shownText(a.plain(err))
			suite(a, junitSuite{Name: shown(f.Path), Tests: 1, Errors: 1, Cases: []junitCase{{Name: "unreadable", Class: "heddle.lint", File: shown(f.Path),
				Error: &junitWhat{shown(a.plain(err)), "unreadable", text + details(err)}}}})
		},
		end: func(a *app, _ *lintTotal) { a.out.WriteString("</testsuites>\n") }}, nil
}

// details returns the errors of a text that does not assemble or compile, one line each.
func details(err error) (text string) {
	_, errs := textErrors(err)
	for _, e := range errs {
		text += "\n" + shownText(e.Error())
	}
	return text
}

// mostPlaces limits the errors of a file that have a location in a notification.
const mostPlaces = 100

// errorPlaces returns the locations of the errors of a text: columns are in characters, and omitted if the line is not
// known.
func errorPlaces(err error) (list []sarifLocation) {
	_, errs := textErrors(err)
	for _, e := range errs[:min(len(errs), mostPlaces)] {
		region := &sarifRegion{StartLine: e.Line}
		if e.Col > 0 && e.Col-1 <= len(e.Source) {
			region.StartColumn = utf8.RuneCountInString(e.Source[:e.Col-1]) + 1
		}
		list = append(list, sarifLocation{sarifPhysical{Artifact: artifactOf(e.File), Region: region}, &sarifText{shownText(e.Msg)}})
	}
	return list
}

// mostNotified limits the unreadable files in a SARIF log; the number of others is given.
const mostNotified = 1000

// sarifLints prints one run of SARIF. Its rules are those of all instruction sets, because the sets of the files are
// not known in advance. Files that cannot be read are notifications of the invocation.
func sarifLints() (*lintReport, error) {
	rules, err := mergedRules()
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	for i := range rules {
		index[rules[i].ID] = i
	}
	var notes []sarifNotification
	more := 0
	return &lintReport{begin: func(a *app) error { return sarifBegin(a, rules) },
		out: func(a *app) io.Writer { return &listed{to: a.out} },
		file: func(c *lintCmd, a *app, r *linted) error {
			for _, x := range c.sarifResults(a, r) {
				x.RuleIndex = index[x.RuleID]
				line, err := oneLine(x)
				if err != nil {
					return err
				}
				a.out.Write(append([]byte(",\n"), line...))
			}
			return nil
		},
		broken: func(f many.File, err error) {
			if len(notes) == mostNotified {
				more++
				return
			}
			n := sarifNotification{Level: "error", Message: sarifText{err.Error() + details(err)}}
			if f.Path != many.Stdin {
				n.Locations = errorPlaces(err)
			}
			if f.Path != many.Stdin && len(n.Locations) == 0 {
				n.Locations = []sarifLocation{{Physical: sarifPhysical{Artifact: artifactOf(f.Path)}}}
			}
			notes = append(notes, n)
		},
		end: func(a *app, t *lintTotal) {
			if more > 0 {
				notes = append(notes, sarifNotification{Level: "error", Message: sarifText{spell.Count(more, "more file") + " cannot be read"}})
			}
			sarifEnd(a, sarifInvocation{t.Unreadable == 0, notes})
		}}, nil
}

// A lateWriter starts a report with the first output: without files there is no report.
type lateWriter struct {
	begin func() error
	to    io.Writer
}

func (w lateWriter) Write(p []byte) (int, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// A listed writes the elements of a list that each start with a comma, and omits the first comma.
type listed struct {
	to   io.Writer
	some bool
}

func (l *listed) Write(p []byte) (int, error) {
	n := len(p)
	if !l.some && n > 0 {
		l.some = true
		p = p[1:]
	}
	_, err := l.to.Write(p)
	return n, err
}

// mergedRules returns the distinct rules of all sets. If sets describe a rule differently, it has all descriptions.
func mergedRules() (list []sarifRule, err error) {
	rules, err := linter.Rules("")
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		doc := r.Doc
		i := slices.IndexFunc(list, func(x sarifRule) bool { return x.ID == r.ID })
		if i >= 0 {
			list[i].Full.Text += " " + strings.Join(r.ISAs, ", ") + ": " + doc + " See " + r.Source + "."
			continue
		}
		full := doc + " See " + r.Source + "."
		if slices.ContainsFunc(rules, func(x linter.Rule) bool { return x.ID == r.ID && x.Doc != r.Doc }) {
			full = strings.Join(r.ISAs, ", ") + ": " + full
		}
		list = append(list, sarifRule{ID: r.ID, Short: sarifText{doc}, Full: &sarifText{full}, HelpURI: lintPage, Config: sarifDefault{r.Severity}})
	}
	return list, nil
}

// lintPage is the address of the description of rules.
const lintPage = home + "/blob/main/docs/lint.md"
