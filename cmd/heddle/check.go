package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/spell"
)

type checkCmd struct {
	ISA          string     `name:"isa" short:"i" placeholder:"ISA" help:"Only cases of this instruction set."`
	Variant      string     `placeholder:"VARIANT" help:"Only cases of this variant; with --isa."`
	Match        string     `name:"run" placeholder:"REGEXP" help:"Only cases whose name matches."`
	Flags        string     `placeholder:"DABXUR" help:"Only claims of encodings with these flags."`
	Engine       engineFlag `default:"auto" placeholder:"NAME" help:"Engine that runs the code: ${engines}. auto is the fastest that can run here."`
	Workers      int        `aliases:"jobs" short:"j" range:"0..4096" help:"Cases at the same time; 0: as many as processors. --jobs is the same."`
	Include      []string   `sep:"none" placeholder:"GLOB" help:"Of folders, only files that match: '*.jsonl' is about the name, 'state/*' about the path below the folder. May be given several times."`
	MaxFail      int        `name:"max-failures" default:"1000" range:"0.." placeholder:"N" help:"Print so many failures (1000), then how many more there are; 0: all."`
	Strict       bool       `help:"Fail skipped cases, and files that have some keys of a case file; for CI."`
	AllowOutside bool       `help:"Let links lead out of the folder of a manifest or frame."`
	Sanitizing
	Reporting
	Covering
	Verbose bool `short:"v" help:"A line for every case."`
	Quiet   bool `short:"q" help:"No progress."`
	Format
	Paths []string `arg:"" optional:"" name:"path" help:"Case files, manifests, folders of them, or - for standard input."`

	mu  sync.Mutex      // guards Reporting while cases run, and
	met map[string]*met // what was found in cases, until they are reported
}

func (c *checkCmd) Help() string {
	return `Case files are tables of encodings (first line #isa), state cases (a JSON object a line), test vectors (what heddle vectors
writes), kernel manifests, captured frames and recorded draws, plain or gzip: docs/manifests.md. A line for each failure, then counts
for each set and flag; the last line is N passed, M failed, K skipped. The exit code is 1 if a case failed,
and 2 if a file or folder cannot be read: the report names it, and the others are checked.

A file that must have been meant as a case file and is none is a failure too: one that was named, a manifest.json, *.jsonl, *.tsv, a *.json
beside an index of test vectors, and any other that says a format of heddle's which this build does not know. Other files are
passed over and counted; -v and --json list them, with the reason. --strict is for CI: what would be skipped, a case of a variant that
this build does not know for example, fails, and so does a file that has some keys of a case file.

On a terminal, standard error shows how many cases are done, of how many, and when the rest will be, if that takes longer than half a second; -q
does without. --format junit lists each case, passed ones too, with the time it took to run; --format sarif the failures.

With --sanitize a case fails if the sanitizer finds what --fail-on selects, and neither a comment in its assembly, a line of --suppress nor the
file of --baseline accepts. --report writes the findings of all cases to a file, accepted ones with the reason.

Examples:
  heddle check --strict examples
  heddle check cases/kernels
  heddle check -j 4 --include manifest.json cases
  heddle check --isa gcn:gfx8 --run 'v_fma|v_mad' cases/state
  heddle check --format junit cases/pairs > results.xml
  heddle check --coverage lcov:coverage.info --coverage json:coverage.json examples
  heddle check --coverage coverage.html examples
  heddle check --sanitize --report sarif:findings.sarif examples
  heddle check --sanitize=race,memory --write-baseline known.json examples`
}

// Validate runs before Run.
func (c *checkCmd) Validate() error { return c.checkReporting() }

func (c *checkCmd) Run(a *app) error {
	if len(c.Paths) == 0 {
		return errors.New("check: no path; give case files, manifests, or folders of them")
	}
	form, err := c.form()
	if err == nil {
		err = a.fits("check", formOf(form != "text"), "")
	}
	if err == nil {
		err = errors.Join(c.readReporting(a), c.readCovering(a, form))
	}
	if err != nil {
		return err
	}
	o := check.Options{Engine: c.Engine.engine(engines.Use{}), AllowOutside: c.AllowOutside, ISA: c.ISA, Variant: c.Variant, Flags: c.Flags, Workers: c.Workers, Sanitize: c.checks(), FailOn: severityOf(c.FailOn.FailOn), NeverFail: c.FailOn.FailOn == "never",
		Include: c.Include, Strict: c.Strict, Coverage: c.covered}
	if c.Match != "" {
		re, err := regexp.Compile(c.Match)
		if err != nil {
			return fmt.Errorf("--run: %w", err)
		}
		o.Run = re
	}
	if slices.Contains(c.Paths, "-") {
		if o.Stdin, err = a.read("-"); err != nil {
			return err
		}
	}
	if c.checks() != 0 {
		o.Accept, c.met = c.accept, map[string]*met{}
	}
	rep := c.reporter(a, form)
	done, stop := c.progress(a, o)
	o.Each = func(r check.Result) {
		done(r.Status)
		c.counts(&r)
		c.reported(&r)
		rep.each(&r)
	}
	s, err := check.Run(a.ctx, c.Paths, o)
	stop()
	if err == nil && s.Unreadable == 0 {
		err = c.selected(a, s)
	}
	if err == nil {
		err = errors.Join(rep.end(s), c.writeFindings(a, "check"), c.writeCoverage(a))
	}
	if err != nil {
		return err
	}
	if s.Unreadable > 0 {
		return fmt.Errorf("check: %s cannot be read", spell.Count(s.Unreadable, "path"))
	}
	if s.Failed > 0 {
		return wrong{}
	}
	return nil
}

// selected reports an error if the flags select no case, so that a run that checks nothing because of a mistake does
// not look successful.
func (c *checkCmd) selected(a *app, s *check.Summary) error {
	if s.Passed+s.Failed+s.Skipped > 0 {
		return nil
	}
	var by []string
	for _, f := range []struct{ name, value string }{{"isa", c.ISA}, {"variant", c.Variant}, {"run", c.Match}, {"flags", c.Flags}} {
		if f.value != "" {
			by = append(by, fmt.Sprintf("--%s %s", f.name, f.value))
		}
	}
	if by == nil {
		return nil
	}
	return hinted{fmt.Errorf("check: no case in %s matches %s", strings.Join(c.Paths, ", "), strings.Join(by, " ")), "-v lists the cases there are"}
}
