package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	engines "github.com/heddle-gpu/heddle/exec/all"
	"github.com/heddle-gpu/heddle/internal/check"
)

type checkCmd struct {
	ISA          string     `name:"isa" short:"i" placeholder:"ISA" help:"Only cases of this instruction set."`
	Variant      string     `placeholder:"VARIANT" help:"Only cases of this variant; with --isa."`
	Match        string     `name:"run" placeholder:"REGEXP" help:"Only cases whose name matches."`
	Flags        string     `placeholder:"DABXUR" help:"Only claims of encodings with these flags."`
	Engine       engineFlag `default:"auto" placeholder:"NAME" help:"Who runs the code: ${engines}. auto is the fastest that can run here."`
	Workers      int        `help:"Cases at the same time; 0: as many as processors."`
	MaxFail      int        `name:"max-failures" default:"1000" placeholder:"N" help:"Print so many failures (1000), then how many more there are; 0: all."`
	AllowOutside bool       `help:"Let links lead out of the folder of a manifest or frame."`
	Races        bool       `help:"Fail cases in which waves meet in group memory with no barrier between."`
	Waits        bool       `help:"Fail cases in which an instruction touches a register before a pending operation has written it."`
	Verbose      bool       `short:"v" help:"A line for every case."`
	Quiet        bool       `short:"q" help:"No progress."`
	JSON         bool       `help:"Print the failures and counts as JSON."`
	Paths        []string   `arg:"" optional:"" name:"path" help:"Case files, manifests, folders of them, or - for standard input."`
}

func (c *checkCmd) Help() string {
	return `Case files are tables of encodings (first line #isa), state cases (a JSON object a line), kernel
manifests, captured frames and recorded draws, plain or gzip; other files are passed over. A line for each
failure, then counts for each set and flag; the last line is N passed, M failed, K skipped. The exit code is 1 if a case failed.

Examples:
  heddle check cases
  heddle check --isa gcn:gfx8 --run 'v_fma|v_mad' cases/state`
}

// A failure is a failed case, for output.
type failure struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Name string `json:"name"`
	Flag string `json:"flag,omitempty"`
	What string `json:"what"`
}

func failureOf(r *check.Result) failure {
	f := failure{File: r.File, Line: r.Line, Name: r.Name, What: r.What}
	if r.Flag != 0 {
		f.Flag = string(r.Flag)
	}
	return f
}

// failures bounds how many failures are told: those of a broken set are millions.
type failures struct {
	list []failure // for JSON
	most int       // 0: all
	told int
	more int // not told
}

// room counts a failure and says whether it is told.
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
	if r.Status != check.Failed || f.room() {
		a.say("%s\n", r.String())
	}
}

// rest says how many failures were not printed.
func (f *failures) rest(a *app) {
	if f.more > 0 {
		a.printf("... and %s more; --max-failures %d tells them all\n", count(f.more, "failure"), f.told+f.more)
	}
}

// A tally counts the cases of a set, a flag, or all.
type tally struct {
	Name    string `json:"name,omitempty"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
	Lacking int    `json:"lacking,omitempty"`
}

func (c *checkCmd) Run(a *app) error {
	if len(c.Paths) == 0 {
		return errors.New("check: no path; give case files, manifests, or folders of them")
	}
	if err := a.fits("check", formOf(c.JSON), ""); err != nil {
		return err
	}
	if c.MaxFail < 0 {
		return fmt.Errorf("check: --max-failures %d is negative", c.MaxFail)
	}
	o := check.Options{Engine: c.Engine.engine(engines.Use{}), AllowOutside: c.AllowOutside, ISA: c.ISA, Variant: c.Variant, Flags: c.Flags, Workers: c.Workers, Races: c.Races, Waits: c.Waits}
	if c.Match != "" {
		re, err := regexp.Compile(c.Match)
		if err != nil {
			return fmt.Errorf("--run: %w", err)
		}
		o.Run = re
	}
	if slices.Contains(c.Paths, "-") {
		var err error
		if o.Stdin, err = a.read("-"); err != nil {
			return err
		}
	}
	f := failures{most: c.MaxFail, list: []failure{}}
	done, stop := c.progress(a)
	o.Each = func(r check.Result) {
		done(r.Status)
		switch {
		case c.JSON:
			if r.Status == check.Failed && f.room() {
				f.list = append(f.list, failureOf(&r))
			}
		case r.Status == check.Failed || c.Verbose:
			f.print(a, &r)
		}
	}
	s, err := check.Run(a.ctx, c.Paths, o)
	stop()
	if err == nil {
		err = c.selected(a, s)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.json(summaryOf(s, &f)); err != nil {
			return err
		}
	} else {
		f.rest(a)
		a.printf("%s\n", shownText(s.String()))
	}
	if s.Failed > 0 {
		return wrong{}
	}
	return nil
}

// selected reports that no case is what the flags ask for: a run that checks nothing because of a slip must not look like success.
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

func summaryOf(s *check.Summary, f *failures) any {
	tallies := func(parts []*check.Part) []tally {
		list := []tally{}
		for _, p := range parts {
			list = append(list, tallyOf(p.Name, &p.Count))
		}
		return list
	}
	return struct {
		Failures []failure `json:"failures"`
		More     int       `json:"more_failures,omitempty"`
		Sets     []tally   `json:"sets"`
		Flags    []tally   `json:"flags"`
		Total    tally     `json:"total"`
	}{f.list, f.more, tallies(s.Sets()), tallies(s.Flags()), tallyOf("", &s.Count)}
}

func tallyOf(name string, c *check.Count) tally {
	return tally{name, c.Passed, c.Failed, c.Skipped, c.Lacking}
}

// progress shows how many cases are done while they run, on a terminal only.
func (c *checkCmd) progress(a *app) (done func(check.Status), stop func()) {
	if !a.tty || c.Quiet || c.JSON {
		return func(check.Status) {}, func() {}
	}
	var failed atomic.Int64 // read where the bar is drawn
	p := mpb.New(mpb.WithOutput(a.err), mpb.WithRefreshRate(200*time.Millisecond))
	bar := p.New(0, mpb.SpinnerStyle(), mpb.BarRemoveOnComplete(), mpb.AppendDecorators(
		decor.CurrentNoUnit(" %d cases"), decor.Any(func(decor.Statistics) string { return fmt.Sprintf(", %d failed", failed.Load()) }),
		decor.Elapsed(decor.ET_STYLE_GO, decor.WCSyncSpace)))
	return func(s check.Status) {
			if s == check.Failed {
				failed.Add(1)
			}
			bar.Increment()
		}, func() {
			bar.SetTotal(-1, true)
			p.Wait()
		}
}
