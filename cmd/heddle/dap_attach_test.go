package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/dap"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// A wavePiece is a dispatch of one wave.
type wavePiece struct {
	program *isa.Program
	kept    int
}

func newWavePiece(t *testing.T) *wavePiece {
	target, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	code, errs := asm.Assemble(target, []byte("s_mov_b32 s0, 5\ns_endpgm"), asm.Options{})
	if errs != nil {
		t.Fatal(errs[0])
	}
	return &wavePiece{program: &isa.Program{Target: target, Code: code.Code}}
}

func (p *wavePiece) Run(ctx context.Context, s *debug.Session) error {
	engine := ref.New()
	if s != nil {
		engine = exec.Stepped(engine, s)
		s.Observe(exec.Event{Kind: exec.LaunchStart})
	}
	st, err := exec.NewState(p.program.Machine(), 0)
	if err != nil {
		return err
	}
	st.Start(0, 1)
	return launch.RunWave(ctx, engine, exec.NewProgram(p.program), st, &exec.Env{Where: exec.Where{Kernel: "wave"}}, exec.Limits{})
}

func (p *wavePiece) Keep() { p.kept++ }

// An attachable program is one that editors can join.
type attachable struct {
	*debug.Feed
	joined chan struct{} // receives when an editor has joined
	stops  int
}

func (a *attachable) Join() (debug.Run, error) {
	if err := a.Feed.Join(); err != nil {
		return nil, err
	}
	a.joined <- struct{}{}
	return a.Feed.Run, nil
}

func (a *attachable) Stop() { a.stops++ }

// attachSession returns a client of an adapter for a program.
func attachSession(t *testing.T, to dap.Program) *dapClient {
	return dapClientOf(t, func(ctx context.Context, in io.Reader, out io.Writer) error { return dap.Attach(ctx, in, out, to) })
}

// TestDAPAttach: an editor joins a program, stops where its dispatches begin, and leaves; another joins and ends it.
func TestDAPAttach(t *testing.T) {
	piece := newWavePiece(t)
	program := &attachable{Feed: debug.NewFeed(), joined: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	do := func() {
		<-program.joined
		ended <- program.Do(t.Context(), piece)
	}

	c := attachSession(t, program)
	if caps := c.ask("initialize", obj{"adapterID": "test"}); caps["supportsRestartRequest"] == true {
		t.Error("a program that runs beside the session cannot be restarted by it")
	}
	for command, want := range map[string]string{"launch": "attach joins it", "restart": "attach comes first"} {
		if text := c.refused(command, obj{"program": "x.s"}); !strings.Contains(text, want) {
			t.Errorf("%s: %s; want %s", command, text, want)
		}
	}
	if text := c.refused("attach", obj{"stopOnExit": true}); !strings.Contains(text, "stopOnExit") {
		t.Error(text)
	}
	seq := c.send("attach", obj{})
	go do()
	if m := c.answer(seq); m["success"] != true {
		t.Fatal(m)
	}
	c.event("initialized")
	c.ask("setExceptionBreakpoints", obj{"filters": []string{"launches"}})
	c.ask("configurationDone", nil)
	if b := c.event("stopped"); b["text"] != "wave" {
		t.Errorf("stopped: %v", b)
	}
	if text := c.refused("restart", nil); !strings.Contains(text, "was not begun here") {
		t.Error(text)
	}
	second := attachSession(t, program)
	second.ask("initialize", obj{"adapterID": "test"})
	if text := second.refused("attach", obj{}); !strings.Contains(text, debug.ErrJoined.Error()) {
		t.Error(text)
	}
	c.ask("disconnect", nil)
	if err := <-ended; err != nil || piece.kept != 0 || program.stops != 0 {
		t.Errorf("it has ended with %v, kept %d times, stopped %d times", err, piece.kept, program.stops)
	}
	seq = second.send("attach", obj{})
	go do()
	if m := second.answer(seq); m["success"] != true {
		t.Fatal(m)
	}
	second.ask("terminate", nil)
	second.event("terminated")
	if err := <-ended; err != nil || program.stops != 1 {
		t.Errorf("it has ended with %v, stopped %d times", err, program.stops)
	}
}
