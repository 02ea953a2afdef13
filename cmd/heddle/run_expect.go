package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// Expectations are the flags with expected contents of buffers after a run.
type Expectations struct {
	Expect []string `sep:"none" placeholder:"NAME=FILE|CONTENTS" help:"What a buffer must hold afterwards: a file, or contents as of --arg. Bits are compared; the exit code is 1 if they differ."`
	ULP    *uint32  `name:"ulp" range:"0.." placeholder:"N" help:"Floats of --expect and --save may be so many units in the last place away. Any NaN is as good as another then, and +0 as -0."`
	Abs    *float64 `range:"0.." placeholder:"X" help:"Floats of --expect and --save may differ by so much; with --ulp, one of both suffices."`
	Save   string   `placeholder:"FOLDER" help:"Write a manifest of the run into a new folder: code, buffers as they begin, and what they hold afterwards as expected. heddle check and heddle run take the folder."`
}

// An expected is the expected contents of a buffer.
type expected struct {
	flag string
	buf  *heldBuf
	want []byte
	typ  elem.Type // for the comparison; the zero Type compares bytes
}

// A compared is the comparison of a buffer with its expectation.
type compared struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	What string `json:"what,omitempty"` // the difference
}

// check runs before Run.
func (e *Expectations) check() error {
	if len(e.Expect) == 0 && e.Save == "" && (e.ULP != nil || e.Abs != nil) {
		return errors.New("--ulp and --abs go with --expect or --save, and both are missing")
	}
	return nil
}

// expectations finds the buffers and reads their expected contents, before the run.
func (c *runCmd) expectations(a *app, h *held) (list []expected, err error) {
	for _, text := range c.Expect {
		e := expected{flag: "--expect " + text}
		if err := c.expectation(a, h, &e, text); err != nil {
			return nil, fmt.Errorf("%s: %w", e.flag, err)
		}
		list = append(list, e)
	}
	return list, nil
}

func (c *runCmd) expectation(a *app, h *held, e *expected, text string) (err error) {
	name, what, ok := strings.Cut(text, "=")
	if !ok || what == "" {
		return errors.New("want NAME=FILE or NAME=CONTENTS")
	}
	if e.buf, err = h.find(name); err != nil {
		return err
	}
	if kind, _, _ := strings.Cut(what, ":"); !contents.Kind(kind) {
		what = "file:" + what
	}
	if e.want, e.typ, err = a.fill(what); err != nil {
		return err
	}
	if !e.typ.Known() {
		e.typ = e.buf.typ
	}
	switch {
	case len(e.want) != e.buf.size:
		return fmt.Errorf("%s, and the buffer has %s", spell.Count(len(e.want), "byte"), spell.Count(e.buf.size, "byte"))
	case (c.ULP != nil || c.Abs != nil) && !e.typ.Known():
		return fmt.Errorf("--ulp and --abs need a type: %s=f32:file:FILE says what %s holds", name, name)
	}
	return nil
}

// compare compares a buffer with its expected contents.
func (c *runCmd) compare(e *expected) compared {
	b := &casefile.Buffer{Name: e.buf.name, Elem: e.typ.NumPy(), Expect: e.flag, Compare: c.tolerance(e.typ)}
	what := check.CompareBuffer(b, e.want, *e.buf.data)
	return compared{e.buf.name, what == "", what}
}

// unexpected returns the error for buffers that differ; nil if none does.
func unexpected(list []compared) error {
	for _, r := range list {
		if !r.OK {
			return wrong{errors.New(r.What)}
		}
	}
	return nil
}

// print says whether a buffer is as expected.
func (r *compared) print(a *app) {
	if r.OK {
		a.say("  buffer %s is as expected\n", shown(r.Name))
		return
	}
	a.say("  %s\n", r.What)
}
