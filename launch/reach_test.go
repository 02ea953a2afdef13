package launch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
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

// tallying adds 1 to a word of "bins" for each item, atomically; each group has one of the pages. The first item of
// each of the last groups also draws a ticket at 0x300. Then each group stores its ticket, or its number, in its word.
const tallying = `
block 0x100
mark 0x100 size 4
  %%x = get.i32 v[0]
  %%g = get.i32 s[0]
  %%e = get.i1 exec
  %%one = const.i32 1
  %%two = const.i32 2
  %%twelve = const.i32 12
  %%step = const.i32 37
  %%mask = const.i32 63
  %%bins = const.i32 0x100000
  %%far = imul.i32 %%g, %%step
  %%number = and.i32 %%far, %%mask
  %%page = shl.i32 %%number, %%twelve
  %%word = shl.i32 %%x, %%two
  %%in = iadd.i32 %%bins, %%page
  %%at = iadd.i32 %%in, %%word
  %%old = atomic.i32 global[4 add] %%at, %%one, %%e
  set.i32 v[1], %%g, %%e
mark 0x104 size 4
  %%h = get.i32 s[0]
  %%last = const.i32 %d
  %%early = ult.i32 %%h, %%last
  %%counter = const.i32 %#x
  set.i32 s[2], %%counter
  %%most = const.i32 0x200
  %%some = const.i32 0x300
  %%lo = select.i32 %%early, %%most, %%some
  %%hi = const.i32 0
  %%to = pack.i64 %%lo, %%hi
  jumpx %%to
block 0x200
mark 0x200 size 4
  %%x = get.i32 v[0]
  %%g = get.i32 s[0]
  %%e = get.i1 exec
  %%v = get.i32 v[1]
  %%zero = const.i32 0
  %%one = const.i32 1
  %%two = const.i32 2
  %%is = eq.i32 %%x, %%zero
  %%first = and.i1 %%is, %%e
  %%next = iadd.i32 %%g, %%one
  %%own = shl.i32 %%next, %%two
  store.i32 global[4] %%own, %%v, %%first
mark 0x204 size 4
  end
block 0x300
mark 0x300 size 4
  %%x = get.i32 v[0]
  %%e = get.i1 exec
  %%zero = const.i32 0
  %%one = const.i32 1
  %%is = eq.i32 %%x, %%zero
  %%first = and.i1 %%is, %%e
  %%at = get.i32 s[2]
  %s
mark 0x308 size 4
  jump 0x200
`

// countUp draws a ticket without an atomic.
const countUp = `%old = load.i32 global[4] %at, %first
  set.i32 v[1], %old, %first
mark 0x304 size 4
  %y = get.i32 v[0]
  %f = get.i1 exec
  %none = const.i32 0
  %by = const.i32 1
  %same = eq.i32 %y, %none
  %only = and.i1 %same, %f
  %to = get.i32 s[2]
  %was = get.i32 v[1]
  %next = iadd.i32 %was, %by
  store.i32 global[4] %to, %next, %only`

// wordsOf returns the words of memory.
func wordsOf(data []byte) (ws []uint32) {
	for ; len(data) > 0; data = data[4:] {
		ws = append(ws, binary.LittleEndian.Uint32(data))
	}
	return ws
}

// TestRestored: a launch that restarts begins on its initial memory, also where groups have only had atomics, which are
// not recorded for long. Otherwise what they have added would count twice.
func TestRestored(t *testing.T) {
	const groups, last, pages, base, start = 200, 150, 64, 0x100000, 1000
	for _, c := range []struct {
		name, draw, why string
		at              uint32 // where tickets are counted
		races           bool
	}{
		{"an ordered atomic", "%old = atomic.i32 global[4 add] %at, %one, %first\n  set.i32 v[1], %old, %first", "global atomic add at pc 0x300 gives its old value", 0, false},
		{"a conflict elsewhere", countUp, ` of "out", where another `, 0, true},
		{"a conflict among the atomics", countUp, ` of "bins", where another `, base + 4092, true},
	} {
		for _, e := range engines.Tested() {
			for _, workers := range workersOf(c.races) {
				l, out := newLaunch(fmt.Sprintf(tallying, last, c.at, c.draw), groups, 4*(groups+1))
				bins := mem.NewSegment("bins", base, pages*4096, mem.ReadWrite)
				if err := l.Env.Space(ir.GlobalSpace, 0).Add(bins); err != nil {
					t.Fatal(err)
				}
				wantOut, wantBins := make([]uint32, groups+1), make([]uint32, pages*1024)
				for i := range wantBins {
					wantBins[i] = start
					binary.LittleEndian.PutUint32(bins.Data[4*i:], start)
				}
				binary.LittleEndian.PutUint32(out, start)
				wantOut[0] = start
				for g := range uint32(groups) {
					for x := range uint32(40) {
						wantBins[g*37%pages*1024+x]++
					}
					if wantOut[g+1] = g; g >= last {
						wantOut[g+1] = start + g - last
					}
				}
				if c.at == 0 {
					wantOut[0] += groups - last
				} else {
					wantBins[(c.at-base)/4] += groups - last
				}
				l.Workers, l.Engine = workers, exec.Eager(e.New())
				res, err := l.Run(context.Background())
				if err != nil || workers > 1 && (!res.Serial || !strings.Contains(res.Why, c.why)) || res.Groups != groups {
					t.Errorf("%s, %s, %d workers: %+v, %v", c.name, e.Name, workers, res, err)
				}
				if !slices.Equal(wordsOf(out), wantOut) {
					t.Errorf("%s, %s, %d workers: the words of groups are %v", c.name, e.Name, workers, wordsOf(out))
				}
				for i, got := range wordsOf(bins.Data) {
					if got != wantBins[i] {
						t.Errorf("%s, %s, %d workers: word %d of page %d is %d, want %d", c.name, e.Name, workers, i%1024, i/1024, got, wantBins[i])
						break
					}
				}
			}
		}
	}
}
