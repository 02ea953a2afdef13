package launch_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// calling calls a function, at an address that a register holds, in each group; groups from 32 on call another one.
// Each returns to an address in a register, and then the group's number is stored in its own word.
const calling = `
block 0x100
mark 0x100 size 4
  %zero = const.i32 0
  %back = const.i32 0x200
  %g = get.i32 s[0]
  %k = const.i32 32
  %early = ult.i32 %g, %k
  %first = const.i32 0x300
  %second = const.i32 0x400
  %to = select.i32 %early, %first, %second
  set.i32 s[2], %to
  set.i32 s[3], %zero
  set.i32 s[4], %back
  set.i32 s[5], %zero
mark 0x104 size 4
  %lo = get.i32 s[2]
  %hi = get.i32 s[3]
  %at = pack.i64 %lo, %hi
  jumpx %at
block 0x200
mark 0x200 size 4
  %g = get.i32 s[0]
  %two = const.i32 2
  %one = const.i32 1
  %next = iadd.i32 %g, %one
  %own = shl.i32 %next, %two
  %e = get.i1 exec
  store.i32 global[4] %own, %next, %e
mark 0x204 size 4
  end
block 0x300
mark 0x300 size 4
  %lo = get.i32 s[4]
  %hi = get.i32 s[5]
  %at = pack.i64 %lo, %hi
  jumpx %at
block 0x400
mark 0x400 size 4
  %g = get.i32 s[0]
  %e = get.i1 exec
  %zero = const.i32 0
  %old = atomic.i32 global[4 OPERATION] %zero, %g, %e
mark 0x404 size 4
  %lo = get.i32 s[4]
  %hi = get.i32 s[5]
  %at = pack.i64 %lo, %hi
  jumpx %at
`

const callingGroups = 200

func launchCalling(e exec.Engine, operation string, workers int) (*launch.Launch, []byte) {
	l, data := newLaunch(strings.Replace(calling, "OPERATION", operation, 1), callingGroups, 4*(callingGroups+1))
	l.Engine, l.Workers = e, workers
	return l, data
}

// wantCalled returns what groups leave that run in order, with word 0.
func wantCalled(word0 byte) []byte {
	want := make([]byte, 4*(callingGroups+1))
	for g := range callingGroups {
		want[4*(g+1)] = byte(g + 1)
	}
	want[0] = word0
	return want
}

// TestCalledInParallel: groups that jump to computed addresses run in parallel if their order does not matter to what
// they reach there.
func TestCalledInParallel(t *testing.T) {
	for _, e := range engines.Tested() {
		for _, workers := range []int{1, 4} {
			l, data := launchCalling(exec.Eager(e.New()), "umax", workers)
			res, err := l.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if res.Serial || res.Why != "" || res.Workers != workers || !bytes.Equal(data, wantCalled(callingGroups-1)) {
				t.Errorf("%s, %d workers: %+v, %v", e.Name, workers, res, data[:8])
			}
		}
	}
}

// TestCalledInOrder: groups reach an atomic to which their order matters by a computed address, in the middle of the
// launch. Then they run in order, and leave the same as on one worker. The next launch of the program runs in order at
// once.
func TestCalledInOrder(t *testing.T) {
	if detector.Race {
		t.Skip("groups that meet are a race in guest memory")
	}
	const why = "global atomic swap at pc 0x400 depends on who comes last"
	for _, e := range engines.Tested() {
		for _, workers := range []int{1, 4, 4, 4} {
			l, data := launchCalling(exec.Eager(e.New()), "swap", workers)
			w := &log{}
			l.Observer = w
			for again := range 2 {
				clear(data)
				w.events = nil
				res, err := l.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if !res.Serial || res.Why != why || res.Workers != 1 || res.Groups != callingGroups || !bytes.Equal(data, wantCalled(callingGroups-1)) {
					t.Errorf("%s, %d workers: %+v, %v", e.Name, workers, res, data[:8])
				}
				starts := 1
				if again == 0 && workers > 1 {
					starts = 2
				}
				if n := strings.Count(strings.Join(w.events, "\n"), "launch start"); n != starts {
					t.Errorf("%s, %d workers, launch %d: it begins %d times, want %d", e.Name, workers, again, n, starts)
				}
			}
		}
		l, data := launchCalling(exec.Eager(e.New()), "swap", 4)
		l.Relaxed = true
		if res, err := l.Run(context.Background()); err != nil || res.Serial || res.Why != why || res.Workers != 4 || !bytes.Equal(data[4:], wantCalled(0)[4:]) {
			t.Errorf("%s, relaxed: %+v, %v", e.Name, res, err)
		}
	}
}

// TestReachedFromTheStack: lanes that wait on the stack, at an address that no block names, run when others have ended.
// What they reach counts as well.
func TestReachedFromTheStack(t *testing.T) {
	if detector.Race {
		t.Skip("groups that meet are a race in guest memory")
	}
	text := `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %e = get.i1 exec
  %one = const.i32 1
  %odd = and.i32 %x, %one
  %eight = const.i32 8
  %up = shl.i32 %odd, %eight
  %first = const.i32 0x300
  %lo = iadd.i32 %up, %first
  %zero = const.i32 0
  %at = pack.i64 %lo, %zero
  ctlx diverge %at, %e
block 0x300
mark 0x300 size 4
  %e = get.i1 exec
  retire %e, 0x304
block 0x304
mark 0x304 size 4
  end
block 0x400
mark 0x400 size 4
  %g = get.i32 s[0]
  %e = get.i1 exec
  %zero = const.i32 0
  %old = atomic.i32 global[4 swap] %zero, %g, %e
mark 0x404 size 4
  end
`
	for _, e := range engines.Tested() {
		for _, workers := range []int{1, 4} {
			l, data := newLaunch(strings.Replace(calling, "OPERATION", "umax", 1), callingGroups, 4)
			l.Program, l.Engine, l.Workers = exectest.Parse(exectest.Machine(ir.MaskStack), text), exec.Eager(e.New()), workers
			res, err := l.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if !res.Serial || res.Why != "global atomic swap at pc 0x400 depends on who comes last" || data[0] != callingGroups-1 {
				t.Errorf("%s, %d workers: %+v, %d", e.Name, workers, res, data[0])
			}
		}
	}
}
