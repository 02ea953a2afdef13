package heddle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// TestHooksOfAnEvent: for every kind of event, a hook that another hook of the event removes is not called, and one
// that it adds is first called at the next.
func TestHooksOfAnEvent(t *testing.T) {
	for _, c := range []struct {
		name, program string
		add           func(w *heddle.Wave, f func(at string)) heddle.Hook
		want          []string
	}{
		{"instruction", "s_nop 0; s_nop 1; s_nop 2", func(w *heddle.Wave, f func(string)) heddle.Hook {
			return w.OnInstruction(heddle.Anywhere, func(pc uint64) { f(fmt.Sprint(pc)) })
		}, []string{"first 0", "first 4", "added 4", "first 8", "added 8"}},
		{"block", "s_branch a; a: s_branch b; b: s_nop 0", func(w *heddle.Wave, f func(string)) heddle.Hook {
			return w.OnBlock(heddle.Anywhere, func(pc uint64, _ int) { f(fmt.Sprint(pc)) })
		}, []string{"first 0", "first 4", "added 4", "first 8", "added 8"}},
		{"load", "flat_load_dword v2, v[0:1]", func(w *heddle.Wave, f func(string)) heddle.Hook {
			return w.OnLoad(heddle.Anywhere, func(a *exec.Access) { f(fmt.Sprint(a.Lane)) })
		}, []string{"first 0", "first 1", "added 1", "first 2", "added 2"}},
		{"store", "flat_store_dword v[0:1], v2", func(w *heddle.Wave, f func(string)) heddle.Hook {
			return w.OnStore(heddle.Anywhere, func(a *exec.Access) { f(fmt.Sprint(a.Lane)) })
		}, []string{"first 0", "first 1", "added 1", "first 2", "added 2"}},
		{"fault", "s_trap 1; s_trap 2; s_trap 3", func(w *heddle.Wave, f func(string)) heddle.Hook {
			return w.OnFault(func(x *exec.Fault) bool {
				f(fmt.Sprint(x.PC))
				w.SetBits("pc", 0, 4+x.PC)
				return false
			})
		}, []string{"first 0", "first 4", "added 4", "first 8", "added 8"}},
	} {
		w := wave(t, "gcn:gfx8", c.program, heddle.State{Lanes: 3, Set: []string{"v[0:1]=0x1000"}, Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 4)}}})
		var list []string
		var removed heddle.Hook
		changed := false
		c.add(w, func(at string) {
			list = append(list, "first "+at)
			if changed {
				return
			}
			changed = true
			if !w.Unhook(removed) || w.Unhook(removed) {
				t.Errorf("%s: the hook was not removed once", c.name)
			}
			c.add(w, func(at string) { list = append(list, "added "+at) })
		})
		removed = c.add(w, func(at string) { list = append(list, "removed "+at) })
		halt := heddle.HaltFault
		for i := 0; i < 9 && halt == heddle.HaltFault; i++ { // each trap ends the run, with pc at the next
			halt, _ = w.Step(9)
		}
		if halt != heddle.HaltText {
			t.Errorf("%s: halt %v", c.name, halt)
		}
		same(t, c.name, list, c.want)
	}
}

// TestHookRemovesItself: a hook that removes itself and frees what it uses is not called again.
func TestHookRemovesItself(t *testing.T) {
	w := wave(t, "gcn:gfx8", "flat_store_dword v[0:1], v2; s_nop 0; s_nop 1", heddle.State{Set: []string{"v[0:1]=0x1000"}, Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 4)}}})
	calls := map[string]int{}
	var instruction, store heddle.Hook
	instruction = w.OnInstruction(heddle.Anywhere, func(uint64) { calls["instruction"]++; w.Unhook(instruction) })
	store = w.OnStore(heddle.Anywhere, func(*exec.Access) { calls["store"]++; w.Unhook(store) })
	if err := w.Run(); err != nil || calls["instruction"] != 1 || calls["store"] != 1 {
		t.Errorf("%v, %v", err, calls)
	}
}

// circles are hooks that send a wave in a circle, in which no instruction completes.
var circles = []struct {
	name, program string
	add           func(w *heddle.Wave)
}{
	{"instruction", "s_nop 0; s_nop 1", func(w *heddle.Wave) {
		w.OnInstruction(heddle.Anywhere, func(pc uint64) { w.SetBits("pc", 0, 4-pc) })
	}},
	{"block", "s_branch a; a: s_nop 1", func(w *heddle.Wave) {
		w.OnBlock(heddle.Anywhere, func(pc uint64, _ int) { w.SetBits("pc", 0, 4-pc) })
	}},
	{"trap", "s_trap 1; s_trap 2", func(w *heddle.Wave) {
		w.OnFault(func(f *exec.Fault) bool { w.SetBits("pc", 0, 4-f.PC); return true })
	}},
	{"code", "s_nop 0", func(w *heddle.Wave) {
		w.SetBits("pc", 0, 0x2000)
		w.OnFault(func(f *exec.Fault) bool { w.SetBits("pc", 0, f.PC^0x1000); return true })
	}},
}

// TestMovesCount: if a hook sets pc for ever, the run is ended by the budget of a step, the limit of a run or the
// context.
func TestMovesCount(t *testing.T) {
	for _, c := range circles {
		w := wave(t, "gcn:gfx8", c.program, heddle.State{Steps: 1000})
		c.add(w)
		pc := w.Bits("pc", 0)
		halts(t, c.name, heddle.HaltSteps)(w.Step(3))
		if w.Bits("pc", 0) == pc || w.Counters().Instructions != 0 {
			t.Errorf("%s: pc %#x after %d instructions and three moves", c.name, w.Bits("pc", 0), w.Counters().Instructions)
		}
		var f *exec.Fault
		if _, err := w.RunTo(t.Context(), 0x777777, 0); !errors.As(err, &f) || f.Kind != exec.FaultLimit || f.Limit != 1000 {
			t.Errorf("%s: the limit: %v", c.name, err)
		}
		if c.name == "trap" || c.name == "code" { // faults without progress have a limit of their own
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := w.StepContext(ctx, 1<<62); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: the context: %v", c.name, err)
		}
	}
}

// TestMoveOfABlockHook: a block hook that sets pc hides the instruction from instruction hooks; so does one that
// stops the wave.
func TestMoveOfABlockHook(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_branch a; a: s_nop 1", heddle.State{})
	var list []uint64
	w.OnInstruction(heddle.Anywhere, func(pc uint64) { list = append(list, pc) })
	h := w.OnBlock(heddle.Range{}, func(uint64, int) { w.SetBits("pc", 0, 4) })
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	same(t, "moved", list, []uint64{4})
	w.Unhook(h)
	w.OnBlock(heddle.Anywhere, func(uint64, int) { w.Stop() })
	w.SetBits("pc", 0, 0)
	halts(t, "stopped", heddle.HaltStop)(w.Step(1))
	same(t, "stopped", list, []uint64{4})
}

// TestHookOfAFault: an instruction hook that a fault hook adds is not called for the faulting instruction, whether
// there were others or not.
func TestHookOfAFault(t *testing.T) {
	for _, before := range []bool{false, true} {
		w := wave(t, "gcn:gfx8", "s_nop 0; flat_load_dword v2, v[0:1]; s_nop 1", heddle.State{Lanes: 1, Set: []string{"v[0:1]=0x1000"}})
		var list []uint64
		if before {
			w.OnInstruction(heddle.Anywhere, func(uint64) {})
		}
		w.OnFault(func(*exec.Fault) bool {
			w.OnInstruction(heddle.Anywhere, func(pc uint64) { list = append(list, pc) })
			return w.Map(0x1000, 4, mem.Read) == nil
		})
		if err := w.Run(); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint("others before: ", before), list, []uint64{12})
	}
}

// TestHookElsewhere: hooks on some addresses see only these, also in the middle of blocks and with breakpoints of
// RunTo.
func TestHookElsewhere(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_mov_b32 s0, 3; top: s_sub_u32 s0, s0, 1; flat_store_dword v[0:1], v2; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 top; s_nop 0",
		heddle.State{Lanes: 1, Set: []string{"v[0:1]=0x1000"}, Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 4)}}})
	var list []string
	w.OnInstruction(heddle.Range{From: 16, To: 16}, func(pc uint64) { list = append(list, fmt.Sprintf("%d s0=%d", pc, w.U32("s0", 0))) })
	w.OnStore(heddle.Range{From: 0x1000, To: 0x1000}, func(a *exec.Access) { list = append(list, fmt.Sprintf("store s0=%d", w.U32("s0", 0))) })
	halts(t, "the end of the loop", heddle.HaltPC)(w.RunTo(t.Context(), 24, 0))
	same(t, "seen", list, []string{"store s0=2", "16 s0=2", "store s0=1", "16 s0=1", "store s0=0", "16 s0=0"})
	if n := w.Counters().Instructions; n != 13 {
		t.Errorf("%d instructions", n)
	}
}

// TestSelfModifying: a store to decoded code takes effect with the next instruction, also within its own block;
// stores next to code cause no decoding.
func TestSelfModifying(t *testing.T) {
	const at = 0x1000
	w, err := heddle.MustFind("gcn:gfx8").EmptyWave(heddle.State{Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.LoadText(at, "flat_store_dword v[0:1], v2; s_mov_b32 s0, 1; s_endpgm"), w.Protect(at, mem.ReadWrite|mem.Execute)); err != nil {
		t.Fatal(err)
	}
	w.SetBits("v2", 0, 0xbe800085) // s_mov_b32 s0, 5
	for _, c := range []struct {
		name string
		addr uint64
		want uint32
		hook bool
	}{
		{"beside", at + 0x100, 1, false}, {"the next", at + 8, 5, false}, {"beside, again", at + 0x100, 5, false}, {"the next, with a hook", at + 8, 7, true},
	} {
		if c.addr == at+0x100 && c.want == 1 {
			if err := w.Map(c.addr, 0x100, mem.ReadWrite|mem.Execute); err != nil {
				t.Fatal(err)
			}
		}
		if c.hook {
			w.OnInstruction(heddle.Anywhere, func(uint64) {})
			w.SetBits("v2", 0, 0xbe800087)
		}
		w.SetU64("v[0:1]", 0, c.addr)
		w.SetBits("pc", 0, at)
		halts(t, c.name, heddle.HaltEnd)(w.Step(9))
		if got := w.U32("s0", 0); got != c.want {
			t.Errorf("%s: s0 is %d, want %d", c.name, got, c.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		w.SetU64("v[0:1]", 0, at+0x100)
		w.SetBits("pc", 0, at)
		if _, err := w.Step(9); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteMemory(at+0x180, []byte{1}); err != nil {
			t.Fatal(err)
		}
	}); n > 4 {
		t.Errorf("%v allocations a run: code is decoded again", n)
	}
}

// TestMapTooMuch: sizes that no host has are errors.
func TestMapTooMuch(t *testing.T) {
	w, err := heddle.MustFind("gcn").EmptyWave(heddle.State{})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, -1, 1<<31 + 1, 1 << 46, 1<<63 - 1, -1 << 63} {
		if err := w.Map(0x1000, size, mem.Read); err == nil || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestFetchAcross: an instruction that lies in two regions is decoded without a copy of the second.
func TestFetchAcross(t *testing.T) {
	w, err := heddle.MustFind("gcn:gfx8").EmptyWave(heddle.State{})
	if err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 64<<20)
	copy(large, []byte{0x78, 0x56, 0x34, 0x12, 0, 0, 0x81, 0xbf}) // the literal, s_endpgm
	if err := errors.Join(w.Load(0x1000, []byte{0xff, 0, 0x80, 0xbe}), w.Load(0x1004, large)); err != nil {
		t.Fatal(err)
	}
	w.SetBits("pc", 0, 0x1000)
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if text, n, err := w.Instruction(0x1000); err != nil || n != 8 || text != "s_mov_b32 s0, 0x12345678" {
				b.Fatal(text, n, err)
			}
		}
	})
	if n := r.AllocedBytesPerOp(); n > 1<<16 {
		t.Errorf("%d bytes are allocated for an instruction", n)
	}
	halts(t, "run", heddle.HaltEnd)(w.Step(5))
	if got := w.U32("s0", 0); got != 0x12345678 {
		t.Errorf("s0 is %#x", got)
	}
}

// TestTexelsAreTold: reads by image instructions are reported with address, lane and bytes, filtered ones texel by
// texel.
func TestTexelsAreTold(t *testing.T) {
	// Of a row of 8 texels of 32 bits: the descriptor of the set's examples, with data at 0x1000.
	data := make([]byte, 32)
	for i := range data {
		data[i] = byte(i)
	}
	for _, c := range []struct {
		program string
		set     []string
		want    []string
	}{
		{"image_sample v0, v1, s[0:7], s[8:11]", []string{"v1=0.0625,0.1875"}, []string{"texel load lane 0 at 0x1000: 4 bytes 0x3020100", "texel load lane 1 at 0x1004: 4 bytes 0x7060504"}},
		{"image_sample v0, v1, s[0:7], s[8:11]", []string{"v1=0.125,0.875", "s10=0x500000"}, // linear
			[]string{"texel load lane 0 at 0x1000: 4 bytes 0x3020100", "texel load lane 0 at 0x1004: 4 bytes 0x7060504",
				"texel load lane 1 at 0x1018: 4 bytes 0x1b1a1918", "texel load lane 1 at 0x101c: 4 bytes 0x1f1e1d1c"}},
		{"image_load v0, v1, s[0:7]", []string{"v1=1,3"}, []string{"load lane 0 at 0x1004: 4 bytes 0x7060504", "load lane 1 at 0x100c: 4 bytes 0xf0e0d0c"}},
	} {
		w := wave(t, "gcn:gfx8", c.program, heddle.State{Lanes: 2, Set: append(c.set, "s[0:7]=0x10,0x1c400000,7,0x80800fac,0xe000,0,0,0"),
			Global: []heddle.Region{{Addr: 0x1000, Data: data}}})
		var list []string
		for _, r := range []heddle.Range{{From: 0x1000, To: 0x101f}, {From: 0x2000, To: 0x2fff}} {
			w.OnLoad(r, func(a *exec.Access) {
				list = append(list, fmt.Sprintf("%v lane %d at %#x: %d bytes %#x", a.Kind, a.Lane, a.Addr, len(a.Data), a.Value()))
			})
		}
		if err := w.Run(); err != nil {
			t.Fatal(err)
		}
		same(t, c.program, list, c.want)
	}
}
