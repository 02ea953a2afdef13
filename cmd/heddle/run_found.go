package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A met is the findings in a run, and the fault that ended it.
type met struct {
	check.Findings
	// Incomplete is the reason why only a part of the run was checked for races and missing waits; "": all of it was.
	Incomplete string `json:"incomplete,omitempty"`
	checked
}

// cutShort is the reason for a run that ended with a fault.
const cutShort = "a fault ended the run: what had not run by then was not checked"

// met returns the findings since watcher was called; fault is the error of the run.
func (c *runCmd) met(a *app, fault error) met {
	m := met{Findings: c.found.Findings(fault)}
	if fault != nil && c.found != nil {
		m.Incomplete = cutShort
	}
	if c.linted != nil {
		m.checked = *c.linted
	}
	for i := range m.Faults {
		m.Faults[i].Msg = a.plainText(m.Faults[i].Msg)
	}
	return m
}

// err returns the error for a run with findings.
func (m *met) err() error {
	var what []string
	if n := len(m.Races); n > 0 {
		what = append(what, spell.Count(n, "race"))
	}
	if n := len(m.Waits); n > 0 {
		what = append(what, spell.Count(n, "missing wait"))
	}
	if n := len(m.Uninit); n > 0 {
		what = append(what, spell.Count(n, "use")+" of undefined values")
	}
	if n := m.failing; n > 0 {
		what = append(what, spell.Count(n, "finding")+" of lint")
	}
	if what == nil || m.never {
		return nil
	}
	return wrong{errors.New(strings.Join(what, ", "))}
}

// print prints the findings, each after an indent. The fault is printed as the error of the run.
func (m *met) print(a *app, indent string) {
	for _, x := range slices.Concat(m.Races, m.Waits, m.Uninit) {
		a.say("%s%s\n", indent, x.Msg)
	}
	m.checked.print(a, indent)
	if m.Incomplete != "" {
		a.say("%scheck: incomplete: %s; %s\n", indent, m.Incomplete, m.soFar())
	} else if m.Lint != nil && len(m.Races)+len(m.Waits)+len(m.found)+m.Left == 0 {
		a.printf("%scheck: no races, no missing waits, no findings of lint%s\n", indent, filtered(len(m.Suppressed), 0))
	}
}

// soFar returns the findings before the fault that ended a run.
func (m *met) soFar() string {
	n := len(m.Races) + len(m.Waits) + len(m.Uninit)
	if n == 0 {
		return "none was found up to there"
	}
	return spell.Count(n, "finding") + " up to there"
}
