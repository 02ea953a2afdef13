package exectest

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A seriesHearing records probes with their values, also of those that are told as series.
type seriesHearing struct {
	takes  bool
	all    []string
	series int
}

func (h *seriesHearing) TakesSeries() bool { return h.takes }

func (h *seriesHearing) Observe(e exec.Event) {
	for _, p := range e.Probes {
		values := slices.Clone(p.Values)
		if p.Values == nil {
			h.series++
			for m := p.Lanes; m != 0; m &= m - 1 {
				values = append(values, p.First+p.Step*uint64(bits.TrailingZeros64(m)))
			}
		}
		h.all = append(h.all, probed(p.Kind, p.PC, p.Lanes, values))
	}
}

func probed(kind, pc, lanes uint64, values []uint64) string {
	return fmt.Sprintf("%d at %#x lanes %#x: %x", kind, pc, lanes, values)
}

// seriesText runs s[0] times through a loop with probes of one operand each: per lane and per wave, of 32 and 64 bits.
const seriesText = `
block 0x100
mark 0x100 size 4
  %x0 = get.i32 v[0]
  %m0 = get.i1 p[0]
  probe 1, %x0, %m0
mark 0x104 size 4
  %x = get.i32 v[0]
  %y = get.i32 v[1]
  %m = get.i1 p[0]
  %wide = pack.i64 %x, %y
  %n = get.i32 s[0]
  probe 2, %wide, %m
  probe 3, %n, %m
  %next = get.i32 v[2]
  %x1 = iadd.i32 %x, %next
  %e = get.i1 exec
  set.i32 v[0], %x1, %e
  %nn = zext.i64 %n
  %three = const.i64 0x300000003
  %big = imul.i64 %nn, %three
  probe 4, %big, %m
mark 0x108 size 4
  %n2 = get.i32 s[0]
  %one = const.i32 1
  %n1 = isub.i32 %n2, %one
  %zero = const.i32 0
  %more = ne.i32 %n1, %zero
  set.i32 s[0], %n1
  branch %more, 0x100, 0x10c
block 0x10c
mark 0x10c size 4
  end
`

// testSeries: an observer of probes with one operand receives the values of all lanes of the mask, as values or, if it
// takes them, as series; whatever lanes are in the mask, and also where values pass the end of 32 bits.
func testSeries(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, seriesText))
	rnd := rand.New(rand.NewPCG(7, 7))
	heard := 0
	for round := range 300 {
		st, _ := exec.NewState(m, m.Widths[round%len(m.Widths)])
		fill(st, rnd)
		st.Start(entry, st.Full)
		st.M[0] = masks(st, rnd)[rnd.IntN(6)]
		if from := rnd.IntN(st.Lanes); round%4 == 1 { // a mask without gaps
			st.M[0] = (1<<(1+rnd.IntN(st.Lanes-from)) - 1) << from & st.Full
		}
		turns := 1 + 200*(round%2)
		st.Set(cellOf(fileS, 0), 0, uint32(turns))
		rows := seriesRows(rnd, round)
		for lane := range st.Lanes {
			for k, row := range rows {
				st.Set(cellOf(fileV, k), lane, row(lane))
			}
		}
		h := &seriesHearing{takes: round%3 > 0}
		r.Run(st, &exec.Env{Probes: &exec.ProbeLog{Observer: h}}, exec.Budget{Steps: 1e6})
		if want := seriesWant(st, rows, turns); !slices.Equal(h.all, want) {
			for i := range want {
				if i >= len(h.all) || h.all[i] != want[i] {
					t.Fatalf("round %d, %d lanes, record %d of %d: heard\n%v, want\n%v", round, st.Lanes, i, len(want), h.all[min(i, len(h.all)):min(i+1, len(h.all))], want[i])
				}
			}
			t.Fatalf("round %d: heard %d records, want %d", round, len(h.all), len(want))
		}
		if heard += h.series; !h.takes && h.series > 0 {
			t.Fatal("a series that the observer does not take")
		}
	}
	if e.Name() == "jit" && heard == 0 {
		t.Error("no series")
	}
}

// seriesRows returns the values of the rows that probes tell: the lower halves, the upper ones, and what each turn adds
// to the lower ones.
func seriesRows(rnd *rand.Rand, round int) (rows [3]func(lane int) uint32) {
	first, step, high, add := rnd.Uint32(), rnd.Uint32()>>rnd.IntN(32), rnd.Uint32(), rnd.Uint32()>>rnd.IntN(32)
	odd, by := rnd.IntN(ir.MaxLanes), uint32(round%5/4) // one lane differs
	if round%7 == 0 {
		step = -step
	}
	if round%11 == 0 {
		first, step = ^uint32(0)-rnd.Uint32N(20)*4, 4 // it passes the end soon
	}
	carries := round%2 == 0 // values of 64 bits are a series, too
	low := func(lane int) uint32 {
		if x := first + step*uint32(lane); lane == odd {
			return x + by
		} else {
			return x
		}
	}
	return [3]func(lane int) uint32{low, func(lane int) uint32 {
		if carries && low(lane) < first {
			return high + 1
		}
		return high
	}, func(int) uint32 { return add }}
}

// seriesWant returns the records of a run.
func seriesWant(st *exec.State, rows [3]func(lane int) uint32, turns int) (want []string) {
	say := func(kind, pc uint64, value func(lane int) uint64) {
		var values []uint64
		for m := st.M[0]; m != 0; m &= m - 1 {
			values = append(values, value(bits.TrailingZeros64(m)))
		}
		if len(values) > 0 {
			want = append(want, probed(kind, pc, st.M[0], values))
		}
	}
	for turn := range turns {
		x := func(lane int) uint64 { return uint64(rows[0](lane) + uint32(turn)*rows[2](lane)) }
		n := uint64(turns - turn)
		say(1, 0x100, x)
		say(2, 0x104, func(lane int) uint64 { return uint64(rows[1](lane))<<32 | x(lane) })
		say(3, 0x104, func(int) uint64 { return n })
		say(4, 0x104, func(int) uint64 { return n * 0x3_0000_0003 })
	}
	return want
}
