package toywarp

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

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
		return 0, s.Fail(at, isa.ErrRange, name+" out of range")
	}
	return v, true
}

func register(prefix string, n int, file uint8, name string) *isa.Kind {
	return &isa.Kind{Name: name, Table: texts(prefix, n),
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return number(s, prefix, uint64(n), name) },
		Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
			return append(dst, isa.Span{Cell: ir.Cell{File: file, Index: uint16(v) % uint16(n)}, N: 1})
		}}
}

var (
	reg = register("r", 64, FileR, "a register")
	// pred is in the field of a register.
	pred = func() *isa.Kind {
		k := register("p", 4, FileP, "a predicate")
		k.Table = append(k.Table, make([]string, 60)...)
		k.Reserved = make([]bool, 64)
		for i := 4; i < 64; i++ {
			k.Reserved[i] = true
		}
		return k
	}()
	saturate  = &isa.Kind{Name: "a suffix", Table: []string{"", ".sat"}, Spell: []isa.Spelling{{Text: ".sat", Value: 1}}}
	flow      = &isa.Kind{Name: "exit or join", Table: []string{"", "exit ", "join "}, Reserved: []bool{3: true}, Spell: []isa.Spelling{{Text: "exit", Value: flowExit}, {Text: "join", Value: flowJoin}}}
	longWord  = &isa.Kind{Name: "long", Spell: []isa.Spelling{{Text: "long"}}}
	anyOffset = &isa.Kind{Name: "an address register"}
	increment = &isa.Kind{Name: "an increment"}
	what      = &isa.Kind{Name: "a kind of operand", Reserved: []bool{3: true}}
)

// guard: 0-7 none, 8-11 if p, 12-15 if not p.
var guard = &isa.Kind{Name: "a guard", Table: guards(), Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if !s.Byte('(') {
		return 0, false
	}
	v := uint64(8)
	if s.Byte('!') {
		v = 12
	}
	n, ok := number(s, "p", 4, "a predicate")
	if ok && !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return v + n, ok
}, Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	if v >= 8 {
		dst = append(dst, isa.Span{Cell: ir.Cell{File: FileP, Index: uint16(v & 3)}, N: 1})
	}
	return dst
}}

func guards() []string {
	t := make([]string, 16)
	for i := range 4 {
		t[8+i], t[12+i] = "(p"+strconv.Itoa(i)+") ", "(!p"+strconv.Itoa(i)+") "
	}
	return t
}

// Types of operand a of long forms.
const (
	isReg = iota
	isShared
	isStage
)

// Parts of operand a by number.
const (
	partWhat = iota
	partOffset
	partInc
)

// stageWords are the texts of the operand of the stage.
var stageWords = [...]string{VP: "in[", FP: "v["}

// source is operand a of long forms: r3, s[a1+12], s[a1++12], or an input of the stage.
var source = &isa.Kind{Name: "a source", Samples: []uint64{0, 1, 63, 5}, Text: sourceText, Parse: parseSource, Cells: sourceCells}

func sourceText(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	switch a.Part(in.Word, partWhat) {
	case isShared:
		dst = append(dst, "s["...)
		if n := a.Part(in.Word, partOffset); n != 0 {
			dst = append(dst, 'a', byte('0'+n), '+')
			if a.Part(in.Word, partInc) != 0 {
				dst = append(dst, '+')
			}
		}
		v *= 4
	case isStage:
		dst = append(dst, stageWords[in.Stage]...)
	default:
		return append(dst, reg.Table[v]...)
	}
	return append(strconv.AppendUint(dst, v, 10), ']')
}

func parseSource(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	if s.Peek() == 'r' {
		return number(s, "r", 64, "a register")
	}
	if s.Accept("s[") {
		return parseShared(s, in, a)
	}
	if word := stageWords[s.Target.Stage]; s.Accept(word) {
		v, ok := number(s, "", 64, "an input")
		if ok && !s.Byte(']') {
			return 0, s.Expect(`"]"`)
		}
		return v, ok && s.SetPart(in, a, partWhat, isStage)
	}
	return 0, s.Expect("a source")
}

func parseShared(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	if s.Peek() == 'a' {
		n, ok := number(s, "a", 4, "an address register")
		if !ok || n == 0 || !s.Byte('+') {
			return 0, s.Expect("a1+, a2+ or a3+")
		}
		inc := uint64(0)
		if s.Byte('+') {
			inc = 1
		}
		if !s.SetPart(in, a, partOffset, n) || !s.SetPart(in, a, partInc, inc) {
			return 0, false
		}
	}
	at := s.Pos
	v, ok := s.Uint()
	switch {
	case !ok || v%4 != 0 || v > 252:
		return 0, s.Fail(at, isa.ErrRange, "the offset is no multiple of 4 up to 252")
	case !s.Byte(']'):
		return 0, s.Expect(`"]"`)
	}
	return v / 4, s.SetPart(in, a, partWhat, isShared)
}

func sourceCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
	c := ir.Cell{File: FileR, Index: uint16(v)}
	switch a.Part(in.Word, partWhat) {
	case isShared:
		n := a.Part(in.Word, partOffset)
		if n == 0 {
			return dst
		}
		sp := isa.Span{Cell: ir.Cell{File: FileA, Index: uint16(n)}, N: 1, Role: isa.Use}
		if a.Part(in.Word, partInc) != 0 {
			sp.Role = isa.UseDef
		}
		return append(dst, sp)
	case isStage:
		c.File = FileIn
	}
	return append(dst, isa.Span{Cell: c, N: 1})
}

// label is a target: a multiple of 8 bytes.
var label = &isa.Kind{Name: "a target", Samples: []uint64{0, 1, 0x7fff},
	Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil {
			if name, ok := p.Label(v * 8); ok {
				return append(dst, name...)
			}
		}
		return isa.AppendHex(dst, v*8)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := s.Expr()
		if ok && (v&7 != 0 && !s.Unresolved || v < 0 || v>>3 > 0x7fff) {
			return 0, s.Fail(at, isa.ErrRange, "the target is no multiple of 8 up to 0x3fff8")
		}
		return uint64(v) >> 3, ok
	}}
