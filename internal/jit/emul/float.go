package emul

import (
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/num"
)

// A two is a function of package num of two floats of n bits.
type two = func(n int, m num.Mode, a, b uint64) uint64

// floatZip is a kernel of a function of two floats.
func floatZip[T uint32 | uint64](f two) func(s *step) {
	n := 8 * sizeof[T]()
	return func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
			a, b, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](&m.d, s.n)
			for i := range d {
				d[i] = T(f(n, m.modes[s.round], uint64(a[i]), uint64(b[i])))
			}
		})
	}
}

// usual accepts the result of the host's float unit, which rounds to nearest and keeps subnormals, for a mode that may
// flush: if it is a normal number above the smallest ones, no flush and no other rounding can have changed it. A
// subnormal operand may have to be flushed. least is twice the smallest normal number: all without signs.
func usual[T uint32 | uint64](least, r, a, b T, daz bool) bool {
	return r<<1 >= 2*least && r<<1 < -least && (!daz || normalOrZero(least, a) && normalOrZero(least, b))
}

func normalOrZero[T uint32 | uint64](least, a T) bool { return a<<1 >= least || a<<1 == 0 }

// quick is floatZip that tries the host's result first.
func quick[T uint32 | uint64](host func(a, b T) T, f two) func(s *step) {
	n := 8 * sizeof[T]()
	least := T(2) << formats[sizeof[T]()].mant
	return func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
			a, b, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](&m.d, s.n)
			mode, daz := m.modes[s.round], m.daz()
			near := mode.Round() == num.RNE
			for i := range d {
				if near {
					if r := host(a[i], b[i]); usual(least, r, a[i], b[i], daz) {
						d[i] = r
						continue
					}
				}
				d[i] = T(f(n, mode, uint64(a[i]), uint64(b[i])))
			}
		})
	}
}

// quick32 and quick64 are quick by operators of the host.
func quick32(host func(a, b float32) float32, f two) func(s *step) {
	return quick(func(a, b uint32) uint32 {
		return math.Float32bits(host(math.Float32frombits(a), math.Float32frombits(b)))
	}, f)
}

func quick64(host func(a, b float64) float64, f two) func(s *step) {
	return quick(func(a, b uint64) uint64 {
		return math.Float64bits(host(math.Float64frombits(a), math.Float64frombits(b)))
	}, f)
}

// floatEach is a kernel of a function of one float.
func floatEach[T uint32 | uint64](f func(m *Machine, s *step, a uint64) uint64) func(s *step) {
	return converted(func(m *Machine, s *step, a T) T { return T(f(m, s, uint64(a))) })
}

// selected returns the first float if it has that relation to the second, else the second: so the second of two zeros,
// and if one is a NaN.
func selected(relation uint8) two {
	return func(n int, m num.Mode, a, b uint64) uint64 {
		f := formats[n/8]
		daz := m.Has(num.FlushIn)
		if f.relation(a, b, daz) == relation {
			return f.flushed(a, daz)
		}
		return f.flushed(b, daz)
	}
}

// A multiplyAdd is one of the fused operations: which terms are negated, in even elements and in odd ones.
type multiplyAdd struct{ product, even, odd bool }

func multiplyAdds() map[string]multiplyAdd {
	return map[string]multiplyAdd{
		"vfmadd": {}, "vfmsub": {false, true, true}, "vfnmadd": {true, false, false}, "vfnmsub": {true, true, true},
		"vfmaddsub": {false, true, false}, "vfmsubadd": {false, false, true},
	}
}

// fused is a kernel of a multiplication and an addition; order selects the factors and the term.
func fused[T uint32 | uint64](op multiplyAdd, order [3]int) func(s *step) {
	f, n := formats[sizeof[T]()], 8*sizeof[T]()
	turn := func(a uint64, negate bool) uint64 {
		if negate && !f.nan(a) {
			return a ^ f.sign()
		}
		return a
	}
	return merging(func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 3, func(m *Machine, s *step) {
			a, b, c, d := of[T](m.x[order[0]], s.n), of[T](m.x[order[1]], s.n), of[T](m.x[order[2]], s.n), of[T](&m.d, s.n)
			mode := m.modes[s.round]
			for i := range d {
				minus := op.even
				if i&1 != 0 {
					minus = op.odd
				}
				d[i] = T(num.FMA(n, mode, turn(uint64(a[i]), op.product), uint64(b[i]), turn(uint64(c[i]), minus)))
			}
		})
	})
}

// orders are the operands of each form, the destination being 0: factors and term.
var orders = map[string][3]int{"132": {0, 2, 1}, "213": {1, 0, 2}, "231": {1, 2, 0}}

func fusedRows() (list []row) {
	for name, op := range multiplyAdds() {
		for o, order := range orders {
			list = append(list, row{name + o + "ps", fused[uint32](op, order)}, row{name + o + "pd", fused[uint64](op, order)})
			if op.even == op.odd {
				list = append(list, row{name + o + "ss", scalars(fused[uint32](op, order), false)}, row{name + o + "sd", scalars(fused[uint64](op, order), false)})
			}
		}
	}
	return list
}

// rounding returns the mode of an immediate, or of the step if the immediate says so.
func (m *Machine) rounding(imm uint64) num.Mode {
	if imm&4 != 0 {
		return m.modes[4]
	}
	return m.modes[imm&3]
}

// integral rounds to a multiple of 2^-places.
func (f *format) integral(m num.Mode, a uint64, places int) uint64 {
	if f.nan(a) {
		return f.quiet(a)
	}
	a = f.flushed(a, m.Has(num.FlushIn))
	abs := a &^ f.sign()
	if abs == 0 || abs == f.inf() {
		return a
	}
	e, sig := f.split(abs)
	// a is sig * 2^(e-mant); bits below 2^-places go.
	drop := int(f.mant) - e - places
	if drop <= 0 {
		return a
	}
	up := m.Round() == num.RUp && !f.negative(a) || m.Round() == num.RDown && f.negative(a)
	if drop > int(f.mant)+2 {
		sig, drop = 1, int(f.mant)+2 // less than a quarter of a unit
	}
	unit, rest := sig>>drop, sig&(1<<drop-1)
	half := uint64(1) << (drop - 1)
	if rest != 0 && (up || m.Round() == num.RNE && (rest > half || rest == half && unit&1 != 0)) {
		unit++
	}
	return a&f.sign() | f.join(unit, -places)
}

// split returns the exponent and the significand, of at most mant+1 bits, of a number that is neither 0 nor infinite.
func (f *format) split(abs uint64) (e int, sig uint64) {
	if e = int(abs >> f.mant); e == 0 {
		return 1 - f.bias, abs
	}
	return e - f.bias, abs&(1<<f.mant-1) | 1<<f.mant
}

// join returns unit * 2^e, which is a normal number or 0.
func (f *format) join(unit uint64, e int) uint64 {
	if unit == 0 {
		return 0
	}
	top := bits.Len64(unit) - 1
	return uint64(e+top+f.bias)<<f.mant | unit<<(int(f.mant)-top)&(1<<f.mant-1)
}

// roundTo is a kernel of integral: the immediate has the rounding, and the number of places if places is set.
func roundTo[T uint32 | uint64](places bool) func(s *step) {
	f := formats[sizeof[T]()]
	return floatEach[T](func(m *Machine, s *step, a uint64) uint64 {
		n := 0
		if places {
			n = int(s.imm >> 4 & 15)
		}
		return f.integral(m.rounding(s.imm), a, n)
	})
}

// scale returns a * 2^floor(b). Source: Intel's manual, volume 2, VSCALEFPD.
func scale(n int, m num.Mode, a, b uint64) uint64 {
	f := formats[n/8]
	infinite := b&^f.sign() == f.inf()
	switch {
	case f.nan(a) && !f.signalling(a) && infinite:
		if f.negative(b) {
			return 0
		}
		return f.inf()
	case f.nan(a):
		return f.quiet(a)
	case f.nan(b):
		return f.quiet(b)
	}
	a, b = f.flushed(a, m.Has(num.FlushIn)), f.flushed(b, m.Has(num.FlushIn))
	zero := a&^f.sign() == 0
	switch {
	case infinite && !f.negative(b):
		if zero {
			return f.indefinite()
		}
		return a&f.sign() | f.inf()
	case infinite:
		if a&^f.sign() == f.inf() {
			return f.indefinite()
		}
		return a & f.sign()
	}
	e := num.FToS(n, 32, num.ModeSet|num.RDown, b)
	return num.FLdexp(n, m, a, e)
}

func square(n int) func(m *Machine, s *step, a uint64) uint64 {
	return func(m *Machine, s *step, a uint64) uint64 { return num.FSqrt(n, m.modes[s.round], a) }
}

// floats are arithmetic on f32 and f64.
func floats() []row {
	list := []row{
		{"vaddps", quick32(func(a, b float32) float32 { return a + b }, num.FAdd)}, {"vaddpd", quick64(func(a, b float64) float64 { return a + b }, num.FAdd)},
		{"vsubps", quick32(func(a, b float32) float32 { return a - b }, num.FSub)}, {"vsubpd", quick64(func(a, b float64) float64 { return a - b }, num.FSub)},
		{"vmulps", quick32(func(a, b float32) float32 { return a * b }, num.FMul)}, {"vmulpd", quick64(func(a, b float64) float64 { return a * b }, num.FMul)},
		{"vdivps", quick32(func(a, b float32) float32 { return a / b }, num.FDiv)}, {"vdivpd", quick64(func(a, b float64) float64 { return a / b }, num.FDiv)},
		{"vsqrtps", floatEach[uint32](square(32))}, {"vsqrtpd", floatEach[uint64](square(64))},
		{"vsqrtss", scalars(floatEach[uint32](square(32)), true)}, {"vsqrtsd", scalars(floatEach[uint64](square(64)), true)},
		{"vroundps", roundTo[uint32](false)}, {"vroundpd", roundTo[uint64](false)},
		{"vroundss", scalars(roundTo[uint32](false), true)}, {"vroundsd", scalars(roundTo[uint64](false), true)},
		{"vrndscaleps", roundTo[uint32](true)}, {"vrndscalepd", roundTo[uint64](true)},
		{"vrndscaless", scalars(roundTo[uint32](true), true)}, {"vrndscalesd", scalars(roundTo[uint64](true), true)},
	}
	for name, f := range map[string]two{
		"vadd": num.FAdd, "vsub": num.FSub, "vmul": num.FMul, "vdiv": num.FDiv,
		"vmin": selected(less), "vmax": selected(greater), "vscalef": scale,
	} {
		list = append(list, row{name + "ss", scalars(floatZip[uint32](f), false)}, row{name + "sd", scalars(floatZip[uint64](f), false)})
		if name == "vmin" || name == "vmax" || name == "vscalef" {
			list = append(list, row{name + "ps", floatZip[uint32](f)}, row{name + "pd", floatZip[uint64](f)})
		}
	}
	return append(list, fusedRows()...)
}

// toInteger converts a float to an integer; a value out of range, or a NaN, becomes the indefinite integer.
func toInteger[F, T lane](signed, truncate bool) func(m *Machine, s *step, a F) T {
	f, n, to := formats[sizeof[F]()], 8*sizeof[F](), uint(8*sizeof[T]())
	return func(m *Machine, s *step, a F) T {
		mode := m.modes[s.round]
		if truncate {
			mode = mode.WithRound(num.RZ)
		}
		x := uint64(a)
		if signed {
			v := int64(num.FToS(n, 64, mode, x))
			if f.nan(x) || v == math.MaxInt64 || v != within(v, to, true) {
				v = -1 << (to - 1)
			}
			return T(v)
		}
		most := uint64(1)<<(to-1)<<1 - 1
		if f.nan(x) || f.negative(x) && num.FToS(n, 64, mode, x) != 0 {
			return T(most)
		}
		return T(min(num.FToU(n, 64, mode, x), most))
	}
}

func fromSigned[F, T lane](m *Machine, s *step, a F) T {
	return T(num.SToF(8*sizeof[F](), 8*sizeof[T](), m.modes[s.round], uint64(a)))
}

func fromUnsigned[F, T lane](m *Machine, s *step, a F) T {
	return T(num.UToF(8*sizeof[F](), 8*sizeof[T](), m.modes[s.round], uint64(a)))
}

// resize converts between floats.
func resize[F, T lane](m *Machine, s *step, a F) T {
	return T(num.FCvt(8*sizeof[F](), 8*sizeof[T](), m.modes[s.round], uint64(a)))
}

// fromHalf keeps subnormals whatever MXCSR says; toHalf keeps subnormal results.
func fromHalf(m *Machine, s *step, a uint16) uint32 {
	return uint32(num.FCvt(16, 32, m.modes[s.round].Without(num.FlushIn|num.FlushOut), uint64(a)))
}

func toHalf(m *Machine, s *step, a uint32) uint16 {
	return uint16(num.FCvt(32, 16, m.rounding(s.imm).Without(num.FlushOut), uint64(a)))
}

// fromGeneral is a kernel of one number of a general register or memory; the other elements are those of the first
// source.
func fromGeneral[F, G, T lane](f func(m *Machine, s *step, a F) T, g func(m *Machine, s *step, a G) T) func(s *step) {
	return func(s *step) {
		wide := s.src[1].size == 8
		scalars(func(s *step) {
			s.vector(sizeof[T](), sizeof[T](), 1, func(m *Machine, s *step) {
				if wide {
					m.d[0] = uint64(g(m, s, G(m.x[0][0])))
				} else {
					m.d[0] = uint64(f(m, s, F(m.x[0][0])))
				}
			})
		}, true)(s)
	}
}

// toGeneral converts one float to a number in a general register.
func toGeneral[F, T, U lane](f func(m *Machine, s *step, a F) T, g func(m *Machine, s *step, a F) U) func(s *step) {
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			x := uint64(0)
			if a := &s.src[0]; a.sort == vector {
				x = m.V[a.reg].get(0, sizeof[F]())
			} else {
				x = m.get(a)
			}
			if s.dst.size == 8 {
				m.put(&s.dst, uint64(g(m, s, F(x))))
			} else {
				m.put(&s.dst, uint64(f(m, s, F(x))))
			}
		}
	}
}

// conversions are between formats.
func conversions() []row {
	return append(integerConversions(), []row{
		{"vcvtps2pd", converted(resize[uint32, uint64])}, {"vcvtpd2ps", converted(resize[uint64, uint32])},
		{"vcvtss2sd", scalars(one2(resize[uint32, uint64]), true)}, {"vcvtsd2ss", scalars(one2(resize[uint64, uint32]), true)},
		{"vcvtph2ps", converted(fromHalf)}, {"vcvtps2ph", converted(toHalf)},

		{"vcvtsi2ss", fromGeneral(fromSigned[uint32, uint32], fromSigned[uint64, uint32])},
		{"vcvtsi2sd", fromGeneral(fromSigned[uint32, uint64], fromSigned[uint64, uint64])},
		{"vcvtusi2ss", fromGeneral(fromUnsigned[uint32, uint32], fromUnsigned[uint64, uint32])},
		{"vcvtusi2sd", fromGeneral(fromUnsigned[uint32, uint64], fromUnsigned[uint64, uint64])},
		{"vcvtss2si", toGeneral(toInteger[uint32, uint32](true, false), toInteger[uint32, uint64](true, false))},
		{"vcvttss2si", toGeneral(toInteger[uint32, uint32](true, true), toInteger[uint32, uint64](true, true))},
		{"vcvtss2usi", toGeneral(toInteger[uint32, uint32](false, false), toInteger[uint32, uint64](false, false))},
		{"vcvttss2usi", toGeneral(toInteger[uint32, uint32](false, true), toInteger[uint32, uint64](false, true))},
		{"vcvtsd2si", toGeneral(toInteger[uint64, uint32](true, false), toInteger[uint64, uint64](true, false))},
		{"vcvttsd2si", toGeneral(toInteger[uint64, uint32](true, true), toInteger[uint64, uint64](true, true))},
		{"vcvtsd2usi", toGeneral(toInteger[uint64, uint32](false, false), toInteger[uint64, uint64](false, false))},
		{"vcvttsd2usi", toGeneral(toInteger[uint64, uint32](false, true), toInteger[uint64, uint64](false, true))},
	}...)
}

// one2 is converted for one element of any sizes.
func one2[F, T lane](f func(m *Machine, s *step, a F) T) func(s *step) {
	return func(s *step) {
		s.vector(sizeof[T](), 16, 1, func(m *Machine, s *step) {
			of[T](&m.d, 1)[0] = f(m, s, of[F](m.x[0], 1)[0])
		})
	}
}

func integerConversions() []row {
	return []row{
		{"vcvtdq2ps", converted(fromSigned[uint32, uint32])}, {"vcvtdq2pd", converted(fromSigned[uint32, uint64])},
		{"vcvtudq2ps", converted(fromUnsigned[uint32, uint32])}, {"vcvtudq2pd", converted(fromUnsigned[uint32, uint64])},
		{"vcvtqq2ps", converted(fromSigned[uint64, uint32])}, {"vcvtqq2pd", converted(fromSigned[uint64, uint64])},
		{"vcvtuqq2ps", converted(fromUnsigned[uint64, uint32])}, {"vcvtuqq2pd", converted(fromUnsigned[uint64, uint64])},
		{"vcvtps2dq", converted(toInteger[uint32, uint32](true, false))}, {"vcvttps2dq", converted(toInteger[uint32, uint32](true, true))},
		{"vcvtps2udq", converted(toInteger[uint32, uint32](false, false))}, {"vcvttps2udq", converted(toInteger[uint32, uint32](false, true))},
		{"vcvtpd2dq", converted(toInteger[uint64, uint32](true, false))}, {"vcvttpd2dq", converted(toInteger[uint64, uint32](true, true))},
		{"vcvtpd2udq", converted(toInteger[uint64, uint32](false, false))}, {"vcvttpd2udq", converted(toInteger[uint64, uint32](false, true))},
		{"vcvtps2qq", converted(toInteger[uint32, uint64](true, false))}, {"vcvttps2qq", converted(toInteger[uint32, uint64](true, true))},
		{"vcvtps2uqq", converted(toInteger[uint32, uint64](false, false))}, {"vcvttps2uqq", converted(toInteger[uint32, uint64](false, true))},
		{"vcvtpd2qq", converted(toInteger[uint64, uint64](true, false))}, {"vcvttpd2qq", converted(toInteger[uint64, uint64](true, true))},
		{"vcvtpd2uqq", converted(toInteger[uint64, uint64](false, false))}, {"vcvttpd2uqq", converted(toInteger[uint64, uint64](false, true))},
	}
}
