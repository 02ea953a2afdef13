package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/coverage"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// Covering are the flags of coverage.
type Covering struct {
	Coverage     []string `sep:"none" placeholder:"FORMAT:FILE" help:"Count which instructions, directions of branches and lines of the source run, and write that to a file: lcov, json, or - for a summary alone."`
	CoverageFrom []string `sep:"none" placeholder:"FILE" help:"Add what an earlier run wrote as json."`

	covered   *coverage.Coverage // nil: nothing is counted
	uncovered int                // cases that ran without being counted
}

// counts notes a case that was not counted.
func (c *Covering) counts(r *check.Result) {
	if k := r.Kind; r.Status <= check.Failed && k != casefile.ManifestFile && k != casefile.StatesFile && k != casefile.PairsFile {
		c.uncovered++
	}
}

// readCovering reads the flags, and what earlier runs have written.
func (c *Covering) readCovering(a *app, form string) error {
	if len(c.Coverage) == 0 {
		return nil
	}
	if form != "text" && slices.Contains(c.Coverage, "-") {
		return errors.New("--coverage -: the summary is a part of the text; give FORMAT:FILE")
	}
	err := each("--coverage", c.Coverage, func(text string) error {
		form, path, ok := strings.Cut(text, ":")
		if text == "-" {
			return nil
		}
		if !ok || path == "" || form != "lcov" && form != "json" {
			return errors.New("want FORMAT:FILE, with lcov or json as format, or -")
		}
		return writable(path)
	})
	c.covered = coverage.New()
	for _, path := range c.CoverageFrom {
		text, e := a.read(path)
		if e == nil {
			if e = c.covered.Read(text); e != nil {
				e = fmt.Errorf("%s: not a file of --coverage json: %w", path, e)
			}
		}
		err = errors.Join(err, e)
	}
	return err
}

// writeCoverage writes the files.
func (c *Covering) writeCoverage(a *app) (err error) {
	for _, text := range c.Coverage {
		form, path, _ := strings.Cut(text, ":")
		switch form {
		case "lcov":
			err = errors.Join(err, a.save(path, c.covered.WriteLCOV))
		case "json":
			err = errors.Join(err, a.save(path, func(w io.Writer) error {
				text, err := c.covered.Write()
				if err == nil {
					_, err = w.Write(text)
				}
				return err
			}))
		}
	}
	return err
}

// saysCoverage prints a summary.
func (c *Covering) saysCoverage(a *app) {
	if c.covered == nil {
		return
	}
	s := c.covered.Sum()
	of := func(n, of int, what string) string {
		return fmt.Sprintf("%s of %s %s", spell.Grouped(uint64(n)), spell.Grouped(uint64(of)), what)
	}
	a.say("coverage: %s ran, %s; %s, %s\n", of(s.Ran, s.Insts, "instructions"), of(s.WaysRan, s.Ways, "directions of branches that ran"),
		of(s.LinesRan, s.Lines, "lines"), of(s.Masked, s.Ran, "instructions with some lanes only"))
	for _, set := range slices.Sorted(maps.Keys(s.Forms)) {
		a.say("coverage of %s: %s, in %s combinations with modifiers\n", set, of(len(s.Forms[set]), s.AllForms[set], "instruction forms"), spell.Grouped(uint64(s.FormsWithModifiers[set])))
	}
	if c.uncovered > 0 {
		a.say("coverage: %s of draws, frames and test vectors did not count\n", spell.Count(c.uncovered, "case"))
	}
	if s.Unknown > 0 {
		a.say("coverage: of %s only what ran is known\n", spell.Count(s.Unknown, "program"))
	}
	for _, why := range s.Incomplete {
		a.say("coverage is incomplete: %s\n", why)
	}
}
