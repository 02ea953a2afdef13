package gen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// splitCode loads from two addresses in two halves; its first load may change a half of the second. Then it stores to
// the second.
const splitCode = `
block 0x100
mark 0x100 size 4
  %%a = get.i32 v[0]
  %%b = get.i32 v[1]
  %%c = get.i32 v[2]
  %%d = get.i32 v[3]
  %%w = pack.i64 %%a, %%b
  %%x = pack.i64 %%c, %%d
  %%e = get.i1 exec
  check load global[4] %%w, %%e
  check load global[4] %%x, %%e
  %%r = load.i32 global[4] %%w, %%e
  %%s = load.i32 global[4] %%x, %%e
  set.i32 v[%d], %%r, %%e
  set.i32 v[6], %%s, %%e
mark 0x104 size 4
  %%f = get.i32 v[2]
  %%g = get.i32 v[3]
  %%h = get.i1 exec
  %%i = get.i32 v[6]
  %%y = pack.i64 %%f, %%g
  store.i32 global[4] %%y, %%i, %%h
  jump 0x100
`

// TestSplitAddresses checks that addresses in two rows reach what the reference reaches, in any segment, and fault
// where it does.
func TestSplitAddresses(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(31, 7))
		for _, first := range []int{5, 2, 3, 0} {
			p := exectest.Parse(m, fmt.Sprintf(splitCode, first))
			r, reference := e.NewRunner(p), ref.New().NewRunner(p)
			for n := range 90 {
				splitAgrees(t, rnd, m, n, 1, r, reference)
			}
		}
	})
}

// splitAgrees runs that many instructions three times on both engines: lanes are in one segment, then perhaps in
// another, or one of them is out of bounds. The first uniform value is the upper half of a segment's addresses, or of
// none.
func splitAgrees(t *testing.T, rnd *rand.Rand, m *ir.Machine, n int, steps uint64, r, reference exec.Runner) {
	t.Helper()
	bases := [...]uint64{0x7_0000_1000, 0x9_ffff_fe00, 0x3_0000_0000}
	data := make([]byte, 1024)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	states, envs, left, which := [2]*exec.State{}, [2]*exec.Env{}, [2][]byte{}, [2]int{rnd.IntN(3), rnd.IntN(3)}
	for i := range states {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, st.Full)
		left[i] = bytes.Clone(data)
		var segments []mem.Segment
		for k, base := range bases {
			segments = append(segments, mem.Segment{Name: fmt.Sprint(k), Base: base, Data: left[i], Rights: mem.ReadWrite})
		}
		space, err := mem.NewSpace("global", segments...)
		if err != nil {
			t.Fatal(err)
		}
		states[i], envs[i] = st, &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
	}
	for turn := range 3 {
		half := [...]uint32{7, 9, 3, 5, 5, 5}[rnd.IntN(6)]
		if turn == 2 && n%3 == 0 {
			which[rnd.IntN(2)] = rnd.IntN(3)
		}
		running := [...]uint64{states[0].Full, states[0].Full, rnd.Uint64(), 0xffff_0000_ffff}[rnd.IntN(4)] | 1
		for k := range which {
			place := layouts[rnd.IntN(4)]
			for lane := range 64 {
				at := bases[which[k]] + uint64(place(lane))%1000
				if turn == 2 && n%3 == 1 && lane == n%64 {
					at ^= 1 << (32 + rnd.IntN(4))
				}
				for _, st := range states {
					st.Exec = running
					st.Set(ir.Cell{File: 3}, 0, half)
					st.Set(ir.Cell{Index: uint16(2 * k)}, lane, uint32(at))
					st.Set(ir.Cell{Index: uint16(2*k + 1)}, lane, uint32(at>>32))
				}
			}
		}
		var stops [2]string
		for i, run := range []exec.Runner{r, reference} {
			stop := run.Run(states[i], envs[i], exec.Budget{Steps: steps})
			stops[i] = fmt.Sprint(stop.Reason, " ", stop.Fault)
		}
		if stops[0] != stops[1] {
			t.Fatalf("run %d: stops with %s; the reference with %s", n, stops[0], stops[1])
		}
		if !slices.Equal(states[0].V, states[1].V) || !bytes.Equal(left[0], left[1]) {
			t.Fatalf("run %d: not what the reference leaves", n)
		}
	}
}
