package isa

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
)

// Parse reads the instruction on the scan's line for a variant and stage (by index) into in.
// The rows of the mnemonic are tried in the order of their rank; the error is that of the row that got furthest.
func (s *Scan) Parse(variant, stage int, in *Inst) error {
	s.Space()
	start := s.Pos
	rows := s.head()
	if rows == nil {
		s.Pos = start
		return s.noMnemonic(variant)
	}
	after := s.Pos
	tried := false
	for _, d := range rows {
		if !d.in(variant, stage) {
			continue
		}
		tried = true
		s.Pos, s.hasLit, s.lit = after, false, 0
		if s.row(d, in) {
			in.Var, in.Addr = uint8(variant), s.Addr
			return nil
		}
	}
	if !tried {
		s.Pos = start
		return s.otherVariant(rows[0], variant)
	}
	e := s.err()
	e.Msg = rows[0].Name + ": " + e.Msg
	return e
}

// head reads the mnemonic: the longest one that ends at the end of a word or at a dot.
func (s *Scan) head() []*Def {
	w := s.Word()
	for w != "" {
		if rows := s.Set.names[w]; rows != nil {
			s.Pos += len(w)
			return rows
		}
		dot := strings.LastIndexByte(w, '.')
		if dot < 0 {
			break
		}
		w = w[:dot]
	}
	return nil
}

func (s *Scan) noMnemonic(variant int) error {
	w := s.Word()
	e := &Error{Code: ErrMnemonic, Line: 1, Col: s.Pos + 1, Source: s.Line,
		Msg: fmt.Sprintf("no instruction %q in %s", w, s.Set.Arch.Name)}
	if w == "" {
		e.Code, e.Msg = ErrSyntax, "no instruction here"
	} else if near := nearest(w, s.Set.list); near != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return e
}

func (s *Scan) otherVariant(d *Def, variant int) error {
	var has []string
	for i, v := range s.Set.Variants {
		for _, r := range s.Set.names[d.Name] {
			if r.InVariant(i) {
				has = append(has, v.Name)
				break
			}
		}
	}
	return &Error{Code: ErrVariant, Line: 1, Col: s.Pos + 1, Source: s.Line,
		Msg: fmt.Sprintf("%s is not in %s, only in %s", d.Name, s.Set.Variants[variant].Name, strings.Join(has, ", "))}
}

// row reads the operands and modifiers of one row.
func (s *Scan) row(d *Def, in *Inst) bool {
	in.Def, in.Word = d, d.value
	for i := range d.Args[:d.nops] {
		a := &d.Args[i]
		s.Space()
		if i > 0 && !s.separator(d) {
			return false
		}
		s.Space()
		if !s.arg(a, in) {
			return false
		}
	}
	if !s.modifiers(d, in) {
		return false
	}
	return s.literal(d, in)
}

// separator reads what stands between two operands.
func (s *Scan) separator(d *Def) bool {
	c := s.Set.Sep[0]
	if c == ' ' || s.Byte(c) {
		return true
	}
	if s.End() {
		return s.Failf(s.Pos, ErrOperand, "too few operands; want %d", d.nops)
	}
	return s.Expect(`"` + string(c) + `"`)
}

func (s *Scan) arg(a *Arg, in *Inst) bool {
	at := s.Pos
	v, ok := a.Kind.Parse(s, in, a)
	if !ok {
		return false
	}
	if len(a.At) == 0 {
		return true
	}
	if v>>a.At.Len() != 0 && a.At.Len() < 64 {
		return s.Failf(at, ErrRange, "%s does not fit %d bits", a.Name, a.At.Len())
	}
	if v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
		return s.Failf(at, ErrReserved, "%s: the value 0x%x is reserved", a.Name, v)
	}
	in.Word = a.Put(in.Word, v)
	return true
}

// modifiers reads the row's modifiers in any order; each at most once.
func (s *Scan) modifiers(d *Def, in *Inst) bool {
	mods := d.Args[d.nops:]
	var seen uint64
	for i := range mods {
		if a := &mods[i]; a.Default != 0 {
			in.Word = a.Put(in.Word, a.Default)
		}
	}
	for !s.End() {
		at := s.Pos
		if s.Peek() == ',' { // tolerated before modifiers, as LLVM does
			s.Pos++
			s.Space()
		}
		found := false
		for i := range mods {
			if seen>>i&1 != 0 {
				continue
			}
			save := s.Pos
			if s.arg(&mods[i], in) && s.Pos > save {
				seen |= 1 << i
				found = true
				break
			}
			s.Pos = save
		}
		if !found {
			return s.Failf(at, ErrModifier, "%s is no modifier or further operand of this instruction", s.token())
		}
	}
	return true
}

// literal appends the constant that the operands asked for.
func (s *Scan) literal(d *Def, in *Inst) bool {
	in.Size = uint8(d.Enc.Bits / 8)
	l := d.Enc.Literal
	if l == nil {
		return !s.hasLit || s.Fail(s.Pos, ErrOperand, "a literal constant, which this encoding cannot hold")
	}
	if !in.HasLiteral() {
		return true
	}
	in.Word = in.Word.Put(l.At, s.lit)
	in.Size = uint8((int(l.At.Hi) + 1) / 8)
	return true
}

// ParseText reads one instruction given as text.
func (s *Set) ParseText(variant, stage int, text string, in *Inst) error {
	sc := Scan{Set: s}
	sc.Reset(text, 0)
	return sc.Parse(variant, stage, in)
}

// nearest is the word of the list closest to w, or nothing if all are far.
func nearest(w string, list []string) string {
	best, bestD := "", min(3, len(w)/3+1)
	for _, x := range list {
		if d := distance(w, x, bestD); d < bestD || d == bestD && best == "" {
			best, bestD = x, d
		}
	}
	return best
}

// distance is the number of edits between a and b, or more than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(b) > 63 {
		return limit + 1
	}
	var row [64]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost = min(prev, row[j], row[j+1]) + 1
			}
			prev, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// EncodedSize is the length in bytes that the word has as an instruction of the row.
func (d *Def) EncodedSize(w bits.Word) int {
	in := Inst{Def: d, Word: w}
	if in.HasLiteral() {
		return (int(d.Enc.Literal.At.Hi) + 1) / 8
	}
	return d.Enc.Bits / 8
}
