package gen

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// scratchBlock stores and loads through an address as buffer instructions have it: s[1] says whether the lane is
// added, and by which shift; s[2] what is in range.
const scratchBlock = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %w = get.i32 s[1]
  stable %w
  %base = get.i32 s[0]
  %lane = laneid.i32
  %one = const.i32 1
  %zero = const.i32 0
  %add = and.i32 %w, %one
  %adds = ne.i32 %add, %zero
  %index = select.i32 %adds, %lane, %zero
  %shift = shru.i32 %w, %one
  %off = shl.i32 %index, %shift
  %at = iadd.i32 %base, %off
  %limit = get.i32 s[2]
  %in = ult.i32 %off, %limit
  stable %in
  %m = and.i1 %e, %in
  %v = get.i32 v[1]
  store.i32 global[4] %at, %v, %m
mark 0x104 size 4
  %e2 = get.i1 exec
  %a2 = get.i32 s[0]
  %x = load.i32 global[4] %a2, %e2
  %y = get.i32 v[1]
  %z = iadd.i32 %y, %x
  set.i32 v[2], %z, %e2
  jump 0x100
`

// TestStable checks machine code that is made for values which then change: whatever they are, it does what the
// reference does.
func TestStable(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	ran := false
	for _, level := range tested(t) {
		rnd := rand.New(rand.NewPCG(5, uint64(level)))
		for round := range 20 {
			p := exectest.Parse(m, scratchBlock)
			runs := []exec.Runner{portable.With(nativeOf(level)).NewRunner(p), ref.New().NewRunner(p)}
			var states [2]*exec.State
			var envs [2]*exec.Env
			var data [2][]byte
			for i := range runs {
				data[i] = make([]byte, 512)
				space, err := mem.NewSpace("global", mem.Segment{Name: "a", Base: 0x1000, Data: data[i], Rights: mem.ReadWrite})
				if err != nil {
					t.Fatal(err)
				}
				envs[i] = &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
				if states[i], err = exec.NewState(m, 64); err != nil {
					t.Fatal(err)
				}
			}
			kinds := [...][2]uint32{{2<<1 | 1, 256}, {2<<1 | 1, 128}, {3<<1 | 1, 512}, {0, 1}, {2 << 1, 1}}
			now := kinds[rnd.IntN(len(kinds))]
			for visit := range 140 {
				if visit > 70 && rnd.IntN(4) == 0 {
					now = kinds[rnd.IntN(len(kinds))]
				}
				live, word := ^uint64(0), rnd.Uint32()
				if rnd.IntN(4) == 0 {
					live = rnd.Uint64() | 1
				}
				for i, run := range runs {
					st := states[i]
					st.Start(0x100, live)
					st.S[0], st.S[1], st.S[2] = 0x1000, now[0], now[1]
					for lane := range 64 {
						st.Set(ir.Cell{Index: 1}, lane, word*uint32(lane+1))
					}
					if stop := run.Run(st, envs[i], exec.Budget{Steps: 2}); stop.Reason != exec.StopBudget {
						t.Fatal(stop.Reason, stop.Fault)
					}
				}
				if !slices.Equal(states[0].V, states[1].V) || !bytes.Equal(data[0], data[1]) {
					t.Fatalf("%v round %d visit %d, %#x, live %#x: differ", level, round, visit, now, live)
				}
			}
			ran = true
		}
	}
	if !ran {
		t.Skip("no vectors")
	}
}
