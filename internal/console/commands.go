package console

import (
	"fmt"
	"slices"
	"strings"
)

// A command is a command of the console. It reports whether the run continues.
type command struct {
	name, short, args string // short: other names, abbreviations first
	help              string
	more              string // examples and details, for help NAME
	needs             need
	do                func(c *Console, rest string) (goes bool, err error)
}

// A need says when a command is available.
type need uint8

const (
	always need = iota
	aWave       // a wave is stopped before an instruction
)

// A section is commands that help lists together.
type section struct {
	title    string
	commands []command
}

// sections returns all commands, in the order of help. It is a function because the command help reads it.
func sections() []section {
	return []section{{"Running, forwards and back", running()}, {"Breakpoints and watchpoints", stopping}, {"Looking at data", looking},
		{"Source, frames, waves and lanes", places}, {"Other", []command{
			{"help", "h", "[COMMAND]", "list the commands, or explain one", "", always, (*Console).doHelp},
			{"quit", "q exit", "", "end the session", "The end of input does the same.", always, func(*Console, string) (bool, error) { return false, errQuit }}}}}
}

// find returns a command by its name, one of its other names, or an unambiguous prefix.
func find(name string) (*command, error) {
	var near []*command
	for _, s := range sections() {
		for i := range s.commands {
			x := &s.commands[i]
			names := append([]string{x.name}, strings.Fields(x.short)...)
			if slices.Contains(names, name) {
				return x, nil
			}
			if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }) {
				near = append(near, x)
			}
		}
	}
	switch len(near) {
	case 0:
		return nil, fmt.Errorf("%s: no such command; help lists them", name)
	case 1:
		return near[0], nil
	}
	var names []string
	for _, x := range near {
		names = append(names, x.name)
	}
	return nil, fmt.Errorf("%s: may be %s", name, strings.Join(names, ", "))
}

func (c *Console) doHelp(name string) (bool, error) {
	if name != "" {
		x, err := find(strings.Fields(name)[0])
		if err != nil {
			return false, err
		}
		c.printf("%s %s\n", x.name, x.args)
		if x.short != "" {
			c.printf("  also: %s\n", strings.Join(strings.Fields(x.short), ", "))
		}
		c.printf("  %s.\n", x.help)
		for line := range strings.Lines(x.more) {
			c.printf("  %s\n", strings.TrimRight(line, "\n"))
		}
		return false, nil
	}
	for _, s := range sections() {
		c.printf("%s\n", s.title)
		for _, x := range s.commands {
			names := x.name
			if x.short != "" {
				names += ", " + strings.Fields(x.short)[0]
			}
			c.printf("  %-22s %-24s %s\n", names, x.args, x.help)
		}
	}
	c.printf("help COMMAND explains one. A unique beginning of a name is enough. At a terminal an empty line repeats the last command.\n")
	return false, nil
}
