package gen

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// changingCode returns a block with an atomic three times: with a result in registers, with uniform operands and a
// mask, and with a dead result. Operands and addresses are masked.
func changingCode(op mem.AtomicOp, typ ir.Type, space ir.SpaceID, data, addr uint32) string {
	access := fmt.Sprintf("atomic.%s %s[%d %s]", typ, space, typ.Bits()/8, op)
	two, wave := "", ""
	load := func(name, from string, at int) string {
		return fmt.Sprintf("  %%%s0 = get.i32 %s[%d]\n  %%%s = and.i32 %%%s0, %%dm\n", name, from, at, name, name)
	}
	if typ.Bits() == 64 {
		load = func(name, from string, at int) string {
			return fmt.Sprintf("  %%%s1 = get.i32 %s[%d]\n  %%%s2 = get.i32 %s[%d]\n  %%%s3 = and.i32 %%%s1, %%dm\n  %%%s4 = and.i32 %%%s2, %%dm\n  %%%s = pack.i64 %%%s3, %%%s4\n",
				name, from, at, name, from, at+6, name, name, name, name, name, name, name)
		}
	}
	if op.Two() {
		two, wave = ", %c", ", %y"
	}
	show := "  set.i32 v[5], %o, %e\n"
	if typ.Bits() == 64 {
		show = "  %l:%h = unpack.i32 %o\n  set.i32 v[5], %l, %e\n  set.i32 v[6], %h, %e\n"
	}
	return fmt.Sprintf(`
block 0x100
mark 0x100 size 4
  %%dm = const.i32 %d
  %%am = const.i32 %d
  %%r = get.i32 v[0]
  %%a = and.i32 %%r, %%am
%s%s  %%e = get.i1 exec
  %%o = %s %%a, %%d%s, %%e
%s  jump 0x104
block 0x104
mark 0x104 size 4
  %%dm = const.i32 %d
  %%am = const.i32 %d
  %%r = get.i32 v[3]
  %%a = and.i32 %%r, %%am
%s%s  %%e = get.i1 p[0]
  %%o = %s %%a, %%x%s, %%e
%s  jump 0x108
block 0x108
mark 0x108 size 4
  %%dm = const.i32 %d
  %%am = const.i32 %d
  %%r = get.i32 v[4]
  %%a = and.i32 %%r, %%am
%s%s  %%e = get.i1 exec
  %%o = %s %%a, %%d%s, %%e
  jump 0x100
`, data, addr, load("d", "v", 1), load("c", "v", 2), access, two, show,
		data, addr, load("x", "s", 0), load("y", "s", 1), access, wave, show,
		data, addr, load("d", "v", 1), load("c", "v", 2), access, two)
}

// calmer makes half of the numbers in memory small, so that some operands are equal to them.
func (w *world) calmer(rnd *rand.Rand) {
	for id := range w.env.Spaces {
		for i, x := range w.want.Space(ir.SpaceID(id), 0).Segments() {
			for k := range x.Data {
				if k%4 != 0 && rnd.IntN(8) != 0 {
					x.Data[k] = 0
				} else {
					x.Data[k] &= 3
				}
			}
			copy(w.env.Space(ir.SpaceID(id), 0).Segments()[i].Data, x.Data)
		}
	}
}

// TestAtomics checks that every atomic agrees with the reference in every space: results, memory, faults, counts.
func TestAtomics(t *testing.T) {
	m, outcomes := exectest.Machine(ir.MaskData), map[exec.StopReason]int{}
	for _, level := range tested(t) {
		steps, whole := 0, 0
		e := exec.Eager(portable.With(left{nativeOf(level), &steps}))
		rnd := rand.New(rand.NewPCG(11, uint64(level)))
		for op := mem.AtomicOp(0); op.Valid(); op++ {
			for _, typ := range []ir.Type{ir.I32, ir.I64} {
				for _, space := range []ir.SpaceID{ir.GlobalSpace, ir.GroupSpace, ir.FlatSpace} {
					masks := [...]uint32{3, 0xffff_ffff}
					p := exectest.Parse(m, changingCode(op, typ, space, masks[rnd.IntN(2)], ^[...]uint32{7, 7, 0}[rnd.IntN(3)]))
					for _, lanes := range m.Widths[:3] {
						w := newWorld(t, rnd)
						w.calmer(rnd)
						r, reference := e.NewRunner(p), ref.New().NewRunner(p)
						for range 12 {
							before := steps
							reason := w.try(t, rnd, m, lanes, r, reference)
							if t.Failed() {
								t.Fatalf("that was %v %v of %v", op, typ, space)
							}
							outcomes[reason]++
							if steps == before {
								whole++
							}
						}
					}
				}
			}
		}
		if whole < 150 {
			t.Errorf("%d waves have not left machine code", whole)
		}
	}
	if len(outcomes) > 0 && (outcomes[exec.StopFault] < 500 || outcomes[exec.StopBudget] < 500) {
		t.Errorf("outcomes are %v", outcomes)
	}
}

// TestAtomicsConcurrent checks that no update is lost when waves on several goroutines add to global memory.
func TestAtomicsConcurrent(t *testing.T) {
	set, err := cpu.Pretend(cpu.Level2)
	if err != nil {
		t.Skip(err)
	}
	m := exectest.Machine(ir.MaskData)
	e := exec.Eager(portable.With(newNative(set, code.NewArena)))
	const runners, visits = 2, 30000
	for _, op := range []mem.AtomicOp{mem.Add, mem.RSub, mem.Inc, mem.Xor} {
		p := exectest.Parse(m, fmt.Sprintf(`
block 0x100
mark 0x100 size 4
  %%a = get.i32 v[0]
  %%d = get.i32 v[1]
  %%e = get.i1 exec
  %%o = atomic.i32 global[4 %s] %%a, %%d, %%e
  jump 0x100
`, op))
		space, err := mem.NewSpace("global", mem.NewSegment("buffer", 0, 64, mem.ReadWrite))
		if err != nil {
			t.Fatal(err)
		}
		data := map[mem.AtomicOp]uint32{mem.Add: 3, mem.RSub: 1, mem.Inc: 1 << 30, mem.Xor: 1}[op]
		want := map[mem.AtomicOp]uint32{mem.Add: 3 * runners * visits * 4, mem.RSub: 0, mem.Inc: runners * visits * 4, mem.Xor: 0}[op]
		var group sync.WaitGroup
		for range runners {
			group.Go(func() {
				st, err := exec.NewState(m, 64)
				if err != nil {
					t.Error(err)
					return
				}
				st.Start(0x100, st.Full)
				for lane := range 64 {
					st.V[lane], st.V[st.Stride+lane] = uint32(lane%16*4), data
				}
				env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
				if stop := e.NewRunner(p).Run(st, env, exec.Budget{Steps: visits}); stop.Reason != exec.StopBudget || env.Count.Total().Atomics < 64*visits {
					t.Errorf("%v: %v %v after %d", op, stop.Reason, stop.Fault, env.Count.Total().Atomics)
				}
			})
		}
		group.Wait()
		for i := range 16 {
			if got := mem.Load(space.Segments()[0].Data[4*i : 4*i+4]); uint32(got) != want {
				t.Errorf("%v leaves %d, want %d", op, got, want)
			}
		}
	}
}
