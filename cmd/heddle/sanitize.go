package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A sanitizeFlag is --sanitize or --sanitize=LIST.
type sanitizeFlag struct {
	checks sanitize.Check
	list   bool // they are named
}

// IsBool makes the value of the flag optional.
func (s *sanitizeFlag) IsBool() bool { return true }

// Decode parses the value of the flag.
func (s *sanitizeFlag) Decode(ctx *kong.DecodeContext) (err error) {
	s.checks = sanitize.CheckAll
	if next := ctx.Scan.Peek(); next.Type == kong.FlagValueToken {
		s.list = true
		s.checks, err = sanitize.ParseChecks(fmt.Sprint(ctx.Scan.Pop().Value))
	}
	return err
}

// Sanitizing is the flags that choose the checks of the sanitizer.
type Sanitizing struct {
	Sanitize sanitizeFlag `placeholder:"LIST" help:"Watch the run with the sanitizer. LIST, behind =, is init (undefined values that matter, with their origin), race (waves that access the same memory in no order), lds (the same in group memory only), wait (registers accessed before an outstanding operation has written them), memory (accesses that are ruled out, refused or not declared), sync (barriers, and loops that wait in vain), numeric (NaNs, infinities and conversions out of range, with their origin), all, or -NAME for all but one; all if there is none. docs/sanitize.md."`
	Races    bool         `help:"Short for --sanitize=race, together with other checks."`
	Waits    bool         `help:"Short for --sanitize=wait, likewise."`
	Uninit   bool         `help:"Short for --sanitize=init, likewise."`
}

// checks returns the checks that the flags choose.
func (s *Sanitizing) checks() (c sanitize.Check) {
	c = s.Sanitize.checks
	for _, x := range [...]struct {
		on  bool
		bit sanitize.Check
	}{{s.Races, sanitize.CheckRace}, {s.Waits, sanitize.CheckWait}, {s.Uninit, sanitize.CheckInit}} {
		if x.on {
			c |= x.bit
		}
	}
	return c
}

// Reporting is the flags for what is done with findings.
type Reporting struct {
	FailOn
	Suppress []string `sep:"none" placeholder:"FILE" help:"Do not report findings of the sanitizer that a line of the file names, with a reason: RULE [kernel=|symbol=|file=|text=PATTERN ...]: REASON."`
	Report   []string `sep:"none" placeholder:"FORMAT:FILE" help:"Write the findings to a file too: json, sarif or junit, such as sarif:run.sarif."`
	Baseline

	exceptions []exceptionFile
	reports    []reportFile
	found      *check.Watched // nil: nothing is looked for
	ran        ranCode        // what runs
	all        []met
	any        bool     // something has run
	several    bool     // runs are of one session: the findings of all go to files when it ends
	linted     *checked // what lint has found; nil: it was not asked
}

// An exceptionFile is a file of --suppress.
type exceptionFile struct {
	path string
	list []*linter.Exception
}

// A reportFile is a file of --report.
type reportFile struct{ form, path string }

// checkReporting reads the flags, and rejects incompatible ones.
func (r *Reporting) checkReporting() error {
	if r.Baseline.Baseline != "" && r.WriteBaseline != "" {
		return errors.New("--baseline and --write-baseline: want one of them; a new file replaces the old one")
	}
	r.reports = nil
	return each("--report", r.Report, func(text string) error {
		form, path, ok := strings.Cut(text, ":")
		if !ok || path == "" || form != "json" && form != "sarif" && form != "junit" {
			return errors.New("want FORMAT:FILE, with json, sarif or junit as format")
		}
		r.reports = append(r.reports, reportFile{form, path})
		return writable(path)
	})
}

// readReporting reads the files of the flags.
func (r *Reporting) readReporting(a *app) error {
	r.exceptions, r.all, r.any = nil, nil, false
	for _, path := range r.Suppress {
		data, err := a.read(path)
		if err != nil {
			return err
		}
		list, err := linter.ReadExceptions(path, data)
		if err != nil {
			return err
		}
		r.exceptions = append(r.exceptions, exceptionFile{path, list})
	}
	return r.readBaseline(a)
}

// except returns why a finding is suppressed by a file; "": it is not.
func (r *Reporting) except(f *sanitize.Finding) (reason string) {
	for _, file := range r.exceptions {
		for _, x := range file.list {
			if x.Suppresses(f) {
				return x.Reason
			}
		}
	}
	return ""
}

// unused lists the lines of the files that have suppressed nothing.
func (r *Reporting) unused(a *app) {
	for _, file := range r.exceptions {
		for _, x := range file.list {
			if x.Used == 0 {
				fmt.Fprintf(a.err, "heddle: %s:%d: suppresses nothing here: %s\n", shownText(file.path), x.Line, shownText(x.Text))
			}
		}
	}
}
