package gen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// accessing has two times accesses of all kinds, with vector ops between them.
const accessing = `
block 0x100
mark 0x100 size 4
  %u = get.i32 s[0]
  %w0:%w1 = load.i32 global[4 x 2 align 4] %u
  %a = get.i32 v[0]
  %e = get.i1 exec
  check load global[8] %a, %e
  %x:%y = load.i32 global[4 x 2] %a, %e
  %h = load.i32 global[1 signed] %a, %e
  %j = load.i32 global[4] %a, %e
  %i = iadd.i32 %x, %j
  %s = iadd.i32 %i, %w0
  %s2 = xor.i32 %s, %h
  set.i32 s[2], %w1
  set.i32 v[1], %s2, %e
  set.i32 v[2], %y, %e
  jump 0x108
block 0x108
mark 0x108 size 4
  %g = get.i32 v[3]
  %l = get.i1 p[0]
  %v = get.i32 v[1]
  %q = get.i32 s[1]
  store.i32 group[4 x 2] %g, %v, %q, %l
mark 0x10c size 4
  %f = get.i32 v[4]
  %o = get.i1 p[0]
  %b = get.i32 v[1]
  %z = load.i32 flat[2] %f, %o
  %t = iadd.i32 %z, %b
  %m = get.i1 exec
  set.i32 v[5], %t, %m
mark 0x110 size 4
  %f2 = get.i32 v[4]
  %o2 = get.i1 p[0]
  %t2 = get.i32 v[5]
  store.i32 flat[4] %f2, %t2, %o2
  jump 0x114
block 0x114
mark 0x114 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[3]
  %e = get.i1 exec
  check load group[4] %b, %e
  check load global[4 x 2] %a, %e
  %x = load.i32 group[4] %b, %e
  %y:%z = load.i32 global[4 x 2] %a, %e
  set.i32 v[6], %x, %e
  set.i32 v[7], %y, %e
  set.i32 v[8], %z, %e
mark 0x118 size 4
  %c = get.i32 v[4]
  %g = get.i1 exec
  %p:%q:%r:%s = load.i32 flat[4 x 4] %c, %g
  set.i32 v[7], %p, %g
  set.i32 v[9], %q, %g
  set.i32 v[10], %r, %g
  set.i32 v[8], %s, %g
mark 0x11c size 4
  %d = get.i32 v[3]
  %h = get.i1 exec
  %i = get.i32 v[9]
  %j = get.i32 v[10]
  %k = get.i32 s[1]
  check store group[4 x 4] %d, %h
  store.i32 group[4 x 4] %d, %i, %k, %j, %i, %h
  jump 0x120
block 0x120
mark 0x120 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %w = load.i64 global[8 align 4] %a, %e
  %l:%u = unpack.i32 %w
  set.i32 v[11], %l, %e
  set.i32 v[12], %u, %e
mark 0x124 size 4
  %b = get.i32 v[3]
  %f = get.i1 exec
  %m = get.i32 v[11]
  %n = get.i32 v[12]
  %o = pack.i64 %n, %m
  store.i64 group[8] %b, %o, %f
  jump 0x100
`

// accessing64 has accesses with addresses and values of 64 bits.
const accessing64 = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %a64 = zext.i64 %a
  %e = get.i1 exec
  %x = load.i64 global[8] %a64, %e
  %l:%h = unpack.i32 %x
  set.i32 v[1], %l, %e
  set.i32 v[2], %h, %e
mark 0x104 size 4
  %b = get.i32 v[0]
  %b64 = zext.i64 %b
  %f = get.i1 exec
  %y = load.i32 flat[4] %b64, %f
  set.i32 v[5], %y, %f
  jump 0x108
block 0x108
mark 0x108 size 4
  %g = get.i32 v[3]
  %l = get.i1 exec
  %v = get.i32 v[1]
  %w = get.i32 v[2]
  %q = pack.i64 %v, %w
  store.i64 group[8] %g, %q, %l
mark 0x10c size 4
  %i = get.i32 v[3]
  %m = get.i1 exec
  %j = load.i64 group[8] %i, %m
  %n:%o = unpack.i32 %j
  set.i32 v[6], %n, %m
  set.i32 v[7], %o, %m
  jump 0x110
block 0x110
mark 0x110 size 4
  %k = get.i32 v[4]
  %k64 = zext.i64 %k
  %p = get.i1 exec
  %r = get.i32 v[6]
  store.i32 global[4] %k64, %r, %p
mark 0x114 size 4
  %s = get.i32 v[4]
  %s64 = zext.i64 %s
  %t = get.i1 p[0]
  %u = get.i32 v[5]
  %z = get.i32 v[6]
  %c = pack.i64 %u, %z
  store.i64 flat[8 align 4] %s64, %c, %t
  jump 0x100
`

// A world is the memory that waves reach, and a copy of it for the reference.
type world struct {
	env, want *exec.Env
}

func newWorld(t *testing.T, rnd *rand.Rand) *world {
	t.Helper()
	w := &world{&exec.Env{}, &exec.Env{}}
	put := func(id ir.SpaceID, segs ...mem.Segment) {
		for i := range segs {
			for k := range segs[i].Data {
				segs[i].Data[k] = byte(rnd.Uint32())
			}
		}
		s, err := mem.NewSpace(id.String(), segs...)
		if err != nil {
			t.Fatal(err)
		}
		w.env.Spaces[id], w.want.Spaces[id] = []*mem.Space{s}, []*mem.Space{s.Clone()}
	}
	bounds := [...]uint64{0x1000, 0xffff_ff00, 0}
	at := bounds[rnd.IntN(len(bounds))]
	put(ir.GlobalSpace, mem.NewSegment("a", at, [...]int{256, 320, 1024}[rnd.IntN(3)], mem.ReadWrite), mem.NewSegment("b", 0x8000, 300, mem.ReadWrite), mem.NewSegment("c", 0x8000+304, 300, mem.Read),
		mem.NewSegment("d", 0x40000, 0x1200, mem.ReadWrite)) // more than a page of footprints
	if rnd.IntN(4) > 0 {
		put(ir.GroupSpace, mem.NewSegment("lds", 0, 128+8*rnd.IntN(20), mem.ReadWrite))
	}
	w.move(rnd)
	return w
}

// move gives the flat space another window to workgroup memory, or none.
func (w *world) move(rnd *rand.Rand) {
	w.env.Windows, w.want.Windows = nil, nil
	if rnd.IntN(3) > 0 {
		window := exec.Window{Base: 0x2000 + uint64(rnd.IntN(16)), Size: 0x80, Space: ir.GroupSpace, Offset: uint64(rnd.IntN(2))}
		w.env.Windows, w.want.Windows = []exec.Window{window}, []exec.Window{window}
	}
}

// aim fills a row with addresses of lanes: consecutive, equal, either of these in each 8 or 16 lanes, or arbitrary,
// from well inside of memory to out of bounds.
func aim(rnd *rand.Rand, row []uint32) {
	starts := [...]uint32{0x1000, 0xffff_ff00, 0, 0x8000, 0x8000 + 304, 0x2000, 0x41000 - 80}
	start, span := starts[rnd.IntN(len(starts))], 1+rnd.IntN(250)
	if rnd.IntN(3) == 0 {
		start += 256 - uint32(rnd.IntN(264))
	}
	step := uint32([...]int{0, 1, 2, 4, 4, 4, 8, 16, 12}[rnd.IntN(9)])
	random, tabled, apart := rnd.IntN(4) == 0, rnd.IntN(2) == 0, uint32(rnd.IntN(80))
	n := 8 << rnd.IntN(2)
	for lane := range row {
		switch {
		case random:
			row[lane] = start + uint32(rnd.IntN(span))
		case tabled:
			row[lane] = start + uint32(lane%n)*step + uint32(lane/n)*apart
		default:
			row[lane] = start + uint32(lane)*step
		}
	}
	if rnd.IntN(6) == 0 {
		row[rnd.IntN(len(row))] = rnd.Uint32()
	}
}

// left counts blocks that machine code exits before a step.
type left struct {
	portable.Backend
	n *int
}

type leftWorker struct {
	portable.CodeRunner
	n *int
}

func (l left) NewWorker() portable.CodeRunner { return leftWorker{l.Backend.NewWorker(), l.n} }

func (w leftWorker) Chain(s portable.Start, budget uint64, ran *portable.ChainExit) {
	w.CodeRunner.Chain(s, budget, ran)
	if ran.Step >= 0 {
		*w.n++
	}
}

// TestRemember checks that a runner which is used in changing environments agrees with the reference in each: results,
// memory, faults, counts.
func TestRemember(t *testing.T) {
	m, outcomes := exectest.Machine(ir.MaskData), map[exec.StopReason]int{}
	for _, level := range tested(t) {
		steps := 0
		e := exec.Eager(portable.With(left{nativeOf(level), &steps}))
		rnd := rand.New(rand.NewPCG(7, uint64(level)))
		p := exectest.Parse(m, accessing)
		wander(t, rnd, e, p, 4000, outcomes)
		wander(t, rnd, e, exectest.Parse(m, accessing64), 2000, outcomes)
		calm(t, e, p, m, &steps)
	}
	if len(outcomes) > 0 && (outcomes[exec.StopFault] < 500 || outcomes[exec.StopBudget] < 500) {
		t.Errorf("outcomes are %v", outcomes)
	}
}

// wander runs that many waves of each width, each width on one runner, in changing worlds.
func wander(t *testing.T, rnd *rand.Rand, e exec.Engine, p *exec.Program, waves int, outcomes map[exec.StopReason]int) {
	t.Helper()
	var worlds []*world
	for range 6 {
		worlds = append(worlds, newWorld(t, rnd))
	}
	for _, lanes := range p.Machine().Widths {
		w := worlds[0]
		r, reference := e.NewRunner(p), ref.New().NewRunner(p)
		for range waves {
			if rnd.IntN(20) == 0 {
				worlds[rnd.IntN(len(worlds))] = newWorld(t, rnd)
			}
			if rnd.IntN(4) == 0 {
				w = worlds[rnd.IntN(len(worlds))]
			}
			reason := w.try(t, rnd, p.Machine(), lanes, r, reference)
			if t.Failed() {
				t.FailNow()
			}
			outcomes[reason]++
		}
	}
}

// calm checks that machine code exits each block once, but not when another wave runs it, and that the last wave uses
// the window at its present address.
func calm(t *testing.T, e exec.Engine, p *exec.Program, m *ir.Machine, steps *int) {
	t.Helper()
	env := &exec.Env{}
	for _, id := range []ir.SpaceID{ir.GlobalSpace, ir.GroupSpace} {
		s, err := mem.NewSpace(id.String(), mem.NewSegment("all", 0, 1024, mem.ReadWrite))
		if err != nil {
			t.Fatal(err)
		}
		env.Spaces[id] = []*mem.Space{s}
	}
	lds := env.Space(ir.GroupSpace, 0).Segments()[0].Data
	for i := range lds {
		lds[i] = byte(i)
	}
	r := e.NewRunner(p)
	for i := range 4 {
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		st.Start(0x100, st.Full)
		st.M[exec.IndexOf(m, ir.Cell{File: 4})] = 0xff0f
		env.Windows = []exec.Window{{Base: 0x2000 + uint64(i/3), Size: 512, Space: ir.GroupSpace}}
		for lane := range 64 {
			st.V[3*st.Stride+lane], st.V[4*st.Stride+lane] = 512, 0x2020
		}
		*steps = 0
		if stop := r.Run(st, env, exec.Budget{Steps: 40}); stop.Reason != exec.StopBudget {
			t.Fatal(stop.Reason, stop.Fault)
		}
		if i == 0 && (*steps == 0 || *steps > 4) || i > 0 && i < 3 && *steps != 0 {
			t.Errorf("wave %d: %d blocks were left", i, *steps)
		}
		if got, want := st.V[5*st.Stride], [...]uint32{0x2120, 0x2120, 0x2120, 0x201f}[i]; got != want {
			t.Errorf("wave %d: %#x is loaded by the window, want %#x", i, got, want)
		}
	}
}

// try runs one wave on both engines.
func (w *world) try(t *testing.T, rnd *rand.Rand, m *ir.Machine, lanes int, r, reference exec.Runner) exec.StopReason {
	t.Helper()
	if rnd.IntN(40) == 0 {
		name := [...]string{"a", "b"}[rnd.IntN(2)]
		w.env.Space(ir.GlobalSpace, 0).End(name)
		w.want.Space(ir.GlobalSpace, 0).End(name)
	}
	if rnd.IntN(8) == 0 {
		w.move(rnd)
	}
	policy := [...]exec.Policy{exec.TrapFaults, exec.TrapFaults, exec.RobustFaults, exec.RecordFaults}[rnd.IntN(4)]
	w.env.Policy, w.want.Policy = policy, policy
	w.env.Count, w.want.Count = exec.Counters{}, exec.Counters{}
	w.env.Footprint, w.want.Footprint = nil, nil
	compare, budget := func(bool) {}, exec.Budget{Steps: 8}
	if rnd.IntN(8) == 0 {
		compare = w.watch(t)
		budget.Steps = 40 // the first time code finds neither cached segments nor room for marks
	}
	st, err := exec.NewState(m, lanes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range st.V {
		st.V[i] = rnd.Uint32()
	}
	for _, at := range []int{0, 3, 4} {
		aim(rnd, st.V[at*st.Stride:at*st.Stride+lanes])
	}
	s := exec.IndexOf(m, ir.Cell{File: 3})
	aim(rnd, st.S[s:s+1])
	st.S[s+1] = rnd.Uint32()
	masks := [...]uint64{0, st.Full, st.Full, rnd.Uint64() & st.Full}
	st.Start(0x100, st.Full)
	st.Exec, st.M[exec.IndexOf(m, ir.Cell{File: 4})] = masks[rnd.IntN(4)], masks[rnd.IntN(4)]
	want := st.Snapshot()
	got, expect := r.Run(st, w.env, budget), reference.Run(want, w.want, budget)
	if d := want.Diff(st, 3); d != nil || got.Reason != expect.Reason || w.env.Count != w.want.Count {
		t.Errorf("%d lanes: %v %v, the reference %v %v; counted %+v, %+v; want, got: %q", lanes, got.Reason, got.Fault, expect.Reason, expect.Fault, w.env.Count, w.want.Count, d)
	}
	if got.Fault != nil && expect.Fault != nil && got.Fault.Error() != expect.Fault.Error() {
		t.Errorf("fault %v, the reference %v", got.Fault, expect.Fault)
	}
	for id := range w.env.Spaces {
		for i, x := range w.want.Space(ir.SpaceID(id), 0).Segments() {
			if y := w.env.Space(ir.SpaceID(id), 0).Segments()[i]; !bytes.Equal(x.Data, y.Data) {
				t.Errorf("%d lanes: %q differs", lanes, x.Name)
			}
		}
	}
	compare(got.Fault == nil)
	return got.Reason
}

// watch records what the next wave touches. The function that it returns compares that with what the reference
// touches, except for faulting waves, and undoes stores to global memory, which shows whether all were recorded.
func (w *world) watch(t *testing.T) func(all bool) {
	t.Helper()
	global := w.env.Space(ir.GlobalSpace, 0)
	before, f := global.Clone(), mem.NewFootprints(true, global)
	w.env.Footprint = f.New()
	w.want.Footprint = mem.NewFootprints(false, w.want.Space(ir.GlobalSpace, 0)).New()
	return func(all bool) {
		for i, g := range global.Segments() {
			x := w.want.Space(ir.GlobalSpace, 0).Segments()[i]
			for _, want := range []mem.Rights{mem.Read, mem.Write, mem.ReadWrite} {
				if got, expect := marksOf(w.env.Footprint, g.Data, want), marksOf(w.want.Footprint, x.Data, want); all && got != expect {
					t.Errorf("%q, %d: words marked by\ncode          %s\nthe reference %s", g.Name, want, got, expect)
				}
			}
		}
		f.Undo()
		for i, g := range global.Segments() {
			if !bytes.Equal(g.Data, before.Segments()[i].Data) {
				t.Errorf("the footprint lacks a store to %q", g.Name)
			}
			copy(w.want.Space(ir.GlobalSpace, 0).Segments()[i].Data, g.Data)
		}
	}
}

// marksOf returns the words of a segment that are marked in a footprint, one digit each.
func marksOf(p *mem.Footprint, data []byte, want mem.Rights) string {
	table, ok := p.Table(data, want)
	if table == nil || !ok {
		return fmt.Sprint(ok)
	}
	marks := bytes.Repeat([]byte("0"), (len(data)+3)/4)
	for i, page := range unsafe.Slice(table, (len(data)-1)>>mem.PageShift+1) {
		if page == nil {
			continue
		}
		for k, m := range unsafe.Slice((*byte)(page), 1<<(mem.PageShift-mem.WordShift)) {
			if m != 0 {
				marks[i<<(mem.PageShift-mem.WordShift)+k] = '1'
			}
		}
	}
	return string(marks)
}
