package stepping

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// ErrAgain ends a run that is to begin again, so that it can be gone through up to a place before.
var ErrAgain = errors.New("begin again")

// ErrQuit ends a run that nobody wants to see the end of.
var ErrQuit = errors.New("quit")

// A Session is a run at a terminal: commands say how far it goes. Waves take their turns as they do without it, so a run that begins
// again comes to the same places, and going back is going there anew.
type Session struct {
	in     *bufio.Scanner
	out    io.Writer
	prompt string
	last   string // command, for an empty line
	points []Point
	lanes  LaneRange

	steps  uint64 // instructions that have begun in this run
	target uint64 // stop in front of the instruction after so many
	from   uint64 // points count behind so many: what lies before has been seen
	mode   mode
	who    exec.Where // of next: the wave
	behind uint64     // and the address, as the code has it
	was    *exec.State
	shown  bool // instructions and what they change
	step   *exec.Step
}

// A mode says where a session stops besides at its points.
type mode uint8

const (
	forTarget mode = iota
	forWave
	forBehind
	forPoints
)

// NewSession reads commands and writes what they show. prompt is what stands in front of a command at a terminal.
func NewSession(in io.Reader, out io.Writer, prompt string) *Session {
	return &Session{in: bufio.NewScanner(in), out: out, prompt: prompt, lanes: someLanes}
}

// Begin prepares for a run, or the same once more.
func (s *Session) Begin() {
	s.steps = 0
	for i := range s.points {
		s.points[i].came = 0
	}
}

// Steps is how many instructions have begun in this run.
func (s *Session) Steps() uint64 { return s.steps }

// Replaying reports whether the run goes through what has been seen before.
func (s *Session) Replaying() bool { return s.steps < s.from }

// Before implements exec.Stepper.
func (s *Session) Before(at *exec.Step) error {
	s.step = at
	switch {
	case s.stops(at):
		s.shown = false
		fmt.Fprintln(s.out, Head(at))
		if err := s.commands(); err != nil {
			return err
		}
	case s.shows(at):
		fmt.Fprintln(s.out, Head(at))
	}
	s.steps++
	if s.shows(at) {
		s.was = at.State.Snapshot()
	}
	return nil
}

// shows reports whether an instruction is one that the user goes through step by step.
func (s *Session) shows(at *exec.Step) bool {
	return s.shown && (s.mode == forTarget || s.mode == forWave && at.Env.Where == s.who)
}

// stops reports whether the run stops in front of an instruction.
func (s *Session) stops(at *exec.Step) bool {
	text := ""
	if len(s.points) > 0 {
		text = at.Text()
	}
	here := false
	for i := len(s.points) - 1; i >= 0; i-- {
		is, err := s.points[i].At(at, text)
		if err != nil {
			s.drop(i, err)
		}
		here = here || is
	}
	switch s.mode {
	case forTarget:
		return s.steps == s.target || here && s.steps > s.from
	case forWave:
		return here || at.Env.Where == s.who
	case forBehind:
		return here || at.PC == s.behind && at.Env.Where == s.who
	}
	return here
}

// drop takes out a point that the code does not have.
func (s *Session) drop(i int, err error) {
	fmt.Fprintf(s.out, "break: %v\n", err)
	s.points = slices.Delete(s.points, i, i+1)
}

// After implements exec.Stepper: it shows what a single step has changed.
func (s *Session) After(at *exec.Step, stop exec.Stop) {
	if !s.shows(at) {
		return
	}
	d, _ := ir.Describe(at.Program)
	list := changes(s.was, at.State, d)
	for i := range list {
		fmt.Fprintf(s.out, "    %s\n", list[i].text(s.lanes))
	}
	switch stop.Reason {
	case exec.StopEnd:
		fmt.Fprintf(s.out, "    %s ends\n", whoText(&at.Env.Where))
	case exec.StopBarrier:
		fmt.Fprintf(s.out, "    %s waits at a barrier\n", whoText(&at.Env.Where))
	}
}

// Over is asked when the run has come to its end: it reports whether it is to begin again, to a place before.
func (s *Session) Over() (again bool) {
	s.step, s.shown = nil, false
	fmt.Fprintf(s.out, "the run is over after %d instructions; back [N], restart or quit\n", s.steps)
	return errors.Is(s.commands(), ErrAgain)
}

// commands carries out commands until one lets the run go on. The error ends the run.
func (s *Session) commands() error {
	for {
		fmt.Fprint(s.out, s.prompt)
		if !s.in.Scan() {
			return ErrQuit
		}
		line := strings.TrimSpace(s.in.Text())
		if line == "" {
			line = s.last
		}
		if line == "" {
			continue
		}
		s.last = line
		words := strings.Fields(line)
		c := find(words[0])
		switch {
		case c == nil:
			fmt.Fprintf(s.out, "%s: no such command; help lists them\n", words[0])
			continue
		case c.inRun && s.step == nil:
			fmt.Fprintf(s.out, "%s: the run is over; back, restart or quit\n", c.name)
			continue
		}
		goes, err := c.do(s, words[1:])
		switch {
		case errors.Is(err, ErrAgain), errors.Is(err, ErrQuit):
			return err
		case err != nil:
			fmt.Fprintf(s.out, "%s: %v\n", c.name, err)
		case goes:
			return nil
		}
	}
}

// number is the first of the words, or what there is without one.
func number(words []string, without uint64) (uint64, error) {
	if len(words) == 0 {
		return without, nil
	}
	n, err := strconv.ParseUint(words[0], 0, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s: want a number from 1", words[0])
	}
	return n, nil
}
