package launch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// spin delays a wave between its load and its store, without ending its turn.
const spin = `
block 0x200
mark 0x200 size 4
  %i = get.i32 s[3]
  %one = const.i32 1
  %j = iadd.i32 %i, %one
  set.i32 s[3], %j
mark 0x204 size 4
  %n = get.i32 s[3]
  %end = const.i32 300
  %again = ult.i32 %n, %end
  branch %again, 0x200, 0x300
`

// A meet is a kernel whose groups may conflict in memory. Its lanes load the word at FROM, wait, and store something at
// TO.
type meet struct {
	name  string
	first string // ops that compute v[1]; %g is the number of the group, %x of the work-item, %own the address of word g+1
	last  string // ops that store v[1]
	why   string // "" if they do not conflict
	want  func(g uint32) uint32
	word0 uint32 // at the end
}

// addOne is an instruction that adds 1 to word 0 for each item, atomically.
const addOne = "\nmark 0x304 size 4\n%in = get.i1 exec\n%at = const.i32 0\n%by = const.i32 1\n%old = atomic.i32 global[4 add] %at, %by, %in"

// meetGroups is the number of groups of a kernel.
const meetGroups = 50

// The words are initially 100; word 0 belongs to no group, word g+1 to group g.
var meets = []meet{
	{name: "each in its own word", first: "%v = load.i32 global[4] %own, %e", last: "%w = iadd.i32 %v, %g\nstore.i32 global[4] %own, %w, %e",
		word0: 100, want: func(g uint32) uint32 { return 100 + 3*g }},
	{name: "all load one word", first: "%v = load.i32 global[4] %zero, %e", last: "%w = iadd.i32 %v, %g\nstore.i32 global[4] %own, %w, %e",
		word0: 100, want: func(g uint32) uint32 { return 100 + g }},
	{name: "all add to one word", first: "%v = load.i32 global[4] %zero, %e", last: "%w = iadd.i32 %v, %one\nstore.i32 global[4] %zero, %w, %e",
		word0: 100 + 3*meetGroups, want: func(uint32) uint32 { return 100 }, why: `group (1,0,0) stores at 0x0 of "out", where another stores`},
	{name: "all store to one word", first: "%v = iadd.i32 %g, %one", last: "store.i32 global[4] %zero, %v, %e",
		word0: meetGroups, want: func(uint32) uint32 { return 100 }, why: `group (1,0,0) stores at 0x0 of "out", where another stores`},
	{name: "each loads what the one before has stored", first: "%four = const.i32 4\n%p = isub.i32 %own, %four\n%v = load.i32 global[4] %p, %e", last: "%w = iadd.i32 %v, %one\nstore.i32 global[4] %own, %w, %e",
		word0: 100, want: func(g uint32) uint32 { return 101 + g }, why: `group (1,0,0) loads at 0x4 of "out", where another stores`},
	{name: "each loads what the next one will store", first: "%four = const.i32 4\n%p = iadd.i32 %own, %four\n%v = load.i32 global[4] %p, %e", last: "%w = iadd.i32 %v, %g\nstore.i32 global[4] %own, %w, %e",
		word0: 100, want: func(g uint32) uint32 { return 100 + g }, why: `group (1,0,0) stores at 0x8 of "out", where another loads`},
	{name: "atomics only", first: "%v = iadd.i32 %g, %one", last: "%o = atomic.i32 global[4 umax] %zero, %v, %e",
		word0: 100, want: func(uint32) uint32 { return 100 }},
	{name: "an atomic and a load", first: "%v = load.i32 global[4] %zero, %e", last: "store.i32 global[4] %own, %v, %e" + addOne,
		word0: 100 + 40*meetGroups, want: func(g uint32) uint32 { return 100 + 40*g + 32 }, why: `group (1,0,0) loads at 0x0 of "out", where another has an atomic`},
	{name: "an atomic and a store", first: "%v = iadd.i32 %g, %one", last: "%is = eq.i32 %g, %one\n%some = and.i1 %is, %e\nstore.i32 global[4] %zero, %v, %some" + addOne,
		word0: 2 + 8 + 40*(meetGroups-2), // the last wave of group 1 has eight items
		want:  func(uint32) uint32 { return 100 }, why: `group (1,0,0) stores at 0x0 of "out", where another has an atomic`},
	{name: "bytes of one word", first: "%v = iadd.i32 %g, %one", last: "%four = const.i32 4\n%p = iadd.i32 %g, %four\nstore.i32 global[1] %p, %v, %e",
		word0: 100, want: nil, why: `group (1,0,0) stores at 0x4 of "out", where another stores`},
}

// text returns the kernel: loads in one block and stores in another, with time for conflicts between them.
func (m *meet) text() string {
	head := "\n%x = get.i32 v[0]\n%g = get.i32 s[0]\n%e = get.i1 exec\n%zero = const.i32 0\n%one = const.i32 1\n%two = const.i32 2\n%up = iadd.i32 %g, %one\n%own = shl.i32 %up, %two\n"
	return "block 0x100\nmark 0x100 size 4" + head + m.first + "\nset.i32 v[1], %v, %e\njump 0x200" + spin +
		"block 0x300\nmark 0x300 size 4" + head + "%v = get.i32 v[1]\n" + m.last + "\nend\n"
}

func (m *meet) launch() (*launch.Launch, []byte) {
	l, data := newLaunch(m.text(), meetGroups, 4*(meetGroups+2))
	for i := 0; i < len(data); i += 4 {
		data[i] = 100
	}
	return l, data
}

// workersOf returns the numbers of workers to run a kernel with. Under the race detector groups that conflict run one
// by one.
func workersOf(races bool) []int {
	if races && detector.Race {
		return []int{1}
	}
	return []int{1, 2, 8, 8, 8}
}

// TestMeet: groups that conflict in memory run in order, whatever the number of workers, and the launch reports where
// the conflict is; groups without conflicts run in parallel.
func TestMeet(t *testing.T) {
	for _, e := range engines.Tested() {
		t.Run(e.Name, func(t *testing.T) { testMeet(t, exec.Eager(e.New())) })
	}
}

func testMeet(t *testing.T, e exec.Engine) {
	for i := range meets {
		m := &meets[i]
		for _, workers := range workersOf(m.why != "") {
			l, data := m.launch()
			var done atomic.Int64
			l.Workers, l.Engine, l.Done = workers, e, &done
			res, err := l.Run(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			if done.Load() != meetGroups { // those of a restarted run do not count
				t.Errorf("%s, %d workers: %d groups are done", m.name, workers, done.Load())
			}
			if why := m.why; res.Why != why && workers > 1 || res.Serial != (why != "") && workers > 1 || res.Groups != meetGroups || res.Waves != 3*meetGroups {
				t.Errorf("%s, %d workers: %+v, want %q", m.name, workers, res, why)
			}
			if got := binary.LittleEndian.Uint32(data); got != m.word0 {
				t.Errorf("%s, %d workers: word 0 is %d, want %d", m.name, workers, got, m.word0)
			}
			for g := range uint32(meetGroups) {
				want := byte(g + 1)
				if m.want == nil {
					if data[4+g] != want {
						t.Errorf("%s, %d workers: byte of group %d is %d", m.name, workers, g, data[4+g])
					}
				} else if got := binary.LittleEndian.Uint32(data[4+4*g:]); got != m.want(g) {
					t.Errorf("%s, %d workers: word of group %d is %d, want %d", m.name, workers, g, got, m.want(g))
				}
			}
		}
	}
}

// TestLetOff: a segment that all groups only load is no longer watched, until one of the last groups stores to it. Then
// the launch restarts, and ends with all workers if no group loads from there.
func TestLetOff(t *testing.T) {
	const groups, last = 300, 290
	for _, e := range engines.Tested() {
		for _, c := range []struct {
			word int
			why  string
		}{{5, ""}, {0, `group (290,0,0) stores at 0x100000 of "in", where another loads`}} {
			for _, workers := range workersOf(c.why != "") {
				text := fmt.Sprintf(`
block 0x100
mark 0x100 size 4
  %%e = get.i1 exec
  %%in = const.i32 0x100000
  %%v = load.i32 global[4] %%in, %%e
  set.i32 v[1], %%v, %%e
mark 0x104 size 4
  %%g = get.i32 s[0]
  %%e2 = get.i1 exec
  %%w = get.i32 v[1]
  %%two = const.i32 2
  %%own = shl.i32 %%g, %%two
  store.i32 global[4] %%own, %%w, %%e2
mark 0x108 size 4
  %%h = get.i32 s[0]
  %%e3 = get.i1 exec
  %%last = const.i32 %d
  %%is = eq.i32 %%h, %%last
  %%some = and.i1 %%is, %%e3
  %%at = const.i32 %#x
  store.i32 global[4] %%at, %%h, %%some
  end
`, last, 0x100000+4*c.word)
				l, data := newLaunch(text, groups, 4*groups)
				in := mem.NewSegment("in", 0x100000, 64, mem.ReadWrite)
				if err := l.Env.Space(ir.GlobalSpace, 0).Add(in); err != nil {
					t.Fatal(err)
				}
				in.Data[0] = 7
				l.Workers, l.Engine = workers, exec.Eager(e.New())
				res, err := l.Run(context.Background())
				if err != nil || workers > 1 && (res.Why != c.why || res.Serial != (c.why != "")) || res.Groups != groups {
					t.Errorf("%s, word %d, %d workers: %+v, %v", e.Name, c.word, workers, res, err)
				}
				for g := range uint32(groups) {
					want := uint32(7)
					if c.why != "" && g >= last { // its second wave loads what the first one has stored
						want = last
					}
					if got := binary.LittleEndian.Uint32(data[4*g:]); got != want {
						t.Fatalf("%s, word %d, %d workers: group %d has loaded %d, want %d", e.Name, c.word, workers, g, got, want)
					}
				}
				if got := binary.LittleEndian.Uint32(in.Data[4*c.word:]); got != last {
					t.Errorf("%s, %d workers: word %d is %d", e.Name, workers, c.word, got)
				}
			}
		}
	}
}

// A Relaxed launch runs groups in any order, and does not watch them.
func TestMeetRelaxed(t *testing.T) {
	if detector.Race {
		t.Skip("groups that meet are a race in guest memory")
	}
	l, _ := meets[2].launch()
	l.Workers, l.Relaxed = 8, true
	if res, err := l.Run(context.Background()); err != nil || res.Serial || res.Workers != 8 || res.Why != "" {
		t.Errorf("%+v, %v", res, err)
	}
}

// If a group with a conflict faults, the fault is that of the run in order.
func TestMeetFault(t *testing.T) {
	m := meet{first: "%four = const.i32 4\n%p = isub.i32 %own, %four\n%v = load.i32 global[4] %p, %e",
		// Group g stores at 4(g+1), unless it has read the value that 29 others have counted up to.
		last: "%w = iadd.i32 %v, %one\n%k = const.i32 130\n%bad = eq.i32 %w, %k\n%far = const.i32 0x9000\n%to = select.i32 %bad, %far, %own\nstore.i32 global[4] %to, %w, %e"}
	for _, workers := range workersOf(true) {
		l, data := m.launch()
		l.Workers = workers
		res, err := l.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), "group (29,0,0)") || res.Groups != 29 {
			t.Errorf("%d workers: %v, %+v", workers, err, res)
		}
		want := make([]byte, len(data))
		for i := range want[:len(want)/4] {
			binary.LittleEndian.PutUint32(want[4*i:], 100)
			if i < 30 { // word 0 belongs to no group
				binary.LittleEndian.PutUint32(want[4*i:], uint32(100+i))
			}
		}
		if !bytes.Equal(data, want) {
			t.Errorf("%d workers: memory is %v", workers, data)
		}
	}
}

// An observer sees the launch restart.
func TestMeetObserved(t *testing.T) {
	if detector.Race {
		t.Skip("groups that meet are a race in guest memory")
	}
	l, _ := meets[3].launch()
	w := &log{}
	l.Workers, l.Observer = 4, w
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	events := strings.Join(w.events, "\n")
	last := events[strings.LastIndex(events, "launch start"):]
	if strings.Count(events, "launch start") != 2 || strings.Count(events, "launch end") != 2 || strings.Count(last, "group end") != meetGroups {
		t.Errorf("%d launches begin, the last has %d groups", strings.Count(events, "launch start"), strings.Count(last, "group end"))
	}
}
