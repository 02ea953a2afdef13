package main

import (
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/profiles"
)

// compare prints where the profile differs from that of --compare.
func (c *profileCmd) compare(a *app) error {
	first := *c
	first.Target, first.Results, first.Save, first.NoPNG = c.Compare, Results{}, "", true // the run of the file itself leaves buffers
	saved := [2]bool{}
	for i, path := range []string{c.Target, c.Compare} {
		is, err := isSavedProfile(path)
		if err != nil {
			return err
		}
		saved[i] = is
	}
	c.other, first.other = !saved[1], !saved[0] // flags go with the one that runs
	before, e1 := first.profiled(a)
	if len(before) == 0 {
		return e1
	}
	after, e2 := c.profiled(a)
	if len(after) == 0 {
		return errors.Join(e1, e2)
	}
	by := profiles.MetricOf(c.By)
	list := profiles.Compare(before, after, by)
	if err := c.ProfileFiles.write(a, after, list); err != nil {
		return errors.Join(e1, e2, err)
	}
	switch {
	case c.JSON:
		return errors.Join(e1, e2, a.json(list))
	case !c.toStdout():
		for i := range list {
			c.printComparison(a, &list[i], by)
		}
	}
	return errors.Join(e1, e2)
}

// printComparison prints the sums, and the lines or instructions that differ.
func (c *profileCmd) printComparison(a *app, x *profiles.Comparison, by *profiles.Metric) {
	side := func(file, isa string) string {
		if isa == "" {
			return file + ", where it did not run"
		}
		return fmt.Sprintf("%s on %s", file, isa)
	}
	a.say("%s: before %s, after %s, by %s\n", x.Names(), side(c.Compare, x.Before), side(c.Target, x.After), x.By)
	for _, line := range x.Warnings() {
		a.say("%s\n", line)
	}
	rows := [][]string{{"BEFORE", "AFTER", "CHANGE", "COUNT"}}
	for _, t := range x.Totals {
		rows = append(rows, []string{grouped(t.Before), grouped(t.After), t.Percent(), t.Count})
	}
	printTable(a, rows)
	if len(x.List) == 0 {
		a.say("\nno %s differs\n", x.By)
		return
	}
	rows = [][]string{{"BEFORE", "AFTER", "", by.Name, ""}}
	for i := range x.List {
		d := &x.List[i]
		n := d.Of(by)
		rows = append(rows, []string{grouped(n.Before), grouped(n.After), d.Place(), d.Text, d.Notes(by.Name)})
	}
	printTable(a, rows)
}
