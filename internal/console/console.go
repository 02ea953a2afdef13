package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	if h.Reason == debug.AfterStep && c.steps > 0 && c.again != nil {
		c.changes(h)
		c.steps--
		if w := c.run.WaveOf(c.was.ID); w != nil {
			c.printf("%s\n", c.head())
			c.wave = w
			c.again()
			return true
		}
	}
	c.changes(h)
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
}

// reason says why the run has stopped, where it is more than a step.
func (c *Console) reason(h *debug.Halt) {
	watch := ""
	for _, p := range h.Points {
		if p.Watch == nil {
			c.printf("breakpoint %d\n", p.ID)
		} else {
			watch += fmt.Sprintf("watchpoint %d: ", p.ID)
		}
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

// drop removes temporary breakpoints that have stopped the run.
func (c *Console) drop(h *debug.Halt) {
	for _, p := range h.Points {
		for i, x := range c.points {
			if x.Point == p && x.temporary {
				c.points = append(c.points[:i:i], c.points[i+1:]...)
				c.set()
				break
			}
		}
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

// line is the next line of input, or the last command if it is empty; false at the end of input.
func (c *Console) line() (string, bool) {
	if !c.in.Scan() {
		if err := c.in.Err(); err != nil {
			c.note(fmt.Errorf("commands: %w", err))
		}
		return "", false
	}
	if line := strings.TrimSpace(c.in.Text()); line != "" {
		return line, true
	}
	return c.last, true
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
		c.printf("%v\n", err)
		return false, nil
	case cmd.needs == aWave && c.ended:
		c.printf("%s: the run is over; reverse-continue, back, start, run or quit\n", name)
		return false, nil
	}
	goes, err = cmd.do(c, rest)
	if err != nil && !errors.Is(err, errQuit) {
		c.printf("%s: %v\n", name, err)
		return false, nil
	}
	return goes, err
}

// scope is what expressions are about.
func (c *Console) scope() *debug.Scope { return &c.frames()[c.frame].Scope }
