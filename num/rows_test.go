package num

import (
	"math/rand/v2"
	"testing"
)

// A rowCase is a function of rows, as one on operands of 64 bits per lane, and the exact op.
type rowCase struct {
	name string
	args []int // widths
	run  func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int)
	want func(m Mode, a, b, c uint64) uint64
}

// narrowed are operands and results of 32 bits.
func narrowed(v *[64]uint64) *[64]uint32 {
	var w [64]uint32
	for i := range w {
		w[i] = uint32(v[i])
	}
	return &w
}

func widened(d *[64]uint64, w *[64]uint32) {
	for i := range w {
		d[i] = uint64(w[i])
	}
}

func row1(name string, f func(Mode, *[64]uint32, Arg32, int), want func(int, Mode, uint64) uint64) rowCase {
	return rowCase{name, []int{32}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		w := narrowed(a[0])
		f(m, w, Arg32{narrowed(a[0]), k[0]}, 64)
		widened(d, w)
	}, func(m Mode, a, _, _ uint64) uint64 { return want(32, m, a) }}
}

func row2(name string, f func(Mode, *[64]uint32, Arg32, Arg32, int), want func(int, Mode, uint64, uint64) uint64) rowCase {
	return rowCase{name, []int{32, 32}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		w := narrowed(a[1])
		second := Arg32{w, k[1]}
		if k[1] == 0 {
			second.V = narrowed(a[1])
		}
		f(m, w, Arg32{narrowed(a[0]), k[0]}, second, 64) // the result shares memory with an operand
		widened(d, w)
	}, func(m Mode, a, b, _ uint64) uint64 { return want(32, m, a, b) }}
}

func row3(name string, f func(Mode, *[64]uint32, Arg32, Arg32, Arg32, int), want func(int, Mode, uint64, uint64, uint64) uint64) rowCase {
	return rowCase{name, []int{32, 32, 32}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		var w [64]uint32
		f(m, &w, Arg32{narrowed(a[0]), k[0]}, Arg32{narrowed(a[1]), k[1]}, Arg32{narrowed(a[2]), k[2]}, 64)
		widened(d, &w)
	}, func(m Mode, a, b, c uint64) uint64 { return want(32, m, a, b, c) }}
}

func vec1(name string, f func(Mode, *[64]uint64, Arg64, int), want func(int, Mode, uint64) uint64) rowCase {
	return rowCase{name, []int{64}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) { f(m, d, Arg64{a[0], k[0]}, 64) },
		func(m Mode, a, _, _ uint64) uint64 { return want(64, m, a) }}
}

func vec2(name string, f func(Mode, *[64]uint64, Arg64, Arg64, int), want func(int, Mode, uint64, uint64) uint64) rowCase {
	return rowCase{name, []int{64, 64}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		f(m, d, Arg64{a[0], k[0]}, Arg64{a[1], k[1]}, 64)
	}, func(m Mode, a, b, _ uint64) uint64 { return want(64, m, a, b) }}
}

// conditions is a function that returns a bit per lane.
func conditions(name string, n int, f func(Mode, Arg32, Arg32, int) uint64, g func(Mode, Arg64, Arg64, int) uint64,
	want func(int, Mode, uint64, uint64) uint64) rowCase {
	return rowCase{name, []int{n, n}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		var mask uint64
		if n == 32 {
			mask = f(m, Arg32{narrowed(a[0]), k[0]}, Arg32{narrowed(a[1]), k[1]}, 64)
		} else {
			mask = g(m, Arg64{a[0], k[0]}, Arg64{a[1], k[1]}, 64)
		}
		for i := range d {
			d[i] = mask >> i & 1
		}
	}, func(m Mode, a, b, _ uint64) uint64 { return want(n, m, a, b) }}
}

// cross is a conversion between widths; of f and the like one is given.
func cross(name string, from, to int, f func(Mode, *[64]uint64, Arg32, int), g func(Mode, *[64]uint32, Arg64, int),
	h func(Mode, *[64]uint32, Arg32, int), want func(from, to int, m Mode, a uint64) uint64) rowCase {
	return rowCase{name, []int{from}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		var w [64]uint32
		switch {
		case f != nil:
			f(m, d, Arg32{narrowed(a[0]), k[0]}, 64)
			return
		case g != nil:
			g(m, &w, Arg64{a[0], k[0]}, 64)
		default:
			h(m, &w, Arg32{narrowed(a[0]), k[0]}, 64)
		}
		widened(d, &w)
	}, func(m Mode, a, _, _ uint64) uint64 { return want(from, to, m, a) }}
}

var rowCases = []rowCase{
	row2("add", RowsAdd32, FAdd), row2("sub", RowsSub32, FSub), row2("mul", RowsMul32, FMul), row2("mulz", RowsMulZ32, FMulZ),
	row2("div", RowsDiv32, FDiv), row1("rcp", RowsRcp32, FRcp), row1("sqrt", RowsSqrt32, FSqrt),
	row3("fma", RowsFMA32, FMA), row3("mad", RowsMad32, FMad),
	row2("minnum", RowsMinNum32, FMinNum), row2("maxnum", RowsMaxNum32, FMaxNum),
	row2("minsel", RowsMinSel32, FMinSel), row2("maxsel", RowsMaxSel32, FMaxSel),
	row1("sat", RowsSat32, FSat), row1("canon", RowsCanon32, FCanon),
	row1("floor", RowsFloor32, FFloor), row1("ceil", RowsCeil32, FCeil), row1("trunc", RowsTrunc32, FTrunc), row1("rndne", RowsRndne32, FRndne),
	row1("fract", RowsFract32, FFract),
	conditions("eq", 32, RowsEq32, nil, FEq), conditions("lt", 32, RowsLt32, nil, FLt), conditions("le", 32, RowsLe32, nil, FLe),
	conditions("unord", 32, RowsUnord32, nil, FUnord),
	cross("stof", 32, 32, nil, nil, RowsSToF32, SToF), cross("utof", 32, 32, nil, nil, RowsUToF32, UToF),
	cross("ftos", 32, 32, nil, nil, RowsFToS32, FToS), cross("ftou", 32, 32, nil, nil, RowsFToU32, FToU),
	cross("widen", 32, 64, RowsWiden32, nil, nil, FCvt), cross("narrow", 64, 32, nil, RowsNarrow64, nil, FCvt),
	cross("widen half", 16, 32, nil, nil, RowsWiden16, FCvt),
	vec2("add 64", RowsAdd64, FAdd), vec2("sub 64", RowsSub64, FSub), vec2("mul 64", RowsMul64, FMul), vec2("div 64", RowsDiv64, FDiv),
	vec1("sqrt 64", RowsSqrt64, FSqrt), vec1("rcp 64", RowsRcp64, FRcp),
	vec1("sine 64", RowsSinRev64, FSinRev), vec1("cosine 64", RowsCosRev64, FCosRev),
	{"fma 64", []int{64, 64, 64}, func(m Mode, d *[64]uint64, a [3]*[64]uint64, k [3]int) {
		RowsFMA64(m, d, Arg64{a[0], k[0]}, Arg64{a[1], k[1]}, Arg64{a[2], k[2]}, 64)
	}, func(m Mode, a, b, c uint64) uint64 { return FMA(64, m, a, b, c) }},
	conditions("eq 64", 64, nil, RowsEq64, FEq), conditions("lt 64", 64, nil, RowsLt64, FLt), conditions("le 64", 64, nil, RowsLe64, FLe),
	cross("stof 64", 32, 64, RowsSToF64, nil, nil, SToF), cross("utof 64", 32, 64, RowsUToF64, nil, nil, UToF),
	cross("ftos 64", 64, 32, nil, RowsFToS64, nil, FToS),
	cross("ftou 64", 64, 32, nil, RowsFToU64, nil, FToU),
}

// rowOperand is a number of n bits: one near a limit, one of a medium size, or any.
func rowOperand(r *rand.Rand, n int) uint64 {
	f := formatOf(n)
	mid := (f.inf>>1&f.inf + (r.Uint64N(9)-4)<<f.mant) & f.inf
	switch r.IntN(8) {
	case 0:
		edges := [...]uint64{0, 1, f.one(), f.inf, f.inf | 1, f.inf | f.quiet, f.inf - 1, 1 << f.mant, 1<<f.mant - 1, 2 << f.mant, f.abs, 2<<f.mant - 1}
		return edges[r.IntN(len(edges))] | r.Uint64()&f.sign
	case 1:
		return r.Uint64() & (f.sign | f.abs)
	case 2: // a denormal, or near
		return r.Uint64() & (f.sign | 4<<f.mant - 1) &^ (f.inf &^ (3 << f.mant))
	case 3: // few bits, so that results are exact or ties
		return mid | r.Uint64()&(f.sign|f.quiet|f.quiet>>1) | r.Uint64N(2)
	}
	return mid | r.Uint64()&(f.sign|1<<f.mant-1)
}

// TestRows: every function of rows gives the exact op's bits, in all modes, also with uniform operands.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, c := range rowCases {
		for round := range 4000 {
			m := Mode(r.Uint32()) | ModeSet
			if round%4 != 0 {
				m &^= roundMask
			}
			if round%8 == 3 {
				m = m&^roundMask | RZ
			}
			var a [3]*[64]uint64
			var k [3]int
			for i, n := range c.args {
				a[i], k[i] = new([64]uint64), 63
				if r.IntN(4) == 0 {
					k[i] = 0
				}
				for lane := range a[i] {
					a[i][lane] = rowOperand(r, n)
				}
			}
			var got [64]uint64
			c.run(m, &got, a, k)
			for lane := range got {
				var x [3]uint64
				for i := range c.args {
					x[i] = a[i][lane&k[i]]
				}
				if want := c.want(m, x[0], x[1], x[2]); got[lane] != want {
					t.Fatalf("%s {%v} %#x: %#x, want %#x", c.name, m, x[:len(c.args)], got[lane], want)
				}
			}
		}
	}
}
