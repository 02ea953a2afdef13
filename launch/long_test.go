package launch_test

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// long: wave w executes a loop of two instructions 20000, 10000 or 0 more times, each wave more or less than a Quantum.
// Then each work-item draws a number, writes a word for another one, waits at a barrier, and reads the word written for
// it.
const long = `
block 0x100
mark 0x100 size 4
  %w = get.i32 s[1]
  %two = const.i32 2
  %left = isub.i32 %two, %w
  %k = const.i32 10000
  %n = imul.i32 %left, %k
  %one = const.i32 1
  %rounds = iadd.i32 %n, %one
  set.i32 s[2], %rounds
  jump 0x104
block 0x104
mark 0x104 size 4
  %i = get.i32 s[2]
  %k = const.i32 1
  %j = isub.i32 %i, %k
  set.i32 s[2], %j
mark 0x108 size 4
  %left = get.i32 s[2]
  %none = const.i32 0
  %again = ne.i32 %left, %none
  branch %again, 0x104, 0x10c
block 0x10c
mark 0x10c size 4
  %zero = const.i32 0
  %one = const.i32 1
  %e = get.i1 exec
  %n = atomic.i32 group[4 add] %zero, %one, %e
  set.i32 v[1], %n, %e
mark 0x110 size 4
  %x = get.i32 v[0]
  %four = const.i32 4
  %off = imul.i32 %x, %four
  %base = const.i32 64
  %at = iadd.i32 %off, %base
  %k = const.i32 1000
  %word = iadd.i32 %x, %k
  %f = get.i1 exec
  store.i32 group[4] %at, %word, %f
mark 0x114 size 4
  barrier 0x118
block 0x118
mark 0x118 size 4
  %x1 = get.i32 v[0]
  %last = const.i32 39
  %y = isub.i32 %last, %x1
  %four1 = const.i32 4
  %off = imul.i32 %y, %four1
  %base = const.i32 64
  %at1 = iadd.i32 %off, %base
  %e1 = get.i1 exec
  %word1 = load.i32 group[4] %at1, %e1
  set.i32 v[2], %word1, %e1
mark 0x11c size 4` + address + `
  %word = get.i32 v[2]
  %drawn = get.i32 v[1]
  %sixteen = const.i32 16
  %high = shl.i32 %drawn, %sixteen
  %v = or.i32 %high, %word
  %e = get.i1 exec
  store.i32 global[4] %at, %v, %e
mark 0x120 size 4
  end
`

// wantLong: a work-item draws its own number, because waves take turns in their order and yield at the barrier only,
// and reads the word of its partner.
func wantLong(t *testing.T, name string, out []byte) {
	t.Helper()
	for i := range len(out) / 4 {
		want := uint64(i%40)<<16 | uint64(1000+39-i%40)
		if got := mem.Load(out[4*i : 4*i+4]); got != want {
			t.Fatalf("%s: item %d has %#x, want %#x", name, i, got, want)
		}
	}
}

// TestLongBarrier: a barrier after more instructions than a Quantum works like any other, whatever the pieces in which
// waves run, and no wave loses its turn because it has run for long.
func TestLongBarrier(t *testing.T) {
	const perGroup = 3*(1+3+3) + 2*(20001+10001+1) // 70 009 instructions, 40 003 of them of wave 0
	for workers := 1; workers <= 2; workers++ {
		l, out := newLaunch(long, 2, 2*40*4)
		l.Workers = workers
		res, err := l.Run(context.Background())
		if err != nil || res.Barriers != 6 || res.Instructions != 2*perGroup {
			t.Fatalf("%v, %+v, want %d instructions", err, res, 2*perGroup)
		}
		wantLong(t, "run", out)
	}
	for name, b := range map[string]exec.Budget{"no budget": {}, "a quantum": {Steps: exec.Quantum}, "more": {Steps: 3 * exec.Quantum}, "pieces": {Steps: 777, Exact: true}} {
		l, out := newLaunch(long, 2, 2*40*4)
		s, err := l.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slot := s.NewSlot()
		for i := range s.Groups() {
			if err := slot.Begin(i); err != nil {
				t.Fatal(err)
			}
			turns(t, name, slot, b)
			slot.End()
		}
		s.End()
		wantLong(t, name, out)
	}
}

// turns runs a group to its end. A turn of wave i ends at its barrier or its end, in the order of waves; without a
// budget, or with one that is more than it needs, in one piece.
func turns(t *testing.T, name string, slot *launch.Slot, b exec.Budget) {
	t.Helper()
	done := 0
	for wave, ok := slot.Next(); ok; wave, ok = slot.Next() {
		if wave != done%3 {
			t.Fatalf("%s: it is the turn of wave %d after %d turns", name, wave, done)
		}
		stop := slot.Turn(wave, b)
		want := exec.StopBarrier
		if done >= 3 {
			want = exec.StopEnd
		}
		switch {
		case stop.Reason == want:
			done++
		case stop.Reason != exec.StopBudget || b.Steps == 0 || b.Steps > 2*exec.Quantum:
			t.Fatalf("%s: wave %d stops with %v %v", name, wave, stop.Reason, stop.Fault)
		}
	}
	if done != 6 {
		t.Errorf("%s: %d turns", name, done)
	}
}

// TestLongWave: a single wave runs through a barrier and beyond a Quantum.
func TestLongWave(t *testing.T) {
	l, _ := newLaunch(long, 1, 40*4)
	st, err := exec.NewState(machine, 16)
	if err != nil {
		t.Fatal(err)
	}
	seg := mem.NewSegment("group", 0, 256, mem.ReadWrite)
	group, err := mem.NewSpace("group", seg)
	if err != nil {
		t.Fatal(err)
	}
	env := l.Env
	env.Spaces[ir.GroupSpace] = []*mem.Space{group}
	st.Start(0x100, 1)
	p := exectest.Parse(machine, long)
	if err := launch.RunWave(context.Background(), ref.New(), p, st, &env, exec.Limits{}); err != nil || env.Count.Barriers != 1 || env.Count.Instructions != 40003+6 {
		t.Errorf("%v, %+v", err, env.Count)
	}
}
