package lanewise_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// accesses records what a watcher was called with, as text.
type accesses []string

func (l *accesses) Accessed(a *exec.Access) {
	*l = append(*l, fmt.Sprintf("pc %#x %v %v %#x at %#x lane %d: %#x", a.PC, a.Kind, a.Space, a.Addr, a.At, a.Lane, a.Value()))
}

// counter is a device that counts its loads.
type counter struct{ loads uint64 }

func (c *counter) Load(_ uint64, p []byte) { c.loads++; mem.Store(p, c.loads) }
func (*counter) Store(uint64, []byte)      {}
func (c *counter) Atomic(uint64, int, mem.AtomicOp, uint64, uint64) (old uint64) {
	return 7
}

// TestWatched: a flat access to a window of group memory is reported with both addresses; an access to a device and
// an atomic there are reported too.
func TestWatched(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x10
mark 0x10 size 4
  %e = get.i1 exec
  %a = get.i32 v[0]
  %w = zext.i64 %a
  %x = load.i32 flat[4] %w, %e
  set.i32 v[2], %x, %e
mark 0x14 size 4
  %e1 = get.i1 exec
  %a1 = get.i32 v[0]
  %w1 = zext.i64 %a1
  %x1 = get.i32 v[2]
  store.i32 flat[4] %w1, %x1, %e1
mark 0x18 size 4
  %e2 = get.i1 exec
  %d = get.i32 v[1]
  %f = zext.i64 %d
  %x2 = get.i32 v[2]
  %y = atomic.i32 global[4 add] %f, %x2, %e2
  end
`)
	st, err := exec.NewState(m, 16)
	if err != nil {
		t.Fatal(err)
	}
	group := mem.NewSegment("group", 0, 64, mem.ReadWrite)
	mem.Store(group.Data[8:12], 5)
	gs, err := mem.NewSpace("group", group)
	if err != nil {
		t.Fatal(err)
	}
	dev := &counter{}
	global := &mem.Space{Name: "global", Miss: func(*mem.Space, uint64, uint64, mem.Rights) mem.Reply { return mem.Reply{Device: dev} }}
	env := &exec.Env{Windows: []exec.Window{{Base: 0x8000, Size: 64, Space: ir.GroupSpace}}}
	env.Spaces[ir.GroupSpace], env.Spaces[ir.GlobalSpace] = []*mem.Space{gs}, []*mem.Space{global}
	for lane, addr := range map[int]uint32{1: 0x8008, 3: 0x9000} {
		st.Set(ir.Cell{File: 0, Index: 0}, lane, addr)
		st.Set(ir.Cell{File: 0, Index: 1}, lane, 0x9100)
	}
	st.Start(0x10, 0b1010)
	var got accesses
	if stop := ref.Watched(&got).NewRunner(p).Run(st, env, exec.Budget{Steps: 9}); stop.Reason != exec.StopEnd {
		t.Fatalf("%v: %v", stop.Reason, stop.Fault)
	}
	want := []string{
		"pc 0x10 load group 0x8008 at 0x8 lane 1: 0x5", "pc 0x10 load global 0x9000 at 0x9000 lane 3: 0x1",
		"pc 0x14 store group 0x8008 at 0x8 lane 1: 0x5", "pc 0x14 store global 0x9000 at 0x9000 lane 3: 0x1",
		"pc 0x18 atomic load global 0x9100 at 0x9100 lane 1: 0x7", "pc 0x18 atomic store global 0x9100 at 0x9100 lane 1: 0xc",
		"pc 0x18 atomic load global 0x9100 at 0x9100 lane 3: 0x7", "pc 0x18 atomic store global 0x9100 at 0x9100 lane 3: 0x8",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
