package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/kernels"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// cli is the grammar of the command line.
type cli struct {
	Isas     isasCmd     `cmd:"" help:"List instruction sets, their variants and what is supported."`
	Dis      disCmd      `cmd:"" help:"Disassemble a code object, bare code, or lines of hex."`
	Asm      asmCmd      `cmd:"" help:"Assemble a file, or lines of text."`
	Build    buildCmd    `cmd:"" help:"Compile a source file, OpenCL C, C or LLVM's text, to a code object."`
	Kernels  kernelsCmd  `cmd:"" help:"List kernels: signatures, registers, memory, and command lines that run them."`
	Run      runCmd      `cmd:"" help:"Run a kernel: a manifest, or a code object with a grid and arguments."`
	Step     stepCmd     `cmd:"" help:"Go through a run instruction by instruction, forwards and back."`
	Profile  profileCmd  `cmd:"" help:"Count what each instruction of a run did: waves, lanes, branches, memory."`
	Cost     costCmd     `cmd:"" help:"Model how long code takes on a chip: clocks by unit, critical path, what bounds each block."`
	Dap      dapCmd      `cmd:"" help:"Debug adapter: editors debug runs with it."`
	Render   renderCmd   `cmd:"" help:"Draw a scene, or a fragment program over a picture."`
	GPU      gpuCmd      `cmd:"" name:"gpu" help:"Run a program that uses Vulkan or OpenCL on a GPU that is not there."`
	Check    checkCmd    `cmd:"" help:"Run the cases and kernels found under paths."`
	Lint     lintCmd     `cmd:"" help:"Report illegal encodings and broken rules of a program."`
	Eval     evalCmd     `cmd:"" help:"Run a few instructions on one wave and print the state that changed."`
	Explain  explainCmd  `cmd:"" help:"Show an instruction: bits, operands, meaning, sources."`
	Fidelity fidelityCmd `cmd:"" help:"Count the instructions of a file by how exactly they run."`
	Docs     docsCmd     `cmd:"" help:"Write the reference of the instruction sets as a static site."`
	Serve    serveCmd    `cmd:"" help:"Serve the reference of all instruction sets, with pages that run instructions."`
	Vectors  vectorsCmd  `cmd:"" help:"Write test vectors: instructions with the state before and after each."`
	LSP      lspCmd      `cmd:"" name:"lsp" help:"Serve an editor: the Language Server Protocol on standard input and output."`
	Spec     specCmd     `cmd:"" help:"Print an instruction set as data: JSON of which other tools can be made."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	Help       helpCmd       `cmd:"" help:"Print the help of a command."`
	Completion completionCmd `cmd:"" help:"Print what completes commands and flags in a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	MaxInput sizeFlag `placeholder:"SIZE" help:"Limit of a file of the command line or of standard input, such as 2G; 256M and 64M if not given."`
}

// An app is one run of the command, with its input and output.
type app struct {
	ctx      context.Context
	in       io.Reader
	out      *bufio.Writer // to sink
	err      io.Writer
	sink     *sink
	drafts   *drafts
	color    bool     // whether out has colours
	tty      bool     // err is a terminal: progress may be shown
	late     bool     // output is the remainder of work that failed or was interrupted
	used     bool     // standard input has been read
	flags    []string // names of flags on the command line
	asked    bool     // whether JSON was requested
	model    *kong.Application
	time     time.Duration // limit of the command; 0: none
	serves   atomic.Bool   // an interrupt is the normal end of the command
	most     int64         // limit in bytes of a file on the command line; 0: the limits of package limit
	readOnly bool          // files must not be written: see heddle dap --allow-write
}

func newApp(ctx context.Context, in io.Reader, out, err *os.File) *app {
	plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	ctx, stop := context.WithCancel(ctx)
	a := &app{ctx: ctx, in: in, err: err, sink: &sink{file: out, stop: stop}, drafts: newDrafts(), color: !plain && isTerminal(out), tty: isTerminal(err)}
	a.out = bufio.NewWriterSize(a.sink, 64<<10)
	return a
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A wrong is an error with exit code 1: what was checked is wrong. If it contains no error, everything has been
// printed.
type wrong struct{ error }

func (w wrong) Unwrap() error { return w.error }

// An exit is how kong ends the command after --help.
type exit int

// run executes the command and returns the exit code.
func (a *app) run(args []string) int { return a.finish(a.command(args)) }

// command parses the arguments and executes the command.
func (a *app) command(args []string) (code int) {
	defer func() {
		if e := recover(); e != nil {
			c, ok := e.(exit)
			if !ok {
				panic(e)
			}
			code = int(c)
			if len(args) == 0 { // no command was given
				code = 2
			}
		}
	}()
	grammar := grammarFor(args)
	a.asked = asksJSON(args)
	parser, err := kong.New(grammar, kong.Name("heddle"),
		kong.Description("Assemble, disassemble, check, run and explain GPU machine code on any CPU.\n\nISA is a name or name:variant, as heddle isas lists them, or another tool's name: gfx803, fiji.\n\n"+
			"A file named - is standard input or output. Exit codes: "+exitText()+". Of a pipe that its reader has closed nothing is said."),
		kong.Writers(a.out, a.err), kong.Exit(func(c int) { panic(exit(c)) }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Bind(a), helpVars(), numbers)
	if err != nil {
		panic(err)
	}
	a.model = parser.Model
	hideRefused(a.model)
	words := args
	switch {
	case len(args) == 0:
		words = []string{"--help"}
	case args[0] == "help" && (len(args) == 1 || !strings.HasPrefix(args[1], "-")):
		words = append(slices.Clone(args[1:]), "--help")
	}
	k, err := parse(parser, interleaved(parser.Model, negatives(parser.Model, words)))
	if err == nil {
		a.most, a.flags = mostOf(grammar), flagsOf(k)
		a.asked = a.asked && (a.given("json") || a.given("format"))
		if err = a.needs(k.Selected().Name); err == nil {
			err = k.Run(a)
		}
	}
	return a.exitCode(err)
}

// parse calls the parser and rewords some of its errors: "unexpected argument ..." for an unknown command, "expected
// value value but got ..." for a flag without its value, and "missing value, expecting ..." for a repeatable flag.
func parse(parser *kong.Kong, words []string) (*kong.Context, error) {
	k, err := parser.Parse(words)
	if err == nil {
		return k, nil
	}
	if word, is := strings.CutPrefix(err.Error(), "unexpected argument "); is && noCommand(err) {
		word, _, _ := strings.Cut(word, ", ")
		var names []string
		for _, n := range parser.Model.Children {
			names = append(names, n.Name)
		}
		return k, unknownCommand(word, spell.Nearest(word, names))
	}
	if len(words) > 0 && words[0] == "gpu" && strings.HasPrefix(err.Error(), "unknown flag") {
		return k, hinted{err, "the program and its arguments come after --, such as heddle gpu -- vulkaninfo --summary"}
	}
	flag, says, _ := strings.Cut(err.Error(), ": ")
	if !strings.HasPrefix(flag, "--") {
		return k, err
	}
	if given := asGiven(parser.Model, flag, words); given != flag {
		flag, err = given, fmt.Errorf("%s: %s", given, says)
	}
	_, got, is := strings.Cut(says, " value but got ")
	switch {
	case strings.HasPrefix(says, "missing value, expecting "), is && strings.HasPrefix(got, `"EOL"`):
		err = fmt.Errorf("%s: a value is missing at the end of the line", flag)
	case is && strings.HasPrefix(says, "expected "):
		err = fmt.Errorf("%s: a value is missing before %s", flag, got)
	}
	return k, err
}

// asGiven returns a flag as written on the command line, where it may have another of its names.
func asGiven(model *kong.Application, flag string, words []string) string {
	cmd := commandOf(model, words)
	if cmd == nil {
		return flag
	}
	for _, f := range cmd.Flags {
		if "--"+f.Name != flag {
			continue
		}
		for _, name := range f.Aliases {
			if slices.ContainsFunc(words, func(w string) bool { return w == "--"+name || strings.HasPrefix(w, "--"+name+"=") }) {
				return "--" + name
			}
		}
	}
	return flag
}

// noCommand reports whether the parser stopped before it found a command.
func noCommand(err error) bool {
	var at *kong.ParseError
	return errors.As(err, &at) && at.Context.Selected() == nil
}

// unknownCommand returns the error for a first word that is no command: a misspelt one, or a file without a command
// before it.
func unknownCommand(word, meant string) error {
	if meant != "" {
		meant = fmt.Sprintf("did you mean %q? ", meant)
	}
	if _, err := os.Stat(word); err == nil {
		return fmt.Errorf("%q is a file, and no command comes before it; such as heddle dis %[2]s, heddle lint %[2]s or heddle run %[2]s", word, kernels.Word(word))
	}
	return fmt.Errorf("there is no command %q; %sheddle --help lists all", word, meant)
}

// exitCode reports an error and returns its exit code.
func (a *app) exitCode(err error) int {
	if err == nil {
		return 0
	}
	untold := a.untold()
	if a.out.Flush() != nil {
		return 2 // it may be the only error; finish reports it
	}
	code := exitOf(err)
	if isTold(err) {
		return code
	}
	a.tell(err)
	if a.asked && untold {
		if a.json(failureJSON(err, a.plainText, code)) != nil {
			return 2
		}
	}
	return code
}

// exitOf returns the exit code of an error.
func exitOf(err error) int {
	var t told
	var w wrong
	var f *exec.Fault
	var u unwritten
	switch {
	case err == nil:
		return 0
	case errors.As(err, &u):
		return 2
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut
	case errors.As(err, &w), errors.As(err, &f):
		return 1
	case errors.As(err, &t):
		return int(t)
	}
	return 2
}

// timedOut is the exit code of a command that exceeded its time limit, as for timeout(1).
const timedOut = 124

// exitCodes are the meanings of exit codes.
var exitCodes = [...]struct{ code, says string }{
	{"0", "success"},
	{"1", "what was checked is wrong, a text does not assemble or compile, or the guest faulted"},
	{"2", "bad usage, unreadable input, or output that cannot be written"},
	{"124", "the limit of --timeout was met"},
	{"130", "interrupted"},
}

func exitText() string {
	var list []string
	for _, x := range exitCodes {
		list = append(list, x.code+" "+x.says)
	}
	return strings.Join(list, "; ")
}

// plain formats an error without terms such as context.
func (a *app) plain(err error) string {
	return a.plainText(err.Error())
}

// plainText is plain for the text of an error.
func (a *app) plainText(text string) string {
	over := "the limit of time is over"
	if a.time != 0 {
		over = fmt.Sprintf("the limit of %v is over (--timeout)", a.time)
	}
	text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	return strings.ReplaceAll(text, context.DeadlineExceeded.Error(), over)
}

// deadline limits the time of the command until stop is called; 0 means no limit. After that the earlier limit applies
// again, because step runs repeatedly.
func (a *app) deadline(limit time.Duration) (stop func()) {
	if limit <= 0 {
		return func() {}
	}
	whole := a.ctx
	ctx, cancel := context.WithTimeout(whole, limit)
	a.time, a.ctx = limit, ctx
	return func() {
		cancel()
		a.ctx = whole
	}
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// json prints v with indentation.
func (a *app) json(v any) error { return writeJSON(a.out, v) }

// paint returns the styles of the output.
func (a *app) paint() manual.Paint {
	if !a.color {
		return manual.Paint{}
	}
	mark := func(code string) func(string) string {
		return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }
	}
	return manual.Paint{Head: mark("1"), Dim: mark("2"), Warn: mark("33")}
}

// read reads a file, or standard input for -.
func (a *app) read(path string) ([]byte, error) {
	return within(a, "reading "+path, func() ([]byte, error) { return a.readNow(path) })
}

// limits returns the size limits of files and streams on the command line.
func (a *app) limits() (file, stream limit.Size) {
	file, stream = limit.File, limit.Stream
	if a.most != 0 {
		file.Bytes, stream.Bytes = a.most, a.most
	}
	return file, stream
}

func (a *app) readNow(path string) ([]byte, error) {
	file, stream := a.limits()
	if path == "-" {
		if err := a.useStdin(); err != nil {
			return nil, err
		}
		return limit.ReadAll(a.in, "standard input", stream)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return limit.ReadFile(path, file)
	}
	f, err := os.Open(path) // a pipe, such as the shell's <(command)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limit.ReadAll(f, path, stream)
}

// open opens a file, or standard input for -, for incremental reading, with the limits of read. A regular file that is
// too large is rejected by its size.
func (a *app) open(path string) (io.ReadCloser, error) {
	type reader struct {
		io.Reader
		io.Closer
	}
	file, stream := a.limits()
	if path == "-" {
		if err := a.useStdin(); err != nil {
			return nil, err
		}
		return io.NopCloser(limit.Reader(a.in, "standard input", stream)), nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		f, err := os.Open(path) // such as the shell's <(command)
		if err != nil {
			return nil, err
		}
		return reader{limit.Reader(f, path, stream), f}, nil
	}
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Size() > file.Bytes {
		f.Close()
		return nil, &limit.Error{Name: path, Size: file}
	}
	return reader{limit.Reader(f, path, file), f}, nil
}

// useStdin reports an error if standard input is read twice.
func (a *app) useStdin() error {
	if a.used {
		return errors.New("- is given twice, and standard input can be read only once")
	}
	a.used = true
	return nil
}

// text returns the argument, or standard input if it is -.
func (a *app) text(arg string) (string, error) {
	if strings.TrimSpace(arg) != "-" {
		return arg, nil
	}
	data, err := a.read("-")
	return strings.TrimSpace(string(data)), err
}

// maxLine limits a line of --lines.
const maxLine = 1 << 20

// eachLine prints the answer of f to each line of in; f appends it to a buffer. Answers are flushed before the next
// read would block, so that a program at the other end of a pipe gets them one by one.
func (a *app) eachLine(in io.Reader, f func(dst, line []byte) ([]byte, error)) error {
	r := bufio.NewReaderSize(in, maxLine)
	var text []byte
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull:
			return fmt.Errorf("line %d: line of more than %d bytes", n, maxLine)
		case err != nil && err != io.EOF:
			return fmt.Errorf("line %d: %w", n, err)
		}
		if len(line) > 0 {
			var wrong error
			if text, wrong = f(text[:0], bytes.TrimRight(line, "\r\n")); wrong != nil {
				text = append(text[:0], answer(wrong)...)
			}
			if _, err := a.out.Write(append(text, '\n')); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if next, _ := r.Peek(r.Buffered()); bytes.IndexByte(next, '\n') < 0 {
			if err := a.out.Flush(); err != nil {
				return err
			}
		}
	}
}

// answer returns what is printed instead of the result of a line with an error: the error with its hint, and its code
// at the end.
func answer(err error) string {
	text := "error: " + err.Error()
	var e *isa.Error
	if errors.As(err, &e) {
		text = "error: "
		if e.Line > 0 && e.Col > 0 {
			text += fmt.Sprintf("column %d: ", e.Col)
		}
		text += e.Msg
		if e.Hint != "" {
			text += "; " + e.Hint
		}
		text += " [" + e.Code + "]"
	}
	return shown(text)
}
