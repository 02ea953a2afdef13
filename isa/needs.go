package isa

// Many rows can share a mnemonic: mov of each size, type and layout. If all were tried in turn, most of the time
// would go into rows whose own words, "f64" or "s16", are not in the text. So rows declare the words that they need,
// as a bit set, and are passed over if one is missing. The result is the same, because no row fits without its words.
// If no row fits, all are tried, so that the message is that of the row that got furthest.

// Rows also declare which words they may have: a row whose operands are registers is passed over if the text has a
// number. This is also done for a row with a number, if its other operands may have all words of the text.

// needs are the words that the text of a row has after its mnemonic: all of one set of wordBits, and one of each of
// others; the words that it may have outside of brackets; those of them that are not part of an expression, if it has
// one; and the prefixes that it may have, one bit each as in Set.prefixes.
type needs struct {
	all, may, rest uint64
	any            [2]uint64
	prefixes       uint32
	expr           bool
}

// A vocabulary is the wordBits of a text: of all of it, and of the part outside of brackets.
type vocabulary struct{ all, outside uint64 }

// fewRows is how many rows of a name are tried without looking at the words of the text.
const fewRows = 2

// met reports whether the row may fit a text with these words and prefixes.
func (n *needs) met(words vocabulary, prefixes uint32) bool {
	return n.all&^words.all|words.outside&^n.may|uint64(prefixes&^n.prefixes) == 0 && words.all&n.any[0] != 0 && words.all&n.any[1] != 0 &&
		(!n.expr || words.outside&^n.rest != 0)
}

// needsOf finds the words and prefixes of a row. An operand that is one of a few words counts, whatever its parts.
func needsOf(d *Def) needs {
	n := needs{any: [2]uint64{^uint64(0), ^uint64(0)}}
	several := 0
	for _, a := range d.ops {
		if a.Optional || a.Tight || a.gluing() {
			continue
		}
		for _, w := range a.Kind.Words {
			n.all |= wordBit(w)
		}
		n.expr = n.expr || a.Kind.Expr
		switch words := a.Kind.wordBits(); {
		case words&(words-1) == 0:
			n.all |= words
		case several < len(n.any):
			n.any[several] = words
			several++
		}
	}
	for i := range d.Args {
		may, rest := d.Args[i].mayBits()
		n.may, n.rest = n.may|may, n.rest|rest
	}
	for i, p := range d.set.prefixes {
		for _, j := range d.free[Prefix] {
			if a := &d.Args[j]; a.Name == p.Name && a.Kind == p.Kind {
				n.prefixes |= prefixBit(i)
			}
		}
	}
	return n
}

// mayBits returns the words that the text of an arg and its parts may have outside of brackets, and those of them
// that are in no expression.
func (a *Arg) mayBits() (may, rest uint64) {
	if a.Place == Prefix || a.Place == Hidden {
		return 0, 0
	}
	may, rest = a.Kind.mayBits()
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Side != Silent {
			m, r := p.Kind.mayBits()
			may, rest = may|m, rest|r
		}
	}
	return may, rest
}

// mayBits returns the words that a text of the kind may have outside of brackets, all if they are unknown, and those
// of them that are in no expression.
func (k *Kind) mayBits() (may, rest uint64) {
	switch {
	case k.Spell == nil && k.Expr:
		return ^uint64(0), 0
	case k.Spell == nil && k.Only == nil:
		return ^uint64(0), ^uint64(0)
	}
	for _, text := range k.Only {
		may |= wordsIn(text).all
	}
	for i := range k.Spell {
		may |= wordsIn(k.Spell[i].Text).all | wordsIn(k.Spell[i].Close).all
	}
	return may, may
}

// prefixBit returns the bit of a prefix; prefixes beyond the width have none.
func prefixBit(i int) uint32 { return 1 << i }

// gluing reports whether a part before the operand may end where no word ends.
func (a *Arg) gluing() bool {
	for i := range a.Parts {
		if p := &a.Parts[i]; (p.Side == Before || p.Side == Around) && p.Kind.Spell == nil {
			return true
		}
	}
	return false
}

// wordBits returns the bits of words of which each text of the kind is one; 0: the kind has other texts.
func (k *Kind) wordBits() (words uint64) {
	for _, w := range k.OneOf {
		words |= wordBit(w)
	}
	for i := range k.Spell {
		text := k.Spell[i].Text
		for j := range len(text) {
			if !isLetter(text[j]) {
				return 0
			}
		}
		if !begins(text[0]) {
			return 0
		}
		words |= wordBit(text)
	}
	return words
}

// begins reports whether c may begin a word; registers and numbers do not count as words.
func begins(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// wordBit returns the bit of a word. Several words may share one.
func wordBit(w string) uint64 { return wordsIn(w).all }

func addByte(h uint32, c byte) uint32 { return h*73 + uint32(c) }

// hashBit returns the bit of a word's hash. The factors are those, of many tried, for which the fewest frequent words
// share a bit.
func hashBit(h uint32) uint64 { return 1 << (h * 0xec602d8b >> 26) }

// Classes of bytes, for wordsIn.
const (
	inWord     uint8 = 1 << iota // part of a word, as isLetter reports
	inName                       // such a byte that is no digit
	startsWord                   // may begin a word, as begins reports
	opening
	closing
)

// byteClasses are the classes of each byte.
var byteClasses = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		if isLetter(c) {
			t[i] |= inWord
			if !isDigit(c) {
				t[i] |= inName
			}
		}
		if begins(c) {
			t[i] |= startsWord
		}
	}
	t['['], t[']'] = opening, closing
	return t
}()

// numberBit is the bit of all numbers.
var numberBit = hashBit(addByte(0, '0'))

// wordsIn returns the bits of the words of a text: runs of letters, digits, _ and $. All numbers are one word. The
// digits of a word that begins with $ do not count, and of a word before a bracket only the first letter does.
func wordsIn(text string) (words vocabulary) {
	depth, inside := 0, uint64(0)
	for i := 0; i < len(text); {
		c := text[i]
		class := byteClasses[c]
		i++
		if class&inWord == 0 {
			if class == opening {
				depth++
			} else if class == closing {
				depth = max(depth-1, 0)
			}
			continue
		}
		bit := numberBit
		switch {
		case class&startsWord != 0:
			h := addByte(0, c)
			for ; i < len(text) && byteClasses[text[i]]&inWord != 0; i++ {
				h = addByte(h, text[i])
			}
			if i < len(text) && text[i] == '[' {
				h = addByte(addByte(0, c), '[')
			}
			bit = hashBit(h)
		case c == '$':
			h := addByte(0, c)
			for ; i < len(text) && byteClasses[text[i]]&inWord != 0; i++ {
				if byteClasses[text[i]]&inName != 0 {
					h = addByte(h, text[i])
				}
			}
			bit = hashBit(h)
		default:
			for ; i < len(text) && byteClasses[text[i]]&inWord != 0; i++ {
			}
		}
		if depth == 0 {
			words.outside |= bit
		} else {
			inside |= bit
		}
	}
	words.all = words.outside | inside
	return words
}
