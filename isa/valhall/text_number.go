package valhall

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Numeric kinds. docs/reference/valhall.md 5 and 6.1.

var target, offset16, offset8, index, table, blendTarget, shift3, immediate *isa.Kind

// fillNumbers makes the kinds of numbers.
func fillNumbers() {
	offset16 = &isa.Kind{Name: "an offset", Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff},
		Written: &isa.Written{Prefix: "offset:", Low: -1 << 15, High: 1<<15 - 1, Mask: 0xffff},
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return strconv.AppendInt(append(dst, "offset:"...), int64(int16(v)), 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			v, ok := readNamed(s, "offset:", -1<<15, 1<<15-1)
			return v & 0xffff, ok
		}}
	offset8 = hexNumber("an offset", "offset:", 8)
	index, table = hexNumber("an index", "index:", 8), hexNumber("a table", "table:", 4)
	blendTarget, shift3 = hexNumber("a target", "target:", 8), hexNumber("a shift", "shift:", 3)
	immediate = hexNumber("a constant", "#", 32)
	immediate.Samples = []uint64{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000}
	immediate.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		v, ok := readNamed(s, "#", -1<<31, 1<<32-1)
		return v & 0xffffffff, ok
	}
	immediate.Written = &isa.Written{Prefix: "#", Low: -1 << 31, High: 1<<32 - 1, Mask: 1<<32 - 1}
	target = &isa.Kind{Name: "a target", Samples: []uint64{0, 1, 1<<26 - 1, 1 << 26, 1<<27 - 1}, Text: targetText, Parse: parseTarget}
}

// hexNumber is an unsigned number after a word.
func hexNumber(name, prefix string, bits int) *isa.Kind {
	return &isa.Kind{Name: name, Samples: []uint64{0, 1, 1<<bits - 1}, Written: &isa.Written{Prefix: prefix, High: 1<<bits - 1, Mask: 1<<bits - 1},
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return appendHex(append(dst, prefix...), v)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, a *isa.Arg) (uint64, bool) {
			return readNamed(s, prefix, 0, 1<<a.At.Len()-1)
		}}
}

// readNamed reads a number from lo to hi after a word.
func readNamed(s *isa.Scan, prefix string, lo, hi int64) (uint64, bool) {
	switch text := s.Line[s.Pos:]; {
	case strings.HasPrefix(text, prefix):
		s.Pos += len(prefix)
	case strings.HasPrefix(text, "#"): // kraid does not name the offset
		s.Pos++
	default:
		return 0, s.Expect(strconv.Quote(prefix) + " and a number")
	}
	at := s.Pos
	v, ok := s.Expr()
	if ok && (v < lo || v > hi) {
		return 0, s.NoteRange(at, isa.ErrRange, "%t is not in the range from %l to %h", 1, int(lo), int(hi))
	}
	return uint64(v), ok
}

// jumpTo is the address that the field of a branch encodes.
func jumpTo(in *isa.Inst, v uint64) uint64 {
	return in.Addr + wordBytes + uint64(int64(v<<37)>>37)*wordBytes
}

func targetText(p isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
	if p.Label != nil {
		if name, ok := p.Label(jumpTo(in, v)); ok {
			return append(dst, name...)
		}
	}
	return strconv.AppendInt(append(dst, "offset:"...), int64(v<<37)>>37, 10)
}

// parseTarget reads a target: a number of instructions from the next one on, or an address.
func parseTarget(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	at, relative := s.Pos, s.Accept("offset:")
	v, ok := s.Expr()
	s.Relative = relative
	if ok && !relative {
		if v -= int64(s.Addr) + wordBytes; v%wordBytes != 0 {
			return 0, s.Fail(at, isa.ErrRange, "the target is no whole number of instructions away")
		}
		v /= wordBytes
	}
	if ok && v != v<<37>>37 {
		return 0, s.Fail(at, isa.ErrRange, "the target is more than 2^26 instructions away")
	}
	return uint64(v) & (1<<27 - 1), ok
}
