package stepping

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// A command is one of a session. It reports whether the run goes on.
type command struct {
	name, short, args string
	help              string
	inRun             bool // it needs a wave
	do                func(s *Session, words []string) (goes bool, err error)
}

// commands are all, in the order of help; help itself is added, since it lists them.
var commands = []command{
	{"step", "s", "[N]", "run one instruction, or N, of whatever wave has its turn", true, (*Session).doStep},
	{"next", "n", "", "run to the instruction behind this one in this wave: over calls, and over turns of other waves", true, (*Session).doNext},
	{"continue", "c", "", "run to the next break, or the end", true, (*Session).doContinue},
	{"back", "", "[N]", "go back one instruction, or N, by running again up to there", false, (*Session).doBack},
	{"restart", "", "", "go back to the beginning", false, (*Session).doRestart},
	{"break", "b", "[PLACE]", "stop where a wave comes to a symbol, SYMBOL+0x10, an address or an instruction; without a place: list", false, (*Session).doBreak},
	{"delete", "d", "[N]", "take out break N, or all", false, (*Session).doDelete},
	{"print", "p", "REGISTER...", "print registers of the wave", true, (*Session).doPrint},
	{"registers", "r", "", "print all registers that are not zero", true, (*Session).doRegisters},
	{"memory", "x", "[SPACE] ADDRESS [BYTES]", "print memory: of global, group, const, or private:LANE; a number or REGISTER[@LANE]; 64 bytes", true, (*Session).doMemory},
	{"lanes", "", "N[-M]", "whose values are printed", false, (*Session).doLanes},
	{"where", "w", "", "print the place again", true, (*Session).doWhere},
	{"quit", "q", "", "end", false, func(*Session, []string) (bool, error) { return false, ErrQuit }},
}

// find is a command by its name or letter; nil: there is none.
func find(name string) *command {
	if name == "help" || name == "h" {
		return &command{name: "help", do: (*Session).doHelp}
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name || c.short != "" && c.short == name })
	if i < 0 {
		return nil
	}
	return &commands[i]
}

func (s *Session) doHelp([]string) (bool, error) {
	for _, c := range commands {
		name := c.name
		if c.short != "" {
			name += ", " + c.short
		}
		fmt.Fprintf(s.out, "  %-14s %-24s %s\n", name, c.args, c.help)
	}
	fmt.Fprintln(s.out, "  an empty line does the last command again")
	return false, nil
}

func (s *Session) doStep(words []string) (bool, error) {
	n, err := number(words, 1)
	s.mode, s.target, s.shown = forTarget, s.steps+n, true
	return err == nil, err
}

func (s *Session) doNext([]string) (bool, error) {
	s.mode, s.who, s.shown = forWave, s.step.Env.Where, true
	if d, ok := ir.Describe(s.step.Program); ok {
		if next, call := d.Behind(s.step.PC); call {
			s.mode, s.behind = forBehind, next
		}
	}
	return true, nil
}

func (s *Session) doContinue([]string) (bool, error) {
	s.mode = forPoints
	return true, nil
}

func (s *Session) doBack(words []string) (bool, error) {
	n, err := number(words, 1)
	if err != nil {
		return false, err
	}
	if n > s.steps {
		return false, fmt.Errorf("%d instructions have run", s.steps)
	}
	return false, s.again(s.steps - n)
}

func (s *Session) doRestart([]string) (bool, error) {
	return false, s.again(0)
}

// again makes the run begin anew, and stop after so many instructions.
func (s *Session) again(target uint64) error {
	s.mode, s.target, s.from = forTarget, target, target
	return ErrAgain
}

func (s *Session) doBreak(words []string) (bool, error) {
	if len(words) == 0 {
		for i := range s.points {
			fmt.Fprintf(s.out, "  %d  %s\n", i+1, s.points[i].Text)
		}
		return false, nil
	}
	p, err := ParsePoint(strings.Join(words, " "))
	if err == nil && s.step != nil {
		err = p.resolve(s.step.Program)
	}
	if err != nil {
		return false, err
	}
	p.every = true
	s.points = append(s.points, p)
	return false, nil
}

func (s *Session) doDelete(words []string) (bool, error) {
	if len(words) == 0 {
		s.points = nil
		return false, nil
	}
	n, err := number(words, 0)
	if err != nil || n > uint64(len(s.points)) {
		return false, fmt.Errorf("%s: no break of that number", words[0])
	}
	s.points = slices.Delete(s.points, int(n)-1, int(n))
	return false, nil
}

func (s *Session) doWhere([]string) (bool, error) {
	fmt.Fprintln(s.out, Head(s.step))
	return false, nil
}

func (s *Session) doLanes(words []string) (bool, error) {
	if len(words) != 1 {
		return false, errors.New("want N or N-M")
	}
	first, last, err := span(words[0])
	if err == nil {
		s.lanes = LaneRange{first, last}
	}
	return false, err
}

func (s *Session) doPrint(words []string) (bool, error) {
	if len(words) == 0 {
		return false, errors.New("want names of registers; registers prints all")
	}
	for _, name := range words {
		cells, err := s.register(name)
		if err != nil {
			return false, err
		}
		d, _ := ir.Describe(s.step.Program)
		for _, c := range cells {
			r := lookAt(s.step.State, d, c)
			fmt.Fprintf(s.out, "    %s\n", r.text(s.lanes))
		}
	}
	return false, nil
}

// register finds a register of the code.
func (s *Session) register(name string) ([]ir.Cell, error) {
	d, ok := ir.Describe(s.step.Program)
	if !ok {
		return nil, errors.New("the code has no names of registers")
	}
	cells, err := d.RegisterCells(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return cells, nil
}

func (s *Session) doRegisters([]string) (bool, error) {
	d := NewDump(s.step)
	fmt.Fprintf(s.out, "    live=%#x exec=%#x\n", d.Live, d.Exec)
	for i := range d.Regs {
		fmt.Fprintf(s.out, "    %s\n", d.Regs[i].text(s.lanes))
	}
	fmt.Fprintf(s.out, "    %d more are zero\n", d.Zero)
	return false, nil
}

// maxMemory is how many bytes memory prints at once.
const maxMemory = 1 << 16

func (s *Session) doMemory(words []string) (bool, error) {
	space, lane := ir.GlobalSpace, 0
	for _, x := range [...]ir.SpaceID{ir.GlobalSpace, ir.GroupSpace, ir.ConstSpace, ir.PrivateSpace} {
		name, of, _ := strings.Cut(append(words, "")[0], ":")
		if name != x.String() {
			continue
		}
		words, space = words[1:], x
		if n, err := strconv.ParseUint(of, 0, 8); err == nil {
			lane = int(n)
		}
		break
	}
	if len(words) == 0 || len(words) > 2 {
		return false, errors.New("want [SPACE] ADDRESS [BYTES]")
	}
	addr, err := s.address(words[0])
	if err != nil {
		return false, err
	}
	n, err := number(words[1:], 64)
	if err != nil || n > maxMemory {
		return false, fmt.Errorf("want up to %d bytes", maxMemory)
	}
	data, err := s.bytes(space, lane, addr, n)
	if err == nil {
		fmt.Fprint(s.out, hexDump(addr, data))
	}
	return false, err
}

// address is a number, or what a register holds in a lane: v2 or v2@5. Of a register of several words, such as s[0:1], the first two count.
func (s *Session) address(text string) (uint64, error) {
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return n, nil
	}
	name, lane := text, 0
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		n, err := strconv.ParseUint(text[at+1:], 0, 8)
		if err != nil || int(n) >= s.step.State.Lanes {
			return 0, fmt.Errorf("%s: no lane %s", text, text[at+1:])
		}
		name, lane = text[:at], int(n)
	}
	cells, err := s.register(name)
	if err != nil {
		return 0, err
	}
	v := uint64(0)
	for i, c := range cells[:min(2, len(cells))] {
		v |= s.step.State.Look(c, lane) << (32 * i)
	}
	return v, nil
}

// bytes are those at an address, as many as there are up to n.
func (s *Session) bytes(id ir.SpaceID, lane int, addr, n uint64) ([]byte, error) {
	if id == ir.PrivateSpace {
		return Private(s.step.Env, 0, lane, s.step.State.Lanes, addr, n, nil)
	}
	data, err := Memory(s.step.Env, id, 0, addr)
	return data[:min(n, uint64(len(data)))], err
}
