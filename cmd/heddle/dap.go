package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/debug/dap"
)

type dapCmd struct {
	Listen string `placeholder:"HOST:PORT" help:"Wait for editors there, one after another, in place of standard input and output."`
}

func (c *dapCmd) Help() string {
	return `Speaks the Debug Adapter Protocol: editors start it, and debug with it whatever heddle run and heddle step take. docs/debugging.md says how to
set up Visual Studio Code and Neovim, and what a launch may ask for. With --listen localhost:4711 it says on standard error where it listens,
which counts for a port of 0, and only this machine should reach it: who does can read files.

Example, of which an editor gives the input:
  heddle dap`
}

func (c *dapCmd) Run(a *app) error {
	if c.Listen == "" {
		if err := a.useStdin(); err != nil {
			return err
		}
		return dap.Serve(a.ctx, a.in, a.flushed(), a.launches)
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return hinted{fmt.Errorf("--listen: %w", err), "want HOST:PORT, such as localhost:4711"}
	}
	defer l.Close()
	defer context.AfterFunc(a.ctx, func() { l.Close() })()
	home, err := os.Getwd()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "heddle: listening on %v\n", l.Addr())
	for {
		to, err := l.Accept()
		if err != nil {
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			return fmt.Errorf("--listen: %w", err)
		}
		if err := dap.Serve(a.ctx, to, to, a.launches); err != nil {
			fmt.Fprintf(a.err, "heddle: %v\n", err) // the next client may do better
		}
		to.Close()
		if err := os.Chdir(home); err != nil { // a launch may have gone elsewhere
			return err
		}
	}
}

// launches makes a run of what a launch request asks for: the flags of heddle step say it.
func (a *app) launches(l *dap.Launch, out io.Writer) (debug.Run, error) {
	if l.Cwd != "" {
		if err := os.Chdir(l.Cwd); err != nil {
			return nil, err
		}
	}
	words := []string{"step"}
	for _, f := range [...]struct{ flag, value string }{{"kernel", l.Kernel}, {"grid", string(l.Grid)}, {"block", string(l.Block)}, {"isa", l.ISA}, {"variant", l.Variant}} {
		if f.value != "" {
			words = append(words, "--"+f.flag+"="+f.value)
		}
	}
	for _, arg := range l.Args {
		words = append(words, "--arg="+arg)
	}
	words = append(append(words, l.Flags...), "--", l.Program)
	if _, err := a.parsed(words, out); err != nil { // at once, not when it runs
		return nil, err
	}
	return func(ctx context.Context, s *debug.Session) error {
		b, err := a.parsed(words, out)
		if err != nil {
			return err
		}
		b.app.ctx, b.cmd.held = ctx, s
		err = b.run()
		if e := b.app.out.Flush(); err == nil {
			err = e
		}
		return err
	}, nil
}

// printsTo is an app for runs of which somebody else takes what they print, and which has no standard input.
func (a *app) printsTo(out io.Writer) *app {
	return &app{ctx: a.ctx, in: bytes.NewReader(nil), err: out, out: bufio.NewWriter(out), sink: &sink{stop: func() {}}, drafts: newDrafts(), flags: a.flags, most: a.most}
}

// A parsedRun is a run that a debugger holds, with an app that prints to it.
type parsedRun struct {
	app *app
	cmd *stepCmd
}

// parsed reads the flags of heddle step.
func (a *app) parsed(words []string, out io.Writer) (r *parsedRun, err error) {
	var c struct {
		Step     stepCmd  `cmd:""`
		MaxInput sizeFlag `placeholder:"SIZE"`
	}
	defer func() {
		if e := recover(); e != nil {
			if _, is := e.(exit); !is {
				panic(e)
			}
			r, err = nil, errors.New("launch arguments: --help and --version are no flags of a launch")
		}
	}()
	parser, err := kong.New(&c, kong.Name("heddle"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(c int) { panic(exit(c)) }), helpVars())
	if err != nil {
		panic(err)
	}
	k, err := parse(parser, words)
	switch {
	case err != nil:
		return nil, fmt.Errorf("launch arguments: %w", err)
	case c.Step.Timeout != 0:
		return nil, errors.New("launch arguments: --timeout would go on while the run stands; --max-steps bounds it, and pause stops it")
	}
	b := a.printsTo(out)
	b.flags, b.most = flagsOf(k), int64(c.MaxInput)
	return &parsedRun{b, &c.Step}, nil
}

// run runs it, and gives what went wrong in words for people.
func (r *parsedRun) run() error {
	gone := r.cmd.run
	if isScene(r.cmd.Target) {
		gone = r.cmd.draw
	}
	return forPeople(gone(r.app))
}

// inWords is an error with its text as the command tells it.
type inWords struct {
	text string
	err  error
}

func (w inWords) Error() string { return w.text }

func (w inWords) Unwrap() error { return w.err }
