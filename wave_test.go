package heddle_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
)

// sums are an addition of floats for each instruction set: d = a + b.
var sums = []struct{ isa, program, d, a, b string }{
	{"gcn:gfx6", "v_add_f32 v0, v1, v2", "v0", "v1", "v2"},
	{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v0", "v1", "v2"},
	{"valhall", "FADD.f32 r0, r1, r2", "r0", "r1", "r2"},
	{"tesla", "add rn f32 $r0 $r1 $r2", "r0", "r1", "r2"},
	{"rogue", "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r3 }", "r3", "r1", "r2"},
	{"attila", "add r0, r1, r2", "r0.y", "r1.y", "r2.y"},
}

func wave(t testing.TB, name, program string, s heddle.State) *heddle.Wave {
	t.Helper()
	w, err := heddle.MustFind(name).NewWave(program, s)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, program, err)
	}
	return w
}

// TestWave: the program finds register values that a test sets in one lane there and in no other, again and again.
func TestWave(t *testing.T) {
	for _, c := range sums {
		w := wave(t, c.isa, c.program, heddle.State{})
		last := w.Lanes() - 1
		w.SetF32(c.b, heddle.AllLanes, 0.25)
		for i := range 3 {
			w.SetF32(c.a, 0, 1.5)
			w.SetF32(c.a, last, float32(-i))
			if err := w.Run(); err != nil {
				t.Fatalf("%s: %v", c.isa, err)
			}
			for lane, want := range map[int]float32{0: 1.75, 1: 0.25, last: 0.25 - float32(i)} {
				if got := w.F32(c.d, lane); got != want {
					t.Errorf("%s, run %d: lane %d has %v, want %v", c.isa, i, lane, got, want)
				}
			}
			if n := w.Counters().Instructions; n != uint64(len(w.Text())) {
				t.Errorf("%s, run %d: %d instructions", c.isa, i, n)
			}
		}
	}
}

// TestWaveEnds: terminated lanes are active again in the next run, except for those that were not in the execution
// mask.
func TestWaveEnds(t *testing.T) {
	for _, c := range []struct{ isa, program, in, out string }{
		{"gcn:gfx8", "v_add_u32 v0, vcc, 1, v1; s_endpgm", "v1", "v0"},
		{"tesla:g200", "add b32 $r0 $r1 0x1; exit nop", "$r1", "$r0"},
		{"valhall:v9", "IADD_IMM.i32 r0, r1, #0x1; NOP.end", "r1", "r0"},
		{"attila", "mov r0, r1; end", "r1.x", "r0.x"},
	} {
		plus := uint32(1)
		if c.isa == "attila" {
			plus = 0
		}
		w := wave(t, c.isa, c.program, heddle.State{Lanes: 3})
		for _, x := range []uint32{10, 20, 30} {
			if x == 30 {
				w.SetBits("exec", 0, 2)
			}
			w.SetU32(c.in, heddle.AllLanes, x)
			if err := w.Run(); err != nil {
				t.Fatalf("%s: %v", c.isa, err)
			}
			want := map[uint32][3]uint32{10: {10, 10, 7}, 20: {20, 20, 7}, 30: {20, 30, 2}}[x]
			if a, b, mask := w.U32(c.out, 0), w.U32(c.out, 1), w.Bits("exec", 0); a != want[0]+plus || b != want[1]+plus || mask != uint64(want[2]) {
				t.Errorf("%s, %d: lanes 0 and 1 have %d and %d, execution mask %#x", c.isa, x, a, b, mask)
			}
		}
	}
}

// TestWaveParts: lanes that reach the end of the text first wait for diverged ones, and all are active again in the
// next run.
func TestWaveParts(t *testing.T) {
	for _, c := range []struct{ isa, program, seven, nine string }{ // lanes 0 and 1 have 1 and 5, of which 1 is less than 3
		{"tesla", "sub b32 $c0 $r6 $r0 $r5; (l $c0) bra over; mov b32 $r1 7; over: mov b32 $r2 9", "r1", "r2"},
		{"valhall", "ICMP.s32.ge.i1 r6, r0, r5, 0x0; BRANCHZ.eq r6, over; IADD_IMM.i32 r1, 0x0, #0x7; over: IADD_IMM.i32 r2, 0x0, #0x9", "r1", "r2"},
	} {
		w := wave(t, c.isa, c.program, heddle.State{Set: []string{"r0=1,5", "r5=3"}})
		for range 2 {
			w.SetU32(c.seven, heddle.AllLanes, 0)
			w.SetU32(c.nine, heddle.AllLanes, 0)
			if err := w.Run(); err != nil {
				t.Fatalf("%s: %v", c.isa, err)
			}
			got := [4]uint32{w.U32(c.seven, 0), w.U32(c.seven, 1), w.U32(c.nine, 0), w.U32(c.nine, 1)}
			if want := [4]uint32{0, 7, 9, 9}; got != want || w.Bits("exec", 0) != 3 {
				t.Errorf("%s: %d, want %d; the lanes are %#x", c.isa, got, want, w.Bits("exec", 0))
			}
		}
	}
}

// TestWaveAllocates: after the first run nothing is allocated, with registers and lanes of all kinds.
func TestWaveAllocates(t *testing.T) {
	for _, c := range sums {
		w := wave(t, c.isa, c.program, heddle.State{})
		if n := testing.AllocsPerRun(100, func() {
			w.SetF32(c.a, 0, 1.5)
			w.SetF32(c.b, heddle.AllLanes, 2)
			if err := w.Run(); err != nil || w.F32(c.d, 0) != 3.5 {
				t.Fatalf("%s: %v, %v", c.isa, w.F32(c.d, 0), err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a run", c.isa, n)
		}
	}
}

// TestWaveTypes: each typed method interprets the bits by its type. The values are those of IEEE 754 and of two's
// complement.
func TestWaveTypes(t *testing.T) {
	w := wave(t, "gcn:gfx8", "v_mov_b32 v8, v0; v_mov_b32 v9, v1; s_mov_b64 s[2:3], s[0:1]", heddle.State{})
	run := func() {
		t.Helper()
		if err := w.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		set       func()
		low, high uint64
		same      func() bool
	}{
		{func() { w.SetF64("v[0:1]", 3, -1.5) }, 0, 0xbff80000, func() bool { return w.F64("v[8:9]", 3) == -1.5 }},
		{func() { w.SetI64("v[0:1]", 3, -2) }, 0xfffffffe, 0xffffffff, func() bool { return w.I64("v[8:9]", 3) == -2 }},
		{func() { w.SetU64("v[0:1]", 3, 1<<32|7) }, 7, 1, func() bool { return w.U64("v[8:9]", 3) == 1<<32|7 }},
		{func() { w.SetI32("v0", 3, -5) }, 0xfffffffb, 1, func() bool { return w.I32("v8", 3) == -5 }},
		{func() { w.SetF32("v1", 3, float32(math.Inf(-1))) }, 0xfffffffb, 0xff800000, func() bool { return math.IsInf(float64(w.F32("v9", 3)), -1) }},
		{func() { w.SetF16("v0", 3, 1, 1.5); w.SetF16("v0", 3, 0, -2) }, 0x3e00c000, 0xff800000,
			func() bool { return w.F16("v8", 3, 0) == -2 && w.F16("v8", 3, 1) == 1.5 }},
		{func() { w.SetF16("v0", 3, 0, 1+1.0/2048+1.0/4096) }, 0x3e003c01, 0xff800000, // 1.5 units above 1: of the neighbouring halves 1 unit is nearer than 0
			func() bool { return w.F16("v8", 3, 0) == 1+1.0/1024 }},
		{func() { w.SetBits("v0", 3, 0x7f800001) }, 0x7f800001, 0xff800000, func() bool { return w.U32("v8", 3) == 0x7f800001 && w.Bits("v8", 3) == 0x7f800001 }},
	} {
		c.set()
		run()
		if low, high := w.Bits("v8", 3), w.Bits("v9", 3); low != c.low || high != c.high || !c.same() {
			t.Errorf("%#x %#x, want %#x %#x, read as what they were set as: %v", low, high, c.low, c.high, c.same())
		}
	}
	w.SetU64("s[0:1]", 5, 1<<63) // per wave: the lane is ignored
	w.SetF16("v0", heddle.AllLanes, 1, 1)
	run()
	if got := w.U64("s[2:3]", 99); got != 1<<63 {
		t.Errorf("s[2:3] is %#x", got)
	}
	if got, high := w.F16("v8", 63, 1), w.Bits("v8", 3); got != 1 || high != 0x3c000001 {
		t.Errorf("halves: %v, %#x", got, high)
	}
}

// TestWaveGoesOn: registers, the execution mask and memory are kept for the next run; a loop, stores, and faults with
// their places.
func TestWaveGoesOn(t *testing.T) {
	w := wave(t, "gcn:gfx8", "top: s_sub_u32 s4, s4, 1; s_cmp_lg_u32 s4, 0; s_cbranch_scc1 top; flat_load_dword v2, v[0:1]; v_add_u32 v2, vcc, 3, v2; flat_store_dword v[0:1], v2",
		heddle.State{Set: []string{"s4=5", "v[0:1]=0x1000,0x1004"}, Global: []heddle.Region{{Addr: 0x1000, Data: make([]byte, 8)}}})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	if n, g := w.Counters().Instructions, w.Global(0); n != 3*5+3 || g[0] != 3 || g[4] != 3 {
		t.Errorf("%d instructions, memory %x", n, g)
	}
	if w.Group() != nil {
		t.Error("group memory from nowhere")
	}
	w.Global(0)[4] = 100
	w.SetU64("exec", 0, 2)
	w.SetI32("s4", 0, 1)
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	if n, g := w.Counters().Instructions, w.Global(0); n != 6 || g[0] != 3 || g[4] != 103 || w.U64("exec", 0) != 2 {
		t.Errorf("%d instructions, memory %x, exec %#x", n, g, w.U64("exec", 0))
	}
	w.SetI32("s4", 0, 1)
	w.SetU64("v[0:1]", 1, 0x2000)
	var f *exec.Fault
	if err := w.Run(); !errors.As(err, &f) || f.Lane != 1 || f.Addr != 0x2000 || len(f.Registers) == 0 || f.Registers[0].Value != 0x2000 {
		t.Errorf("a fault in lane 1 with its registers: %v", err)
	}
	w.SetI32("s4", 0, 0) // 2^32 iterations
	if err := w.Run(); !errors.As(err, &f) || f.Kind != exec.FaultLimit || f.Limit != 1_000_000 {
		t.Errorf("no end: %v", err)
	}
}

// TestWaveAsRun: a wave begins, runs and ends as for ISA.Run with the same State.
func TestWaveAsRun(t *testing.T) {
	for _, s := range []heddle.State{{}, {Lanes: 3}, {Set: []string{"v1=1.5,2.5"}}, {Regs: map[string][]uint64{"v1": {7}, "exec": {0xf0}}}} {
		const program = "v_add_f32 v0, v1, v1; v_cmp_lt_f32 vcc, 2.0, v0; s_and_saveexec_b64 s[0:1], vcc; v_mov_b32 v3, 1"
		r, err := heddle.MustFind("gcn:gfx8").Run(context.Background(), program, s)
		if err != nil {
			t.Fatal(err)
		}
		w := wave(t, "gcn:gfx8", program, s)
		if err := w.Run(); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"v0", "v3", "s[0:1]", "vcc", "exec"} {
			want, err := r.Reg(name)
			if err != nil {
				t.Fatal(err)
			}
			for lane, v := range want.Now {
				if got := w.Bits(name, lane); got != v {
					t.Errorf("%+v: %s lane %d is %#x, want %#x", s, name, lane, got, v)
				}
			}
		}
		if w.Counters() != r.Counters {
			t.Errorf("%+v: %+v, want %+v", s, w.Counters(), r.Counters)
		}
	}
}

// TestWaveWrong: wrong texts and states are errors; wrong registers and lanes in a test's source are panics with a
// message.
func TestWaveWrong(t *testing.T) {
	gcn := heddle.MustFind("gcn:gfx8")
	for _, c := range []struct{ program, set, want string }{
		{"v_add_f33 v0, v1, v2", "", `no instruction "v_add_f33"`},
		{"", "", "no instruction"},
		{"s_nop 0", "v999=1", "v999"},
	} {
		s := heddle.State{}
		if c.set != "" {
			s.Set = []string{c.set}
		}
		if _, err := gcn.NewWave(c.program, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.program, err, c.want)
		}
	}
	w := wave(t, "gcn:gfx8", "s_nop 0", heddle.State{})
	for _, name := range []string{"v256", "nothing", "v[0:3]"} {
		if _, err := w.Reg(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, f := range map[string]func(){
		"v256":                            func() { w.F32("v256", 0) },
		"v0: lane 64; the wave has 64":    func() { w.F32("v0", 64) },
		"v0: lane -1; the wave has 64":    func() { w.F32("v0", heddle.AllLanes) },
		"v0: lane -2; the wave has 64":    func() { w.SetF32("v0", -2, 1) },
		"v[0:1] has 64 bits, not 32":      func() { w.F32("v[0:1]", 0) },
		"v0 has 32 bits, not 64":          func() { w.SetF64("v0", 0, 1) },
		"half 2; a register has halves 0": func() { w.F16("v0", 0, 2) },
		"v0 has 32 bits: 0x100000000":     func() { w.SetBits("v0", 0, 1<<32) },
	} {
		func() {
			defer func() {
				if got, ok := recover().(string); !ok || !strings.Contains(got, want) {
					t.Errorf("%v, want %s", got, want)
				}
			}()
			f()
		}()
	}
}

// BenchmarkWave measures one instruction on a given state: two registers set in a lane or in all, a run, a register
// read there.
func BenchmarkWave(b *testing.B) {
	for _, c := range sums {
		w := wave(b, c.isa, c.program, heddle.State{})
		x, err := w.Reg(c.a)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.isa+"/lane", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.SetF32(c.a, 0, 1.5)
				w.SetF32(c.b, 0, 2)
				if err := w.Run(); err != nil || w.F32(c.d, 0) != 3.5 {
					b.Fatal(w.F32(c.d, 0), err)
				}
			}
		})
		b.Run(c.isa+"/lanes", func(b *testing.B) {
			b.ReportAllocs()
			w.SetF32(c.b, heddle.AllLanes, 2)
			for b.Loop() {
				for lane := range w.Lanes() {
					x.Set(lane, 0x3fc00000) // 1.5
				}
				if err := w.Run(); err != nil || w.F32(c.d, 0) != 3.5 {
					b.Fatal(w.F32(c.d, 0), err)
				}
			}
		})
	}
}
