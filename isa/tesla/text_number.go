package tesla

import (
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// Kinds of numbers, and code addresses.

// hex is an unsigned number.
func hex(name string) *isa.Kind {
	return &isa.Kind{Name: name, Expr: true, Samples: []uint64{0, 1, 5, 31, 100},
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return isa.AppendHex(dst, v)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := s.Expr()
			if ok && v < 0 {
				return 0, s.Fail(at, isa.ErrRange, name+" is not negative")
			}
			return uint64(v), ok
		}}
}

// wrapping returns a number of bits bits, which may be written as a negative one.
func wrapping(name string, bits uint) *isa.Kind {
	k := hex(name)
	k.Samples = []uint64{0, 1, 1<<bits - 1, 1 << (bits - 1), 0x3f800000 & (1<<bits - 1)}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if ok && (v >= 1<<bits || v < -1<<(bits-1)) {
			return 0, s.Note(at, isa.ErrRange, name+" has %n bits", "", int(bits))
		}
		return uint64(v) & (1<<bits - 1), ok
	}
	return k
}

var (
	immediate  *isa.Kind
	addend     *isa.Kind
	shiftCount *isa.Kind
	barrier    *isa.Kind
	threads    *isa.Kind
	event      *isa.Kind
)

// texelOffset is a signed number of four bits.
var texelOffset = &isa.Kind{Name: "a texel offset", Expr: true, Samples: []uint64{0, 1, 7, 8, 15},
	Table: []string{"0x0", "0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7", "-0x8", "-0x7", "-0x6", "-0x5", "-0x4", "-0x3", "-0x2", "-0x1"},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := plainNumber(s)
		if ok && (v < -8 || v > 7) {
			return 0, s.Fail(at, isa.ErrRange, "a texel offset is -8 to 7")
		}
		return uint64(v) & 15, ok
	}}

// plainNumber reads a number, or an expression in parentheses: what follows it with a sign is the next operand.
func plainNumber(s *isa.Scan) (int64, bool) {
	if s.Peek() == '(' {
		return s.Expr()
	}
	at := s.Pos
	minus := s.Byte('-')
	w := s.Word()
	v, err := strconv.ParseUint(w, 0, 32)
	if err != nil {
		s.Pos = at
		return 0, s.Expect("a number")
	}
	s.Pos += len(w)
	if minus {
		return -int64(v), true
	}
	return int64(v), true
}

// codeUnit is the unit of the field of a code address in bytes.
const codeUnit = 4

// target is a code address.
var target = &isa.Kind{Name: "a code address", Expr: true, Samples: []uint64{0, 2, 1 << 16, 1<<22 - 1},
	Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil {
			if name, ok := p.Label(v * codeUnit); ok {
				return append(dst, name...)
			}
		}
		return isa.AppendHex(dst, v*codeUnit)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if ok && !s.Unresolved && (v%codeUnit != 0 || v < 0 || v >= 1<<24) {
			return 0, s.Fail(at, isa.ErrRange, "a code address is a multiple of 4 below 0x1000000")
		}
		return uint64(v) / codeUnit & (1<<22 - 1), ok
	}}

// Textures and samplers by number.
var (
	texture *isa.Kind
	sampler *isa.Kind
)

func numberKind(name, prefix string, n int) *isa.Kind {
	return &isa.Kind{Name: name, Table: numberedTexts(prefix, "", n), Only: []string{prefix + "0"}, Samples: []uint64{0, 1, uint64(n - 1)},
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return numbered(s, prefix, uint64(n), name) }}
}

// elements is the result of a texture instruction: four elements, of which the mask selects those that exist, in
// consecutive registers from dst on.
var elements = &isa.Kind{Name: "a result of four elements", Only: []string{"$r0"}, Samples: []uint64{0, 1, 15, 9, 4},
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		n := in.Get(nameDst)
		for i := range 4 {
			if i > 0 {
				dst = append(dst, ':')
			}
			if v>>i&1 == 0 {
				dst = append(dst, '#')
				continue
			}
			dst = append(dst, wholeTexts[n]...)
			n++
		}
		return dst
	},
	Parse: parseElements,
	Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		n := 0
		for i := range 4 {
			n += int(v >> i & 1)
		}
		return append(dst, vectorSpan(in, n)...)
	}}

// vectorSpan returns n registers from dst on.
func vectorSpan(in *isa.Inst, n int) []isa.Span {
	sp := spanOf(whole, in.Get(nameDst))
	if sp.N = min(n, NumR-int(sp.Index)); sp.N == 0 {
		return nil
	}
	return []isa.Span{sp}
}

func parseElements(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (v uint64, ok bool) {
	next := uint64(0)
	for i := range 4 {
		if i > 0 && !s.Byte(':') {
			return 0, s.Expect(`":"`)
		}
		if s.Byte('#') {
			continue
		}
		at := s.Pos
		n, ok := numbered(s, "$r", uint64(len(wholeTexts)), "a register or #")
		switch {
		case !ok:
			return 0, false
		case v == 0 && n >= NumR:
			return 0, s.Fail(at, isa.ErrRange, "registers are $r0 to $r127")
		case v == 0:
			in.Put(nameDst, n)
		case n != next:
			return 0, s.Failf(at, isa.ErrOperand, "the elements are in registers that follow each other: $r%d", next)
		}
		next = n + 1
		v |= 1 << i
	}
	return v, true
}

// wholeElements is elements without a mask.
var wholeElements *isa.Kind

// coordinates are the sources of a texture instruction: one to four registers, from the first of the result on. The
// field holds their number minus one.
var coordinates = &isa.Kind{Name: "coordinates", OneOf: []string{"$r0"}, Only: []string{"$r0"},
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		n := in.Get(nameDst)
		for i := range v + 1 {
			if i > 0 {
				dst = append(dst, ':')
			}
			dst = append(dst, wholeTexts[n+i]...)
		}
		return dst
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		for n := uint64(0); ; n++ {
			at := s.Pos
			r, ok := numbered(s, "$r", uint64(len(wholeTexts)), "a register")
			if !ok {
				return 0, false
			}
			if n == 0 && in.Opt(nameMask) == 0 && in.Has(nameMask) && r < NumR {
				in.Put(nameDst, r) // the result has no element that says so
			}
			if want := in.Get(nameDst) + n; r != want || n > 3 {
				return 0, s.Failf(at, isa.ErrOperand, "the coordinates are up to four registers from that of the result on: $r%s", strconv.FormatUint(want, 10))
			}
			if !s.Byte(':') {
				return n, true
			}
		}
	},
	Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, vectorSpan(in, int(v)+1)...)
	}}

// ignored is a field that hardware ignores.
var ignored = &isa.Kind{Name: "an ignored field", Canon: func(uint64) uint64 { return 0 }}

// accumulator is the result's register as a source.
var accumulator = &isa.Kind{Name: "the register of the result", OneOf: []string{"$r0"}, Only: []string{"$r0"},
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		return append(dst, wholeTexts[in.Get(nameDst)]...)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := parseRegister(s, whole)
		if ok && v != in.Get(nameDst) {
			return 0, s.Fail(at, isa.ErrOperand, "the last source of a short or immediate form is the register of its result")
		}
		return 0, ok
	},
	Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
		return append(dst, spanOf(whole, in.Get(nameDst)))
	}}

// eitherStored is a register or a half, as selected by the part; eitherResult a result of either width.
var (
	eitherStored *isa.Kind
	eitherResult *isa.Kind
)

func either(narrow, wide *isa.Kind) *isa.Kind {
	of := func(in *isa.Inst) *isa.Kind {
		if in.Get(nameWide) != 0 {
			return wide
		}
		return narrow
	}
	return &isa.Kind{Name: narrow.Name, Only: slices.Concat(narrow.Only, wide.Only), Samples: narrow.Samples,
		Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
			return append(dst, of(in).Table[v]...)
		},
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := narrow.Parse(s, in, a)
			if ok {
				return v, true
			}
			s.Pos = at
			in.Put(nameWide, 1)
			return wide.Parse(s, in, a)
		},
		Cells: func(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
			return of(in).Cells(dst, in, a, v)
		},
	}
}

// firstCoordinate is the register of the result as the only coordinate.
var firstCoordinate *isa.Kind

// fillNumbers makes the kinds of numbers and vectors.
func fillNumbers() {
	immediate = wrapping("an immediate", 32)
	addend = wrapping("an offset", 16)
	shiftCount = hex("a shift count")
	barrier = hex("a barrier")
	threads = hex("a number of threads")
	event = hex("an event")
	texture = numberKind("a texture", "$t", 256)
	sampler = numberKind("a sampler", "$s", 32)
	wholeElements = unmasked()
	eitherStored = either(halfRegister, register)
	eitherResult = either(halfResult, anyResult)
	firstCoordinate = single()
}

// unmasked is the kind wholeElements.
func unmasked() *isa.Kind {
	k := *elements
	k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
		return elements.Text(p, dst, in, a, 15)
	}
	k.Cells = func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
		return append(dst, vectorSpan(in, 4)...)
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := parseElements(s, in, a)
		if ok && v != 15 {
			return 0, s.Fail(at, isa.ErrOperand, "no element can be left out here")
		}
		return 0, ok
	}
	return &k
}

// single is the kind firstCoordinate.
func single() *isa.Kind {
	k := *coordinates
	k.Name = "a register"
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		at := s.Pos
		n, ok := coordinates.Parse(s, in, a)
		if ok && n != 0 {
			return 0, s.Fail(at, isa.ErrOperand, "one register is expected")
		}
		return 0, ok
	}
	return &k
}
