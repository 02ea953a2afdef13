package tesla

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// code assembles a program of a stage.
func code(t testing.TB, stage int, text string) []byte {
	t.Helper()
	return assembled(t, tesla.G200, stage, text)
}

func assembled(t testing.TB, variant, stage int, text string) []byte {
	t.Helper()
	res, errs := asm.Assemble(tesla.Set().At(variant, stage), []byte(text), asm.Options{File: t.Name()})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return res.Code
}

// TestRegisters: a register by each kind of name; the four flags of a $c are a number.
func TestRegisters(t *testing.T) {
	st, err := exec.NewState(tesla.Machine(), tesla.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	for name, cell := range map[string]ir.Cell{"r5": {File: tesla.FileR, Index: 5}, "$a3": {File: tesla.FileA, Index: 3}, "o[0x8]": {File: tesla.FileO, Index: 2}} {
		r, err := LookupRegister(0, name)
		if err != nil || !r.PerLane() {
			t.Fatal(name, err)
		}
		if r.Set(st, 7, 0x1234); st.Get(cell, 7) != 0x1234 || r.Get(st, 7) != 0x1234 || r.Get(st, 6) != 0 {
			t.Errorf("%s: %#x", name, st.Get(cell, 7))
		}
	}
	c2, err := LookupRegister(0, "c2")
	if err != nil {
		t.Fatal(err)
	}
	for v := range uint64(16) {
		c2.Set(st, 3, v)
		for i, flag := range []int{tesla.FlagZ, tesla.FlagS, tesla.FlagC, tesla.FlagO} {
			if got := st.Get(ir.Cell{File: tesla.FileC, Index: uint16(8 + flag)}, 3); uint64(got) != v>>i&1 {
				t.Errorf("$c2 of %#x: flag %d is %d", v, i, got)
			}
		}
		if got := c2.Get(st, 3); got != v {
			t.Errorf("$c2 is %#x, want %#x", got, v)
		}
	}
	for _, name := range []string{"r4d", "r128", "v[0x0]", "a8", "o[0x2]"} {
		if _, err := LookupRegister(0, name); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

// half is a halfword of s[].
func half(data []byte, at int) uint16 { return binary.LittleEndian.Uint16(data[at:]) }

// TestBegin: the header of a block, parameters after it, and $r0 of each thread.
func TestBegin(t *testing.T) {
	for _, abi := range []string{CUDA, Mesa} {
		k := &launch.Kernel{ABI: abi, Groups: [3]uint32{7, 5, 3}, Block: [3]uint32{6, 5, 4}, Args: []byte{1, 2, 3, 4, 5}}
		data := mem.NewSegment("group", 0, 64, mem.ReadWrite)
		space, err := mem.NewSpace("group", data)
		if err != nil {
			t.Fatal(err)
		}
		env := &exec.Env{Spaces: exec.Spaces{ir.GroupSpace: {space}}}
		g := &launch.Group{ID: [3]uint32{4, 3, 2}, Size: k.Block, Items: 120, Waves: 4}
		b := &blocks{k}
		if err := b.NewGroup(g, env); err != nil {
			t.Fatal(err)
		}
		want := []uint16{0, 6, 5, 4, 7, 5, 4, 3}
		params := 0x10
		if abi == Mesa {
			want, params = append(want, 3, 2), 0x14
		}
		for i, w := range want {
			if got := half(data.Data, 2*i); got != w {
				t.Errorf("abi %s: s[%#x] is %d, want %d", abi, 2*i, got, w)
			}
		}
		if got := data.Data[params : params+6]; string(got) != "\x01\x02\x03\x04\x05\x00" {
			t.Errorf("abi %s: parameters %x", abi, got)
		}
		st, err := exec.NewState(tesla.Machine(), tesla.Lanes)
		if err != nil {
			t.Fatal(err)
		}
		for wave := range 4 {
			st.Reset()
			if err := b.InitWave(g, wave, st, env); err != nil {
				t.Fatal(err)
			}
			for lane := range 24 {
				n := uint32(32*wave + lane)
				if got, want := st.Get(ir.Cell{}, lane), n%6|n/6%5<<16|n/30<<26; got != want {
					t.Errorf("wave %d lane %d: $r0 is %#x, want %#x", wave, lane, got, want)
				}
				if got := st.Get(ir.Cell{File: tesla.FileSR}, lane); got != uint32(lane|wave<<8) {
					t.Errorf("wave %d lane %d: $physid is %#x", wave, lane, got)
				}
			}
		}
	}
}

// TestKernelRefuses: launches that no chip supports.
func TestKernelRefuses(t *testing.T) {
	of := program(t, "g80", "exit mov b32 $r0 $r0")
	sound := func() *launch.Kernel {
		return &launch.Kernel{Name: "k", Program: of, Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}}
	}
	if _, err := compute.Launch(context.Background(), sound(), launch.Settings{Engine: ref.New()}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(k *launch.Kernel)
		want   string
	}{
		{func(k *launch.Kernel) { k.Block[1] = 17 }, "want 1 to 512 in all"},
		{func(k *launch.Kernel) { k.Block = [3]uint32{1 << 31, 1 << 31, 4} }, "want 1 to 512 in all"},
		{func(k *launch.Kernel) { k.Block[1] = 0 }, "want 1 to 512 in all"},
		{func(k *launch.Kernel) { k.Block = [3]uint32{1, 1, 65} }, "at most 64 along z"},
		{func(k *launch.Kernel) { k.Groups[0] = 65536 }, "want 1 to 65535"},
		{func(k *launch.Kernel) { k.Groups[2] = 2 }, "grids of CUDA have no z"},
		{func(k *launch.Kernel) { k.GroupBytes = 16<<10 - 15 }, "bytes of s[]"},
		{func(k *launch.Kernel) { k.PrivateBytes = 65537 }, "bytes of l[]"},
		{func(k *launch.Kernel) { k.Program = nil }, "there is no code"},
		{func(k *launch.Kernel) { k.ABI = "opencl" }, `no ABI "opencl"; there are cuda, mesa`},
		{func(k *launch.Kernel) { k.Entry = 8 }, "at 0x8"},
		{func(k *launch.Kernel) {
			k.Buffers = []*launch.Buffer{{Name: "c3", Space: launch.Space{ID: ir.ConstSpace, Bank: 3}, Data: make([]byte, 65537)}}
		}, "65537 bytes of c3[]"},
		{func(k *launch.Kernel) { k.Buffers = []*launch.Buffer{{Name: "b", Space: bank(16), Data: []byte{1}}} }, "banks are 0 to 15"},
		{func(k *launch.Kernel) {
			k.Buffers = []*launch.Buffer{{Name: "b", Addr: 1<<32 - 1, Data: make([]byte, 2)}}
		}, "buffers lie below 0x100000000"},
		{func(k *launch.Kernel) {
			k.Buffers = []*launch.Buffer{{Name: "b", Data: make([]byte, 8)}, {Name: "c", Addr: 7, Data: make([]byte, 8)}}
		}, "overlap"},
	} {
		k := sound()
		c.change(k)
		if _, err := compute.Launch(context.Background(), k, launch.Settings{Engine: ref.New()}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// runCase runs a state case.
func runCase(t *testing.T, stage int, text string, c *casefile.StateCase) *launch.Case {
	t.Helper()
	k, err := Platform.Case(&isa.Program{Target: tesla.Set().At(tesla.G200, stage), Code: code(t, stage, text)}, tesla.G200, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(context.Background(), ref.New(), exec.Limits{Steps: 1000}); err != nil {
		t.Fatal(err)
	}
	return k
}

func lane(t *testing.T, k *launch.Case, name string, i int) uint64 {
	t.Helper()
	get, _, err := k.Reg(name)
	if err != nil {
		t.Fatal(err)
	}
	return get(i)
}

// TestCaseGrid: threads of a grid of blocks, in the order of blocks, get their IDs.
func TestCaseGrid(t *testing.T) {
	grid, block := [3]int{3, 2, 2}, [3]int{5, 4, 2}
	k := runCase(t, tesla.CP, `
		cvt u32 $r1 u16 u16 s[0xc]
		cvt u32 $r2 u16 u16 s[0xe]
		cvt u32 $r3 u16 u16 s[0x12]
		cvt u32 $r4 u16 u16 s[0x2]
		cvt u32 $r5 u16 u16 s[0x10]
		exit add b32 $r7 $r6 $r0
	`, &casefile.StateCase{Stage: "compute", Launch: casefile.CaseLaunch{Grid: grid, Block: block}, Initial: &casefile.State{Regs: map[string]casefile.Words{"r6": {V: []uint64{1000}}}}})
	if k.Lanes() != 480 || len(k.Waves) != 24 {
		t.Fatalf("%d lanes in %d waves", k.Lanes(), len(k.Waves))
	}
	for i := range 480 {
		g, n := i/40, i%40
		for name, want := range map[string]int{"r1": g % 3, "r2": g / 3 % 2, "r3": g / 6, "r4": 5, "r5": 2, "r0": n%5 | n/5%4<<16 | n/20<<26} {
			if got := lane(t, k, name, i); got != uint64(want) {
				t.Fatalf("thread %d of block %d: %s is %#x, want %#x", n, g, name, got, want)
			}
		}
		if got, want := lane(t, k, "r7", i), lane(t, k, "r0", i)+1000; got != want {
			t.Fatalf("lane %d: $r7 is %#x, want %#x", i, got, want)
		}
	}
	for i := range k.Waves {
		if n := k.Waves[i].Env.Count.Instructions; n != 6 {
			t.Errorf("wave %d executed %d instructions", i, n)
		}
	}
	c := &casefile.StateCase{Stage: "compute", Launch: casefile.CaseLaunch{Grid: grid, Block: block}, Initial: &casefile.State{Memory: []casefile.Memory{{Space: "shared", Data: []byte{1}}}}}
	if _, err := Platform.Case(nil, 0, c); err == nil || !strings.Contains(err.Error(), "each group of the grid has its own") {
		t.Error(err)
	}
}

// list returns one word per lane.
func list(n int, f func(i int) uint32) casefile.Words {
	w := casefile.Words{List: true}
	for i := range n {
		w.V = append(w.V, uint64(f(i)))
	}
	return w
}

// TestCaseStages: attributes are passed to vertices of several waves, varyings to fragments; discarded fragments are
// compared.
func TestCaseStages(t *testing.T) {
	c := &casefile.StateCase{Stage: "vertex", Launch: casefile.CaseLaunch{Lanes: 40}, Initial: &casefile.State{Attributes: map[string]casefile.Words{
		"a[0x0]": list(40, func(i int) uint32 { return uint32(i) }), "a[0x10]": {V: []uint64{7}}}}}
	k := runCase(t, tesla.VP, "mov b32 $r1 a[0x10]\nmov b32 o[0x4] a[0x0]\nexit add b32 o[0x8] $r1 $r1", c)
	for i := range 40 {
		if got := lane(t, k, "o[0x4]", i); got != uint64(i) || lane(t, k, "o[0x8]", i) != 14 {
			t.Errorf("vertex %d: o[0x4] is %d, o[0x8] %d", i, got, lane(t, k, "o[0x8]", i))
		}
	}
	f := &casefile.StateCase{Stage: "fragment", Launch: casefile.CaseLaunch{Lanes: 4}, Initial: &casefile.State{Varyings: map[string]casefile.Words{
		"v[0x4]": list(4, func(i int) uint32 { return math.Float32bits(float32(i) + 0.5) }), "v[0x0]": {V: []uint64{0x40000000}}}}}
	k = runCase(t, tesla.FP, "interp $r0 v[0x0]\nexit interp $r1 v[0x4] $r0", f)
	for i := range 4 {
		if got := lane(t, k, "r1", i); got != uint64(math.Float32bits(2*float32(i)+1)) {
			t.Errorf("lane %d: $r1 is %#x", i, got)
		}
	}
	f.Final = &casefile.State{Discarded: []bool{false, true, false, false}}
	if what := Platform.Cases.Check(k, f); what != "lane 1: discarded is false, want true" {
		t.Error(what)
	}
	for _, name := range []string{"v[0x2]", "w[0x0]", "v[4", "v[]"} {
		f.Initial.Varyings = map[string]casefile.Words{name: {V: []uint64{0}}}
		if _, err := Platform.Case(&isa.Program{Target: tesla.Set().At(0, tesla.FP), Code: []byte{1}}, 0, f); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	f.Initial.Varyings = map[string]casefile.Words{"v[0x8]": {V: []uint64{0}}}
	k, err := Platform.Case(&isa.Program{Target: tesla.Set().At(0, tesla.FP), Code: code(t, tesla.FP, "exit interp $r1 v[0x4]")}, 0, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err == nil || !strings.Contains(err.Error(), "there is no input word 0x4") {
		t.Error(err)
	}
}

// TestCasePhysID: $physid of the lanes of a case is the thread and its warp, as in a grid.
func TestCasePhysID(t *testing.T) {
	k, err := Platform.Case(&isa.Program{Target: tesla.Set().At(tesla.G80, tesla.CP), Code: code(t, tesla.CP, "exit mov $r1 $physid")}, tesla.G80, &casefile.StateCase{Stage: "compute", Launch: casefile.CaseLaunch{Lanes: 40}})
	if err != nil {
		t.Fatal(err)
	}
	cell := ir.Cell{File: tesla.FileSR, Index: tesla.SRPhysID}
	for i, w := range k.Waves {
		for lane := range tesla.Lanes {
			if got, want := w.State.Get(cell, lane), uint32(lane|i<<8); got != want {
				t.Errorf("warp %d thread %d: %#x, want %#x", i, lane, got, want)
			}
		}
	}
	if len(k.Waves) != 2 {
		t.Errorf("%d warps of 40 lanes", len(k.Waves))
	}
}
