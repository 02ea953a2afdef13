package isa

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
)

// Parse reads the instruction on the scan's line, from Pos on, for a variant and stage (by index) into in.
// The mnemonic is the longest that ends at the end of a word or at a dot and of which a row fits; rows of a name are
// tried in the order of their rank. The error is that of the row that got furthest.
func (s *Scan) Parse(variant, stage int, in *Inst) error {
	s.Space()
	lead := uint64(0)
	if k := s.Set.lead; k != nil {
		var ok bool
		if lead, ok = k.Parse(s, nil, nil); !ok {
			return s.err()
		}
		s.Space()
	}
	start := s.Pos
	w := s.Word()
	var first, other *Def
	for n := len(w); n > 0; n = strings.LastIndexAny(w[:n], s.Set.ends) {
		for _, d := range s.Set.names[w[:n]] {
			if !d.in(variant, stage) {
				other = d
				continue
			}
			if first == nil {
				first = d
			}
			s.Pos, s.hasLit, s.lit = start+n, false, 0
			if s.row(d, in) {
				if d.lead != nil {
					in.Word = d.lead.Put(in.Word, lead)
				}
				in.Var, in.Addr = uint8(variant), s.Addr
				s.open = s.open || s.Unresolved
				return nil
			}
		}
	}
	switch {
	case first != nil:
		e := s.err()
		e.Msg = first.Name + ": " + e.Msg
		return e
	case other != nil:
		return s.otherVariant(start, other, variant)
	}
	return s.noMnemonic(start)
}

// ParseBundle reads what issues together.
func (s *Scan) ParseBundle(variant, stage int, b *Bundle) error {
	b.Pad, b.Parts = 0, b.Parts[:0]
	if s.Set.ParseParts != nil {
		return s.Set.ParseParts(s, variant, stage, b)
	}
	return s.Parse(variant, stage, b.one())
}

// ParsePart reads the instruction between Pos and end into another part of the bundle. Pos is end afterwards.
func (s *Scan) ParsePart(end, variant, stage int, b *Bundle) error {
	line := s.Line
	s.Line = line[:end]
	s.fail.set = false
	in := b.Grow()
	err := s.Parse(variant, stage, in)
	s.Line, s.Pos = line, end
	if e, ok := err.(*Error); ok {
		e.Source = line
	}
	return err
}

func (s *Scan) noMnemonic(start int) error {
	s.Pos = start
	w := s.Word()
	e := &Error{Code: ErrMnemonic, Line: 1, Col: start + 1, Source: s.Line,
		Msg: fmt.Sprintf("no instruction %q in %s", w, s.Set.Arch.Name)}
	if w == "" {
		e.Code, e.Msg = ErrSyntax, "no instruction here"
	} else if near := Nearest(w, s.Set.list); near != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return e
}

func (s *Scan) otherVariant(start int, d *Def, variant int) error {
	var has []string
	for i, v := range s.Set.Variants {
		for _, r := range s.Set.names[d.Name] {
			if r.InVariant(i) {
				has = append(has, v.Name)
				break
			}
		}
	}
	return &Error{Code: ErrVariant, Line: 1, Col: start + 1, Source: s.Line,
		Msg: fmt.Sprintf("%s is not in %s, only in %s", d.Name, s.Set.Variants[variant].Name, strings.Join(has, ", "))}
}

// row reads the operands and modifiers of one row.
func (s *Scan) row(d *Def, in *Inst) bool {
	in.Def, in.Word = d, d.value.Or(d.idle)
	s.UsedSymbol, s.Unresolved = false, false
	for i := range d.Args[:d.glued] {
		if !s.arg(&d.Args[i], in) {
			return false
		}
	}
	if s.Pos < len(s.Line) && isWord(s.Line[s.Pos]) {
		return s.note(s.Pos, ErrModifier, "%t is no suffix of this instruction", "", 0)
	}
	for i := d.glued; i < d.nops; i++ {
		a := &d.Args[i]
		s.Space()
		if i > d.glued && !s.separator(d) {
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
		return s.note(s.Pos, ErrOperand, "too few operands, want %n", "", d.nops-d.glued)
	}
	return s.Expect(s.Set.sepText)
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
	if !a.fits(v) {
		return s.note(at, ErrRange, "%w does not fit %n bits", a.Name, a.At.Len())
	}
	if v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
		return s.note(at, ErrReserved, "%w: the value %n is reserved", a.Name, int(v))
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
		before := s.fail
		if s.Peek() == ',' { // tolerated before modifiers, as LLVM does
			s.Pos++
			s.Space()
		}
		found := false
		for i := range mods {
			if seen>>i&1 != 0 || mods[i].Lead {
				continue
			}
			save, word := s.Pos, in.Word
			if s.arg(&mods[i], in) && s.Pos > save {
				seen |= 1 << i
				found = true
				break
			}
			s.Pos, in.Word = save, word
		}
		if !found {
			if s.fail.pos <= s.Pos { // no modifier got beyond its first word: say what is wrong with all of them
				s.fail = before
			}
			return s.note(s.Pos, ErrModifier, "%t is no modifier or further operand of this instruction", "", 0)
		}
	}
	for i := range mods {
		if mods[i].Need && seen>>i&1 == 0 {
			return s.note(s.Pos, ErrModifier, "the modifier %w is missing", mods[i].Name, 0)
		}
	}
	return true
}

// literal appends the constant that the operands asked for.
func (s *Scan) literal(d *Def, in *Inst) bool {
	in.Size = uint8(d.Enc.Bits / 8)
	l := d.Enc.Literal
	if l == nil || !in.HasLiteral() {
		return !s.hasLit || s.Fail(s.Pos, ErrOperand, "a literal constant, which this encoding cannot hold")
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

// Nearest is the word of the list closest to w, or nothing if all are far.
func Nearest(w string, list []string) string {
	best, bestD := "", min(3, len(w)/3+1)
	for _, x := range list {
		if d := distance(w, x, bestD); d < bestD || d == bestD && best == "" {
			best, bestD = x, d
		}
	}
	return best
}

// distance is the number of letters to insert, remove, replace or exchange with their neighbour between a and b, or
// more than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(b) > 63 {
		return limit + 1
	}
	var rows [3][64]int // of the two letters of a before, and this one
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := range len(a) {
		before, last, row := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		row[0] = i + 1
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d = min(d, last[j+1], row[j]) + 1
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
	}
	return rows[len(a)%3][len(b)]
}

// EncodedSize is the length in bytes that the word has as an instruction of the row.
func (d *Def) EncodedSize(w bits.Word) int {
	in := Inst{Def: d, Word: w}
	if in.HasLiteral() {
		return (int(d.Enc.Literal.At.Hi) + 1) / 8
	}
	return d.Enc.Bits / 8
}
