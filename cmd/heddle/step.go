package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/stepping"
	fronts "github.com/heddle-gpu/heddle/launch/all"
	"github.com/heddle-gpu/heddle/object"
)

type stepCmd struct{ runCmd }

func (c *stepCmd) Help() string {
	return `The file and all that it begins with are as of heddle run, or a scene or recorded draw of heddle render, whose vertices and fragments run
in waves as there; nothing is written then. help lists the commands, which come from standard input. Groups run one
after another, and their waves take turns as they do without anybody who looks on, so all runs come to the same places: to go back is to
run again up to a place before.

Examples:
  heddle step examples/reduction
  heddle step examples/cube
  printf 'break s_barrier\ncontinue\nprint v2 v3\nmemory group 0 32\nback\n' | heddle step examples/reduction
  heddle step examples/saxpy/saxpy.gfx803.s --grid 256 --block 64 --arg y=zero:1024 --arg buf:examples/saxpy/x.in.bin \
    --arg f32:2 --arg u32:256`
}

// refusedHere are the flags of run that Validate refuses.
var refusedHere = [...]string{"json", "trace", "break", "dump"}

// hideRefused keeps flags of run that step refuses out of its help, its completion and the manual.
func hideRefused(m *kong.Application) {
	for _, n := range m.Children {
		if n.Name != "step" {
			continue
		}
		for _, f := range n.Flags {
			f.Hidden = f.Hidden || slices.Contains(refusedHere[:], f.Name)
		}
		n.Positional[0].Help = strings.ReplaceAll(n.Positional[0].Help, "bare code, or - for standard input", "bare code, a scene or a recorded draw")
	}
}

// Validate runs before Run.
func (c *stepCmd) Validate() error {
	switch {
	case c.Target == "":
		return errors.New("no file; give a manifest, a folder with a manifest.json, a code object, assembly, bare code or a scene")
	case c.Target == "-":
		return errors.New("standard input holds the commands, not the file")
	case c.JSON || c.Trace.on || len(c.Break) > 0 || c.Dump:
		return errors.New("--json, --trace, --break and --dump are of heddle run; break is a command here")
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
	prompt := ""
	if in, ok := a.in.(interface{ Fd() uintptr }); ok && a.tty && in != nil {
		prompt = "(heddle) "
	}
	s := stepping.NewSession(a.in, a.flushed(), prompt)
	c.by = stepping.Both{s}
	c.print = func(w io.Writer) io.Writer { return &behind{s, w} }
	gone := c.run
	if isScene(c.Target) {
		gone = c.draw
	}
	for {
		s.Begin()
		err := stoppedBy(gone(a))
		var f *exec.Fault
		switch {
		case errors.Is(err, stepping.ErrQuit):
			return nil
		case errors.Is(err, stepping.ErrAgain):
			continue
		case errors.As(err, &f):
			a.printf("%s\n", shownText(a.plain(err)))
		case err != nil && s.Steps() == 0:
			return err
		case err != nil:
			a.printf("%s\n", shownText(a.plain(err)))
		}
		if !s.Over() {
			return nil
		}
	}
}

// draw draws the file.
func (c *stepCmd) draw(a *app) error {
	if err := a.fits("step", 'd', c.Target); err != nil {
		return err
	}
	defer a.deadline(c.Timeout)()
	r := renderCmd{Scene: c.Target, Variant: c.Variant, Engine: engineFlag(c.Engine), MaxSteps: c.MaxSteps, AllowOutside: c.AllowOutside}
	r.by, r.held = c.by, c.held
	_, err := r.draw(a)
	return err
}

// isScene reports whether a file, or what a folder has, is a scene or a recorded draw.
func isScene(path string) bool {
	data, err := limit.ReadFile(scenePath(path), limit.File)
	if err != nil {
		return false
	}
	var head struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(data, &head) == nil && head.Format == object.SceneFormat || fronts.Scenes(object.Sniff(bytes.NewReader(data))) != nil
}

// flushed is standard output that shows at once what is written to it.
func (a *app) flushed() io.Writer { return flushing{a} }

type flushing struct{ a *app }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.a.out.Write(p)
	if err == nil {
		err = f.a.out.Flush()
	}
	return n, err
}

// A behind is a writer of what kernels print, but for what they have printed before in a session.
type behind struct {
	s *stepping.Session
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
