package differ

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/sanitize"
)

// swapping is an exchange of a work-item with the word of its number.
const swapping = `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %four = const.i32 4
  %at = imul.i32 %x, %four
  %new = const.i32 7
  %cmp = const.i32 0
  %e = get.i1 exec
  %y = atomic.i32 global[4 cmpswap] %at, %new, %cmp, %e
mark 0x104 size 4
  end
`

// A counter is a device that counts what is asked of it.
type counter struct{ loads, atomics int }

func (d *counter) Load(_ uint64, p []byte) { d.loads++; clear(p) }
func (d *counter) Store(uint64, []byte)    {}
func (d *counter) Atomic(uint64, int, mem.AtomicOp, uint64, uint64) uint64 {
	d.atomics++
	return 0
}

// numbered is a target that sets v[0] to the work-item's number, but in each second wave to that of the one before.
type numbered struct{}

func (numbered) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (numbered) InitWave(_ *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	for lane := range st.Lanes {
		st.Set(ir.Cell{}, lane, uint32(wave/2*st.Lanes+lane))
	}
	return nil
}

// TestSwapWatched: looking for races does not access what a comparing exchange accesses: a device, and pages that have
// the rights which the first access wants.
func TestSwapWatched(t *testing.T) {
	run := func(miss func(addr uint64, want mem.Rights) mem.Reply) {
		t.Helper()
		global := &mem.Space{Name: "global"}
		global.Miss = func(_ *mem.Space, addr, _ uint64, want mem.Rights) mem.Reply { return miss(addr, want) }
		l := &launch.Launch{
			Kernel: "k", Program: exectest.Parse(exectest.Machine(ir.MaskData), swapping), Entry: ir.Key{PC: 0x100}, Engine: ref.New(),
			Grid: launch.Grid{Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{40, 1, 1}}, Lanes: 16, Target: numbered{},
			Env:     exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {global}}},
			Watcher: sanitize.New(sanitize.CheckRace, nil),
		}
		if _, err := l.Run(context.Background()); err != nil {
			t.Error(err)
		}
	}
	run(func(addr uint64, want mem.Rights) mem.Reply {
		page := addr &^ 255
		if want&mem.Write == 0 {
			t.Errorf("asks for %v at %#x", want, addr)
		}
		return mem.Reply{Segment: mem.NewSegment(string(rune('A'+page/256)), page, 256, want)}
	})
	d := &counter{}
	run(func(uint64, mem.Rights) mem.Reply { return mem.Reply{Device: d} })
	if d.loads > 0 || d.atomics == 0 {
		t.Errorf("%d loads and %d atomic operations of a device", d.loads, d.atomics)
	}
}
