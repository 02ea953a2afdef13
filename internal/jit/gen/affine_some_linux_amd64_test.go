package gen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// amongLanes loads and stores under p[0] at v[0], of which lanes are consecutive, and at s[2]. What inactive lanes have
// loaded, and what one lane has stored that another one loads, is in registers afterwards. The last store has a uniform
// mask.
const amongLanes = `block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %p = get.i1 p[0]
  %a = get.i32 v[0]
  %x = load.i32 group[KIND] %a, %p
  set.i32 v[2], %x, %e
mark 0x104 size 4
  %e1 = get.i1 exec
  %p1 = get.i1 p[0]
  %b = get.i32 s[2]
  %y = load.i32 group[4] %b, %p1
  set.i32 v[3], %y, %e1
mark 0x108 size 4
  %p2 = get.i1 p[0]
  %c = get.i32 v[1]
  %c64 = zext.i64 %c
  %base = const.i64 0x700001000
  %at = iadd.i64 %c64, %base
  %v = get.i32 v[6]
  store.i32 global[4] %at, %v, %p2
mark 0x10c size 4
  %e3 = get.i1 exec
  %d = get.i32 v[1]
  %d64 = zext.i64 %d
  %n = const.i64 APART
  %f = iadd.i64 %d64, %n
  %z = load.i32 global[4] %f, %e3
  set.i32 v[4], %z, %e3
mark 0x110 size 4
  %q = get.i1 exec
  %g = get.i32 s[10]
  %two = const.i32 2
  %r = ult.i32 %g, %two
  unlikely %r
  %w = get.i32 v[7]
  %i = get.i32 v[8]
  %u = select.i32 %r, %i, %w
  set.i32 v[5], %u, %q
mark 0x114 size 4
  %l = get.i32 s[11]
  set.i32 s[10], %l
mark 0x118 size 4
  %t = get.i1 exec
  %k = get.i32 s[10]
  %four = const.i32 4
  %o = ult.i32 %k, %four
  unlikely %o
  %m = get.i32 v[7]
  %h = get.i32 v[8]
  %j = select.i32 %o, %h, %m
  set.i32 v[9], %j, %t
mark 0x11c size 4
  %few = const.i32 4
  %word = get.i32 s[12]
  %uniform = ult.i32 %word, %few
  %ab = get.i32 v[1]
  %ab64 = zext.i64 %ab
  %from = const.i64 0x700001000
  %to = iadd.i64 %ab64, %from
  %lane = get.i32 v[7]
  store.i32 global[4] %to, %lane, %uniform
  jump 0x100
`

// TestAffineSome checks the fast plan of accesses by some lanes, with bytes and whole words, where a store and a load
// after it overlap or do not, also as bytes with several addresses, and where what a guard expects holds, or no longer.
func TestAffineSome(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		for _, kind := range []string{"4", "1", "1 signed", "2", "2 signed"} {
			for _, apart := range []int{0, 4, 8, 252, 256, -4, -256, 0x2000, 0x5004, 0x6004, 0x701c} {
				text := strings.NewReplacer("KIND", kind, "APART", fmt.Sprint(0x7_0000_1000+apart)).Replace(amongLanes)
				var fast *fastPath
				view(text, func(b *lower.Block) { fast = newPlan(targetOf(cpu.Level2), b, new(tables)).faster })
				if fast == nil || slices.ContainsFunc(fast.choices, choice.mayExit) {
					t.Fatal("there is no plan without exits")
				}
				p := exectest.Parse(m, text)
				got, want := aliased(t), aliased(t)
				r, reference := e.NewRunner(p), ref.New().NewRunner(p)
				for turn, mask := range []uint64{^uint64(0), ^uint64(0), 0xff00_1234_5678_00ff, 0, 1, 1 << 63, 0xffff_ffff_ffff_ff00, ^uint64(0), 0xf0f0 << 24} {
					st := someState(t, m, kind, turn, mask)
					other := st.Snapshot()
					a := r.Run(st, &got.Env, exec.Budget{Steps: 8})
					b := reference.Run(other, &want.Env, exec.Budget{Steps: 8})
					x, y := fmt.Sprint(a.Reason, a.Fault, got.Count), fmt.Sprint(b.Reason, b.Fault, want.Count)
					if d := other.Diff(st, 5); d != nil || x != y || !slices.EqualFunc(got.data, want.data, bytes.Equal) {
						t.Errorf("kind %s, apart %d, turn %d: %s, the reference %s; want, got: %q", kind, apart, turn, x, y, d)
					}
				}
			}
		}
	})
}

// aliased returns memory whose first segment has further addresses.
func aliased(t *testing.T) affineWorld {
	w := affineMemory(t)
	for _, base := range []uint64{0x7_0000_6000, 0x7_0000_7000, 0x7_0000_8018} {
		s := mem.Segment{Name: fmt.Sprint(base), Base: base, Rights: mem.ReadWrite, Data: w.data[0]}
		if err := w.Spaces[ir.GlobalSpace][0].Add(s); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// someState returns a state for a turn of amongLanes.
func someState(t *testing.T, m *ir.Machine, kind string, turn int, mask uint64) *exec.State {
	st, err := exec.NewState(m, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i := range st.V {
		st.V[i] = uint32(i*77 + turn)
	}
	st.Start(0x100, st.Full)
	for lane := range 64 {
		st.Set(ir.Cell{}, lane, 8+uint32(lane)*uint32(kind[0]-'0'))
		st.Set(ir.Cell{Index: 1}, lane, uint32(256*(1+turn%3/2)+4*lane))
	}
	for at, x := range map[uint16]uint32{2: 40, 10: uint32(9 - 8*(turn%5/4)), 11: uint32(9 - 8*(turn%6/5)), 12: uint32(3 + turn%2)} {
		st.Set(ir.Cell{File: 3, Index: at}, 0, x)
	}
	st.M[exec.IndexOf(m, ir.Cell{File: 4})] = mask
	if turn > 3 {
		st.Exec = mask | 0xff
	}
	return st
}
