package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// ids is a target that sets v[0] to the work-item's number in the group, s[0] to the group's number in the grid and
// s[1] to the wave's in the group.
type ids struct{ fail int } // the wave of group 2 that fails to start; 0: none

func (ids) NewGroup(g *launch.Group, env *exec.Env) error { return nil }

func (t ids) InitWave(g *launch.Group, wave int, st *exec.State, env *exec.Env) error {
	if t.fail != 0 && g.Index == 2 && wave == t.fail {
		return errors.New("no such argument")
	}
	st.Set(ir.Cell{File: 3, Index: 0}, 0, uint32(g.Index))
	st.Set(ir.Cell{File: 3, Index: 1}, 0, uint32(wave))
	for lane := range st.Lanes {
		st.Set(ir.Cell{File: 0}, lane, uint32(wave*st.Lanes+lane))
	}
	return nil
}

var machine = exectest.Machine(ir.MaskData)

// newLaunch returns a launch of groups of 40 work-items, in waves of 16, over a global buffer.
func newLaunch(text string, groups, bytes int) (*launch.Launch, []byte) {
	seg := mem.NewSegment("out", 0, bytes, mem.ReadWrite)
	global, err := mem.NewSpace("global", seg)
	if err != nil {
		panic(err)
	}
	return &launch.Launch{
		Kernel: "k", Program: exectest.Parse(machine, text), Entry: ir.Key{PC: 0x100}, Engine: ref.New(),
		Grid:  launch.Grid{Groups: [3]uint32{uint32(groups), 1, 1}, Block: [3]uint32{40, 1, 1}},
		Lanes: 16, Target: ids{}, Env: exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {global}}}, GroupBytes: 256,
	}, seg.Data
}

// address is the text that computes %at, the address of the work-item's word in the output.
const address = `
  %x = get.i32 v[0]
  %g = get.i32 s[0]
  %n = const.i32 40
  %four = const.i32 4
  %first = imul.i32 %g, %n
  %item = iadd.i32 %first, %x
  %at = imul.i32 %item, %four
`

// reverse: work-items swap their numbers through group memory; waves without further work end before the second
// barrier.
const reverse = `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %four = const.i32 4
  %at = imul.i32 %x, %four
  %e = get.i1 exec
  store.i32 group[4] %at, %x, %e
mark 0x104 size 4
  barrier 0x108
block 0x108
mark 0x108 size 4
  %x = get.i32 v[0]
  %last = const.i32 39
  %four = const.i32 4
  %y = isub.i32 %last, %x
  %at = imul.i32 %y, %four
  %e = get.i1 exec
  %z = load.i32 group[4] %at, %e
  set.i32 v[1], %z, %e
mark 0x10c size 4
  %w = get.i32 s[1]
  %one = const.i32 1
  %odd = eq.i32 %w, %one
  branch %odd, 0x200, 0x110
block 0x110
mark 0x110 size 4
  barrier 0x200
block 0x200
mark 0x200 size 4` + address + `
  %z = get.i32 v[1]
  %v = iadd.i32 %z, %first
  %e = get.i1 exec
  store.i32 global[4] %at, %v, %e
mark 0x204 size 4
  end
`

// TestReverse: barriers, group memory, partial waves; the same bytes and counters for any number of workers.
func TestReverse(t *testing.T) {
	const groups = 50
	var counts exec.Counters
	for workers := 1; workers <= 8; workers *= 2 {
		l, out := newLaunch(reverse, groups, groups*40*4)
		l.Workers = workers
		res, err := l.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if res.Workers != workers || res.Serial || res.Why != "" || res.Groups != groups || res.Waves != 3*groups {
			t.Errorf("%d workers: %+v", workers, res)
		}
		for i := range groups * 40 {
			if got, want := mem.Load(out[4*i:4*i+4]), uint64(i/40*40+39-i%40); got != want {
				t.Fatalf("%d workers: item %d has %d, want %d", workers, i, got, want)
			}
		}
		if workers == 1 {
			counts = res.Counters
		}
		if want := uint64(groups * (3*6 + 2)); res.Counters != counts || counts.Instructions != want || counts.Barriers != 5*groups {
			t.Errorf("%d workers: counters %+v, of one worker %+v, want %d instructions", workers, res.Counters, counts, want)
		}
	}
}

// ticket: every work-item draws a number.
const ticket = `
block 0x100
mark 0x100 size 4` + address + `
  %e = get.i1 exec
  %zero = const.i32 0
  %t = atomic.i32 global[4 add] %zero, %four, %e
  set.i32 v[1], %t, %e
  set.i32 v[2], %at, %e
mark 0x104 size 4
  %a = get.i32 v[2]
  %v = get.i32 v[1]
  %f = get.i1 exec
  store.i32 global[4 align 4] %a, %v, %f
mark 0x108 size 4
  end
`

func TestSerial(t *testing.T) {
	var first []byte
	for workers := 1; workers <= 4; workers *= 2 {
		l, out := newLaunch(strings.Replace(ticket, "4 align 4] %a", "4] %a", 1), 20, 20*40*4)
		l.Workers = workers
		res, err := l.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = out
		}
		if !bytes.Equal(first, out) || res.Workers != 1 || !res.Serial || res.Why != "global atomic add at pc 0x100 gives its old value" {
			t.Errorf("%d workers: same bytes: %v, %+v", workers, bytes.Equal(first, out), res)
		}
	}
	l, _ := newLaunch(strings.Replace(ticket, "global[4 align 4] %a, %v", "group[4] %v, %v", 1), 20, 20*40*4)
	l.Workers, l.Relaxed, l.GroupBytes = 4, true, 1<<16
	if res, err := l.Run(context.Background()); err != nil || res.Serial || res.Workers != 4 || res.Why == "" {
		t.Errorf("relaxed: %+v, %v", res, err)
	}
}

// TestFirstFault: if several groups fault, the fault of the first group is reported, whichever is executed first.
func TestFirstFault(t *testing.T) {
	text := "block 0x100\nmark 0x100 size 4" + address + `
  %e = get.i1 exec
  store.i32 global[4] %at, %x, %e
mark 0x104 size 4
  end
`
	want := `kernel k pc 0x100 "at100" group (7,0,0) wave 1 lane 4: global store of 4 bytes at 0x4b0: no segment; nearest is "out" (0x0-0x4b0), right below`
	for workers := 1; workers <= 8; workers *= 2 {
		l, _ := newLaunch(text, 200, (7*40+20)*4)
		l.Workers = workers
		res, err := l.Run(context.Background())
		var f *exec.Fault
		if !errors.As(err, &f) || err.Error() != want {
			t.Errorf("%d workers: %v, want\n%s", workers, err, want)
		}
		if res.Groups < 7 || res.Instructions == 0 {
			t.Errorf("%d workers: %+v", workers, res)
		}
	}
}

// TestShortGroups: work-items beyond the grid's edge do not exist, and are not counted in the numbers of the others.
func TestShortGroups(t *testing.T) {
	l, out := newLaunch("block 0x100\nmark 0x100 size 4"+address+`
  %e = get.i1 exec
  %one = const.i32 1
  %o = atomic.i32 global[4 add] %at, %one, %e
mark 0x104 size 4
  end
`, 0, 6*40*4)
	l.Grid = launch.Cover([3]uint32{25, 7, 1}, [3]uint32{10, 4, 1})
	l.Workers = 4
	res, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if res.Waves != 3+3+2+2+2+1 || res.Groups != 6 || res.Serial {
		t.Errorf("%+v", res)
	}
	for g, items := range []int{40, 40, 20, 30, 30, 15} {
		for i := range 40 {
			if got := mem.Load(out[(g*40+i)*4:][:4]); (got == 1) != (i < items) || got > 1 {
				t.Fatalf("group %d item %d ran %d times", g, i, got)
			}
		}
	}
	g := launch.Group{Size: [3]uint32{5, 4, 2}, Items: 40}
	if at := g.Item(1, 16, 10); at != [3]uint32{1, 1, 1} || g.Lanes(2, 16) != 0xff {
		t.Errorf("item %v, lanes %#x", at, g.Lanes(2, 16))
	}
}

// TestFresh: each group starts with zeroed group memory and states, in the mode that InitWave sets.
func TestFresh(t *testing.T) {
	l, out := newLaunch(`
block 0x100 mode 2
mark 0x100 size 4
  %x = get.i32 v[0]
  %old = get.i32 v[5]
  %four = const.i32 4
  %at = imul.i32 %x, %four
  %e = get.i1 exec
  %z = load.i32 group[4] %at, %e
  %sum = or.i32 %z, %old
  set.i32 v[6], %sum, %e
  jump 0x104
block 0x104 mode 2
mark 0x104 size 4
  %x = get.i32 v[0]
  %four = const.i32 4
  %at = imul.i32 %x, %four
  %e = get.i1 exec
  store.i32 group[4] %at, %four, %e
  set.i32 v[5], %four, %e
  jump 0x108
block 0x108 mode 2
mark 0x108 size 4`+address+`
  %s = get.i32 v[6]
  %e = get.i1 exec
  store.i32 global[4] %at, %s, %e
mark 0x10c size 4
  end
`, 5, 5*40*4)
	l.Workers, l.Entry.Mode, l.Target = 1, 2, modeTarget{}
	for i := range out {
		out[i] = 0xee
	}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out, []byte{0}); n != len(out) {
		t.Errorf("%d bytes of %d are 0", n, len(out))
	}
}

// modeTarget is ids with another mode.
type modeTarget struct{ ids }

func (t modeTarget) InitWave(g *launch.Group, wave int, st *exec.State, env *exec.Env) error {
	st.Set(st.Machine.Mode, 0, 2)
	return t.ids.InitWave(g, wave, st, env)
}

// TestRefused: launches that are rejected return the reason.
func TestRefused(t *testing.T) {
	const loop = "block 0x100\nmark 0x100 size 4\n  jump 0x100\n"
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		change func(l *launch.Launch)
		ctx    context.Context
		text   string
	}{
		{func(l *launch.Launch) { l.Limits.Groups = 3 }, nil, "launch: 4 groups; the limit is 3"},
		{func(l *launch.Launch) { l.Limits.Memory = 1000 }, nil, "launch: 64 bytes of buffers and"},
		{func(l *launch.Launch) { l.Limits.Steps = 500 }, nil, "group (0,0,0) wave 0: step limit of 500 guest instructions reached"},
		{func(l *launch.Launch) { l.Limits.Total = 500 }, nil, "step limit of the launch of 500 guest instructions reached"},
		{func(l *launch.Launch) { l.Lanes = 7 }, nil, "not 7"},
		{func(l *launch.Launch) { l.Grid.Groups[1] = 0 }, nil, "an axis is zero"},
		{func(l *launch.Launch) { l.Grid.Block[0] = 1 << 20 }, nil, "too large"},
		{func(l *launch.Launch) { l.Grid.Groups = [3]uint32{1 << 31, 1 << 31, 1 << 31} }, nil, "too large"},
		{func(l *launch.Launch) { l.Grid.Items[0] = 120 }, nil, "120 items do not fill 4 groups of 40 on axis x"},
		{func(l *launch.Launch) { l.Target, l.Program = ids{fail: 1}, endAtOnce() }, nil, "kernel k group [2 0 0] wave 1: no such argument"},
		{func(l *launch.Launch) {}, cancelled, "stopped: context canceled"},
	} {
		l, _ := newLaunch(loop, 4, 64)
		c.change(l)
		if c.ctx == nil {
			c.ctx = context.Background()
		}
		if _, err := l.Run(c.ctx); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, want %s", err, c.text)
		}
	}
}

func endAtOnce() *exec.Program {
	return exectest.Parse(machine, "block 0x100\nmark 0x100 size 4\n  end\n")
}

// log records events as text.
type log struct {
	mu     sync.Mutex
	events []string
}

func (l *log) Observe(e exec.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, fmt.Sprintf("%v %d.%d", e.Kind, e.Group[0], e.Wave))
}

func TestEvents(t *testing.T) {
	l, _ := newLaunch(reverse, 1, 40*4)
	l.Lanes = 32
	o := &log{}
	l.Observer = o
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := "launch start 0.0, group start 0.0, wave start 0.0, wave start 0.1, barrier reached 0.0, " +
		"barrier reached 0.1, barrier released 0.0, barrier reached 0.0, wave end 0.1, barrier released 0.0, " +
		"wave end 0.0, group end 0.0, launch end 0.0"
	if got := strings.Join(o.events, ", "); got != want {
		t.Errorf("events\n%s, want\n%s", got, want)
	}
}

// TestRunWave: a single wave passes its barriers.
func TestRunWave(t *testing.T) {
	p := exectest.Parse(machine, "block 0x100\nmark 0x100 size 4\n  barrier 0x200\nblock 0x200\nmark 0x200 size 4\n  end\n")
	st, err := exec.NewState(machine, 4)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, 1)
	env := &exec.Env{}
	if err := launch.RunWave(context.Background(), ref.New(), p, st, env, exec.Limits{}); err != nil || env.Count.Barriers != 1 {
		t.Errorf("%v, %+v", err, env.Count)
	}
}

// TestPlaces: positions of any range of work-items are those that Item returns one by one.
func TestPlaces(t *testing.T) {
	for _, size := range [][3]uint32{{1, 1, 1}, {64, 1, 1}, {16, 16, 1}, {3, 5, 7}, {1, 9, 2}, {100, 1, 3}} {
		g := launch.Group{Size: size, Items: int(size[0] * size[1] * size[2])}
		for first := range g.Items {
			n := min(64, g.Items-first)
			for axes := 1; axes <= 3; axes++ {
				var rows [3][]uint32
				for i := range axes {
					rows[i] = make([]uint32, n)
				}
				g.Places(first, rows)
				for i := range n {
					want := g.Item(0, 0, first+i)
					for axis, row := range rows[:axes] {
						if row[i] != want[axis] {
							t.Fatalf("size %v, item %d: %d on axis %d, want %d", size, first+i, row[i], axis, want[axis])
						}
					}
				}
			}
		}
	}
}
