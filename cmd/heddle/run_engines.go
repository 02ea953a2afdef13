package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/engines"
)

// allEngines is the name that selects every engine, one after the other.
const allEngines = "all"

// An enginesFlag names an engine, or all.
type enginesFlag string

// UnmarshalText rejects names that are no engine, and engines that cannot run here.
func (e *enginesFlag) UnmarshalText(text []byte) error {
	if *e = enginesFlag(text); *e == allEngines {
		return nil
	}
	var one engineFlag
	return one.UnmarshalText(text)
}

func (e enginesFlag) engine(u engines.Use) exec.Engine { return engineFlag(e).engine(u) }

// allEngines reports flags that do not go with --engine all.
func (c *runCmd) allEngines() error {
	if c.Engine != allEngines {
		return nil
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"stats", c.Stats}, {"fidelity", c.Fidelity}, {"trace", c.Trace.on}, {"break", len(c.Break) > 0}} {
		if f.on {
			return fmt.Errorf("--engine all does not go with --%s, which is about one engine; name it", f.name)
		}
	}
	return nil
}

// An outcome is the observable result of a run, which must be the same on all engines.
type outcome struct {
	names   []string
	buffers [][]byte
	fault   string // "": none
	printed []byte
	met
}

// An agreement says whether an engine gave the results of the reference.
type agreement struct {
	Engine string `json:"engine"`
	OK     bool   `json:"ok"`
	What   string `json:"what,omitempty"` // the first difference
}

// onAll runs something on each available engine, the reference first, and records how the others agree with it. Output
// of kernels appears once. It ends early when the user ends the run.
func (c *runCmd) onAll(a *app, run func() outcome) error {
	var first outcome
	var found *check.Watched
	var to io.Writer
	before := c.print
	defer func() { c.print = before }()
	c.agree = nil
	for i, e := range engines.All() {
		var text bytes.Buffer
		c.one = e
		c.print = func(w io.Writer) io.Writer {
			to = w
			return &text
		}
		o := run()
		if err := a.ctx.Err(); err != nil {
			return err
		}
		o.printed = text.Bytes()
		if i == 0 {
			first, found = o, c.found
			continue
		}
		what := first.differs(&o)
		c.agree = append(c.agree, agreement{e.Name, what == "", what})
	}
	c.found = found
	if len(first.printed) > 0 {
		_, err := to.Write(first.printed)
		return err
	}
	return nil
}

// differs returns the first difference between the result of the reference and that of an engine; "" if there is none.
func (o *outcome) differs(of *outcome) string {
	switch {
	case o.fault != of.fault:
		return fmt.Sprintf("ends with %s; the reference with %s", orNone(of.fault), orNone(o.fault))
	case !bytes.Equal(o.printed, of.printed):
		return "prints another text than the reference"
	case !slices.Equal(o.met.same(), of.met.same()):
		return "the sanitizer finds something else than on the reference"
	}
	for i, name := range o.names {
		b := &casefile.Buffer{Name: name, Expect: "reference", Compare: casefile.BufferCompare{Mode: "exact"}}
		if what := check.CompareBuffer(b, o.buffers[i], of.buffers[i]); what != "" {
			return what
		}
	}
	return ""
}

func orNone(fault string) string {
	if fault == "" {
		return "no fault"
	}
	return fmt.Sprintf("%q", fault)
}

// disagreement returns the error for engines that differ from the reference; nil if none does.
func disagreement(list []agreement) error {
	var names []string
	for _, g := range list {
		if !g.OK {
			names = append(names, g.Engine)
		}
	}
	if names == nil {
		return nil
	}
	return wrong{errors.New("not as on the reference: " + strings.Join(names, ", "))}
}

// printAgreement prints which engines agree, and how the others differ.
func printAgreement(a *app, list []agreement) {
	agree := []string{"reference"}
	for _, g := range list {
		if g.OK {
			agree = append(agree, g.Engine)
			continue
		}
		a.say("engine %s: %s\n", g.Engine, g.What)
	}
	if len(agree) > 1 {
		a.say("engines that agree: %s\n", strings.Join(agree, ", "))
	}
}
