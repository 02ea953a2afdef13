package emul

import "github.com/heddle-gpu/heddle/internal/jit/cpu"

// Relations of two floats; a predicate is a set of them.
const (
	less = 1 << iota
	equal
	greater
	unordered
)

// predicates are those of the immediate's low four bits; the fifth says which NaNs are signalled.
// Source: Intel's manual, volume 2, CMPPD.
var predicates = [16]uint8{
	equal, less, less | equal, unordered, less | greater | unordered, equal | greater | unordered, greater | unordered, less | equal | greater,
	equal | unordered, less | unordered, less | equal | unordered, 0, less | greater, equal | greater, greater, less | equal | greater | unordered,
}

// A format is the layout of floats of a size.
type format struct {
	bits, mant uint
	bias       int
}

var formats = map[int]format{2: {16, 10, 15}, 4: {32, 23, 127}, 8: {64, 52, 1023}}

func (f *format) sign() uint64             { return 1 << (f.bits - 1) }
func (f *format) inf() uint64              { return f.sign() - 1<<f.mant }
func (f *format) nan(a uint64) bool        { return a&^f.sign() > f.inf() }
func (f *format) quiet(a uint64) uint64    { return a | 1<<(f.mant-1) }
func (f *format) indefinite() uint64       { return f.quiet(f.sign() | f.inf()) }
func (f *format) denormal(a uint64) bool   { return a&f.inf() == 0 && a&^f.sign() != 0 }
func (f *format) negative(a uint64) bool   { return a&f.sign() != 0 }
func (f *format) signalling(a uint64) bool { return f.nan(a) && a&(1<<(f.mant-1)) == 0 }

// flushed returns a with subnormals flushed, if daz is set.
func (f *format) flushed(a uint64, daz bool) uint64 {
	if daz && f.denormal(a) {
		return a & f.sign()
	}
	return a
}

// order returns an integer that is monotonic in the float.
func (f *format) order(a uint64) int64 {
	if f.negative(a) {
		return -int64(a &^ f.sign())
	}
	return int64(a)
}

func (f *format) relation(a, b uint64, daz bool) uint8 {
	if f.nan(a) || f.nan(b) {
		return unordered
	}
	switch x, y := f.order(f.flushed(a, daz)), f.order(f.flushed(b, daz)); {
	case x < y:
		return less
	case x > y:
		return greater
	}
	return equal
}

// daz reports whether denormal operands are zeros.
func (m *Machine) daz() bool { return m.mxcsr&cpu.FlushOperands != 0 }

func compareFloats[T uint32 | uint64]() func(s *step) {
	f := formats[sizeof[T]()]
	return tests(2, func(m *Machine, s *step, a, b T) bool {
		return predicates[s.imm&15]&f.relation(uint64(a), uint64(b), m.daz()) != 0
	})
}

// compareFlags leaves a comparison in the flags.
func compareFlags(bytes int) func(s *step) {
	f := formats[bytes]
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			b := uint64(0)
			if s.src[0].sort == vector {
				b = m.V[s.src[0].reg].get(0, bytes)
			} else {
				b = m.get(&s.src[0])
			}
			r := f.relation(m.V[s.dst.reg].get(0, bytes), b, m.daz())
			m.tested(r == equal || r == unordered, r == less || r == unordered)
			m.pf = r == unordered
		}
	}
}

// compareBy is a comparison whose predicate is the immediate.
func compareBy[T lane]() func(s *step) {
	return tests(2, func(_ *Machine, s *step, a, b T) bool {
		r := uint8(equal)
		if a < b {
			r = less
		} else if a > b {
			r = greater
		}
		return [8]uint8{equal, less, less | equal, 0, less | greater, equal | greater, greater, less | equal | greater}[s.imm&7]&r != 0
	})
}

func same[T lane](_ *Machine, _ *step, a, b T) bool  { return a == b }
func above[T lane](_ *Machine, _ *step, a, b T) bool { return a > b }
func meet[T lane](_ *Machine, _ *step, a, b T) bool  { return a&b != 0 }
func apart[T lane](_ *Machine, _ *step, a, b T) bool { return a&b == 0 }

// vptest tests the bits of two vectors that of has.
func vptest(of uint64) func(s *step) {
	return func(s *step) {
		s.vector(8, 8, 1, nil)
		s.run = func(m *Machine, s *step) {
			m.sources(s)
			a, b, z, c := &m.V[s.dst.reg], m.x[0], uint64(0), uint64(0)
			for i := range s.n {
				z |= a[i] & b[i] & of
				c |= ^a[i] & b[i] & of
			}
			m.tested(z == 0, c == 0)
		}
	}
}

// compares leave bits in mask registers, elements of all bits or none, or flags.
func compares() []row {
	return []row{
		{"vcmpps", compareFloats[uint32]()}, {"vcmppd", compareFloats[uint64]()},
		{"vcmpss", scalars(compareFloats[uint32](), false)}, {"vcmpsd", scalars(compareFloats[uint64](), false)},
		{"vucomiss", compareFlags(4)}, {"vucomisd", compareFlags(8)}, {"vcomiss", compareFlags(4)}, {"vcomisd", compareFlags(8)},
		{"vtestps", vptest(1<<31 | 1<<63)}, {"vtestpd", vptest(1 << 63)}, {"vptest", vptest(^uint64(0))},
		{"vpcmpeqb", tests(2, same[uint8])}, {"vpcmpeqw", tests(2, same[uint16])}, {"vpcmpeqd", tests(2, same[uint32])}, {"vpcmpeqq", tests(2, same[uint64])},
		{"vpcmpgtb", tests(2, above[int8])}, {"vpcmpgtw", tests(2, above[int16])}, {"vpcmpgtd", tests(2, above[int32])}, {"vpcmpgtq", tests(2, above[int64])},
		{"vpcmpb", compareBy[int8]()}, {"vpcmpw", compareBy[int16]()}, {"vpcmpd", compareBy[int32]()}, {"vpcmpq", compareBy[int64]()},
		{"vpcmpub", compareBy[uint8]()}, {"vpcmpuw", compareBy[uint16]()}, {"vpcmpud", compareBy[uint32]()}, {"vpcmpuq", compareBy[uint64]()},
		{"vptestmb", tests(2, meet[uint8])}, {"vptestmw", tests(2, meet[uint16])}, {"vptestmd", tests(2, meet[uint32])}, {"vptestmq", tests(2, meet[uint64])},
		{"vptestnmb", tests(2, apart[uint8])}, {"vptestnmw", tests(2, apart[uint16])}, {"vptestnmd", tests(2, apart[uint32])}, {"vptestnmq", tests(2, apart[uint64])},
	}
}
