package heddle_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// same reports lists that differ.
func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%v\nwant\n%v", what, got, want)
	}
}

// TestOnInstruction: hooks see each instruction in their range before it runs, may set pc, and stop the run; after
// they are removed nothing is left.
func TestOnInstruction(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_mov_b32 s0, 2; top: s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 top; s_mov_b32 s1, 9; s_nop 0", heddle.State{})
	var all, few, blocks []uint64
	first := w.OnInstruction(heddle.Anywhere, func(pc uint64) { all = append(all, pc) })
	second := w.OnInstruction(heddle.Range{From: 4, To: 8}, func(pc uint64) { few = append(few, pc, uint64(w.U32("s0", 0))) })
	third := w.OnBlock(heddle.Anywhere, func(pc uint64, n int) { blocks = append(blocks, pc, uint64(n)) })
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	same(t, "all", all, []uint64{0, 4, 8, 12, 4, 8, 12, 16, 20})
	same(t, "two of them, with s0 before", few, []uint64{4, 2, 8, 1, 4, 1, 8, 0})
	same(t, "blocks", blocks, []uint64{0, 4, 4, 3, 16, 2})
	if n := w.Counters().Instructions; n != 9 {
		t.Errorf("%d instructions", n)
	}
	if !w.Unhook(second) || w.Unhook(second) || !w.Unhook(third) {
		t.Error("hooks were not taken away once")
	}
	w.SetU32("s1", 0, 0)
	all = nil
	skip := w.OnInstruction(heddle.Range{From: 16, To: 16}, func(uint64) { w.SetBits("pc", 0, 20) })
	if err := w.Run(); err != nil || w.U32("s1", 0) != 0 {
		t.Errorf("%v; s1 is %d", err, w.U32("s1", 0))
	}
	same(t, "with a jump", all[len(all)-2:], []uint64{16, 20})
	w.Unhook(skip)
	stop := w.OnInstruction(heddle.Range{From: 8, To: 8}, func(uint64) { w.Stop() })
	w.SetBits("pc", 0, 0)
	halts(t, "stopped", heddle.HaltStop)(w.Step(100))
	if pc, n := w.Bits("pc", 0), w.Counters().Instructions; pc != 8 || n != 2 {
		t.Errorf("stopped at %#x behind %d instructions", pc, n)
	}
	w.SetBits("pc", 0, 0)
	var f *exec.Fault
	if err := w.Run(); !errors.As(err, &f) || f.Kind != exec.FaultStopped || f.PC != 8 {
		t.Errorf("Run is stopped: %v", err)
	}
	w.Unhook(stop)
	w.SetBits("pc", 0, 8)
	var inside error
	again := w.OnInstruction(heddle.Anywhere, func(uint64) { _, inside = w.Step(1) })
	halts(t, "on", heddle.HaltText)(w.Step(100))
	if inside == nil || !strings.Contains(inside.Error(), "running") || w.Running() {
		t.Errorf("a hook runs the wave: %v", inside)
	}
	w.Unhook(again)
	w.Unhook(first)
	all = nil
	if err := w.Run(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", err, all)
	}
}

// told returns an access as the tests write it.
func told(a *exec.Access) string {
	return fmt.Sprintf("%v %v lane %d at %#x: %d bytes %#x", a.Kind, a.Space, a.Lane, a.Addr, len(a.Data), a.Value())
}

// TestOnAccess: the loads and stores of lanes, with addresses, sizes and values; atomics as both.
func TestOnAccess(t *testing.T) {
	w := wave(t, "gcn:gfx8", "flat_load_dwordx2 v[2:3], v[0:1]; flat_store_short v[0:1], v4; flat_atomic_add v5, v[0:1], v4 glc; ds_write_b32 v6, v4",
		heddle.State{Set: []string{"v[0:1]=0x1000,0x1008", "v4=0x10003,0x10005", "v6=4,8", "m0=-1"}, Group: make([]byte, 64),
			Global: []heddle.Region{{Addr: 0x1000, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}}}})
	var list []string
	before := []byte{0}
	loads := w.OnLoad(heddle.Anywhere, func(a *exec.Access) { list = append(list, told(a)) })
	stores := w.OnStore(heddle.Anywhere, func(a *exec.Access) {
		list = append(list, told(a))
		if a.Kind == exec.AccessStore && a.Addr == 0x1000 {
			if err := w.ReadMemory(0x1000, before); err != nil {
				t.Error(err)
			}
			if err := w.WriteMemory(0x1000, []byte{0}); err == nil {
				t.Error("memory was changed in the middle of an access")
			}
			a.Data[0] = 0xee // a copy
		}
	})
	run := func() {
		t.Helper()
		if err := w.Run(); err != nil {
			t.Fatal(err)
		}
	}
	run()
	same(t, "accesses", list, []string{
		"load global lane 0 at 0x1000: 8 bytes 0x807060504030201", "load global lane 1 at 0x1008: 8 bytes 0x1817161514131211",
		"store global lane 0 at 0x1000: 2 bytes 0x3", "store global lane 1 at 0x1008: 2 bytes 0x5",
		"atomic load global lane 0 at 0x1000: 4 bytes 0x4030003", "atomic store global lane 0 at 0x1000: 4 bytes 0x4040006",
		"atomic load global lane 1 at 0x1008: 4 bytes 0x14130005", "atomic store global lane 1 at 0x1008: 4 bytes 0x1414000a",
		"store group lane 0 at 0x4: 4 bytes 0x10003", "store group lane 1 at 0x8: 4 bytes 0x10005",
	})
	if got := w.Global(0)[:4]; before[0] != 1 || got[0] != 6 || got[2] != 4 {
		t.Errorf("memory was %d before the store, and is %x", before[0], got)
	}
	w.Unhook(loads)
	w.Unhook(stores)
	list = nil
	some := w.OnLoad(heddle.Range{From: 0x1008, To: 0x100f}, func(a *exec.Access) {
		list = append(list, told(a))
		w.Stop()
	})
	w.SetBits("pc", 0, 0)
	halts(t, "behind the load", heddle.HaltStop)(w.Step(9))
	if len(list) != 1 || w.Bits("pc", 0) == 0 || w.U32("v3", 1) != 0x18171615 {
		t.Errorf("%v, pc %#x, v3 %#x", list, w.Bits("pc", 0), w.U32("v3", 1))
	}
	w.Unhook(some)
}

// TestSetsAccess: loads and stores of the other sets are reported; programs of ATTILA only read constants.
func TestSetsAccess(t *testing.T) {
	for _, c := range []struct {
		isa, program string
		set          []string
		want         []string
	}{
		{"tesla", "st b32 g0[$r0] $r1; ld b32 $r2 g0[$r0]", []string{"r0=0x1000", "r1=7"}, []string{"store global", "load global"}},
		{"valhall", "STORE.i32.slot0 @r2, r0, offset:0; LOAD.i32.slot0.wait0 @r4, r0, offset:0", []string{"r0=0x1000", "r2=7"}, []string{"store global", "load global"}},
		// The resource table at 0x1000 has an entry for 16 bytes at 0x1020, which the handle names.
		{"valhall", "STORE.i64.slot0 @r2:r3, r4, offset:8; STORE.i32.slot0.wait0 @r6, r4, offset:0; LD_BUFFER.i32.slot0.wait0 @r8, r0, r1",
			[]string{"r1=0xfe000000", "resource_table_pointer.w0=0x1001", "r2=16", "r4=0x1000", "r6=0x1020"},
			[]string{"store global", "store global", "descriptor load global", "load global"}},
		{"rogue", "{ s0 = r10, s3 = r6..7 backend: st.writethrough s0, 2, drc0, 1, s3, _; }; { s0 = r6..7, s3 = r8 backend: ld s3, drc0, 1, s0; }",
			[]string{"r6=0x1000", "r10=7"}, []string{"store global", "load global"}},
	} {
		w, err := heddle.MustFind(c.isa).NewWave(c.program, heddle.State{Set: c.set, Lanes: 1, Group: make([]byte, 64), Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 64)}}})
		if err != nil {
			t.Errorf("%s: %v", c.isa, err)
			continue
		}
		var list []string
		tell := func(a *exec.Access) { list = append(list, fmt.Sprintf("%v %v", a.Kind, a.Space)) }
		w.OnLoad(heddle.Anywhere, tell)
		w.OnStore(heddle.Anywhere, tell)
		if err := w.Run(); err != nil {
			t.Errorf("%s: %v", c.isa, err)
		}
		same(t, c.isa, list, c.want)
	}
}

// TestOnFault: pages are mapped when a program accesses them, as data and as code; a fault that no hook resolves ends
// the run.
func TestOnFault(t *testing.T) {
	const page = 0x1000
	w, err := heddle.MustFind("gcn:gfx8").EmptyWave(heddle.State{Lanes: 3, Set: []string{"v[0:1]=0x10ff8,0x20000,0x10100", "s[0:1]=0x9000"}})
	if err != nil {
		t.Fatal(err)
	}
	w.SetBits("pc", 0, 0x5000)
	var asked []string
	hook := w.OnFault(func(f *exec.Fault) bool {
		switch {
		case f.Kind == exec.FaultCode && f.PC == 0x5000:
			asked = append(asked, "code")
			return w.LoadText(0x5000, "flat_load_dword v2, v[0:1]; flat_store_dword v[0:1], v2; s_setpc_b64 s[0:1]") == nil
		case f.Kind == exec.FaultCode:
			asked = append(asked, fmt.Sprintf("code at %#x", f.PC))
			return w.LoadText(f.PC, "s_endpgm") == nil
		case f.Kind == exec.FaultMemory && f.Mem.Kind == mem.OutOfRange:
			asked = append(asked, fmt.Sprintf("%s of %d at %#x lane %d", f.Mem.Op, f.Mem.Size, f.Addr, f.Lane))
			return w.Map(f.Addr&^(page-1), page, mem.Read) == nil
		case f.Kind == exec.FaultMemory && f.Mem.Kind == mem.ReadOnly:
			asked = append(asked, fmt.Sprintf("%s at %#x is not allowed", f.Mem.Op, f.Addr))
			return w.Protect(f.Addr&^(page-1), mem.ReadWrite) == nil
		}
		return false
	})
	halts(t, "on demand", heddle.HaltEnd)(w.Step(100))
	same(t, "asked", asked, []string{"code", "load of 4 at 0x10ff8 lane 0", "load of 4 at 0x20000 lane 1", "store at 0x10ff8 is not allowed", "store at 0x20000 is not allowed", "code at 0x9000"})
	if n := w.Counters().Instructions; n != 4 {
		t.Errorf("%d instructions", n)
	}
	w.Unhook(hook)

	w.SetBits("pc", 0, 0x5000)
	w.SetBits("v[0:1]", 1, 0x77000)
	lies := 0
	w.OnFault(func(*exec.Fault) bool { lies++; return true })
	var f *exec.Fault
	if _, err := w.Step(9); !errors.As(err, &f) || f.Addr != 0x77000 || f.Lane != 1 || lies != 1 {
		t.Errorf("%v; asked %d times", err, lies)
	}
}

// TestOnTrap: a hook does the work of a trap handler, and a run that it sends in a circle ends.
func TestOnTrap(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_mov_b32 s0, 20; s_trap 3; s_add_u32 s0, s0, 1", heddle.State{})
	h := w.OnFault(func(f *exec.Fault) bool {
		if f.Kind != exec.FaultTrap {
			return false
		}
		w.SetU32("s0", 0, 2*w.U32("s0", 0))
		w.SetBits("pc", 0, f.PC+4)
		return true
	})
	if err := w.Run(); err != nil || w.U32("s0", 0) != 41 {
		t.Errorf("%v; s0 is %d", err, w.U32("s0", 0))
	}
	w.Unhook(h)
	if err := w.Run(); err == nil || !strings.Contains(err.Error(), "s_trap") {
		t.Errorf("a trap without a handler: %v", err)
	}
	circle := wave(t, "gcn:gfx8", "s_trap 1; s_trap 2", heddle.State{})
	n := 0
	circle.OnFault(func(f *exec.Fault) bool {
		n++
		circle.SetBits("pc", 0, 4-f.PC)
		return true
	})
	if err := circle.Run(); err == nil || n > 1<<13 {
		t.Errorf("%v behind %d traps", err, n)
	}
}

// TestHooksChangeNothing: with hooks that only observe, all registers are the same as without.
func TestHooksChangeNothing(t *testing.T) {
	for _, c := range sums {
		s := heddle.State{Regs: map[string][]uint64{}}
		for _, name := range []string{c.a, c.b} {
			for i := range 4 {
				s.Regs[name] = append(s.Regs[name], 0x3fc00000+uint64(i*77777))
			}
		}
		plain, hooked := wave(t, c.isa, c.program, s), wave(t, c.isa, c.program, s)
		n := 0
		hooked.OnInstruction(heddle.Anywhere, func(uint64) { n++ })
		if err := errors.Join(plain.Run(), hooked.Run()); err != nil || n != 1 {
			t.Fatalf("%s: %v, told %d times", c.isa, err, n)
		}
		for lane := range 4 {
			if a, b := plain.Bits(c.d, lane), hooked.Bits(c.d, lane); a != b || a == 0 {
				t.Errorf("%s: lane %d: %#x and %#x", c.isa, lane, a, b)
			}
		}
		if plain.Counters() != hooked.Counters() {
			t.Errorf("%s: %+v and %+v", c.isa, plain.Counters(), hooked.Counters())
		}
	}
}

// TestAccessNames: the names of kinds, for reports.
func TestAccessNames(t *testing.T) {
	if exec.AccessAtomicStore.String() != "atomic store" || !exec.AccessStore.Writes() || exec.AccessAtomicLoad.Writes() || ir.GlobalSpace.String() != "global" {
		t.Error(exec.AccessAtomicStore)
	}
}
