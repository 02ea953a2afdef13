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

const exprHelp = `An EXPRESSION has
  n, out[3], p->x, v.y, *p, &x     variables of the source, where the code was compiled with -g
  v0, v0[3], s[0:1], $r0, r1.x     registers as the instruction set writes them, [lane] after those of lanes
  $v0                              the register, where a variable has the name too
  f32(v2[3]), i16(s4), (float)v2   the bits of a register or of memory as a type, else a conversion: u8 to u64, i8 to i64, f16, f32, f64
  out[0:8], v0[0:4]                elements or lanes from 0 up to, and without, 8
  y[5], f32(y[5])                  a buffer by its name on the command line: words, or elements of a type
  global[0x1000], group[0x40]      memory at an address: global, group (LDS), const, private; f32(...) for other types than u32
  any(v2 > 3), all(v2 > 3)         whether it holds in some, or all, lanes that run
  pc, wave, lane, group.x, exec    about the wave; operators are those of C
A name is a variable if one is in scope, else a register, else a kernel argument, else a buffer.
If no lane is selected, a value that differs from lane to lane is shown for some lanes: see lane, lanes.`

var looking = []command{
	{"print", "p inspect", "[/FORMAT] EXPRESSION...", "print values", exprHelp +
		"\nA FORMAT is x (hexadecimal), d, u, o, t (binary), f (float), c (character) or a (address): p/x v0.", aWave, (*Console).doPrint},
	{"x", "memory", "[/NFU] [SPACE] ADDRESS [BYTES]", "print memory",
		"SPACE is global, group (LDS), const, or private:LANE. ADDRESS is an expression, or a buffer or pointer.\nN is how many, F a format of print, U the size: b, h, w (4 bytes), g (8).\nx/Ni PLACE prints instructions, as disassemble does.\n  x/8xw out\n  x/4fw group 0x40\n  memory group 0 32\n  x/4i pc", aWave, (*Console).doExamine},
	{"set", "", "[var] NAME = EXPRESSION", "change a variable, a register or memory",
		"Of a register of lanes the selected lane is set, or all.\n  set n = 5\n  set v0[3] = 1.5\n  set group[0x40] = 0x1234", aWave, (*Console).doSet},
	{"display", "", "[/FORMAT] [EXPRESSION]", "print an expression at each stop; without one: all now", "", aWave, (*Console).doDisplay},
	{"undisplay", "", "[N]", "stop displaying expression N, or all", "", always, (*Console).doUndisplay},
	{"whatis", "ptype", "EXPRESSION", "print the type of an expression", "", aWave, (*Console).doWhatis},
	{"info", "i inf", "WHAT", "print what there is: registers, locals, args, waves, ...", infoHelp, always, (*Console).doInfo},
	{"registers", "", "[NAME...]", "print registers that are not zero, or these", "As info registers.", aWave, (*Console).infoRegisters},
	{"lanes", "", "N[-M]", "whose values are printed where they differ", "Lanes 0 to 3 until the command is given. lane selects a single one.", always, (*Console).doLanes},
}

// format splits /F from the start of a command's arguments.
func format(rest string) (letters, left string) {
	if !strings.HasPrefix(rest, "/") {
		return "", rest
	}
	letters, left, _ = strings.Cut(rest[1:], " ")
	return letters, strings.TrimSpace(left)
}

// printFormat returns the format of the command print.
func printFormat(letters string) (debug.Format, error) {
	if letters == "" {
		return 0, nil
	}
	if len(letters) != 1 || !strings.Contains(debug.Formats, letters) {
		return 0, fmt.Errorf("/%s: want a format, one of %s", letters, strings.Join(strings.Split(debug.Formats, ""), ", "))
	}
	return debug.Format(letters[0]), nil
}

func (c *Console) doPrint(rest string) (bool, error) {
	letters, rest := format(rest)
	f, err := printFormat(letters)
	if err != nil {
		return false, err
	}
	if rest == "" {
		return false, errors.New("want an expression; info registers and info locals print what there is")
	}
	list, err := c.expressions(rest)
	if err != nil {
		return false, err
	}
	for _, e := range list {
		if err := c.print(e, f); err != nil {
			return false, err
		}
	}
	return false, nil
}

// expressions parses one expression, or several names separated by spaces.
func (c *Console) expressions(text string) ([]*debug.Expr, error) {
	e, err := debug.Parse(text)
	if err == nil {
		return []*debug.Expr{e}, nil
	}
	var list []*debug.Expr
	for word := range strings.FieldsSeq(text) {
		one, e := debug.Parse(word)
		if e != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// print prints an expression and its value.
func (c *Console) print(e *debug.Expr, f debug.Format) error {
	s, err := c.scope().Show(e, f, c.shown.First, c.shown.Last)
	switch {
	case err == nil:
	case strings.HasPrefix(err.Error(), e.String()):
		return err
	default:
		return fmt.Errorf("%s: %w", e, err)
	}
	text := fmt.Sprintf("%s = %s", e, s.Text)
	if s.Note != "" {
		text += " (" + s.Note + ")"
	}
	c.printf("%s\n", text)
	return nil
}

func (c *Console) doWhatis(rest string) (bool, error) {
	e, err := debug.Parse(rest)
	if err != nil {
		return false, err
	}
	s, err := c.scope().Show(e, 0, c.shown.First, c.shown.Last)
	if err == nil {
		c.printf("%s\n", s.Type)
	}
	return false, err
}

func (c *Console) doSet(rest string) (bool, error) {
	rest = strings.TrimSpace(strings.TrimPrefix(rest, "var "))
	name, value, ok := strings.Cut(rest, "=")
	if !ok || strings.TrimSpace(value) == "" {
		return false, errors.New("want NAME = EXPRESSION")
	}
	e, err := debug.Parse(name)
	if err == nil {
		err = c.run.Assign(c.scope(), e, strings.TrimSpace(value))
	}
	return false, err
}

func (c *Console) doDisplay(rest string) (bool, error) {
	letters, rest := format(rest)
	f, err := printFormat(letters)
	if err != nil {
		return false, err
	}
	if rest == "" {
		for _, d := range c.displays {
			if err := c.print(d.e, d.f); err != nil {
				c.printf("%s = <%v>\n", d.e, err)
			}
		}
		return false, nil
	}
	e, err := debug.Parse(rest)
	if err == nil {
		err = c.print(e, f)
	}
	if err != nil {
		return false, err
	}
	c.made++
	c.displays = append(c.displays, display{c.made, f, e})
	return false, nil
}

func (c *Console) doUndisplay(rest string) (bool, error) {
	if rest == "" {
		c.displays = nil
		return false, nil
	}
	for i, d := range c.displays {
		if fmt.Sprint(d.n) == rest {
			c.displays = append(c.displays[:i:i], c.displays[i+1:]...)
			return false, nil
		}
	}
	return false, fmt.Errorf("%s: no display of that number", rest)
}

func (c *Console) doLanes(rest string) (bool, error) {
	r, err := stepping.ParseLanes(rest)
	if n := c.here().lanes; err == nil && r.Last >= n {
		err = fmt.Errorf("%s: the wave has %d lanes, 0 to %d", rest, n, n-1)
	}
	if err == nil {
		c.shown = r
	}
	return false, err
}

// maxMemory limits the bytes that x prints at once.
const maxMemory = 1 << 16

func (c *Console) doExamine(rest string) (bool, error) {
	letters, rest := format(rest)
	u, err := parseUnits(letters)
	switch {
	case err != nil:
		return false, err
	case u.code:
		return false, c.instructions(rest, int(u.count))
	}
	at := c.scope()
	ref, rest, err := c.memorySpace(at, rest)
	if err != nil {
		return false, err
	}
	address, n := rest, uint64(64)
	if fields := strings.Fields(rest); letters == "" && len(fields) > 1 {
		if v, err := strconv.ParseUint(fields[len(fields)-1], 0, 32); err == nil {
			address, n = strings.Join(fields[:len(fields)-1], " "), v
		}
	}
	if letters != "" {
		n = u.count * u.size
	}
	if n == 0 || n > maxMemory || address == "" {
		return false, fmt.Errorf("want [/NFU] [SPACE] ADDRESS [BYTES], up to %d bytes", maxMemory)
	}
	e, err := debug.Parse(address)
	if err != nil {
		return false, err
	}
	here, err := at.AddressOf(e)
	if err != nil {
		return false, err
	}
	if ref != nil {
		ref.Addr = here.Addr
		here = *ref
	}
	data, err := at.Read(here, n)
	switch {
	case err != nil:
		return false, err
	case letters == "":
		c.printf("%s", stepping.HexDump(here.Addr, data))
	default:
		c.units(here.Addr, data, u)
	}
	return false, nil
}

// memorySpace splits the name of an address space from the start.
func (c *Console) memorySpace(at *debug.Scope, rest string) (*debug.Ref, string, error) {
	word, left, _ := strings.Cut(rest, " ")
	name, lane, isLane := strings.Cut(word, ":")
	for _, x := range [...]ir.SpaceID{ir.GlobalSpace, ir.GroupSpace, ir.ConstSpace, ir.PrivateSpace} {
		if name != x.String() || strings.TrimSpace(left) == "" {
			continue
		}
		ref := &debug.Ref{Space: x, Lane: max(c.lane, 0)}
		if isLane {
			n, err := strconv.ParseUint(lane, 0, 8)
			if err != nil || int(n) >= at.Wave.State.Lanes {
				return nil, "", fmt.Errorf("%s: no lane %s", word, lane)
			}
			ref.Lane = int(n)
		}
		return ref, strings.TrimSpace(left), nil
	}
	return nil, rest, nil
}

// units are N, F and U of x.
type units struct {
	count, size uint64
	f           debug.Format
	code        bool // instructions instead of numbers
}

func parseUnits(letters string) (u units, err error) {
	u = units{count: 1, size: 4, f: 'x'}
	digits := strings.TrimRight(letters, "abcdefghijklmnopqrstuvwxyz")
	if digits != "" {
		if u.count, err = strconv.ParseUint(digits, 10, 16); err != nil || u.count == 0 {
			return u, fmt.Errorf("/%s: want a number, a format and a size, such as /8xw", letters)
		}
	}
	for _, l := range letters[len(digits):] {
		switch size := map[rune]uint64{'b': 1, 'h': 2, 'w': 4, 'g': 8}[l]; {
		case size > 0:
			u.size = size
		case l == 'i':
			u.code = true
		case strings.ContainsRune(debug.Formats, l):
			u.f = debug.Format(l)
		default:
			return u, fmt.Errorf("/%s: %c is no format and no size; formats are those of print, and i; sizes are b, h, w, g", letters, l)
		}
	}
	return u, nil
}

// units prints memory as numbers, several per line.
func (c *Console) units(addr uint64, data []byte, u units) {
	t := debug.Type{Type: map[uint64]ir.Type{1: ir.I8, 2: ir.I16, 4: ir.I32, 8: ir.I64}[u.size]}
	perLine := max(1, 16/int(u.size))
	for i := 0; i < len(data); {
		c.printf("  %#x:", addr+uint64(i))
		for k := 0; k < perLine && i < len(data); k++ {
			end := min(i+int(u.size), len(data))
			c.printf("  %s", debug.OfBytes(data[i:end], t).TextAs(u.f))
			i = end
		}
		c.printf("\n")
	}
}
