package main

import (
	"strconv"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A reporter reports the outcome of cases, one by one and at the end.
type reporter struct {
	each func(*check.Result)
	end  func(*check.Summary) error
}

// reporter returns the reporter for a format.
func (c *checkCmd) reporter(a *app, form string) reporter {
	f := &failures{most: c.MaxFail, list: []failure{}}
	switch form {
	case "json":
		return reporter{func(r *check.Result) {
			if bad(r) && f.room() {
				if r.Status == check.Unreadable {
					f.unreadable = append(f.unreadable, check.Other{File: r.File, Why: r.What})
					return
				}
				f.list = append(f.list, failureOf(r))
			}
		}, func(s *check.Summary) error { return a.json(summaryOf(s, f)) }}
	case "junit":
		j := &checkJUnit{at: map[string]int{}, told: f}
		return reporter{j.add, func(*check.Summary) error { return a.xml(j.all()) }}
	case "sarif":
		var list []sarifResult
		var notes []sarifNotification
		return reporter{func(r *check.Result) {
			if bad(r) && f.room() {
				if r.Status == check.Unreadable {
					notes = append(notes, sarifNotification{"error", sarifText{r.String()}, []sarifLocation{{Physical: sarifPhysical{Artifact: artifactOf(r.File)}}}})
					return
				}
				list = append(list, sarifFailure(r))
			}
		}, func(s *check.Summary) error {
			log := sarifOf(checkRules(), list)
			if s.Unreadable > 0 {
				log.Runs[0].Invocations = []sarifInvocation{{false, notes}}
			}
			return a.json(log)
		}}
	}
	return reporter{func(r *check.Result) {
		if bad(r) || c.Verbose {
			f.print(a, r)
		}
	}, func(s *check.Summary) error {
		f.rest(a)
		if c.Verbose {
			for _, o := range s.Others {
				a.say("%s: passed over: %s\n", o.File, o.Why)
			}
		}
		c.saysCoverage(a)
		if gone := c.accepted(); gone != "" {
			a.printf("findings of the sanitizer: %s\n", gone)
		}
		a.printf("%s\n", shownText(s.String()))
		return nil
	}}
}

// bad reports whether a result is in every report.
func bad(r *check.Result) bool { return r.Status == check.Failed || r.Status == check.Unreadable }

// A checkJUnit groups cases by set.
type checkJUnit struct {
	suites []junitSuite
	times  []float64 // in seconds
	at     map[string]int
	told   *failures
}

func (j *checkJUnit) add(r *check.Result) {
	i, ok := j.at[r.Set]
	if !ok {
		i = len(j.suites)
		j.at[r.Set] = i
		j.suites, j.times = append(j.suites, junitSuite{Name: shown(r.Set)}), append(j.times, 0)
	}
	s := &j.suites[i]
	s.Tests++
	j.times[i] += r.Time.Seconds()
	name := r.Name
	if r.Flag != 0 {
		name = string(r.Flag) + " " + name
	}
	x := junitCase{Name: shown(name), Class: shown(r.Set + "." + r.ISA), File: shown(r.File), Line: r.Line}
	if r.Time > 0 {
		x.Time = inSeconds(r.Time.Seconds())
	}
	what := &junitWhat{Message: shown(r.What)}
	switch r.Status {
	case check.Failed:
		s.Failures++
		if !j.told.room() {
			return
		}
		x.Failure, what.Type, what.Text = what, r.Kind.String(), shown(r.String())
	case check.Unreadable:
		s.Errors++
		if !j.told.room() {
			return
		}
		x.Error, what.Type, what.Text = what, r.Status.String(), shown(r.String())
	case check.Skipped:
		s.Skipped++
		x.Skipped = what
	}
	s.Cases = append(s.Cases, x)
}

func (j *checkJUnit) all() *junitSuites {
	all := &junitSuites{Name: "heddle check"}
	for i, s := range j.suites {
		s.Time = inSeconds(j.times[i])
		all.add(s)
	}
	return all
}

func inSeconds(s float64) string { return strconv.FormatFloat(s, 'f', 6, 64) }

// checkKinds are the kinds of claims of cases, by the format of their file: the rules of SARIF.
var checkKinds = []struct {
	kind    casefile.FileKind
	id, doc string
}{
	{casefile.PairsFile, "encoding", "Text assembles to these bytes, and bytes disassemble to this text, as their set says."},
	{casefile.StatesFile, "state", "Instructions leave the registers and memory that the case says."},
	{casefile.ManifestFile, "kernel", "A kernel leaves the buffers that its manifest says."},
	{casefile.FrameFile, "frame", "Programs of a captured frame give the results and pixels that were recorded."},
	{casefile.OtherFile, "file", "A file that must have been meant as a case file can be read as one."},
	{casefile.GCNSceneFile, "draw", "A recorded draw gives the picture that was recorded."},
}

// checkRule returns the rule for a kind of case.
func checkRule(k casefile.FileKind) string {
	for _, x := range checkKinds {
		if x.kind == k {
			return x.id
		}
	}
	return "draw"
}

func checkRules() (list []sarifRule) {
	for _, x := range checkKinds {
		list = append(list, sarifRule{ID: x.id, Short: sarifText{x.doc}, HelpURI: home + "/blob/main/cases/README.md", Config: sarifDefault{"error"}})
	}
	return list
}

func sarifFailure(r *check.Result) sarifResult {
	p := sarifPhysical{Artifact: artifactOf(r.File)}
	if r.Line > 0 {
		p.Region = &sarifRegion{StartLine: r.Line}
	}
	return sarifResult{RuleID: checkRule(r.Kind), Level: "error", Message: sarifText{r.Name + ": " + r.What}, Locations: []sarifLocation{{Physical: p}}}
}

// A failure is a failed case, for output.
type failure struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Name string `json:"name"`
	Flag string `json:"flag,omitempty"`
	What string `json:"what"`
	check.Findings
}

func failureOf(r *check.Result) failure {
	f := failure{File: r.File, Line: r.Line, Name: r.Name, What: r.What, Findings: r.Found.Whole()}
	if r.Flag != 0 {
		f.Flag = string(r.Flag)
	}
	return f
}

// failures limits the failures that are reported: a broken set may have millions.
type failures struct {
	list []failure // for JSON
	// unreadable are files and folders, for JSON.
	unreadable []check.Other
	most       int // limit; 0: none
	told       int
	more       int // number of failures not reported
}

// room counts a failure and reports whether it should be printed.
func (f *failures) room() bool {
	if f.most > 0 && f.told == f.most {
		f.more++
		return false
	}
	f.told++
	return true
}

// print prints a result.
func (f *failures) print(a *app, r *check.Result) {
	if !bad(r) || f.room() {
		a.say("%s\n", r.String())
	}
}

// rest prints the number of failures that were not printed.
func (f *failures) rest(a *app) {
	if f.more > 0 {
		a.printf("... and %s more; --max-failures %d tells them all\n", spell.Count(f.more, "failure"), f.told+f.more)
	}
}

// A tally counts the cases of a set, of a flag, or all cases.
type tally struct {
	Name    string `json:"name,omitempty"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
	Lacking int    `json:"lacking,omitempty"`
	// Unreadable is the number of unreadable files and folders.
	Unreadable int `json:"unreadable,omitempty"`
}

// A checkResult is the JSON output of check.
type checkResult struct {
	Failures []failure     `json:"failures"`
	More     int           `json:"more_failures,omitempty"`
	Sets     []tally       `json:"sets"`
	Flags    []tally       `json:"flags"`
	Total    tally         `json:"total"`
	Others   []check.Other `json:"passed_over"`
	// Unreadable are files and folders that cannot be read, with the reason.
	Unreadable []check.Other `json:"unreadable"`
}

func summaryOf(s *check.Summary, f *failures) checkResult {
	tallies := func(parts []*check.Part) []tally {
		list := []tally{}
		for _, p := range parts {
			list = append(list, tallyOf(p.Name, &p.Count))
		}
		return list
	}
	return checkResult{f.list, f.more, tallies(s.Sets()), tallies(s.Flags()), tallyOf("", &s.Count), append([]check.Other{}, s.Others...), append([]check.Other{}, f.unreadable...)}
}

func tallyOf(name string, c *check.Count) tally {
	return tally{name, c.Passed, c.Failed, c.Skipped, c.Lacking, c.Unreadable}
}
