package main

import (
	"errors"
	"time"

	"github.com/heddle-gpu/heddle/internal/lsp"
)

type lspCmd struct {
	ISA   string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set of files that do not name theirs; the editor's settings come first."`
	Stage string `placeholder:"STAGE" help:"Stage, where decoding depends on it."`
	Style
	Delay time.Duration `default:"150ms" range:"0s..1h" placeholder:"TIME" help:"How long after a change errors are looked for; 150ms if not given."`
	Stdio bool          `help:"Taken and of no effect: editors add it, and there is no other way."`
}

func (c *lspCmd) Help() string {
	return `An editor starts this command and talks to it: it is not for the terminal. Files may be text of any instruction set. What a file is,
it says itself (.isa gcn:gfx8, .amdgcn_target), or the settings, --isa, its name (kernel.gfx803.s) or its language.
docs/editors.md has the configuration for VS Code and Neovim and says what is offered.

Standard output holds the protocol alone; what else is to be said goes to standard error. The exit code is 0 after
shutdown and exit, 1 if the editor goes without shutdown, 2 if messages cannot be read or written any more.

Examples:
  heddle lsp
  heddle lsp --isa gcn:gfx8
  heddle lsp --isa rogue --dialect seed --delay 500ms`
}

func (c *lspCmd) Run(a *app) error {
	opt := lsp.Options{Delay: c.Delay, Log: a.err, Version: versionOf().Version}
	if c.Delay == 0 {
		opt.Delay = lsp.AtOnce
	}
	if c.ISA == "" && (c.Stage != "" || c.Dialect != "" || len(c.Option) > 0) {
		return errors.New("--stage, --dialect and --option say more of --isa, which is missing")
	}
	if c.ISA != "" {
		t, err := find(c.ISA, c.Stage, "")
		if err == nil {
			t, err = c.of(t)
		}
		if err != nil {
			return err
		}
		opt.Target = t.AskedBy(t.Name, "") // for documents that do not name theirs
	}
	if err := a.useStdin(); err != nil {
		return err
	}
	err := lsp.Serve(a.ctx, a.in, a.flushed(), opt)
	if errors.Is(err, lsp.ErrExit) {
		return wrong{err}
	}
	return err
}
