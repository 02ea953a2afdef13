package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/manual"
)

// cli is the grammar of the command line.
type cli struct {
	Isas    isasCmd    `cmd:"" help:"List instruction sets, their variants and what is supported."`
	Dis     disCmd     `cmd:"" help:"Disassemble a code object, bare code, or lines of hex."`
	Asm     asmCmd     `cmd:"" help:"Assemble a file, or lines of text."`
	Run     runCmd     `cmd:"" help:"Run a kernel: a manifest, or a code object with a grid and arguments."`
	Render  renderCmd  `cmd:"" help:"Draw a scene, or a fragment program over a picture."`
	Check   checkCmd   `cmd:"" help:"Run the cases and kernels found under paths."`
	Lint    lintCmd    `cmd:"" help:"Report illegal encodings and broken rules of a program."`
	Eval    evalCmd    `cmd:"" help:"Run a few instructions on one wave and print the state that changed."`
	Explain explainCmd `cmd:"" help:"Show an instruction: bits, operands, meaning, sources."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// An app is one run of the command: where it reads and writes.
type app struct {
	ctx   context.Context
	in    io.Reader
	out   *bufio.Writer
	err   io.Writer
	color bool // of out
	tty   bool // err is a terminal: progress may be shown
}

func newApp(ctx context.Context, in io.Reader, out, err *os.File) *app {
	plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	return &app{ctx: ctx, in: in, out: bufio.NewWriterSize(out, 64<<10), err: err,
		color: !plain && isTerminal(out), tty: isTerminal(err)}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A wrong is an error of exit code 1: what was checked is wrong. Without an error in it, all is said already.
type wrong struct{ error }

func (w wrong) Unwrap() error { return w.error }

// An exit is what kong asks for after --help.
type exit int

// run parses the arguments and carries out the command.
func (a *app) run(args []string) (code int) {
	defer a.out.Flush()
	defer func() {
		if e := recover(); e != nil {
			c, ok := e.(exit)
			if !ok {
				panic(e)
			}
			code = int(c)
			if len(args) == 0 { // nothing was asked for
				code = 2
			}
		}
	}()
	parser, err := kong.New(&cli{}, kong.Name("heddle"),
		kong.Description("Assemble, disassemble, check, run and explain GPU machine code on any CPU.\n\nISA is a name or name:variant, as heddle isas lists them, or another tool's name: gfx803, fiji."),
		kong.Writers(a.out, a.err), kong.Exit(func(c int) { panic(exit(c)) }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Bind(a))
	if err != nil {
		panic(err)
	}
	words := args
	if len(args) == 0 {
		words = []string{"--help"}
	}
	k, err := parser.Parse(words)
	if err == nil {
		err = k.Run(a)
	}
	return a.exitCode(err)
}

// exitCode says what went wrong and returns the exit code for it.
func (a *app) exitCode(err error) int {
	if err == nil {
		return 0
	}
	var w wrong
	var f *exec.Fault
	isWrong := errors.As(err, &w)
	if !isWrong || w.error != nil {
		a.out.Flush()
		fmt.Fprintf(a.err, "heddle: %v\n", err)
	}
	if isWrong || errors.As(err, &f) {
		return 1
	}
	return 2
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// json prints v, indented.
func (a *app) json(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// paint is how output is marked.
func (a *app) paint() manual.Paint {
	if !a.color {
		return manual.Paint{}
	}
	mark := func(code string) func(string) string {
		return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }
	}
	return manual.Paint{Head: mark("1"), Dim: mark("2"), Warn: mark("33")}
}

// maxInput bounds a file that is read whole.
const maxInput = 256 << 20

// read reads a file, or standard input for -.
func (a *app) read(path string) ([]byte, error) {
	r := a.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		err = fmt.Errorf("%s: more than %d bytes", path, maxInput)
	}
	return b, err
}

// eachLine calls f with the lines of r, without their ends. What f has printed is flushed before reading on
// would block, so that a program at the other end of a pipe gets its answers one by one.
func (a *app) eachLine(in io.Reader, f func(line string) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if line != "" {
			if err := f(strings.TrimRight(line, "\r\n")); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if r.Buffered() == 0 {
			if err := a.out.Flush(); err != nil {
				return err
			}
		}
	}
}
