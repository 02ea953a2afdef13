package exectest

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// hearing records probes, and the size of batches.
type hearing struct {
	all   []string
	calls int
	where exec.Where
}

func (h *hearing) Observe(e exec.Event) {
	if e.Kind != exec.Probed {
		return
	}
	h.calls++
	h.where = e.Where
	for _, p := range e.Probes {
		h.all = append(h.all, fmt.Sprintf("%d at %#x lanes %#x: %x", p.Kind, p.PC, p.Lanes, p.Values))
	}
}

// probeText runs s[0] times through a loop with three probes.
const probeText = `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %y = get.i32 s[1]
  %m = get.i1 p[0]
  probe 7, %x, %y, %m
mark 0x104 size 4
  %p = get.i1 p[1]
  %e = get.i1 exec
  probe 8, %p, %e
  probe 9, %p
mark 0x108 size 4
  %n = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  %zero = const.i32 0
  %more = ne.i32 %n1, %zero
  set.i32 s[0], %n1
  branch %more, 0x100, 0x10c
block 0x10c
mark 0x10c size 4
  end
`

// testProbes: the observer receives every probe with a lane, in order, in batches, and all of them before Run
// returns. Probes change nothing, with and without observer, and are not counted.
func testProbes(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, probeText))
	rnd := rand.New(rand.NewPCG(21, 21))
	for round := range 100 {
		st, _ := exec.NewState(m, m.Widths[round%len(m.Widths)])
		fill(st, rnd)
		st.Start(entry, st.Full)
		ms := masks(st, rnd)
		st.Exec, st.M[0], st.M[1] = ms[rnd.IntN(6)], ms[rnd.IntN(6)], ms[rnd.IntN(6)]
		turns := 1 + 300*(round%2)
		st.Set(cellOf(fileS, 0), 0, uint32(turns))
		var want []string
		say := func(kind int, pc, lanes uint64, values ...func(lane int) uint32) {
			var vs []uint64
			for lane := range st.Lanes {
				for _, v := range values {
					if lanes>>lane&1 != 0 {
						vs = append(vs, uint64(v(lane)))
					}
				}
			}
			if lanes != 0 {
				want = append(want, fmt.Sprintf("%d at %#x lanes %#x: %x", kind, pc, lanes, vs))
			}
		}
		for range turns {
			say(7, 0x100, st.M[0], func(lane int) uint32 { return st.Get(cellOf(fileV, 0), lane) }, func(int) uint32 { return st.Get(cellOf(fileS, 1), 0) })
			say(8, 0x104, st.Exec, func(lane int) uint32 { return uint32(st.M[1] >> lane & 1) })
			say(9, 0x104, st.M[1])
		}
		silent := st.Snapshot()
		h := &hearing{}
		env := &exec.Env{Probes: &exec.ProbeLog{Observer: h}, Where: exec.Where{Wave: 5}}
		quiet := &exec.Env{Where: exec.Where{Wave: 5}}
		if stop := r.Run(st, env, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
			t.Fatalf("stop %v %v", stop.Reason, stop.Fault)
		}
		if n := len(want) / turns; strings.Join(h.all, "\n") != strings.Join(want[:n], "\n") {
			t.Fatalf("after one block heard %q, want %q", h.all, want[:n])
		}
		r.Run(st, env, exec.Budget{Steps: 1e6})
		r.Run(silent, quiet, exec.Budget{Steps: 1e6})
		if strings.Join(h.all, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%d turns, mask %#x: heard %d records, want %d", turns, st.M[0], len(h.all), len(want))
		}
		if d := silent.Diff(st, 3); d != nil || env.Count != quiet.Count {
			t.Fatalf("probes change something: %q", d)
		}
		if len(want) > 0 && (h.where != env.Where || h.calls > 2+len(want)/8) {
			t.Fatalf("%d calls for %d records, from %+v", h.calls, len(want), h.where)
		}
	}
}

// testTallies: a tally op adds to the counter, whatever the masks are, once each time that it runs. The counters are
// those of the state; without them nothing is counted.
func testTallies(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	m.Tallies = 3
	p := Parse(m, tallyText)
	r := e.NewRunner(p)
	for n := range uint32(400) {
		st, _ := exec.NewState(m, m.Widths[int(n)%len(m.Widths)])
		st.Start(entry, st.Full)
		st.Exec = uint64(n) * 0x9e37_79b9_7f4a_7c15 & st.Full
		st.Set(cellOf(fileS, 0), 0, n+1)
		counted := n%3 != 0
		if counted {
			st.Tallies = []uint64{5, 0, ^uint64(0)}
		}
		env, lanes, turns := &exec.Env{}, uint64(bits.OnesCount64(st.Exec)), uint64(n+1)
		for stop := (exec.Stop{Reason: exec.StopBudget}); stop.Reason == exec.StopBudget; {
			stop = r.Run(st, env, exec.Budget{Steps: 1 + 1000*uint64(n%2), Exact: n%5 == 0, Counted: true})
		}
		want := []uint64{5 + turns, turns * lanes, turns*(turns-1)/2 - 1}
		if counted && !slices.Equal(st.Tallies, want) {
			t.Fatalf("%d turns of %d lanes: counted %d, want %d", turns, lanes, st.Tallies, want)
		}
		if env.Count.Instructions != 3*turns+1 || env.Count.Ops != 6*turns+1 {
			t.Fatalf("%d turns: %+v", turns, env.Count)
		}
	}
}

// tallyText runs s[0] times through a loop that counts its turns, the active lanes, and what is left of s[0].
const tallyText = `
block 0x100
mark 0x100 size 4
  %one = const.i64 1
  tally 0, %one
  %e = get.i1 exec
  %b = ballot %e, %e
  %k = popcount.i64 %b
  tally 1, %k
mark 0x104 size 4
  %n = get.i32 s[0]
  %i = const.i32 1
  %n1 = isub.i32 %n, %i
  %wide = zext.i64 %n1
  tally 2, %wide
  set.i32 s[0], %n1
mark 0x108 size 4
  %m = get.i32 s[0]
  %zero = const.i32 0
  %more = ne.i32 %m, %zero
  branch %more, 0x100, 0x10c
block 0x10c
mark 0x10c size 4
  end
`
