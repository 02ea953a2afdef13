package laws

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// Numbers checks the limits of every number in text: a number that assembles must be printed again, or as one with
// another sign for the same bits. So numbers larger than a field, between two steps, or below the minimum must be
// rejected. Rows with the same kinds of operands are checked once, in the first variant and stage that have one. Text
// that prints in other words (a constant with a name, another form of the instruction) is not judged. It returns how
// many numbers assembled, and how many were rejected.
func Numbers(t testing.TB, s *isa.Set, o Options) (taken, refused int) {
	o.Words = 1
	done := map[string]bool{}
	each(s, func(tg *isa.Target) {
		n := &numbers{checker: newChecker(t, tg, &Report{}), names: o.Names, told: map[*isa.Def]bool{}}
		for i := range s.Defs {
			d := &s.Defs[i]
			if !in(d, tg) || d.Alias || d.Private || done[operandsOf(d)] {
				continue
			}
			if w := Words(tg, d, o)[0]; n.complete(w) != nil {
				done[operandsOf(d)] = true
				n.text(d, n.print(&n.b))
			}
		}
		taken, refused = taken+n.taken, refused+n.refused
	})
	return taken, refused
}

// operandsOf returns a key for a row's operands: rows of one encoding with the same kinds of operands in the same
// fields are equal.
func operandsOf(d *isa.Def) string {
	key := d.Enc.Name
	for i := range d.Args {
		key += fmt.Sprintf(" %p%v", d.Args[i].Kind, d.Args[i].At)
		for k := range d.Args[i].Parts {
			key += fmt.Sprintf("/%p%v", d.Args[i].Parts[k].Kind, d.Args[i].Parts[k].At)
		}
	}
	return key
}

type numbers struct {
	*checker
	names          []string
	told           map[*isa.Def]bool // at most one failure per row
	taken, refused int
}

// text replaces each number of a text by others.
func (n *numbers) text(d *isa.Def, text string) {
	for i, at := range numerals(text) {
		before := text[:at.from]
		if word := before[strings.LastIndexAny(before, " ,({")+1:]; n.named(word) || n.named(d.Name) || last(before) {
			continue
		}
		for _, v := range around(at.value) {
			if v.Sign() < 0 && at.from > 0 && strings.IndexByte(" (,[+", text[at.from-1]) < 0 {
				continue // number of the register
			}
			changed := text[:at.from] + at.spell(v) + text[at.to:]
			if n.tg.Parse(changed, 0, &n.back) != nil {
				n.refused++
				continue
			}
			n.taken++
			if got := n.print(&n.back); !n.told[d] && !sameNumber(changed, got, i) {
				n.told[d] = true
				n.t.Errorf("%s: %s: %q assembles as %q", n.tg, rowName(d), changed, got)
			}
		}
	}
}

// named reports whether Options.Names has a word, or its suffix with a dot.
func (n *numbers) named(word string) bool {
	return slices.ContainsFunc(n.names, func(name string) bool { return word == name || name[0] == '.' && strings.HasSuffix(word, name) })
}

// last reports whether the number after a text is the last register of a range, which some instructions ignore.
func last(before string) bool {
	cut := strings.TrimRight(before, ":.")
	return cut != "" && cut != before && cut[len(cut)-1] >= '0' && cut[len(cut)-1] <= '9'
}

// around returns numbers next to v, and next to positive and negative powers of two.
func around(v *big.Int) (list []*big.Int) {
	add := func(x *big.Int) {
		for d := int64(-1); d <= 1; d++ {
			list = append(list, new(big.Int).Add(x, big.NewInt(d)))
		}
	}
	add(v)
	for _, k := range [...]uint{3, 4, 6, 8, 12, 16, 24, 32} {
		p := new(big.Int).Lsh(big.NewInt(1), k)
		list = append(list, p, new(big.Int).Neg(p))
	}
	return list
}

// A numeral is a whole number in text, with its sign.
type numeral struct {
	from, to int
	hex      bool
	value    *big.Int
}

func (n numeral) spell(v *big.Int) string {
	if !n.hex {
		return v.String()
	}
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
	}
	return sign + "0x" + new(big.Int).Abs(v).Text(16)
}

// numerals returns the integers of a text, without those in floats.
func numerals(text string) (list []numeral) {
	digit := func(i int, hex bool) bool {
		return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || hex && (text[i]|0x20) >= 'a' && (text[i]|0x20) <= 'f')
	}
	for i := 0; i < len(text); i++ {
		if !digit(i, false) {
			continue
		}
		n := numeral{from: i, to: i, hex: strings.HasPrefix(text[i:], "0x") && digit(i+2, true)}
		base := 10
		if n.hex {
			n.to, base = i+2, 16
		}
		first := n.to
		for digit(n.to, n.hex) {
			n.to++
		}
		n.value, _ = new(big.Int).SetString(text[first:n.to], base)
		if i > 0 && text[i-1] == '-' && (i == 1 || strings.IndexByte(" (,[+", text[i-2]) >= 0) {
			n.from, n.value = i-1, n.value.Neg(n.value)
		}
		i = n.to
		if point := n.to < len(text) && text[n.to] == '.' && digit(n.to+1, false); point {
			for digit(i+1, false) {
				i++
			}
			continue
		}
		list = append(list, n)
	}
	return list
}

// sameNumber reports whether number i has the same meaning in two texts with the same words.
func sameNumber(a, b string, i int) bool {
	x, y := numerals(a), numerals(b)
	if without(a, x) != without(b, y) {
		return true
	}
	d := new(big.Int).Sub(x[i].value, y[i].value)
	if x[i].value.Sign()^y[i].value.Sign() >= 0 { // no negative number is equal to one without sign
		return d.Sign() == 0
	}
	return uint(d.Abs(d).BitLen()) == d.TrailingZeroBits()+1 // a power of two
}

// without returns a text without numbers.
func without(text string, list []numeral) string {
	var b strings.Builder
	at := 0
	for _, n := range list {
		b.WriteString(text[at:n.from])
		b.WriteByte('#')
		at = n.to
	}
	b.WriteString(text[at:])
	return b.String()
}
