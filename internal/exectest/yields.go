package exectest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// yieldsText sleeps, runs a loop with an atomic three times, with an inner loop without one that runs twice, then
// runs twice a block that is a loop with an atomic by itself, then jumps times to a computed address, and once more.
const yieldsText = `
block 0x100
mark 0x100 size 4
  %three = const.i32 3
  set.i32 s[0], %three
  jump yield 0x200
block 0x200
mark 0x200 size 4
  %two = const.i32 2
  set.i32 s[1], %two
  jump 0x210
block 0x210
mark 0x210 size 4
  %i = get.i32 s[1]
  %one = const.i32 1
  %j = isub.i32 %i, %one
  set.i32 s[1], %j
mark 0x214 size 4
  %n = get.i32 s[1]
  %zero = const.i32 0
  %again = ne.i32 %n, %zero
  branch %again, 0x210, 0x218
block 0x218
mark 0x218 size 4
  %at = const.i32 0
  %one = const.i32 1
  %e = get.i1 exec
  %old = atomic.i32 global[4 add] %at, %one, %e
  set.i32 v[0], %old, %e
mark 0x21c size 4
  %i = get.i32 s[0]
  %k = const.i32 1
  %j = isub.i32 %i, %k
  set.i32 s[0], %j
mark 0x220 size 4
  %n = get.i32 s[0]
  %zero = const.i32 0
  %again = ne.i32 %n, %zero
  branch %again, 0x200, 0x2e0
block 0x2e0
mark 0x2e0 size 4
  %two = const.i32 2
  set.i32 s[1], %two
  jump 0x2f0
block 0x2f0
mark 0x2f0 size 4
  %at = const.i32 8
  %one = const.i32 1
  %e = get.i1 exec
  %old = atomic.i32 global[4 add] %at, %one, %e
  set.i32 v[1], %old, %e
mark 0x2f4 size 4
  %i = get.i32 s[1]
  %k = const.i32 1
  %j = isub.i32 %i, %k
  set.i32 s[1], %j
mark 0x2f8 size 4
  %n = get.i32 s[1]
  %zero = const.i32 0
  %again = ne.i32 %n, %zero
  branch %again, 0x2f0, 0x300
block 0x300
mark 0x300 size 4
  %lo = const.i32 0x400
  %hi = const.i32 0
  %times = const.i32 100
  set.i32 s[1], %times
  set.i32 s[2], %lo
  set.i32 s[3], %hi
mark 0x304 size 4
  %a = get.i32 s[2]
  %b = get.i32 s[3]
  %at = pack.i64 %a, %b
  jumpx %at
block 0x400
mark 0x400 size 4
  %i = get.i32 s[1]
  %one = const.i32 1
  %j = isub.i32 %i, %one
  set.i32 s[1], %j
  %zero = const.i32 0
  %again = ne.i32 %j, %zero
  %here = const.i32 0x400
  %out = const.i32 0x500
  %lo = select.i32 %again, %here, %out
  set.i32 s[2], %lo
mark 0x404 size 4
  %a = get.i32 s[2]
  %b = get.i32 s[3]
  %at = pack.i64 %a, %b
  jumpx %at
block 0x500
mark 0x500 size 4
  end
`

// A stopped is where and why a wave stops, and after how many marks.
type stopped struct {
	reason exec.StopReason
	pc     uint64
	clock  uint64
}

// round is the number of marks of one iteration of the outer loop: its head, the inner loop twice, the atomic's
// block.
const round = 1 + 2*2 + 3

// jumps is the number of marks up to the first computed jump to 0x400, times how often it is reached, and far the marks
// of each visit.
const (
	jumps = 1 + 3*round + 1 + 2*3 + 2
	times = 100
	far   = 2
)

// yieldStops are the stops of yieldsText that do not depend on budgets.
var yieldStops = []stopped{
	{exec.StopYield, 0x200, 1},
	{exec.StopYield, 0x200, 1 + round},
	{exec.StopYield, 0x200, 1 + 2*round},
	{exec.StopYield, 0x2f0, 1 + 3*round + 1 + 3},
	{exec.StopYield, 0x400, jumps + far*(exec.YieldEvery-1)},
	{exec.StopEnd, 0x500, jumps + far*times + 1},
}

// testYields: a wave yields at the same places under every budget, and only there; without Budget.Yields it ends
// the same.
func testYields(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	p := Parse(m, yieldsText)
	const lanes = 4
	for _, b := range []exec.Budget{
		{Steps: 1e6, Yields: true}, {Steps: 1, Yields: true}, {Steps: 5, Yields: true}, {Steps: 1, Exact: true, Yields: true},
		{Steps: 3, Exact: true, Yields: true}, {Steps: 1e6, Counted: true, Yields: true}, {Steps: 1e6}, {Steps: 2, Exact: true},
	} {
		st, _ := exec.NewState(m, lanes)
		st.Start(entry, st.Full)
		global, data := space("global", 0, 64, rand.New(rand.NewPCG(4, 4)))
		clear(data)
		env := envOf(global)
		var got []stopped
		for r := e.NewRunner(p); len(got) == 0 || got[len(got)-1].reason != exec.StopEnd; {
			stop := r.Run(st, env, b)
			if stop.Fault != nil {
				t.Fatal(stop.Fault)
			}
			if stop.Reason != exec.StopBudget {
				got = append(got, stopped{stop.Reason, st.At.Key.PC, st.Clock})
			}
			if stop.Reason == exec.StopYield && st.At.Mark != 0 {
				t.Errorf("%+v: yields at mark %d", b, st.At.Mark)
			}
		}
		want := yieldStops
		if !b.Yields {
			want = want[len(want)-1:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: stops %v, want %v", b, got, want)
		}
		if n := int(data[0]); n != 3*lanes || st.Get(cellOf(fileV, 0), lanes-1) != 3*lanes-1 {
			t.Errorf("%+v: the atomic counts to %d, want %d", b, n, 3*lanes)
		}
		if n := int(data[8]); n != 2*lanes || st.Get(cellOf(fileV, 1), lanes-1) != 2*lanes-1 {
			t.Errorf("%+v: the second atomic counts to %d, want %d", b, n, 2*lanes)
		}
		if (b.Counted || b.Exact) && (env.Count.About || env.Count.Instructions != st.Clock) {
			t.Errorf("%+v: %+v after %d marks", b, env.Count, st.Clock)
		}
	}
}
