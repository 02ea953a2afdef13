package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/console"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/platforms"
)

type stepCmd struct {
	runCmd
	session []met // in all runs of the session
}

func (c *stepCmd) Help() string {
	return `A debugger at the terminal, with gdb's command names. The file and all options are those of heddle run, or it is a scene or recorded
draw of heddle render, whose vertices and fragments run in waves; nothing is written then. Commands come from standard input; help lists them. With --json the output is an object for each command, with where the run has stopped.
Groups run one after another and waves take turns as they do without a debugger, so going back is running again up to a place before.
With --sanitize the exit code is 1 if anything was found that --fail-on selects, by whatever the session has run.
docs/debugging.md has a session, the expressions, and what editors can do.

Examples:
  heddle step examples/reduction
  heddle step examples/cube
  printf 'break s_barrier\ncontinue\nprint v2 v3\nx group 0 32\nreverse-stepi\n' | heddle step examples/reduction
  printf 'break reduce_lds.cl:11 if k == 64\ncontinue\ninfo locals\nrwatch in[3]\nreverse-continue\n' | \
    heddle step examples/reduction/reduce_lds.cl --grid 1024 --block 256 --arg buf:examples/reduction/in.in.bin \
    --arg out=zero:16 --arg u32:5000
  printf 'continue\n' | heddle step --json --races --waits examples/reduction
  printf 'continue\n' | heddle step --sanitize --report junit:findings.xml examples/reduction
  heddle step examples/saxpy/saxpy.gfx803.s --grid 256 --block 64 --arg y=zero:1024 --arg buf:examples/saxpy/x.in.bin \
    --arg f32:2 --arg u32:256`
}

// refusedFlags are the flags of run that commands reject which take its inputs, see Validate.
var refusedFlags = map[string][]string{
	"step":    {"trace", "break", "dump"},
	"profile": {"trace", "break", "dump", "check", "sanitize", "races", "waits", "uninit", "fail-on", "suppress", "report", "baseline", "write-baseline"},
}

// hideRefused removes flags of run that other commands reject from their help, completion and manual.
func hideRefused(m *kong.Application) {
	for _, n := range m.Children {
		for _, f := range n.Flags {
			f.Hidden = f.Hidden || slices.Contains(refusedFlags[n.Name], f.Name)
		}
		if n.Name == "step" {
			n.Positional[0].Help = strings.ReplaceAll(n.Positional[0].Help, "bare code, or - for standard input", "bare code, a scene or a recorded draw")
		}
	}
}

// Validate runs before Run.
func (c *stepCmd) Validate() error {
	switch {
	case c.Target == "":
		return errors.New("no file; give a manifest, a folder with a manifest.json, a code object, assembly, bare code or a scene")
	case c.Target == "-":
		return errors.New("standard input holds the commands, not the file")
	case c.Inspection.asked():
		return errors.New("--trace, --break and --dump are flags of heddle run; break is a command here")
	}
	if c.Engine == allEngines {
		return errors.New("--engine all is of heddle run; a session steps through one engine")
	}
	if err := c.runCmd.Validate(); err != nil {
		return err
	}
	if c.wants.toStdout() {
		return errors.New("standard output holds the session; a buffer can go to a file")
	}
	return nil
}

func (c *stepCmd) Run(a *app) error {
	if err := a.useStdin(); err != nil {
		return err
	}
	k := console.New(a.in, a.flushed())
	if in, ok := a.in.(interface{ Fd() uintptr }); ok && a.tty && in != nil && !c.JSON {
		k.Prompt = "(heddle) "
	}
	k.Sources.Dirs = []string{c.Target, filepath.Dir(c.Target)}
	gone := c.watchedRun
	if isScene(c.Target) {
		gone = c.draw
	}
	if err := c.readReporting(a); err != nil {
		return err
	}
	out := &behind{w: a.flushed()}
	var result bytes.Buffer // of the run, in JSON
	if c.JSON {
		out.w = k.Record(func(r console.Record) error {
			line, err := oneLine(r)
			if err == nil {
				_, err = a.flushed().Write(append(line, '\n'))
			}
			return err
		}, func() []byte {
			defer result.Reset()
			return bytes.Clone(result.Bytes())
		})
	}
	c.held = k.Session(func(ctx context.Context, s *debug.Session) error {
		run := a.printsTo(out)
		if c.JSON {
			run.out = bufio.NewWriter(&behind{s, &result})
		}
		run.ctx = ctx
		err := stoppedBy(gone(run))
		if e := run.out.Flush(); err == nil {
			err = e
		}
		return err
	})
	out.s = c.held
	k.Tell = func(err error) string {
		if err = forPeople(err); err == nil {
			return ""
		}
		return shownText(a.plain(err))
	}
	if err := k.Run(a.ctx); err != nil {
		return err
	}
	return c.sum(a)
}

// forPeople returns an error in plain words.
func forPeople(err error) error {
	var w wrong
	if err == nil || errors.As(err, &w) && w.error == nil {
		return nil
	}
	var b bytes.Buffer
	(&app{err: &b}).tell(err)
	return inWords{strings.TrimPrefix(strings.TrimSpace(b.String()), "heddle: "), err}
}

// draw draws the file.
func (c *stepCmd) draw(a *app) error {
	if err := a.fits("step", 'd', c.Target); err != nil {
		return err
	}
	defer a.deadline(c.Timeout)()
	r := renderCmd{Scene: c.Target, Variant: c.Variant, Engine: engineFlag(c.Engine), MaxSteps: c.MaxSteps, AllowOutside: c.AllowOutside}
	r.held = c.held
	_, err := r.draw(a)
	return err
}

// isScene reports whether a file, or the file in a folder, is a scene or a recorded draw.
func isScene(path string) bool {
	data, err := limit.ReadFile(scenePath(path), limit.File)
	if err != nil {
		return false
	}
	var head struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(data, &head) == nil && head.Format == casefile.SceneFormat || platforms.Scenes(casefile.Sniff(bytes.NewReader(data))) != nil
}

// flushed returns standard output with a flush after each write.
func (a *app) flushed() io.Writer { return flushing{a} }

type flushing struct{ a *app }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.a.out.Write(p)
	if err == nil {
		err = f.a.out.Flush()
	}
	return n, err
}

// A behind is a writer for the output of a session's runs that drops what an earlier run has already printed.
type behind struct {
	s *debug.Session
	w io.Writer
}

func (b *behind) Write(p []byte) (int, error) {
	if b.s.Replaying() {
		return len(p), nil
	}
	n, err := b.w.Write(p)
	if err != nil {
		err = fmt.Errorf("output of the kernel: %w", err)
	}
	return n, err
}
