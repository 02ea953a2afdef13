package gen

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// someLanes has accesses with inactive lanes, with addresses of 32 and of 64 bits.
const someLanes = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 p[0]
  %x = load.i32 global[1 align 4] %a, %e
  set.i32 v[1], %x, %e
mark 0x104 size 4
  %b = get.i32 v[0]
  %h = get.i32 v[2]
  %w = pack.i64 %b, %h
  %f = get.i1 p[0]
  %y = load.i32 global[1 align 4] %w, %f
  set.i32 v[3], %y, %f
mark 0x108 size 4
  %c = get.i32 v[0]
  %g = get.i1 p[0]
  %o = atomic.i32 global[4 add] %c, %c, %g
  jump 0x100
`

// TestSomeLanes checks that the contents of inactive lanes do not make machine code exit.
func TestSomeLanes(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	for _, level := range tested(t) {
		steps := 0
		r := exec.Eager(portable.With(left{nativeOf(level), &steps})).NewRunner(exectest.Parse(m, someLanes))
		s, err := mem.NewSpace("global", mem.NewSegment("all", 0x1000, 1024, mem.ReadWrite))
		if err != nil {
			t.Fatal(err)
		}
		env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {s}}}
		for i, mask := range []uint64{1, 0xff0f, 0x8000_0001_0020_0400, 0xfeff_ffff_ffff_ffff} {
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, st.Full)
			st.M[exec.IndexOf(m, ir.Cell{File: 4})] = mask
			for lane := range 64 {
				st.V[lane] = 0x1000 + uint32(lane)*12
				if mask>>lane&1 == 0 {
					st.V[lane], st.V[2*st.Stride+lane] = 0x8000_0003, 1
				}
			}
			steps = 0
			if stop := r.Run(st, env, exec.Budget{Steps: 30}); stop.Reason != exec.StopBudget {
				t.Fatal(stop.Reason, stop.Fault)
			}
			if i == 0 && steps == 0 || i > 0 && steps != 0 {
				t.Errorf("%v: mask %#x: %d blocks were left", level, mask, steps)
			}
		}
	}
}
