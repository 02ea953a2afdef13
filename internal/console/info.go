package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

// An info is a topic of the command info.
type info struct {
	names string // the first is shown
	help  string
	needs need
	do    func(c *Console, rest string) (bool, error)
}

// infos returns all topics. It is a function because its rows use commands that refer to it.
func infos() []info {
	return []info{
		{"registers", "registers that are not zero, or those named", aWave, (*Console).infoRegisters},
		{"breakpoints points", "breakpoints and watchpoints, and how often they were hit", always, (*Console).infoPoints},
		{"watchpoints", "watchpoints", always, (*Console).infoPoints},
		{"locals", "local variables of the frame", aWave, (*Console).infoLocals},
		{"args", "parameters of the frame, and arguments of the kernel", aWave, (*Console).infoArgs},
		{"variables", "variables outside of functions", aWave, (*Console).infoGlobals},
		{"waves threads", "waves of the current workgroup", aWave, (*Console).infoWaves},
		{"lanes", "what the lanes of the wave do", aWave, (*Console).infoLanes},
		{"kernel program", "the kernel, its arguments, its group and its memory", aWave, (*Console).infoKernel},
		{"source sources", "the current source file, and those that the code names", always, (*Console).infoSource},
		{"line", "the addresses of a line", always, (*Console).infoLine},
		{"frame", "the selected frame", aWave, (*Console).infoFrame},
		{"functions symbols", "functions and labels", always, (*Console).infoFunctions},
		{"memory files", "segments of memory", aWave, (*Console).infoMemory},
		{"display", "expressions that are displayed", always, (*Console).infoDisplay},
	}
}

var infoHelp = "WHAT is registers, breakpoints, watchpoints, locals, args, variables, waves, lanes, kernel, source, line PLACE, frame,\nfunctions, memory or display, or the beginning of one. info alone says what each is."

func (c *Console) doInfo(rest string) (bool, error) {
	what, rest, _ := strings.Cut(rest, " ")
	if what == "" {
		for _, x := range infos() {
			c.printf("  info %-14s %s\n", strings.Fields(x.names)[0], x.help)
		}
		return false, nil
	}
	for _, x := range infos() {
		if !slices.ContainsFunc(strings.Fields(x.names), func(n string) bool { return strings.HasPrefix(n, what) }) {
			continue
		}
		if x.needs == aWave && c.ended {
			return false, fmt.Errorf("%s: %w", strings.Fields(x.names)[0], errOver)
		}
		return x.do(c, strings.TrimSpace(rest))
	}
	return false, fmt.Errorf("%s: no such thing; info alone lists what there is", what)
}

func (c *Console) infoRegisters(rest string) (bool, error) {
	if rest != "" {
		for name := range strings.FieldsSeq(rest) {
			e, err := debug.Parse("$" + strings.TrimPrefix(name, "$"))
			if err != nil {
				return false, err
			}
			s, err := c.scope().Show(e, 0, c.shown.First, c.shown.Last)
			if err != nil {
				return false, err
			}
			c.printf("    %s = %s\n", name, s.Text)
		}
		return false, nil
	}
	at := c.scope()
	d := stepping.NewDump(&exec.Step{Program: at.Code.Program(), State: at.Wave.State, Env: at.Env, PC: at.PC})
	c.printf("    live=%#x exec=%#x\n", d.Live, d.Exec)
	for i := range d.Regs {
		c.printf("    %s\n", d.Regs[i].Text(c.shown))
	}
	c.printf("    %d more are zero\n", d.Zero)
	return false, nil
}

func (c *Console) infoPoints(string) (bool, error) {
	if len(c.points) == 0 {
		c.printf("no breakpoints; break sets one\n")
	}
	for _, p := range c.points {
		c.printf("  %s", c.describe(p))
		if n := p.Hits(); n > 0 {
			c.printf("; hit %d times", n)
		}
		c.printf("\n")
	}
	return false, nil
}

// objects prints variables.
func (c *Console) objects(list []*debug.Object) {
	at := c.scope()
	for _, o := range list {
		e, err := debug.Parse(o.Name)
		if err != nil {
			continue // a compiler-generated name that expressions cannot contain
		}
		s, err := at.Show(e, 0, c.shown.First, c.shown.Last)
		if err != nil {
			c.printf("  %s = <%v>\n", o.Name, err)
			continue
		}
		text := s.Text
		if s.Note != "" {
			text += " (" + s.Note + ")"
		}
		c.printf("  %s %s = %s\n", s.Type, o.Name, text)
	}
}

// noSource returns why there are no variables.
func (c *Console) noSource(at *debug.Scope) error {
	if len(at.Functions()) == 0 {
		return errors.New("no variables are known here: the code has no debug information; compile it with -g")
	}
	return nil
}

func (c *Console) infoLocals(string) (bool, error) {
	at := c.scope()
	if err := c.noSource(at); err != nil {
		return false, err
	}
	_, locals := at.Variables()
	if len(locals) == 0 {
		c.printf("no locals\n")
	}
	c.objects(locals)
	return false, nil
}

func (c *Console) infoArgs(string) (bool, error) {
	at := c.scope()
	args, _ := at.Variables()
	if len(args) == 0 {
		args = at.Arguments()
	}
	if len(args) == 0 {
		if err := c.noSource(at); err != nil {
			return false, err
		}
		c.printf("no arguments\n")
	}
	c.objects(args)
	return false, nil
}

func (c *Console) infoGlobals(string) (bool, error) {
	at := c.scope()
	list := at.Globals()
	if len(list) == 0 {
		if err := c.noSource(at); err != nil {
			return false, err
		}
		c.printf("no variables outside of functions\n")
	}
	c.objects(list)
	return false, nil
}

func (c *Console) infoWaves(string) (bool, error) {
	for _, w := range c.run.Waves() {
		mark := " "
		if w == c.wave {
			mark = "*"
		}
		at := c.run.ScopeOf(w, -1)
		p := at.Code.Place(at.PC)
		text := fmt.Sprintf("%s wave %d of group (%d,%d,%d)  %#06x", mark, w.Wave, w.Group[0], w.Group[1], w.Group[2], p.Addr)
		if name := p.Name(); name != "" {
			text += " <" + name + ">"
		}
		if lines := p.Lines(); lines != "" {
			text += " " + lines
		}
		text += fmt.Sprintf("  exec %#x", w.State.Exec)
		if w.Waiting {
			text += ", waits at a barrier"
		}
		c.printf("%s\n", text)
	}
	return false, nil
}

func (c *Console) infoLanes(string) (bool, error) {
	st := c.wave.State
	from, last := 0, ""
	for lane := 0; lane <= st.Lanes; lane++ {
		text := ""
		if lane < st.Lanes {
			text = c.wave.LaneState(lane)
		}
		if lane > 0 && text != last {
			c.printf("  lanes %d to %d: %s\n", from, lane-1, last)
			from = lane
		}
		last = text
	}
	if c.lane >= 0 {
		c.printf("  lane %d is selected\n", c.lane)
	}
	return false, nil
}

func (c *Console) infoKernel(string) (bool, error) {
	at := c.scope()
	c.printf("  kernel %s, group (%d,%d,%d), wave %d of %d lanes, %s\n", c.wave.Kernel, c.wave.Group[0], c.wave.Group[1], c.wave.Group[2], c.wave.Wave,
		c.wave.State.Lanes, c.wave.State.Machine.Name)
	c.objects(at.Arguments())
	return c.infoMemory("")
}

func (c *Console) infoSource(string) (bool, error) {
	at := c.here()
	p := at.code.Place(at.pc)
	here := source(p)
	switch path := c.Sources.FindAt(here); {
	case here.Line == 0:
		c.printf("no source line is known here\n")
	case path == "":
		c.printf("%s, which is not here; directory DIR says where it is\n", here)
	default:
		c.printf("%s: %s\n", here, path)
	}
	for _, f := range at.code.Files() {
		c.printf("  %s\n", f)
	}
	return false, nil
}

func (c *Console) infoLine(rest string) (bool, error) {
	pcs, err := c.place(rest)
	if err != nil {
		return false, err
	}
	at := c.here()
	for _, pc := range pcs {
		p := at.code.Place(pc)
		c.printf("  %s\n", p)
	}
	return false, nil
}

func (c *Console) infoFunctions(string) (bool, error) {
	for _, y := range c.here().code.Symbols() {
		c.printf("  %#06x  %s\n", y.Addr, y.Name)
	}
	return false, nil
}

func (c *Console) infoMemory(string) (bool, error) {
	at := c.scope()
	for _, g := range at.Segments() {
		space := g.Space.String()
		if g.Bank != 0 {
			space = fmt.Sprintf("%s.%d", space, g.Bank)
		}
		c.printf("  %-8s %#x-%#x  %s\n", space, g.Addr, g.Addr+g.Bytes, g.Name)
	}
	if base, size := at.Private(); size > 0 {
		c.printf("  %-8s %#x-%#x  of each lane\n", "private", base, base+size)
	}
	return false, nil
}

func (c *Console) infoDisplay(string) (bool, error) {
	for _, d := range c.displays {
		c.printf("  %d  %s\n", d.n, d.e)
	}
	return false, nil
}
