package toy

import (
	"fmt"
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// names returns the texts of the n registers of a file.
func names(file string, n int) []string {
	t := make([]string, n)
	for i := range t {
		t[i] = file + strconv.Itoa(i)
	}
	return t
}

// word returns a kind whose values are the words of a table: the registers of a file.
func word(name string, table []string, file uint8) *isa.Kind {
	return &isa.Kind{Name: name, Table: table,
		Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
			return append(dst, isa.Span{Cell: ir.Cell{File: file, Index: uint16(v % uint64(machine.Files[file].Count))}, N: 1})
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			w := s.Word()
			for i, t := range table {
				if w != "" && t == w {
					s.Pos += len(w)
					return uint64(i), true
				}
			}
			return 0, s.Expect(name)
		}}
}

var (
	reg  = word("a register", names("r", 16), FileR)
	flag = word("a flag", names("p", 4), FileP)
	uni  = word("a register of the wave", names("u", 4), FileU)
	half = word("half a register", halves(), FileR)
)

func halves() (t []string) {
	for _, h := range []string{".l", ".h"} {
		for _, r := range names("r", 16) {
			t = append(t, r+h)
		}
	}
	return t
}

const litCode = 15 // value of the field b: a literal follows

// regLit is a register except r15, or a literal in its own word.
var regLit = &isa.Kind{Name: "a register or constant", Table: names("r", litCode),
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		return isa.AppendHex(dst, in.Literal())
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if w := s.Word(); w != "" && w[0] == 'r' {
			return reg.Parse(s, in, a)
		}
		v, ok := s.Expr()
		if !ok {
			return 0, false
		}
		return litCode, s.Literal(uint64(v) & 0xffffffff)
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		if v == litCode {
			return dst
		}
		return append(dst, isa.Span{Cell: cellR(v), N: 1})
	},
	Samples: []uint64{0, 7, litCode},
}

// small is a signed constant of eight bits; in moves it shares its bits with registers.
var small = &isa.Kind{Name: "a constant of eight bits",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return strconv.AppendInt(dst, int64(int8(v)), 10)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if ok && v != int64(int8(v)) {
			return 0, s.Fail(at, isa.ErrRange, "the constant is not -128 to 127")
		}
		return uint64(v) & 0xff, ok
	},
	Samples: []uint64{0, 1, 0x7f, 0x80, 0xff},
}

var imm64 = &isa.Kind{Name: "a constant",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return isa.AppendHex(dst, v)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		v, ok := s.Expr()
		return uint64(v), ok
	},
	Samples: []uint64{0, 1, ^uint64(0), 0x123456789abcdef0},
}

// guard: 0 none, 8-11 if p, 12-15 if not p; 1-7 reserved.
var guard = &isa.Kind{Name: "a guard", Table: guards(), Reserved: []bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if !s.Accept("if") {
			return 0, s.Expect("a guard")
		}
		s.Space()
		v := uint64(8)
		if s.Byte('!') {
			v = 12
		}
		p, ok := flag.Parse(s, in, a)
		return v + p, ok
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		if v == 0 {
			return dst
		}
		return append(dst, isa.Span{Cell: ir.Cell{File: FileP, Index: uint16(v & 3)}, N: 1})
	},
	Samples: []uint64{0, 9, 14}}

func guards() []string {
	t := make([]string, 16)
	for i, p := range names("p", 4) {
		t[8+i], t[12+i] = " if "+p, " if !"+p
	}
	return t
}

// chain has no text of its own: it joins two instructions.
var chain = &isa.Kind{Name: "a chain"}

// negate is the suffix .n.
var negate = &isa.Kind{Name: "a suffix", Table: []string{"", ".n"}, Spell: []isa.Spelling{{Text: ".n", Value: 1}}}

// place is [base+offset]: four bits of register, eight of offset.
var place = &isa.Kind{Name: "an address",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		dst = append(append(dst, '['), reg.Table[v&15]...)
		return append(strconv.AppendUint(append(dst, '+'), v>>4, 10), ']')
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if !s.Byte('[') {
			return 0, s.Expect(`"["`)
		}
		v, ok := reg.Parse(s, in, a)
		if ok && s.Byte('+') {
			off, ok := s.Uint()
			if !ok || off > 255 {
				return 0, s.Expect("an offset up to 255")
			}
			v |= off << 4
		}
		if ok && !s.Byte(']') {
			return 0, s.Expect(`"]"`)
		}
		return v, ok
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: cellR(v & 15), N: 1})
	},
	Samples: []uint64{0, 1, 0xff2, 0x123}}

// label is a branch target: words from the next instruction as a number, or a label.
var label = &isa.Kind{Name: "a branch target",
	Text: func(p isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil {
			if name, ok := p.Label(jumpTo(in, v)); ok {
				return append(dst, name...)
			}
		}
		return strconv.AppendInt(dst, int64(int16(v)), 10)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if !ok {
			return 0, false
		}
		if s.UsedSymbol {
			if v -= int64(s.Addr) + 4; v&3 != 0 {
				return 0, s.Fail(at, isa.ErrRange, "the target is no multiple of 4 bytes away")
			}
			v >>= 2
		}
		if v != int64(int16(v)) {
			return 0, s.Fail(at, isa.ErrRange, fmt.Sprintf("the target is %d words away; 16 bits hold -32768 to 32767", v))
		}
		return uint64(v) & 0xffff, true
	},
	Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff}}

// jumpTo returns the target address of the value v of a branch.
func jumpTo(in *isa.Inst, v uint64) uint64 { return in.Addr + 4 + uint64(int64(int16(v))*4) }

// pieces returns a field in two pieces, the low one first.
func pieces(name string, lo, hi bits.Range, k *isa.Kind) isa.Field {
	return isa.Field{Name: name, At: bits.Ranges{lo, hi}, Kind: k}
}
