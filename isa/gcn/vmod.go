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

// DPP_CTRL ranges. isa/gcn.md section 7.7.
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

// modified surrounds an operand's text with its source modifiers: -v1, |v1|, -|v1|, neg(1.0), sext(v1).
func modified(base *isa.Kind) *isa.Kind {
	k := &isa.Kind{Name: base.Name, Reserved: base.Reserved, Samples: base.Samples, Regs: base.Regs}
	k.Text = func(p *isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		neg := a.Neg != 0 && in.Word.Bit(int(a.Neg)) != 0
		abs := a.Abs != 0 && in.Word.Bit(int(a.Abs)) != 0
		sext := a.Sext != 0 && in.Word.Bit(int(a.Sext)) != 0
		call := sext || neg && !abs && isConst(v) && len(base.Table) == 512
		switch {
		case sext:
			dst = append(dst, "sext("...)
		case call:
			dst = append(dst, "neg("...)
		case neg:
			dst = append(dst, '-')
		}
		if abs {
			dst = append(dst, '|')
		}
		if t := base.Table[v]; t != "" {
			dst = append(dst, t...)
		} else if base.Text != nil {
			dst = base.Text(p, dst, in, a, v)
		}
		if abs {
			dst = append(dst, '|')
		}
		if call {
			dst = append(dst, ')')
		}
		return dst
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) { return parseModified(s, in, a, base) }
	return k
}

// isConst reports whether a source code is a constant: neg() keeps its sign apart from the modifier.
func isConst(v uint64) bool { return v >= codeInt0 && v <= codeInv2Pi && reservedNames[int(v)] == "" }

// parseModified reads an operand with its source modifiers. A minus before a number belongs to the number.
func parseModified(s *isa.Scan, in *isa.Inst, a *isa.Arg, base *isa.Kind) (uint64, bool) {
	at := s.Pos
	set := func(bit uint8, what string) bool {
		if bit == 0 {
			return s.Fail(at, isa.ErrModifier, what+" is not possible on this operand")
		}
		in.Word = in.Word.Or(bitWord(bit))
		return true
	}
	closing := make([]byte, 0, 4)
	open := func(c byte) { closing = append(closing, c) }
	for more := true; more; {
		more = false
		s.Space()
		ok := true
		switch {
		case s.Peek() == '-' && s.Pos+1 < len(s.Line) && !numberStart(s.Line[s.Pos+1:]):
			s.Pos++
			ok, more = set(a.Neg, "a minus sign"), true
		case s.Peek() == '|' && len(closing) < 4:
			s.Pos++
			open('|')
			ok = set(a.Abs, "|...|")
		case acceptMod(s, "neg("):
			open(')')
			ok, more = set(a.Neg, "neg()"), true
		case acceptMod(s, "abs("):
			open(')')
			ok = set(a.Abs, "abs()")
		case acceptMod(s, "sext("):
			open(')')
			ok = set(a.Sext, "sext()")
		}
		if !ok || len(closing) > 3 {
			return 0, false
		}
	}
	v, ok := base.Parse(s, in, a)
	if !ok {
		return 0, false
	}
	for i := len(closing) - 1; i >= 0; i-- {
		s.Space()
		if !s.Byte(closing[i]) {
			return 0, s.Expect(strconv.Quote(string(closing[i])))
		}
	}
	return v, true
}

// numberStart reports whether a number stands here, after blanks.
func numberStart(t string) bool {
	for len(t) > 0 && t[0] == ' ' {
		t = t[1:]
	}
	return len(t) > 0 && t[0] >= '0' && t[0] <= '9'
}

func bitWord(b uint8) bits.Word { return bits.Word{Lo: 1}.Shl(int(b)) }
