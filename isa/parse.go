package isa

import (
	"fmt"
	"slices"
	"strings"
)

// maxPrefixes limits the words before a mnemonic.
const maxPrefixes = 8

// A prefix is a word that was read before the mnemonic was known.
type prefix struct {
	arg   *Arg
	value uint64
	pos   int
	end   int
}

// Parse reads the instruction on the scan's line, from Pos on, into in; in a set with several classes, one of
// s.Class. The mnemonic is the longest that ends at the end of a word or at a dot and of which a row fits; rows of a
// name are tried in the order of their rank. The error is that of the row that got furthest.
func (s *Scan) Parse(in *Inst) error {
	s.Space()
	t := s.Target
	s.numPrefixes, s.prefixBits = 0, 0
	if t.heads.has(s.Peek()) && !s.readPrefixes() {
		return s.Err()
	}
	start := s.Pos
	s.start = start
	w, m := s.head()
	var n near
	if s.anyRow(in, start, w, m, !s.Every && !s.fail.set, &n) {
		return nil
	}
	if n.passed { // the message may have to come from a row that was passed over
		s.fail.set, n = false, near{}
		if s.anyRow(in, start, w, s.mnemonic(w), false, &n) {
			return nil
		}
	}
	if s.completed(in) {
		return nil
	}
	return s.noRow(in, start, w, &n)
}

// near collects what is close to a row with the mnemonic that was not found.
type near struct {
	first, other, place, short *Def
	elsewhere                  string // the name of other
	passed                     bool   // rows were passed over
}

// anyRow tries the rows of the mnemonic. With pass, rows that need words which the text lacks are passed over. The
// word w is at start, and m is the longest mnemonic that it may begin with.
func (s *Scan) anyRow(in *Inst, start int, w string, m *mnemonic, pass bool, near *near) bool {
	t := s.Target
	said := s.Scratch
	words, known := vocabulary{}, false
	for ; m.n > 0; m = s.mnemonic(w[:max(0, strings.LastIndexAny(w[:m.n], t.ends))]) {
		n, rows, needs := int(m.n), m.rows, m.needs
		look, i := pass && needs != nil, 0
		if look {
			if !known {
				words, known = wordsIn(s.Line[start+len(w):]), true
			}
			i = s.Memo.firstMet(needs, words, s.prefixBits)
			near.passed = near.passed || i > 0
		}
		for first := i; i < len(rows); i++ {
			d := rows[i]
			if look && i > first && !needs[i].met(words, s.prefixBits) {
				near.passed = true
				continue
			}
			if !d.in(t.Variant, t.Stage) {
				near.other, near.elsewhere = d, w[:n]
				continue
			}
			if d.Class != s.Class {
				near.place = d
				continue
			}
			if s.Long && d.Short {
				near.short = d
				continue
			}
			if near.first == nil {
				near.first = d
			}
			s.Pos, s.hasLit, s.lit = start+n, false, 0
			if s.row(d, in, start) {
				return true
			}
			s.Scratch = said
		}
	}
	return false
}

// noRow returns the error of a text that no row fits.
func (s *Scan) noRow(in *Inst, start int, w string, n *near) error {
	t, first := s.Target, n.first
	switch {
	case first != nil && s.Trial:
		return &Error{Code: ErrOperand, Line: 1, Col: start + 1, Source: s.Line, Msg: "no row of " + first.Name + " fits"}
	case first != nil:
		e := s.Err()
		if s.fail.row != nil {
			first = s.fail.row
		}
		s.advise(e, in, start, w, first)
		e.Msg = first.mnemonic(t.Dialect) + ": " + e.Msg
		return e
	case n.short != nil:
		return &Error{Code: ErrIllegal, Line: 1, Col: start + 1, Source: s.Line,
			Msg: n.short.mnemonic(t.Dialect) + " has no long form, which its place needs"}
	case n.other != nil:
		return s.elsewhere(start, n.elsewhere)
	case t.AnyCase && strings.ToLower(w) != w:
		return s.lower(start, w, in)
	case n.place != nil:
		return &Error{Code: ErrMnemonic, Line: 1, Col: start + 1, Source: s.Line, Msg: fmt.Sprintf("%s is %s, where %s is expected",
			n.place.Name, withArticle(t.className(int(n.place.Class))), withArticle(t.className(int(s.Class))))}
	}
	if name := t.whole().named(w); t.Only != 0 && name != "" {
		return s.elsewhere(start, name)
	}
	return s.noMnemonic(start)
}

// named returns the mnemonic that the word begins with, up to a byte where one may end, or "" if there is none.
func (s *Set) named(w string) string {
	for n := len(w); n > 0; n = strings.LastIndexAny(w[:n], s.ends) {
		if len(s.Rows(w[:n])) > 0 {
			return w[:n]
		}
	}
	return ""
}

// lower is Parse with the mnemonic w in lower case.
func (s *Scan) lower(start int, w string, in *Inst) error {
	line := s.Line
	s.Line, s.Pos = line[:start]+strings.ToLower(w)+line[start+len(w):], start
	err := s.Parse(in)
	s.Line = line
	if err != nil {
		AsError(err).Source = line
	}
	return err
}

// readPrefixes reads the prefixes before the mnemonic, in any order, each at most once.
func (s *Scan) readPrefixes() bool {
	for more := true; more; {
		more = false
		for i, a := range s.Target.prefixes {
			if slices.ContainsFunc(s.prefixes[:s.numPrefixes], func(p prefix) bool { return p.arg.Name == a.Name }) {
				continue
			}
			at := s.Pos
			v, read, bad := s.optional(a.Kind, nil, a)
			if bad {
				return false
			}
			if read {
				s.prefixes[s.numPrefixes] = prefix{a, v, at, s.Pos}
				s.numPrefixes++
				s.prefixBits |= prefixBit(i)
				more = true
				s.Space()
			}
		}
	}
	return s.onlyOnce()
}

// optional reads what may be absent, a prefix or a part; bad says that it is present and wrong. If it is absent,
// neither Pos nor the error is changed.
func (s *Scan) optional(k *Kind, in *Inst, a *Arg) (v uint64, read, bad bool) {
	at := s.Pos
	s.keep = true
	v, ok := k.read(s, in, a)
	noted := s.noted()
	if ok && s.Pos > at {
		return v, true, false
	}
	begun := s.Pos > at || noted && s.fail.pos > at
	s.Pos = at
	if !begun && noted {
		s.fail = s.kept
	}
	return 0, false, begun
}

// onlyOnce reports a prefix at Pos that was read already.
func (s *Scan) onlyOnce() bool {
	at := s.Pos
	for i := range s.prefixes[:s.numPrefixes] {
		a := s.prefixes[i].arg
		_, read, bad := s.optional(a.Kind, nil, a)
		if bad {
			return false
		}
		if read {
			return s.note(at, ErrModifier, "%w stands here a second time", a.Kind.Name, 0)
		}
	}
	return true
}

// ParseBundle reads a bundle.
func (s *Scan) ParseBundle(b *Bundle) error {
	b.Pad, b.Parts, s.Scratch, s.Class = s.Pad, b.Parts[:0], Scratch{}, 0
	if g := s.Target.Group; g != nil {
		return g.Parse(s, b)
	}
	if s.Target.Dialect != 0 && s.Target.Reword != nil {
		return s.reworded(b.one())
	}
	return s.Parse(b.one())
}

// ParseWhole reads a bundle that must be the whole text.
func (s *Scan) ParseWhole(b *Bundle) error {
	if err := s.ParseBundle(b); err != nil {
		return err
	}
	if !s.End() {
		return &Error{Code: ErrSyntax, Line: 1, Col: s.Pos + 1, Source: s.Line, Msg: "too much here for one instruction"}
	}
	return nil
}

// reworded is Parse for a text that is first translated to another dialect. Errors are placed in the original text.
func (s *Scan) reworded(in *Inst) error {
	line := s.Line
	r, ok := s.Target.Reword(s)
	if !ok {
		return s.Err()
	}
	s.Line, s.Pos, s.fail.set = r.Text, 0, false
	err := s.Parse(in)
	s.Line, s.Pos = line, len(line)
	if err != nil {
		e := AsError(err)
		e.Col, e.Source = min(r.Place(e.Col-1), len(line))+1, line
		return e
	}
	if r.Done == nil {
		return nil
	}
	if err = r.Done(in); err != nil {
		AsError(err).Source = line
	}
	return err
}

// ParsePart reads the instruction between Pos and end into another part of the bundle, and leaves Pos at end.
func (s *Scan) ParsePart(end int, b *Bundle) error {
	line := s.Line
	s.Line = line[:end]
	s.fail.set = false
	in := b.Grow()
	err := s.Parse(in)
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
		Msg: fmt.Sprintf("no instruction %q in %s", w, s.Target.Name)}
	if w == "" {
		e.Code, e.Msg = ErrSyntax, "no instruction here"
	} else if !s.Trial {
		s.Target.unknown(e, w, s.Line[start+len(w):], s.words())
	}
	return e
}

// longer returns the first word of the list that equals w, ignoring case, or continues it after a point, or "":
// FADD.f32 for fadd.
func longer(w string, list []string) string {
	for _, x := range list {
		if n := len(w); len(x) >= n && strings.EqualFold(x[:n], w) && (len(x) == n || x[n] == '.') {
			return x
		}
	}
	return ""
}

// elsewhere says which stages or variants have an instruction that this target lacks.
func (s *Scan) elsewhere(start int, name string) error {
	t := s.Target
	rows := t.whole().Rows(name)
	has := func(names []string, in func(d *Def, i int) bool) string {
		var list []string
		for i, n := range names {
			if slices.ContainsFunc(rows, func(d *Def) bool { return in(d, i) }) {
				list = append(list, n)
			}
		}
		return strings.Join(list, ", ")
	}
	e := &Error{Code: ErrVariant, Line: 1, Col: start + 1, Source: s.Line}
	if stages := has(t.Stages, func(d *Def, i int) bool { return d.in(t.Variant, i) }); stages != "" {
		e.Code, e.Msg = ErrStage, fmt.Sprintf("%s is not in stage %s, only in %s", name, t.Stages[t.Stage], stages)
		e.Hint = "--stage says which it is: " + stages
		return e
	}
	e.Msg = fmt.Sprintf("%s is not in %s, only in %s", name, t.Variants[t.Variant].Name, has(t.variants(), (*Def).InVariant))
	return e
}

// row reads the suffixes, operands and modifiers of one row. The mnemonic began at start.
func (s *Scan) row(d *Def, in *Inst, start int) bool {
	in.Def, in.Word = d, d.start
	body := s.Pos
	in.Var, in.Stage, in.Addr = uint8(s.Target.Variant), uint8(s.Target.Stage), s.Addr
	s.UsedSymbol, s.Unresolved, s.numSaid = false, false, 0
	if s.numPrefixes > 0 && !s.putPrefixes(d, in) || !s.suffixes(d, in) || !s.operands(d, in) || !s.modifiers(d, in) || !s.literal(d, in) {
		return false
	}
	if d.Check != nil {
		if msg := d.Check(in); msg != "" {
			return s.noteFar(len(s.Line)+1, start, ErrIllegal, "%w", msg, 0) // all of its text has been read
		}
	}
	if s.Rules {
		if r, b := d.set.rulesOf(d).breach(in); b != nil {
			s.breaks(r, b, in, start, body)
			return false
		}
	}
	s.Open = s.Open || s.Unresolved
	return true
}

func (s *Scan) putPrefixes(d *Def, in *Inst) bool {
	for i := range s.prefixes[:s.numPrefixes] {
		p := &s.prefixes[i]
		has := false
		for _, j := range d.free[Prefix] {
			if a := &d.Args[j]; a.Name == p.arg.Name && a.Kind == p.arg.Kind {
				if !s.put(a, in, p.value, p.pos) {
					return false
				}
				has = true
			}
		}
		if !has {
			return s.note(p.pos, ErrModifier, `"%w" cannot stand before this instruction`, s.Line[p.pos:p.end], 0)
		}
	}
	return true
}

// suffixes reads the row's suffixes in any order, each at most once.
func (s *Scan) suffixes(d *Def, in *Inst) bool {
	var seen uint64
	if d.choice != nil && !s.Every {
		seen = s.quickSuffixes(d, in)
	}
	for d.heads.has(s.Peek()) && s.anyOf(d, Suffix, in, &seen) {
	}
	if s.Pos < len(s.Line) && isWord(s.Line[s.Pos]) {
		return s.noSuffix(d, in, seen)
	}
	for k, i := range d.free[Suffix] {
		if d.Args[i].Needed && seen>>k&1 == 0 {
			if s.record(s.Pos, s.Pos, ErrModifier, "%w is missing", d.Args[i].Kind.Name, 0) {
				s.fail.kind = d.Args[i].Kind
			}
			return false
		}
	}
	return true
}

// noSuffix reports a word after the suffixes read so far: a repeated suffix, or an unknown one.
func (s *Scan) noSuffix(d *Def, in *Inst, seen uint64) bool {
	at := s.Pos
	for k, i := range d.free[Suffix] {
		if a := &d.Args[i]; seen>>k&1 != 0 && s.again(at, a, a.Kind, in) {
			return false
		}
	}
	if s.twice(d) {
		return false
	}
	s.note(at, ErrModifier, "%t is no suffix of this instruction", "", 0)
	if s.fail.pos == at && s.fail.code == ErrModifier {
		s.fail.sufs = d
	}
	return false
}

// anyOf reads one of the row's args of a place that is not in seen yet. An error is noted in an arg that is present
// but wrong; absent suffixes, prefixes and modifiers are no error.
func (s *Scan) anyOf(d *Def, place Place, in *Inst, seen *uint64) bool {
	next := s.eight()
	for k, i := range d.free[place] {
		if *seen>>k&1 != 0 {
			continue
		}
		a := &d.Args[i]
		at, word := s.Pos, in.Word
		if r := a.read; r != nil && !s.Every {
			var w *shortWord
			if r.words != nil {
				if w = r.word(s.Line[at:], next); w == nil {
					continue
				}
			}
			if w != nil && s.takes(a, in, w.value, w.n) || w == nil && s.quick(a, in, next) {
				*seen |= 1 << k
				s.at[i] = int32(at)
				return true
			}
		}
		s.keep = true
		ok := s.parsed(a, in)
		noted := s.noted()
		if ok && s.Pos > at {
			*seen |= 1 << k
			s.at[i] = int32(at)
			return true
		}
		if noted && s.fail.pos <= at {
			s.fail = s.kept
		}
		s.Pos, in.Word = at, word
	}
	return false
}

func (s *Scan) operands(d *Def, in *Inst) bool {
	for n, a := range d.ops {
		if a.read != nil && !a.Optional && s.simply(n > 0 && !a.Tight, a, in) {
			if a.sides == nil || !a.tails.has(s.Peek()) || s.partsAfter(a, in) {
				continue
			}
			return false
		}
		if a.Optional && !s.more() {
			a.set(&in.Word, a.Default)
			continue
		}
		if n > 0 && !a.Tight && !s.usual() && !s.separator(d, d.ops[n-1], in) {
			return false
		}
		s.Space()
		s.at[a.index] = int32(s.Pos)
		if !s.operand(a, in) {
			return false
		}
	}
	return true
}

// more reports whether there is a separator at Pos, so that another operand follows.
func (s *Scan) more() bool {
	s.Space()
	return s.Peek() == s.Target.sep
}

// usual accepts a separator that is directly followed by an operand, or with one blank between.
func (s *Scan) usual() bool {
	rest := s.Line[s.Pos:]
	if len(rest) < 3 || rest[0] != s.Target.sep || rest[1] <= ' ' && (rest[0] == ' ' || rest[1] != ' ' || rest[2] <= ' ') {
		return false
	}
	s.Pos++
	return true
}

// separator reads the text between two operands, the first of which is before.
func (s *Scan) separator(d *Def, before *Arg, in *Inst) bool {
	c := s.Target.sep
	if c == ' ' && s.Pos+1 < len(s.Line) && s.Line[s.Pos] == ' ' && !isBlank(s.Line[s.Pos+1]) {
		s.Pos++
		return true
	}
	if c != ' ' && s.Peek() != c {
		s.Space()
	}
	if c != ' ' && s.Byte(c) {
		return true
	}
	if s.Target.Blanks && s.Pos > 0 && isBlank(s.Line[s.Pos-1]) && !s.End() {
		return true
	}
	if s.End() {
		return s.note(s.Pos, ErrOperand, "too few operands, want %n", "", d.operands())
	}
	if at := s.Pos; s.Peek() == '.' {
		return !s.secondPart(before, in) && s.note(at, ErrModifier, "%t is no modifier of this operand", "", 0)
	}
	if c != ' ' {
		return s.Expect(s.Target.sepText)
	}
	return isBlank(s.Line[s.Pos-1]) || s.Expect("a blank")
}

// arg reads an operand without its parts, or a suffix or modifier.
func (s *Scan) arg(a *Arg, in *Inst) bool {
	if a.read != nil {
		if s.quick(a, in, s.eight()) {
			return true
		}
	}
	return s.parsed(a, in)
}

// parsed is arg by the kind's parser.
func (s *Scan) parsed(a *Arg, in *Inst) bool {
	at := s.Pos
	v, ok := a.Kind.read(s, in, a)
	if !ok {
		return false
	}
	if len(a.At) != 0 && !s.put(a, in, v, at) {
		return false
	}
	return true
}

// put writes a value into the field of an arg if it fits and is not reserved.
func (s *Scan) put(a *Arg, in *Inst, v uint64, at int) bool {
	if !a.fits(v) || a.Kind.reserved(v) {
		return s.refuse(a.Name, &a.slot, v, at)
	}
	a.set(&in.Word, v)
	return true
}

// refuse reports that a value does not fit its field or is reserved.
func (s *Scan) refuse(name string, f *slot, v uint64, at int) bool {
	if !f.fits(v) {
		return s.note(at, ErrRange, "%w does not fit %n bits", name, f.at.Len())
	}
	return s.note(at, ErrReserved, "%w: the value %n is reserved", name, int(v))
}

// modifiers reads the row's modifiers in any order, each at most once.
func (s *Scan) modifiers(d *Def, in *Inst) bool {
	var seen, required uint64
	for !s.End() {
		if s.Peek() == ',' { // accepted before modifiers, as by LLVM
			s.Pos++
			s.Space()
		}
		if !s.anyOf(d, Modifier, in, &seen) && !s.anyOf(d, Required, in, &required) {
			return s.noModifier(d, in, seen, required)
		}
	}
	for k, i := range d.free[Required] {
		if required>>k&1 == 0 {
			return s.note(s.Pos, ErrModifier, "the modifier %w is missing", d.Args[i].Name, 0)
		}
	}
	return true
}

// literal appends the constant that the operands asked for.
func (s *Scan) literal(d *Def, in *Inst) bool {
	in.Size = d.size
	l := d.Enc.Literal
	if l == nil || !in.HasLiteral() {
		return !s.hasLit || s.noteFar(s.Pos, s.litAt, ErrOperand, "a literal constant, which this encoding cannot hold", "", 0)
	}
	in.Word = in.Word.Put(l.At, s.lit)
	in.Size = uint8(l.end())
	return true
}

// withArticle returns a noun with its article.
func withArticle(noun string) string {
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}
