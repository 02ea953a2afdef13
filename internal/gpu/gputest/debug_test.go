//go:build linux && amd64

package gputest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
)

// A halts listener receives halts.
type halts struct {
	debug.Silent
	t  *testing.T
	at chan *debug.Halt
}

func (h *halts) Halted(x *debug.Halt) { h.at <- x }

func (h *halts) next(want debug.Reason) *debug.Halt {
	h.t.Helper()
	select {
	case x := <-h.at:
		if x.Reason != want {
			h.t.Fatalf("stopped at %d by %v, want %v", x.Pos, x.Reason, want)
		}
		return x
	case <-time.After(time.Minute):
		h.t.Fatal("no halt for a minute")
	}
	return nil
}

// TestDebugger: a debugger joins the dispatches of an unchanged Vulkan program. The program computes what it computes
// without one, although the debugger runs the end of a dispatch, which stores what was loaded from the same address,
// three times, and leaves within the second dispatch.
func TestDebugger(t *testing.T) {
	vkrun := client(t)
	source := "testdata/shaders/basic.comp"
	spv := filepath.Join(t.TempDir(), "basic.spv")
	compile(t, source, spv)
	program := append([]string{vkrun, spv}, argsOf(t, source)...)
	program = append(program, "-n", "3")
	want := onLavapipe(t, program...)

	feed := debug.NewFeed()
	if err := feed.Join(); err != nil {
		t.Fatal(err)
	}
	to := &halts{t: t, at: make(chan *debug.Halt, 1)}
	s := debug.New(feed.Run, to)
	s.Start(t.Context())
	done := make(chan result, 1)
	go func() {
		done <- withOptions(t, "polaris10", amdgpu.Options{Debug: feed}, []string{"VK_ICD_FILENAMES=" + radv}, program...)
	}()
	h := to.next(debug.AtEntry)
	if name := h.Code.Place(h.Step.PC).Name(); name != "shader" {
		t.Errorf("the dispatch begins at %s", name)
	}
	s.SetPoints([]*debug.Point{s.NewPoint(debug.Spec{Name: "s_endpgm"})})
	for range 2 { // of 4 groups
		s.Continue()
		to.next(debug.AtPoint)
	}
	s.BackTo(0)
	to.next(debug.AtStart)
	for range 4 {
		s.Continue()
		to.next(debug.AtPoint)
	}
	s.ReverseContinue()
	to.next(debug.AtPoint)
	s.SetPoints(nil)
	s.StopLaunches(true)
	s.Continue()
	h = to.next(debug.AtLaunch)
	if h.Wave.Launch != 2 {
		t.Errorf("stopped in launch %d", h.Wave.Launch)
	}
	for range 5 {
		s.Step(h.Wave, debug.Into, false)
		h = to.next(debug.AfterStep)
	}
	s.Quit()
	feed.Leave()
	r := <-done
	if r.code != nil || r.log != "" {
		t.Fatal(r.code, r.err, r.log)
	}
	if r.out != want {
		t.Errorf("it prints\n%s\nwant\n%s", r.out, want)
	}
}
