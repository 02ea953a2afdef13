package gen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// roundCode returns a block with a load or a store of count elements of that many bytes; its addresses are v[0], if
// wide with v[1] as their upper halves. The values are in v[2] and up.
func roundCode(load, wide bool, bytes, count int) string {
	var s strings.Builder
	s.WriteString("\nblock 0x100\nmark 0x100 size 4\n  %a = get.i32 v[0]\n  %e = get.i1 exec\n")
	at := "%a"
	if wide {
		s.WriteString("  %h = get.i32 v[1]\n  %w = pack.i64 %a, %h\n")
		at = "%w"
	}
	var names []string
	typ := "i32"
	for i := range count {
		names = append(names, fmt.Sprintf("%%x%d", i))
	}
	if bytes == 8 {
		typ = "i64"
	}
	access := fmt.Sprintf("global[%d", bytes)
	if count > 1 {
		access += fmt.Sprint(" x ", count)
	}
	access += "]"
	switch {
	case load && bytes == 8:
		fmt.Fprintf(&s, "  %%x0 = load.i64 %s %s, %%e\n  %%l:%%u = unpack.i32 %%x0\n  set.i32 v[2], %%l, %%e\n  set.i32 v[3], %%u, %%e\n", access, at)
	case load:
		to := 2
		if count%2 > 0 && count > 1 { // the first may be loaded into the register of the addresses
			to = 0
		}
		fmt.Fprintf(&s, "  %s = load.%s %s %s, %%e\n", strings.Join(names, ":"), typ, access, at)
		for i, n := range names {
			fmt.Fprintf(&s, "  set.i32 v[%d], %s, %%e\n", to+i, n)
		}
	case bytes == 8:
		fmt.Fprintf(&s, "  %%l = get.i32 v[2]\n  %%u = get.i32 v[3]\n  %%x0 = pack.i64 %%l, %%u\n  store.i64 %s %s, %%x0, %%e\n", access, at)
	default:
		for i, n := range names {
			fmt.Fprintf(&s, "  %s = get.i32 v[%d]\n", n, 2+i)
		}
		fmt.Fprintf(&s, "  store.%s %s %s, %s, %%e\n", typ, access, at, strings.Join(names, ", "))
	}
	s.WriteString("  jump 0x100\n")
	return s.String()
}

// layouts are distances of lanes from the first one.
var layouts = [...]func(lane int) int{
	func(lane int) int { return 4 * lane },
	func(lane int) int { return 8 * lane },
	func(lane int) int { return 16 * lane },
	func(int) int { return 0 },
	func(lane int) int { return lane/16*520 + lane%16*4 },
	func(lane int) int { return lane/16*520 + lane%16*8 },
	func(lane int) int { return lane/16*520 + lane%16*16 },
	func(lane int) int { return lane / 16 * 44 },
	func(lane int) int { return lane * lane % 64 * 12 },
	func(lane int) int { return 4 * (63 - lane) },
	func(lane int) int { return lane % 2 * 4 },
	func(lane int) int { return lane &^ 3 * 8 },
	func(lane int) int { return lane/8*96 + lane*lane%8*4 },
	func(lane int) int { return lane/4*24 + lane%4*2 },
}

// TestVectorAccess checks that accesses of words agree with the reference, for any layout of lanes in a segment and any
// active lanes.
func TestVectorAccess(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	left := 0
	for _, level := range tested(t) {
		e := exec.Eager(portable.With(nativeOf(level)))
		rnd := rand.New(rand.NewPCG(11, uint64(level)))
		for kind := range 24 {
			load, wide, size := kind&1 != 0, kind&2 != 0, [...][2]int{{4, 1}, {4, 2}, {4, 4}, {8, 1}, {4, 3}, {4, 5}}[kind>>2]
			p := exectest.Parse(m, roundCode(load, wide, size[0], size[1]))
			for _, lanes := range []int{16, 32, 64} {
				r, reference := e.NewRunner(p), ref.New().NewRunner(p)
				for i := range 12 * len(layouts) {
					live := [...]uint64{^uint64(0), ^uint64(0), 1<<uint(lanes) - 2, rnd.Uint64(), 0xffff0000ffff, 1 << rnd.IntN(lanes)}[i/len(layouts)%6]
					if !roundAgrees(t, rnd, m, lanes, live, layouts[i%len(layouts)], 16+rnd.IntN(2)*512, r, reference) {
						t.Fatalf("%v lanes %d, live %#x, layout %d, of\n%s", level, lanes, live, i%len(layouts), roundCode(load, wide, size[0], size[1]))
					}
				}
				left++
			}
		}
	}
	if left == 0 {
		t.Skip("no vectors")
	}
}

// roundAgrees runs the block twice on both engines, so that the second time uses the segment cached by the first; room
// is the space after the address of the last lane. The first uniform value is an address in the segment, or more.
func roundAgrees(t *testing.T, rnd *rand.Rand, m *ir.Machine, lanes int, live uint64, place func(int) int, room int, r, reference exec.Runner) bool {
	t.Helper()
	last := 0
	for lane := range lanes {
		last = max(last, place(lane))
	}
	data := make([]byte, last+12+room)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	st, err := exec.NewState(m, lanes)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, st.Full)
	st.Exec = live & st.Full
	start := 0x1000 + rnd.IntN(8)
	for lane := range lanes {
		st.Set(ir.Cell{Index: 0}, lane, uint32(start+place(lane)))
		for i := range 4 {
			st.Set(ir.Cell{Index: uint16(2 + i)}, lane, rnd.Uint32())
		}
		if st.Exec>>lane&1 == 0 {
			st.Set(ir.Cell{Index: 0}, lane, rnd.Uint32())
			st.Set(ir.Cell{Index: 1}, lane, rnd.Uint32())
		}
	}
	limits := [...]uint32{0x1000 + rnd.Uint32N(uint32(len(data))), 0x1000 + uint32(len(data)) - rnd.Uint32N(5), 0xffffffff}
	of := [2]int{rnd.IntN(3), rnd.IntN(3)}
	var ends [2]*exec.State
	var left [2][]byte
	for i, run := range []exec.Runner{r, reference} {
		ends[i], left[i] = st.Snapshot(), bytes.Clone(data)
		space, err := mem.NewSpace("global", mem.Segment{Name: "a", Base: 0x1000, Data: left[i], Rights: mem.ReadWrite})
		if err != nil {
			t.Fatal(err)
		}
		env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
		for _, n := range of {
			ends[i].Set(ir.Cell{File: 3}, 0, limits[n])
			copy(ends[i].V[:2*st.Stride], st.V) // the addresses, which the block may overwrite
			if stop := run.Run(ends[i], env, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
				t.Fatal(stop.Reason, stop.Fault)
			}
		}
	}
	return slices.Equal(ends[0].V, ends[1].V) && bytes.Equal(left[0], left[1])
}
