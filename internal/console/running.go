package console

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/ir"
)

func running() []command {
	return []command{
		{"run", "r", "", "run from the beginning to the first stop",
			"The run begins again. Breakpoints stay. What was changed by hand is undone.", always, (*Console).doRun},
		{"start", "restart", "", "go back to the first instruction", "", always, (*Console).doStart},
		{"continue", "c fg", "[N]", "run to the next breakpoint, watchpoint or fault, or to the end",
			"With N the run passes the current breakpoint N-1 times before it stops there again.", aWave, (*Console).doContinue},
		{"step", "s", "[N]", "run one source line of the wave, or N, into calls",
			"Without a line table it runs one instruction. Other waves have their turns in between.\nWhere lines are instructions (assembly) it prints the registers that have changed.", aWave, steps(debug.Into, true)},
		{"next", "n", "[N]", "run one source line of the wave, or N, over calls", "As step, but functions that are called run to their end.", aWave, steps(debug.OverCalls, true)},
		{"stepi", "si", "[N]", "run one instruction of the wave, or N, into calls", "It prints the registers that have changed.", aWave, steps(debug.Into, false)},
		{"nexti", "ni", "[N]", "run one instruction of the wave, or N, over calls", "It prints the registers that have changed.", aWave, steps(debug.OverCalls, false)},
		{"finish", "fin", "", "run until the function of the wave returns, or the wave ends", "", aWave, steps(debug.OutOf, false)},
		{"until", "u advance", "PLACE", "run until a wave comes to a place", "A place is as for break, with a condition if you want. The run stops at other breakpoints on the way, too.", aWave, (*Console).doUntil},
		{"reverse-continue", "rc", "", "go back to the last place where the run would have stopped",
			"Without one it goes to the beginning. Going back is running again up to a place: see docs/debugging.md.", always, (*Console).doReverseContinue},
		{"reverse-step", "rs", "[N]", "go back one source line of the wave, or N, into calls", "", aWave, backs(true, false)},
		{"reverse-next", "rn", "[N]", "go back one source line of the wave, or N, over calls", "", aWave, backs(true, true)},
		{"reverse-stepi", "rsi", "[N]", "go back one instruction of the wave, or N", "", aWave, backs(false, false)},
		{"reverse-nexti", "rni", "[N]", "go back one instruction of the wave, or N, over calls", "", aWave, backs(false, true)},
		{"back", "", "[N]", "go back one instruction of the run, or N, of whatever wave", "", always, (*Console).doBack},
		{"jump", "j", "PLACE", "make the wave go on at another instruction",
			"Only sets whose lanes have one program counter can: gcn, rogue, attila. continue or step goes on from there.", aWave, (*Console).doJump},
	}
}

// number parses a number from 1; without is the default.
func number(text string, without uint64) (uint64, error) {
	if text == "" {
		return without, nil
	}
	n, err := strconv.ParseUint(text, 0, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s: want a number from 1", text)
	}
	return n, nil
}

func (c *Console) doRun(string) (bool, error) {
	if h := c.run.Halted(); h.Pos > 0 || c.ended {
		c.run.BackTo(0)
		e := <-c.events
		if e.halt == nil {
			c.over(e.err)
			return false, nil
		}
		c.stopped0(e.halt)
	}
	c.run.Begin()
	return true, nil
}

// stopped0 handles a stop that is not shown.
func (c *Console) stopped0(h *debug.Halt) {
	c.ended, c.wave, c.frame, c.steps = false, h.Wave, 0, 0
	c.left = spot{h.Code, h.Step.PC, h.Wave.State.Lanes}
	c.list.reset()
}

func (c *Console) doStart(string) (bool, error) {
	c.run.BackTo(0)
	return true, nil
}

func (c *Console) doContinue(text string) (bool, error) {
	n, err := number(text, 1)
	if err != nil {
		return false, err
	}
	h := c.run.Halted()
	if n > 1 {
		if len(h.Points) == 0 {
			return false, errors.New("the run has not stopped at a breakpoint: a number says how often to pass it")
		}
		for _, p := range h.Points {
			if err := c.ignore(p.ID, n-1); err != nil {
				return false, err
			}
		}
	}
	if h.Pos == 0 && h.Reason == debug.AtEntry {
		c.run.Begin()
	} else {
		c.run.Continue()
	}
	return true, nil
}

// steps returns a command that steps.
func steps(way debug.Way, line bool) func(c *Console, rest string) (bool, error) {
	return func(c *Console, rest string) (bool, error) {
		n, err := number(rest, 1)
		if err != nil {
			return false, err
		}
		if way == debug.OutOf {
			n = 1
		}
		c.again = func() {
			c.keep(line)
			c.run.Step(c.wave, way, line)
		}
		c.steps, c.was = int(n)-1, c.wave
		c.again()
		return true, nil
	}
}

// keep saves the state of the wave if its changes are shown: for steps by instruction, also where the instructions are
// the source lines.
func (c *Console) keep(line bool) {
	c.before, c.was = nil, c.wave
	at := c.run.ScopeOf(c.wave, -1)
	if !line || len(at.Functions()) == 0 {
		c.before = c.wave.State.Snapshot()
	}
}

// changes shows the registers that a step has changed.
func (c *Console) changes(h *debug.Halt) {
	if c.before == nil || c.was == nil {
		return
	}
	w := c.run.WaveOf(c.was.ID)
	if w == nil {
		c.printf("    %s ends\n", stepping.WhoText(&c.was.Where))
		return
	}
	var d ir.Described
	if w.Program != nil {
		d, _ = ir.Describe(w.Program)
	}
	list := stepping.Changes(c.before, w.State, d)
	for i := range list {
		c.printf("    %s\n", list[i].Text(c.shown))
	}
	if w.Waiting {
		c.printf("    %s waits at a barrier\n", stepping.WhoText(&w.Where))
	}
}

func (c *Console) doUntil(place string) (bool, error) {
	p, err := c.add(place, false)
	if err != nil {
		return false, err
	}
	c.run.Discard(p.Point)
	p.ID, p.until = 0, true
	c.run.Continue()
	return true, nil
}

func (c *Console) doReverseContinue(string) (bool, error) {
	c.run.ReverseContinue()
	return true, nil
}

// maxReturns limits the steps back through called functions.
const maxReturns = 1 << 12

// backs returns a command that goes back.
func backs(line, over bool) func(c *Console, rest string) (bool, error) {
	return func(c *Console, rest string) (bool, error) {
		n, err := number(rest, 1)
		if err != nil {
			return false, err
		}
		id, depth := c.wave.ID, c.wave.Depth()
		for i, returns := uint64(0), 0; ; {
			c.run.Back(c.wave, line)
			if i++; i == n && !over {
				return true, nil
			}
			e := <-c.events
			if e.halt == nil || e.halt.Wave.ID != id || e.halt.Pos == 0 {
				c.events <- e
				return true, nil
			}
			c.stopped0(e.halt)
			if returns++; over && c.wave.Depth() > depth && returns < maxReturns {
				i--
				continue
			}
			if i >= n {
				c.events <- e
				return true, nil
			}
		}
	}
}

func (c *Console) doBack(rest string) (bool, error) {
	n, err := number(rest, 1)
	if err != nil {
		return false, err
	}
	pos := c.run.Halted().Pos
	if n > pos {
		return false, fmt.Errorf("%d instructions have run", pos)
	}
	c.run.BackTo(pos - n)
	return true, nil
}

func (c *Console) doJump(place string) (bool, error) {
	pcs, err := c.place(place)
	if err != nil {
		return false, err
	}
	if len(pcs) != 1 {
		return false, fmt.Errorf("%s: %d instructions; name one", strings.TrimSpace(place), len(pcs))
	}
	if c.wave != c.run.Halted().Wave {
		return false, errors.New("it is another wave's turn")
	}
	if err := c.run.Goto(pcs[0]); err != nil {
		return false, err
	}
	c.frame = 0
	c.where()
	return false, nil
}
