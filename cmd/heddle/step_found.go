package main

import (
	"errors"
	"slices"

	"github.com/heddle-gpu/heddle/internal/check"
)

// watchedRun runs the file once in a session, from the beginning, and keeps what was found. Going back begins another
// run.
func (c *stepCmd) watchedRun(a *app) error {
	c.all, c.found, c.several = nil, nil, true
	err := c.once(a)
	if c.found != nil && ended(err) { // the host reads nothing now
		c.found.HostReads = func(string) bool { return false }
		m := c.met(a, nil)
		m.Incomplete = "the session did not run to the end"
		c.all = append(c.all, m)
	}
	for i := range c.all {
		c.join(&c.all[i])
	}
	return err
}

// join adds the findings of a run to those of the session.
func (c *stepCmd) join(m *met) {
	at := slices.IndexFunc(c.session, func(x met) bool { return x.path == m.path })
	if at < 0 {
		c.session = append(c.session, *m)
		return
	}
	x := &c.session[at]
	x.Findings.Findings = union(x.Findings.Findings, m.Findings.Findings, func(f *check.Finding) string { return f.ID })
	x.Excepted = union(x.Excepted, m.Excepted, func(f *excepted) string { return f.ID })
	x.Faults, x.Known, x.checked = m.Faults, max(x.Known, m.Known), m.checked
	if x.Incomplete != "" {
		x.Incomplete = m.Incomplete
	}
}

// union returns what is in either list; of what is in both, the newer.
func union[T any](old, list []T, id func(*T) string) []T {
	return append(slices.DeleteFunc(old, func(x T) bool {
		return slices.ContainsFunc(list, func(y T) bool { return id(&x) == id(&y) })
	}), list...)
}

// sum writes the findings of the session to the files of flags. The error is that of a run with these findings, or with
// the fault at which it stopped.
func (c *stepCmd) sum(a *app) error {
	if c.checks() == 0 && !c.Check {
		return nil
	}
	var errs []error
	c.all, c.several = c.session, false
	for i := range c.all {
		c.any = true
		c.baseline(&c.all[i])
		errs = append(errs, c.all[i].err())
		if h := c.held.Halted(); h != nil && h.Fault != nil && i == len(c.all)-1 {
			c.all[i].Faults = check.FaultsOf(h.Fault)
		}
		if len(c.all[i].Faults) > 0 {
			errs = append(errs, wrong{errors.New("a fault ended the run")})
		}
	}
	return errors.Join(append(errs, c.writeFindings(a, "step"))...)
}
