package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
)

type explainCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Style
	Mode string   `placeholder:"MODE" help:"Mode register under which it runs: fields by name, such as ieee=off,denorm=f32:keep, or hexadecimal digits."`
	IR   bool     `name:"ir" help:"Show the whole meaning as IR, too."`
	JSON bool     `help:"Print JSON."`
	What []string `arg:"" optional:"" help:"Text of an instruction, its bytes as hex, a mnemonic, or a register or counter; - reads it from standard input."`
}

func (c *explainCmd) Help() string {
	return `Bytes are taken in memory order; where they are no instruction so, or one as well with the bytes of each word the
other way round, as listings print words, that is said. Operands have the letters that the meaning calls them by.
A register, counter or special operand is explained too: its size, what reads and writes it. Without --isa those of all
instruction sets are; of an instruction it is said which sets have it.

Examples:
  heddle explain --isa gcn:gfx8 'v_mad_f32 v0, -v1, v2, s3 clamp'
  heddle explain --isa gcn:gfx8 0000c1d10105 0e04
  heddle explain --isa gcn:gfx8 v_bfe_u32
  heddle explain --isa gcn:gfx8 'vmcnt'
  heddle explain exec
  heddle explain --isa rogue --dialect seed 'fmad ft0, r0, r1, r2'`
}

func (c *explainCmd) Run(a *app) error {
	what := strings.Join(c.What, " ")
	if strings.TrimSpace(what) == "" {
		return errors.New("explain: no instruction; give its text, its bytes as hex, or a mnemonic")
	}
	what, err := a.text(what)
	if err != nil {
		return err
	}
	if c.ISA == "" {
		return c.anywhere(a, what)
	}
	t, err := find(c.ISA, c.Stage, "")
	if err != nil {
		return err
	}
	if t, err = c.of(t); err != nil {
		return err
	}
	mode, err := modeOf(t, c.Mode)
	if err != nil {
		return err
	}
	if what, err = unlisted(t, what); err != nil {
		return wrong{detail(err)}
	}
	pages, err := manual.Pages(t, what, mode)
	if err != nil {
		term, unknown := manual.TermOf(t, what)
		switch {
		case unknown != nil:
			return wrong{unknown}
		case term == nil:
			return wrong{c.others(t, what, err)}
		}
		return c.terms(a, []*manual.TermPage{term})
	}
	if c.JSON {
		if len(pages) == 1 {
			return a.json(pages[0])
		}
		return a.json(pages)
	}
	for i, pg := range pages {
		if pg.Order != "" {
			a.printf("%s%s\n\n", map[bool]string{true: "\n"}[i > 0], pg.Order)
		}
		a.printf("%s", pg.Render(a.paint(), c.IR))
	}
	return nil
}

// unlisted returns text without the columns of a listing.
func unlisted(t *isa.Target, what string) (string, error) {
	text, found, bad := asm.Pasted(t, []byte(what))
	switch {
	case bad != nil:
		return what, bad
	case !found:
		return what, nil
	}
	what = strings.TrimSpace(string(text))
	if rest, ok := strings.CutPrefix(what, ".enc "); ok {
		what, _, _ = strings.Cut(rest, " ")
	}
	return what, nil
}

// readings returns the sets in which something is an instruction, possibly with the columns of a listing.
func readings(what string) []manual.Reading {
	return manual.Readings(what, func(t *isa.Target, what string) string {
		if text, err := unlisted(t, what); err == nil {
			return text
		}
		return what
	})
}

// others adds the other sets that know the name to an error of one set.
func (c *explainCmd) others(t *isa.Target, what string, err error) error {
	var lines []string
	for _, pg := range manual.Terms(what) {
		lines = append(lines, fmt.Sprintf("%s is a register or counter of --isa %s:%s", pg.Name, pg.ISA, pg.Variant))
	}
	for _, r := range readings(what) {
		if r.Target.Name != t.Name && r.Order == "" {
			lines = append(lines, fmt.Sprintf("%s has it: --isa %s", r.Target.Name, r.Target.FullName()))
		}
	}
	if len(lines) == 0 {
		return detail(err)
	}
	return hinted{detail(err), strings.Join(lines, "\n    ")}
}

// terms prints descriptions of registers and counters.
func (c *explainCmd) terms(a *app, pages []*manual.TermPage) error {
	if c.JSON {
		if len(pages) == 1 {
			return a.json(pages[0])
		}
		return a.json(pages)
	}
	for i, pg := range pages {
		a.printf("%s%s", map[bool]string{true: "\n"}[i > 0], pg.Render(a.paint()))
	}
	return nil
}

// anywhere explains registers with that name in all sets. For instructions it lists the sets that have them, and asks
// for one.
func (c *explainCmd) anywhere(a *app, what string) error {
	readings := readings(what)
	if pages := manual.Terms(what); len(pages) > 0 && len(readings) == 0 {
		return c.terms(a, pages)
	}
	_, err := find("", c.Stage, "")
	if len(readings) == 0 {
		return c.unknown(what)
	}
	lines := []string{"it may be:"}
	for _, r := range readings {
		how := "--isa " + r.Target.FullName()
		if r.Target.Stage > 0 {
			how += " --stage " + r.Target.Stages[r.Target.Stage]
		}
		if r.Order != "" {
			r.Text += " (" + r.Order + ")"
		}
		lines = append(lines, fmt.Sprintf("  %-20s %s", how, r.Text))
	}
	return hinted{err, strings.Join(lines, "\n    ")}
}

// unknown returns the error for what no set knows, with registers of a similar name, or instructions equivalent to one
// of other tools.
func (c *explainCmd) unknown(what string) error {
	err := fmt.Errorf("%q is no instruction, register or counter of any set", what)
	var lines []string
	for _, e := range manual.WrongTerms(what) {
		lines = append(lines, e.Error())
	}
	for _, r := range manual.Elsewhere(what) {
		lines = append(lines, fmt.Sprintf("--isa %s: %s", r.Target.FullName(), r.Text))
	}
	if len(lines) == 0 {
		lines = []string{"with --isa the error names what is near; heddle isas lists the sets"}
	}
	return wrong{hinted{err, strings.Join(lines, "\n    ")}}
}

// detail returns the error with its source line and caret, if it has one.
func detail(err error) error {
	var e *isa.Error
	if errors.As(err, &e) {
		return detailed{e}
	}
	return err
}
