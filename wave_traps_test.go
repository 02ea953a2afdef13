package heddle_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
)

// TestInvalidInstruction: a fault hook is called for bytes that are no instruction, in every set, and may continue
// after them.
func TestInvalidInstruction(t *testing.T) {
	for _, c := range sums {
		w, err := heddle.MustFind(c.isa).EmptyWave(heddle.State{Lanes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.LoadText(0x2000, c.program); err != nil {
			t.Fatal(err)
		}
		if err := w.Load(0x1000, []byte(strings.Repeat("\xff", 64))); err != nil {
			t.Fatal(err)
		}
		w.SetBits("pc", 0, 0x1000)
		w.SetF32(c.a, 0, 1)
		w.SetF32(c.b, 0, 2)
		calls := 0
		w.OnFault(func(f *exec.Fault) bool {
			calls++
			if f.PC != 0x1000 || f.Kind != exec.FaultTrap {
				t.Errorf("%s: %v of kind %v", c.isa, f, f.Kind)
			}
			w.SetBits("pc", 0, 0x2000)
			return true
		})
		halts(t, c.isa, heddle.HaltSteps)(w.Step(2)) // the move and the sum
		if calls != 1 || w.F32(c.d, 0) != 3 {
			t.Errorf("%s: %d calls, sum %v", c.isa, calls, w.F32(c.d, 0))
		}
	}
}

// TestWavesApart: waves of one set in different goroutines do not disturb each other; for the race detector.
func TestWavesApart(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wave(t, "gcn:gfx8", "top: flat_load_dword v2, v[0:1]; v_add_u32 v2, vcc, 1, v2; flat_store_dword v[0:1], v2; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 top",
				heddle.State{Lanes: 1, Set: []string{"v[0:1]=0x1000", "s0=200"}, Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 4)}}})
			n, stores := 0, 0
			w.OnInstruction(heddle.Anywhere, func(uint64) { n++ })
			w.OnStore(heddle.Anywhere, func(*exec.Access) { stores++ })
			if err := w.Run(); err != nil || n != 1200 || stores != 200 || w.U32("v2", 0) != 200 {
				t.Errorf("%v: %d instructions, %d stores, %d", err, n, stores, w.U32("v2", 0))
			}
		})
	}
}
