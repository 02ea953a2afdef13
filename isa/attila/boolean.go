package attila

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// predDest is a predicate as result: p3.
var predDest = &isa.Kind{Name: "a predicate", Table: predNames[:], Samples: []uint64{0, 1, 31, 5},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		_, n, ok := parseReg(s, "p", "a predicate")
		return n, ok
	}}

// boolDest is a predicate as result of andp; ! inverts.
var boolDest = &isa.Kind{Name: "a predicate", Samples: []uint64{0, 1, 31, 5},
	Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		return append(openNot(dst, in.Word.Lo>>a.Neg), predNames[v]...)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.Byte('!') {
			in.Word.Lo |= 1 << a.Neg
		}
		_, n, ok := parseReg(s, "p", "a predicate")
		return n, ok
	}}

func openNot(dst []byte, b uint64) []byte {
	if b&1 != 0 {
		dst = append(dst, '!')
	}
	return dst
}

// literalBool reports whether boolean operand i is true or false.
func literalBool(w bits.Word, i int) bool { return !isParam(bank(w, i)) && absolute(w, i) }

// boolean is a predicate, a component of a constant, true or false. relBool is that of andp, whose constants may be
// relative: the reference decodes the component from the wrong bit, so that it always is y. isa/attila.md 12 no. 8.
var (
	boolean = boolKind(false)
	relBool = boolKind(true)
)

func boolKind(rel bool) *isa.Kind {
	return &isa.Kind{Name: "a condition", Samples: []uint64{1, 0x55 << 8, 2 | 0xaa<<8, 31, 0x1b<<8 | 3},
		Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
			lo := in.Word.Lo
			b := lo >> (a.Neg - 3) & 7
			switch {
			case isParam(b):
				dst = append(openNot(dst, lo>>a.Neg), regNames[b][v&255]...)
				if rel && relative(in.Word) {
					dst = appendRel(dst, in.Word, 1)
				}
				return append(dst, selects[v>>8]...)
			case lo>>a.Abs&1 == 0:
				return append(openNot(dst, lo>>a.Neg), predNames[v&255]...)
			}
			return strconv.AppendBool(dst, lo>>a.Neg&1 != 0)
		},
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) { return parseBool(s, in, a, rel) }}
}

func parseBool(s *isa.Scan, in *isa.Inst, a *isa.Arg, rel bool) (uint64, bool) {
	i := operandOf(a)
	putBank(&in.Word, i, bankTemp)
	switch {
	case s.Accept("true"):
		in.Word.Lo |= 1<<a.Neg | 1<<a.Abs
		return 0, true
	case s.Accept("false"):
		in.Word.Lo |= 1 << a.Abs
		return 0, true
	}
	if s.Byte('!') {
		in.Word.Lo |= 1 << a.Neg
	}
	if s.Peek() != 'c' {
		_, n, ok := parseReg(s, "p", "a predicate, constant, true or false")
		return n, ok
	}
	at := s.Pos
	v, ok := parseSource(s, in, i, "c", "a constant")
	switch {
	case !ok:
		return 0, false
	case relative(in.Word) && isParam(bank(in.Word, i)) && !rel:
		return 0, s.Fail(at, isa.ErrOperand, "the constant of a jump cannot be relative")
	case relative(in.Word):
		if _, c, _ := relField(in.Word); c != 1 {
			return 0, s.Fail(at, isa.ErrOperand, "relative constants of andp take component y of the address register")
		}
	}
	switch swz := v >> 8; {
	case swz == identity:
		v = v&255 | noSelect<<8
	case swz%0x55 != 0:
		return 0, s.Fail(at, isa.ErrOperand, "a condition is one component of a constant")
	}
	return v, true
}

// canonBool clears what the text of boolean operand i leaves out: the bank and swizzle of predicates, the register of
// literals, the absolute flag and unprinted swizzles of constants.
func canonBool(w *bits.Word, a *isa.Arg) {
	i := operandOf(a)
	v := a.Get(*w)
	switch {
	case isParam(bank(*w, i)):
		w.Lo &^= 1 << a.Abs
		if v>>8%0x55 != 0 {
			v = v&255 | noSelect<<8
		}
	case literalBool(*w, i):
		putBank(w, i, bankTemp)
		v = 0
	default:
		putBank(w, i, bankTemp)
		v &= 255
	}
	*w = a.Put(*w, v)
}

// unit is a texture unit or attribute; the reference prints the modifiers of operand 2 with it.
var unit = &isa.Kind{Name: "a texture unit or attribute",
	Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		dst = append(openSigns(dst, in.Word.Lo>>a.Neg), unitNames[v&255]...)
		return closeSigns(append(dst, swizzles[v>>8]...), in.Word.Lo>>a.Neg)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		return parseSigned(s, in, a, func() (uint64, bool) {
			_, n, ok := parseReg(s, "t", "a texture unit or attribute")
			if !ok {
				return 0, false
			}
			swz, ok := parseSwizzle(s)
			return n | swz<<8, ok
		})
	},
	Samples: []uint64{identity << 8, 1 | identity<<8, 15 | 0xff<<8}}

var sampleNames = numbered("s", 0)

// sample is a fragment sample: s3.
var sample = &isa.Kind{Name: "a sample", Table: sampleNames[:], Samples: []uint64{0, 3, 15},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		_, n, ok := parseReg(s, "s", "a sample")
		return n, ok
	}}

// killed is the source of kil, kls, zxp and zxs: with relative addressing it prints as the absolute value of a
// constant, whatever its bank and flags. isa/attila.md section 13.
var killed = &isa.Kind{Name: source.Name, Parse: source.Parse, Samples: source.Samples,
	Text: func(p *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		if !relative(in.Word) {
			return sourceText(p, dst, in, a, v)
		}
		k := *in
		canonKilled(&k.Word, a)
		return sourceText(p, dst, &k, a, v)
	}}

func canonKilled(w *bits.Word, a *isa.Arg) {
	if !relative(*w) {
		return
	}
	if bank(*w, 0) != bankParam2 {
		putBank(w, 0, bankParam)
	}
	w.Lo |= 1 << a.Abs
}
