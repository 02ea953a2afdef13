package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// acceptMod reads a modifier whose spelling contains a colon.
func acceptMod(s *isa.Scan, w string) bool {
	if len(s.Line)-s.Pos >= len(w) && s.Line[s.Pos:s.Pos+len(w)] == w {
		s.Pos += len(w)
		return true
	}
	return false
}

// keyword is the kind of an operand that has one spelling and no bits, such as vcc.
func (k *kinds) keyword(w string) *isa.Kind {
	return k.onceFor("keyword", w, func() *isa.Kind {
		r, found := k.codes.named(w)
		made := &isa.Kind{Name: w, Table: []string{w},
			Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
				if s.Accept(w) {
					return 0, true
				}
				return 0, s.Expect(w)
			}}
		made.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
			if !found {
				return dst
			}
			return cellsOf(dst, r.code, r.n)
		}
		return made
	})
}

// flag is the kind of a modifier of one bit that prints its name when set.
func (k *kinds) flag(w string) *isa.Kind {
	return k.onceFor("flag", w, func() *isa.Kind {
		return &isa.Kind{Name: w, Table: []string{"", " " + w}, Spell: []isa.Spelling{{Text: w, Value: 1}, {Text: "no" + w}}}
	})
}

// present is the kind of a modifier that the row itself implies: it always prints.
func (k *kinds) present(w string) *isa.Kind {
	return k.onceFor("present", w, func() *isa.Kind {
		return &isa.Kind{Name: w, Table: []string{" " + w}, Spell: []isa.Spelling{{Text: w}}}
	})
}

// number10 is a modifier name:N that prints in decimal unless it is 0.
func (k *kinds) number10(name string) *isa.Kind {
	return k.onceFor("number", name, func() *isa.Kind {
		pre := " " + name + ":"
		return &isa.Kind{Name: name, Samples: []uint64{0, 1, 4, 255, 256, 4095, 65535},
			Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
				if v == 0 {
					return dst
				}
				return strconv.AppendUint(append(dst, pre...), v, 10)
			},
			Parse: func(s *isa.Scan, _ *isa.Inst, a *isa.Arg) (uint64, bool) {
				if !acceptMod(s, pre[1:]) {
					return 0, false
				}
				return upTo(s, 1<<a.At.Len()-1)
			}}
	})
}

// zeroOffset is an offset that can only be 0. It prints nothing.
var zeroOffset = &isa.Kind{Name: "offset", Table: []string{""}, Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if !acceptMod(s, "offset:") {
		return 0, false
	}
	at := s.Pos
	v, ok := s.Expr()
	if ok && v != 0 {
		return 0, s.Fail(at, isa.ErrModifier, "an offset: flat instructions have none on this generation")
	}
	return 0, ok
}}

// upTo reads a number from 0 to limit. It reports one out of range at the number, after the modifier's name, so that
// the report is not lost among those of other modifiers.
func upTo(s *isa.Scan, limit uint64) (uint64, bool) {
	s.Space()
	at := s.Pos
	v, ok := s.Expr()
	if ok && uint64(v) > limit {
		return 0, s.Failf(at, isa.ErrRange, "a number from 0 to %d is expected", limit)
	}
	return uint64(v), ok
}

// omods scales a float result, before clamp.
var omods = &isa.Kind{Name: "an output modifier", Table: []string{"", " mul:2", " mul:4", " div:2"},
	Spell: []isa.Spelling{{Text: "mul:2", Value: 1}, {Text: "mul:4", Value: 2}, {Text: "div:2", Value: 3}}}

// Modifiers of a source, from the outermost to the innermost: -v1, |v1|, -|v1|, neg(1.0), sext(v1). A minus before a
// number belongs to the number.
var (
	negSpell = []isa.Spelling{{Text: "-", Value: 1, What: "a minus sign", Not: numberStart}, {Text: "neg(", Value: 1, Close: ")", What: "neg()"}}

	negVGPR = &isa.Kind{Name: "neg", Table: []string{"", "-"}, Spell: negSpell}
	absKind = &isa.Kind{Name: "abs", Table: []string{"", "|"}, Close: []string{"", "|"},
		Spell: []isa.Spelling{{Text: "|", Value: 1, Close: "|", What: "|...|"}, {Text: "abs(", Value: 1, Close: ")", What: "abs()"}}}
	sextKind = &isa.Kind{Name: "sext", Table: []string{"", "sext("}, Close: []string{"", ")"},
		Spell: []isa.Spelling{{Text: "sext(", Value: 1, Close: ")", What: "sext()"}}}
)

// partAbs is the number of the part abs of a source.
const partAbs = 1

// negSource is negVGPR for a source that may be a constant, whose own sign differs from the modifier: neg(1.0).
func (k *kinds) negSource() *isa.Kind {
	return k.once("neg "+strconv.Itoa(k.codes.inv2Pi), func() *isa.Kind {
		call := func(in *isa.Inst, a *isa.Arg) bool {
			return k.codes.isConst(int(a.Get(in.Word))) && a.Part(in.Word, partAbs) == 0
		}
		return &isa.Kind{Name: "neg", Spell: negSpell,
			Text: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
				if call(in, a) {
					return append(dst, "neg("...)
				}
				return append(dst, '-')
			},
			CloseText: func(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
				if call(in, a) {
					return append(dst, ')')
				}
				return dst
			}}
	})
}

// numberStart reports whether a number begins here, after blanks.
func numberStart(t string) bool {
	for len(t) > 0 && t[0] == ' ' {
		t = t[1:]
	}
	return len(t) > 0 && t[0] >= '0' && t[0] <= '9'
}

// choice is a modifier name:WORD that always prints; an empty word is a reserved value.
func (k *kinds) choice(name string, words ...string) *isa.Kind {
	return k.onceFor("choice", name, func() *isa.Kind {
		made := &isa.Kind{Name: name, Table: make([]string, len(words))}
		for i, w := range words {
			if w != "" {
				made.Table[i] = " " + name + ":" + w
			}
		}
		made.Reserved = absent(made.Table)
		made.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if !acceptMod(s, name+":") {
				return 0, false
			}
			for i, w := range words {
				if w != "" && s.Accept(w) {
					return uint64(i), true
				}
			}
			return 0, s.Expect("one of the values of " + name)
		}
		return made
	})
}

// selection is the part of a register that an SDWA operand selects, unused the treatment of the rest of the
// destination.
func (k *kinds) selection(name string) *isa.Kind {
	return k.choice(name, "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "")
}

func (k *kinds) unused() *isa.Kind {
	return k.choice("dst_unused", "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "")
}
