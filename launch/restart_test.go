package launch_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// alike is ids as a Restartable target.
type alike struct{ ids }

func (alike) Restart(g *launch.Group, wave int, st *exec.State) {
	st.Set(ir.Cell{File: 3}, 0, uint32(g.Index))
}

// leftovers: work-items add up registers that no instruction has set, one of them written by a block that only some
// groups reach, at a computed address; the initial contents of group memory; and what other work-items wrote there
// before a barrier.
const leftovers = `
block 0x100
mark 0x100 size 4
  %x1 = get.i32 v[0]
  %a1 = get.i32 v[5]
  %b1 = get.i32 v[6]
  %c1 = get.i32 s[5]
  %y1 = iadd.i32 %x1, %a1
  %z1 = iadd.i32 %y1, %b1
  %w1 = iadd.i32 %z1, %c1
  %e1 = get.i1 exec
  set.i32 v[5], %w1, %e1
  %t1 = const.i32 3
  set.i32 s[5], %t1
mark 0x104 size 4
  %x2 = get.i32 v[0]
  %four2 = const.i32 4
  %at2 = imul.i32 %x2, %four2
  %e2 = get.i1 exec
  %old2 = load.i32 group[4] %at2, %e2
  set.i32 v[4], %old2, %e2
mark 0x108 size 4
  %x3 = get.i32 v[0]
  %four3 = const.i32 4
  %at3 = imul.i32 %x3, %four3
  %v3 = get.i32 v[5]
  %o3 = get.i32 v[4]
  %n3 = iadd.i32 %v3, %o3
  %e3 = get.i1 exec
  store.i32 group[4] %at3, %n3, %e3
mark 0x10c size 4
  barrier 0x110
block 0x110
mark 0x110 size 4
  %x5 = get.i32 v[0]
  %one5 = const.i32 1
  %y5 = xor.i32 %x5, %one5
  %four5 = const.i32 4
  %at5 = imul.i32 %y5, %four5
  %e5 = get.i1 exec
  %z5 = load.i32 group[4] %at5, %e5
  set.i32 v[1], %z5, %e5
mark 0x114 size 4
  %g6 = get.i32 s[0]
  %fifty6 = const.i32 50
  %late6 = ule.i32 %fifty6, %g6
  %far6 = const.i32 0x300
  %near6 = const.i32 0x200
  %to6 = select.i32 %late6, %far6, %near6
  %at6 = zext.i64 %to6
  jumpx %at6
block 0x200
mark 0x200 size 4` + address + `
  %v7 = get.i32 v[1]
  %e7 = get.i1 exec
  store.i32 global[4] %at, %v7, %e7
mark 0x204 size 4
  end
block 0x300
mark 0x300 size 4
  %x9 = get.i32 v[0]
  %e9 = get.i1 exec
  set.i32 v[6], %x9, %e9
mark 0x304 size 4
  jump 0x200
`

// TestAgain: groups whose waves start from the cached state produce the same results as groups that start one by one:
// whole groups and partial ones at edges, with a block that writes more registers and is reached late, for any engine
// and number of workers.
func TestRestart(t *testing.T) {
	const groups = 400
	straight := strings.Replace(leftovers, "jumpx %at6", "jump 0x200", 1)
	for name, text := range map[string]string{"leftovers": leftovers, "straight": straight, "reverse": reverse} {
		run := func(e exec.Engine, target launch.Target, workers int, cut bool) ([]byte, *launch.Result) {
			l, out := newLaunch(text, groups, groups*40*4)
			if l.Engine, l.Target, l.Workers, l.Relaxed = e, target, workers, true; cut {
				l.Grid = launch.Cover([3]uint32{8*20 - 3, 5 * 20, 1}, [3]uint32{8, 5, 1}) // 20 groups in a row, and the last of each is short
			}
			r, err := l.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return out, r
		}
		for _, cut := range []bool{false, true} {
			want, counts := run(engines.All()[0].New(), ids{}, 1, cut)
			for _, e := range engines.Tested() {
				for _, workers := range []int{1, 2, 3} {
					what := fmt.Sprintf("%s, %s, %d workers, cut %v", name, e.Name, workers, cut)
					got, r := run(exec.Eager(e.New()), alike{}, workers, cut)
					if !bytes.Equal(got, want) {
						t.Errorf("%s: other bytes", what)
					}
					if r.Counters != counts.Counters || r.Groups != counts.Groups || r.Waves != counts.Waves {
						t.Errorf("%s: %+v, want %+v", what, r, counts)
					}
				}
			}
		}
	}
}

// turnover is an observer of groups only: it counts those that have started and ended.
type turnover struct {
	mu   sync.Mutex
	open map[[3]uint32]bool
	over map[[3]uint32]int
	bad  []string
}

func (o *turnover) OnlyProbes() bool { return true }

func (o *turnover) Observe(e exec.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e.Kind {
	case exec.GroupStart, exec.GroupEnd:
		starts := e.Kind == exec.GroupStart
		if o.open[e.Group] == starts {
			o.bad = append(o.bad, fmt.Sprint(e.Kind, e.Group))
		}
		if o.open[e.Group] = starts; !starts {
			o.over[e.Group]++
		}
	}
}

// TestRestartObserved: an observer of groups is notified of the start and the end of each, also if its waves start from
// the cached state.
func TestRestartObserved(t *testing.T) {
	const groups = 400
	for _, e := range engines.Tested() {
		for _, workers := range []int{1, 3} {
			o := &turnover{open: map[[3]uint32]bool{}, over: map[[3]uint32]int{}}
			l, _ := newLaunch(leftovers, groups, groups*40*4)
			l.Engine, l.Target, l.Workers, l.Relaxed, l.Observer = exec.Eager(e.New()), alike{}, workers, true, o
			if _, err := l.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(o.bad) > 0 || len(o.over) != groups {
				t.Errorf("%s, %d workers: %d groups end, want %d; out of order %v", e.Name, workers, len(o.over), groups, o.bad)
			}
		}
	}
}
