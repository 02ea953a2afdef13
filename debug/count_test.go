package debug

import (
	"context"
	"maps"
	"math/bits"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// A begun instruction, and its active lanes.
type begun struct {
	pc    uint64
	lanes int
}

// A teller is a stepper that lists what begins.
type teller struct{ list []begun }

func (l *teller) Before(at *exec.Step) error {
	l.list = append(l.list, begun{at.PC, bits.OnesCount64(at.State.Exec)})
	return nil
}

func (l *teller) After(*exec.Step, exec.Stop) {}

// halts is a listener of stops and ends.
type halts struct {
	Silent
	at chan *Halt // nil: the run is over
}

func (l *halts) Halted(h *Halt) { l.at <- h }

func (l *halts) Over(error) { l.at <- nil }

// A counted is a program of one wave, and what begins in it.
type counted struct {
	set  string
	code []byte
	list []begun
}

func newCounted(t *testing.T, set, text string) *counted {
	c := &counted{set: set}
	code, errs := asm.Assemble(c.target(t), []byte(text), asm.Options{})
	if errs != nil {
		t.Fatal(errs[0].Detail())
	}
	c.code = code.Code
	all := &teller{}
	_ = c.run(t, t.Context(), all)
	c.list = all.list
	return c
}

func (c *counted) target(t *testing.T) *isa.Target {
	target, err := sets.Lookup(c.set)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func (c *counted) run(t *testing.T, ctx context.Context, by exec.Stepper) error {
	p := &isa.Program{Target: c.target(t), Code: c.code}
	st, err := exec.NewState(p.Machine(), 0)
	if err != nil {
		return err
	}
	for i := range st.V[:2*st.Stride] {
		st.V[i] = uint32(i)
	}
	st.Start(0, ^uint64(0))
	return launch.RunWave(ctx, exec.Stepped(engines.Fastest(engines.Use{}), by), exec.NewProgram(p), st, &exec.Env{}, exec.Limits{})
}

// begin returns a session that has stopped before the first instruction.
func (c *counted) begin(t *testing.T) (*Session, *halts) {
	to := &halts{at: make(chan *Halt)}
	s := New(func(ctx context.Context, s *Session) error { return c.run(t, ctx, s) }, to)
	s.Linger = true
	s.Start(t.Context())
	<-to.at
	return s, to
}

// check compares the counts of a session before instruction n.
func (c *counted) check(t *testing.T, s *Session, what string, n int) {
	t.Helper()
	want := map[uint64]Count{}
	for _, b := range c.list[:n] {
		want[b.pc] = Count{want[b.pc].Waves + 1, want[b.pc].Lanes + uint64(b.lanes)}
	}
	if got := s.Counts(s.Codes()[0]); !maps.Equal(got, want) {
		t.Errorf("%s: %s, before instruction %d: %v, want %v", c.set, what, n, got, want)
	}
}

// afterEnd compares the counts that are asked for after the end, which may be behind a fault.
func (c *counted) afterEnd(t *testing.T) {
	s, to := c.begin(t)
	defer s.Quit()
	s.Continue()
	for h := <-to.at; h != nil; h = <-to.at {
		s.Continue()
	}
	if !s.StartCounting() {
		t.Errorf("%s: counting after the end does not run again", c.set)
	}
	if h := <-to.at; h != nil {
		t.Errorf("%s: on the way to the end the run stops: %v %s", c.set, h.Reason, h.Text)
	}
	c.check(t, s, "asked for after the end", len(c.list))
}

// TestCounts: at each position, reached forwards or back, from the beginning on or asked for there, the counts are
// those of the instructions that have begun before, which a list has. The last program faults.
func TestCounts(t *testing.T) {
	for set, text := range map[string]string{
		"gcn:gfx8":  "s_mov_b32 s0, 4\nagain:\nv_cmp_gt_u32 vcc, s0, v0\ns_and_saveexec_b64 s[2:3], vcc\nv_add_u32 v1, vcc, v0, v1\ns_mov_b64 exec, s[2:3]\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\ns_endpgm",
		"tesla:g80": "mov b32 $r1 1\njoinat meet\nand b32 $c0 $r1 $r0 $r1\n(e $c0) bra meet\nadd b32 $r2 $r2 $r0\nmeet: join nop\nadd b32 $r3 $r2 $r2\nexit nop",
		"gcn:gfx7":  "v_mov_b32 v3, 0\nv_mov_b32 v2, 0\nflat_load_dword v4, v[2:3]\ns_endpgm",
	} {
		c := newCounted(t, set, text)
		s, to := c.begin(t)
		if s.StartCounting() || !s.Counting() {
			t.Error("a session at the beginning runs again to count, or does not count")
		}
		c.afterEnd(t)
		s.Continue()
		last, what := len(c.list), "at the end"
		if h := <-to.at; h != nil {
			last, what = last-1, "at the fault" // the instruction has not run
		}
		c.check(t, s, what, last)
		for n := last - 1; n >= 0; n -= 3 {
			s.BackTo(uint64(n))
			<-to.at
			c.check(t, s, "back", n)
		}
		s.Quit()
		for n := 1; n <= last; n++ {
			s, to := c.begin(t)
			s.resume(order{kind: toTarget, target: uint64(n)})
			<-to.at
			if !s.StartCounting() {
				t.Errorf("%s: counting before instruction %d does not run again", set, n)
			}
			<-to.at
			c.check(t, s, "asked for", n)
			s.Quit()
		}
	}
}
