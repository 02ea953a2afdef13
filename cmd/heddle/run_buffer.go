package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/launch"
)

// A ran is what one launch did, for output.
type ran struct {
	Kernel   string    `json:"kernel"`
	Grid     [3]uint32 `json:"grid"`
	Block    [3]uint32 `json:"block"`
	Counters counters  `json:"counters"`
	Stats    *stats    `json:"stats,omitempty"`
	Buffers  []ranBuf  `json:"buffers,omitempty"`
	Fault    string    `json:"fault,omitempty"`
	met
}

type ranBuf struct {
	Name    string `json:"name"`
	Bytes   int    `json:"bytes"`
	Changed bool   `json:"changed"`
	Begins  string `json:"begins"` // the first bytes, in hexadecimal
}

// A heldBuf is a buffer of a launch: what it began with, and where --out wants what becomes of it.
type heldBuf struct {
	name   string
	data   *[]byte
	before []byte
	file   string // "": nowhere
}

// hold is a buffer before its launch.
func hold(name string, data *[]byte) heldBuf {
	return heldBuf{name: name, data: data, before: bytes.Clone(*data)}
}

// outs gives buffers the files that --out names for them.
func (c *runCmd) outs(bufs []heldBuf) error {
	for _, text := range c.Out {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return fmt.Errorf("--out %s: want NAME=FILE", text)
		}
		i := slices.IndexFunc(bufs, func(b heldBuf) bool { return b.name == name })
		if i < 0 {
			var names []string
			for _, b := range bufs {
				names = append(names, b.name)
			}
			return fmt.Errorf("--out %s: no buffer %q; there are %s", text, name, strings.Join(names, ", "))
		}
		if err := writable(file); err != nil {
			return err
		}
		bufs[i].file = file
	}
	return nil
}

// toStdout is whether a buffer goes to standard output.
func (c *runCmd) toStdout() bool {
	return slices.ContainsFunc(c.Out, func(s string) bool { return strings.HasSuffix(s, "=-") })
}

// finish reports what a launch did, and writes the buffers that --out names. The error is the fault, or why it could not. Of a
// launch that never began there is nothing but the fault.
func (c *runCmd) finish(a *app, r ran, bufs []heldBuf, res *launch.Result, fault error) error {
	if fault != nil && (res == nil || res.Waves == 0) || ended(fault) {
		return fault
	}
	r.Counters = countersOf(res)
	r.Stats = statsOf(c.took, &r.Counters)
	if !c.toStdout() { // a buffer there is all that is wanted
		for _, b := range bufs {
			data := *b.data
			r.Buffers = append(r.Buffers, ranBuf{b.name, len(data), !bytes.Equal(b.before, data), fmt.Sprintf("%x", data[:min(16, len(data))])})
		}
		if fault != nil {
			r.Fault = fault.Error()
		}
		r.met = c.met()
		if err := r.print(a, c.JSON); err != nil {
			return err
		}
	}
	for _, b := range bufs {
		if b.file == "" {
			continue
		}
		err := a.save(b.file, bytesOf(*b.data))
		if errors.Is(err, errInterrupted) {
			break // the fault says where
		}
		if err != nil {
			return errors.Join(fault, err)
		}
	}
	if fault != nil {
		return fault
	}
	m := c.met()
	return m.err()
}

// print shows what a launch did.
func (r *ran) print(a *app, json bool) error {
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
		rows = append(rows, []string{shown(b.Name), count(b.Bytes, "byte"), state, "begins " + b.Begins})
	}
	a.printf("%s", tableOf(rows))
	r.met.print(a, "")
	a.printf("%s\n", r.Counters)
	r.Stats.print(a)
	return nil
}
