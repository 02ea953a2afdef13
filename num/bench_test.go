package num

import (
	"math"
	"testing"
)

// Benchmarks call through a function value, as the reference engine does. Unit: ns per op, over operands that are
// mostly ordinary numbers with occasional zeros.

var sink uint64

// operands are 256 f32 values between 2^-8 and 2^8, every sixteenth a zero.
func operands(n int) (x [256]uint64) {
	r := newRand(1)
	for i := range x {
		v := (1 + float64(r.next()>>40)*0x1p-24) * math.Ldexp(1, int(r.next()>>60)-8)
		if i%16 == 0 {
			v = 0
		}
		switch n {
		case 32:
			x[i] = uint64(math.Float32bits(float32(v)))
		case 64:
			x[i] = math.Float64bits(v)
		default:
			x[i] = FCvt(64, 16, RNE, math.Float64bits(v))
		}
	}
	return x
}

var gpuMode = RNE.With(FlushIn | FlushOut | IEEE | DX10Clamp)

func benchModes(b *testing.B, run func(b *testing.B, m Mode)) {
	for _, m := range []Mode{RNE.With(0), gpuMode, RZ.With(0)} {
		b.Run(m.String(), func(b *testing.B) { run(b, m) })
	}
}

func BenchmarkBinary(b *testing.B) {
	for _, f := range []struct {
		name string
		n    int
		fn   func(int, Mode, uint64, uint64) uint64
	}{
		{"FAdd32", 32, FAdd}, {"FMul32", 32, FMul}, {"FDiv32", 32, FDiv}, {"FMinNum32", 32, FMinNum}, {"FLt32", 32, FLt},
		{"FAdd64", 64, FAdd}, {"FMul64", 64, FMul}, {"FAdd16", 16, FAdd}, {"FMul16", 16, FMul},
	} {
		b.Run(f.name, func(b *testing.B) {
			x := operands(f.n)
			benchModes(b, func(b *testing.B, m Mode) {
				var s uint64
				for i := 0; b.Loop(); i++ {
					s += f.fn(f.n, m, x[i&255], x[(i+7)&255])
				}
				sink += s
			})
		})
	}
}

func BenchmarkFMA(b *testing.B) {
	for _, n := range []int{16, 32, 64} {
		b.Run(widthName(n), func(b *testing.B) {
			x := operands(n)
			fn := FMA
			benchModes(b, func(b *testing.B, m Mode) {
				var s uint64
				for i := 0; b.Loop(); i++ {
					s += fn(n, m, x[i&255], x[(i+7)&255], x[(i+13)&255])
				}
				sink += s
			})
		})
	}
}

func BenchmarkUnary(b *testing.B) {
	for _, f := range []struct {
		name string
		n    int
		fn   func(int, Mode, uint64) uint64
	}{
		{"FSqrt32", 32, FSqrt}, {"FSqrt64", 64, FSqrt}, {"FRcp32", 32, FRcp}, {"FRsq32", 32, FRsq}, {"FRsq64", 64, FRsq},
		{"FExp2", 32, FExp2}, {"FLog2", 32, FLog2}, {"FSinRev", 32, FSinRev}, {"FSin", 32, FSin}, {"FFloor32", 32, FFloor},
		{"FExp2_64", 64, FExp2}, {"FSinRev64", 64, FSinRev}, {"FExp2_16", 16, FExp2},
	} {
		b.Run(f.name, func(b *testing.B) {
			x := operands(f.n)
			var s uint64
			for i := 0; b.Loop(); i++ {
				s += f.fn(f.n, gpuMode, x[i&255])
			}
			sink += s
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	for _, f := range []struct {
		name     string
		from, to int
		fn       func(int, int, Mode, uint64) uint64
	}{
		{"FCvt32to16", 32, 16, FCvt}, {"FCvt16to32", 16, 32, FCvt}, {"FCvt32to64", 32, 64, FCvt}, {"FCvt64to32", 64, 32, FCvt},
		{"FToS32", 32, 32, FToS}, {"SToF32", 32, 32, SToF},
	} {
		b.Run(f.name, func(b *testing.B) {
			x := operands(f.from)
			var s uint64
			for i := 0; b.Loop(); i++ {
				s += f.fn(f.from, f.to, gpuMode, x[i&255])
			}
			sink += s
		})
	}
}

func BenchmarkInt(b *testing.B) {
	for _, f := range []struct {
		name string
		fn   func(int, uint64, uint64) uint64
	}{{"Add", Add}, {"Mul", Mul}, {"Shl", Shl}, {"ShrS", ShrS}, {"MulHiS", MulHiS}, {"SMin", SMin}} {
		b.Run(f.name, func(b *testing.B) {
			x := operands(32)
			var s uint64
			for i := 0; b.Loop(); i++ {
				s += f.fn(32, x[i&255], x[(i+7)&255])
			}
			sink += s
		})
	}
}
