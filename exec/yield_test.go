package exec_test

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// waysText has a loop with an atomic whose old value is read (0x200 to 0x210), one without (0x300), and one in a
// function that only a computed jump reaches (0x500), which sets the mode to the value of a register before it
// continues. Block 0x600 loads from one address in a loop.
const waysText = `
block 0x100
mark 0x100 size 4
  %f = get.i1 f[0]
  branch %f, 0x200, 0x300
block 0x200
mark 0x200 size 4
  jump 0x210
block 0x210
mark 0x210 size 4
  %at = const.i32 0
  %e = get.i1 exec
  %f = get.i1 f[0]
  %x = atomic.i32 group[4 add] %at, %at, %e
  set.i32 v[0], %x, %e
  branch %f, 0x200, 0x300
block 0x300
mark 0x300 size 4
  %f = get.i1 f[0]
  branch %f, 0x300, 0x304
block 0x304
mark 0x304 size 4
  jump yield 0x400
block 0x400
mark 0x400 size 4
  %lo = get.i32 s[0]
  %hi = get.i32 s[1]
  %at = pack.i64 %lo, %hi
  jumpx %at
block 0x500
mark 0x500 size 4
  %at = const.i32 0
  %x = load.i32 global[4 volatile] %at
  %f = get.i1 f[0]
  branch %f, 0x500, 0x504
block 0x504
mark 0x504 size 4
  %m = get.i32 s[2]
  set.i32 mode[0], %m
  jump 0x508
block 0x508
mark 0x508 size 4
  end
block 0x600
mark 0x600 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %f = get.i1 f[0]
  %x = load.i32 group[4] %a, %e
  set.i32 v[1], %x, %e
  branch %f, 0x600, 0x508
`

// TestYields: where waves yield depends on the code alone, not on earlier queries.
func TestYields(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	ways := []struct {
		from, to uint64
		want     exec.Yield
	}{
		{0x100, 0x200, exec.YieldsNever}, {0x100, 0x300, exec.YieldsNever}, {0x200, 0x210, exec.YieldsNever},
		{0x210, 0x200, exec.YieldsAlways}, {0x210, 0x300, exec.YieldsNever}, // round the loop, out of it
		{0x300, 0x300, exec.YieldsNever}, {0x300, 0x304, exec.YieldsNever}, // nothing to wait for
		{0x304, 0x400, exec.YieldsAlways},                                    // a sleep
		{0x400, 0x500, exec.YieldsRarely}, {0x400, 0x100, exec.YieldsRarely}, // computed
		{0x500, 0x500, exec.YieldsAlways}, {0x500, 0x504, exec.YieldsNever},
		{0x504, 0x508, exec.YieldsRarely}, // under a computed mode
		{0x600, 0x600, exec.YieldsRarely}, // a loop that polls
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		p := exectest.Parse(m, waysText)
		for _, i := range rnd.Perm(len(ways)) {
			w := &ways[i]
			b, err := p.Block(ir.Key{PC: w.from})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Yields(b, ir.Key{PC: w.to}); got != w.want {
				t.Errorf("from %#x to %#x: %d, want %d", w.from, w.to, got, w.want)
			}
		}
	}
}

// TestYieldsOffTheStack: lanes that a break or return sends to a place that another block names yield there.
func TestYieldsOffTheStack(t *testing.T) {
	p := exectest.Parse(exectest.Machine(ir.MaskStack), `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  ctl break %e
block 0x200
mark 0x200 size 4
  %e = get.i1 exec
  ctl return %e
block 0x300
mark 0x300 size 4
  %e = get.i1 exec
  ctl diverge %e, 0x400
block 0x400
mark 0x400 size 4
  end
`)
	for _, w := range []struct {
		from, to uint64
		want     exec.Yield
	}{
		{0x100, 0x400, exec.YieldsRarely}, {0x100, 0x104, exec.YieldsNever}, {0x200, 0x400, exec.YieldsRarely},
		{0x200, 0x204, exec.YieldsNever}, {0x300, 0x400, exec.YieldsNever}, {0x300, 0x304, exec.YieldsNever},
	} {
		b, err := p.Block(ir.Key{PC: w.from})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Yields(b, ir.Key{PC: w.to}); got != w.want {
			t.Errorf("from %#x to %#x: %d, want %d", w.from, w.to, got, w.want)
		}
	}
}

// TestArrivals: a computed jump is recorded once, and one to where there is no block, which faults, is not: graphs of
// the code with all arrivals as entries stay possible.
func TestArrivals(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, waysText)
	for _, to := range []uint32{0x508, 0x999, 0x508} {
		st, err := exec.NewState(m, 4)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x400, st.Full)
		st.Set(ir.Cell{File: 3}, 0, to)
		stop := ref.New().NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Steps: 2})
		if faulted := stop.Reason == exec.StopFault; faulted != (to == 0x999) {
			t.Errorf("to %#x: %v, %v", to, stop.Reason, stop.Fault)
		}
	}
	list := p.Arrivals()
	if _, err := p.Graph(list...); err != nil || len(list) != 1 || list[0].PC != 0x508 {
		t.Errorf("arrivals %v, their graph: %v", list, err)
	}
}
