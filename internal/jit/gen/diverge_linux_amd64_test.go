package gen

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// waits iterates s[0] times: the lanes of p[0] diverge from the others, some of both diverge once more, and they
// reconverge in two places.
const waits = `
block 0x100
mark 0x100 size 4
  %p = get.i1 p[0]
  ctl diverge %p, 0x200
block 0x104
mark 0x104 size 4
  %a = get.i32 v[1]
  %k = const.i32 3
  %s = iadd.i32 %a, %k
  %e = get.i1 exec
  %q = get.i1 p[2]
  set.i32 v[1], %s, %e
  ctl diverge %q, 0x180
block 0x108
mark 0x108 size 4
  %a = get.i32 v[1]
  %k = const.i32 100
  %s = iadd.i32 %a, %k
  %e = get.i1 exec
  set.i32 v[1], %s, %e
  ctl reconverge %e, 0x180
block 0x10c
mark 0x10c size 4
  end
block 0x180
mark 0x180 size 4
  %a = get.i32 v[1]
  %k = const.i32 5
  %s = imul.i32 %a, %k
  %e = get.i1 exec
  set.i32 v[1], %s, %e
  ctl reconverge %e, 0x300
block 0x184
mark 0x184 size 4
  end
block 0x200
mark 0x200 size 4
  %q = get.i1 p[4]
  %a = get.i32 v[1]
  %k = const.i32 7
  %s = iadd.i32 %a, %k
  %e = get.i1 exec
  set.i32 v[1], %s, %e
  ctl diverge %q, 0x300
block 0x204
mark 0x204 size 4
  %a = get.i32 v[1]
  %k = const.i32 11
  %s = imul.i32 %a, %k
  %e = get.i1 exec
  set.i32 v[1], %s, %e
  jump 0x300
block 0x300
mark 0x300 size 4
  %e = get.i1 exec
  ctl reconverge %e, 0x304
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

// TestLowest checks that lanes diverge, wait and reconverge in machine code.
func TestLowest(t *testing.T) {
	for _, set := range tested(t) {
		t.Run(set.String(), func(t *testing.T) {
			n := nativeOf(set)
			if n.Lacks() != "" {
				t.Skip("NOT TESTED: " + n.Lacks())
			}
			testLowest(t, n)
		})
	}
}

func testLowest(t *testing.T, n *native) {
	m := exectest.Machine(ir.LowestPC)
	m.Widths = append(m.Widths, 8)
	p := exectest.Parse(m, waits)
	rnd := rand.New(rand.NewPCG(2, 7))
	for _, lanes := range []int{n.bits / 64, 16, 32, 64} {
		chains := 0
		fast, slow := exec.Eager(portable.With(counting{n, &chains})).NewRunner(p), ref.New().NewRunner(p)
		for i := range 60 {
			live, masks := rnd.Uint64()|rnd.Uint64(), [3]uint64{rnd.Uint64(), rnd.Uint64(), rnd.Uint64()}
			for k := range masks {
				if rnd.IntN(4) == 0 {
					masks[k] = -uint64(rnd.IntN(2))
				}
			}
			if i%2 == 0 {
				live = ^uint64(0)
			}
			var ends [2]*exec.State
			var envs [2]exec.Env
			for k, r := range []exec.Runner{fast, slow} {
				st, err := exec.NewState(m, lanes)
				if err != nil {
					t.Fatal(err)
				}
				st.Start(0x100, live)
				st.Set(ir.Cell{File: 3}, 0, 50)
				for j, mask := range masks {
					st.M[2*j] = mask & st.Full
				}
				chains = 0
				for steps := uint64(1 << 40); ; steps = 1 << 40 {
					if k == 0 && i%3 == 0 {
						steps = 1 + rnd.Uint64N(40) // PCs of waiting lanes are carried over from run to run
					}
					if stop := r.Run(st, &envs[k], exec.Budget{Steps: steps}); stop.Reason == exec.StopEnd {
						break
					} else if stop.Reason != exec.StopBudget {
						t.Fatalf("%d lanes, case %d, runner %d: stopped for %v: %#x %#x %#x", lanes, i, k, stop, st.Exec, st.Live, st.LanePC)
					}
				}
				if k == 0 && i > 30 && i%3 != 0 && chains > 6 { // successors that no wave has reached before
					t.Errorf("%d lanes, case %d: %d chains", lanes, i, chains)
				}
				ends[k] = st
			}
			if d := ends[0].Diff(ends[1], 4); d != nil || envs[0].Count != envs[1].Count {
				t.Errorf("%d lanes, case %d: %q, counted %+v, %+v", lanes, i, d, envs[0].Count, envs[1].Count)
			}
		}
	}
}
