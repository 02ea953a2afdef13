package isa

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Scan reads one line of assembly. Parsers of operand kinds move Pos over what they accept;
// what they refuse they report with Fail, and the report that got furthest is the one shown.
type Scan struct {
	Target *Target // may be another one for another line
	Class  uint8   // of the instructions that Parse reads
	Long   bool    // pass over rows that are Short
	filled bool    // the line is one that Arch.Implied has completed
	Bars   bool    // the operand that is read stands between bars: | ends it and is no operator
	Every  bool    // try all rows, let the parsers of kinds read all, remember no name: nothing else comes of it, so this is for tests
	Rules  bool    // refuse what breaks a rule of the set of severity error
	Line   string
	Pos    int
	Addr   uint64 // of the instruction; text that names no symbol means the same at any, unless it is an Arch.Branch
	Pad    uint8  // bytes of padding that the layout wants behind the bundle
	// Scratch is for the set: what operands say that other parts of their bundle hold. ParseBundle empties it, and what
	// a row said that does not fit is taken back.
	Scratch Scratch
	// Memo is what the scan remembers from line to line; nil: it makes one.
	Memo *Memo
	// Symbol looks a name up; nil: there are no names. A label without address yet has the value Addr,
	// so that what is relative to the instruction is in range.
	Symbol func(name string) (v uint64, k SymbolKind)
	// Call is the value of a function of integers in an expression, max(a, b); nil: there are none. Kinds says that names may
	// go on with the kind of a reference, name@rel32@lo, which Symbol gets with them.
	Call  func(name string, args []int64) (v int64, ok bool)
	Kinds bool
	// UsedSymbol is set when an expression of the row used a label, so that its value may still change: what has
	// a short and a long form must take the long one. Unresolved is set when that label has no address yet.
	UsedSymbol bool
	Unresolved bool
	// Relative is set by the parser of the target of an Arch.Branch when the text gives a distance and no address: it means the same
	// at any address.
	Relative bool

	// Trial says that nobody will read the error of a text that is wrong: it gets no advice, which is looked for by trying others.
	Trial bool

	// Touched is UsedSymbol of any row that was tried, Open is Unresolved of any part that was read.
	Touched, Open bool

	lit    uint64
	litAt  int // where the operand begins that it is of
	hasLit bool
	fail   failure
	start  int            // where the mnemonic begins
	keep   bool           // the next change of fail leaves in kept what it was
	kept   failure        // so that a report of what may be absent can be taken back
	from   int            // where the operand begins, or the text of the part, that is being read
	at     [maxArgs]int32 // by Arg: where the text of those of the row begins

	prefixes    [maxPrefixes]prefix
	said        [maxShared]said
	numPrefixes int
	prefixBits  uint32 // of the prefixes
	numSaid     int
	wants       *wants // of a text that is known to be wrong: what was expected at its place; nil: nobody asks
	trace       *trace // of a text of which a pattern is to be made; nil: this one is not
}

// Scratch is a few numbers of a Scan.
type Scratch [8]uint64

// A SymbolKind says what a name in an expression is.
type SymbolKind uint8

const (
	NoSymbol   SymbolKind = iota // no name of this file: not part of an expression
	Constant                     // its value is final
	Label                        // an address, or made from one
	Unresolved                   // a label whose address is not known yet
	Register                     // stands for registers, not for a number: see Arch.Register
)

// A failure is a report whose message is made only if it is shown: most rows that fail are followed by one that fits.
type failure struct {
	pos  int
	far  int // how far the row got; mostly pos
	code string
	form string // %t is the token at pos, %w is word, %n is n, %l low and %h high
	word string
	n    int
	low  int
	high int
	set  bool
	hint string
	ref  string
	row  *Def  // whose instruction breaks a rule
	mods *Def  // whose modifiers the word may be meant to be one of
	sufs *Def  // or whose suffixes
	kind *Kind // of what is missing
}

// Reset prepares the scan for another line.
func (s *Scan) Reset(line string, addr uint64) {
	s.Line, s.Pos, s.Addr, s.start = line, 0, addr, len(line)
	s.Unresolved, s.UsedSymbol, s.Touched, s.Open, s.Relative = false, false, false, false, false
	s.fail.set = false
}

// Note is Fail with a message that is made only if it is shown: in form %t is the token at pos, %w is word, %n is n.
func (s *Scan) Note(pos int, code, form, word string, n int) bool {
	return s.note(pos, code, form, word, n)
}

// Failed reports whether something has been reported since Reset.
func (s *Scan) Failed() bool { return s.fail.set }

// note records a report unless another got further. At one place, a value that was read but does not fit says more
// than another row's wish for something else.
func (s *Scan) note(pos int, code, form, word string, n int) bool {
	return s.noteFar(pos, pos, code, form, word, n)
}

// noteFar is note of something at pos that shows only when the row has got as far as far.
func (s *Scan) noteFar(far, pos int, code, form, word string, n int) bool {
	s.record(far, pos, code, form, word, n)
	return false
}

// NoteRange is Note of a number that is no multiple of n from low to high, which stand in form as %n, %l and %h.
func (s *Scan) NoteRange(pos int, code, form string, n, low, high int) bool {
	if s.record(pos, pos, code, form, "", n) {
		s.fail.low, s.fail.high = low, high
	}
	return false
}

// record is noteFar; it tells whether the report is the one that shows.
func (s *Scan) record(far, pos int, code, form, word string, n int) bool {
	if s.trace != nil && (code == ErrRange || code == ErrReserved) {
		s.trace.spoilt = true // another number would do
	}
	if s.wants != nil {
		s.wants.note(pos, form, word)
	}
	f := &s.fail
	if !f.set || far > f.far || far == f.far && f.code == ErrOperand && (code == ErrRange || code == ErrSyntax || code == ErrReserved) {
		if s.keep {
			s.kept, s.keep = s.fail, false
		}
		s.fail = failure{pos: pos, far: far, code: code, form: form, word: word, n: n, set: true}
		return true
	}
	return false
}

// noted reports whether fail has changed since keep was set; kept is then what it was.
func (s *Scan) noted() bool {
	changed := !s.keep
	s.keep = false
	return changed
}

// Fail reports what is wrong at pos, unless another report got further. It returns false, for the caller to return.
func (s *Scan) Fail(pos int, code, msg string) bool { return s.note(pos, code, "%w", msg, 0) }

// FailHint is Fail with what would do.
func (s *Scan) FailHint(pos int, code, msg, hint string) bool {
	if s.record(pos, pos, code, "%w", msg, 0) {
		s.fail.hint = hint
	}
	return false
}

// Failf is Fail with a format; it allocates, so it is for what rarely happens.
func (s *Scan) Failf(pos int, code, format string, args ...any) bool {
	if s.fail.set && pos < s.fail.far && s.trace == nil {
		return false
	}
	return s.Fail(pos, code, fmt.Sprintf(format, args...))
}

// Expect reports that want was expected here, naming what was found.
func (s *Scan) Expect(want string) bool {
	s.Space()
	return s.note(s.Pos, ErrOperand, wanted, want, 0)
}

// token is the word at pos, quoted, for messages.
func (s *Scan) token(pos int) string {
	if pos >= len(s.Line) {
		return "end of line"
	}
	end := pos
	open := 0
	for ; end < len(s.Line); end++ {
		switch c := s.Line[end]; {
		case c == '[':
			open++
		case c == ']':
			open--
		case c != ':' && !isWord(c):
			open = -1
		}
		if open < 0 {
			break
		}
	}
	if end == pos {
		_, n := utf8.DecodeRuneInString(s.Line[pos:])
		end += n
	}
	return strconv.Quote(s.Line[pos:end])
}

// Err is the report that got furthest.
func (s *Scan) Err() *Error {
	f := s.fail
	if !f.set {
		f = failure{pos: s.Pos, code: ErrSyntax, form: "%t cannot be read"}
	}
	var msg []byte
	for i := 0; i < len(f.form); i++ {
		if f.form[i] != '%' {
			msg = append(msg, f.form[i])
			continue
		}
		switch i++; f.form[i] {
		case 't':
			msg = append(msg, s.token(f.pos)...)
		case 'w':
			msg = append(msg, f.word...)
		case 'n':
			msg = strconv.AppendInt(msg, int64(f.n), 10)
		case 'l':
			msg = strconv.AppendInt(msg, int64(f.low), 10)
		case 'h':
			msg = strconv.AppendInt(msg, int64(f.high), 10)
		}
	}
	switch {
	case f.hint != "":
	case f.mods != nil:
		f.hint = f.mods.nearModifier(s.Line[f.pos:])
	case f.sufs != nil:
		f.hint = f.sufs.nearSuffix(s.Line[f.pos:])
	case f.kind != nil:
		f.hint = f.kind.choices()
	}
	return &Error{Code: f.code, Line: 1, Col: f.pos + 1, Source: s.Line, Msg: string(msg), Hint: f.hint, Ref: f.ref}
}

// choices is a hint at the texts of the kind's values, or nothing.
func (k *Kind) choices() string {
	var texts []string
	for _, t := range k.Table {
		if t = strings.TrimSpace(t); t != "" {
			texts = append(texts, t)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "one of " + strings.Join(texts, " ")
}

// nearModifier is a hint at the modifier that a text may be meant to begin with, or nothing. It looks at all rows that share a
// name with the row.
func (d *Def) nearModifier(text string) string {
	var names []string
	for _, name := range append([]string{d.Name}, d.Also...) {
		for _, e := range d.set.Rows(name) {
			names = e.modifierNames(names)
		}
	}
	w := strings.ToLower(text[:WordLen(text)])
	if near := Nearest(w, names); near != "" && near != w {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// nearSuffix is nearModifier of the row's own suffixes.
func (d *Def) nearSuffix(text string) string {
	w := text[:WordLen(text)]
	if n := strings.IndexByte(w[min(1, len(w)):], '.'); n >= 0 {
		w = w[:n+1]
	}
	var names []string
	for _, i := range d.free[Suffix] {
		k := d.Args[i].Kind
		for _, sp := range k.Spell {
			names = append(names, sp.Text)
		}
		for _, text := range k.Table {
			if text != "" {
				names = append(names, text)
			}
		}
	}
	if near := Nearest(w, names); near != "" && near != w {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// modifierNames adds the words with which the row's modifiers begin.
func (d *Def) modifierNames(names []string) []string {
	for _, p := range [...]Place{Modifier, Required} {
		for _, i := range d.free[p] {
			a := &d.Args[i]
			for _, sp := range a.Kind.Spell {
				names = append(names, sp.Text[:WordLen(sp.Text)])
			}
			if a.Kind.Spell == nil {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// WordLen is the length of the run of letters, digits, _, . and $ at the start of the text.
func WordLen[T string | []byte](text T) int {
	for n := range len(text) {
		if !isWord(text[n]) {
			return n
		}
	}
	return len(text)
}

func isWord(c byte) bool { return wordByte[c] }

// wordByte tells the letters, digits, _, . and $: text is mostly words, and this is one look at each of their bytes.
var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$'
	}
	return t
}()

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Space skips blanks, and ends of lines in sets whose statements span lines.
func (s *Scan) Space() {
	if s.Pos < len(s.Line) && s.Line[s.Pos] <= ' ' {
		s.blanks()
	}
}

// blanks is Space where a blank may stand.
func (s *Scan) blanks() {
	for s.Pos < len(s.Line) && (s.Line[s.Pos] == ' ' || s.Line[s.Pos] == '\t' || s.Line[s.Pos] == '\n' && s.Target.Open != nil) {
		s.Pos++
	}
}

// End reports whether only blanks are left.
func (s *Scan) End() bool {
	s.Space()
	return s.Pos >= len(s.Line)
}

// Peek is the next byte, 0 at the end of the line.
func (s *Scan) Peek() byte {
	if s.Pos < len(s.Line) {
		return s.Line[s.Pos]
	}
	return 0
}

// Byte accepts c.
func (s *Scan) Byte(c byte) bool {
	if s.Pos < len(s.Line) && s.Line[s.Pos] == c {
		s.Pos++
		return true
	}
	return false
}

// Word is the run of letters, digits, _, . and $ here, without moving.
func (s *Scan) Word() string {
	rest := s.Line[s.Pos:]
	return rest[:WordLen(rest)]
}

// Accept moves over w if it is the whole word here.
func (s *Scan) Accept(w string) bool {
	if !strings.HasPrefix(s.Line[s.Pos:], w) {
		return false
	}
	if end := s.Pos + len(w); end < len(s.Line) && isWord(s.Line[end]) && isWord(w[len(w)-1]) {
		return false
	}
	s.Pos += len(w)
	return true
}

// Uint reads a decimal number without sign; ok is false if there is none or it exceeds 32 bits.
func (s *Scan) Uint() (v uint64, ok bool) {
	start := s.Pos
	for s.Pos < len(s.Line) && isDigit(s.Line[s.Pos]) {
		v = v*10 + uint64(s.Line[s.Pos]-'0')
		if v>>32 != 0 {
			return 0, false
		}
		s.Pos++
	}
	return v, s.Pos > start
}

// Literal records the constant that follows the instruction. Two different ones in one instruction fail.
func (s *Scan) Literal(v uint64) bool {
	s.spoil()
	if s.hasLit && s.lit != v {
		return s.noteFar(s.Pos, s.from, ErrOperand, "a second literal constant; the instruction holds one", "", 0)
	}
	s.lit, s.hasLit, s.litAt = v, true, s.from
	return true
}

// A Number is a constant in the text.
type Number struct {
	Int   int64 // of an integer; unsigned ones above the signed range wrap
	Float float64
	IsF   bool
}

// Number reads an integer or float constant with an optional minus sign, or an integer expression over labels.
func (s *Scan) Number() (n Number, ok bool) {
	start := s.Pos
	neg := s.Byte('-')
	if end, isF := s.floatEnd(); isF {
		f, err := strconv.ParseFloat(s.Line[s.Pos:end], 64)
		if err != nil {
			s.Pos = start
			return n, s.Fail(start, ErrSyntax, "malformed number")
		}
		s.Pos = end
		if neg {
			f = -f
		}
		return Number{Float: f, IsF: true}, true
	}
	s.Pos = start
	v, ok := s.Expr()
	return Number{Int: v}, ok
}

// floatEnd finds the end of a float constant here: digits with a point or an exponent.
func (s *Scan) floatEnd() (end int, ok bool) {
	i := s.Pos
	for i < len(s.Line) && isDigit(s.Line[i]) {
		i++
	}
	if i == s.Pos || i >= len(s.Line) || s.Line[i] != '.' && s.Line[i] != 'e' && s.Line[i] != 'E' {
		return 0, false
	}
	if s.Line[i] == '.' {
		dot := i
		for i++; i < len(s.Line) && isDigit(s.Line[i]); i++ {
		}
		if i == dot+1 && i < len(s.Line) && isLetter(s.Line[i]) && !s.exponent(i) {
			return 0, false // 1.abs: what stands behind the point is no part of the number
		}
	}
	if s.exponent(i) {
		for i += 2; i < len(s.Line) && isDigit(s.Line[i]); i++ {
		}
	}
	return i, true
}

// exponent reports whether e and digits, with a sign or not, stand at i.
func (s *Scan) exponent(i int) bool {
	rest := s.Line[i:]
	if len(rest) < 2 || rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	if rest[1] == '-' || rest[1] == '+' {
		return len(rest) > 2 && isDigit(rest[2])
	}
	return isDigit(rest[1])
}
