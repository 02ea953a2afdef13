package isa

// Many rows can share a mnemonic: mov of each size, type and layout. Trying them one after another, most of the time would go
// into rows whose own words are not in the text: "f64", "s16". So rows say which words they need, as bits of a number, and rows
// whose words are not all there are passed over. The row that fits is the same: no row fits without its words. If none fits, all
// are tried, so that the message is that of the row that got furthest.

// They also say which words they may have: a row whose operands are registers is passed over if the text has a number. And a row
// that has a number is passed over if other operands of it may have all words of the text.

// needs are the words that the text of a row has behind its mnemonic, all of one set of wordBits and one of each of others; those
// that it may have outside of brackets; of these the ones that are no part of an expression, if it has one; and the prefixes that
// it may have, a bit each as in Set.prefixes.
type needs struct {
	all, may, rest uint64
	any            [2]uint64
	prefixes       uint32
	expr           bool
}

// A vocabulary is the wordBits of a text: of all of it, and of what is outside of brackets.
type vocabulary struct{ all, outside uint64 }

// fewRows is how many rows of a name are tried without a look at the words of the text.
const fewRows = 2

// met reports whether a text with these words and prefixes can be that of the row.
func (n *needs) met(words vocabulary, prefixes uint32) bool {
	return n.all&^words.all|words.outside&^n.may|uint64(prefixes&^n.prefixes) == 0 && words.all&n.any[0] != 0 && words.all&n.any[1] != 0 &&
		(!n.expr || words.outside&^n.rest != 0)
}

// needsOf finds the words and prefixes of a row. An operand counts that is one of some words, whatever its parts.
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

// mayBits are those of the words that the text of an arg and its parts may have outside of brackets, and of those of no expression.
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

// mayBits are those of the words that a text of the kind may have outside of brackets: all, if they are not known; and of those of
// no expression.
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

// prefixBit is the bit of a prefix; those of which there are too many have none.
func prefixBit(i int) uint32 { return 1 << i }

// gluing reports whether a part in front may end where no word ends.
func (a *Arg) gluing() bool {
	for i := range a.Parts {
		if p := &a.Parts[i]; (p.Side == Before || p.Side == Around) && p.Kind.Spell == nil {
			return true
		}
	}
	return false
}

// wordBits are those of the words one of which is each text of the kind; 0: it is not one of a few words.
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

// begins reports whether a word may begin so: registers and numbers do not count.
func begins(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// wordBit is the bit of a word. Several words may share one.
func wordBit(w string) uint64 { return wordsIn(w).all }

func addByte(h uint32, c byte) uint32 { return h*73 + uint32(c) }

// hashBit is the bit of a word's hash. The factors are those, of many tried, with which fewest frequent words share a bit.
func hashBit(h uint32) uint64 { return 1 << (h * 0xec602d8b >> 26) }

// Classes of bytes, for wordsIn.
const (
	inWord     uint8 = 1 << iota // part of a word, as isLetter tells
	inName                       // such a byte that is no digit
	startsWord                   // a word may begin so, as begins tells
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

// wordsIn are the bits of the words of a text: runs of letters, digits, _ and $. Numbers are one word; of words that begin with $
// the digits do not count, and of those in front of a bracket only the first letter.
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
