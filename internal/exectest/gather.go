package exectest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// gatherText reads and writes per-wave cells, each lane by its own index v[0].
const gatherText = `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %e = get.i1 exec
  %m = get.i1 p[0]
  %t = const.i1 1
  %a = getx.i32 s[2 + %x], %m
  %b = getx.i1 f[1 + %x], %m
  set.i32 v[1], %a, %t
  set.i1 p[1], %b, %t
mark 0x104 size 4
  %x1 = get.i32 v[0]
  %y1 = get.i32 v[2]
  %q1 = get.i1 p[2]
  %m1 = get.i1 p[0]
  setx.i32 s[2 + %x1], %y1, %m1
  setx.i1 f[1 + %x1], %q1, %m1
  jump 0x200
`

// testGather: per-wave files with an index per lane. Reads are total, the highest lane's write to a cell stays, and
// an index out of range follows the rule of the file.
func testGather(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, gatherText))
	rnd := rand.New(rand.NewPCG(18, 18))
	faults := 0
	for round := range 400 {
		st, _ := exec.NewState(m, m.Widths[round%len(m.Widths)])
		fill(st, rnd)
		reach := 22 // of 24 cells, two are below the index
		if round%4 == 0 {
			reach = 40
		}
		for lane := range st.Lanes {
			st.Set(cellOf(fileV, 0), lane, uint32(rnd.IntN(reach)-2*(round%2)))
		}
		st.Start(entry, st.Full)
		st.Exec, st.M[0] = rnd.Uint64()&st.Full, masks(st, rnd)[round%6]
		want := st.Snapshot()
		lane, index := expectGather(want)
		stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 2})
		if lane >= 0 {
			faults++
			if stop.Reason != exec.StopFault || stop.Fault.Lane != lane || !strings.HasSuffix(stop.Fault.Error(), "is outside s[0] to s[23]") {
				t.Fatalf("lane %d has index %d: stop %v %v", lane, index, stop.Reason, stop.Fault)
			}
		} else if stop.Reason != exec.StopBudget {
			t.Fatalf("stop %v %v", stop.Reason, stop.Fault)
		}
		if d := want.Diff(st, 4); d != nil {
			t.Fatalf("round %d, mask %#x: want, got: %q", round, st.M[0], d)
		}
	}
	if faults < 20 || faults > 200 {
		t.Errorf("%d of 400 rounds had an index out of range", faults)
	}
}

// expectGather changes st as the block does, and returns the lane whose index faults, or -1.
func expectGather(st *exec.State) (lane, index int) {
	x := func(lane int) int { return int(int32(st.Get(cellOf(fileV, 0), lane))) }
	for lane := range st.Lanes {
		if i := 2 + x(lane); st.M[0]>>lane&1 != 0 && (i < 0 || i > 23) {
			return lane, i
		}
	}
	for lane := range st.Lanes {
		a, b := uint32(0), uint32(0)
		if i := 2 + x(lane); i >= 0 && i < 24 {
			a = st.Get(cellOf(fileS, i), 0)
		}
		if i := 1 + x(lane); i >= 0 && i < 8 {
			b = st.Get(cellOf(fileF, i), 0)
		}
		st.Set(cellOf(fileV, 1), lane, a)
		st.Set(cellOf(fileP, 1), lane, b)
	}
	for lane := range st.Lanes {
		if st.M[0]>>lane&1 == 0 {
			continue
		}
		st.Set(cellOf(fileS, 2+x(lane)), 0, st.Get(cellOf(fileV, 2), lane))
		if i := 1 + x(lane); i >= 0 && i < 8 {
			st.Set(cellOf(fileF, i), 0, st.Get(cellOf(fileP, 2), lane))
		}
	}
	st.Clock += 2
	st.Goto(0x200)
	return -1, 0
}
