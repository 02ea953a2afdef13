package launch_test

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// sharing has registers that the waves of a group share, g, and code can await them.
var sharing = &ir.Machine{
	Name: "sharing",
	Files: []ir.File{
		{Name: "s", Kind: ir.Wave32, Count: 2},
		{Name: "g", Kind: ir.Wave32, Count: 2, Group: true, Awaited: true},
		{Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths: []int{16}, Control: ir.MaskData,
}

// countdown: wave w waits until g[0] is w, appends the digit w + 1 to those in g[1], and releases the wave before it.
const countdown = `
block 0x100
mark 0x100 size 4
  %turn = get.i32 g[0]
  %w = get.i32 s[1]
  %c = eq.i32 %turn, %w
  branch %c, 0x104, 0x100
block 0x104
mark 0x104 size 4
  %w = get.i32 s[1]
  %old = get.i32 g[1]
  %ten = const.i32 10
  %one = const.i32 1
  %high = imul.i32 %old, %ten
  %digit = iadd.i32 %w, %one
  %new = iadd.i32 %high, %digit
  %before = isub.i32 %w, %one
  set.i32 g[1], %new
  set.i32 g[0], %before
mark 0x108 size 4
  end
`

// countdownTarget begins all waves with the turn of wave 3.
type countdownTarget struct{}

func (countdownTarget) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (countdownTarget) InitWave(_ *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	st.Set(ir.Cell{Index: 1}, 0, uint32(wave))
	st.Set(ir.Cell{File: 1}, 0, 3)
	return nil
}

// TestSharedRegisters: what a wave writes to registers of the group is seen by all its waves, including those that have
// ended; a wave that waits for such a register yields to the others; the next group starts afresh.
func TestSharedRegisters(t *testing.T) {
	for _, steps := range []uint64{0, 1} {
		l := &launch.Launch{Program: exectest.Parse(sharing, countdown), Entry: ir.Key{PC: 0x100}, Engine: ref.New(), Target: countdownTarget{},
			Grid: launch.Grid{Groups: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}}, Limits: exec.Limits{Steps: 1000}}
		s, err := l.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		w := s.NewSlot()
		for i := range s.Groups() {
			if err := w.Begin(i); err != nil {
				t.Fatal(err)
			}
			for wave, ok := w.Next(); ok; wave, ok = w.Next() {
				if stop := w.Turn(wave, exec.Budget{Steps: steps, Exact: steps != 0}); stop.Reason == exec.StopFault {
					t.Fatal(stop.Fault)
				}
			}
			for k := range w.Waves {
				if got := w.Waves[k].State.Get(ir.Cell{File: 1, Index: 1}, 0); got != 4321 {
					t.Errorf("steps of %d, group %d: wave %d has %d, want 4321", steps, i, k, got)
				}
			}
			w.End()
		}
		s.End()
	}
}
