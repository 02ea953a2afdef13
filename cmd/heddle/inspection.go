package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

// A traceFlag is --trace or --trace=WHAT.
type traceFlag struct {
	on   bool
	spec stepping.TraceSpec
}

// IsBool makes the value of the flag optional.
func (t *traceFlag) IsBool() bool { return true }

// Decode parses the value of the flag.
func (t *traceFlag) Decode(ctx *kong.DecodeContext) error {
	text := ""
	if next := ctx.Scan.Peek(); next.Type == kong.FlagValueToken {
		text = fmt.Sprint(ctx.Scan.Pop().Value)
	}
	var err error
	t.on = true
	t.spec, err = stepping.ParseTrace(text)
	return err
}

// A Inspection is the observers of a run by instruction: none, a trace, stops.
type Inspection struct {
	Trace traceFlag `placeholder:"WHAT" help:"Print each instruction that runs, and the registers that it changes. WHAT, behind =, is a list of wave:N[-M], group:X.Y.Z, lanes:N[-M] (whose values are printed; 0-3), from:PLACE (where to begin), max:N (lines), file:PATH."`
	Break []string  `sep:"none" placeholder:"PLACE" help:"Stop where a wave first comes to a symbol, SYMBOL+0x10, an address as in a listing, FILE:LINE, or an instruction. It may be followed by ,wave:N ,group:X.Y.Z ,hit:N (the N-th time), and by a condition: 'dot.cl:12 if v0[0] > 3'."`
	Dump  bool      `help:"Print what the wave holds at the place of --break: registers, masks, memory of the group, line of the source."`

	by    stepping.Both      // observers; may be empty
	held  *debug.Session     // nil: no debugger
	trace *stepping.Trace    // nil: none
	stops *debug.Stops       // nil: none
	lanes stepping.LaneRange // lanes in a dump
}

// check rejects incompatible flags; out says that something else is written to standard output.
func (c *Inspection) check(out bool) error {
	switch {
	case c.Trace.on && (c.Trace.spec.File == "" || c.Trace.spec.File == "-") && out:
		return errors.New("--trace and something else would both go to standard output; --trace=file:PATH writes to a file")
	case c.Dump && len(c.Break) == 0:
		return errors.New("--dump without --break: it says where")
	}
	return nil
}

// asked reports whether a flag asks for observers.
func (c *Inspection) asked() bool { return c.Trace.on || len(c.Break) > 0 || c.Dump }

// observes reports whether there are observers.
func (c *Inspection) observes() bool { return len(c.by) > 0 || c.held != nil }

// stepper returns the observers.
func (c *Inspection) stepper() exec.Stepper {
	if c.held != nil {
		return c.held
	}
	return c.by
}

// use returns how an engine will be used. A debugger skips instructions that it need not observe.
func (c *Inspection) use() engines.Use { return engines.Use{Stepped: len(c.by) > 0} }

// observed runs with the observers that the flags request, and shows what they have recorded.
func (c *Inspection) observed(a *app, json bool, run func() error) (err error) {
	if len(c.Break) > 0 {
		if c.stops, err = debug.NewStops(c.Break); err != nil {
			return fmt.Errorf("--break %w", err)
		}
		c.lanes = c.Trace.lanes(stepping.SomeLanes)
	}
	traced := func(to io.Writer) error {
		c.trace = stepping.NewTrace(c.Trace.spec, to, json)
		c.watchers()
		err = run()
		return c.trace.End()
	}
	switch file := c.Trace.spec.File; {
	case c.Trace.on && file != "" && file != "-":
		if e := a.save(file, traced); e != nil {
			return errors.Join(err, e)
		}
	case c.Trace.on:
		to := io.Writer(a.out)
		if json && file == "" { // the result is one document
			to = a.err
		}
		if e := traced(to); e != nil {
			return errors.Join(err, e)
		}
	default:
		c.watchers()
		err = run()
	}
	return c.seen(a, json, stoppedBy(err))
}

// lanes returns the lanes that --trace names, or others.
func (t *traceFlag) lanes(others stepping.LaneRange) stepping.LaneRange {
	if t.on {
		return t.spec.Lanes
	}
	return others
}

// watchers puts the trace before the stops: the instruction at which a run stops has not run.
func (c *Inspection) watchers() {
	if c.stops != nil {
		c.by = append(c.by, c.stops)
	}
	if c.trace != nil {
		c.by = append(c.by, c.trace)
	}
}

// seen finishes a run with observers.
func (c *Inspection) seen(a *app, json bool, err error) error {
	if errors.Is(err, stepping.ErrStopped) {
		switch d := c.stops.At; {
		case json:
			return a.json(d.JSON())
		case c.Dump:
			a.printf("%s", d.Render(c.lanes))
		default:
			a.printf("stopped before\n%s\n", d.Head())
		}
		return nil
	}
	if err == nil && c.stops != nil {
		switch err = c.stops.Reached(); {
		case errors.As(err, new(*stepping.NotReached)):
			return wrong{fmt.Errorf("--break %w", err)}
		case err != nil:
			return err
		}
	}
	if err == nil && c.trace != nil {
		if err = c.trace.Reached(); err != nil {
			return wrong{fmt.Errorf("--trace from %w", err)}
		}
	}
	return err
}

// stoppedBy returns the error with which an observer has ended a run, or the error unchanged.
func stoppedBy(err error) error {
	var f *exec.Fault
	var u *stepping.UnknownPoint
	var line *stepping.NoLine
	if !errors.As(err, &f) || f.Kind != exec.FaultStopped {
		return err
	}
	if errors.As(f.Err, &u) {
		return u
	}
	if errors.As(f.Err, &line) {
		return line
	}
	var c *debug.ConditionError
	if errors.As(f.Err, &c) {
		return c
	}
	for _, e := range []error{stepping.ErrStopped, stepping.ErrAgain, stepping.ErrQuit} {
		if errors.Is(f.Err, e) {
			return e
		}
	}
	return err
}

// ended reports whether an observer ended a run: then nothing else is reported.
func ended(err error) bool {
	var f *exec.Fault
	return errors.As(err, &f) && stoppedBy(err) != err
}
