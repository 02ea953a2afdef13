package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

func (c *manCmd) Help() string {
	return `The page is in roff, for man. It is made from the same grammar as --help.

Examples:
  heddle man > heddle.1
  heddle man | head -3`
}

func (c *manCmd) Run(a *app) error {
	a.printf("%s", manPage(a.model))
	return nil
}

// roff escapes a text for roff.
func roff(s string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// manPage returns the manual page of the whole command.
func manPage(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HEDDLE 1 \"\" \"%s\" \"User Commands\"\n.SH NAME\nheddle \\- GPU machine code, assembled, run and explained on a CPU\n", roff("heddle "+versionOf().Version))
	b.WriteString(".SH SYNOPSIS\n.B heddle\n.I command\n[\\fIflags\\fR] [\\fIarguments\\fR]\n.SH DESCRIPTION\n")
	for _, p := range strings.Split(app.Help, "\n\n") {
		fmt.Fprintf(&b, ".PP\n%s\n", roff(p))
	}
	b.WriteString(".SH FLAGS OF ALL COMMANDS\n")
	manFlags(&b, app.Flags)
	b.WriteString(".SH COMMANDS\n")
	for _, n := range app.Children {
		fmt.Fprintf(&b, ".SS heddle %s\n%s\n", roff(strings.TrimSuffix(n.Summary(), " [flags]")), roff(n.Help))
		if n.Detail != "" {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", strings.ReplaceAll(roff(n.Detail), "\n\n", "\n.sp\n"))
		}
		for _, p := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(p.Name), roff(p.Help))
		}
		manFlags(&b, n.Flags)
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, x := range exitCodes {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", x.code, roff(x.says))
	}
	return b.String()
}

func manFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Short != 0 {
			name = `\fB` + roff("-"+string(f.Short)) + `\fR, ` + name
		}
		if !f.IsBool() {
			name += `=\fI` + roff(f.FormatPlaceHolder()) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roff(f.Help))
	}
}
