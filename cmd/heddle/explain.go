package main

import (
	"errors"
	"strings"

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
	What []string `arg:"" optional:"" help:"Text of an instruction, its bytes as hex, or a mnemonic; - reads it from standard input."`
}

func (c *explainCmd) Help() string {
	return `Bytes are taken in memory order; where they are no instruction so, or one as well with the bytes of each word the
other way round, as listings print words, that is said. Operands have the letters that the meaning calls them by.

Examples:
  heddle explain --isa gcn:gfx8 'v_mad_f32 v0, -v1, v2, s3 clamp'
  heddle explain --isa gcn:gfx8 0000c1d10105 0e04
  heddle explain --isa gcn:gfx8 v_bfe_u32
  heddle explain --isa rogue --dialect seed 'fmad ft0, r0, r1, r2'`
}

func (c *explainCmd) Run(a *app) error {
	what := strings.Join(c.What, " ")
	if strings.TrimSpace(what) == "" {
		return errors.New("explain: no instruction; give its text, its bytes as hex, or a mnemonic")
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
	if what, err = a.text(what); err != nil {
		return err
	}
	pages, err := manual.Pages(t, what, mode)
	if err != nil {
		return wrong{detail(err)}
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

// detail is the error with its source line and caret, if it has one.
func detail(err error) error {
	var e *isa.Error
	if errors.As(err, &e) {
		return detailed{e}
	}
	return err
}
