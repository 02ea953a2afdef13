package debug

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// A countPiece is one wave of count. Its events are counted.
type countPiece struct {
	t           *testing.T
	p           *isa.Program
	plain, held int // complete runs without a debugger, and under one
	kept        int
}

func (c *countPiece) Run(ctx context.Context, s *Session) error {
	engine := engines.All()[0].New()
	if s != nil {
		engine = exec.Stepped(engine, s)
		s.Observe(exec.Event{Kind: exec.LaunchStart})
	}
	st, err := exec.NewState(c.p.Machine(), 0)
	if err != nil {
		c.t.Error(err)
		return err
	}
	st.Start(0, ^uint64(0))
	err = launch.RunWave(ctx, engine, exec.NewProgram(c.p), st, &exec.Env{Where: exec.Where{Kernel: "count"}}, exec.Limits{})
	switch {
	case err != nil:
		return err
	case s == nil:
		c.plain++
	default:
		c.held++
	}
	return ctx.Err() // a wave this short does not see it
}

func (c *countPiece) Keep() { c.kept++ }

// feedHalts receives halts and the end.
type feedHalts struct {
	Silent
	t     *testing.T
	halts chan *Halt
	over  chan error
	said  chan string
}

func (f *feedHalts) Halted(h *Halt)  { f.halts <- h }
func (f *feedHalts) Over(err error)  { f.over <- err }
func (f *feedHalts) Say(text string) { f.said <- text }

func (f *feedHalts) next(reason Reason, pos uint64) *Halt {
	f.t.Helper()
	select {
	case h := <-f.halts:
		if h.Reason != reason || h.Pos != pos {
			f.t.Fatalf("stopped at %d by %v, want %d by %v", h.Pos, h.Reason, pos, reason)
		}
		return h
	case <-time.After(time.Minute):
		f.t.Fatal("no halt for a minute")
	}
	return nil
}

// sessionOf returns a session that has joined a feed.
func sessionOf(t *testing.T, f *Feed) (*Session, *feedHalts) {
	t.Helper()
	if err := f.Join(); err != nil {
		t.Fatal(err)
	}
	to := &feedHalts{t: t, halts: make(chan *Halt, 1), over: make(chan error, 1), said: make(chan string, 16)}
	s := New(f.Run, to)
	s.Start(t.Context())
	return s, to
}

// perPiece is the number of instructions of count: 2, 3 iterations of 3, 1.
const perPiece = 12

// TestFeed: a program submits pieces to a session. The session stops where they begin, goes back within the second one,
// but not into the first, and breakpoints count over all of them. When it leaves, the piece that is stopped runs again
// without it, as do later ones.
func TestFeed(t *testing.T) {
	f, list := NewFeed(), make([]*countPiece, 4)
	for i := range list {
		list[i] = &countPiece{t: t, p: assembled(t, "gcn:gfx8", count)}
	}
	s, to := sessionOf(t, f)
	if err := f.Join(); !errors.Is(err, ErrJoined) {
		t.Errorf("a second session joins: %v", err)
	}
	ended := make(chan error, len(list))
	go func() {
		for _, p := range list[:3] {
			ended <- f.Do(t.Context(), p)
		}
	}()
	to.next(AtEntry, 0)
	s.StopLaunches(true)
	p := s.NewPoint(Spec{Name: "again"})
	s.SetPoints([]*Point{p})
	s.Continue()
	for pos := range 3 {
		to.next(AtPoint, uint64(2+3*pos))
		s.Continue()
	}
	h := to.next(AtLaunch, perPiece)
	if h.Wave.ID != 2 || h.Wave.Launch != 2 || h.Text != "count" {
		t.Errorf("wave %d of launch %d of %q", h.Wave.ID, h.Wave.Launch, h.Text)
	}
	backWithin(t, s, to, p)
	s.SetPoints(nil)
	s.Continue()
	to.next(AtLaunch, 2*perPiece)
	s.Quit()
	f.Leave()
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := f.Do(t.Context(), list[3]); err != nil {
		t.Error(err)
	}
	for i, want := range []countPiece{{held: 1, kept: 1}, {held: 1, kept: 1}, {plain: 1}, {plain: 1}} {
		if got := list[i]; got.plain != want.plain || got.held != want.held || got.kept != want.kept {
			t.Errorf("piece %d: %d runs without a debugger, %d under it, kept %d times", i+1, got.plain, got.held, got.kept)
		}
	}
}

// backWithin goes back and forth in the second piece, from its beginning.
func backWithin(t *testing.T, s *Session, to *feedHalts, p *Point) {
	h := s.Halted()
	s.Back(h.Wave, false)
	to.next(AtStart, perPiece)
	s.Continue()
	to.next(AtPoint, perPiece+2)
	s.Continue()
	h = to.next(AtPoint, perPiece+5)
	s.Back(h.Wave, false)
	to.next(AfterStep, perPiece+4)
	s.ReverseContinue()
	to.next(AtPoint, perPiece+2)
	if p.Hits() != 4 {
		t.Errorf("%d hits of the breakpoint, want 4", p.Hits())
	}
	s.ReverseContinue()
	to.next(AtLaunch, perPiece)
	s.ReverseContinue()
	to.next(AtStart, perPiece)
}

// TestFeedEnds: the session is over when the program has ended, and another one can have joined before. A piece whose
// program is gone ends.
func TestFeedEnds(t *testing.T) {
	f := NewFeed()
	s, _ := sessionOf(t, f)
	s.Quit()
	f.Leave()
	s, to := sessionOf(t, f)
	p := &countPiece{t: t, p: assembled(t, "gcn:gfx8", count)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Do(ctx, p) }()
	to.next(AtEntry, 0)
	stop()
	s.Continue()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the piece ends with %v, want %v", err, context.Canceled)
	}
	gone := errors.New("gone")
	f.End(gone)
	if err := <-to.over; err != gone {
		t.Errorf("over: %v, want %v", err, gone)
	}
	s.Quit()
	f.Leave()
}

// TestFeedGone: a piece that is ended while it is stopped ends, and the next one runs under the session.
func TestFeedGone(t *testing.T) {
	f := NewFeed()
	s, to := sessionOf(t, f)
	first, second := &countPiece{t: t, p: assembled(t, "gcn:gfx8", count)}, &countPiece{t: t, p: assembled(t, "gcn:gfx8", count)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Do(ctx, first) }()
	to.next(AtEntry, 0)
	s.StopLaunches(true)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) || first.kept+first.held+first.plain != 0 {
		t.Errorf("the piece ends with %v, and has run %d times", err, first.held+first.plain)
	}
	if h := s.Halted(); h != nil {
		t.Errorf("the session is stopped at %v", h)
	}
	go func() { ended <- f.Do(t.Context(), second) }()
	to.next(AtLaunch, 0)
	s.Continue()
	if err := <-ended; err != nil || second.kept != 1 {
		t.Errorf("the next piece ends with %v, and is kept %d times", err, second.kept)
	}
	s.Quit()
	f.Leave()
}

// TestFeedStrays: a piece that ends before the position to which the session goes back is kept, and says so.
func TestFeedStrays(t *testing.T) {
	f := NewFeed()
	s, to := sessionOf(t, f)
	p := &countPiece{t: t, p: assembled(t, "gcn:gfx8", count)}
	ended := make(chan error, 1)
	go func() { ended <- f.Do(t.Context(), p) }()
	to.next(AtEntry, 0)
	point := s.NewPoint(Spec{Name: "s_endpgm"})
	s.SetPoints([]*Point{point})
	s.Continue()
	h := to.next(AtPoint, perPiece-1)
	p.p = assembled(t, "gcn:gfx8", "s_endpgm") // it is another one now
	s.Back(h.Wave, false)
	if err := <-ended; err != nil || p.kept != 1 {
		t.Errorf("the piece ends with %v, and is kept %d times", err, p.kept)
	}
	if text := <-to.said; !strings.Contains(text, "not the same each time") {
		t.Error(text)
	}
	s.Quit()
	f.Leave()
}
