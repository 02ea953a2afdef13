package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/loc"
)

var places = []command{
	{"list", "l", "[PLACE | N | N,M]", "print source lines around a place, or the next ones", "Without a source file it prints the listing of the code.\nlist - prints the lines before.", always, (*Console).doList},
	{"disassemble", "disas", "[PLACE]", "print instructions around a place", "", always, (*Console).doDisassemble},
	{"counts", "", "[N | off]", "count instructions, and print the N that ran most",
		"A count is of waves that began the instruction, and of their active lanes, before the current instruction of the run.\nlist and disassemble then print counts, too: of a line those of its instruction that ran most.\nThe run repeats what it has done, from then on looks at each instruction, and is slower.", always, (*Console).doCounts},
	{"directory", "dir", "FOLDER", "look for source files in a folder", "", always, (*Console).doDirectory},
	{"backtrace", "bt where", "", "print the calls that the wave is in, inlined ones too", "", aWave, (*Console).doBacktrace},
	{"frame", "f", "[N]", "select frame N for expressions, or print the current one", "", aWave, (*Console).doFrame},
	{"up", "", "[N]", "select the frame that has called this one", "", aWave, moves(1)},
	{"down", "", "[N]", "select the frame that this one has called", "", aWave, moves(-1)},
	{"wave", "thread", "[N]", "select a wave of the current workgroup, or print which one is selected", "Commands then apply to it: step steps it. info waves lists the waves.", aWave, (*Console).doWave},
	{"lane", "", "[N | all]", "select the lane whose values are printed, or all lanes", "", aWave, (*Console).doLane},
}

// frames returns the frames of the selected wave, innermost first.
func (c *Console) frames() []debug.SourceFrame { return c.run.ScopeOf(c.wave, c.lane).Frames() }

// head returns the position of the wave in one line.
func (c *Console) head() string {
	at := c.run.ScopeOf(c.wave, c.lane)
	return stepping.Head(&exec.Step{Program: at.Code.Program(), State: at.Wave.State, Env: at.Env, PC: at.PC})
}

// where prints the position of the wave, and the source line unless it is the instruction itself.
func (c *Console) where() {
	c.printf("%s\n", c.head())
	at := c.scope()
	if len(at.Functions()) == 0 { // the line is the instruction
		return
	}
	p := source(at.Code.Place(at.PC))
	if lines := c.Sources.Lines(p); p.Line > 0 && p.Line <= len(lines) {
		c.printf("%d\t%s\n", p.Line, lines[p.Line-1])
	}
}

// source returns the position in the source that a programmer wrote: a compiler's source, or else the assembly text.
func source(p loc.Place) loc.Position {
	if p.Source.Known() {
		return p.Source
	}
	return p.Text
}

// A listing is where list continues.
type listing struct {
	at          loc.Position
	first, last int // already printed; 0: none
}

func (l *listing) reset() { *l = listing{} }

// listed is the number of lines that list prints.
const listed = 10

func (c *Console) doList(rest string) (bool, error) {
	at := c.here()
	l := &c.list
	p := source(at.code.Place(at.pc))
	from, to := 0, 0
	switch a, b, two := strings.Cut(rest, ","); {
	case rest == "-" && l.first > 0:
		from, to = max(1, l.first-listed), l.first-1
	case rest == "" && l.last > 0:
		from, to = l.last+1, l.last+listed
	case rest == "" || rest == "-":
		l.at = p
		from = max(1, p.Line-listed/2)
	case two:
		x, errA := strconv.Atoi(strings.TrimSpace(a))
		y, errB := strconv.Atoi(strings.TrimSpace(b))
		if errA != nil || errB != nil || x < 1 || y < x {
			return false, errors.New("want N,M")
		}
		l.at, from, to = p, x, y
	default:
		pcs, err := c.place(rest)
		if err != nil {
			return false, err
		}
		p = source(at.code.Place(pcs[0]))
		l.at, from = p, max(1, p.Line-listed/2)
	}
	if to == 0 {
		to = from + listed - 1
	}
	if p.Line == 0 && l.last == 0 {
		return c.doDisassemble(rest)
	}
	lines := c.Sources.Lines(l.at)
	switch {
	case lines == nil:
		return false, fmt.Errorf("%s is not here; directory DIR says where it is", l.at.File)
	case from > len(lines):
		return false, fmt.Errorf("%s has %d lines", l.at.File, len(lines))
	}
	here, counts := source(at.code.Place(at.pc)), c.run.LineCounts(at.code, l.at.File)
	l.first, l.last = from, min(to, len(lines))
	for n := l.first; n <= l.last; n++ {
		mark := " "
		if n == here.Line && l.at.File == here.File && !c.ended {
			mark = ">"
		}
		c.printf("%s%s%d\t%s\n", mark, c.beside(counts[n]), n, lines[n-1])
	}
	return false, nil
}

func (c *Console) doDisassemble(rest string) (bool, error) {
	if rest != "" {
		return false, c.instructions(rest, listed)
	}
	at := c.here()
	i := at.code.Index(at.pc)
	c.listing(i-listed/2, i+listed/2)
	return false, nil
}

// instructions prints count instructions from a place on; "", pc and $pc are the wave's position.
func (c *Console) instructions(place string, count int) error {
	at := c.here()
	pc := at.pc
	if place != "" && strings.TrimPrefix(place, "$") != "pc" {
		pcs, err := c.place(place)
		if err != nil {
			return err
		}
		pc = pcs[0]
	}
	i := at.code.Index(pc)
	c.listing(i, i+count)
	return nil
}

// listing prints the existing instructions in a range of numbers in the code.
func (c *Console) listing(from, to int) {
	at := c.here()
	insts, counts := at.code.Insts(), c.run.Counts(at.code)
	for _, in := range slices.Clone(insts[max(0, from):min(len(insts), to)]) {
		mark := " "
		if in.PC == at.pc && !c.ended {
			mark = ">"
		}
		name := in.Place.Name()
		if name != "" {
			name = " <" + name + ">"
		}
		c.printf("%s %s%#06x%s  %s\n", mark, c.beside(counts[in.PC]), in.Place.Addr, name, at.code.Text(in.PC))
	}
}

func (c *Console) doDirectory(rest string) (bool, error) {
	if rest == "" {
		for _, d := range c.Sources.Dirs {
			c.printf("  %s\n", d)
		}
		return false, nil
	}
	c.Sources.Dirs = append(c.Sources.Dirs, rest)
	return false, nil
}

// frameText returns a frame in one line.
func (c *Console) frameText(n int, f *debug.SourceFrame) string {
	p := f.Code.Place(f.PC)
	name := f.Name
	if name == "" {
		name = p.Name()
	}
	text := fmt.Sprintf("#%d  %#06x", n, p.Addr)
	if name != "" {
		text += " in " + name
	}
	switch {
	case f.Line > 0:
		text += fmt.Sprintf(" at %s:%d", f.File, f.Line)
	case p.Lines() != "":
		text += " at " + p.Lines()
	}
	if f.Inlined {
		text += " (inlined)"
	}
	return text
}

func (c *Console) doBacktrace(string) (bool, error) {
	for i, f := range c.frames() {
		c.printf("%s\n", c.frameText(i, &f))
	}
	return false, nil
}

func (c *Console) selectFrame(n int) error {
	list := c.frames()
	if n < 0 || n >= len(list) {
		return fmt.Errorf("no frame %d; the wave has %d", n, len(list))
	}
	c.frame = n
	c.list.reset()
	c.printf("%s\n", c.frameText(n, &list[n]))
	return nil
}

func (c *Console) doFrame(rest string) (bool, error) {
	if rest == "" {
		return false, c.selectFrame(c.frame)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return false, fmt.Errorf("%s: want the number of a frame; backtrace lists them", rest)
	}
	return false, c.selectFrame(n)
}

func (c *Console) infoFrame(string) (bool, error) { return false, c.selectFrame(c.frame) }

// moves returns a command that selects another frame.
func moves(by int) func(c *Console, rest string) (bool, error) {
	return func(c *Console, rest string) (bool, error) {
		n, err := number(rest, 1)
		if err != nil {
			return false, err
		}
		return false, c.selectFrame(c.frame + by*int(n))
	}
}

func (c *Console) doWave(rest string) (bool, error) {
	if rest != "" {
		n, err := strconv.Atoi(rest)
		if err != nil {
			return false, fmt.Errorf("%s: want the number of a wave; info waves lists them", rest)
		}
		found := false
		for _, w := range c.run.Waves() {
			if w.Wave == n {
				c.wave, c.frame, found = w, 0, true
			}
		}
		if !found {
			return false, fmt.Errorf("no wave %d; info waves lists them", n)
		}
		c.list.reset()
	}
	c.where()
	return false, nil
}

func (c *Console) doLane(rest string) (bool, error) {
	switch {
	case rest == "all":
		c.lane = -1
	case rest != "":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 || n >= c.wave.State.Lanes {
			return false, fmt.Errorf("%s: want a lane, 0 to %d, or all", rest, c.wave.State.Lanes-1)
		}
		c.lane = n
	}
	if c.lane < 0 {
		c.printf("all lanes\n")
		return false, nil
	}
	c.printf("lane %d: %s\n", c.lane, c.wave.LaneState(c.lane))
	return false, nil
}
