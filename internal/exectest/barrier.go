package exectest

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

const barrierText = `
block 0x100
mark 0x100 size 4
  barrier 0x104
block 0x104
mark 0x104 size 4
  barrier 0x108, 7
block 0x108
mark 0x108 size 4
  %n = get.i32 s[0]
  barrier %n, 0x10c, 2
block 0x10c
mark 0x10c size 4
  %n = get.i32 s[0]
  barrier %n, 0x110, 259
block 0x110
mark 0x110 size 4
  barrier 0x114, 516
block 0x114
mark 0x114 size 4
  end
`

// testBarriers: the stop says at which barrier and for how many lanes a wave waits, and whether it waits; the wave
// continues after the barrier.
func testBarriers(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, barrierText))
	st, _ := exec.NewState(m, 0)
	st.Start(entry, st.Full)
	st.Set(cellOf(fileS, 0), 0, 96)
	env := &exec.Env{}
	for i, want := range []exec.Barrier{{}, {Number: 7}, {Number: 2, Lanes: 96}, {Number: 3, Lanes: 96, Kind: ir.BarrierArrive}, {Number: 4, Kind: ir.BarrierWait}} {
		stop := r.Run(st, env, exec.Budget{Steps: 100})
		if at := uint64(entry + 4 + 4*i); stop.Reason != exec.StopBarrier || stop.At != want || st.At.Key.PC != at || env.Count.Barriers != uint64(i+1) {
			t.Errorf("stop %v at %+v, pc %#x, %d barriers; want %+v, pc %#x", stop.Reason, stop.At, st.At.Key.PC, env.Count.Barriers, want, at)
		}
	}
	if stop := r.Run(st, env, exec.Budget{Steps: 100}); stop.Reason != exec.StopEnd || stop.At != (exec.Barrier{}) {
		t.Errorf("stop %v at %+v, want the end", stop.Reason, stop.At)
	}
}
