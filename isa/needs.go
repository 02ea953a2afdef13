package isa

// Many rows can share a mnemonic: mov of each size, type and layout. Trying them one after another, most of the time would go
// into rows whose own words are not in the text: "f64", "s16". So rows say which words they need, as bits of a number, and rows
// whose words are not all there are passed over. The row that fits is the same: no row fits without its words. If none fits, all
// are tried, so that the message is that of the row that got furthest.

// needs are the words that the text of a row has behind its mnemonic, all of one set of wordBits and one of each of others, and
// the prefixes that it may have, a bit each as in Set.prefixes.
type needs struct {
	all      uint64
	any      [2]uint64
	prefixes uint32
}

// fewRows is how many rows of a name are tried without a look at the words of the text.
const fewRows = 2

// met reports whether a text with these wordBits and prefixes can be that of the row.
func (n *needs) met(words uint64, prefixes uint32) bool {
	return words&n.all == n.all && prefixes&^n.prefixes == 0 && words&n.any[0] != 0 && words&n.any[1] != 0
}

// needsOf finds the words and prefixes of a row. An operand counts that is one of some words, whatever its parts.
func needsOf(d *Def) needs {
	n := needs{any: [2]uint64{^uint64(0), ^uint64(0)}}
	several := 0
	for _, i := range d.ops {
		a := &d.Args[i]
		if a.Optional || a.Tight || a.gluing() {
			continue
		}
		for _, w := range a.Kind.Words {
			n.all |= wordBit(w)
		}
		switch words := a.Kind.wordBits(); {
		case words&(words-1) == 0:
			n.all |= words
		case several < len(n.any):
			n.any[several] = words
			several++
		}
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
func wordBit(w string) uint64 {
	h := uint32(0)
	for i := range len(w) {
		h = addByte(h, w[i])
	}
	return hashBit(h)
}

func addByte(h uint32, c byte) uint32 { return h*67 + uint32(c) }

func hashBit(h uint32) uint64 { return 1 << (h * 0x9e3779b1 >> 26) }

// wordsIn are the bits of the words of a text: runs of letters, digits, _ and $ that begin with a letter.
func wordsIn(text string) (words uint64) {
	for i := 0; i < len(text); i++ {
		if !isLetter(text[i]) {
			continue
		}
		if !begins(text[i]) {
			for i++; i < len(text) && isLetter(text[i]); i++ {
			}
			continue
		}
		h := uint32(0)
		for ; i < len(text) && isLetter(text[i]); i++ {
			h = addByte(h, text[i])
		}
		words |= hashBit(h)
	}
	return words
}
