package heddle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// halts checks how a run returned.
func halts(t *testing.T, what string, want heddle.Halt) func(got heddle.Halt, err error) {
	t.Helper()
	return func(got heddle.Halt, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", what, got, err, want)
		}
	}
}

// sizes are the sizes in bytes of the sums, from the references of the sets; groups of Rogue have several.
var sizes = map[string]uint64{"gcn:gfx6": 4, "gcn:gfx8": 4, "valhall": 8, "tesla": 8, "attila": 16}

// TestStep: code of every set at any base, in two pieces, instruction by instruction; pc is a register that can be
// read and set.
func TestStep(t *testing.T) {
	for _, c := range sums {
		const first, second = 0x10000, 0x40000
		w, err := heddle.MustFind(c.isa).EmptyWave(heddle.State{})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []uint64{first, second} {
			if err := w.LoadText(at, c.program+"; "+c.program); err != nil {
				t.Fatal(err)
			}
		}
		w.SetF32(c.a, 0, 1.5)
		w.SetF32(c.b, 0, 2)
		size := w.Regions()[0].Size / 2
		if want, ok := sizes[c.isa]; ok && size != want {
			t.Errorf("%s: %d bytes an instruction, want %d", c.isa, size, want)
		}
		w.SetBits("pc", 0, first)
		for i := range uint64(2) {
			halts(t, c.isa, heddle.HaltSteps)(w.Step(1))
			if got, want := w.Bits("pc", 0), first+(i+1)*size; got != want || w.F32(c.d, 0) != 3.5 {
				t.Errorf("%s: pc %#x, want %#x; sum %v", c.isa, got, want, w.F32(c.d, 0))
			}
		}
		h, err := w.Step(1)
		var f *exec.Fault
		if !errors.As(err, &f) || h != heddle.HaltFault || f.Kind != exec.FaultCode || f.PC != first+2*size || !strings.Contains(err.Error(), "0x10000-0x") {
			t.Errorf("%s: behind the code: %v, %v", c.isa, h, err)
		}
		w.SetBits("pc", 0, second)
		halts(t, c.isa, heddle.HaltPC)(w.RunTo(t.Context(), second+size, 0))
		if n := w.Counters().Instructions; n != 1 {
			t.Errorf("%s: %d instructions to the second", c.isa, n)
		}
	}
}

// TestRunTo: a loop, with limits, and all ways in which a run ends.
func TestRunTo(t *testing.T) {
	w := wave(t, "gcn:gfx8", "top: s_add_u32 s1, s1, 3; s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 top; s_nop 0; s_endpgm",
		heddle.State{Set: []string{"s4=5"}, Steps: 100})
	ctx := t.Context()
	halts(t, "to the branch", heddle.HaltPC)(w.RunTo(ctx, 12, 0))
	halts(t, "there already", heddle.HaltPC)(w.RunTo(ctx, 12, 0))
	if n := w.Counters().Instructions; n != 0 || w.U32("s1", 0) != 3 {
		t.Errorf("%d instructions, s1 %d", n, w.U32("s1", 0))
	}
	halts(t, "seven", heddle.HaltSteps)(w.Step(7))
	if pc, n := w.Bits("pc", 0), w.Counters().Instructions; pc != 8 || n != 7 {
		t.Errorf("pc %#x behind %d instructions", pc, n)
	}
	halts(t, "too few", heddle.HaltSteps)(w.RunTo(ctx, 16, 2))
	halts(t, "behind the loop", heddle.HaltPC)(w.RunTo(ctx, 16, 0))
	if got := w.U32("s1", 0); got != 15 {
		t.Errorf("s1 %d", got)
	}
	halts(t, "nothing", heddle.HaltSteps)(w.Step(0))
	halts(t, "the end", heddle.HaltEnd)(w.Step(100))
	halts(t, "it stays", heddle.HaltEnd)(w.Step(1))
	if w.Bits("live", 0) != 0 {
		t.Errorf("live %#x", w.Bits("live", 0))
	}
	w.SetBits("pc", 0, 16)
	if w.Bits("live", 0) != ^uint64(0) || w.Bits("exec", 0) != ^uint64(0) {
		t.Errorf("begun again: live %#x, exec %#x", w.Bits("live", 0), w.Bits("exec", 0))
	}
	w.SetBits("pc", 0, 0)
	var f *exec.Fault
	if _, err := w.RunTo(ctx, 16, 0); !errors.As(err, &f) || f.Kind != exec.FaultLimit || f.Limit != 100 {
		t.Errorf("the state's limit: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.RunTo(over, 16, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	text := wave(t, "gcn:gfx8", "s_nop 0; s_nop 1", heddle.State{})
	halts(t, "the text's end", heddle.HaltText)(text.Step(9))
	if err := text.LoadText(8, "s_mov_b32 s0, 7"); err != nil {
		t.Fatal(err)
	}
	halts(t, "code follows", heddle.HaltSteps)(text.Step(1))
	if err := text.Run(); err != nil || text.U32("s0", 0) != 7 || text.Counters().Instructions != 2 {
		t.Errorf("%v, s0 %d, %d instructions", err, text.U32("s0", 0), text.Counters().Instructions)
	}
}

// TestStepsAllocate: a stepped instruction does not allocate, with pc set and read, alone and with hooks.
func TestStepsAllocate(t *testing.T) {
	for _, c := range sums {
		w := wave(t, c.isa, c.program+"; "+c.program, heddle.State{})
		stepsAllocate(t, c.isa, w)
		w.OnInstruction(heddle.Anywhere, func(uint64) {})
		w.OnBlock(heddle.Anywhere, func(uint64, int) {})
		stepsAllocate(t, c.isa+" with hooks", w)
	}
	w := wave(t, "gcn:gfx8", "flat_load_dwordx2 v[2:3], v[0:1]; flat_atomic_add v5, v[0:1], v4 glc; flat_store_dwordx2 v[0:1], v[2:3]",
		heddle.State{Set: []string{"v[0:1]=0x1000"}, Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 8)}}})
	told := 0
	w.OnLoad(heddle.Anywhere, func(*exec.Access) { told++ })
	w.OnStore(heddle.Anywhere, func(*exec.Access) { told++ })
	stepsAllocate(t, "accesses", w)
	if told == 0 {
		t.Error("no access was told")
	}
}

// stepsAllocate runs the first two instructions again and again.
func stepsAllocate(t *testing.T, what string, w *heddle.Wave) {
	t.Helper()
	pc, err := w.Reg("pc")
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		pc.Set(0, 0)
		for range 2 {
			if _, err := w.Step(1); err != nil || pc.Get(0) == 0 {
				t.Fatalf("%s: pc %#x, %v", what, pc.Get(0), err)
			}
		}
	}); n != 0 {
		t.Errorf("%s: %v allocations in two steps", what, n)
	}
}

// TestNoCode: a fault for missing code names the address, where code is, and what to do.
func TestNoCode(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_setpc_b64 s[0:1]", heddle.State{Set: []string{"s[0:1]=0x1000"}})
	err := w.Run()
	for _, want := range []string{"pc 0x1000", "the code is at 0x0-0x4", "load code there"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := w.Map(0x1000, 64, mem.ReadWrite); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(); err == nil || !strings.Contains(err.Error(), "(0x1000-0x1040) is not executable") {
		t.Errorf("memory without the right: %v", err)
	}
	if err := w.Protect(0x1000, mem.Read|mem.Execute); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteMemory(0x1000, []byte{0, 0, 0x81, 0xbf}); err != nil { // s_endpgm
		t.Fatal(err)
	}
	if err := w.Run(); err != nil || w.Counters().Instructions != 2 {
		t.Errorf("%v, %d instructions", err, w.Counters().Instructions)
	}
	empty, err := heddle.MustFind("gcn").EmptyWave(heddle.State{})
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Run(); err == nil || !strings.Contains(err.Error(), "no program of its own") {
		t.Errorf("an empty wave runs: %v", err)
	}
	if _, err := empty.Step(1); err == nil || !strings.Contains(err.Error(), "the wave has no code") {
		t.Errorf("an empty wave steps: %v", err)
	}
}

// TestDataWords: digits that are no instruction are refused before anything runs; data directives are not.
func TestDataWords(t *testing.T) {
	for _, c := range []struct{ isa, program, want string }{
		{"gcn:gfx8", "s_nop 0; ffffffff", "eval:2:1: error: ffffffff is no instruction of gcn:gfx8"},
		{"gcn:gfx8", "ff0080be", "ff0080be is no instruction"}, // s_mov_b32 s0 without its literal
		{"tesla", "ffffffffffffffff", "is no instruction of tesla:g80"},
		{"valhall", "ffffffffffffffff", "is no instruction of valhall:v9"},
		{"attila", "ffffffffffffffffffffffffffffffff", "is no instruction of attila:attila"},
	} {
		_, err := heddle.MustFind(c.isa).NewWave(c.program, heddle.State{})
		var es heddle.Errors
		if !errors.As(err, &es) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.program, err)
		}
	}
	w := wave(t, "gcn:gfx8", "ff0080be; 78563412; 000081bf; .long 0xffffffff", heddle.State{})
	if err := w.Run(); err != nil || w.U32("s0", 0) != 0x12345678 {
		t.Errorf("a literal on a line of its own: %v, %#x", err, w.U32("s0", 0))
	}
	w = wave(t, "gcn:gfx8", "s_nop 0; .long 0xffffffff", heddle.State{})
	if err := w.Run(); err == nil || !strings.Contains(err.Error(), "pc 0x4") || !strings.Contains(err.Error(), "ffffffff") {
		t.Errorf("data that is run: %v", err)
	}
}

// TestStatus: GCN's status is what its own instruction reads; its bits are set and read where the manual has them.
func TestStatus(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_getreg_b32 s0, hwreg(HW_REG_STATUS); s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS); s_getreg_b32 s2, hwreg(HW_REG_MODE)", heddle.State{})
	for _, c := range []struct {
		scc, vcc, exec, set, want uint64
	}{
		{0, 0, 1, 0, 1<<16 | 1<<10},                    // valid, vccz
		{1, 1, 1, 1, 1<<16 | 1},                        // scc
		{0, 1 << 40, 0, 1, 1<<16 | 1<<9 | 1},           // execz; scc as it is set through status
		{1, 0, 1, 1<<20 | 1<<9, 1<<20 | 1<<16 | 1<<10}, // cond_dbg_user; what follows from others stays
	} {
		w.SetBits("scc", 0, c.scc)
		w.SetBits("vcc", 0, c.vcc)
		w.SetBits("exec", 0, c.exec)
		w.SetBits("status", 0, c.set)
		if got := w.Bits("status", 0); got != c.want || w.Bits("scc", 0) != c.want&1 {
			t.Errorf("status %#x, scc %d; want %#x", got, w.Bits("scc", 0), c.want)
		}
		w.SetBits("trapsts", 0, 0x1f)
		w.SetBits("mode", 0, 0x2f0)
		if err := w.Run(); err != nil || w.Bits("s0", 0) != c.want || w.Bits("s1", 0) != 0x1f || w.Bits("s2", 0) != 0x2f0 {
			t.Errorf("%v: the program reads %#x, %#x, %#x; want %#x", err, w.Bits("s0", 0), w.Bits("s1", 0), w.Bits("s2", 0), c.want)
		}
	}
	// The mode that the host sets between two steps applies to the next: 1 + 2^-24 rounds to 1, or up.
	round := wave(t, "gcn:gfx8", "v_add_f32 v0, v1, v2; v_add_f32 v3, v1, v2", heddle.State{Set: []string{"v1=0x3f800000", "v2=0x33800000"}})
	halts(t, "nearest", heddle.HaltSteps)(round.Step(1))
	round.SetBits("mode", 0, round.Bits("mode", 0)|1)
	halts(t, "up", heddle.HaltText)(round.Step(1))
	if a, b := round.U32("v0", 0), round.U32("v3", 0); a != 0x3f800000 || b != 0x3f800001 {
		t.Errorf("%#x and %#x", a, b)
	}
}

// TestLanePC: diverged lanes each have a pc, the control stack its depth.
func TestLanePC(t *testing.T) {
	v := wave(t, "valhall", "ICMP.s32.ge.i1 r6, r0, r5, 0x0; BRANCHZ.eq r6, over; IADD_IMM.i32 r1, 0x0, #0x7; over: IADD_IMM.i32 r2, 0x0, #0x9",
		heddle.State{Set: []string{"r0=1,5,1", "r5=3"}})
	halts(t, "apart", heddle.HaltSteps)(v.Step(2))
	places := func(w *heddle.Wave) (pcs []uint64) {
		for lane := range 3 {
			pcs = append(pcs, w.Bits("lane_pc", lane))
		}
		return pcs
	}
	if got := places(v); !slices.Equal(got, []uint64{24, 16, 24}) || v.Bits("exec", 0) != 2 || v.Bits("pc", 0) != 16 {
		t.Errorf("lanes at %d, exec %#x, pc %d", got, v.Bits("exec", 0), v.Bits("pc", 0))
	}
	v.SetBits("lane_pc", 2, 16)
	if got := places(v); !slices.Equal(got, []uint64{24, 16, 16}) || v.Bits("exec", 0) != 6 {
		t.Errorf("lanes at %d, exec %#x", got, v.Bits("exec", 0))
	}
	halts(t, "the end", heddle.HaltText)(v.Step(9))
	if got := []uint32{v.U32("r1", 0), v.U32("r1", 1), v.U32("r1", 2), v.U32("r2", 0), v.U32("r2", 1), v.U32("r2", 2)}; !slices.Equal(got, []uint32{0, 7, 7, 9, 9, 9}) {
		t.Errorf("r1 and r2: %d", got)
	}

	w := wave(t, "tesla", "sub b32 $c0 $r6 $r0 $r5; (l $c0) bra over; mov b32 $r1 7; over: mov b32 $r2 9", heddle.State{Set: []string{"r0=1,5", "r5=3"}})
	halts(t, "the comparison", heddle.HaltSteps)(w.Step(1))
	if z, s := w.Bits("c0.z", 0), w.Bits("c0.s", 0); z != 0 || s != 1 || w.Bits("c0.s", 1) != 0 || w.Bits("stack_depth", 0) != 0 {
		t.Errorf("lane 0: zero %d, sign %d; lane 1: sign %d", z, s, w.Bits("c0.s", 1))
	}
	halts(t, "the branch", heddle.HaltSteps)(w.Step(1))
	if depth, exec := w.Bits("stack_depth", 0), w.Bits("exec", 0); depth != 1 || exec != 1 {
		t.Errorf("depth %d, exec %#x", depth, exec)
	}
	r, err := w.Reg("stack_depth")
	if err != nil || !r.ReadOnly() || r.PerLane() || r.Bits() != 32 {
		t.Errorf("%v", err)
	}
	for _, c := range sums {
		x := wave(t, c.isa, c.program, heddle.State{})
		if _, err := x.Reg("stack_depth"); (err == nil) != (c.isa == "tesla") {
			t.Errorf("%s: the depth of a stack: %v", c.isa, err)
		}
		if x.Bits("exec", 0) != x.Bits("live", 0) || x.Bits("lane_pc", 1) != 0 {
			t.Errorf("%s: exec %#x, live %#x", c.isa, x.Bits("exec", 0), x.Bits("live", 0))
		}
	}
	defer func() {
		if s, _ := recover().(string); s != "heddle: stack_depth cannot be set" {
			t.Errorf("set: %v", s)
		}
	}()
	r.Set(0, 1)
}

// TestSaved: saved state is restored, in the same wave and in another.
func TestSaved(t *testing.T) {
	const program = "s_add_u32 s0, s0, 1; s_add_u32 s1, s1, s0; s_add_u32 s2, s2, s1"
	w := wave(t, "gcn", program, heddle.State{})
	halts(t, "two", heddle.HaltSteps)(w.Step(2))
	saved := w.Save()
	other := wave(t, "gcn", program, heddle.State{})
	for _, x := range []*heddle.Wave{w, other} {
		halts(t, "on", heddle.HaltText)(w.Step(5))
		w.SetU32("s1", 0, 100)
		if err := x.Restore(saved); err != nil || x.Bits("pc", 0) != 8 || x.U32("s1", 0) != 1 || x.U32("s2", 0) != 0 {
			t.Errorf("%v: pc %#x, s1 %d, s2 %d", err, x.Bits("pc", 0), x.U32("s1", 0), x.U32("s2", 0))
		}
	}
	halts(t, "the other goes on", heddle.HaltText)(other.Step(5))
	if got := other.U32("s2", 0); got != 1 {
		t.Errorf("s2 %d", got)
	}
	if err := wave(t, "tesla", "exit nop", heddle.State{}).Restore(saved); err == nil {
		t.Error("a wave of another set takes it")
	}
}

// TestMemory: regions, their rights, and accesses across their bounds.
func TestMemory(t *testing.T) {
	w := wave(t, "gcn:gfx8", "flat_load_dword v2, v[0:1]; flat_store_dword v[0:1], v3", heddle.State{Lanes: 1})
	host := mem.Alloc(16)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	ok(w.Map(0x1000, 16, mem.ReadWrite))
	ok(w.MapData(0x1010, host, mem.Read))
	ok(w.WriteMemory(0x1000, []byte{1, 2, 3, 4}))
	host[0] = 9
	var got [18]byte
	ok(w.ReadMemory(0x1000, got[:]))
	if want := [18]byte{1, 2, 3, 4, 16: 9}; got != want {
		t.Errorf("%x, want %x", got, want)
	}
	w.SetBits("v[0:1]", 0, 0x1010)
	if err := w.Run(); err == nil || !strings.Contains(err.Error(), "read-only") || w.U32("v2", 0) != 9 {
		t.Errorf("a store to memory that is to be read: %v, loaded %d", err, w.U32("v2", 0))
	}
	ok(w.Protect(0x1010, mem.ReadWrite))
	w.SetU32("v3", 0, 0x55)
	ok(w.Run())
	if host[0] != 0x55 {
		t.Errorf("%x", host)
	}
	ok(w.Protect(0x1010, mem.Read))
	if err := w.WriteMemory(0x1008, make([]byte, 16)); err == nil || !strings.Contains(err.Error(), "memory of the host") || got[0] != 1 {
		t.Errorf("the host's constants are written: %v", err)
	}
	ok(w.Unmap(0x1000))
	if list := w.Regions(); len(list) != 1 || list[0].Base != 0x1010 || list[0].Size != 16 || list[0].Rights != mem.Read {
		t.Errorf("%v", list)
	}
}

// TestMemoryWrong: the error of a region that cannot be mapped, changed or read says why.
func TestMemoryWrong(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_nop 0; s_nop 0; s_nop 0; s_nop 0", heddle.State{Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 32)}}})
	for _, c := range []struct {
		err  error
		want string
	}{
		{w.Map(0x100f, 8, mem.Read), "overlaps"},
		{w.Map(0x2000, 0, mem.Read), "0 bytes"},
		{w.Map(0x2000, 8, 0), "rights"},
		{w.Map(0x2000, 8, 8), "rights"},
		{w.Map(^uint64(0)-3, 8, mem.Read), "wrap around"},
		{w.MapData(0x2001, mem.Alloc(8), mem.Read), "not aligned"},
		{w.Load(0, []byte{0, 0, 0x80, 0xbf}), "the wave's program is at 0x0-0x10"},
		{w.Load(0x3000, nil), "no bytes"},
		{w.LoadText(0x3000, "v_bad v0"), "v_bad"},
		{w.LoadText(0x3000, "ffffffff"), "no instruction"},
		{w.Unmap(0x1004), "does not begin"},
		{w.Unmap(0x9000), "no memory at 0x9000"},
		{w.Protect(0x9000, mem.Read), "no memory at 0x9000"},
		{w.ReadMemory(0x101f, make([]byte, 2)), "no memory at 0x1020"},
		{w.ReadMemory(^uint64(0), make([]byte, 2)), "no memory"},
		{w.WriteMemory(0x0fff, make([]byte, 2)), "no memory at 0xfff"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

// TestCodeChanges: after a write to code, by the host or by the program itself, the changed code runs.
func TestCodeChanges(t *testing.T) {
	w, err := heddle.MustFind("gcn:gfx8").EmptyWave(heddle.State{Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Map(0x1000, 64, mem.ReadWrite|mem.Execute); err != nil {
		t.Fatal(err)
	}
	p, err := w.ISA().Assemble("flat_store_dword v[0:1], v2\ns_mov_b32 s0, 1\ns_endpgm")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteMemory(0x1000, p); err != nil {
		t.Fatal(err)
	}
	again := func(want uint32) {
		t.Helper()
		w.SetBits("pc", 0, 0x1000)
		halts(t, fmt.Sprint(want), heddle.HaltEnd)(w.Step(10))
		if got := w.U32("s0", 0); got != want {
			t.Errorf("s0 is %d, want %d", got, want)
		}
	}
	w.SetBits("v[0:1]", 0, 0x1030) // next to the code
	again(1)
	if err := w.WriteMemory(0x1008, []byte{0x82}); err != nil { // s_mov_b32 s0, 2
		t.Fatal(err)
	}
	again(2)
	w.SetBits("v[0:1]", 0, 0x1008)
	w.SetU32("v2", 0, 0xbe800083) // s_mov_b32 s0, 3
	again(3)
	host := mem.Alloc(8)
	copy(host, []byte{0x84, 0, 0x80, 0xbe, 0, 0, 0x81, 0xbf})
	if err := w.MapData(0x2000, host, mem.Execute); err != nil {
		t.Fatal(err)
	}
	w.SetBits("pc", 0, 0x2000)
	halts(t, "of the host", heddle.HaltEnd)(w.Step(10))
	host[0] = 0x85
	w.Flush()
	w.SetBits("pc", 0, 0x2000)
	halts(t, "changed", heddle.HaltEnd)(w.Step(10))
	if got := w.U32("s0", 0); got != 5 {
		t.Errorf("s0 is %d", got)
	}
}

// BenchmarkStep measures a stepped instruction, alone and with an instruction hook.
func BenchmarkStep(b *testing.B) {
	for _, c := range sums {
		for _, hooked := range []bool{false, true} {
			w := wave(b, c.isa, c.program, heddle.State{})
			pc, err := w.Reg("pc")
			if err != nil {
				b.Fatal(err)
			}
			name := c.isa + "/plain"
			if hooked {
				name = c.isa + "/hook"
				w.OnInstruction(heddle.Anywhere, func(uint64) {})
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					pc.Set(0, 0)
					if h, err := w.Step(1); err != nil || h != heddle.HaltText {
						b.Fatal(h, err)
					}
				}
			})
		}
	}
}
