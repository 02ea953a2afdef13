package launch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// pairs: three waves of 16 lanes. Waves 0 and 1 exchange a word over barrier 2, which is for 32 lanes, while wave 2
// polls for what wave 0 writes after it; then all wait at barrier 1.
const pairs = `
block 0x100
mark 0x100 size 4
  %w = get.i32 s[1]
  %two = const.i32 2
  %c = eq.i32 %w, %two
  branch %c, 0x200, 0x104
block 0x104
mark 0x104 size 4
  %w = get.i32 s[1]
  %four = const.i32 4
  %at = imul.i32 %w, %four
  %n = const.i32 100
  %v = iadd.i32 %w, %n
  store.i32 group[4] %at, %v
mark 0x108 size 4
  %l = const.i32 32
  barrier %l, 0x10c, 2
block 0x10c
mark 0x10c size 4
  %w = get.i32 s[1]
  %one = const.i32 1
  %o = xor.i32 %w, %one
  %four = const.i32 4
  %at = imul.i32 %o, %four
  %v = load.i32 group[4] %at
  set.i32 s[2], %v
mark 0x110 size 4
  %w1 = get.i32 s[1]
  %v1 = get.i32 s[2]
  %four1 = const.i32 4
  %eight = const.i32 8
  %at0 = imul.i32 %w1, %four1
  %at1 = iadd.i32 %at0, %eight
  store.i32 group[4] %at1, %v1
  jump 0x300
block 0x200
mark 0x200 size 4
  %at = const.i32 8
  %v = load.i32 group[4 volatile] %at
  %want = const.i32 101
  set.i32 s[2], %v
  %c = eq.i32 %v, %want
  branch %c, 0x300, 0x200
block 0x300
mark 0x300 size 4
  barrier 0x304, 1
block 0x304
mark 0x304 size 4` + address + `
  %v = get.i32 s[2]
  %e = get.i1 exec
  store.i32 global[4] %at, %v, %e
mark 0x308 size 4
  end
`

// TestBarrierForSome: a barrier for fewer lanes than the group has is complete when they have arrived, while another
// wave of the group runs and waits for what follows.
func TestBarrierForSome(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		l, out := newLaunch(pairs, 4, 4*40*4)
		l.Workers = workers
		res, err := l.Run(context.Background())
		if err != nil || res.Barriers != 4*5 {
			t.Fatalf("%v, %+v", err, res)
		}
		for i := range 4 * 40 {
			want := []uint64{101, 100, 101}[i%40/16]
			if got := mem.Load(out[4*i : 4*i+4]); got != want {
				t.Errorf("item %d has %d, want %d", i, got, want)
			}
		}
	}
}

// TestBarriersApart: waves that wait at barriers where no other wave will arrive are a fault that says so, not the end
// of the group.
func TestBarriersApart(t *testing.T) {
	const text = `
block 0x100
mark 0x100 size 4
  %w = get.i32 s[1]
  %one = const.i32 1
  %c = eq.i32 %w, %one
  branch %c, 0x200, 0x300
block 0x200
mark 0x200 size 4
  %n = const.i32 LANES
  barrier %n, 0x400, 2
block 0x300
mark 0x300 size 4
  barrier 0x400, 1
block 0x400
mark 0x400 size 4
  end
`
	for lanes, want := range map[int]string{
		17: "wave 0: waits before this instruction at barrier 1 for all waves, wave 1 at barrier 2: no other wave can arrive",
		16: "",
	} {
		l, _ := newLaunch(strings.Replace(text, "LANES", fmt.Sprint(lanes), 1), 1, 4)
		_, err := l.Run(context.Background())
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.HasSuffix(got, want) {
			t.Errorf("for %d lanes: %v, want %q", lanes, err, want)
		}
	}
	l, _ := newLaunch(strings.Replace(text, "LANES", "20", 1), 1, 4)
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	slot := s.NewSlot()
	if err := slot.Begin(0); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		i, _ := slot.Next()
		slot.Turn(i, exec.Budget{})
	}
	x := slot.Snapshot()
	for range 2 {
		stop := slot.Turn(1, exec.Budget{})
		if want := "wave 1: waits before this instruction at barrier 2 for waves of 20 lanes, wave 0 at barrier 1, wave 2 at barrier 1: no other wave can arrive"; stop.Reason != exec.StopFault || stop.Fault.Kind != exec.FaultBarrier || !strings.HasSuffix(stop.Fault.Error(), want) {
			t.Errorf("%v %v, want %s", stop.Reason, stop.Fault, want)
		}
		slot.Waves[1].At = exec.Barrier{}
		if err := slot.Restore(x); err != nil {
			t.Fatal(err)
		}
	}
}

// probed counts probe events by wave.
type probed map[exec.Where]int

func (p probed) Observe(e exec.Event) {
	for range e.Probes {
		p[e.Where]++
	}
}

// onlyProbed is probed for an observer that says that it looks at nothing else.
type onlyProbed struct {
	probed
	t *testing.T
}

func (p onlyProbed) OnlyProbes() bool { return true }

func (p onlyProbed) Observe(e exec.Event) {
	if e.State != nil {
		p.t.Errorf("event %v, with a state", e.Kind)
	}
	p.probed.Observe(e)
}

// TestProbes: the observer of a launch gets the probe events of every wave, with the wave that they belong to.
func TestProbes(t *testing.T) {
	for _, e := range engines.Tested() {
		got := probed{}
		testProbes(t, exec.Eager(e.New()), got, got)
		got = probed{}
		testProbes(t, exec.Eager(e.New()), onlyProbed{got, t}, got)
	}
}

func testProbes(t *testing.T, e exec.Engine, o exec.Observer, got probed) {
	l, _ := newLaunch("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n  probe 1, %e\n  jump 0x104\nblock 0x104\nmark 0x104 size 4\n  %x = get.i32 v[0]\n  %e = get.i1 exec\n  probe 2, %x, %e\n  end\n", 5, 4)
	l.Engine, l.Observer, l.Workers = e, o, 1
	l.Env.Probes = &exec.ProbeLog{} // not the launch's
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for g := range uint32(5) {
		for w := range 3 {
			if n := got[exec.Where{Kernel: "k", Group: [3]uint32{g}, Wave: w}]; n != 2 {
				t.Errorf("group %d wave %d: %d records", g, w, n)
			}
		}
	}
	if len(got) != 15 {
		t.Errorf("%d waves", len(got))
	}
}

// arrives: only wave 0 of a group uses barrier 2. It waits there before any arrival, then arrives for more lanes than
// the group has, and goes on.
const arrives = `
block 0x100
mark 0x100 size 4
  %w = get.i32 s[1]
  %zero = const.i32 0
  %c = eq.i32 %w, %zero
  branch %c, 0x104, 0x110
block 0x104
mark 0x104 size 4
  barrier 0x108, 514
block 0x108
mark 0x108 size 4
  %n = const.i32 1000
  barrier %n, 0x10c, 258
block 0x10c
mark 0x10c size 4
  LAST
block 0x110
mark 0x110 size 4
  end
`

// TestArrivalsLeft: arrivals of waves that have gone on count in their group only, and are part of snapshots.
func TestArrivalsLeft(t *testing.T) {
	l, _ := newLaunch(strings.Replace(arrives, "LAST", "jump 0x110", 1), 64, 4)
	if res, err := l.Run(context.Background()); err != nil || res.Barriers != 2*64 {
		t.Errorf("%v, %+v: a wave that waits where nobody has arrived goes on", err, res)
	}
	l, _ = newLaunch(strings.Replace(arrives, "LAST", "barrier 0x110, 514", 1), 1, 4)
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	slot := s.NewSlot()
	last := func(x *launch.Snapshot) exec.Stop {
		if err := slot.Begin(0); err != nil {
			t.Fatal(err)
		}
		if x != nil {
			if err := slot.Restore(x); err != nil {
				t.Fatal(err)
			}
			slot.Turn(0, exec.Budget{})
		}
		for i, ok := slot.Next(); ok; i, ok = slot.Next() {
			if stop := slot.Turn(i, exec.Budget{}); stop.Reason == exec.StopFault {
				return stop
			}
		}
		return exec.Stop{}
	}
	if err := slot.Begin(0); err != nil {
		t.Fatal(err)
	}
	slot.Turn(0, exec.Budget{})
	slot.Turn(0, exec.Budget{})
	x := slot.Snapshot()
	const want = "waits before this instruction at barrier 2 for the waves that are missing there: no other wave can arrive"
	for _, x := range []*launch.Snapshot{nil, x, nil} {
		if stop := last(x); stop.Fault == nil || !strings.HasSuffix(stop.Fault.Error(), want) {
			t.Errorf("%v %v, want %s", stop.Reason, stop.Fault, want)
		}
	}
}
