package toyvec

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Types of a source.
const (
	isReg = iota
	lastRead
	isConst
)

// partPage is a part that the sources share: it selects the 64 constants that they can name.
const partPage = 0

var (
	page     = &isa.Kind{Name: "the page of constants"}
	pagePart = isa.Part{Name: "page", Shared: true}
	negate   = words("a sign", "", ".neg")
	absolute = words("an absolute value", "", ".abs")
	swizzle  = words("a swizzle", "", ".h00", ".h10", ".h11")
	clamp    = words("a clamp", "", ".clamp_0_1", ".clamp_m1_1", ".clamp_0_inf")
	slot     = words("a slot", ".slot0", ".slot1")
	halves   = words("halves", ".none", ".h0", ".h1", "")
	flow     = words("a flow", "", ".wait0", ".wait1", ".wait01", ".reconverge", ".end", "?", "?")
)

// both is the value of halves without text.
const both = 3

// words returns a kind of suffixes with the texts of its values; "?" is reserved.
func words(name string, texts ...string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: texts, Reserved: make([]bool, len(texts))}
	for v, text := range texts {
		switch text {
		case "":
		case "?":
			k.Reserved[v], texts[v] = true, ""
		default:
			k.Spell = append(k.Spell, isa.Spelling{Text: text, Value: uint64(v)})
		}
	}
	return k
}

func numbered(prefix string, n int) []string {
	t := make([]string, n)
	for i := range t {
		t[i] = prefix + strconv.Itoa(i)
	}
	return t
}

var regNames, constNames = numbered("r", 64), numbered("u", 128)

func parseReg(s *isa.Scan, prefix byte, n uint64, what string) (uint64, bool) {
	at := s.Pos
	if !s.Byte(prefix) {
		return 0, s.Expect(what)
	}
	v, ok := s.Uint()
	if !ok || v >= n {
		s.Pos = at
		return 0, s.Fail(at, isa.ErrRange, what+" out of range")
	}
	return v, true
}

func regCells(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	return append(dst, isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(v & 63)}, N: 1})
}

var (
	register = &isa.Kind{Name: "a register", Table: regNames, Cells: regCells,
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return parseReg(s, 'r', 64, "a register") }}
	// halfRegister is a register of which selected halves are written: the other one is unchanged.
	halfRegister = &isa.Kind{Name: register.Name, Table: regNames, Parse: register.Parse, Cells: halfCells}
	// stagedRegister is the register of a message: @r4.
	stagedRegister = &isa.Kind{Name: "a staging register", Table: numbered("@r", 64), Cells: regCells,
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			if !s.Byte('@') {
				return 0, s.Expect("a staging register")
			}
			return register.Parse(s, in, a)
		}}
)

// halfCells: with no halves nothing is read or written; with both nothing of the old value is kept.
func halfCells(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	sp := isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(v)}, N: 1, Role: isa.UseDef}
	switch in.Get(nameHalves) {
	case 0:
		return dst
	case both:
		sp.Role = isa.Define
	case 1:
		sp.Bytes = 3
	default:
		sp.Bytes = 12
	}
	return append(dst, sp)
}

// source is r3, ^r3 (last read), u70.
var source = &isa.Kind{Name: "a source", Samples: []uint64{0, 1, 1 | lastRead<<6, 5 | isConst<<6, 63 | isConst<<6},
	Reserved: func() []bool {
		t := make([]bool, 256)
		for i := 192; i < 256; i++ {
			t[i] = true
		}
		return t
	}(),
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		switch v >> 6 {
		case lastRead:
			dst = append(dst, '^')
		case isConst:
			return append(dst, constNames[v&63|a.Part(in.Word, partPage)<<6]...)
		}
		return append(dst, regNames[v&63]...)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.Peek() == 'u' {
			v, ok := parseReg(s, 'u', 128, "a constant")
			return v&63 | isConst<<6, ok && s.SetPart(in, a, partPage, v>>6)
		}
		kind := uint64(isReg)
		if s.Byte('^') {
			kind = lastRead
		}
		v, ok := parseReg(s, 'r', 64, "a source")
		return v | kind<<6, ok
	},
	Cells: func(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
		c := ir.Cell{File: FileR, Index: uint16(v & 63)}
		if v>>6 == isConst {
			c = ir.Cell{File: FileU, Index: uint16(v&63 | a.Part(in.Word, partPage)<<6)}
		}
		return append(dst, isa.Span{Cell: c, N: 1})
	}}

// label is a target: instructions from the next one, or a label.
var label = &isa.Kind{Name: "a target", Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff},
	Text: func(p isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil {
			if name, ok := p.Label(jumpTo(in, v)); ok {
				return append(dst, name...)
			}
		}
		return strconv.AppendInt(append(dst, "offset:"...), int64(int16(v)), 10)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at, relative := s.Pos, s.Accept("offset:")
		v, ok := s.Expr()
		s.Relative = relative
		if ok && !relative {
			if v -= int64(s.Addr) + 8; v&7 != 0 {
				return 0, s.Fail(at, isa.ErrRange, "the target is no whole number of instructions away")
			}
			v >>= 3
		}
		if ok && v != int64(int16(v)) {
			return 0, s.Fail(at, isa.ErrRange, "the target is too far away")
		}
		return uint64(v) & 0xffff, ok
	}}
