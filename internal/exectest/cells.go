package exectest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// cellsText reads and writes cells by an index that is per lane (v[0]) or uniform (s[0]), in files whose range rule
// is wrap (w, p) and zero (z, f); sets the mask; and reads live and clock.
const cellsText = `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %i = get.i32 s[0]
  %e = get.i1 exec
  %wx = getx.i32 w[1+%x], %e
  %wi = getx.i32 w[1+%i], %e
  %zx = getx.i32 z[1+%x], %e
  %px = getx.i1 p[0+%x], %e
  %fi = getx.i1 f[0+%i]
  set.i32 v[1], %wx, %e
  set.i32 v[2], %wi, %e
  set.i32 v[3], %zx, %e
  set.i1 p[7], %px, %e
  set.i1 f[7], %fi
mark 0x104 size 4
  %x1 = get.i32 v[0]
  %i1 = get.i32 s[0]
  %y1 = get.i32 v[4]
  %k1 = get.i32 s[1]
  %c1 = get.i1 f[6]
  %e1 = get.i1 exec
  setx.i32 w[0+%x1], %y1, %e1
  setx.i32 z[0+%i1], %k1, %e1
  setx.i1 f[2+%i1], %c1
mark 0x108 size 4
  %y2 = get.i32 v[4]
  %q2 = get.i1 p[6]
  %e2 = get.i1 exec
  setlast.i32 s[2], %y2, %e2
  setlast.i1 f[0], %q2, %e2
mark 0x10c size 4
  %q3 = get.i1 p[6]
  %l3 = live.i1
  %n3 = clock.i64
  %lo3:%hi3 = unpack.i32 %n3
  set.i1 exec, %q3
  set.i32 s[3], %lo3
  set.i1 p[5], %l3, %l3
  jump 0x100
`

func testCells(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, cellsText))
	rnd := rand.New(rand.NewPCG(3, 3))
	for _, lanes := range m.Widths {
		st, _ := exec.NewState(m, lanes)
		for range 4 {
			for _, mask := range masks(st, rnd) {
				fill(st, rnd)
				for lane := range lanes {
					st.Set(cellOf(fileV, 0), lane, uint32(rnd.IntN(12)-5))
				}
				st.Set(cellOf(fileS, 0), 0, uint32(rnd.IntN(14)-5))
				st.Start(entry, rnd.Uint64()|1)
				st.Exec, st.Clock = mask, 1<<33
				want := st.Snapshot()
				expectCells(want)
				stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 4})
				if d := want.Diff(st, 5); stop.Reason != exec.StopBudget || d != nil {
					t.Fatalf("%d lanes, exec %#x: stop %v; want, got: %q", lanes, mask, stop, d)
				}
			}
		}
	}
}

// wrap is i modulo n, never negative.
func wrap(i, n int) int { return (i%n + n) % n }

func expectCells(st *exec.State) {
	i := int(int32(st.Get(cellOf(fileS, 0), 0)))
	in := func(i, n int) bool { return i >= 0 && i < n }
	before := st.Snapshot()
	get := func(file, i, lane int) uint32 { return before.Get(cellOf(file, i), lane) }
	for lane := range st.Lanes {
		x := int(int32(get(fileV, 0, lane)))
		if st.Exec>>lane&1 == 0 {
			continue
		}
		st.Set(cellOf(fileV, 1), lane, get(fileW, wrap(1+x, 3), lane))
		st.Set(cellOf(fileV, 2), lane, get(fileW, wrap(1+i, 3), lane))
		st.Set(cellOf(fileV, 3), lane, 0)
		if in(1+x, 3) {
			st.Set(cellOf(fileV, 3), lane, get(fileZ, 1+x, lane))
		}
		st.Set(cellOf(fileP, 7), lane, get(fileP, wrap(x, 8), lane))
		st.Set(cellOf(fileW, wrap(x, 3)), lane, get(fileV, 4, lane))
		if in(i, 3) {
			st.Set(cellOf(fileZ, i), lane, get(fileS, 1, 0))
		}
		st.Set(cellOf(fileS, 2), 0, get(fileV, 4, lane))
		st.Set(cellOf(fileF, 0), 0, get(fileP, 6, lane))
	}
	st.Set(cellOf(fileF, 7), 0, 0)
	if in(i, 8) {
		st.Set(cellOf(fileF, 7), 0, get(fileF, i, 0))
	}
	if in(2+i, 8) && !(2+i == 0 && st.Exec != 0) { // otherwise setlast has overwritten it
		st.Set(cellOf(fileF, 2+i), 0, get(fileF, 6, 0))
	}
	st.M[5] = st.M[5]&^st.Live | st.Live
	st.Clock += 4
	st.Set(cellOf(fileS, 3), 0, uint32(st.Clock))
	st.Exec = st.M[6]
}

// rangeText faults if the lane's index v[0], or the wave's s[0], is outside v.
const rangeText = `
block 0x100
mark 0x100 size 8
  %x = get.i32 v[0]
  %e = get.i1 exec
  %a = getx.i32 v[2+%x], %e
  set.i32 v[1], %a, %e
  jump 0x200
block 0x200
mark 0x200 size 8
  %x = get.i32 v[0]
  %p = get.i1 p[0]
  setx.i32 v[2+%x], %x, %p
  jump 0x300
block 0x300
mark 0x300 size 8
  %i = get.i32 s[0]
  %a = getx.i32 s[2+%i]
  set.i32 s[1], %a
  jump 0x300
block 0x400
mark 0x400 size 8
  %i = get.i32 s[0]
  %e = get.i1 exec
  %a = getx.i32 v[2+%i], %e
  set.i32 v[1], %a, %e
  jump 0x400
block 0x500
mark 0x500 size 8
  %x = get.i32 v[0]
  %p = get.i1 p[0]
  %a = getx.i32 v[2+%x], %p
  %b = getx.i32 z[1+%x], %p
  %c = getx.i32 w[1+%x], %p
  %t = const.i1 1
  set.i32 v[1], %a, %t
  set.i32 v[2], %b, %t
  set.i32 v[3], %c, %t
  jump 0x600
`

// testRange: only active lanes can have a faulting index, and the instruction has no effect.
func testRange(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	p := Parse(m, rangeText)
	for _, c := range []struct {
		pc   uint64
		lane int
		all  uint64 // lanes at fault
		text string
	}{
		{0x100, 2, 0b1100, "register v[2+90] is outside v[0] to v[23]"},
		{0x200, 2, 0b1100, "register v[2+90] is outside v[0] to v[23]"},
		{0x300, -1, 0, "register s[2-3] is outside s[0] to s[23]"},
		{0x400, 1, 0b1110, "register v[2-3] is outside v[0] to v[23]"},
		{0x500, 2, 0b1100, "register v[2+90] is outside v[0] to v[23]"},
	} {
		for _, hit := range []bool{false, true} {
			st, _ := exec.NewState(m, 4)
			st.Start(c.pc, st.Full)
			st.Set(cellOf(fileV, 0), 2, 90)
			st.Set(cellOf(fileV, 0), 3, 50)
			st.Exec, st.M[0] = 0b0011, 0b0011
			if c.pc == 0x400 {
				st.Exec = 0
			}
			if hit || c.pc == 0x400 {
				st.Set(cellOf(fileS, 0), 0, ^uint32(2))
			}
			if hit {
				st.Exec, st.M[0] = 0b1110, 0b1110
			}
			before := st.Snapshot()
			env := &exec.Env{}
			stop := e.NewRunner(p).Run(st, env, exec.Budget{Steps: 1})
			switch {
			case !hit && stop.Reason != exec.StopBudget:
				t.Errorf("%#x: stop %v %v without a lane at fault", c.pc, stop.Reason, stop.Fault)
			case !hit:
			case stop.Reason != exec.StopFault:
				t.Errorf("%#x: stop %v, want a fault", c.pc, stop.Reason)
			case stop.Fault.Kind != exec.FaultRange || stop.Fault.Lane != c.lane || stop.Fault.Lanes != c.all || !strings.HasSuffix(stop.Fault.Error(), c.text):
				t.Errorf("%#x: fault %+v, want lane %d of %#x: %s", c.pc, stop.Fault, c.lane, c.all, c.text)
			case !before.Equal(st) || env.Count != exec.Counters{}:
				t.Errorf("%#x: something has changed: %q %+v", c.pc, before.Diff(st, 3), env.Count)
			}
		}
	}
}

// testTotal: reads by an index have a value in all lanes, whatever the mask: that of the register if the index is
// in range, else 0.
func testTotal(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, rangeText))
	rnd := rand.New(rand.NewPCG(12, 12))
	in := func(i, n int) bool { return i >= 0 && i < n }
	for range 50 {
		st, _ := exec.NewState(m, 16)
		fill(st, rnd)
		st.Start(0x500, st.Full)
		st.Exec, st.M[0] = rnd.Uint64()&st.Full, 0
		for lane := range st.Lanes {
			x := rnd.IntN(60) - 20
			st.Set(cellOf(fileV, 0), lane, uint32(x))
			st.M[0] |= uint64(rnd.IntN(2)) << lane
			if !in(2+x, 24) {
				st.M[0] &^= 1 << lane
			}
		}
		want := st.Snapshot()
		for lane := range st.Lanes {
			x := int(int32(st.Get(cellOf(fileV, 0), lane)))
			a, b := uint32(0), uint32(0)
			if in(2+x, 24) {
				a = st.Get(cellOf(fileV, 2+x), lane)
			}
			if in(1+x, 3) {
				b = st.Get(cellOf(fileZ, 1+x), lane)
			}
			want.Set(cellOf(fileV, 1), lane, a)
			want.Set(cellOf(fileV, 2), lane, b)
			want.Set(cellOf(fileV, 3), lane, st.Get(cellOf(fileW, wrap(1+x, 3)), lane))
		}
		want.Goto(0x600)
		want.Clock++
		stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 1})
		if d := want.Diff(st, 3); stop.Reason != exec.StopBudget || d != nil {
			t.Fatalf("stop %v %v; want, got: %q", stop.Reason, stop.Fault, d)
		}
	}
}
