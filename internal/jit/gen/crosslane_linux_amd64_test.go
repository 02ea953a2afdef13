package gen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// across has cross-lane ops on values that it has made and that it makes again afterwards, in groups of several sizes,
// with more conditions than there are registers for.
const across = `
block 0x100
mark 0x100 size 4
  %%a = get.i32 v[0]
  %%b = get.i32 v[1]
  %%m = get.i1 p[0]
  %%e = get.i1 exec
  %%n = get.i32 s[0]
  %%sum = iadd.i32 %%a, %%b
  %%x:%%gotx = shuffle.i32 %%sum, %%b, %%m%[1]s
  %%y:%%goty = shuffle.i32 %%a, %%x, %%e
  %%one = readlane.i32 %%x, %%n
  %%first = readfirst.i32 %%sum, %%gotx
  %%none = readfirst.i32 %%y, %%goty
  %%d = iadd.i32 %%a, %%one
  set.i32 v[0], %%x, %%e
  set.i32 v[1], %%d, %%e
  set.i32 v[2], %%y, %%e
  set.i1 p[1], %%gotx, %%e
  set.i1 p[2], %%goty, %%e
  set.i32 s[1], %%one
  set.i32 s[2], %%first
  set.i32 s[3], %%none
mark 0x104 size 4
  %%f = get.i1 exec
  %%p = get.i32 v[0]
  %%q = get.i32 v[2]
  %%k = get.i32 s[1]
  %%c1 = ult.i32 %%p, %%q
  %%c2 = slt.i32 %%p, %%q
  %%c3 = eq.i32 %%p, %%q
  %%c4 = ult.i32 %%q, %%k
  %%c5 = slt.i32 %%k, %%p
  %%w:%%gotw = shuffle.i32 %%p, %%q, %%f%[1]s
  %%l = readlane.i32 %%q, %%k
  %%s1 = select.i32 %%c1, %%w, %%p
  %%s2 = select.i32 %%c2, %%s1, %%q
  %%s3 = select.i32 %%c3, %%s2, %%w
  %%s4 = select.i32 %%c4, %%s3, %%s1
  %%s5 = select.i32 %%c5, %%s4, %%s2
  set.i32 v[0], %%s5, %%f
  set.i1 p[0], %%gotw, %%f
  set.i32 s[1], %%l
mark 0x108 size 4
  end
`

// TestAcross checks that cross-lane steps are compiled, and agree with the reference for any sources, masks and
// groups.
func TestAcross(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(3, 4))
		m := exectest.Machine(ir.MaskData)
		for _, group := range []string{"", ", 2", ", 8", ", 32"} {
			p := exectest.Parse(m, fmt.Sprintf(across, group))
			r, reference := exec.Eager(e).NewRunner(p), ref.New().NewRunner(p)
			for _, lanes := range []int{16, 32, 64, 64, 64} {
				for range 60 {
					acrossAgrees(t, rnd, m, lanes, r, reference)
				}
			}
		}
	})
}

func acrossAgrees(t *testing.T, rnd *rand.Rand, m *ir.Machine, lanes int, runners ...exec.Runner) {
	t.Helper()
	start, err := exec.NewState(m, lanes)
	if err != nil {
		t.Fatal(err)
	}
	start.Start(0x100, start.Full)
	some := func() uint64 {
		return [...]uint64{0, ^uint64(0), rnd.Uint64(), 1 << rnd.IntN(lanes)}[rnd.IntN(4)] & start.Full
	}
	if x := some(); x != 0 {
		start.Exec = x
	}
	start.SetMask(ir.Cell{File: 4}, some())
	start.Set(ir.Cell{File: 3}, 0, rnd.Uint32N(200))
	for lane := range lanes {
		start.Set(ir.Cell{}, lane, rnd.Uint32N(80))
		start.Set(ir.Cell{Index: 1}, lane, [...]uint32{rnd.Uint32N(uint32(lanes)), uint32(lane) ^ rnd.Uint32N(8), rnd.Uint32()}[rnd.IntN(3)])
	}
	want := start.Snapshot()
	if stop := runners[1].Run(want, &exec.Env{}, exec.Budget{}); stop.Reason != exec.StopEnd {
		t.Fatal(stop.Reason)
	}
	got := start.Snapshot()
	if stop := runners[0].Run(got, &exec.Env{}, exec.Budget{}); stop.Reason != exec.StopEnd {
		t.Fatal(stop.Reason)
	}
	for f, file := range m.Files {
		for i := range file.Count {
			for lane := range lanes {
				c := ir.Cell{File: uint8(f), Index: uint16(i)}
				if a, b := got.Get(c, lane), want.Get(c, lane); a != b {
					t.Fatalf("%d lanes, exec %#x, mask %#x: lane %d of %s[%d] is %#x, want %#x", lanes, start.Exec, start.Mask(ir.Cell{File: 4}), lane, file.Name, i, a, b)
				}
			}
		}
	}
}

// TestAcrossWhole checks that a block with such steps is wholly compiled.
func TestAcrossWhole(t *testing.T) {
	n := host()
	if n.Lacks() != "" {
		t.Skip("NOT TESTED: " + n.Lacks())
	}
	m := exectest.Machine(ir.MaskData)
	chains := 0
	r := exec.Eager(portable.With(counting{n, &chains})).NewRunner(exectest.Parse(m, fmt.Sprintf(across, "")))
	st, err := exec.NewState(m, 64)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(0x100, st.Full)
	if stop := r.Run(st, &exec.Env{}, exec.Budget{}); stop.Reason != exec.StopEnd || chains != 1 {
		t.Errorf("%v after %d chains", stop.Reason, chains)
	}
}
