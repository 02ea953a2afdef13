package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Modifiers of vector instructions.

// omods scales a float result, before clamp.
var omods = &isa.Kind{Name: "an output modifier", Table: []string{"", " mul:2", " mul:4", " div:2"},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		for i, w := range []string{"mul:2", "mul:4", "div:2"} {
			if acceptMod(s, w) {
				return uint64(i + 1), true
			}
		}
		return 0, false
	}}

// acceptMod reads a modifier whose spelling holds a colon.
func acceptMod(s *isa.Scan, w string) bool {
	if len(s.Line)-s.Pos >= len(w) && s.Line[s.Pos:s.Pos+len(w)] == w {
		s.Pos += len(w)
		return true
	}
	return false
}

var selNames = [...]string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", ""}

// sel is the part of a register that an SDWA operand selects.
func sel(name string) *isa.Kind { return choice(name, selNames[:], 6) }

var dstUnused = choice("dst_unused", []string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", ""}, 2)

// choice is a modifier name:WORD that always prints; an empty word is a reserved value.
func choice(name string, words []string, def uint64) *isa.Kind {
	k := &isa.Kind{Name: name, Table: make([]string, len(words)), Reserved: make([]bool, len(words))}
	for i, w := range words {
		if w == "" {
			k.Reserved[i] = true
		} else {
			k.Table[i] = " " + name + ":" + w
		}
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
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
	return k
}

// DPP_CTRL ranges. docs/reference/gcn.md 7.7.
var dppRanges = []struct {
	code, n int // first code, first number of the text
	count   int
	name    string
}{
	{0x101, 1, 15, "row_shl:"}, {0x111, 1, 15, "row_shr:"}, {0x121, 1, 15, "row_ror:"},
	{0x130, 1, 1, "wave_shl:"}, {0x134, 1, 1, "wave_rol:"}, {0x138, 1, 1, "wave_shr:"}, {0x13c, 1, 1, "wave_ror:"},
	{0x140, -1, 1, "row_mirror"}, {0x141, -1, 1, "row_half_mirror"}, {0x142, 15, 1, "row_bcast:"}, {0x143, 31, 1, "row_bcast:"},
}

var dppCtrl = func() *isa.Kind {
	k := &isa.Kind{Name: "a DPP control", Table: make([]string, 512), Reserved: make([]bool, 512),
		Samples: []uint64{0, 0x1b, 0xff, 0x101, 0x11f, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}}
	for v := range 256 {
		t := " quad_perm:["
		for i := range 4 {
			if i > 0 {
				t += ","
			}
			t += strconv.Itoa(v >> (2 * i) & 3)
		}
		k.Table[v] = t + "]"
	}
	for _, r := range dppRanges {
		for i := range r.count {
			k.Table[r.code+i] = " " + r.name
			if r.n >= 0 {
				k.Table[r.code+i] += strconv.Itoa(r.n + i)
			}
		}
	}
	for v := range k.Table {
		k.Reserved[v] = k.Table[v] == ""
	}
	k.Parse = parseDPPCtrl
	return k
}()

func parseDPPCtrl(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if acceptMod(s, "quad_perm:[") {
		var v uint64
		for i := range 4 {
			s.Space()
			if i > 0 && !s.Byte(',') {
				return 0, s.Expect(`","`)
			}
			s.Space()
			n, ok := s.Uint()
			if !ok || n > 3 {
				return 0, s.Expect("a lane of the quad, 0 to 3")
			}
			v |= n << (2 * i)
		}
		s.Space()
		if !s.Byte(']') {
			return 0, s.Expect(`"]"`)
		}
		return v, true
	}
	for _, r := range dppRanges {
		at := s.Pos
		if r.n < 0 {
			if s.Accept(r.name) {
				return uint64(r.code), true
			}
			continue
		}
		if !acceptMod(s, r.name) {
			continue
		}
		if n, ok := s.Uint(); ok && int(n) >= r.n && int(n) < r.n+r.count {
			return uint64(r.code + int(n) - r.n), true
		}
		s.Pos = at
	}
	return 0, false
}

// boundCtrl prints as 1 when the bit is set; LLVM reads 0 for the same, its older spelling.
var boundCtrl = &isa.Kind{Name: "bound_ctrl", Table: []string{"", " bound_ctrl:1"},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !acceptMod(s, "bound_ctrl:") {
			return 0, false
		}
		if n, ok := s.Uint(); ok && n <= 1 {
			return 1, true
		}
		return 0, s.Expect("0 or 1")
	}}

// laneMask is a four-bit mask of rows or banks.
func laneMask(name string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: make([]string, 16)}
	for v := range k.Table {
		k.Table[v] = " " + name + ":0x" + strconv.FormatInt(int64(v), 16)
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !acceptMod(s, name+":") {
			return 0, false
		}
		v, ok := s.Expr()
		if !ok || v < 0 || v > 15 {
			return 0, s.Expect("a mask of four bits")
		}
		return uint64(v), true
	}
	return k
}

// Modifiers of a source, from the outermost to the innermost: -v1, |v1|, -|v1|, neg(1.0), sext(v1). A minus before a
// number belongs to the number.
var (
	negSpell  = []isa.Spelling{{Text: "-", Value: 1, What: "a minus sign", Not: numberStart}, {Text: "neg(", Value: 1, Close: ")", What: "neg()"}}
	absSpell  = []isa.Spelling{{Text: "|", Value: 1, Close: "|", What: "|...|"}, {Text: "abs(", Value: 1, Close: ")", What: "abs()"}}
	sextSpell = []isa.Spelling{{Text: "sext(", Value: 1, Close: ")", What: "sext()"}}

	negVGPR    = &isa.Kind{Name: "neg", Table: []string{"", "-"}, Spell: negSpell}
	negSource  = &isa.Kind{Name: "neg", Spell: negSpell, Text: negOpen, CloseText: negClose}
	absOperand = &isa.Kind{Name: "abs", Table: []string{"", "|"}, Close: []string{"", "|"}, Spell: absSpell}
	sextKind   = &isa.Kind{Name: "sext", Table: []string{"", "sext("}, Close: []string{"", ")"}, Spell: sextSpell}
)

// sourceParts are the modifiers of a source by their bits; 0: the operand has none, and its text is refused.
func sourceParts(negKind *isa.Kind, neg, abs, sext int) []isa.Part {
	at := func(bit int) bits.Ranges {
		if bit == 0 {
			return nil
		}
		return bits.Ranges{bits.Span(bit, bit)}
	}
	return []isa.Part{{Name: "neg", At: at(neg), Kind: negKind, Side: isa.Around}, {Name: "abs", At: at(abs), Kind: absOperand, Side: isa.Around},
		{Name: "sext", At: at(sext), Kind: sextKind, Side: isa.Around}}
}

// vop3Parts are those of source n of VOP3.
func vop3Parts(n int, hasAbs bool) []isa.Part {
	abs := 0
	if hasAbs {
		abs = int(vop3Abs[n])
	}
	return sourceParts(negSource, int(vop3Neg[n]), abs, 0)
}

// negOpen and negClose print a minus sign, or neg() around a constant: its sign is apart from the modifier.
func negOpen(_ *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
	if negCall(in, a) {
		return append(dst, "neg("...)
	}
	return append(dst, '-')
}

func negClose(_ *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
	if negCall(in, a) {
		return append(dst, ')')
	}
	return dst
}

func negCall(in *isa.Inst, a *isa.Arg) bool {
	return isConst(a.Get(in.Word)) && a.Part(in.Word, 1) == 0
}

// isConst reports whether a source code is a constant.
func isConst(v uint64) bool { return v >= codeInt0 && v <= codeInv2Pi && reservedNames[int(v)] == "" }

// numberStart reports whether a number stands here, after blanks.
func numberStart(t string) bool {
	for len(t) > 0 && t[0] == ' ' {
		t = t[1:]
	}
	return len(t) > 0 && t[0] >= '0' && t[0] <= '9'
}
