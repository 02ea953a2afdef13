package tesla

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Texts of registers. Halves are numbered as in fields: bit 0 is the half.
var (
	wholeTexts                      [NumR + 3]string
	pairTexts, quadTexts, halfTexts [NumR]string
)

// fillTexts makes the texts of registers.
func fillTexts() {
	for i := range wholeTexts {
		wholeTexts[i] = "$r" + strconv.Itoa(i)
	}
	for i := range NumR {
		pairTexts[i], quadTexts[i] = wholeTexts[i]+"d", wholeTexts[i]+"q"
		halfTexts[i] = wholeTexts[i>>1] + "lh"[i&1:i&1+1]
	}
}

func numberedTexts(prefix, suffix string, n int) []string {
	t := make([]string, n)
	for i := range t {
		t[i] = prefix + strconv.Itoa(i) + suffix
	}
	return t
}

// numbered reads a prefix and a number below n.
func numbered(s *isa.Scan, prefix string, n uint64, name string) (uint64, bool) {
	at := s.Pos
	if len(s.Line)-at < len(prefix) {
		return 0, s.Expect(name)
	}
	for i := range len(prefix) { // of one byte or two
		if s.Line[at+i] != prefix[i] {
			return 0, s.Expect(name)
		}
	}
	s.Pos += len(prefix)
	v, ok := s.Uint()
	switch {
	case !ok:
		s.Pos = at
		return 0, s.Expect(name)
	case v >= n:
		s.Pos = at
		return 0, s.Note(at, isa.ErrRange, "%t: %w has a number of at most %n", name, int(n-1))
	}
	return v, true
}

var sizes = [...]struct {
	name   string
	texts  []string
	n      int // cells
	result string
	source string
	words  []string // of texts, for isa.Kind.Only
	ends   string   // of texts
}{
	half:  {"a half register", halfTexts[:], 1, "a result: a half register, o[] or #,", "a half register or c[]", []string{"$r0l", "$r0h"}, "lh"},
	whole: {"a register", wholeTexts[:NumR], 1, "a result: a register, o[] or #,", "a register or c[]", []string{"$r0"}, ""},
	pair:  {"a pair of registers", pairTexts[:], 2, "", "", []string{"$r0d"}, "d"},
	quad:  {"four registers", quadTexts[:], 4, "", "", []string{"$r0q"}, "q"},
}

// numbersOf returns the texts of registers of a size.
func numbersOf(z size) []isa.Numbered {
	n := isa.Numbered{Prefix: "$r", Ends: sizes[z].ends, N: NumR}
	if z == half {
		n.N /= 2
	}
	return []isa.Numbered{n}
}

// registerOf returns the kind of a register field.
func registerOf(z size) *isa.Kind {
	return &isa.Kind{Name: sizes[z].name, Table: sizes[z].texts, OneOf: sizes[z].words, Only: sizes[z].words, Samples: []uint64{0, 1, 2, 63, 124}, Numbered: numbersOf(z),
		Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return parseRegister(s, z) },
		Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span { return append(dst, spanOf(z, v)) },
	}
}

// lowOf returns the kind of a field of six bits. A higher register is read, too: the assembler reports that it does
// not fit.
func lowOf(k *isa.Kind) *isa.Kind {
	low := *k
	low.Table = k.Table[:64]
	return &low
}

var (
	register     *isa.Kind
	halfRegister *isa.Kind
	lowRegister  *isa.Kind
	lowHalf      *isa.Kind
	pairRegister *isa.Kind
	quadRegister *isa.Kind
)

// parseRegister reads a register of a size as the field's value.
func parseRegister(s *isa.Scan, z size) (uint64, bool) {
	name := sizes[z].name
	at := s.Pos
	v, ok := numbered(s, "$r", NumR, name)
	if !ok {
		return 0, false
	}
	var next byte
	if s.Pos < len(s.Line) && wordy(s.Line[s.Pos]) {
		next = s.Line[s.Pos]
	}
	want := [...]byte{half: 'l', whole: 0, pair: 'd', quad: 'q'}[z]
	high := z == half && next == 'h'
	switch {
	case next != want && !high:
		s.Pos = at
		return 0, s.Expect(name)
	case z == half && v >= NumR/2:
		return 0, s.Fail(at, isa.ErrRange, "only $r0 to $r63 have halves")
	case z == half:
		v <<= 1
		if high {
			v |= 1
		}
	}
	if next != 0 {
		s.Pos++
	}
	return v, true
}

// spanOf returns the cells that a register field names.
func spanOf(z size, v uint64) isa.Span {
	if z == half {
		return isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(v >> 1)}, N: 1, Bytes: 3 << (2 * (v & 1))}
	}
	n := min(sizes[z].n, NumR-int(v))
	return isa.Span{Cell: ir.Cell{File: FileR, Index: uint16(v)}, N: n}
}

// resultTexts returns those of a result: a register, o[] or nothing.
func resultTexts(z size) []string {
	t := make([]string, 256)
	scale := 4
	if z == half {
		scale = 2
	}
	for v := range t {
		switch {
		case v == resultNone:
			t[v] = "#"
		case v >= resultOut:
			t[v] = "o[0x" + strconv.FormatInt(int64(v-resultOut)*int64(scale), 16) + "]"
		default:
			t[v] = sizes[z].texts[v]
		}
	}
	return t
}

// resultOf returns the kind of a result that may be an output.
func resultOf(z size) *isa.Kind {
	return &isa.Kind{Name: "a result", Table: resultTexts(z), Only: append([]string{"o["}, sizes[z].words...), Samples: []uint64{0, 1, 5, resultOut, resultOut + 2, resultNone},
		Numbered: numbersOf(z),
		Parse:    func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) { return parseResult(s, z) },
		Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
			return append(dst, resultSpans(z, v)...)
		},
	}
}

var (
	anyResult  *isa.Kind
	halfResult *isa.Kind
)

func resultSpans(z size, v uint64) []isa.Span {
	switch {
	case v == resultNone:
		return nil
	case v < resultOut:
		return []isa.Span{spanOf(z, v)}
	case z == half:
		return []isa.Span{{Cell: ir.Cell{File: FileO, Index: uint16(v-resultOut) / 2}, N: 1}}
	}
	return []isa.Span{{Cell: ir.Cell{File: FileO, Index: uint16(v - resultOut)}, N: 1}}
}

// parseResult reads a register, o[0x4] or #.
func parseResult(s *isa.Scan, z size) (uint64, bool) {
	if s.Byte('#') {
		return resultNone, true
	}
	if s.Peek() == 'o' {
		return parseOutput(s, z)
	}
	if s.Peek() != '$' {
		return 0, s.Expect(sizes[z].result)
	}
	return parseRegister(s, z)
}

// parseOutput reads o[0x4] as the value of a result.
func parseOutput(s *isa.Scan, z size) (uint64, bool) {
	at := s.Pos
	a, ok := readAddress(s, "o[")
	if !ok {
		return 0, false
	}
	scale := int64(4)
	if z == half {
		scale = 2
	}
	if a.reg != 0 || a.inc || a.off%scale != 0 || a.off < 0 || a.off/scale >= NumO-1 {
		return 0, s.Note(at, isa.ErrRange, "an output here is o[] with a multiple of %n, below 127 times that, and no address register", "", int(scale))
	}
	return resultOut | uint64(a.off/scale), true
}

// flagsResult is the $c before a result that gets the flags: bit 2 of the value says that there is one.
var flagsResult = &isa.Kind{Name: "a flag register", Table: []string{4: "$c0 ", "$c1 ", "$c2 ", "$c3 "}, First: "$", Begin: "$c", Only: []string{"$c0"},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !strings.HasPrefix(s.Line[s.Pos:], "$c") {
			return 0, false
		}
		v, ok := numbered(s, "$c", NumC, "a flag register")
		s.Space()
		return v | cdstOn, ok
	}}

// flagRegister is a $c.
var flagRegister = &isa.Kind{Name: "a flag register", Table: []string{"$c0", "$c1", "$c2", "$c3"}, OneOf: []string{"$c0"}, Only: []string{"$c0"}, Cells: flagCells,
	Numbered: []isa.Numbered{{Prefix: "$c", N: NumC}},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		return numbered(s, "$c", NumC, "a flag register")
	}}

func flagCells(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	return append(dst, isa.Span{Cell: ir.Cell{File: FileC, Index: uint16(flags * (v & (NumC - 1)))}, N: flags})
}

// guardCells appends the flags that a guard reads.
func guardCells(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	for i := range flags {
		if conditions[v&31].asks>>i&1 != 0 {
			dst = append(dst, flagSpan(v>>5, i))
		}
	}
	return dst
}

// flagSpan returns one flag of a $c.
func flagSpan(reg uint64, i int) isa.Span {
	return isa.Span{Cell: ir.Cell{File: FileC, Index: uint16(flags*int(reg) + i)}, N: 1}
}

// guardFlags is the $c of the guard as an operand of its own: an instruction that reads a $c reads that one.
var guardFlags = &isa.Kind{Name: "a flag register", OneOf: []string{"$c0"}, Only: []string{"$c0"},
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		return append(dst, flagRegister.Table[in.Get(nameGuard)>>5]...)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		v, ok := numbered(s, "$c", NumC, "a flag register")
		if !ok {
			return 0, false
		}
		g := in.Get(nameGuard)
		if code := g & 31; code != condAlways && code != condNever && g>>5 != v {
			return 0, s.Fail(at, isa.ErrIllegal, "the flag register is that of the predicate: both stand in one field")
		}
		in.Put(nameGuard, g&31|v<<5)
		return 0, true
	},
	Cells: func(dst []isa.Span, in *isa.Inst, a *isa.Arg, _ uint64) []isa.Span {
		return flagCells(dst, in, a, in.Get(nameGuard)>>5)
	}}

// guardCarry is guardFlags whose carry is read.
var guardCarry *isa.Kind

// fillFlags makes guardCarry.
func fillFlags() {
	k := *guardFlags
	k.Cells = func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
		return append(dst, flagSpan(in.Get(nameGuard)>>5, FlagC))
	}
	guardCarry = &k
}

// carryZero is $c0, whose carry short and immediate forms of addc read.
var carryZero = &isa.Kind{Name: "$c0", Table: []string{"$c0"}, Spell: []isa.Spelling{{Text: "$c0"}},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
		return append(dst, flagSpan(0, FlagC))
	}}

// addressRegister is an $a; 0 stands for 0.
var addressRegister = &isa.Kind{Name: "an address register", Table: []string{"0x0", "$a1", "$a2", "$a3", "$a4", "$a5", "$a6", "$a7"}, OneOf: []string{"$a0", "0"}, Only: []string{"$a0", "0"},
	Numbered: []isa.Numbered{{Prefix: "$a", N: NumA}},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if s.Peek() == '$' {
			return numbered(s, "$a", NumA, "an address register")
		}
		if at := s.Pos; isDigit(s.Peek()) {
			v, ok := plainNumber(s)
			if ok && v != 0 {
				return 0, s.Fail(at, isa.ErrRange, "0, or an address register, is expected")
			}
			return 0, ok
		}
		return 0, s.Expect("an address register")
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		if v == 0 {
			return dst
		}
		return append(dst, isa.Span{Cell: ir.Cell{File: FileA, Index: uint16(v)}, N: 1})
	}}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// specialRegister is one of the registers with information about the running thread.
var specialRegister = &isa.Kind{Name: "a special register",
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v == SRSampleID && in.Var != GT215 {
			return append(dst, "$sr8"...)
		}
		return append(append(dst, '$'), specials[v]...)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		s.Byte('$')
		w := s.Word()
		for v, name := range specials {
			if name == w || "sr"+strconv.Itoa(v) == w {
				s.Pos += len(w)
				return uint64(v), true
			}
		}
		s.Pos = at
		return 0, s.Expect("a special register")
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		if v == SRClock { // the time
			return dst
		}
		return append(dst, isa.Span{Cell: ir.Cell{File: FileSR, Index: uint16(v)}, N: 1})
	}}

// fillRegisters makes the kinds of general registers and of results.
func fillRegisters() {
	register = registerOf(whole)
	halfRegister = registerOf(half)
	lowRegister = lowOf(register)
	lowHalf = lowOf(halfRegister)
	pairRegister = registerOf(pair)
	quadRegister = registerOf(quad)
	anyResult = resultOf(whole)
	halfResult = resultOf(half)
}
