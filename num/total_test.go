package num

import "testing"

// Every function by shape, for tests that range over all.
var (
	int1 = []func(int, uint64) uint64{Not, Neg, Popcount, Clz, Ctz, ClsS, BitRev}
	int2 = []func(int, uint64, uint64) uint64{Add, Sub, Mul, MulHiU, MulHiS, And, Or, Xor, Shl, ShrU, ShrS, ShlX, ShrUX, ShrSX, Ror,
		UMin, UMax, SMin, SMax, UAbsDiff, SAbsDiff, UAddSat, USubSat, SAddSat, SSubSat, Bfm, UDot4, SDot4, Eq, Ne, ULt, ULe, SLt, SLe}
	int3    = []func(int, uint64, uint64, uint64) uint64{UBfe, SBfe, Bfi, FShr, BytePerm}
	pair2   = []func(int, uint64, uint64) (uint64, uint64){MulWideU, MulWideS, AddOv, SubOv}
	pair3   = []func(int, uint64, uint64, uint64) (uint64, uint64){AddC, SubB}
	extend  = []func(int, int, uint64) uint64{Trunc, ZExt, SExt}
	float1  = []func(int, Mode, uint64) uint64{FSqrt, FNeg, FAbs, FSat, FCanon, FFloor, FCeil, FTrunc, FRndne, FFract, FFrexpMant, FRcp}
	approx1 = []func(int, Mode, uint64) uint64{FRsq, FExp2, FLog2, FSinRev, FCosRev, FSin, FCos}
	float2  = []func(int, Mode, uint64, uint64) uint64{FAdd, FSub, FMul, FDiv, FMulZ, FMinNum, FMaxNum, FMinSel, FMaxSel}
	compare = []func(int, Mode, uint64, uint64) uint64{FEq, FLt, FLe, FUnord}
)

// runAll calls every function and checks that results are zero above their width. a, b, c are truncated to the
// width, as values are; shift counts, modes and the like are arbitrary.
func runAll(t *testing.T, n, to int, m Mode, a, b, c uint64) {
	fits := func(width int, r uint64) {
		t.Helper()
		if r&^mask(width) != 0 {
			t.Fatalf("n=%d to=%d m=%#x %x %x %x: result %x is wider than %d bits", n, to, uint32(m), a, b, c, r, width)
		}
	}
	a, b, c = a&mask(n), b&mask(n), c&mask(n)
	for _, f := range int1 {
		fits(n, f(n, a))
	}
	for _, f := range int2 {
		fits(n, f(n, a, b))
	}
	for _, f := range int3 {
		fits(n, f(n, a, b, c))
	}
	for _, f := range pair2 {
		x, y := f(n, a, b)
		fits(n, x)
		fits(n, y)
	}
	for _, f := range pair3 {
		x, y := f(n, a, b, c)
		fits(n, x)
		fits(n, y)
	}
	for _, f := range extend {
		fits(to, f(n, to, a))
	}
	fn, ft := floatWidth(n), floatWidth(to)
	a, b, c = a&mask(fn), b&mask(fn), c&mask(fn)
	for _, f := range float1 {
		fits(fn, f(fn, m, a))
	}
	for _, f := range approx1 {
		fits(fn, f(fn, m, a))
	}
	for _, f := range float2 {
		fits(fn, f(fn, m, a, b))
	}
	for _, f := range compare {
		fits(1, f(fn, m, a, b))
	}
	fits(fn, FMA(fn, m, a, b, c))
	fits(fn, FMad(fn, m, a, b, c))
	fits(fn, FLdexp(fn, m, a, b))
	fits(32, FFrexpExp(fn, m, a))
	fits(10, FClass(fn, m, a))
	fits(ft, FCvt(fn, ft, m, a))
	fits(to, FToS(fn, to, m, a))
	fits(to, FToU(fn, to, m, a))
	fits(ft, SToF(n, ft, m, a&mask(n)))
	fits(ft, UToF(n, ft, m, a&mask(n)))
}

// floatWidth is the smallest float width for an n-bit pattern.
func floatWidth(n int) int {
	switch {
	case n <= 16:
		return 16
	case n <= 32:
		return 32
	}
	return 64
}

// FuzzTotal: every function returns, in its width, for any operands, mode and width.
func FuzzTotal(f *testing.F) {
	f.Add(uint8(32), uint8(16), uint32(ModeSet), uint64(0x3f800000), uint64(0x7f800001), uint64(31))
	f.Add(uint8(64), uint8(1), uint32(0xffffffff), ^uint64(0), uint64(1), uint64(1)<<63)
	f.Fuzz(func(t *testing.T, n, to uint8, m uint32, a, b, c uint64) {
		runAll(t, int(n)%64+1, int(to)%64+1, Mode(m), a, b, c)
	})
}

// TestTotal is a short fuzz over edges.
func TestTotal(t *testing.T) {
	r := newRand(83)
	for range count(2000, 200_000) {
		n := int(r.next()%64) + 1
		if r.next()&1 != 0 {
			n = []int{16, 32, 64}[r.next()%3]
		}
		ed := edges(floatWidth(n))
		pick := func() uint64 {
			if r.next()&1 != 0 {
				return r.next()
			}
			return ed[r.next()%uint64(len(ed))]
		}
		runAll(t, n, int(r.next()%64)+1, Mode(r.next()), pick(), pick(), pick())
	}
}

// TestAllocations: only the exact routines of the approximate functions allocate.
func TestAllocations(t *testing.T) {
	x := operands(32)
	for _, m := range []Mode{gpuMode, RZ.With(0)} {
		allocs := testing.AllocsPerRun(10, func() {
			for i := range x {
				for _, f := range float1 {
					sink += f(32, m, x[i])
				}
				for _, f := range float2 {
					sink += f(32, m, x[i], x[(i+1)&255])
				}
				sink += FMA(32, m, x[i], x[(i+1)&255], x[(i+2)&255])
				sink += FRsq(32, m, x[i]) + FCvt(32, 16, m, x[i]) + FToS(32, 32, m, x[i])
			}
		})
		if allocs != 0 {
			t.Errorf("[%v] %v allocations", m, allocs)
		}
	}
}
