package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/coverage"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// Covering are the flags of coverage.
type Covering struct {
	Coverage     []string `sep:"none" placeholder:"FORMAT:FILE" help:"Count which instructions, directions of branches and lines of the source run, and write that to a file: lcov, json, html (FILE.html suffices), or - for a summary alone."`
	CoverageFrom []string `sep:"none" placeholder:"FILE" help:"Add what an earlier run wrote as json."`

	covered   *coverage.Coverage // nil: nothing is counted
	uncovered map[string]int     // cases that were not counted, by the reason
}

// counts notes a case that was not counted.
func (c *Covering) counts(r *check.Result) {
	if r.Uncounted == "" {
		return
	}
	if c.uncovered == nil {
		c.uncovered = map[string]int{}
	}
	c.uncovered[r.Uncounted]++
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
		if text == "-" {
			return nil
		}
		form, path := coverageFile(text)
		if form == "" {
			return errors.New("want FORMAT:FILE, with lcov, json or html as format, FILE.html, or -")
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

// coverageFile returns the format and the path of a file to write; "": it is none.
func coverageFile(text string) (form, path string) {
	if form, path, ok := strings.Cut(text, ":"); ok && path != "" && slices.Contains([]string{"lcov", "json", "html"}, form) {
		return form, path
	}
	if strings.HasSuffix(text, ".html") {
		return "html", text
	}
	return "", ""
}

// writeCoverage writes the files.
func (c *Covering) writeCoverage(a *app) (err error) {
	for _, text := range c.Coverage {
		form, path := coverageFile(text)
		switch form {
		case "html":
			err = errors.Join(err, a.save(path, c.covered.WriteHTML))
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
	for _, why := range slices.Sorted(maps.Keys(c.uncovered)) {
		a.say("coverage: %s did not count: %s\n", spell.Count(c.uncovered[why], "case"), why)
	}
	if s.Unknown > 0 {
		a.say("coverage: of %s only what ran is known\n", spell.Count(s.Unknown, "program"))
	}
	for _, why := range s.Incomplete {
		a.say("coverage is incomplete: %s\n", why)
	}
}
