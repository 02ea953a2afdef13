package exectest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// crewText runs a loop s[0] times, loads v[1] from its address, stores s[1] there, and waits; then it does so
// again, at a per-lane address in v[2], and ends.
const crewText = `
block 0x100
mark 0x100 size 4
  %n = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  set.i32 s[0], %n1
mark 0x104 size 4
  %m = get.i32 s[0]
  %zero = const.i32 0
  %again = ne.i32 %m, %zero
  branch %again, 0x100, 0x108
block 0x108
mark 0x108 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %r = load.i32 global[4] %a, %e
  set.i32 v[1], %r, %e
mark 0x10c size 4
  %b = get.i32 v[0]
  %f = get.i1 exec
  %id = get.i32 s[1]
  store.i32 global[4] %b, %id, %f
mark 0x110 size 4
  barrier 0x114
block 0x114
mark 0x114 size 4
  %a = get.i32 v[2]
  %e = get.i1 exec
  %r = load.i32 global[4] %a, %e
  set.i32 v[3], %r, %e
mark 0x118 size 4
  %b = get.i32 v[2]
  %f = get.i1 exec
  %id = get.i32 s[1]
  store.i32 global[4] %b, %id, %f
mark 0x11c size 4
  end
`

// A crew is waves that run crewText on one memory.
type crew struct {
	turns []exec.WaveTurn
	data  []byte
}

// newCrew makes waves with random numbers of iterations and active lanes; one of odds accesses unmapped memory
// after the barrier. All access the same memory, or, if a footprint is recorded, a page each.
func newCrew(t *testing.T, m *ir.Machine, n int, seed uint64, odds int) (c crew) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	apart := 0 // distance between the memory of consecutive waves
	if seed%3 == 0 {
		apart = 1 << mem.PageShift
	}
	c.data = mem.Alloc((n-1)*apart + 64*4)
	s, err := mem.NewSpace("global", mem.Segment{Name: "data", Base: 0x1000, Data: c.data, Rights: mem.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	spaces := exec.Spaces{ir.GlobalSpace: {s}}
	var foot *mem.Footprint
	if apart > 0 { // marks are not allocated at first, so code continues in the middle of a block
		foot = mem.NewFootprints(false, s).New()
	}
	for i := range n {
		st, err := exec.RecycledState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(entry, []uint64{st.Full, st.Full, 0xffff_0000_0f0f_0001}[rnd.IntN(3)])
		st.Set(cellOf(fileS, 0), 0, uint32(1+rnd.IntN(4)))
		st.Set(cellOf(fileS, 1), 0, uint32(100+i))
		st.SetMask(cellOf(fileP, 0), [...]uint64{0, 0, 0xff, st.Full}[rnd.IntN(4)])
		bad := rnd.IntN(odds) == 0
		for lane := range 64 {
			at := uint32(0x1000 + i*apart + 4*lane)
			st.Set(cellOf(fileV, 0), lane, at)
			if bad {
				at = uint32(0x1000 + (n-1)*apart + 4 + 4*lane)
			}
			st.Set(cellOf(fileV, 2), lane, at)
		}
		c.turns = append(c.turns, exec.WaveTurn{State: st, Env: &exec.Env{Where: exec.Where{Wave: i}, Spaces: spaces, Footprint: foot}})
	}
	return c
}

// testCrew: waves that run together have the same states, counters, memory and stops as waves that run one by one;
// the first that does not pass the turn on is the last that has run.
func testCrew(t *testing.T, e exec.Engine) {
	for _, c := range []ir.Control{ir.MaskData, ir.MaskStack, ir.LowestPC} {
		t.Run(c.String(), func(t *testing.T) { testCrewOf(t, e, c) })
	}
}

// crewCode is crewText; under policies that allow it some lanes retire early.
func crewCode(c ir.Control) string {
	if c == ir.MaskData {
		return crewText
	}
	return strings.Replace(crewText, "  end\n", retireText, 1)
}

const retireText = `  %q = get.i1 p[0]
  retire %q, 0x120
block 0x120
mark 0x120 size 4
  %e = get.i1 exec
  retire %e, 0x124
block 0x124
mark 0x124 size 4
  end
`

func testCrewOf(t *testing.T, e exec.Engine, c ir.Control) {
	m := Machine(c)
	p := Parse(m, crewCode(c))
	r, ok := e.NewRunner(p).(exec.GroupRunner)
	if !ok {
		return // it runs them one by one
	}
	single := e.NewRunner(p)
	for seed := range uint64(60) {
		waves := 1 + int(seed%7)
		a, b := newCrew(t, m, waves, seed, 4), newCrew(t, m, waves, seed, 4)
		budget := exec.Budget{Steps: []uint64{1000, 3}[seed/7%2], Yields: true}
		for round := 0; len(a.turns) > 0 && round < 20; round++ {
			n := len(a.turns)
			ran := r.RunAll(a.turns, budget)
			for i := range b.turns[:ran] {
				w := &b.turns[i]
				w.Stop = single.Run(w.State, w.Env, budget)
				if last := i == ran-1; !last && !w.Stop.Passes() || last && w.Stop.Passes() && ran < n {
					t.Errorf("seed %d: %d of %d waves have run, and wave %d stops by %v", seed, ran, n, i, w.Stop.Reason)
				}
			}
			a.same(t, &b, seed)
			a.drop()
			b.drop()
		}
		if len(a.turns) > 0 {
			t.Errorf("seed %d: %d waves have not ended", seed, len(a.turns))
		}
	}
}

// testRuns: runners call State.Runs. The snapshot of a state that another program than its own has run on would else
// lack what that has written.
func testRuns(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	p := Parse(m, crewText)
	r := e.NewRunner(p)
	b := exec.Budget{Steps: 1000, Yields: true}
	ways := map[string]func(c *crew){"Run": func(c *crew) { c.phase(r, b) }}
	if g, ok := r.(exec.GroupRunner); ok {
		ways["RunAll"] = func(c *crew) { g.RunAll(c.turns, b) }
		ways["RunGroups"] = func(c *crew) { g.RunGroups(c.turns, b, func(bool) bool { return false }) }
	}
	for name, run := range ways {
		for round := range 3 { // code may be compiled in the first
			c := newCrew(t, m, 3, 1, 1<<30)
			run(&c)
			for i, w := range c.turns {
				if d := w.State.Snapshot().Diff(w.State, 3); d != nil || w.State.Clock == 0 {
					t.Errorf("%s, round %d, wave %d: after %d marks the snapshot differs: %v", name, round, i, w.State.Clock, d)
				}
			}
		}
	}
}

// same compares two crews that should have done the same.
func (c *crew) same(t *testing.T, want *crew, seed uint64) {
	t.Helper()
	for i := range c.turns {
		x, y := &c.turns[i], &want.turns[i]
		if d := x.State.Diff(y.State, 3); d != nil {
			t.Errorf("seed %d wave %d: %v", seed, x.Env.Wave, d)
		}
		if x.Env.Count != y.Env.Count || x.Stop.Reason != y.Stop.Reason || x.Stop.At != y.Stop.At {
			t.Errorf("seed %d wave %d: stop %+v after %+v, want %+v after %+v", seed, x.Env.Wave, x.Stop, x.Env.Count, y.Stop, y.Env.Count)
		}
	}
	if !slices.Equal(c.data, want.data) {
		t.Errorf("seed %d: memory differs", seed)
	}
}

// drop removes the waves that will not run again.
func (c *crew) drop() {
	c.turns = slices.DeleteFunc(c.turns, func(w exec.WaveTurn) bool { return w.State.Ended() || w.Stop.Reason == exec.StopFault })
}

// testGroups: groups that run one after another in the same states have the same results as waves that run one by
// one, and more is called where all waves have ended or wait. If a group is not continued, at a barrier or after a
// wave that faults, it is left as it is then.
func testGroups(t *testing.T, e exec.Engine) {
	for _, c := range []ir.Control{ir.MaskData, ir.MaskStack, ir.LowestPC} {
		t.Run(c.String(), func(t *testing.T) { testGroupsOf(t, e, c) })
	}
}

func testGroupsOf(t *testing.T, e exec.Engine, c ir.Control) {
	m := Machine(c)
	p := Parse(m, crewCode(c))
	r, ok := e.NewRunner(p).(exec.GroupRunner)
	if !ok {
		return
	}
	single := e.NewRunner(p)
	for seed := range uint64(60) {
		waves, groups, left := 1+int(seed%5), 1, int(seed%11)
		a, b := newCrew(t, m, waves, seed, 16), newCrew(t, m, waves, seed, 16)
		budget := exec.Budget{Steps: []uint64{1000, 24, 3}[seed/7%3], Yields: true}
		asked := false
		n := r.RunGroups(a.turns, budget, func(over bool) bool {
			asked = true
			b.follow(single, budget, &a, waves)
			a.same(t, &b, seed)
			if o, w := exec.Meet(b.turns); o != over || w == over {
				t.Errorf("seed %d group %d: over is %v", seed, groups, over)
			}
			if left--; left < 0 {
				return false
			}
			if asked = false; over {
				next := seed + 60*uint64(groups) // with the same memory
				groups++
				a.become(newCrew(t, m, waves, next, 16))
				b.become(newCrew(t, m, waves, next, 16))
			}
			return true
		})
		if !asked {
			if want := b.follow(single, budget, &a, n); n != want {
				t.Errorf("seed %d group %d: %d waves have run, want %d", seed, groups, n, want)
			}
			for i := n; i < waves; i++ { // the stops of waves that have not run are not reported
				a.turns[i].Stop, b.turns[i].Stop = exec.Stop{}, exec.Stop{}
			}
			a.same(t, &b, seed)
		} else if n != waves {
			t.Errorf("seed %d group %d: %d waves have run of %d", seed, groups, n, waves)
		}
	}
}

// phase runs the waves one by one, up to one that does not pass its turn on. It returns the number that have run.
func (c *crew) phase(r exec.Runner, b exec.Budget) int {
	for i := range c.turns {
		w := &c.turns[i]
		if w.Stop = r.Run(w.State, w.Env, b); !w.Stop.Passes() {
			return i + 1
		}
	}
	return len(c.turns)
}

// follow runs phases up to the state of the other crew, of which n waves have run in the last phase. It returns how
// many run here in that phase.
func (c *crew) follow(r exec.Runner, b exec.Budget, o *crew, n int) (ran int) {
	for range 10 {
		ran = c.phase(r, b)
		there := ran == n && c.turns[n-1].Stop.Reason == o.turns[n-1].Stop.Reason
		for i := range c.turns {
			there = there && c.turns[i].State.Clock >= o.turns[i].State.Clock
		}
		if there {
			break
		}
	}
	return ran
}

// become makes the waves start like those of another crew, on their memory.
func (c *crew) become(o crew) {
	copy(c.data, o.data)
	for i := range c.turns {
		w, x := &c.turns[i], &o.turns[i]
		w.State.Restore(x.State)
		w.Env.Count = exec.Counters{}
	}
}
