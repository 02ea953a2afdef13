package launch_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// rounds: in each of three rounds the waves of a group draw numbers from one word of group memory, keep the sum of
// theirs in memory of one wave, and wait for each other. The sums go to the output.
const rounds = `
block 0x100
mark 0x100 size 4
  %three = const.i32 3
  set.i32 s[2], %three
  jump 0x104
block 0x104
mark 0x104 size 4
  %zero = const.i32 0
  %one = const.i32 1
  %e = get.i1 exec
  %n = atomic.i32 group[4 add] %zero, %one, %e
  set.i32 v[1], %n, %e
mark 0x108 size 4
  %at8 = const.i32 0
  %e8 = get.i1 exec
  %old8 = load.i32 private[4] %at8, %e8
  set.i32 v[2], %old8, %e8
mark 0x10c size 4
  %oldc = get.i32 v[2]
  %nc = get.i32 v[1]
  %sum = iadd.i32 %oldc, %nc
  %atc = const.i32 0
  %ec = get.i1 exec
  store.i32 private[4] %atc, %sum, %ec
  set.i32 v[2], %sum, %ec
mark 0x110 size 4
  barrier 0x114
block 0x114
mark 0x114 size 4
  %i = get.i32 s[2]
  %k = const.i32 1
  %j = isub.i32 %i, %k
  set.i32 s[2], %j
mark 0x118 size 4
  %left = get.i32 s[2]
  %none = const.i32 0
  %again = ne.i32 %left, %none
  branch %again, 0x104, 0x11c
block 0x11c
mark 0x11c size 4` + address + `
  %sum = get.i32 v[2]
  %e = get.i1 exec
  store.i32 global[4] %at, %sum, %e
mark 0x120 size 4
  end
`

// newRounds returns a launch of rounds over three groups, and its expected output: work-item x draws x, 40+x and 80+x.
func newRounds() (l *launch.Launch, out, want []byte) {
	l, out = newLaunch(rounds, 3, 3*40*4)
	l.Private = mem.Extent{Name: "private", Size: 16, Rights: mem.ReadWrite}
	l.Workers = 1
	want = make([]byte, len(out))
	for i := range len(out) / 4 {
		mem.Store(want[4*i:4*i+4], uint64(3*(i%40)+40+80))
	}
	return l, out, want
}

// byHand runs the launch group by group, with turns of the given budget.
func byHand(t *testing.T, l *launch.Launch, b exec.Budget, each func(*launch.Slot)) (c exec.Counters) {
	t.Helper()
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	slot := s.NewSlot()
	for i := range s.Groups() {
		if err := slot.Begin(i); err != nil {
			t.Fatal(err)
		}
		for wave, ok := slot.Next(); ok; wave, ok = slot.Next() {
			if stop := slot.Turn(wave, b); stop.Fault != nil {
				t.Fatal(stop.Fault)
			}
			each(slot)
		}
		n := slot.Count()
		c.Add(&n)
		slot.End()
	}
	s.End()
	return c
}

// TestSteps: a launch in single steps, or in any other pieces, leaves the same bytes and counters as one that runs
// through, and its observer gets the same events.
func TestSteps(t *testing.T) {
	l, out, want := newRounds()
	o := &log{}
	l.Observer = o
	res, err := l.Run(context.Background())
	if err != nil || !bytes.Equal(out, want) {
		t.Fatalf("%v; the bytes are right: %v", err, bytes.Equal(out, want))
	}
	for _, b := range []exec.Budget{{}, {Steps: 1, Exact: true}, {Steps: 3, Exact: true}, {Steps: 1}, {Steps: 1 << 20}} {
		l, out, _ := newRounds()
		p := &log{}
		l.Observer = p
		turns, marks := 0, uint64(0)
		c := byHand(t, l, b, func(s *launch.Slot) {
			n := s.Count()
			if turns++; b.Exact && n.Instructions > marks+b.Steps {
				t.Fatalf("%+v: %d marks after %d", b, n.Instructions, marks)
			}
			marks = n.Instructions
		})
		if !bytes.Equal(out, want) || c != res.Counters {
			t.Errorf("%+v: the bytes are right: %v; %+v, want %+v", b, bytes.Equal(out, want), c, res.Counters)
		}
		if b.Steps == 1 && b.Exact && uint64(turns) != res.Instructions {
			t.Errorf("%d turns of a mark, %d marks", turns, res.Instructions)
		}
		if got, want := strings.Join(p.events, "\n"), strings.Join(o.events, "\n"); got != want {
			t.Errorf("%+v: events\n%s\nwant\n%s", b, got, want)
		}
	}
}

// TestSnapshots: a group that is stopped anywhere, run to its end, restored and run again ends in the same state both
// times.
func TestSnapshots(t *testing.T) {
	plain, _, want := newRounds()
	res, err := plain.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	toEnd := func(s *launch.Slot) {
		for wave, ok := s.Next(); ok; wave, ok = s.Next() {
			if stop := s.Turn(wave, exec.Budget{}); stop.Fault != nil {
				t.Fatal(stop.Fault)
			}
		}
	}
	taken := 0
	for at := uint64(0); at < res.Instructions/3; at += 3 {
		l, out, _ := newRounds()
		c := byHand(t, l, exec.Budget{Steps: 1, Exact: true}, func(s *launch.Slot) {
			if s.Count().Instructions != at {
				return
			}
			taken++
			x, before := s.Snapshot(), bytes.Clone(out)
			for range 2 {
				toEnd(s)
				clear(out[160*s.Group.Index:][:160])
				if err := s.Restore(x); err != nil {
					t.Fatal(err)
				}
				copy(out, before)
			}
		})
		if !bytes.Equal(out, want) || c != res.Counters {
			t.Fatalf("stopped after %d: the bytes are right: %v; %+v, want %+v", at, bytes.Equal(out, want), c, res.Counters)
		}
	}
	if taken < 40 {
		t.Errorf("%d snapshots", taken)
	}
}

// TestSlots: which calls a slot rejects, and what it does with waves that cannot run.
func TestSlots(t *testing.T) {
	l, _, _ := newRounds()
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.NewSlot(), s.NewSlot()
	if err := a.Begin(3); err == nil || err.Error() != "launch: group 3 of 3" {
		t.Errorf("group 3: %v", err)
	}
	for i, slot := range []*launch.Slot{a, b} {
		if err := slot.Begin(uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Restore(a.Snapshot()); err == nil || err.Error() != "launch: a snapshot of group 0 with 3 waves; group 1 with 3 is in the slot" {
		t.Errorf("a snapshot of another group: %v", err)
	}
	if a.Release() {
		t.Error("a barrier is over that nobody waits at")
	}
	for range 2 { // the second time it waits
		if stop := a.Turn(1, exec.Budget{}); stop.Reason != exec.StopBarrier || !a.Waves[1].Waiting {
			t.Errorf("stop %v", stop.Reason)
		}
	}
	if c := a.Count(); c.Barriers != 1 || a.Release() {
		t.Errorf("%d at the barrier, and it is over", c.Barriers)
	}
	if wave, ok := a.Next(); wave != 2 || !ok {
		t.Errorf("it is the turn of %d", wave)
	}
	for _, i := range []int{2, 0} {
		a.Turn(i, exec.Budget{})
	}
	if !a.Release() || a.Waves[1].Waiting {
		t.Error("the barrier is not over")
	}
	if got, want := a.Waves[1].Env.Where, (exec.Where{Kernel: "k", Wave: 1}); got != want {
		t.Errorf("wave 1 is %+v", got)
	}
}

// TestBarriersOfFew: barriers do not wait for waves that have ended, whether they end before others arrive or after.
func TestBarriersOfFew(t *testing.T) {
	for last := range 3 {
		l, out := newLaunch(strings.Replace(`
block 0x100
mark 0x100 size 4
  %w = get.i32 s[1]
  %k = const.i32 LAST
  %c = eq.i32 %w, %k
  branch %c, 0x200, 0x104
block 0x104
mark 0x104 size 4
  end
block 0x200
mark 0x200 size 4
  barrier 0x204
block 0x204
mark 0x204 size 4
  barrier 0x208
block 0x208
mark 0x208 size 4`+address+`
  %e = get.i1 exec
  store.i32 global[4] %at, %x, %e
mark 0x20c size 4
  end
`, "LAST", fmt.Sprint(last), 1), 1, 40*4)
		res, err := l.Run(context.Background())
		if err != nil || res.Barriers != 2 {
			t.Fatalf("%v, %+v", err, res)
		}
		for i := range 40 {
			want := uint64(0)
			if i/16 == last {
				want = uint64(i)
			}
			if got := mem.Load(out[4*i : 4*i+4]); got != want {
				t.Errorf("wave %d alone: item %d left %d", last, i, got)
			}
		}
	}
}

// uncounted is an engine that does not count exactly unless it is asked to.
type uncounted struct{ exec.Engine }

func (e uncounted) NewRunner(p *exec.Program) exec.Runner {
	return uncountedRunner{e.Engine.NewRunner(p)}
}

type uncountedRunner struct{ exec.Runner }

func (r uncountedRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	stop := r.Runner.Run(st, env, b)
	if !b.Counted {
		env.Count.Instructions += 5
		env.Count.About = true
	}
	return stop
}

// TestCounted: approximate counters are reported as such, and exact ones are available on request.
func TestCounted(t *testing.T) {
	l, _, _ := newRounds()
	exact, err := l.Run(context.Background())
	if err != nil || exact.About {
		t.Fatal(exact, err)
	}
	for _, counted := range []bool{false, true} {
		l, _, _ := newRounds()
		l.Engine, l.Counted = uncounted{l.Engine}, counted
		res, err := l.Run(context.Background())
		if err != nil || res.About == counted || (res.Counters == exact.Counters) != counted {
			t.Errorf("counted %t: %+v, %v", counted, res, err)
		}
	}
	p := exectest.Parse(machine, "block 0x100\nmark 0x100 size 4\n  end\n")
	st, err := exec.NewState(machine, 4)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, 1)
	env := &exec.Env{}
	if err := launch.RunWave(context.Background(), uncounted{l.Engine}, p, st, env, exec.Limits{}); err != nil || env.Count.About || env.Count.Instructions != 1 {
		t.Errorf("a wave by itself: %v, %+v", err, env.Count)
	}
}

// TestTurnAfterBarrier: after a barrier waves take turns by number again, whichever arrived last.
func TestTurnAfterBarrier(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}} {
		l, _, _ := newRounds()
		s, err := l.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slot := s.NewSlot()
		if err := slot.Begin(0); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			for _, wave := range order {
				stop := slot.Turn(wave, exec.Budget{})
				for stop.Reason == exec.StopYield {
					stop = slot.Turn(wave, exec.Budget{})
				}
				if stop.Reason != exec.StopBarrier {
					t.Fatalf("%v, round %d: wave %d stops with %v", order, round, wave, stop.Reason)
				}
			}
			if wave, ok := slot.Next(); wave != 0 || !ok {
				t.Errorf("%v, round %d: it is the turn of wave %d, %t", order, round, wave, ok)
			}
		}
		slot.End()
		s.End()
	}
}
