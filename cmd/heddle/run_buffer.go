package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/launch"
)

// A ran is the result of one launch, for output.
type ran struct {
	Kernel   string    `json:"kernel"`
	Grid     [3]uint32 `json:"grid"`
	Block    [3]uint32 `json:"block"`
	Counters counters  `json:"counters"`
	Stats    *stats    `json:"stats,omitempty"`
	// Fidelity is the fidelity of the executed instructions, with --fidelity.
	Fidelity *fidelity.Report `json:"fidelity,omitempty"`
	Buffers  []ranBuf         `json:"buffers,omitempty"`
	Printed  []printed        `json:"print,omitempty"`
	Expected []compared       `json:"expected,omitempty"`
	Engines  []agreement      `json:"engines,omitempty"` // for --engine all, except the reference
	Fault    string           `json:"fault,omitempty"`
	set      string
	met
}

type ranBuf struct {
	Name    string `json:"name"`
	Bytes   int    `json:"bytes"`
	Changed bool   `json:"changed"`
	Begins  string `json:"begins"` // the first bytes, in hexadecimal
	summed
}

// launched runs a launch with the buffers in h, and finishes it.
func (c *runCmd) launched(a *app, r ran, h *held, run func() (*launch.Result, error)) error {
	if err := h.resolve(&c.wants); err != nil {
		return err
	}
	var err error
	if c.expected, err = c.expectations(a, h); err != nil {
		return err
	}
	watched := func() (*launch.Result, error) {
		defer c.watched(a, gridGroups(c.Grid, c.Block))()
		return run()
	}
	if c.Engine != allEngines {
		res, fault := watched()
		return c.finish(a, r, h, res, fault)
	}
	var res *launch.Result
	var fault error
	var left [][]byte
	err = c.onAll(a, func() outcome {
		h.restart()
		got, end := watched()
		o := outcome{buffers: h.copies(), met: c.met(a, nil)}
		for i := range h.bufs {
			o.names = append(o.names, h.bufs[i].name)
		}
		if end != nil {
			o.fault = a.plain(end)
		}
		if res == nil {
			res, fault, left = got, end, o.buffers
		}
		return o
	})
	if err != nil {
		return err
	}
	for i, data := range left {
		copy(*h.bufs[i].data, data)
	}
	return c.finish(a, r, h, res, fault)
}

// finish reports the result of a launch, and writes the buffers named by --out and similar flags. The error is the
// fault, or why a buffer could not be written. A launch that did not start has only the fault.
func (c *runCmd) finish(a *app, r ran, h *held, res *launch.Result, fault error) error {
	if fault != nil && (res == nil || res.Waves == 0) || ended(fault) {
		return fault
	}
	r.Counters = countersOf(res, r.set)
	r.Stats = statsOf(c.took, &r.Counters)
	var err error
	if r.Fidelity, err = c.fidelity(); err != nil {
		return errors.Join(fault, err)
	}
	r.Engines = c.agree
	for i := range c.expected {
		r.Expected = append(r.Expected, c.compare(&c.expected[i]))
	}
	m := c.met(a, fault)
	c.keepFindings(&m)
	if !c.wants.toStdout() { // only the buffer is wanted there
		for i := range h.bufs {
			b := &h.bufs[i]
			data, changed := *b.data, b.changed()
			begins := fmt.Sprintf("%x", data[:min(16, len(data))])
			r.Buffers = append(r.Buffers, ranBuf{b.name, len(data), changed, begins, b.summary(changed)})
		}
		r.Printed = h.printed()
		if fault != nil {
			r.Fault = a.plain(fault)
		}
		r.met = m
		if err := r.print(a, c.JSON, h); err != nil {
			return err
		}
	}
	if err := c.write(a, h, fault); err != nil || fault != nil {
		return err
	}
	if err := cmp.Or(m.err(), unexpected(r.Expected), disagreement(r.Engines)); err != nil {
		return err
	}
	if c.Save != "" && len(m.Findings.Findings) > 0 {
		return wrong{errors.New("--save: nothing is written of a run with findings of the sanitizer")}
	}
	return c.keep(a, &r, h)
}

// write writes the files of buffers. The error is that of the run, or why a file could not be written.
func (c *runCmd) write(a *app, h *held, fault error) error {
	err := h.write(a)
	switch {
	case errors.Is(err, errInterrupted):
		return fault // it has the place
	case err != nil:
		return errors.Join(fault, err)
	}
	if !c.JSON && !c.wants.toStdout() {
		h.told(a)
	}
	return fault
}

// print prints the result of a launch.
func (r *ran) print(a *app, json bool, h *held) error {
	if json {
		return a.json(r)
	}
	a.say("%s: grid %s in groups of %s\n", r.Kernel, axes(r.Grid), axes(r.Block))
	rows := [][]string{}
	for _, b := range r.Buffers {
		state := "unchanged"
		if b.Changed {
			state = "changed"
		}
		what := "begins " + b.Begins
		if b.Summary != nil {
			what = b.Summary.String()
		}
		rows = append(rows, []string{shown(b.Name), spell.Count(b.Bytes, "byte"), state, what})
	}
	a.printf("%s", tableOf(rows))
	h.show(a, "  ")
	for i := range r.Expected {
		r.Expected[i].print(a)
	}
	printAgreement(a, r.Engines)
	r.met.print(a, "")
	r.Counters.print(a)
	r.Stats.print(a)
	printFidelity(a, r.Fidelity)
	return nil
}
