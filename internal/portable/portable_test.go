package portable_test

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// eager is the engine with all blocks in its highest tier.
var eager = exec.Eager(portable.New())

func TestConform(t *testing.T) { exectest.Test(t, eager) }

func TestRandom(t *testing.T) { exectest.Random(t, eager, ref.New(), 3000) }

func BenchmarkPortable(b *testing.B) { exectest.Bench(b, portable.New()) }

// TestRunAligned covers consecutive lanes of which only every other one is aligned as required.
func TestRunAligned(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %r = load.i32 global[4 align 8] %a, %e
  set.i32 v[1], %r, %e
  jump 0x100
`)
	space, err := mem.NewSpace("global", mem.NewSegment("buffer", 0, 256, mem.ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ step, lanes uint64 }{{8, 0}, {4, 0xaaaa}} {
		st, err := exec.NewState(m, 16)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, st.Full)
		for lane := range st.Lanes {
			st.V[lane] = uint32(lane) * uint32(c.step)
		}
		stop := eager.NewRunner(p).Run(st, &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}, exec.Budget{Steps: 1})
		if got := stop.Fault; c.lanes == 0 && got != nil || c.lanes != 0 && (got == nil || got.Lanes != c.lanes) {
			t.Errorf("lanes %d bytes apart: fault %v, want lanes %#x", c.step, got, c.lanes)
		}
	}
}

// TestAllocations checks that a run allocates nothing once its blocks are prepared, whatever executes its ops.
func TestAllocations(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %e = get.i1 exec
  %r = load.i32 global[4 align 4] %a, %e
  %s = iadd.i32 %r, %b
  %f = cast.f32 %s
  %g = fmul.f32 %f, %f {rne daz ftz}
  %h = fexp2.f32 %g {rne}
  %i = cast.i32 %h
  %j:%w = shuffle.i32 %i, %a, %e
  %n = clss.i32 %j
  set.i32 v[2], %n, %w
mark 0x104 size 4
  %c = get.i32 v[0]
  %d = get.i32 v[2]
  %m = get.i1 exec
  store.i32 global[4 align 4] %c, %d, %m
mark 0x108 size 4
  %k = const.i32 3
  %x = get.i32 v[0]
  %l = get.i1 exec
  %old = atomic.i32 global[4 add] %x, %k, %l
  set.i32 v[3], %old, %l
  jump 0x100
`)
	space, err := mem.NewSpace("global", mem.NewSegment("buffer", 0, 256, mem.ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
	r := eager.NewRunner(p)
	for _, lanes := range []uint64{^uint64(0), 0x5555} {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, lanes)
		for lane := range st.Lanes {
			st.V[lane] = uint32(lane) * 4
		}
		if n := testing.AllocsPerRun(20, func() {
			if stop := r.Run(st, env, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
				t.Fatal(stop.Reason, stop.Fault)
			}
		}); n != 0 {
			t.Errorf("lanes %#x: %v allocations", lanes, n)
		}
	}
}

// TestTiers checks that a block is promoted after the due number of visits, by whichever runner, and computes the same
// in each tier, whatever lanes are active on entry.
func TestTiers(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %k = const.i32 3
  %s = iadd.i32 %a, %k
  set.i32 v[0], %s, %e
  jump 0x100
`)
	e := portable.New()
	runners := [...]exec.Runner{e.NewRunner(p), e.NewRunner(p)}
	st, err := exec.NewState(m, 64)
	if err != nil {
		t.Fatal(err)
	}
	var want [64]uint32
	var forms []int
	for i := range 60 {
		lanes := ^uint64(0) << (i % 3 * 20)
		st.Start(0x100, lanes)
		if stop := runners[i%2].Run(st, &exec.Env{}, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
			t.Fatal(stop.Reason, stop.Fault)
		}
		for lane := range want {
			if lanes>>lane&1 != 0 {
				want[lane] += 3
			}
		}
		if got := st.V[:64]; !slices.Equal(got, want[:]) {
			t.Fatalf("visit %d with lanes %#x: %v, want %v", i, lanes, got, want)
		}
		if n := p.Work().Forms; len(forms) == 0 || forms[len(forms)-1] != n {
			forms = append(forms, n)
		}
	}
	// The site and the canonical form; the optimised block and its form for some lanes; its form for all lanes.
	if want := []int{2, 4, 5}; !slices.Equal(forms, want) {
		t.Errorf("there were %v forms, want %v", forms, want)
	}
}

// TestSeldom checks that a block in which unlikely lanes are active computes the right result; after eight such visits
// it has a form that expects them.
func TestSeldom(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %k = const.i32 3
  %s = iadd.i32 %a, %k
  set.i32 v[0], %s, %e
mark 0x104 size 4
  %b = get.i32 v[1]
  %z = const.i32 0
  %n = ne.i32 %b, %z
  %r = get.i1 exec
  %m = and.i1 %r, %n
  unlikely %m
  %x = get.i32 v[0]
  %y = iadd.i32 %x, %b
  %c = select.i32 %m, %y, %x
  set.i32 v[2], %c, %r
  jump 0x100
`)
	run := eager.NewRunner(p)
	st, err := exec.NewState(m, 16)
	if err != nil {
		t.Fatal(err)
	}
	env := &exec.Env{}
	var forms []int
	for i := range uint32(12) {
		st.Start(0x100, st.Full)
		st.Set(ir.Cell{Index: 1}, 5, min(i, 1)*7)
		if stop := run.Run(st, env, exec.Budget{Steps: 2}); stop.Reason != exec.StopBudget || st.At.Mark != 0 {
			t.Fatal(stop.Reason, stop.Fault, st.At)
		}
		if got, want := st.Row(ir.Cell{Index: 2})[4:6], []uint32{3 * (i + 1), 3*(i+1) + min(i, 1)*7}; !slices.Equal(got, want) {
			t.Fatalf("visit %d: %v, want %v", i, got, want)
		}
		forms = append(forms, p.Work().Forms)
	}
	if env.Count.Instructions != 24 {
		t.Errorf("%d instructions, want 24", env.Count.Instructions)
	}
	// The site, the block and form without unlikely lanes; then the canonical form; then the block and form for any
	// lanes.
	if want := []int{3, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6}; !slices.Equal(forms, want) {
		t.Errorf("there were %v forms, want %v", forms, want)
	}
}

// TestStable: a block is made for the value that it has observed; waves with another value get the right result, too,
// and after eight of them it is made for any value. Of values that differ between visits nothing is assumed.
func TestStable(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	const text = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %n = get.i32 s[0]
  %x = get.i32 s[1]
  stable %n
  stable %x
  %p = imul.i32 %a, %n
  %q = iadd.i32 %p, %x
  set.i32 v[1], %q, %e
  jump 0x100
`
	p := exectest.Parse(m, text)
	run := portable.New().NewRunner(p)
	st, err := exec.NewState(m, 16)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(60) {
		n, y := 3+i/40*2, i&1
		if i == 40 && p.Work().Forms != 5 { // the site, what it observed, the canonical form; the block for 3, and its form
			t.Errorf("there are %d forms, want 5", p.Work().Forms)
		}
		st.Start(0x100, st.Full)
		st.S[0], st.S[1] = n, y
		for lane := range uint32(16) {
			st.Set(ir.Cell{}, int(lane), lane+i)
		}
		if stop := run.Run(st, &exec.Env{}, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
			t.Fatal(stop.Reason, stop.Fault)
		}
		for lane := range uint32(16) {
			if got, want := st.Row(ir.Cell{Index: 1})[lane], (lane+i)*n+y; got != want {
				t.Fatalf("visit %d, lane %d: %d, want %d", i, lane, got, want)
			}
		}
	}
	if p.Work().Forms != 7 { // also those for any value
		t.Errorf("there are %d forms, want 7", p.Work().Forms)
	}
}
