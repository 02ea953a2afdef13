package isa

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Scan reads one line of assembly. Parsers of operand kinds move Pos over what they accept, and report what they
// refuse with Fail; the report that got furthest is shown.
type Scan struct {
	Target *Target // may change from line to line
	Class  uint8   // of the instructions that Parse reads
	Long   bool    // pass over rows that are Short
	filled bool    // the line is one that Arch.Implied has completed
	Bars   bool    // the operand being read is between bars: | ends it and is no operator
	Every  bool    // for tests: try all rows, always call the parsers of kinds, cache nothing; the result is the same
	Rules  bool    // refuse instructions that break a rule of the set of severity error
	Line   string
	Pos    int
	Addr   uint64 // of the instruction; text without symbols means the same at any address, unless it is an Arch.Branch
	Pad    uint8  // bytes of padding that the layout requests after the bundle
	// Scratch is for the set: what operands say about other parts of their bundle. ParseBundle clears it; changes by
	// a row that does not fit are undone.
	Scratch Scratch
	// Memo is the cache that is kept from line to line; nil: the scan makes one.
	Memo *Memo
	// Symbol looks up a name; nil: there are no names. A label without an address yet has the value Addr, so that
	// relative references are in range.
	Symbol func(name string) (v uint64, k SymbolKind)
	// Call evaluates a function of integers in an expression, such as max(a, b); nil: there are none. Kinds says that
	// names may be followed by the kind of a reference, name@rel32@lo, which is passed to Symbol with them.
	Call  func(name string, args []int64) (v int64, ok bool)
	Kinds bool
	// UsedSymbol is set when an expression of the row used a label, so that its value may still change: an
	// instruction with a short and a long form must use the long one. Unresolved is set when that label has no
	// address yet.
	UsedSymbol bool
	Unresolved bool
	// Relative is set by the parser of an Arch.Branch target if the text gives a distance rather than an address: it
	// means the same at any address.
	Relative bool

	// Trial says that the error of a wrong text will not be shown: no advice is added, since finding it needs further
	// trials.
	Trial bool

	// Touched is UsedSymbol for any row that was tried, Open is Unresolved for any part that was read.
	Touched, Open bool

	lit    uint64
	litAt  int // where the operand begins that it belongs to
	hasLit bool
	fail   failure
	start  int            // where the mnemonic begins
	keep   bool           // the next change of fail saves the old value in kept
	kept   failure        // so that a report about what may be absent can be undone
	from   int            // where the operand, or the text of the part, begins that is being read
	at     [maxArgs]int32 // by Arg: where the text of the row's args begins

	prefixes    [maxPrefixes]prefix
	said        [maxShared]said
	numPrefixes int
	prefixBits  uint32 // of the prefixes
	numSaid     int
	wants       *wants // of a text known to be wrong: collects what was expected at its place; nil: not needed
}

// Scratch is a few numbers that a set may use.
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

// A failure is a report whose message is made only if it is shown: after most rows that fail comes one that fits.
type failure struct {
	pos  int
	far  int // how far the row got; usually pos
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
	mods *Def  // the word may be a misspelled modifier of this row
	sufs *Def  // or a misspelled suffix
	kind *Kind // of the missing operand
}

// Reset prepares the scan for another line.
func (s *Scan) Reset(line string, addr uint64) {
	s.Line, s.Pos, s.Addr, s.start = line, 0, addr, len(line)
	s.Unresolved, s.UsedSymbol, s.Touched, s.Open, s.Relative = false, false, false, false, false
	s.fail.set = false
}

// Note is Fail with a message that is made only if it is shown: in form, %t is the token at pos, %w is word, %n is n.
func (s *Scan) Note(pos int, code, form, word string, n int) bool {
	return s.note(pos, code, form, word, n)
}

// Failed reports whether something has been reported since Reset.
func (s *Scan) Failed() bool { return s.fail.set }

// note records a report unless another got further. At equal places, a value that was read but does not fit wins over
// a report that something else was expected.
func (s *Scan) note(pos int, code, form, word string, n int) bool {
	return s.noteFar(pos, pos, code, form, word, n)
}

// noteFar is note for an error at pos that is shown only if the row got as far as far.
func (s *Scan) noteFar(far, pos int, code, form, word string, n int) bool {
	s.record(far, pos, code, form, word, n)
	return false
}

// NoteRange is Note for a number that is no multiple of n from low to high, which are %n, %l and %h in form.
func (s *Scan) NoteRange(pos int, code, form string, n, low, high int) bool {
	if s.record(pos, pos, code, form, "", n) {
		s.fail.low, s.fail.high = low, high
	}
	return false
}

// record is noteFar and reports whether this report is now the one shown.
func (s *Scan) record(far, pos int, code, form, word string, n int) bool {
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

// noted reports whether fail has changed since keep was set; kept is then its old value.
func (s *Scan) noted() bool {
	changed := !s.keep
	s.keep = false
	return changed
}

// Fail reports an error at pos, unless another report got further. It returns false, for the caller to return.
func (s *Scan) Fail(pos int, code, msg string) bool { return s.note(pos, code, "%w", msg, 0) }

// FailHint is Fail with a hint what to write instead.
func (s *Scan) FailHint(pos int, code, msg, hint string) bool {
	if s.record(pos, pos, code, "%w", msg, 0) {
		s.fail.hint = hint
	}
	return false
}

// Failf is Fail with a format; it allocates, so it is for rare errors.
func (s *Scan) Failf(pos int, code, format string, args ...any) bool {
	if s.fail.set && pos < s.fail.far {
		return false
	}
	return s.Fail(pos, code, fmt.Sprintf(format, args...))
}

// Expect reports that want was expected here, naming what was found.
func (s *Scan) Expect(want string) bool {
	s.Space()
	return s.note(s.Pos, ErrOperand, wanted, want, 0)
}

// token returns the word at pos, quoted, for messages.
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

// Err returns the report that got furthest.
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

// choices returns a hint that lists the texts of the kind's values, or "".
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

// nearModifier returns a hint at the modifier that may have been meant at the start of a text, or "". It considers
// all rows that share a name with the row.
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

// nearSuffix is nearModifier for the row's own suffixes.
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

// modifierNames adds the first words of the row's modifiers.
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

// WordLen returns the length of the run of letters, digits, _, . and $ at the start of the text.
func WordLen[T string | []byte](text T) int {
	for n := range len(text) {
		if !isWord(text[n]) {
			return n
		}
	}
	return len(text)
}

func isWord(c byte) bool { return wordByte[c] }

// wordByte is true for letters, digits, _, . and $: text is mostly words, and this takes one look-up per byte.
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

// blanks is Space after its quick test: a byte up to blank is at Pos.
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

// Peek returns the next byte, 0 at the end of the line.
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

// Word returns the run of letters, digits, _, . and $ at Pos, without moving.
func (s *Scan) Word() string {
	rest := s.Line[s.Pos:]
	return rest[:WordLen(rest)]
}

// Accept moves over w if it is the whole word at Pos.
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

// Uint reads an unsigned decimal number; ok is false if there is none or it exceeds 32 bits.
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

// Literal records the constant that follows the instruction. It fails if the instruction already has a different one.
func (s *Scan) Literal(v uint64) bool {
	if s.hasLit && s.lit != v {
		return s.noteFar(s.Pos, s.from, ErrOperand, "a second literal constant; the instruction holds one", "", 0)
	}
	s.lit, s.hasLit, s.litAt = v, true, s.from
	return true
}

// A Number is a constant in the text.
type Number struct {
	Int   int64 // of an integer; unsigned values above the signed range wrap
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

// floatEnd finds the end of a float constant at Pos: digits with a point or an exponent.
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
			return 0, false // 1.abs: what follows the point is no part of the number
		}
	}
	if s.exponent(i) {
		for i += 2; i < len(s.Line) && isDigit(s.Line[i]); i++ {
		}
	}
	return i, true
}

// exponent reports whether there is an exponent at i: e, an optional sign, digits.
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
