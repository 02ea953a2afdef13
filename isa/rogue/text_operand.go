package rogue

import (
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// Use of Scan.Scratch: sources 0 to 5 that operands gave as registers, and the target of a branch.
const (
	scratchTo = 6
	scratchAt = 7
	given     = 1 << 63
)

func appendName(dst []byte, prefix byte, n int) []byte { return append(dst, prefix, byte(48+n)) }

// sourceKind is the operand that is source n of the group; in phase 1 source n + 3.
func sourceKind(n int) *isa.Kind {
	text := "s" + strconv.Itoa(n)
	return &isa.Kind{Name: "source " + text,
		Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, _ uint64) []byte {
			return appendSource(p, dst, n)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			return 0, readSource(s, n)
		}}
}

// appendSource is the text of source n: its name, or in listings of the reference its register.
func appendSource(p isa.Printer, dst []byte, n int) []byte {
	if p.Dialect != Seed || p.Bundle == nil {
		return appendName(dst, 's', n)
	}
	var rt routing
	route(p.Bundle, &rt)
	return appendReg(dst, rt.src[n], 1, Seed)
}

// sourceNames are the names of the sources, one after the other.
const sourceNames = "s0s1s2s3s4s5"

// readSource reads the text of source n.
func readSource(s *isa.Scan, n int) bool {
	at, text := s.Pos, sourceNames[2*n:2*n+2]
	if w := s.Word(); len(w) >= 2 && (w[:2] == text || strings.EqualFold(w[:2], text)) && (len(w) == 2 || w[2] == '.') {
		s.Pos += 2
		return true
	}
	if s.Target.Dialect != Seed {
		return s.Expect(text)
	}
	r, ok := readOne(s)
	if !ok {
		return false
	}
	if src, taken := listing.Picked(s); taken>>n&1 != 0 && src[n] != r.operand() {
		return s.Fail(at, isa.ErrOperand, text+" is one for all instructions of the group")
	}
	listing.Pick(s, n, r.operand())
	return true
}

// A numeral is the encoding of a number in a field.
type numeral struct {
	low, high int64
	zero      uint64 // value of a field that holds 0
	minus     uint64 // bias
	shift     uint8
}

func (m numeral) value(v uint64) uint64 {
	if v == 0 && m.zero != 0 {
		return m.zero
	}
	return v<<m.shift + m.minus
}

// number is a numeric operand: PCO prints it in hexadecimal.
func number(name string, m numeral) *isa.Kind {
	return &isa.Kind{Name: name, Expr: true, Samples: []uint64{0, 1, 3},
		Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			if p.Dialect == PCO {
				return isa.AppendHex(dst, m.value(v))
			}
			return strconv.AppendUint(dst, m.value(v), 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := readMarked(s)
			if !ok {
				v, ok = s.Expr()
			}
			if !ok {
				return 0, false
			}
			if v < m.low || v > m.high || v&(1<<m.shift-1) != 0 {
				return 0, s.Failf(at, isa.ErrRange, "%s: %d to %d%s are possible", name, m.low, m.high, m.steps())
			}
			return m.field(uint64(v)), true
		}}
}

// readMarked reads a decimal number with PCO's suffix u; ok is false, and nothing read, if there is none.
func readMarked(s *isa.Scan) (v int64, ok bool) {
	at := s.Pos
	n, ok := s.Uint()
	if ok = ok && s.Accept("u"); !ok {
		s.Pos = at
	}
	return int64(n), ok
}

func (m numeral) steps() string {
	if m.shift == 0 {
		return ""
	}
	return ", multiples of " + strconv.Itoa(1<<m.shift)
}

func (m numeral) field(v uint64) uint64 {
	if m.zero != 0 && v == m.zero {
		return 0
	}
	return (v - m.minus) >> m.shift
}

// immediate is a constant of n bits, here printed as 32 bits; PCO appends its value as 12u, -3i or 1.5f.
func immediate(n int) *isa.Kind {
	return &isa.Kind{Name: "a constant", Samples: []uint64{0, 1, 1<<n - 1, 0x3f800000 & (1<<n - 1)},
		Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			if p.Dialect == PCO {
				return isa.AppendHex(dst, v)
			}
			return strconv.AppendUint(dst, v, 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := readConstant(s)
			if ok && v>>n != 0 {
				return 0, s.Failf(at, isa.ErrRange, "the constant has more than %d bits", n)
			}
			return v, ok
		}}
}

// readConstant reads a 32-bit constant: an integer, 4288243251u, -1i, or 3.500000f.
func readConstant(s *isa.Scan) (uint64, bool) {
	at := s.Pos
	end := at
	for end < len(s.Line) && strings.IndexByte("0123456789.-+eE", s.Line[end]) >= 0 {
		end++
	}
	if text := s.Line[at:end]; end < len(s.Line) && end > at && !strings.HasPrefix(text, "0x") {
		switch s.Line[end] {
		case 'u', 'i':
			v, err := strconv.ParseInt(text, 10, 64)
			if err == nil && v >= -1<<31 && v < 1<<32 {
				s.Pos = end + 1
				return uint64(uint32(v)), true
			}
		case 'f':
			if f, err := strconv.ParseFloat(text, 32); err == nil {
				s.Pos = end + 1
				return uint64(floatBits(float32(f))), true
			}
		}
	}
	v, ok := s.Expr()
	if ok && (v < -1<<31 || v >= 1<<32) {
		return 0, s.Fail(at, isa.ErrRange, "the constant has more than 32 bits")
	}
	return uint64(uint32(v)), ok
}

// floatBits is the bit pattern of a float in text.
func floatBits(f float32) uint32 { return math.Float32bits(f) }

// sourceElement is source n with an element that the instruction implies, without a field.
func sourceElement(n int, elem string) *isa.Kind {
	k := sourceKind(n)
	text, parse := k.Text, k.Parse
	k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		return append(text(p, dst, in, a, v), elem...)
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if _, ok := parse(s, in, a); !ok || !strings.HasPrefix(s.Line[s.Pos:], elem) {
			return 0, ok && s.Expect(elem)
		}
		s.Pos += len(elem)
		return 0, true
	}
	return k
}

// lodSource is the level of detail that all lanes share: source 3 if the mode needs one that is not in the coordinates.
func lodSource() *isa.Kind {
	k := sourceKind(3)
	text, parse := k.Text, k.Parse
	k.Name = "s3 or _"
	k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		if !sharedLOD(in) {
			return append(dst, '_')
		}
		return text(p, dst, in, a, v)
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.Accept("_") {
			return 0, true
		}
		return parse(s, in, a)
	}
	return k
}

// sizeKind is the size of a stored element: byte, half, word.
func sizeKind() *isa.Kind {
	k := number("a size", numeral{low: 0, high: 2})
	k.Reserved = []bool{3: true}
	return k
}

// outputKind is the number of a vertex output.
func outputKind() *isa.Kind {
	k := number("a vertex output", numeral{low: 0, high: numOutputs - 1})
	parse := k.Parse
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if w := s.Word(); len(w) > 2 && strings.EqualFold(w[:2], "vo") {
			s.Pos += 2
		}
		return parse(s, in, a)
	}
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: ir.Cell{File: FileVo, Index: uint16(v)}, N: 1})
	}
	return k
}

// bypassKind selects what a sample returns instead of filtered values.
func bypassKind() *isa.Kind {
	k := dotted("a bypass mode", "- data info both")
	also(k, 1, ".rawdata")
	return also(k, 2, ".coeffs")
}

// distance is the target of a relative branch: bytes from the address that option branch-distance selects, or a label.
func distance() *isa.Kind { return branchKind("a branch target", false) }

// address is the target of an absolute branch.
func address() *isa.Kind { return branchKind("a branch address", true) }

func branchKind(name string, absolute bool) *isa.Kind {
	return &isa.Kind{Name: name, Expr: true, Samples: []uint64{0, 1, 7, 1 << 30, 1<<31 - 1},
		Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			if p.Label != nil && p.Bundle != nil {
				if to, ok := branch(p.Bundle, 0); ok {
					if name, ok := p.Label(to); ok {
						return append(dst, name...)
					}
				}
			}
			if absolute && p.Dialect == Mesa24 {
				return strconv.AppendUint(dst, v<<1, 10)
			}
			if absolute {
				return isa.AppendHex(dst, v<<1)
			}
			return strconv.AppendInt(dst, int64(int32(v<<1)), 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := s.Expr()
			switch {
			case !ok:
				return 0, false
			case s.UsedSymbol && !absolute:
				s.Scratch[scratchTo], s.Scratch[scratchAt] = uint64(v), given|uint64(at)
				return 0, true
			case v&1 != 0:
				return 0, s.Fail(at, isa.ErrRange, "groups begin at even addresses")
			case absolute && v>>32 != 0 || !absolute && v != int64(int32(v)):
				return 0, s.Fail(at, isa.ErrRange, "the target does not fit 32 bits")
			}
			return uint64(uint32(v)) >> 1, true
		}}
}

// branch is the code address that a group names. A relative branch is relative to distanceFrom.
func branch(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if in.Def.Class != group.Control || !in.Has(nameBPred) {
		return 0, false
	}
	v := in.Get(nameOffset) << 1
	if info(in).entry[1] == 'A' {
		return v, true
	}
	return distanceFrom(b) + uint64(int64(int32(v))), true
}

// distanceFrom is the address that branch distances are relative to, an option. docs/reference/rogue.md 8.
func distanceFrom(b *isa.Bundle) uint64 {
	if b.Own == fromEnd {
		return b.Addr() + uint64(b.Size())
	}
	return b.Addr()
}

// tempKind is a temporary as the destination of iterations.
func tempKind() *isa.Kind {
	k := &isa.Kind{Name: "a temporary", Samples: []uint64{0, 1, 247},
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return strconv.AppendUint(append(dst, 'r'), v, 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			r, _, ok := readReg(s) // compilers print the registers of all values
			if ok && (r.bank != bankTemp || r.n > 255) {
				return 0, s.Fail(at, isa.ErrOperand, "the destination is a temporary, r0 to r255")
			}
			return uint64(r.n), ok
		}}
	return k
}

// valueWords is the number of coefficients of a value.
const valueWords = 4

// fourKind is a register whose number is a multiple of 4: coefficients, which may be indexed, or shared registers.
func fourKind(bank string, indexed bool) *isa.Kind {
	return &isa.Kind{Name: "a register " + bank + ", a multiple of 4", Samples: []uint64{0, 1, 63},
		Text: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
			dst = strconv.AppendUint(append(dst, bank...), v<<2, 10)
			if indexed && a.Part(in.Word, 0) != 0 {
				dst = append(strconv.AppendUint(append(dst, "[idx"...), a.Part(in.Word, 0)-1, 10), ']')
			}
			return dst
		},
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			at := s.Pos
			r, several, ok := readReg(s)
			if !ok {
				return 0, false
			}
			if several > 1 && several != valueWords {
				return 0, s.Failf(at, isa.ErrOperand, "%d registers are named where a set is expected, of four", several)
			}
			n, index := r.n, uint64(0)
			if b, offset, is := r.indexed(); is && indexed {
				index, n = uint64(r.bank-bankIdx0)+1, offset
				r.bank = map[uint8]uint8{idxCoeff: bankCoeff}[b]
			}
			if r.bank >= bankIdx0 || bankNames[r.bank] != bank || n%4 != 0 || n >= 256 {
				return 0, s.Fail(at, isa.ErrOperand, "a register "+bank+" below 256 is expected, its number a multiple of 4")
			}
			if indexed && !s.SetPart(in, a, 0, index) {
				return 0, false
			}
			return uint64(n) >> 2, true
		}}
}
