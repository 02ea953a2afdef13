package toygroup

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Banks of sources; those of outputs are the first three.
const (
	bankR = iota
	bankSh
	bankI
	bankX0 // sh[i0+offset]
	bankX1
	bankConst
)

// Parts of sources and outputs by number.
const (
	partBank = iota
	partOffset
)

// count has no text: it describes the layout of the group.
var (
	count      = &isa.Kind{Name: "a count"}
	outputs    = &isa.Kind{Name: "a number of outputs", Reserved: []bool{3: true}}
	bank       = &isa.Kind{Name: "a bank", Reserved: []bool{6: true, 7: true}}
	outputBank = &isa.Kind{Name: "a bank", Reserved: []bool{3: true}}
)

func suffixes(name string, table ...string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: table}
	for v, text := range table {
		if text != "" {
			k.Spell = append(k.Spell, isa.Spelling{Text: text, Value: uint64(v)})
		}
	}
	return k
}

var (
	negate   = suffixes("a sign", "", ".neg")
	saturate = suffixes("a suffix", "", ".sat")
	repeat   = suffixes("a number of repetitions", "", ".x2", ".x3", ".x4")
	end      = suffixes("an end", "", ".end")
	atom     = suffixes("atom", "", ".atom")
	tests    = suffixes("a test", ".z", ".nz", ".lt", ".ge")
)

// Conditions of a group: all active lanes, those with p0, all existing lanes, those without p0.
const (
	always = iota
	ifFlag
	everyone
	ifNot
)

var flagCell = ir.Cell{File: FileP}

var condition = func() *isa.Kind {
	k := suffixes("a condition", "", ".p0", ".all", ".np0")
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		if v == ifFlag || v == ifNot {
			dst = append(dst, isa.Span{Cell: flagCell, N: 1})
		}
		return dst
	}
	return k
}()

// word returns an operand with a fixed text.
func word(text string) *isa.Kind {
	return &isa.Kind{Name: text, Table: []string{text}, Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !s.Accept(text) {
			return 0, s.Expect(text)
		}
		return 0, true
	}}
}

var predicate = func() *isa.Kind {
	k := word("p0")
	k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
		return append(dst, isa.Span{Cell: flagCell, N: 1})
	}
	return k
}()

func texts(prefix string, n int) []string {
	t := make([]string, n)
	for i := range t {
		t[i] = prefix + strconv.Itoa(i)
	}
	return t
}

// number parses a prefix and a number below n.
func number(s *isa.Scan, prefix string, n uint64, name string) (uint64, bool) {
	at := s.Pos
	if len(s.Line)-at < len(prefix) || s.Line[at:at+len(prefix)] != prefix {
		return 0, s.Expect(name)
	}
	s.Pos += len(prefix)
	v, ok := s.Uint()
	if !ok || v >= n {
		s.Pos = at
		return 0, s.Fail(at, isa.ErrRange, name+" is expected, below "+strconv.Itoa(int(n)))
	}
	return v, true
}

func numbers(name, prefix string, n int) *isa.Kind {
	return &isa.Kind{Name: name, Table: texts(prefix, n), Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		return number(s, prefix, uint64(n), name)
	}}
}

// span returns the cell of a register of a bank.
func span(dst []isa.Span, bank, n uint64) []isa.Span {
	file := [...]uint8{FileR, FileSh, FileI}[bank]
	return append(dst, isa.Span{Cell: ir.Cell{File: file, Index: uint16(n)}, N: 1})
}

var (
	register = func() *isa.Kind {
		k := numbers("a register", "r", 16)
		k.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span { return span(dst, bankR, v) }
		return k
	}()
	anyFt = func() *isa.Kind {
		k := numbers("ft0, ft1 or ft2", "ft", 3)
		k.Reserved = []bool{3: true}
		return k
	}()
	amount    = numbers("an amount", "", 32)
	immediate = &isa.Kind{Name: "a constant", Samples: []uint64{0, 1, 0xffff},
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return isa.AppendHex(dst, v)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := s.Expr()
			if ok && v>>16 != 0 {
				return 0, s.Fail(at, isa.ErrRange, "the constant has more than 16 bits")
			}
			return uint64(v), ok
		}}
)

// A src is the register of a source.
type src struct{ bank, n, offset uint64 }

// sourceOf returns the register of a source part of either length.
func sourceOf(in *isa.Inst) src {
	return src{in.Get(nameBank), in.Get(nameNumber), in.Opt(nameOffset)}
}

func (x src) append(dst []byte) []byte {
	switch x.bank {
	case bankX0, bankX1:
		dst = append(dst, "sh[i"...)
		dst = append(strconv.AppendUint(dst, x.bank-bankX0, 10), '+')
		return append(strconv.AppendUint(dst, x.offset, 10), ']')
	case bankConst:
		return strconv.AppendUint(append(dst, '#'), x.offset, 10)
	}
	return strconv.AppendUint(append(dst, [...]string{"r", "sh", "i"}[x.bank]...), x.n, 10)
}

// readSource parses r3, sh3, i1, sh[i0+12] or #12.
func readSource(s *isa.Scan) (x src, ok bool) {
	switch s.Peek() {
	case 'r':
		x.n, ok = number(s, "r", 16, "a register")
	case 'i':
		x.bank = bankI
		x.n, ok = number(s, "i", 2, "an index register")
	case '#':
		x.bank = bankConst
		x.offset, ok = number(s, "#", 256, "a constant")
	case 's':
		if !s.Accept("sh[") {
			x.bank = bankSh
			x.n, ok = number(s, "sh", 16, "a register")
			break
		}
		if x.n, ok = number(s, "i", 2, "an index register"); !ok || !s.Byte('+') {
			return x, s.Expect("sh[i0+ or sh[i1+")
		}
		x.bank, x.n = bankX0+x.n, 0
		x.offset, ok = number(s, "", 256, "an offset")
		if ok && !s.Byte(']') {
			return x, s.Expect(`"]"`)
		}
	default:
		return x, s.Expect("a source")
	}
	return x, ok
}

// place is the operand of a source: the number, with parts for bank and possibly an offset.
var place = &isa.Kind{Name: "a source", Samples: []uint64{0, 1, 15},
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		return sourceOf(in).append(dst)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		x, ok := readSource(s)
		if !ok || !s.SetPart(in, a, partBank, x.bank) || len(a.Parts) > partOffset && !s.SetPart(in, a, partOffset, x.offset) {
			return 0, false
		}
		return x.n, true
	},
	Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
		switch x := sourceOf(in); x.bank {
		case bankX0, bankX1:
			return span(dst, bankI, x.bank-bankX0)
		case bankConst:
			return dst
		default:
			return span(dst, x.bank, x.n)
		}
	}}

// destination is the operand of a long output.
var destination = &isa.Kind{Name: "a destination",
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return src{bank: in.Get(nameBank), n: v}.append(dst)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		at := s.Pos
		x, ok := readSource(s)
		if ok && x.bank > bankI {
			return 0, s.Fail(at, isa.ErrOperand, "a destination is a register")
		}
		return x.n, ok && s.SetPart(in, a, partBank, x.bank)
	},
	Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return span(dst, in.Get(nameBank), v)
	}}

// sources are the operands s0-s3 of phases. In the dialect lines the source's register replaces them.
var sources = [4]*isa.Kind{sourceKind(0), sourceKind(1), sourceKind(2), sourceKind(3)}

// given marks a number of Scan.Scratch if a source with that number has been parsed into it.
const given = 1 << 63

func sourceKind(n int) *isa.Kind {
	text := "s" + strconv.Itoa(n)
	return &isa.Kind{Name: "source " + text,
		Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, _ uint64) []byte {
			if p.Dialect == Brief || p.Bundle == nil {
				return append(dst, text...)
			}
			return sourceOf(nth(p.Bundle, n)).append(dst)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if s.Target.Dialect == Brief {
				if !strings.HasPrefix(s.Line[s.Pos:], text) {
					return 0, s.Expect(text)
				}
				s.Pos += len(text)
				return 0, true
			}
			at := s.Pos
			x, ok := readSource(s)
			v := given | x.bank<<16 | x.offset<<8 | x.n
			if ok && s.Scratch[n] != 0 && s.Scratch[n] != v {
				return 0, s.Fail(at, isa.ErrOperand, text+" is one for all phases of the group")
			}
			s.Scratch[n] = v
			return 0, ok
		}}
}

// Indexes in Scan.Scratch for a branch to a label: its target, and its position in the text.
const (
	scratchTo = 4
	scratchAt = 5
)

// target is the target of a branch: bytes from the end of the group, or a label.
var target = &isa.Kind{Name: "a branch target", Samples: []uint64{0, 2, 0x7ffe, 0x8000, 0xfffe},
	Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil && p.Bundle != nil {
			if to, ok := branch(p.Bundle, 1); ok {
				if name, ok := p.Label(to); ok {
					return append(dst, name...)
				}
			}
		}
		return strconv.AppendInt(dst, int64(int16(v)), 10)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if ok && s.UsedSymbol {
			s.Scratch[scratchTo], s.Scratch[scratchAt] = uint64(v), given|uint64(at)
			return 0, true
		}
		if ok && v != int64(int16(v)) {
			return 0, s.Fail(at, isa.ErrRange, "the target is more than 32767 bytes away")
		}
		return uint64(v) & 0xffff, ok
	}}
