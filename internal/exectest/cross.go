package exectest

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// crossText executes every cross-lane op. Values: v[0]; lanes: v[1], s[0]; conditions: p[0]; mask: p[1].
const crossText = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %to = get.i32 v[1]
  %p = get.i1 p[0]
  %m = get.i1 p[1]
  %e = get.i1 exec
  %i = get.i32 s[0]
  %k = get.i32 s[1]
  %b = ballot.i64 %p, %m
  %blo:%bhi = unpack.i32 %b
  %back = lanes.i1 %b
  %any = any.i1 %p, %m
  %all = all.i1 %p, %m
  %rl = readlane.i32 %a, %i
  %rlp = readlane.i1 %p, %i
  %rlk = readlane.i32 %k, %i
  %rf = readfirst.i32 %a, %m
  %rfp = readfirst.i1 %p, %m
  %sv:%sok = shuffle.i32 %a, %to, %m
  %sp:%spok = shuffle.i1 %p, %to, %m
  %q:%qok = shuffle.i32 %a, %to, %m, 4
  %r:%rok = shuffle.i1 %p, %to, %m, 16
  %wv:%wok = shuffle.i32 %k, %i, %m
  %cv:%cok = scatterlane.i32 %a, %to, %m
  %cp:%cpok = scatterlane.i1 %p, %to, %m
  %id = laneid.i32
  %rr = and.i1 %r, %rok
  %qn = zext.i32 %qok
  %rn = zext.i32 %rr
  set.i32 s[2], %blo
  set.i32 s[3], %bhi
  set.i1 f[0], %any
  set.i1 f[1], %all
  set.i32 s[4], %rl
  set.i1 f[2], %rlp
  set.i32 s[5], %rlk
  set.i32 s[6], %rf
  set.i1 f[3], %rfp
  set.i32 v[2], %sv, %e
  set.i1 p[2], %sok, %e
  set.i1 p[3], %sp, %e
  set.i32 v[3], %wv, %e
  set.i1 p[4], %wok, %e
  set.i32 v[4], %cv, %e
  set.i1 p[5], %cok, %e
  set.i1 p[6], %cp, %e
  set.i32 v[5], %id, %e
  set.i1 p[7], %back, %e
  set.i32 v[6], %q, %e
  set.i32 v[7], %qn, %e
  set.i32 v[8], %rn, %e
  jump 0x100
`

func testCross(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, crossText))
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, lanes := range m.Widths {
		st, _ := exec.NewState(m, lanes)
		for _, execMask := range masks(st, rnd) {
			for _, mask := range masks(st, rnd) {
				fill(st, rnd)
				for lane := range lanes {
					st.Set(cellOf(fileV, 1), lane, uint32(rnd.IntN(lanes+2)))
				}
				st.Set(cellOf(fileS, 0), 0, uint32(rnd.IntN(3*lanes)))
				st.M[1] = mask
				st.Start(entry, st.Full)
				st.Exec = execMask
				want := st.Snapshot()
				expectCross(st, want)
				stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 1})
				if d := want.Diff(st, 5); stop.Reason != exec.StopBudget || d != nil {
					t.Fatalf("%d lanes, exec %#x, mask %#x: stop %v; want, got: %q", lanes, execMask, mask, stop, d)
				}
			}
		}
	}
}

func expectCross(st, want *exec.State) {
	s := func(i int, v uint32) { want.Set(cellOf(fileS, i), 0, v) }
	f := func(i int, v bool) { want.Set(cellOf(fileF, i), 0, b2u(v)) }
	lane := func(file, i, lane int, v uint32) {
		if st.Exec>>lane&1 != 0 {
			want.Set(cellOf(file, i), lane, v)
		}
	}
	a, to := st.Row(cellOf(fileV, 0)), st.Row(cellOf(fileV, 1))
	p, m := st.M[0], st.M[1]
	i, k := st.Get(cellOf(fileS, 0), 0), st.Get(cellOf(fileS, 1), 0)
	want.Clock++
	s(2, uint32(p&m))
	s(3, uint32(p&m>>32))
	f(0, p&m != 0)
	f(1, p&m == m)
	at := int(i) % st.Lanes
	s(4, a[at])
	f(2, p>>at&1 != 0)
	s(5, k)
	first := 0
	if m != 0 {
		first = bits.TrailingZeros64(m)
	}
	s(6, a[first])
	f(3, p>>first&1 != 0)
	for l := range st.Lanes {
		v, c, ok := shuffled(a, p, m, uint64(to[l]))
		lane(fileV, 2, l, v)
		lane(fileP, 2, l, b2u(ok))
		lane(fileP, 3, l, c)
		near := func(group int) uint64 { return m & ((1<<group - 1) << (l / group * group)) }
		v, _, ok = shuffled(a, p, near(4), uint64(to[l]))
		lane(fileV, 6, l, v)
		lane(fileV, 7, l, b2u(ok))
		_, c, _ = shuffled(a, p, near(16), uint64(to[l]))
		lane(fileV, 8, l, c)
		_, _, ok = shuffled(a, p, m, uint64(i))
		lane(fileV, 3, l, k*b2u(ok))
		lane(fileP, 4, l, b2u(ok))
		v, c, ok = scattered(a, to, p, m, l)
		lane(fileV, 4, l, v)
		lane(fileP, 5, l, b2u(ok))
		lane(fileP, 6, l, c)
		lane(fileV, 5, l, uint32(l))
		lane(fileP, 7, l, uint32(p&m>>l&1))
	}
}

// shuffled is what a lane receives from lane from: its value, its condition, and whether it is valid.
func shuffled(a []uint32, p, m, from uint64) (uint32, uint32, bool) {
	if from >= uint64(len(a)) || m>>from&1 == 0 {
		return 0, 0, false
	}
	return a[from], uint32(p >> from & 1), true
}

// scattered is what lane l receives from the highest lane of the mask that sends to it.
func scattered(a, to []uint32, p, m uint64, l int) (uint32, uint32, bool) {
	for from := len(a) - 1; from >= 0; from-- {
		if m>>from&1 != 0 && to[from] == uint32(l) {
			return a[from], uint32(p >> from & 1), true
		}
	}
	return 0, 0, false
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
