package pass_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// crowd is the test machine with so few cells that most writes are followed by another write or a read, and a mode
// cell that is also used for data.
func crowd() *ir.Machine {
	m := irgen.Machine()
	for i := range m.Files {
		if m.Files[i].Kind == ir.Lane32 || m.Files[i].Kind == ir.Wave32 {
			m.Files[i].Count = min(m.Files[i].Count, 4)
		}
		m.Files[i].Count = min(m.Files[i].Count, 4)
	}
	m.Control, m.ModeMask = ir.MaskData, 0
	return m
}

// faulting reports whether an op can fault in an optimised block, in which accesses with a constant index in range
// are plain.
func faulting(in *ir.Inst) bool {
	switch in.Op {
	case ir.Load, ir.Store, ir.AtomicRMW, ir.Check, ir.Tex, ir.Fetch, ir.Trap:
		return true
	}
	return false
}

// places are where each Keep promises the state: every mark, or every op that can fault.
var places = map[pass.Keep]func(in *ir.Inst) bool{
	pass.KeepMarks:  func(in *ir.Inst) bool { return in == nil },
	pass.KeepFaults: func(in *ir.Inst) bool { return in != nil && faulting(in) },
	pass.KeepEnd:    nil,
}

// TestKeep: an optimised block has the state of the canonical one at all places that its options promise, and at
// its end.
func TestKeep(t *testing.T) {
	m := crowd()
	left := map[pass.Keep]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 30))
		b := denseBlock(r, m, 0x100, 2+r.IntN(20), func(b *ir.Builder, cond ir.V) { b.Branch(cond, 0, 8) })
		if seed%4 == 0 {
			b = irgen.Block(r, m, irgen.Options{Marks: 1 + r.IntN(16), Ops: 1 + r.IntN(6), Memory: windows[:r.IntN(2)], Exec: true, Control: true})
		}
		if err := ir.Verify(m, b); err != nil {
			t.Fatal(err)
		}
		for keep, at := range places {
			got := pass.Optimise(m, b, pass.Options{Keep: keep})
			if err := ir.VerifyOptimised(m, got); err != nil {
				t.Fatalf("seed %d, keep %d: %v\n%s\n%s", seed, keep, err, ir.Print(m, b), ir.Print(m, got))
			}
			left[keep] += len(got.Ops)
			lanes := []int{1, 4, 16, 64}[seed%4]
			w1 := newWave(rand.New(rand.NewPCG(seed, 31)), m, lanes)
			w2 := newWave(rand.New(rand.NewPCG(seed, 31)), m, lanes)
			w1.watch, w2.watch = at, at
			end1, end2 := w1.run(b), w2.run(got)
			if end1 != end2 || w1.state() != w2.state() || !slices.Equal(w1.log, w2.log) || !slices.Equal(w1.seen, w2.seen) {
				t.Fatalf("seed %d, keep %d: %s%s; %s\n%s\n%s", seed, keep, w1.differ(w2), end1, end2, ir.Print(m, b), ir.Print(m, got))
			}
		}
	}
	if !(left[pass.KeepMarks] > left[pass.KeepFaults] && left[pass.KeepFaults] > left[pass.KeepEnd]) {
		t.Errorf("ops left: %v", left)
	}
	t.Logf("ops left: %v", left)
}

// TestLikely: a block for the usual case does the same as the canonical one until an unlikely mask has a lane. Then
// the state and the accesses so far are those of the canonical block before the mark. Such blocks are shorter.
func TestLikely(t *testing.T) {
	m := crowd()
	rare, whole, shorter := 0, 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 33))
		b := irgen.Block(r, m, irgen.Options{Marks: 1 + r.IntN(16), Ops: 1 + r.IntN(6), Memory: windows[:r.IntN(2)], Exec: true, Control: true})
		if err := ir.Verify(m, b); err != nil {
			t.Fatal(err)
		}
		guess := func(op int) (uint64, bool) {
			if b.Vals[b.Ops[op].Args[0]].Type == ir.I1 {
				return uint64(op % 2), op%5 > 0
			}
			return uint64(op % 4), op%5 > 0
		}
		got, plain := pass.Optimise(m, b, pass.Options{Likely: true, Guess: guess}), pass.Optimise(m, b, pass.Options{})
		if err := ir.VerifyOptimised(m, got); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, ir.Print(m, b), ir.Print(m, got))
		}
		if len(got.Ops) < len(plain.Ops) {
			shorter++
		}
		lanes := []int{1, 4, 16, 64}[seed%4]
		w1 := newWave(rand.New(rand.NewPCG(seed, 34)), m, lanes)
		w2 := newWave(rand.New(rand.NewPCG(seed, 34)), m, lanes)
		w2.usual = true
		end := w2.run(got)
		if end == "rare" {
			rare++
			w1.until = w2.until
			end = ""
		} else {
			whole++
		}
		if end1 := ""; end != "" || w1.until > 0 {
			if end1 = w1.run(b); end1 != end {
				t.Fatalf("seed %d: %s, %s", seed, end1, end)
			}
		}
		if w1.state() != w2.state() || !slices.Equal(w1.log, w2.log) {
			t.Fatalf("seed %d, until %d: %s\n%s\n%s", seed, w1.until, w1.differ(w2), ir.Print(m, b), ir.Print(m, got))
		}
	}
	if rare < 100 || whole < 100 || shorter < 100 {
		t.Errorf("%d stop, %d do not, %d are shorter: they say little", rare, whole, shorter)
	}
	t.Logf("%d stop, %d do not, %d are shorter", rare, whole, shorter)
}

// TestLikelyUnion: behind an unlikely mask that is the comparison of a union with 0, each part of the union is 0.
func TestLikelyUnion(t *testing.T) {
	m := crowd()
	for _, text := range []string{
		"%o = or.i32 %a, %b\n%c = const.i32 0\n",
		"%x = or.i32 %a, %a\n%o = or.i32 %x, %b\n%c = const.i32 0\n",
	} {
		b := parse(t, "%a = get.i32 v[0]\n%b = get.i32 v[1]\n"+text+
			"%m = ne.i32 %o, %c\nunlikely %m\n%e = get.i1 exec\n%s = iadd.i32 %a, %b\nset.i32 v[2], %s, %e\nend\n")
		got := pass.Optimise(m, b, pass.Options{Likely: true})
		if slices.ContainsFunc(got.Ops, func(in ir.Inst) bool { return in.Op == ir.IAdd }) {
			t.Errorf("the sum of two zeros is left:\n%s", ir.Print(m, got))
		}
	}
}

// randomCode makes a program of n blocks, at multiples of 0x1000, that jump and branch among each other.
func randomCode(r *rand.Rand, m *ir.Machine, n int) blocks {
	c := blocks{m, map[ir.Key]*ir.Block{}}
	to := func() uint64 { return uint64(r.IntN(n)) * 0x1000 }
	for i := range n {
		b := denseBlock(r, m, uint64(i)*0x1000, 1+r.IntN(8), func(b *ir.Builder, cond ir.V) {
			switch r.IntN(8) {
			case 0:
				b.End()
			case 1, 2:
				b.Jump(to())
			default:
				b.Branch(cond, to(), to())
			}
		})
		if err := ir.Verify(m, b); err != nil {
			panic(err)
		}
		c.at[b.Key] = b
	}
	return c
}

// TestLiveness: blocks optimised for what is live after them do the same as the canonical ones, block by block:
// live cells, memory accesses and control flow are equal.
func TestLiveness(t *testing.T) {
	m := crowd()
	all, kept, steps := 0, 0, 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 32))
		code := randomCode(r, m, 2+r.IntN(7))
		g, err := pass.Build(code, ir.Key{})
		if err != nil {
			t.Fatal(err)
		}
		keep := pass.Keep(seed % 2 * 2) // faults, or the end only
		atEnd := pass.NewCellSet(m)
		atEnd.Add(pass.Span{Cell: ir.Cell{}, Count: 2})
		live := pass.Live(g, keep, atEnd)
		optimised := make([]*ir.Block, len(g.Nodes))
		for i := range g.Nodes {
			optimised[i] = pass.Optimise(m, g.Nodes[i].Block, pass.Options{Keep: keep, Out: &live.Out[i], Widen: seed%3 != 0})
			if err := ir.VerifyOptimised(m, optimised[i]); err != nil {
				t.Fatal(err)
			}
			all, kept = all+len(g.Nodes[i].Block.Ops), kept+len(optimised[i].Ops)
		}
		lanes := []int{1, 4, 16, 64}[seed%4]
		w1 := newWave(rand.New(rand.NewPCG(seed, 33)), m, lanes)
		w2 := newWave(rand.New(rand.NewPCG(seed, 33)), m, lanes)
		w1.watch, w2.watch = places[keep], places[keep]
		for at := 0; at >= 0 && steps < 20*int(seed+1); steps++ {
			end1, end2 := w1.run(g.Nodes[at].Block), w2.run(optimised[at])
			d := liveDiff(w1, w2, &live.Out[at])
			if end1 != end2 || d != "" || !slices.Equal(w1.log, w2.log) || !slices.Equal(w1.seen, w2.seen) {
				t.Fatalf("seed %d, keep %d, step %d: %s %s; %s\n%s\n%s", seed, keep, steps, d, end1, end2, ir.Print(m, g.Nodes[at].Block), ir.Print(m, optimised[at]))
			}
			var pc uint64
			if n, _ := fmt.Sscanf(end1, "jump %d", &pc); n == 0 {
				break
			}
			at = g.At[ir.Key{PC: pc, Mode: g.Nodes[at].Block.Key.Mode}]
		}
	}
	if kept > all/2 || steps < 1000 {
		t.Errorf("%d ops become %d, run for %d blocks", all, kept, steps)
	}
	t.Logf("%d ops become %d, run for %d blocks", all, kept, steps)
}

// liveDiff names the live cells in which two waves differ.
func liveDiff(w, x *wave, l *pass.LiveSet) (s string) {
	exec, _ := w.m.Exec()
	for c, v := range w.cells {
		for lane := range v {
			in := l.Inactive
			if w.cells[exec][lane]&1 != 0 {
				in = l.Active
			}
			if in.Has(c) && v[lane] != x.cells[c][lane] {
				s += fmt.Sprintf("%s lane %d: %#x, %#x; ", w.m.CellName(c), lane, v[lane], x.cells[c][lane])
			}
		}
	}
	return s
}

// optimised are blocks and their optimised form, with the state kept where it can fault.
var optimised = []struct{ name, text, out string }{
	{"a write under the same mask, and a flag", `block 0
mark 0 size 4
%e = get.i1 exec
%x = get.i32 v[0]
%y = iadd.i32 %x, %x
%z = const.i32 0
%f = ne.i32 %x, %z
set v[1], %y, %e
set p[0], %f, %e
mark 4 size 4
%g = get.i1 exec
%a = get.i32 v[1]
%b = not.i32 %a
%t = const.i1 1
set v[1], %b, %g
set p[0], %t, %g
end`, `%0 = get.i1 exec
%1 = get.i32 v[0]
%2 = iadd.i32 %1, %1
%3 = not.i32 %2
%4w = const.i1 1
set v[1], %3, %0
set p[0], %4w, %0
end`},
	{"a write that a fault can show", `block 0
mark 0 size 4
%e = get.i1 exec
%x = const.i32 8
set v[1], %x, %e
mark 4 size 4
%g = get.i1 exec
%a = get.i32 v[1]
%l = load.i32 group[4] %a, %g
set v[1], %l, %g
end`, `%0 = get.i1 exec
%1w = const.i32 8
set v[1], %1w, %0
%2 = load.i32 group[4] %1w, %0
set v[1], %2, %0
end`},
	{"two sides of a condition", `block 0
mark 0 size 4
%e = get.i1 exec
%p = get.i1 p[0]
%q = and.i1 %e, %p
%x = const.i32 1
set v[1], %x, %q
mark 4 size 4
%e2 = get.i1 exec
%p2 = get.i1 p[0]
%n2 = not.i1 %p2
%q2 = and.i1 %e2, %n2
%y = get.i32 s[1]
%a = get.i32 v[1]
%z = iadd.i32 %a, %y
set v[1], %z, %q2
mark 8 size 4
%e3 = get.i1 exec
%p3 = get.i1 p[0]
%q3 = and.i1 %e3, %p3
%b = get.i32 v[1]
set v[2], %b, %q3
end`, `%0 = get.i1 exec
%1 = get.i1 p[0]
%2 = and.i1 %0, %1
%3w = const.i32 1
set v[1], %3w, %2
%4 = not.i1 %1
%5 = and.i1 %0, %4
%6w = get.i32 s[1]
%7 = get.i32 v[1]
%8 = iadd.i32 %6w, %7
set v[1], %8, %5
set v[2], %7, %2
end`},
	{"a neighbour sees the lanes outside", `block 0
mark 0 size 4
%e = get.i1 exec
%x = const.i32 7
%o = get.i32 v[0]
set v[0], %x, %e
mark 4 size 4
%e2 = get.i1 exec
%k = const.i32 3
%y = get.i32 v[0]
%r = readlane.i32 %y, %k
set s[0], %r
end`, `%0 = get.i1 exec
%1w = const.i32 7
%2 = get.i32 v[0]
set v[0], %1w, %0
%3w = const.i32 3
%4 = select.i32 %0, %1w, %2
%5w = readlane.i32 %4, %3w
set s[0], %5w
end`},
	{"sums of floats keep their order, those of integers need not", `block 0
mark 0 size 4
%a = get.f32 v[0]
%b = get.f32 v[1]
%c = get.i32 v[0]
%d = get.i32 v[1]
%e = get.i1 exec
%f = fadd.f32 %a, %b {rne}
%g = fadd.f32 %b, %a {rne}
%h = iadd.i32 %c, %d
%i = iadd.i32 %d, %c
set v[2], %f, %e
set v[3], %g, %e
set v[4], %h, %e
set v[5], %i, %e
end`, `%0 = get.f32 v[0]
%1 = get.f32 v[1]
%2 = cast.i32 %0
%3 = cast.i32 %1
%4 = get.i1 exec
%5 = fadd.f32 %0, %1 {rne}
%6 = fadd.f32 %1, %0 {rne}
%7 = iadd.i32 %2, %3
set v[2], %5, %4
set v[3], %6, %4
set v[4], %7, %4
set v[5], %7, %4
end`},
	{"a product with zero is a float's own business", `block 0
mark 0 size 4
%a = get.f32 s[0]
%z = const.f32 0
%p = fmul.f32 %a, %z {rne}
%s = fadd.f32 %a, %z {rne}
%d = fsub.f32 %a, %a {rne}
set s[1], %p
set s[2], %s
set s[3], %d
end`, `%0w = get.f32 s[0]
%1w = const.f32 0 ; 0
%2w = fmul.f32 %0w, %1w {rne}
%3w = fadd.f32 %0w, %1w {rne}
%4w = fsub.f32 %0w, %0w {rne}
set s[1], %2w
set s[2], %3w
set s[3], %4w
end`},
}

func TestOptimisedText(t *testing.T) {
	for _, tt := range optimised {
		if got := ops(pass.Optimise(m, parse(t, tt.text), pass.Options{})); got != tt.out {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.out)
		}
	}
}

// TestWiden: a write goes to all lanes if the options request it and the lanes outside of its mask are dead.
func TestWiden(t *testing.T) {
	b := parse(t, `block 0
mark 0 size 4
%e = get.i1 exec
%x = get.i32 s[0]
set v[1], %x, %e
mark 4 size 4
%f = get.i1 exec
%q = get.i1 p[0]
%m = and.i1 %f, %q
%y = get.i32 s[1]
set v[2], %y, %m
end`)
	cells := pass.NewCellSet(m)
	cells.Add(pass.Span{Cell: ir.Cell{Index: 1}, Count: 2})
	for _, tt := range []struct {
		widen    bool
		inactive pass.CellSet
	}{
		{true, pass.NewCellSet(m)}, // active lanes of v[2] outside of the mask are read
		{true, cells},
		{false, pass.NewCellSet(m)},
	} {
		out := pass.LiveSet{Active: cells, Inactive: tt.inactive}
		got := pass.Optimise(m, b, pass.Options{Widen: tt.widen, Out: &out})
		for i := range got.Ops {
			in := &got.Ops[i]
			if in.Op != ir.Set {
				continue
			}
			mask := in.Args[1]
			whole := got.Vals[mask].Wave
			if want := tt.widen && in.Cell.Index == 1 && len(tt.inactive.Cells()) == 0; whole != want {
				t.Errorf("%+v: set v[%d] goes to all lanes: %t\n%s", tt.widen, in.Cell.Index, whole, ir.Print(m, got))
			}
		}
	}
}

// TestDeadExec: what is live in active lanes is so in those of the canonical block, even if the optimised block has no
// op that sets the execution mask: a write under the earlier mask does not go to all lanes.
func TestDeadExec(t *testing.T) {
	const text = `block 0
mark 0 size 4
%e = get.i1 exec
%x = get.i32 s[0]
set v[0], %x, %e
mark 4 size 4
%f = get.i1 exec
%p = get.i1 p[0]
%g = or.i1 %f, %p
set exec, %g
mark 8 size 4
%a = const.i32 8
%y = const.i32 9
%h = get.i1 exec
store group[4] %a, %y, %h
mark 0xc size 4
jump 0x10
`
	v0, exec := ir.Cell{}, ir.Cell{File: 4}
	for _, c := range []struct {
		name  string
		out   []ir.Cell // live after the block, in active lanes
		named []ir.Span // by a fault of the store
	}{
		{"after the block", []ir.Cell{v0, exec}, nil},
		{"after the block, the mask dead", []ir.Cell{v0}, nil},
		{"named by a fault", []ir.Cell{exec}, []ir.Span{{Cell: v0, Count: 1}}},
		{"named by a fault, the mask dead", nil, []ir.Span{{Cell: v0, Count: 1}}},
	} {
		out := pass.NewLiveSet(pass.NewCellSet(m))
		for _, cell := range c.out {
			out.Active.Add(pass.Span{Cell: cell, Count: 1})
		}
		looks := func(pc uint64) []ir.Span {
			if pc == 8 {
				return c.named
			}
			return nil
		}
		got := ops(pass.Optimise(m, parse(t, text), pass.Options{Keep: pass.KeepEnd, Looks: looks, Out: &out, Widen: true}))
		if !strings.Contains(got, "%0 = get.i1 exec") || !strings.Contains(got, "set v[0], %1w, %0\n") {
			t.Errorf("v[0] is live %s:\n%s", c.name, got)
		}
	}
}

// TestRetired: lanes that retire are not active after the block, but their registers may still be read, as those of
// inactive lanes: writes to them stay, even if the values of active lanes are dead.
func TestRetired(t *testing.T) {
	const head = "%p = get.i1 p[0]\n%e = get.i1 exec\n%x = const.i32 7\nset v[0], %x, %e\n"
	out := pass.NewLiveSet(pass.NewCellSet(m))
	out.Inactive.Add(pass.Span{Cell: ir.Cell{}, Count: 1})
	for _, c := range []struct {
		end  string
		kept bool
	}{{"retire %p, 4", true}, {"jump 4", false}} {
		got := ops(pass.Optimise(m, parse(t, head+c.end), pass.Options{Keep: pass.KeepEnd, Out: &out}))
		if strings.Contains(got, "set v[0]") != c.kept {
			t.Errorf("%s:\n%s", c.end, got)
		}
	}
}

// TestChecked: what a check of a control step refuses depends on the active lanes, so the mask before it stays.
func TestChecked(t *testing.T) {
	const text = "%q = get.i1 p[1]\nset exec, %q\nmark 4 size 4\n%p = get.i1 p[0]\n"
	for _, c := range []struct {
		end  string
		sets int
	}{{"ctlcheck break %p\nset exec, %p\nctl break %p", 2}, {"set exec, %p\njump 8", 1}} {
		got := ops(pass.Optimise(m, parse(t, text+c.end), pass.Options{Keep: pass.KeepEnd}))
		if strings.Count(got, "set exec") != c.sets {
			t.Errorf("%s:\n%s", c.end, got)
		}
	}
}
