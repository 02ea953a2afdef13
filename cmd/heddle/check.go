package main

import (
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/heddle-gpu/heddle/internal/check"
)

type checkCmd struct {
	ISA     string   `name:"isa" short:"i" placeholder:"ISA" help:"Only cases of this instruction set."`
	Variant string   `placeholder:"VARIANT" help:"Only cases of this variant; with --isa."`
	Match   string   `name:"run" placeholder:"REGEXP" help:"Only cases whose name matches."`
	Flags   string   `placeholder:"DABXUR" help:"Only claims of encodings with these flags."`
	Workers int      `help:"Cases at the same time; 0: as many as processors."`
	Verbose bool     `short:"v" help:"A line for every case."`
	Quiet   bool     `short:"q" help:"No progress."`
	JSON    bool     `help:"Print the failures and counts as JSON."`
	Paths   []string `arg:"" optional:"" name:"path" help:"Case files, manifests, or folders of them."`
}

func (c *checkCmd) Help() string {
	return `Case files are tables of encodings (first line #isa), state cases (a JSON object a line), kernel
manifests and captured frames, plain or gzip; other files are passed over. A line for each failure, then
counts for each set and flag; the last line is N passed, M failed, K skipped. The exit code is 1 if a case failed.

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
	o := check.Options{ISA: c.ISA, Variant: c.Variant, Flags: c.Flags, Workers: c.Workers}
	if c.Match != "" {
		re, err := regexp.Compile(c.Match)
		if err != nil {
			return fmt.Errorf("--run: %w", err)
		}
		o.Run = re
	}
	failures := []failure{}
	done, stop := c.progress(a)
	o.Each = func(r check.Result) {
		done(r.Status)
		switch {
		case c.JSON:
			if r.Status == check.Failed {
				f := failure{File: r.File, Line: r.Line, Name: r.Name, What: r.What}
				if r.Flag != 0 {
					f.Flag = string(r.Flag)
				}
				failures = append(failures, f)
			}
		case r.Status == check.Failed || c.Verbose:
			a.printf("%s\n", r)
		}
	}
	s, err := check.Run(a.ctx, c.Paths, o)
	stop()
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.json(summaryOf(s, failures)); err != nil {
			return err
		}
	} else {
		a.printf("%s\n", s)
	}
	if s.Failed > 0 {
		return wrong{}
	}
	return nil
}

func summaryOf(s *check.Summary, failures []failure) any {
	tallies := func(parts []*check.Part) []tally {
		list := []tally{}
		for _, p := range parts {
			list = append(list, tallyOf(p.Name, &p.Count))
		}
		return list
	}
	return struct {
		Failures []failure `json:"failures"`
		Sets     []tally   `json:"sets"`
		Flags    []tally   `json:"flags"`
		Total    tally     `json:"total"`
	}{failures, tallies(s.Sets()), tallies(s.Flags()), tallyOf("", &s.Count)}
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
