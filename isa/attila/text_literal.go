package attila

import (
	"math"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// floatImm is an immediate of a float instruction, printed as by C's %f: six places, so that small numbers print as
// 0.000000. The sign before it is the negate flag.
var floatImm = &isa.Kind{Name: "a number", Samples: []uint64{0, 0x3f800000, 0x3e800000, 0xbf000000, 0x7f7fffff, 0x00800000, 0x7fc00001, 0xff800000},
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return appendF(dst, uint32(v))
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return parseFloat(s) },
	Canon: func(v uint64) uint64 { return uint64(readF(uint32(v))) }}

// appendF appends %f of the single v.
func appendF(dst []byte, v uint32) []byte {
	e := int(v >> 23 & 255)
	m := uint64(v & 0x7fffff)
	if v>>31 != 0 {
		dst = append(dst, '-')
	}
	switch {
	case e == 255 && m == 0:
		return append(dst, "inf"...)
	case e == 255:
		return append(dst, "nan"...)
	case e == 0:
		e = 1
	default:
		m |= 1 << 23
	}
	if e -= 150; e > 39 { // m * 2^e does not fit 64 bits
		return strconv.AppendFloat(dst, float64(math.Float32frombits(v&0x7fffffff)), 'f', 6, 64)
	}
	whole, millionths := fixed6(m, e)
	dst = strconv.AppendUint(dst, whole, 10)
	dst = append(dst, ".000000"...)
	for i := len(dst) - 1; millionths > 0; i-- {
		dst[i] = byte('0' + millionths%10)
		millionths /= 10
	}
	return dst
}

// fixed6 returns m * 2^e, m below 2^24, as an integer and millionths, rounded to nearest, ties to even.
func fixed6(m uint64, e int) (whole, millionths uint64) {
	if e >= 0 {
		return m << e, 0
	}
	q := m * 1000000 // below 2^44
	if e < -63 {
		return 0, 0
	}
	rest := q & (1<<-e - 1)
	q >>= -e
	if half := uint64(1) << (-e - 1); rest > half || rest == half && q&1 != 0 {
		q++
	}
	return q / 1000000, q % 1000000
}

// readF returns what the text of a single reads as.
func readF(v uint32) uint32 {
	if v>>23&255 == 255 {
		if v<<9 != 0 {
			v = v&(1<<31) | 0x7fc00000
		}
		return v
	}
	var buf [64]byte
	f, _ := strconv.ParseFloat(string(appendF(buf[:0], v)), 32)
	return math.Float32bits(float32(f))
}

// parseFloat reads a number, inf or nan, with its own sign.
func parseFloat(s *isa.Scan) (uint64, bool) {
	at := s.Pos
	sign := uint64(0)
	if s.Byte('-') {
		sign = 1 << 31
	}
	switch {
	case s.Accept("inf"):
		return sign | 0x7f800000, true
	case s.Accept("nan"):
		return sign | 0x7fc00000, true
	}
	if w := s.Word(); w == "" || w[0] < '0' || w[0] > '9' {
		return 0, s.Expect("a source register or number")
	}
	n, ok := s.Number()
	if !ok {
		return 0, false
	}
	f := n.Float
	if !n.IsF {
		f = float64(n.Int)
	}
	v := math.Float32bits(float32(f))
	if v<<1 == 0xff000000 {
		return 0, s.Fail(at, isa.ErrRange, "the number is too large for a float")
	}
	return sign | uint64(v), true
}

// intImm is an immediate of an integer instruction.
var intImm = &isa.Kind{Name: "a number", Samples: []uint64{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1000},
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return strconv.AppendInt(dst, int64(int32(v)), 10)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		v, ok := parseInt(s)
		if ok && v == intMin && negLiteral(in) {
			in.Put(nameNeg2, 0) // -2147483648 is one literal
		}
		return v &^ plainMin, ok
	}}

// immParts are the signs of an immediate: those of source 2.
var immParts = []isa.Part{{Name: "neg2", Side: isa.Before}, {Name: "abs2", Side: isa.Around}}

const (
	intMin   = 1<<31 | plainMin
	plainMin = 1 << 40 // marks 2147483648 without sign of its own
)

// negLiteral reports a negate flag directly before the literal.
func negLiteral(in *isa.Inst) bool { return in.Get(nameNeg2) != 0 && in.Get(nameAbs2) == 0 }

// parseInt reads a number of 32 bits, signed or not, with its own sign. 2147483648 is marked: its sign is part of it.
func parseInt(s *isa.Scan) (uint64, bool) {
	at := s.Pos
	neg := s.Byte('-')
	if w := s.Word(); w == "" || w[0] < '0' || w[0] > '9' {
		return 0, s.Expect("a source register or number")
	}
	v, ok := s.Expr()
	if !ok {
		return 0, false
	}
	if v < 0 || v > math.MaxUint32 || neg && v > 1<<31 {
		return 0, s.Fail(at, isa.ErrRange, "the number does not fit 32 bits")
	}
	switch {
	case neg:
		return uint64(uint32(-v)), true
	case v == 1<<31:
		return intMin, true
	}
	return uint64(v), true
}

// canonImm moves the sign of a bare immediate into the negate flag, if its text reads back as the same.
func canonImm(in *isa.Inst, float bool) {
	v := in.Get(nameImm)
	if v>>31 == 0 || in.Get(nameNeg2) != 0 || in.Get(nameAbs2) != 0 {
		return
	}
	if float {
		v ^= 1 << 31
	} else if v = uint64(-uint32(v)); v == 1<<31 {
		return
	}
	in.Put(nameImm, v)
	in.Put(nameNeg2, 1)
}

// target is the offset of a jump, in instructions from itself, or a label.
var target = &isa.Kind{Name: "a jump target", Samples: []uint64{0, 1, 2, 0xffffffff, 0x7fffffff, 0x80000000},
	Text: func(p isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil {
			if name, ok := p.Label(jumpTo(in, v)); ok {
				return append(dst, name...)
			}
		}
		return strconv.AppendInt(dst, int64(int32(v)), 10)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if !ok {
			return 0, false
		}
		if s.UsedSymbol {
			if v -= int64(s.Addr); v%wordBytes != 0 {
				return 0, s.Fail(at, isa.ErrRange, "the target is no whole number of instructions away")
			}
			v /= wordBytes
		}
		if v != int64(int32(v)) {
			return 0, s.Fail(at, isa.ErrRange, "the target is too far away")
		}
		return uint64(uint32(v)), true
	}}

// jumpTo returns the address of the target v of a jump.
func jumpTo(in *isa.Inst, v uint64) uint64 { return in.Addr + uint64(int64(int32(v))*wordBytes) }
