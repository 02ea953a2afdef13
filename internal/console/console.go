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

// A Console is a run at a terminal.
type Console struct {
	Prompt  string // printed before each command; "": none
	Sources debug.Sources
	Tell    func(err error) string // an error of the run in words; "": there is nothing to say

	in     *bufio.Scanner
	out    io.Writer
	err    error // of writing
	run    *debug.Session
	events chan event
	last   string // command, for an empty line

	points   []*point
	displays []display
	made     int // displays ever

	wave   *debug.Wave // that commands are about; nil: none, the run is over
	left   spot        // where the run has stopped last
	lane   int         // below 0: none is selected
	shown  stepping.LaneRange
	frame  int
	ended  bool        // the run is over
	fault  error       // with which it ended
	before *exec.State // of the wave before a step, to show what it has changed
	steps  int         // that follow the one at hand
	again  func()      // makes the next of them
	was    *debug.Wave // that steps are of
	list   listing
	record *recorder // nil: what commands do is printed
}

// A point is a breakpoint or watchpoint as the user has it.
type point struct {
	*debug.Point
	off, temporary bool
	until          bool // of the command until: it has no number, and is deleted at the next stop
}

// A display is an expression that is printed at each stop.
type display struct {
	n int
	f debug.Format
	e *debug.Expr
}

// An event is what the run tells: a stop, or its end.
type event struct {
	halt *debug.Halt
	err  error
}

// listener takes what the run tells, on its goroutine.
type listener struct {
	debug.Silent
	c *Console
}

func (l listener) Halted(h *debug.Halt) { l.c.events <- event{halt: h} }

func (l listener) Over(err error) { l.c.events <- event{err: err} }

func (l listener) Say(text string) { l.c.printf("%s\n", text) }

// mostLine is the longest line of commands, in bytes.
const mostLine = 1 << 20

// New reads commands and writes what they print.
func New(in io.Reader, out io.Writer) *Console {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostLine)
	return &Console{in: lines, out: out, Tell: func(err error) string { return fmt.Sprint(err) }, lane: -1, shown: stepping.SomeLanes, events: make(chan event, 4)}
}

// Session is a session of a run for the console.
func (c *Console) Session(run debug.Run) *debug.Session {
	c.run = debug.New(run, listener{c: c})
	c.run.Linger = true
	return c.run
}

// errQuit is the end of the commands.
var errQuit = errors.New("quit")

// Run starts the session and carries out commands until the user quits, or input ends. The error is that of a run which has ended before its
// first instruction, of the context, or of writing.
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

// stopped shows where the run has stopped, and reports whether it goes on at once: to the next of several steps.
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

// over tells that the run has come to its end.
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

// reason says why the run has stopped, where it is more than a step.
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
	case h.Reason == debug.AtStart:
		c.printf("the beginning of the run\n")
	}
}

// numbered names a point before what is said of it; of until it is "".
func numbered(p *debug.Point) string {
	switch {
	case p.ID == 0:
		return ""
	case p.Watch != nil:
		return fmt.Sprintf("watchpoint %d: ", p.ID)
	}
	return fmt.Sprintf("breakpoint %d: ", p.ID)
}

// drop removes the breakpoints of until, and temporary ones that have stopped the run; nil: it is over.
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

// set makes the breakpoints of the session those that are enabled.
func (c *Console) set() {
	var list []*debug.Point
	for _, p := range c.points {
		if !p.off {
			list = append(list, p.Point)
		}
	}
	c.run.SetPoints(list)
}

// line is the next line of input; if it is empty, of a user at a terminal, the last command. False at the end of input.
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

// note keeps the first error of writing.
func (c *Console) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// command reads a command and carries it out.
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

// errOver is why a command about a wave cannot be carried out.
var errOver = errors.New("the run is over; reverse-continue, back, start, run or quit")

// wrong prints an error of a command. The result is nil: the session goes on.
func (c *Console) wrong(err error) error {
	c.printf("%v\n", err)
	if c.record != nil {
		c.record.now.Error = err.Error()
	}
	return nil
}

// scope is what expressions are about.
func (c *Console) scope() *debug.Scope { return &c.frames()[c.frame].Scope }

// A spot is an instruction, and how many lanes its wave has.
type spot struct {
	code  *debug.Code
	pc    uint64
	lanes int
}

// here is the instruction of the frame, or of the last stop of a run that is over.
func (c *Console) here() spot {
	if c.ended {
		return c.left
	}
	at := c.scope()
	return spot{at.Code, at.PC, c.wave.State.Lanes}
}
