package console

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

const placeHelp = `A PLACE is one of
  dot.cl:12            a line of the source, or of assembly text; a number alone is a line of the current file
  loop, loop+0x10      a symbol or label, or an address after it
  0x1a90, *0x1a90      an address as in a listing
  s_barrier            each instruction of that name, or with these words in its text
and may be followed by ,wave:N ,group:X.Y.Z and ,hit:N (the N-th time; also hit:>=N and hit:%N).
The condition is an expression: see help print. It is evaluated in the lowest active lane; any(l == 5) asks all of them.`

var stopping = []command{
	{"break", "b br", "[PLACE] [if CONDITION]", "stop before a place; without one: before the current instruction",
		placeHelp + "\n  break dot.cl:12 if n > 3\n  break kernel+0x10 if v0[0] > 3\n  break s_barrier,wave:1,hit:2", always, (*Console).doBreak},
	{"tbreak", "tb", "[PLACE] [if CONDITION]", "break, once", "The breakpoint is deleted when it stops the run.", always, (*Console).doTbreak},
	{"watch", "w", "EXPRESSION[,BYTES] [if C]", "stop after an instruction that changes a variable, register or memory",
		"  watch n\n  watch v2[3]\n  watch out[0]\n  watch global[0x1000000000],64\nA variable is watched where it is now: a register, or memory.", aWave, watches(debug.Changes)},
	{"rwatch", "rw", "EXPRESSION[,BYTES] [if C]", "stop after an instruction that reads it",
		"Loads, scalar loads and atomics are seen, and operands of instructions that name registers; samplers and images are not.", aWave, watches(debug.Reads)},
	{"awatch", "aw", "EXPRESSION[,BYTES] [if C]", "stop after an instruction that reads or writes it", "Writes of the same value stop the run too. See rwatch.", aWave, watches(debug.Uses)},
	{"logpoint", "", "PLACE MESSAGE", "print a message at a place, and go on", "{EXPRESSION} in the message is its value.\n  logpoint loop s11 is {s11}", always, (*Console).doLog},
	{"condition", "cond", "N [CONDITION]", "set the condition of breakpoint N, or remove it", "", always, (*Console).doCondition},
	{"ignore", "", "N COUNT", "pass breakpoint N so many times before it stops the run", "", always, (*Console).doIgnore},
	{"enable", "en", "[N...]", "enable breakpoints, or all", "", always, enables(false)},
	{"disable", "dis", "[N...]", "disable breakpoints, or all: they stay, and stop nothing", "", always, enables(true)},
	{"delete", "d del", "[N...]", "delete breakpoints, or all", "", always, (*Console).doDelete},
	{"origin", "", "[EXPRESSION]", "the instructions that a finding of the sanitizer is about, or where undefined bits come from",
		"With --sanitize the run stops before an instruction at which something is found, once.\nWith --sanitize=init: which bits of a register or of memory nothing has set, and the instructions that carried them.\n  origin v3[5]\n  origin out[0]\n  origin group[0x40]", aWave, (*Console).doOrigin},
	{"clear", "cl", "PLACE", "delete the breakpoints at a place", "", always, (*Console).doClear},
}

// spec parses PLACE [if CONDITION].
func (c *Console) spec(text string) (spec debug.Spec, err error) {
	place, cond, err := debug.CutCondition(text)
	if err != nil {
		return spec, err
	}
	full, err := c.full(place)
	if err != nil {
		return spec, err
	}
	spec, err = debug.ParseSpec(full)
	spec.If = cond
	return spec, err
}

// full completes a place with a missing file, or the current address.
func (c *Console) full(place string) (string, error) {
	at := c.here()
	first, rest, _ := strings.Cut(place, ",")
	if rest != "" {
		rest = "," + rest
	}
	p := at.code.Place(at.pc)
	here := p.Position()
	switch _, err := strconv.ParseUint(first, 10, 31); {
	case first == "" && c.ended:
		return "", errors.New("want a place: the run is over: no wave is at an instruction")
	case first == "":
		return fmt.Sprintf("%#x%s", p.Addr, rest), nil
	case err == nil && here.Line == 0:
		return "", fmt.Errorf("%s: no source line is known here; *%s is an address", first, first)
	case err == nil:
		return here.File + ":" + place, nil
	}
	return place, nil
}

// add adds a breakpoint. A place that is in no code so far is an error, unless it is in a file of other code.
func (c *Console) add(text string, temporary bool) (*point, error) {
	spec, err := c.spec(text)
	if err != nil {
		return nil, err
	}
	return c.make(spec, temporary)
}

func (c *Console) make(spec debug.Spec, temporary bool) (*point, error) {
	p := c.run.NewPoint(spec)
	if !p.Verified && !p.Pending() {
		c.run.Discard(p)
		return nil, errors.New(p.Message)
	}
	x := &point{Point: p, temporary: temporary}
	c.points = append(c.points, x)
	c.set()
	return x, nil
}

func (c *Console) doBreak(text string) (bool, error) { return false, c.added(c.add(text, false)) }

func (c *Console) doTbreak(text string) (bool, error) { return false, c.added(c.add(text, true)) }

// added reports a new breakpoint.
func (c *Console) added(p *point, err error) error {
	if err != nil {
		return err
	}
	c.printf("%s\n", c.describe(p))
	return nil
}

// describe returns a breakpoint in one line.
func (c *Console) describe(p *point) string {
	var b strings.Builder
	kind := "breakpoint"
	switch {
	case p.Watch != nil:
		kind = map[debug.Access]string{debug.Changes: "watchpoint", debug.Reads: "read watchpoint", debug.Uses: "access watchpoint"}[p.Watch.On]
	case p.Log != "":
		kind = "logpoint"
	case p.temporary:
		kind = "temporary breakpoint"
	}
	fmt.Fprintf(&b, "%s %d: ", kind, p.ID)
	switch {
	case p.Watch != nil:
		b.WriteString(p.Watch.Name)
	case p.At != nil:
		at := p.At.Place(p.PC)
		fmt.Fprintf(&b, "%#x", at.Addr)
		if name := at.Name(); name != "" {
			fmt.Fprintf(&b, " <%s>", name)
		}
		if lines := at.Lines(); lines != "" {
			fmt.Fprintf(&b, " %s", lines)
		}
		if n := p.Places(); n > 1 {
			fmt.Fprintf(&b, " and %d more places", n-1)
		}
	default:
		fmt.Fprintf(&b, "%s (pending: %s)", p.Name, p.Message)
	}
	if p.Waves.Some || p.Waves.Group != nil {
		b.WriteString(", " + p.Waves.String())
	}
	if p.If != "" {
		fmt.Fprintf(&b, ", if %s", p.If)
	}
	if p.Hit != "" {
		fmt.Fprintf(&b, ", hits %s", p.Hit)
	}
	if p.Log != "" {
		fmt.Fprintf(&b, ", prints %q", p.Log)
	}
	if p.off {
		b.WriteString(", disabled")
	}
	return b.String()
}

// watches returns a command that watches.
func watches(on debug.Access) func(c *Console, rest string) (bool, error) {
	return func(c *Console, rest string) (bool, error) {
		name, cond, err := debug.CutCondition(rest)
		switch {
		case err != nil:
			return false, err
		case name == "":
			return false, errors.New("want a variable, a register or memory")
		}
		w, err := c.scope().ParseWatch(name)
		if err != nil {
			return false, err
		}
		w.On = on
		return false, c.added(c.make(debug.Spec{Watch: w, If: cond}, false))
	}
}

func (c *Console) doLog(rest string) (bool, error) {
	place, text, ok := strings.Cut(rest, " ")
	if !ok {
		return false, errors.New("want PLACE MESSAGE")
	}
	spec, err := c.spec(place)
	if err != nil {
		return false, err
	}
	spec.Log = strings.Trim(strings.TrimSpace(text), `"`)
	return false, c.added(c.make(spec, false))
}

// find returns the breakpoint of a number.
func (c *Console) find(text string) (int, error) {
	n, err := strconv.Atoi(text)
	for i, p := range c.points {
		if err == nil && p.ID == n {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: no breakpoint of that number", text)
}

// replace replaces a breakpoint by one with another condition or count.
func (c *Console) replace(i int, spec debug.Spec) error {
	p := c.run.NewPoint(spec)
	c.run.Discard(p) // the new one takes its number
	if !p.Verified && !p.Pending() {
		return errors.New(p.Message)
	}
	p.ID = c.points[i].ID
	c.points[i].Point = p
	c.set()
	return nil
}

func (c *Console) doCondition(rest string) (bool, error) {
	n, cond, _ := strings.Cut(rest, " ")
	i, err := c.find(n)
	if err != nil {
		return false, err
	}
	spec := c.points[i].Spec
	spec.If = strings.TrimSpace(cond)
	if err := c.replace(i, spec); err != nil {
		return false, err
	}
	c.printf("%s\n", c.describe(c.points[i]))
	return false, nil
}

func (c *Console) doIgnore(rest string) (bool, error) {
	n, count, _ := strings.Cut(rest, " ")
	i, err := c.find(n)
	if err != nil {
		return false, err
	}
	times, err := strconv.ParseUint(strings.TrimSpace(count), 0, 31)
	if err != nil {
		return false, fmt.Errorf("%s: want a number", count)
	}
	if err := c.ignore(c.points[i].ID, times); err != nil {
		return false, err
	}
	c.printf("%s\n", c.describe(c.points[i]))
	return false, nil
}

// ignore skips a breakpoint so many times.
func (c *Console) ignore(id int, times uint64) error {
	i, err := c.find(fmt.Sprint(id))
	if err != nil {
		return err
	}
	spec := c.points[i].Spec
	if spec.Hit = ""; times > 0 {
		spec.Hit = fmt.Sprintf("> %d", times)
	}
	return c.replace(i, spec)
}

// each calls f with the indexes of the breakpoints whose numbers are given, last first, or of all.
func (c *Console) each(rest string, f func(i int)) error {
	var list []int
	for n := range strings.FieldsSeq(rest) {
		i, err := c.find(n)
		if err != nil {
			return err
		}
		list = append(list, i)
	}
	if rest == "" {
		for i := range c.points {
			list = append(list, i)
		}
	}
	for k := len(list) - 1; k >= 0; k-- {
		f(list[k])
	}
	c.set()
	return nil
}

func enables(off bool) func(c *Console, rest string) (bool, error) {
	return func(c *Console, rest string) (bool, error) {
		return false, c.each(rest, func(i int) { c.points[i].off = off })
	}
}

func (c *Console) doDelete(rest string) (bool, error) {
	gone := map[*point]bool{}
	err := c.each(rest, func(i int) { gone[c.points[i]] = true })
	c.points = without(c.points, gone)
	c.set()
	return false, err
}

func without(list []*point, gone map[*point]bool) (left []*point) {
	for _, p := range list {
		if !gone[p] {
			left = append(left, p)
		}
	}
	return left
}

func (c *Console) doClear(place string) (bool, error) {
	pcs, err := c.place(place)
	if err != nil {
		return false, err
	}
	gone := map[*point]bool{}
	for _, p := range c.points {
		for _, pc := range pcs {
			if p.At != nil && p.PC == pc {
				gone[p] = true
				c.printf("deleted %s\n", c.describe(p))
			}
		}
	}
	if len(gone) == 0 {
		return false, errors.New("no breakpoint there")
	}
	c.points = without(c.points, gone)
	c.set()
	return false, nil
}

// place returns the instructions at a place in the code of the frame, or in the code that ran last.
func (c *Console) place(text string) ([]uint64, error) {
	full, err := c.full(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	p, err := stepping.ParsePoint(full)
	if err != nil {
		return nil, err
	}
	return c.here().code.Find(p)
}
