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
	"slices"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/dap"
)

type dapCmd struct {
	Listen      string `placeholder:"HOST:PORT" help:"Wait for editors there, one after another, in place of standard input and output."`
	AllowRemote bool   `help:"Let --listen take connections from other machines. Whoever reaches the port can read your files."`
	AllowWrite  bool   `help:"Let launches over --listen write files (--out, --png, --plot) and start clang, as those over standard input can."`
}

func (c *dapCmd) Help() string {
	return `Speaks the Debug Adapter Protocol: editors start it, and debug with it whatever heddle run and heddle step take. docs/debugging.md says how to
set up Visual Studio Code and Neovim, and what a launch may ask for. With --listen localhost:4711 it says on standard error where it listens,
which counts for a port of 0. Whoever reaches that port can run programs in the emulator and read your files, without a password. So other
addresses than this machine's own need --allow-remote, and launches that write files or start clang need --allow-write.

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
	l, err := listen(a.ctx, "--listen", c.Listen, c.AllowRemote)
	if err != nil {
		return err
	}
	a.readOnly = !c.AllowWrite
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
			fmt.Fprintf(a.err, "heddle: %v\n", err) // the next client may succeed
		}
		to.Close()
		if err := os.Chdir(home); err != nil { // a launch may have changed the folder
			return err
		}
	}
}

// listen listens at the address of a flag.
func listen(ctx context.Context, flag, address string, remote bool) (net.Listener, error) {
	if err := localAddress(ctx, flag, address, remote); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, hinted{fmt.Errorf("%s: %w", flag, err), "want HOST:PORT, such as localhost:4711"}
	}
	return l, nil
}

// localAddress refuses the address of a flag if other machines can reach it, unless that is allowed.
func localAddress(ctx context.Context, flag, address string, remote bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return hinted{fmt.Errorf("%s: %w", flag, err), "want HOST:PORT, such as localhost:4711"}
	}
	if remote {
		return nil
	}
	far := fmt.Errorf("%s %s: other machines could connect, and read your files", flag, address)
	hint := "localhost:PORT is for this machine only"
	if flag == "--listen" {
		hint += "; --allow-remote listens there nevertheless"
	}
	if host == "" {
		return hinted{far, hint}
	}
	list, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return hinted{fmt.Errorf("%s: %w", flag, err), "want HOST:PORT, such as localhost:4711"}
	}
	for _, x := range list {
		if !x.IP.IsLoopback() {
			return hinted{far, hint}
		}
	}
	return nil
}

// errReadOnly is the error of a launch over TCP that would change more than the run.
var errReadOnly = errors.New("a launch over --listen may not do this; heddle dap --allow-write lets it")

// readOnlyLaunch rejects a launch that would write files or start another program.
func (c *stepCmd) readOnlyLaunch() error {
	switch {
	case len(c.wants.outs)+len(c.wants.pngs) > 0:
		return fmt.Errorf("launch arguments: --out and --png write files: %w", errReadOnly)
	case len(c.reports) > 0 || c.WriteBaseline != "":
		return fmt.Errorf("launch arguments: --report and --write-baseline write files: %w", errReadOnly)
	case slices.ContainsFunc(c.wants.plots, func(p wantPlot) bool { return p.file != "" }):
		return fmt.Errorf("launch arguments: --plot writes a file: %w", errReadOnly)
	case clang.IsSource(c.Target):
		return fmt.Errorf("launch arguments: %s would start clang: %w", c.Target, errReadOnly)
	}
	return nil
}

// launches makes a run from a launch request, which has the flags of heddle step.
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
	if _, err := a.parsed(words, out); err != nil { // report errors at once, not when it runs
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

// printsTo returns an app for runs whose output goes to out, without standard input.
func (a *app) printsTo(out io.Writer) *app {
	return &app{ctx: a.ctx, in: bytes.NewReader(nil), err: out, out: bufio.NewWriter(out), sink: &sink{stop: func() {}}, drafts: newDrafts(), flags: a.flags, most: a.most, readOnly: a.readOnly}
}

// A parsedRun is a run of a debugger, with the app that it prints to.
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
	parser, err := kong.New(&c, kong.Name("heddle"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(c int) { panic(exit(c)) }), helpVars(), numbers)
	if err != nil {
		panic(err)
	}
	k, err := parse(parser, negatives(parser.Model, words))
	switch {
	case err != nil:
		return nil, fmt.Errorf("launch arguments: %w", err)
	case c.Step.JSON:
		return nil, errors.New("launch arguments: --json is for scripts that read heddle step; an editor is told by the protocol")
	case c.Step.Timeout != 0:
		return nil, errors.New("launch arguments: --timeout would run on while the run is stopped; --max-steps bounds it, and pause stops it")
	}
	if a.readOnly {
		if err := c.Step.readOnlyLaunch(); err != nil {
			return nil, err
		}
	}
	b := a.printsTo(out)
	b.flags, b.most = flagsOf(k), int64(c.MaxInput)
	return &parsedRun{b, &c.Step}, nil
}

// run runs it, and returns the error in plain words.
func (r *parsedRun) run() error {
	gone := r.cmd.run
	if isScene(r.cmd.Target) {
		gone = r.cmd.draw
	}
	return forPeople(gone(r.app))
}

// An inWords is an error with its text as the command prints it.
type inWords struct {
	text string
	err  error
}

func (w inWords) Error() string { return w.text }

func (w inWords) Unwrap() error { return w.err }
