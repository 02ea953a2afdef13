package main

import (
	"strings"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/linter"
)

// accept removes the findings of a case that are suppressed or in the baseline. Several goroutines call it.
func (c *checkCmd) accept(r *check.Result) {
	m := &met{Findings: r.Found, Incomplete: r.Incomplete, fail: c.FailOn, checks: c.checks(), path: r.Code, name: r.Case, code: &ranCode{}}
	if r.Text != nil {
		m.code.comments = linter.Suppressions(r.Target, nil, r.Text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m.filter(&c.Reporting)
	c.baseline(m)
	r.Found = m.Findings
	c.met[r.Case] = m
}

// reported keeps what was found in a case for reports, which have the order of the cases.
func (c *checkCmd) reported(r *check.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.any = true
	m := c.met[r.Case]
	delete(c.met, r.Case)
	if m != nil && (len(m.Findings.Findings)+len(m.Faults)+len(m.Excepted)+m.Known > 0 || m.Incomplete != "") {
		c.all = append(c.all, *m)
	}
}

// accepted says how many findings were suppressed, and how many are in the baseline; "": none.
func (c *checkCmd) accepted() string {
	excepted, known := 0, 0
	for i := range c.all {
		excepted, known = excepted+len(c.all[i].Excepted), known+c.all[i].Known
	}
	return strings.TrimPrefix(filtered(excepted, known), ", ")
}
