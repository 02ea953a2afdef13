package asm

import (
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A Directive is a row of the assembler's directives.
type Directive struct {
	Name   string
	Syntax string // of its operands
	Doc    string
	run    func(a *assembler, s *isa.Scan) bool // on failure it must have called s.Fail
	when   time
}

// A time says when a directive is executed.
type time uint8

const (
	each        time = iota // in each round
	early                   // also while the statements are found: the text after it depends on it
	fixed                   // once, if it names no symbol: its bytes are the same at any address
	given                   // the same, for bytes of an instruction
	quiet                   // in each round; it gives no bytes
	assigns                 // as an assignment; run is nil
	assignsOnce             // the same, for a name with a single definition
	now                     // only while the statements are found
	always                  // as now, also in a branch of a condition that is not read
)

// Directives returns the assembler's directives.
func Directives() []Directive { return directiveRows }

// Sizes of data are those of LLVM's AMDGPU assembler: a .word has four bytes.
var directiveRows = []Directive{
	{".set", "NAME, EXPR", "NAME has the value until it is set again; the same as NAME = EXPR", nil, assigns},
	{".equ", "NAME, EXPR", "the same as .set", nil, assigns},
	{".equiv", "NAME, EXPR", "as .set, of a name that has no other definition", nil, assignsOnce},
	{".macro", "NAME [PARAM[:req|:vararg][=DEFAULT], ...]", "NAME and arguments stand for the lines up to .endm, with \\PARAM replaced", dirMacro, now},
	{".endm", "", "the end of a macro", dirStray, now},
	{".endmacro", "", "the same as .endm", dirStray, now},
	{".exitm", "", "the end of the present use of a macro or of a repetition", dirExit, now},
	{".purgem", "NAME, ...", "the names are no macros any more", dirPurge, now},
	{".rept", "COUNT", "the lines up to .endr, COUNT times", dirRept, now},
	{".rep", "COUNT", "the same as .rept", dirRept, now},
	{".irp", "NAME, TEXT, ...", "the lines up to .endr for each TEXT, with \\NAME replaced", dirIrp, now},
	{".irpc", "NAME, TEXT", "the same for each byte of TEXT", dirIrpc, now},
	{".endr", "", "the end of a repetition", dirStray, now},
	{".if", "EXPR", "the lines up to .endif if EXPR is not 0; its value must be known there", dirIf, always},
	{".ifne", "EXPR", "the same as .if", dirIf, always},
	{".ifeq", "EXPR", "if it is 0", dirIf, always},
	{".ifge", "EXPR", "if it is at least 0", dirIf, always},
	{".ifgt", "EXPR", "if it is above 0", dirIf, always},
	{".ifle", "EXPR", "if it is at most 0", dirIf, always},
	{".iflt", "EXPR", "if it is below 0", dirIf, always},
	{".ifdef", "NAME", "if the text in front defines NAME", dirIf, always},
	{".ifndef", "NAME", "if it does not", dirIf, always},
	{".ifnotdef", "NAME", "the same as .ifndef", dirIf, always},
	{".ifb", "TEXT", "if there is no TEXT", dirIf, always},
	{".ifnb", "TEXT", "if there is one", dirIf, always},
	{".ifc", "TEXT, TEXT", "if both are the same", dirIf, always},
	{".ifnc", "TEXT, TEXT", "if they are not", dirIf, always},
	{".ifeqs", `"TEXT", "TEXT"`, "if both are the same", dirIf, always},
	{".ifnes", `"TEXT", "TEXT"`, "if they are not", dirIf, always},
	{".elseif", "EXPR", "the lines up to .endif if no branch before was read and EXPR is not 0", dirElseif, always},
	{".else", "", "the lines up to .endif if no branch before was read", dirElse, always},
	{".endif", "", "the end of a condition", dirEndif, always},
	{".print", `"TEXT"`, "says TEXT while the file is read", dirPrint, now},
	{".warning", `["TEXT"]`, "says TEXT as a warning", dirWarning, now},
	{".error", `["TEXT"]`, "is an error that says TEXT", dirError, now},
	{".err", "", "is an error", dirError, now},
	{".include", `"FILE"`, "refused: no file is read but the one that is assembled", dirInclude, now},
	{".incbin", `"FILE"`, "refused, as .include", dirInclude, now},
	{".isa", "NAME[:VARIANT] [STAGE]", "what the file is assembled for; before the first byte. Another variant or stage than was asked for is an error", dirISA, early},
	{".dialect", "NAME", "the dialect of the text after it; without it, the first of the set", dirDialect, early},
	{".option", "NAME=VALUE", "an option of the instruction set, for the text after it and for running the code; docs/reference lists them", dirOption, early},
	{".exact", "", "every line is the bytes that it was made from: no resizing, no padding, and rules that instructions break are no errors", dirExact, early},
	{".base", "ADDRESS", "address of the first byte; before it", dirBase, quiet},
	{".byte", "EXPR, ...", "data of one byte each", data1, fixed},
	{".short", "EXPR, ...", "data of two bytes each", data2, fixed},
	{".hword", "EXPR, ...", "the same as .short", data2, fixed},
	{".word", "EXPR, ...", "data of four bytes each", data4, fixed},
	{".long", "EXPR, ...", "the same as .word", data4, fixed},
	{".int", "EXPR, ...", "the same as .word", data4, fixed},
	{".quad", "EXPR, ...", "data of eight bytes each", data8, fixed},
	{".ascii", `"TEXT", ...`, "the bytes of a text", ascii, fixed},
	{".asciz", `"TEXT", ...`, "the bytes of a text and a zero after each", asciz, fixed},
	{".string", `"TEXT", ...`, "the same as .asciz", asciz, fixed},
	{".align", "BYTES[, FILL]", "to the next multiple of a power of two; without FILL by no-operations, if the set has one that fits", dirAlign, each},
	{".balign", "BYTES[, FILL]", "the same as .align", dirAlign, each},
	{".p2align", "LOG2[, FILL]", "as .align, of 1<<LOG2", dirP2Align, each},
	{".org", "ADDRESS[, FILL]", "bytes of FILL, or 0, up to the address", dirOrg, each},
	{".zero", "N[, FILL]", "N bytes of FILL, or 0", dirZero, each},
	{".skip", "N[, FILL]", "the same as .zero", dirZero, each},
	{".space", "N[, FILL]", "the same as .zero", dirZero, each},
	{".fill", "N[, SIZE[, VALUE]]", "N times VALUE, or 0, in SIZE bytes, or 1", dirFill, each},
	{".enc", "HEX TEXT", "the bytes HEX, in memory order, which must decode to TEXT", dirEnc, given},
	{".text", "", "ignored: there is one section", ignored, quiet},
	{".section", ".text", "ignored for .text, refused for others: there is one section", dirSection, quiet},
	{".globl", "NAME", "ignored: every label is in the result", ignored, quiet},
	{".global", "NAME", "ignored, as .globl", ignored, quiet},
	{".type", "NAME, TYPE", "ignored: it is for linkers", ignored, quiet},
	{".size", "NAME, EXPR", "ignored: it is for linkers", ignored, quiet},
}

// directives finds a directive by its name, ignoring case; directiveNames are all names, for hints.
func directives(name string) *Directive {
	for again := false; ; again = true {
		for i := range directiveRows {
			if directiveRows[i].Name == name {
				return &directiveRows[i]
			}
		}
		lower := strings.ToLower(name)
		if again || lower == name {
			return nil
		}
		name = lower
	}
}

func directiveNames() (names []string) {
	for i := range directiveRows {
		names = append(names, directiveRows[i].Name)
	}
	sort.Strings(names)
	return names
}

func ignored(a *assembler, s *isa.Scan) bool {
	s.Pos = len(s.Line)
	return true
}

func dirSection(a *assembler, s *isa.Scan) bool {
	if w := s.Word(); w != ".text" && !strings.HasPrefix(w, ".text.") {
		return s.Note(s.Pos, isa.ErrDirective, "%t: there is no section but .text", "", 0)
	}
	return ignored(a, s)
}

// misplaced reports at its name that the present directive is not allowed here.
func (a *assembler) misplaced(s *isa.Scan, code, msg string) bool {
	st, at := a.cur, 0
	if int(st.col) <= len(st.source) {
		head := strings.TrimRight(st.source[:st.col], " \t")
		at = max(len(head)-len(st.dir.Name), 0) - int(st.col)
	}
	return s.Fail(at, code, msg)
}

// start reports whether nothing has been assembled yet.
func (a *assembler) start(s *isa.Scan) bool {
	return len(a.out) == 0 && !a.begun || a.misplaced(s, isa.ErrDirective, "this must stand before the first byte")
}

func dirISA(a *assembler, s *isa.Scan) bool {
	if !a.start(s) {
		return false
	}
	set := a.target.Set
	variantAsked, stageAsked := a.target.Asked()
	first := s.Pos
	at, name := s.Pos, s.Word()
	s.Pos += len(name)
	variant, stage := a.target.Variant, a.target.Stage
	switch v, ok := set.Arch.Variant(name); {
	case strings.EqualFold(name, set.Name):
	case ok && name != "": // the variant alone, as --isa accepts it
		variant = v
	default:
		if s.Byte(':') {
			s.Pos += len(s.Word())
		}
		return s.Fail(at, isa.ErrDirective, "the text says "+s.Line[at:s.Pos]+", and it is assembled for "+a.askedName())
	}
	if strings.EqualFold(name, set.Name) && s.Byte(':') {
		at = s.Pos
		v, ok := set.Arch.Variant(s.Word())
		if !ok {
			return s.Note(at, isa.ErrDirective, "%t is no variant of %w", set.Name, 0)
		}
		variant = v
		s.Pos += len(s.Word())
	}
	if variantAsked && variant != a.target.Variant {
		return s.Fail(first, isa.ErrDirective, "the text says "+s.Line[first:s.Pos]+", and it is assembled for "+a.askedName())
	}
	s.Space()
	if w := s.Word(); w != "" {
		st, ok := set.Arch.Stage(w)
		if !ok {
			return s.Note(s.Pos, isa.ErrDirective, "%t is no stage of %w", set.Name, 0)
		}
		if stageAsked && st != stage {
			return s.Fail(s.Pos, isa.ErrDirective, "the text says stage "+w+", and it is assembled for "+set.Stages[stage])
		}
		stage = st
		s.Pos += len(w)
	}
	a.retarget(variant, stage)
	return true
}

// askedName returns the name of the instruction set, with the variant if that was asked for.
func (a *assembler) askedName() string {
	if asked, _ := a.target.Asked(); asked {
		return a.target.FullName()
	}
	return a.target.Name
}

func dirDialect(a *assembler, s *isa.Scan) bool {
	at, set := s.Pos, a.target.Set
	name := s.Word()
	d, ok := set.Arch.Dialect(name)
	if !ok || name == "" {
		return s.Note(at, isa.ErrDirective, "%t is no dialect of %w", set.Name, 0)
	}
	t, err := a.target.With(d, nil)
	if err != nil {
		return s.Fail(at, isa.ErrDirective, err.Error())
	}
	s.Pos += len(name)
	a.target, s.Target = t, t
	a.forget()
	a.comments = newComments(t.Lexis())
	return true
}

func dirOption(a *assembler, s *isa.Scan) bool {
	name, value, ok := strings.Cut(strings.TrimSpace(s.Line[s.Pos:]), "=")
	if !ok {
		return s.Fail(s.Pos, isa.ErrDirective, "want NAME=VALUE")
	}
	t, err := a.target.With(a.target.Dialect, map[string]string{strings.TrimSpace(name): strings.TrimSpace(value)})
	if err != nil {
		return s.Fail(s.Pos, isa.ErrDirective, err.Error())
	}
	s.Pos = len(s.Line)
	a.target, s.Target = t, t
	a.forget()
	return true
}

func dirExact(a *assembler, s *isa.Scan) bool {
	a.exact, s.Rules = true, false
	a.forget()
	return true
}

func dirBase(a *assembler, s *isa.Scan) bool {
	if !a.start(s) {
		return false
	}
	v, ok := s.WholeExpr()
	if ok && s.UsedSymbol {
		return s.Fail(0, isa.ErrDirective, "the base cannot depend on labels")
	}
	a.base = uint64(v)
	return ok
}

// list reads items separated by commas, at least one.
func list(s *isa.Scan, item func() bool) bool {
	for {
		s.Space()
		if !item() {
			return false
		}
		s.Space()
		if !s.Byte(',') {
			return true
		}
	}
}

func data1(a *assembler, s *isa.Scan) bool { return data(a, s, 1) }
func data2(a *assembler, s *isa.Scan) bool { return data(a, s, 2) }
func data4(a *assembler, s *isa.Scan) bool { return data(a, s, 4) }
func data8(a *assembler, s *isa.Scan) bool { return data(a, s, 8) }

// data emits little-endian numbers of n bytes.
func data(a *assembler, s *isa.Scan, n int) bool {
	return list(s, func() bool {
		at := s.Pos
		v, ok := a.item(s, n)
		if !ok {
			return false
		}
		a.emit(uint64(v), n)
		return s.Unresolved || fits(v, n) || tooWide(s, at, n)
	})
}

// tooWide reports a number that does not fit in n bytes.
func tooWide(s *isa.Scan, at, n int) bool {
	if n == 1 {
		return s.Note(at, isa.ErrRange, "the value does not fit 1 byte", "", 0)
	}
	return s.Note(at, isa.ErrRange, "the value does not fit %n bytes", "", n)
}

// fits reports whether v is a signed or an unsigned number of n bytes.
func fits(v int64, n int) bool {
	return n >= 8 || v>>(8*n) == 0 || v>>(8*n-1) == -1
}

func (a *assembler) emit(v uint64, n int) {
	for ; n > 0; n-- {
		a.out = append(a.out, byte(v))
		v >>= 8
	}
}

func ascii(a *assembler, s *isa.Scan) bool { return texts(a, s, "") }
func asciz(a *assembler, s *isa.Scan) bool { return texts(a, s, "\x00") }

// texts emits the bytes of texts, each followed by end.
func texts(a *assembler, s *isa.Scan, end string) bool {
	return list(s, func() bool {
		text, ok := quotedText(s)
		if ok {
			a.out = append(append(a.out, text...), end...)
		}
		return ok
	})
}

// number reads an expression that must not be negative.
func number(s *isa.Scan) (int64, bool) {
	s.Space()
	at := s.Pos
	v, ok := s.WholeExpr()
	if ok && v < 0 {
		return 0, s.Fail(at, isa.ErrRange, "the number is negative")
	}
	return v, ok
}

// optional reads ", EXPR" or returns the default.
func optional(s *isa.Scan, def int64) (int64, bool, bool) {
	s.Space()
	if !s.Byte(',') {
		return def, false, true
	}
	v, ok := s.WholeExpr()
	return v, true, ok
}

// pad appends n bytes, or reports an error if that exceeds a limit.
func (a *assembler) pad(s *isa.Scan, n uint64, fill byte) bool {
	if n > uint64(a.opt.MaxFill-a.filled) {
		return s.Fail(0, isa.ErrLimit, fmt.Sprintf("%d more bytes: all that directives fill in would exceed %d", n, a.opt.MaxFill))
	}
	if a.total()+int(n) > a.opt.MaxSize {
		return s.Fail(0, isa.ErrLimit, fmt.Sprintf("%d more bytes: the output would exceed %d", n, a.opt.MaxSize))
	}
	a.filled += int(n)
	at := len(a.out)
	a.out = append(a.out, make([]byte, n)...)
	if fill != 0 {
		for i := at; i < len(a.out); i++ {
			a.out[i] = fill
		}
	}
	return true
}

func dirAlign(a *assembler, s *isa.Scan) bool {
	n, ok := number(s)
	return ok && a.align(s, n, 1)
}

func dirP2Align(a *assembler, s *isa.Scan) bool { return p2Align(a, s, 1) }

// p2Align aligns to a power of two, filling with units of the given size in bytes.
func p2Align(a *assembler, s *isa.Scan, unit int) bool {
	n, ok := number(s)
	if ok && n > 62 {
		return s.Fail(0, isa.ErrRange, "the alignment is too large")
	}
	return ok && a.align(s, 1<<n, unit)
}

// align reads [FILL][, MOST]: the value of the units that fill the gap, and the largest gap in bytes.
func (a *assembler) align(s *isa.Scan, n int64, unit int) bool {
	if n == 0 || n&(n-1) != 0 {
		return s.Fail(0, isa.ErrRange, "the alignment is no power of two")
	}
	fill, given, most := int64(0), false, int64(0)
	if s.Space(); s.Byte(',') {
		ok := true
		if s.Space(); s.Peek() != ',' {
			if fill, ok = s.WholeExpr(); !ok {
				return false
			}
			given = true
		}
		if most, _, ok = optional(s, 0); !ok {
			return false
		}
	}
	gap := -a.pc() & uint64(n-1)
	if most > 0 && gap > uint64(most) {
		return true
	}
	at := len(a.out)
	nops := !given && a.target.Nop != nil
	if a.prog != nil {
		t := a.prog.sects[a.prog.now]
		t.Align = max(t.Align, uint64(n))
		nops = nops && t.Exec
	}
	first := byte(fill)
	if unit > 1 {
		first = 0 // a gap that is no multiple of the unit
	}
	if !a.pad(s, gap, first) {
		return false
	}
	pattern := make([]byte, unit)
	for i := range pattern {
		pattern[i] = byte(fill >> (8 * i))
	}
	if nops {
		pattern = a.target.Nop(a.target.Variant)
	} else if unit == 1 {
		return true
	}
	if len(pattern) > 0 && gap%uint64(len(pattern)) == 0 {
		for ; at < len(a.out); at += len(pattern) {
			copy(a.out[at:], pattern)
		}
	}
	return true
}

func dirOrg(a *assembler, s *isa.Scan) bool {
	to, ok := number(s)
	if !ok {
		return false
	}
	fill, _, ok := optional(s, 0)
	if !ok {
		return false
	}
	if a.prog != nil {
		to += int64(tag(a.prog.now))
	}
	if uint64(to) < a.pc() {
		return s.Fail(0, isa.ErrRange, fmt.Sprintf("the address is lower than the current one: 0x%x is reached", a.pc()))
	}
	return a.pad(s, uint64(to)-a.pc(), byte(fill))
}

func dirZero(a *assembler, s *isa.Scan) bool {
	n, ok := number(s)
	if !ok {
		return false
	}
	fill, _, ok := optional(s, 0)
	return ok && a.pad(s, uint64(n), byte(fill))
}

func dirFill(a *assembler, s *isa.Scan) bool {
	n, ok := number(s)
	if !ok {
		return false
	}
	size, _, ok := optional(s, 1)
	if !ok {
		return false
	}
	v, _, ok := optional(s, 0)
	switch {
	case !ok:
		return false
	case size < 1 || size > 8:
		return s.Fail(0, isa.ErrRange, "the size is not 1 to 8")
	case n > int64(a.opt.MaxFill):
		return a.pad(s, uint64(n), 0)
	case !a.pad(s, uint64(n*size), 0):
		return false
	}
	a.out = a.out[:len(a.out)-int(n*size)]
	for ; n > 0; n-- {
		a.emit(uint64(v), int(size))
	}
	return true
}

// dirEnc emits bytes that their text alone would not reproduce.
func dirEnc(a *assembler, s *isa.Scan) bool {
	digits := s.Line[:len(s.Line)-len(strings.TrimLeft(s.Line, "0123456789abcdefABCDEF"))]
	code, err := hex.DecodeString(digits)
	if err != nil || len(code) == 0 {
		return s.Expect("an even number of hexadecimal digits")
	}
	s.Pos = len(digits)
	s.Space()
	want := strings.TrimSpace(s.Line[s.Pos:])
	addr := a.pc()
	a.out = append(a.out, code...)
	if err := a.target.DecodeBundle(code, addr, &a.bundle); err != nil {
		return s.Fail(0, isa.ErrEncoding, "these bytes do not decode: "+isa.AsError(err).Msg)
	}
	if n := a.bundle.Size(); n != len(code) {
		return s.Fail(0, isa.ErrEncoding, fmt.Sprintf("too many bytes: %d, where the instruction has %d", len(code), n))
	}
	a.asked = a.asked || a.target.Placed(&a.bundle)
	if u := a.unitAt(a.cur, addr); u != nil {
		u.Fixed = true
		u.Bundle.Parts, u.Bundle.Pad = append(u.Bundle.Parts[:0], a.bundle.Parts...), a.bundle.Pad
	}
	a.text = a.target.Print(a.text[:0], &a.bundle)
	text := string(a.text)
	if text != want && !a.sameText(s, want, text, addr) {
		return s.Fail(s.Pos, isa.ErrEncoding, "these bytes decode to "+strconv.Quote(text))
	}
	s.Pos = len(s.Line)
	return true
}

// sameText reports whether want is another spelling of an instruction that prints as text.
func (a *assembler) sameText(s *isa.Scan, want, text string, addr uint64) bool {
	sc := isa.Scan{Target: a.target, Symbol: s.Symbol}
	sc.Reset(want, addr)
	var b isa.Bundle
	err := sc.ParseWhole(&b)
	s.Touched = sc.Touched
	if err != nil {
		return false
	}
	return string(a.target.Print(nil, &b)) == text
}
