package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

// A Console is a debugging session at a terminal.
type Console struct {
	Prompt  string // printed before each command; "": none
	Sources debug.Sources
	Tell    func(err error) string // formats an error of the run; "": nothing to print

	in     *bufio.Scanner
	out    io.Writer
	err    error // from writing
	run    *debug.Session
	events chan event
	last   string // last command, repeated by an empty line

	points   []*point
	displays []display
	made     int // number of displays so far

	wave   *debug.Wave // selected wave; nil: none, the run is over
	left   spot        // last stop of the run
	lane   int         // selected lane; below 0: none
	shown  stepping.LaneRange
	frame  int
	ended  bool        // the run is over
	fault  error       // the error that ended it
	before *exec.State // of the wave before a step, to show what it has changed
	steps  int         // steps left after the current one
	again  func()      // starts the next of them
	was    *debug.Wave // the wave that is stepped
	list   listing
	record *recorder // nil: the output of commands is printed
}

// A point is a breakpoint or watchpoint as the user sees it.
type point struct {
	*debug.Point
	off, temporary bool
	until          bool // from the command until: it has no number, and is deleted at the next stop
}

// A display is an expression that is printed at each stop.
type display struct {
	n int
	f debug.Format
	e *debug.Expr
}

// An event is a stop of the run, or its end.
type event struct {
	halt *debug.Halt
	err  error
}

// listener receives events of the run, on its goroutine.
type listener struct {
	debug.Silent
	c *Console
}

func (l listener) Halted(h *debug.Halt) { l.c.events <- event{halt: h} }

func (l listener) Over(err error) { l.c.events <- event{err: err} }

func (l listener) Say(text string) { l.c.printf("%s\n", text) }

// mostLine limits the length of a command line, in bytes.
const mostLine = 1 << 20

// New returns a console that reads commands from in and prints to out.
func New(in io.Reader, out io.Writer) *Console {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostLine)
	return &Console{in: lines, out: out, Tell: func(err error) string { return fmt.Sprint(err) }, lane: -1, shown: stepping.SomeLanes, events: make(chan event, 4)}
}

// Session returns a session of a run for the console.
func (c *Console) Session(run debug.Run) *debug.Session {
	c.run = debug.New(run, listener{c: c})
	c.run.Linger = true
	return c.run
}

// errQuit ends the session.
var errQuit = errors.New("quit")

// Run starts the session and executes commands until the user quits, or input ends. The error is that of a run which
// ended before its first instruction, of the context, or of writing.
func (c *Console) Run(ctx context.Context) error {
	c.run.Start(ctx)
	defer c.run.Quit()
	for begun := false; ; begun = true {
		var e event
		select {
		case e = <-c.events:
		case <-ctx.Done():
			return ctx.Err()
		}
		if e.halt == nil && !begun {
			return e.err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		goes := c.stopped(e)
		for !goes {
			var err error
			if goes, err = c.command(); errors.Is(err, errQuit) {
				if c.record != nil {
					c.note(c.record.flush(""))
				}
				return c.err
			}
			if c.err != nil {
				return c.err
			}
		}
	}
}

func (c *Console) printf(format string, args ...any) {
	_, err := fmt.Fprintf(c.out, format, args...)
	c.note(err)
}

// stopped shows where the run has stopped, and reports whether it continues at once, with the next of several steps.
func (c *Console) stopped(e event) (goes bool) {
	c.list.reset()
	c.frame = 0
	if e.halt == nil {
		c.over(e.err)
		return false
	}
	h := e.halt
	c.ended, c.wave = false, h.Wave
	if c.lane >= h.Wave.State.Lanes {
		c.lane = -1
	}
	c.left = spot{h.Code, h.Step.PC, h.Wave.State.Lanes}
	c.changes(h)
	if h.Reason == debug.AfterStep && c.steps > 0 && c.again != nil {
		if w := c.run.WaveOf(c.was.ID); w != nil {
			c.steps--
			c.printf("%s\n", c.head())
			c.wave = w
			c.again()
			return true
		}
	}
	c.before, c.steps, c.again = nil, 0, nil
	if c.record != nil {
		c.record.stop(c, h)
	}
	c.reason(h)
	c.where()
	for _, d := range c.displays {
		c.print(d.e, d.f)
	}
	c.drop(h)
	return false
}

// over reports the end of the run.
func (c *Console) over(err error) {
	if c.before != nil && c.was != nil {
		c.printf("    %s ends\n", stepping.WhoText(&c.was.Where))
	}
	c.ended, c.fault, c.wave, c.before, c.steps, c.again = true, err, nil, nil, 0, nil
	text := ""
	if err != nil {
		text = c.Tell(err)
	}
	if text != "" {
		c.printf("%s\n", text)
	}
	if c.record != nil {
		c.record.end(text, c.run.Halted().Pos)
	}
	c.printf("the run is over after %d instructions; reverse-continue, back [N], start, run or quit\n", c.run.Halted().Pos)
	c.drop(nil)
}

// reason prints why the run has stopped, unless it was only a step.
func (c *Console) reason(h *debug.Halt) {
	watch := ""
	for _, p := range h.Points {
		switch {
		case p.Watch != nil:
			watch += fmt.Sprintf("watchpoint %d: ", p.ID)
		case p.ID != 0:
			c.printf("breakpoint %d\n", p.ID)
		}
	}
	for _, f := range h.Failed {
		c.printf("%s%v\n", numbered(f.Point), f)
	}
	switch {
	case watch != "":
		c.printf("%s%s\n", watch, h.Text)
	case h.Reason == debug.AtFault:
		c.printf("fault: %s\n", h.Text)
	case h.Reason == debug.AtFinding:
		for _, f := range h.Found {
			c.printf("%v: %s [%s]\n", f.Severity(), f.Msg, f.Rule)
		}
	case h.Reason == debug.AtStart:
		c.printf("the beginning of the run\n")
	}
}

// numbered returns the name of a point before a message; "" for until.
func numbered(p *debug.Point) string {
	switch {
	case p.ID == 0:
		return ""
	case p.Watch != nil:
		return fmt.Sprintf("watchpoint %d: ", p.ID)
	}
	return fmt.Sprintf("breakpoint %d: ", p.ID)
}

// drop removes the breakpoints of until, and temporary ones that have stopped the run; h is nil at the end of the run.
func (c *Console) drop(h *debug.Halt) {
	gone := map[*point]bool{}
	for _, x := range c.points {
		if x.until || x.temporary && h != nil && slices.Contains(h.Points, x.Point) {
			gone[x] = true
		}
	}
	if len(gone) > 0 {
		c.points = without(c.points, gone)
		c.set()
	}
}

// set updates the breakpoints of the session to those that are enabled.
func (c *Console) set() {
	var list []*debug.Point
	for _, p := range c.points {
		if !p.off {
			list = append(list, p.Point)
		}
	}
	c.run.SetPoints(list)
}

// line returns the next line of input; if a user at a terminal enters an empty one, the last command. It returns false
// at the end of input.
func (c *Console) line() (string, bool) {
	if !c.in.Scan() {
		if err := c.in.Err(); err != nil {
			c.note(fmt.Errorf("commands: %w", err))
		}
		return "", false
	}
	line := strings.TrimSpace(c.in.Text())
	if line == "" && c.Prompt != "" {
		line = c.last
	}
	return line, true
}

// note records the first error of writing.
func (c *Console) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// command reads a command and executes it.
func (c *Console) command() (goes bool, err error) {
	c.printf("%s", c.Prompt)
	line, ok := c.line()
	if !ok {
		return false, errQuit
	}
	if line == "" || line[0] == '#' {
		return false, nil
	}
	c.last = line
	if c.record != nil {
		c.note(c.record.flush(line))
	}
	name, rest := line, ""
	if i := strings.IndexAny(line, " \t/"); i >= 0 {
		name, rest = line[:i], strings.TrimSpace(line[i:])
	}
	cmd, err := find(name)
	switch {
	case err != nil:
		return false, c.wrong(err)
	case cmd.needs == aWave && c.ended:
		return false, c.wrong(fmt.Errorf("%s: %w", name, errOver))
	}
	goes, err = cmd.do(c, rest)
	if err != nil && !errors.Is(err, errQuit) {
		return false, c.wrong(fmt.Errorf("%s: %w", name, err))
	}
	return goes, err
}

// errOver is the error of commands that need a wave after the end of the run.
var errOver = errors.New("the run is over; reverse-continue, back, start, run or quit")

// wrong prints an error of a command. The result is nil: the session continues.
func (c *Console) wrong(err error) error {
	c.printf("%v\n", err)
	if c.record != nil {
		c.record.now.Error = err.Error()
	}
	return nil
}

// scope returns the scope of expressions.
func (c *Console) scope() *debug.Scope { return &c.frames()[c.frame].Scope }

// A spot is an instruction, and the number of lanes of its wave.
type spot struct {
	code  *debug.Code
	pc    uint64
	lanes int
}

// here returns the instruction of the frame, or of the last stop if the run is over.
func (c *Console) here() spot {
	if c.ended {
		return c.left
	}
	at := c.scope()
	return spot{at.Code, at.PC, c.wave.State.Lanes}
}
