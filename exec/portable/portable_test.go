package portable_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/exectest"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

func TestConform(t *testing.T) { exectest.Test(t, portable.New()) }

func TestRandom(t *testing.T) { exectest.Random(t, portable.New(), ref.New(), 3000) }

func BenchmarkPortable(b *testing.B) { exectest.Bench(b, portable.New()) }

// TestRunAligned: lanes side by side, of which only every other is aligned as it must be.
func TestRunAligned(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %r = load.i32 global[4 align 8] %a, %e
  set.i32 v[1], %r, %e
  jump 0x100
`)
	space, err := mem.NewSpace("global", mem.NewSegment("buffer", 0, 256, mem.ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ step, lanes uint64 }{{8, 0}, {4, 0xaaaa}} {
		st, err := exec.NewState(m, 16)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, st.Full)
		for lane := range st.Lanes {
			st.V[lane] = uint32(lane) * uint32(c.step)
		}
		stop := portable.New().NewRunner(p).Run(st, &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}, exec.Budget{Steps: 1})
		if got := stop.Fault; c.lanes == 0 && got != nil || c.lanes != 0 && (got == nil || got.Lanes != c.lanes) {
			t.Errorf("lanes %d bytes apart: fault %v, want lanes %#x", c.step, got, c.lanes)
		}
	}
}
