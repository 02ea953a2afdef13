package gen

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// slowOps runs a wave of 64 lanes for some instructions, and returns what machine code did not execute.
func slowOps(t *testing.T, e exec.Engine, p *exec.Program, env *exec.Env, steps uint64, prepare func(st *exec.State)) (*exec.State, []exec.SlowOp) {
	t.Helper()
	m := exec.Measure(e)
	r := m.NewRunner(p)
	st, err := exec.NewState(p.Machine(), 64)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, st.Full)
	prepare(st)
	if stop := r.Run(st, env, exec.Budget{Steps: steps}); stop.Reason != exec.StopBudget {
		t.Fatal(stop.Reason, stop.Fault)
	}
	return st, m.Taken().Slow
}

// runIn runs a wave in a memory for some instructions; its v[0] is the address of a word for each lane.
func runIn(t *testing.T, r exec.Runner, m *ir.Machine, global *mem.Space, base uint64) *exec.State {
	t.Helper()
	env := &exec.Env{}
	env.Spaces[ir.GlobalSpace] = []*mem.Space{global}
	st, err := exec.NewState(m, 64)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, st.Full)
	for lane := range 64 {
		st.V[lane] = uint32(base) + 4*uint32(lane)
	}
	if stop := r.Run(st, env, exec.Budget{Steps: 10}); stop.Reason != exec.StopBudget {
		t.Fatal(stop.Reason, stop.Fault)
	}
	return st
}

// TestResumes: an access of two segments in turn leaves machine code each time, and the code goes on there when the
// other segment is cached.
func TestResumes(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %k = const.i32 12288
  %a = get.i32 v[0]
  %e = get.i1 exec
  %x = load.i32 global[4] %a, %e
  %b = xor.i32 %a, %k
  %s = get.i32 v[1]
  %t = iadd.i32 %s, %x
  set.i32 v[0], %b, %e
  set.i32 v[1], %t, %e
  jump 0x100
`)
	first, second := mem.NewSegment("first", 0x1000, 512, mem.ReadWrite), mem.NewSegment("second", 0x2000, 512, mem.ReadWrite)
	for i := range first.Data {
		if i%4 == 0 {
			first.Data[i], second.Data[i] = byte(i/4), 1
		}
	}
	space, err := mem.NewSpace("global", first, second)
	if err != nil {
		t.Fatal(err)
	}
	env := &exec.Env{}
	env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	for _, level := range tested(t) {
		st, slow := slowOps(t, exec.Eager(portable.With(nativeOf(level))), p, env, 100, func(st *exec.State) {
			for lane := range 64 {
				st.V[lane] = 0x1000 + 4*uint32(lane)
				st.V[st.Stride+lane] = 0
			}
		})
		if len(slow) > 0 {
			t.Errorf("%v: not in machine code: %v", level, slow)
		}
		for lane := range uint32(64) { // 50 loads of each segment
			if got, want := st.V[uint32(st.Stride)+lane], 50*lane+50; got != want {
				t.Errorf("%v: lane %d has %d, want %d", level, lane, got, want)
			}
		}
	}
}

// TestFollows: code that has cached a segment of one wave's own memory uses that of the next wave, which is elsewhere,
// without leaving.
func TestFollows(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %x = load.i32 global[4] %a, %e
  set.i32 v[1], %x, %e
  jump 0x100
`)
	shared, err := mem.NewSpace("global", mem.NewSegment("shared", 0x100, 256, mem.ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range tested(t) {
		exits := 0
		r := exec.Eager(portable.With(left{nativeOf(level), &exits})).NewRunner(p)
		for wave := range 4 {
			own := mem.NewSegment("own", uint64(0x1000*(1+wave%3)), 256, mem.ReadWrite)
			for i := range own.Data {
				own.Data[i] = byte(i + wave)
			}
			space, err := shared.Overlay(own)
			if err != nil {
				t.Fatal(err)
			}
			exits = 0
			st := runIn(t, r, m, space, own.Base)
			if (exits > 0) != (wave == 0) {
				t.Errorf("%v: wave %d has left machine code %d times", level, wave, exits)
			}
			for lane := range uint32(64) {
				at := byte(4*lane) + byte(wave)
				if got, want := st.V[uint32(st.Stride)+lane], uint32(at)|uint32(at+1)<<8|uint32(at+2)<<16|uint32(at+3)<<24; got != want {
					t.Fatalf("%v: wave %d, lane %d: %#x, want %#x", level, wave, lane, got, want)
				}
			}
		}
	}
}

// TestFollowsApart: a block that is not in a chain, and one that is, use the memory of the wave that runs, although the
// segments of all waves have one name and one address.
func TestFollowsApart(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	const load = `
  %a = get.i32 v[0]
  %e = get.i1 exec
  %x = load.i32 global[4] %a, %e
`
	p := exectest.Parse(m, "block 0x100\nmark 0x100 size 4\n  %c = clock.i64"+load+"  set.i32 v[1], %x, %e\n  jump 0x104\nblock 0x104\nmark 0x104 size 4"+
		load+"  set.i32 v[2], %x, %e\n  jump 0x100\n")
	for _, level := range tested(t) {
		r := exec.Eager(portable.With(nativeOf(level))).NewRunner(p)
		for wave := range 4 {
			own := mem.NewSegment("own", 0x1000, 256, mem.ReadWrite)
			for i := range own.Data {
				own.Data[i] = byte(1 + wave)
			}
			space, err := mem.NewSpace("global", own)
			if err != nil {
				t.Fatal(err)
			}
			st := runIn(t, r, m, space, own.Base)
			want := uint32(1+wave) * 0x1010101
			if a, b := st.V[st.Stride+5], st.V[2*st.Stride+5]; a != want || b != want {
				t.Errorf("%v: wave %d: %#x and %#x, want %#x", level, wave, a, b, want)
			}
		}
	}
}

// TestSlowOps: ops without code are named, with the number of instructions.
func TestSlowOps(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	const text = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %i = get.i32 v[1]
  %e = get.i1 exec
  %x:%ok = scatterlane.i32 %a, %i, %e
  set.i32 v[2], %x, %e
  jump 0x100
`
	p := exectest.Parse(m, text)
	for _, level := range tested(t) {
		_, slow := slowOps(t, exec.Eager(portable.With(nativeOf(level))), p, &exec.Env{}, 30, func(*exec.State) {})
		if got, want := fmt.Sprint(slow), "[{scatterlane i32 30}]"; got != want {
			t.Errorf("%v: %s, want %s", level, got, want)
		}
	}
	_, slow := slowOps(t, portable.With(nativeOf(0)), p, &exec.Env{}, 30, func(*exec.State) {})
	if slow != nil {
		t.Errorf("an engine without machine code: %v", slow)
	}
	for _, level := range tested(t) {
		_, slow := slowOps(t, portable.With(nativeOf(level)), exectest.Parse(m, text), &exec.Env{}, 10, func(*exec.State) {})
		if got, want := fmt.Sprint(slow), "[{a block that was not compiled yet 10}]"; got != want {
			t.Errorf("%v: %s, want %s", level, got, want)
		}
	}
}
