package gen

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// parts iterates s[0] times: the lanes of p[0] diverge from the others and reconverge, and those of p[2] end. Lanes of
// p[4] run quads before.
const parts = `
block 0x100
mark 0x100 size 4
  %e = get.i1 exec
  ctl push %e, 0x300
block 0x104
mark 0x104 size 4
  %f = get.i1 p[4]
  %v = get.i1 exec
  %any = any %f, %v
  branch %any, 0x108, 0x10c
block 0x108
mark 0x108 size 4
  %e = get.i1 exec
  ctl quadon %e
block 0x10c
mark 0x10c size 4
  %p = get.i1 p[0]
  ctl diverge %p, 0x200
block 0x110
mark 0x110 size 4
  %a = get.i32 v[1]
  %k = const.i32 3
  %s = iadd.i32 %a, %k
  %e = get.i1 exec
  set.i32 v[1], %s, %e
  jump 0x300
block 0x200
mark 0x200 size 4
  %q = get.i1 p[2]
  retire %q, 0x204
block 0x204
mark 0x204 size 4
  jump 0x300
block 0x300
mark 0x300 size 4
  %a = get.i32 v[1]
  %k = const.i32 1
  %s = iadd.i32 %a, %k
  %e = get.i1 exec
  ctlcheck join %e
  set.i32 v[1], %s, %e
  ctl join %e
block 0x304
mark 0x304 size 4
  %n = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n, %one
  set.i32 s[0], %n1
  %zero = const.i32 0
  %again = ne.i32 %n1, %zero
  branch %again, 0x100, 0x308
block 0x308
mark 0x308 size 4
  end
`

// TestStack checks that lanes diverge, end and reconverge in machine code, and that errors are reported as in the
// reference.
func TestStack(t *testing.T) {
	n := host()
	if n.Lacks() != "" {
		t.Skip("NOT TESTED: " + n.Lacks())
	}
	m := exectest.Machine(ir.MaskStack)
	p := exectest.Parse(m, parts)
	chains := 0
	fast, slow := exec.Eager(portable.With(counting{n, &chains})).NewRunner(p), ref.New().NewRunner(p)
	for i, c := range []struct {
		lanes, parts, ends, quads uint64
		limit                     int // chains
	}{
		{^uint64(0), 0xf0f0, 0x1010, 0, 40}, // this one links the successors
		{^uint64(0), 0xf0f0, 0x1010, 0, 1},
		{^uint64(0), 0xff00_0000_ffff_ffff, 0x0f, 0, 1},
		{0xffff_0000_ffff, 0x0f00_ff0f, 0x0f, 0, 1},
		{0xffff_0000_ffff, 0, 0, 0, 6},
		{^uint64(0), 0xf0f0, 0, 1, 40},
		{0xffff, 0x00ff, 0x00ff, 0, 6},
	} {
		var ends [2]*exec.State
		var envs [2]exec.Env
		var stops [2]exec.Stop
		for k, r := range []exec.Runner{fast, slow} {
			st, err := exec.NewState(m, 64)
			if err != nil {
				t.Fatal(err)
			}
			st.Start(0x100, c.lanes)
			st.Set(ir.Cell{File: 3}, 0, 200)
			st.M[0], st.M[2], st.M[4] = c.parts, c.ends, c.quads
			chains = 0
			stops[k] = r.Run(st, &envs[k], exec.Budget{Steps: 1 << 40})
			if k == 0 && chains > c.limit {
				t.Errorf("case %d: %d chains, want at most %d", i, chains, c.limit)
			}
			ends[k] = st
		}
		if d := ends[0].Diff(ends[1], 4); d != nil || envs[0].Count != envs[1].Count || stops[0].Reason != stops[1].Reason {
			t.Errorf("case %d: %q, counted %+v, %+v, stopped for %v, %v", i, d, envs[0].Count, envs[1].Count, stops[0], stops[1])
		}
		if want := map[bool]exec.StopReason{false: exec.StopEnd, true: exec.StopFault}[c.quads != 0]; stops[0].Reason != want {
			t.Errorf("case %d stopped for %v, want %v", i, stops[0].Reason, want)
		}
	}
}
