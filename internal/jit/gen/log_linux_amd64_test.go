package gen

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// lateProbe is a loop whose probe has no lane in its first turns: when it has, the fast plan runs, but there is no log
// yet.
const lateProbe = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %c = get.i32 s[0]
  %three = const.i32 3
  %one = const.i32 1
  %zero = const.i32 0
  %on = ult.i32 %c, %three
  %m = and.i1 %e, %on
  %at = get.i32 v[4]
  probe 1, %at, %m
  %x = load.i32 group[4] %at, %m
  set.i32 v[5], %x, %m
  %n = isub.i32 %c, %one
  set.i32 s[0], %n
  %more = ne.i32 %n, %zero
  branch %more, 0x100, 0x104
block 0x104
mark 0x104 size 4
  end
`

// checkedProbe has a probe with a mask that the loop of a segment makes, and one with an older mask after it.
const checkedProbe = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %c = get.i32 s[0]
  %one = const.i32 1
  %zero = const.i32 0
  %k = get.i32 v[6]
  %lane = laneid.i32
  %k2 = iadd.i32 %k, %lane
  %lt = ult.i32 %k2, %c
  %m = and.i1 %e, %lt
  %at = get.i32 v[4]
  probe 1, %at, %m
  check load group[4] %at, %m
  probe 2, %at, %e
  %x = load.i32 group[4] %at, %e
  set.i32 v[5], %x, %e
  %n = isub.i32 %c, %one
  set.i32 s[0], %n
  %more = ne.i32 %n, %zero
  branch %more, 0x100, 0x104
block 0x104
mark 0x104 size 4
  end
`

// swapProbe has the same in two instructions.
const swapProbe = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  %c = get.i32 s[0]
  %one = const.i32 1
  %zero = const.i32 0
  %at = get.i32 v[4]
  %was = get.i32 v[6]
  %lane = laneid.i32
  %k = iadd.i32 %was, %lane
  %lt = ult.i32 %k, %c
  %m = and.i1 %e, %lt
  probe 1, %at, %m
mark 0x104 size 4
  %e2 = get.i1 exec
  %c2 = get.i32 s[0]
  %at2 = get.i32 v[4]
  probe 2, %at2, %e2
  %x = load.i32 group[4] %at2, %e2
  set.i32 v[5], %x, %e2
  %one2 = const.i32 1
  %zero2 = const.i32 0
  %n = isub.i32 %c2, %one2
  set.i32 s[0], %n
  %more = ne.i32 %n, %zero2
  branch %more, 0x100, 0x108
block 0x108
mark 0x108 size 4
  end
`

// TestLogOrder: fast plans log probes in the order of the code, from the first one on.
func TestLogOrder(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		for _, text := range []string{lateProbe, checkedProbe, swapProbe} {
			p := exectest.Parse(m, text)
			got, want := affineMemory(t), affineMemory(t)
			r, reference := e.NewRunner(p), ref.New().NewRunner(p)
			for turn := range 4 {
				st, err := exec.NewState(m, 64)
				if err != nil {
					t.Fatal(err)
				}
				st.Start(0x100, st.Full)
				st.Set(ir.Cell{File: 3}, 0, 8)
				for lane := range 64 {
					st.Set(ir.Cell{Index: 4}, lane, uint32(4*lane))
					st.Set(ir.Cell{Index: 6}, lane, 0)
				}
				other := st.Snapshot()
				got.heard.all, want.heard.all = nil, nil
				r.Run(st, &got.Env, exec.Budget{Steps: 1000})
				reference.Run(other, &want.Env, exec.Budget{Steps: 1000})
				if d := other.Diff(st, 3); d != nil || !slices.Equal(got.heard.all, want.heard.all) {
					t.Errorf("turn %d: heard %q, want %q; want, got: %q of%s", turn, got.heard.all, want.heard.all, d, text)
				}
			}
		}
	})
}
