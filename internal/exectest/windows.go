package exectest

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// windowsText loads and stores a word per lane, and loads one per wave, at flat addresses.
const windowsText = `
block 0x100
mark 0x100 size 4
  %lo = get.i32 v[0]
  %hi = get.i32 v[1]
  %a = pack.i64 %lo, %hi
  %e = get.i1 exec
  %x = load.i32 flat[4] %a, %e
  set.i32 v[2], %x, %e
mark 0x104 size 4
  %lo1 = get.i32 v[4]
  %hi1 = get.i32 v[5]
  %b = pack.i64 %lo1, %hi1
  %y = get.i32 v[6]
  %e1 = get.i1 exec
  store flat[4] %b, %y, %e1
mark 0x108 size 4
  %lo2 = get.i32 s[0]
  %hi2 = get.i32 s[1]
  %c = pack.i64 %lo2, %hi2
  %z = load.i32 flat[4] %c
  set.i32 s[2], %z
  jump 0x100
`

// Flat addresses of testWindows: global memory, a window onto part of a segment, and global memory again, without a
// gap.
const (
	beforeWindow = 0x5000_0000_0000 - 0x40
	windowBase   = 0x5000_0000_0000
	windowSize   = 0x20
	windowOffset = 0x10
	groupSize    = 0x40
	behindWindow = windowBase + windowSize
	flatEnd      = behindWindow + 0x40
)

// A flatWorld is the memory of testWindows, and the expected contents of flat addresses starting at beforeWindow.
type flatWorld struct {
	before, group, behind mem.Segment
	model                 []byte
}

func newFlatWorld(rnd *rand.Rand) *flatWorld {
	w := &flatWorld{before: mem.NewSegment("before", beforeWindow, windowBase-beforeWindow, mem.ReadWrite),
		group: mem.NewSegment("group", 0, groupSize, mem.ReadWrite), behind: mem.NewSegment("behind", behindWindow, flatEnd-behindWindow, mem.ReadWrite)}
	for _, g := range []mem.Segment{w.before, w.group, w.behind} {
		for i := range g.Data {
			g.Data[i] = byte(rnd.Uint32())
		}
	}
	w.model = w.seen()
	return w
}

// seen returns the contents of the flat addresses.
func (w *flatWorld) seen() []byte {
	return slices.Concat(w.before.Data, w.group.Data[windowOffset:windowOffset+windowSize], w.behind.Data)
}

func (w *flatWorld) env() (*exec.Env, error) {
	env := &exec.Env{Windows: []exec.Window{{Base: windowBase, Size: windowSize, Space: ir.GroupSpace, Bank: 1, Offset: windowOffset}}}
	global, err := mem.NewSpace("global", w.before, w.behind)
	if err != nil {
		return nil, err
	}
	group, err := mem.NewSpace("group", w.group)
	env.Spaces[ir.GlobalSpace], env.Spaces[ir.GroupSpace] = []*mem.Space{global}, []*mem.Space{nil, group}
	return env, err
}

// asked are the ranges of flat addresses that lanes access in a round: the window, the window with the addresses
// where the segment would start or continue without it, and all.
var asked = [...]struct{ from, to uint64 }{{windowBase, behindWindow}, {windowBase - windowOffset, behindWindow},
	{windowBase, windowBase - windowOffset + groupSize}, {beforeWindow, flatEnd}}

// ask sets random addresses in the lanes of a state and in the wave.
func (w *flatWorld) ask(st *exec.State, rnd *rand.Rand) {
	span := asked[rnd.IntN(len(asked))]
	addr := func() uint64 { return span.from + 4*rnd.Uint64N((span.to-span.from)/4) }
	for lane := range st.Lanes {
		home{t: ir.I64}.put(st, lane, addr())
		home{t: ir.I64, first: 2}.put(st, lane, addr())
	}
	home{t: ir.I64, wave: true}.put(st, 0, addr())
}

// run is windowsText.
func (w *flatWorld) run(st *exec.State) {
	word := func(h home, lane int) []byte { return w.model[h.read(st, lane)-beforeWindow:][:4] }
	for lane := range st.Lanes {
		if st.Exec>>lane&1 != 0 {
			st.Set(cellOf(fileV, 2), lane, binary.LittleEndian.Uint32(word(home{t: ir.I64}, lane)))
		}
	}
	for lane := range st.Lanes {
		if st.Exec>>lane&1 != 0 {
			binary.LittleEndian.PutUint32(word(home{t: ir.I64, first: 2}, lane), st.Get(cellOf(fileV, 6), lane))
		}
	}
	st.Set(cellOf(fileS, 2), 0, binary.LittleEndian.Uint32(word(home{t: ir.I64, wave: true}, 0)))
	st.Clock += 3
}

// counts returns the traffic of windowsText, by space: an address in the window is of the group.
func (w *flatWorld) counts(st *exec.State) (counts [ir.FlatSpace]exec.Traffic) {
	of := func(h home, lane int) *exec.Traffic {
		if addr := h.read(st, lane); addr >= windowBase && addr < behindWindow {
			return &counts[ir.GroupSpace]
		}
		return &counts[ir.GlobalSpace]
	}
	for lane := range st.Lanes {
		if st.Exec>>lane&1 != 0 {
			of(home{t: ir.I64}, lane).Read += 4
			of(home{t: ir.I64, first: 2}, lane).Written += 4
		}
	}
	of(home{t: ir.I64, wave: true}, 0).Read += 4
	return counts
}

// testWindows: a window shows its part of a segment and nothing before or after it, whichever lane accesses it
// first, and whatever the block has accessed before.
func testWindows(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(21, 21))
	w := newFlatWorld(rnd)
	outside := slices.Concat(w.group.Data[:windowOffset], w.group.Data[windowOffset+windowSize:])
	env, err := w.env()
	if err != nil {
		t.Fatal(err)
	}
	r := e.NewRunner(Parse(m, windowsText))
	for round := range 300 {
		st, _ := exec.NewState(m, m.Widths[round/100%len(m.Widths)])
		fill(st, rnd)
		st.Start(entry, st.Full)
		st.Exec = masks(st, rnd)[rnd.IntN(6)]
		w.ask(st, rnd)
		want := st.Snapshot()
		w.run(want)
		counts := w.counts(want)
		env.Count = exec.Counters{}
		stop := r.Run(st, env, exec.Budget{Steps: 3})
		if d := want.Diff(st, 4); stop.Reason != exec.StopBudget || d != nil {
			t.Fatalf("round %d, %d lanes, exec %#x: stop %v %v; want, got: %q", round, st.Lanes, st.Exec, stop.Reason, stop.Fault, d)
		}
		if env.Count.Memory != counts {
			t.Fatalf("round %d, %d lanes, exec %#x: counters %+v, want %+v", round, st.Lanes, st.Exec, env.Count.Memory, counts)
		}
		if text := Differs(beforeWindow, w.seen(), w.model); text != "" {
			t.Fatalf("round %d, %d lanes, exec %#x: flat: %s", round, st.Lanes, st.Exec, text)
		}
		if got := slices.Concat(w.group.Data[:windowOffset], w.group.Data[windowOffset+windowSize:]); !slices.Equal(got, outside) {
			t.Fatalf("round %d, %d lanes, exec %#x: bytes of the group outside of the window have changed", round, st.Lanes, st.Exec)
		}
	}
}
