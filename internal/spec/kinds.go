package spec

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

const (
	contexts  = 16   // least number of words in which texts are examined; more for small fields
	looks     = 2048 // limit of examined texts of a field
	narrow    = 13   // bits of a field, and of the bits beside it that select its texts, for which all values are tried
	middle    = 16   // bits of a field for which all values are tried in one word
	mostTexts = 256  // runs of texts of such a field
	mostBits  = 11   // bits beside the field that cases may depend on
	wide      = 24   // values of a wide field that are tried in all words
)

// A fieldKey is equal for fields that usually have the same texts.
type fieldKey struct {
	kind   *isa.Kind
	at     string
	around bool
	part   bool
	silent bool
}

// kind returns the index of the kind of a field of a row. It reuses a kind found for another row if words of this row
// agree.
func (b *builder) kind(l *look, hidden bool) (int, error) {
	hidden = hidden || l.p != nil && l.p.Side == isa.Silent
	key := fieldKey{l.kind, fmt.Sprint(l.at), l.p != nil && l.p.Side == isa.Around, l.p != nil, hidden}
	for _, f := range b.fields[key] {
		if f.others.in(l.d) && l.isSo(&b.doc.Kinds[f.kind]) {
			return f.kind, nil
		}
	}
	k := Kind{Name: l.kind.Name, Bits: l.at.Len(), Reserved: reservedOf(l.kind, l.at.Len()), Cases: []Case{}, Reads: []Spelling{}}
	if !hidden {
		l.texts(&k)
		l.spellings(&k)
	}
	i, err := once(b.kinds, &b.doc.Kinds, k)
	b.fields[key] = append(b.fields[key], known{i, l.others(&k)})
	return i, err
}

// A known is a kind that was found for a field, and the other fields that select its texts.
type known struct {
	kind   int
	others others
}

// others are kinds of fields, by location.
type others map[string]*isa.Kind

// others returns the fields of the row that the cases of a kind depend on.
func (l *look) others(k *Kind) others {
	list := others{}
	for i := range k.Cases {
		for j := range k.Cases[i].If {
			told := bits.Word{}
			for _, r := range k.Cases[i].If[j].Bits {
				told = told.Or(bits.Span(r[0], r[1]).Mask())
			}
			eachField(l.d, func(at bits.Ranges, k *isa.Kind) {
				if !at.Mask().And(told).IsZero() {
					list[fmt.Sprint(at)] = k
				}
			})
		}
	}
	return list
}

// in reports whether a row has these fields.
func (o others) in(d *isa.Def) bool {
	n := 0
	if len(o) > 0 {
		eachField(d, func(at bits.Ranges, k *isa.Kind) {
			if o[fmt.Sprint(at)] == k {
				n++
			}
		})
	}
	return n >= len(o)
}

// isSo reports whether the texts of a field are those of a kind, judged by some words.
func (l *look) isSo(k *Kind) bool {
	if l.kind.Text == nil && l.kind.CloseText == nil || len(k.Cases) == 0 && k.Needs == nil {
		return true
	}
	words := l.words(0, func(w bits.Word) bits.Word { return w })
	for i := range words {
		for n := range max(2, 2*contexts/len(words)*contexts/2) {
			v := l.rand.Uint64() & bits.Ones(l.at.Len())
			if n == 0 {
				v = l.at.Get(words[i].Word)
			}
			in, ok := l.with(&words[i], v)
			if !ok {
				continue
			}
			want, known := k.text(in.Word, v)
			if got, _ := l.text(&in); known && got != want {
				return false
			}
		}
	}
	return len(words) > 0
}

// text returns the text that the kind gives for a value; false if it gives none.
func (k *Kind) text(w bits.Word, v uint64) (pair, bool) {
	if k.Needs != nil && within(k.Needs.Values, v) {
		return pair{}, false
	}
	for i := range k.Cases {
		if c := &k.Cases[i]; !slices.ContainsFunc(c.If, func(h FieldIn) bool { return !h.of(w) }) {
			return textOf(c.Values, v), true
		}
	}
	return pair{}, len(k.Cases) == 0 && k.Needs == nil
}

func textOf(list []Texts, v uint64) pair {
	for i := range list {
		if t := &list[i]; t.From <= v && v <= t.To {
			return pair{expand(t.Text, v-t.From), t.Close}
		}
	}
	return pair{}
}

func (h *FieldIn) of(w bits.Word) bool {
	at := bits.Ranges{}
	for _, r := range h.Bits {
		at = append(at, bits.Span(r[0], r[1]))
	}
	return len(h.In) == 0 || within(h.In, at.Get(w))
}

func within(list []Span, v uint64) bool {
	return slices.ContainsFunc(list, func(s Span) bool { return s[0] <= v && v <= s[1] })
}

// reservedOf returns the reserved values of a field of n bits.
func reservedOf(k *isa.Kind, n int) []Span {
	var list []uint64
	for v, no := range k.Reserved {
		if no && uint64(v) <= bits.Ones(n) {
			list = append(list, uint64(v))
		}
	}
	return spansOf(list)
}

// spansOf returns sorted values as spans.
func spansOf(values []uint64) []Span {
	list := []Span{}
	for _, v := range values {
		if n := len(list); n > 0 && list[n-1][1]+1 == v {
			list[n-1][1] = v
		} else {
			list = append(list, Span{v, v})
		}
	}
	return list
}

// texts fills in the texts of a field.
func (l *look) texts(k *Kind) {
	n := l.at.Len()
	if l.kind.Text == nil && l.kind.CloseText == nil {
		k.Cases = oneCase(list(uint64(1)<<min(n, narrow), func(v uint64) (pair, bool) {
			p, _ := l.text(&isa.Inst{Def: l.d, Word: l.at.Put(bits.Word{}, v)})
			return p, !isReserved(l.kind, v)
		}))
		return
	}
	words := l.words(0, func(w bits.Word) bits.Word { return w })
	switch {
	case len(words) == 0:
		k.Needs = &Needs{[]Span{{0, bits.Ones(n)}}, []string{"value"}}
	case n > middle:
		l.wide(k, words)
	case n > narrow:
		l.middle(k, words)
	default:
		l.narrow(k, words)
	}
}

// words returns words of the row; the more texts are examined in each, the fewer.
func (l *look) words(told int, then func(w bits.Word) bits.Word) (words []isa.Inst) {
	for range max(contexts, min(looks>>(l.at.Len()+told), looks/8)) {
		if in, ok := l.word(then); ok {
			words = append(words, in)
		}
	}
	return words
}

func oneCase(values []Texts) []Case {
	if len(values) == 0 {
		return []Case{}
	}
	return []Case{{If: []FieldIn{}, Values: values}}
}

// A seen is the text of a value in the words that have it.
type seen struct {
	pair
	is     bool // at least one word has it
	differ bool // words have different texts
	words  int  // how many have it
	taken  bool // a text removes characters before it
}

// see returns the text of a value.
func (l *look) see(words []isa.Inst, v uint64) (s seen) {
	for i := range words {
		in, ok := l.with(&words[i], v)
		if !ok {
			continue
		}
		p, taken := l.text(&in)
		s.taken = s.taken || taken
		s.differ = s.differ || s.is && p != s.pair
		s.pair, s.is = p, true
		s.words++
	}
	return s
}

// narrow tabulates the texts of a small field: those that are the same in all words, and those that few bits select.
func (l *look) narrow(k *Kind, words []isa.Inst) {
	table := make([]seen, 1<<l.at.Len())
	var open []uint64
	front := false
	for v := range table {
		value := uint64(v)
		table[v] = l.see(words, value)
		if table[v].words < contexts/2 && !isReserved(l.kind, value) { // it goes with few values of other fields
			more := l.words(0, func(w bits.Word) bits.Word { return l.at.Put(w, value) })
			words = append(words, more...)
			table[v] = l.see(words, value)
		}
		if front = front || table[v].taken; table[v].differ || table[v].taken {
			open = append(open, uint64(v))
		}
	}
	text := func(table []seen) []Texts {
		return list(uint64(len(table)), func(v uint64) (pair, bool) {
			return table[v%uint64(len(table))].pair, v < uint64(len(table)) && table[v].is && !table[v].differ && !table[v].taken
		})
	}
	k.Cases = oneCase(text(table))
	if open == nil {
		return
	}
	tells, more := l.tells(words, some(open, 8))
	if n := tells.Count(); n > 0 && n <= mostBits && n+l.at.Len() <= narrow && more == nil && !front {
		if cases, ok := l.cases(tells, text); ok {
			k.Cases = cases
			return
		}
	}
	k.Needs = &Needs{spansOf(open), append(l.names(tells), more...)}
	if front {
		k.Needs.On = append(k.Needs.On, "front")
	}
	if len(k.Needs.On) == 0 {
		k.Needs.On = []string{"value"}
	}
}

// cases tabulates texts by the bits that select them; false if the bits do not.
func (l *look) cases(tells bits.Word, text func([]seen) []Texts) (list []Case, ok bool) {
	at := rangesOf(tells)
	for x := range uint64(1) << at.Len() {
		words := l.words(at.Len(), func(w bits.Word) bits.Word { return at.Put(w, x) })
		table := make([]seen, 1<<l.at.Len())
		for v := range table {
			if table[v] = l.see(words, uint64(v)); table[v].differ {
				return nil, false
			}
		}
		if len(words) > 0 {
			list = addCase(list, at, x, text(table))
		}
	}
	return list, true
}

// addCase adds the texts of words in which bits hold x to the case with the same texts.
func addCase(list []Case, at bits.Ranges, x uint64, values []Texts) []Case {
	for i := range list {
		if slices.Equal(list[i].Values, values) {
			in := &list[i].If[0].In
			if last := &(*in)[len(*in)-1]; last[1]+1 == x {
				last[1] = x
			} else {
				*in = append(*in, Span{x, x})
			}
			return list
		}
	}
	return append(list, Case{If: []FieldIn{{Bits: fieldOf(at), In: []Span{{x, x}}}}, Values: values})
}

// middle lists the texts of all values of a field, if few of them are distinct.
func (l *look) middle(k *Kind, words []isa.Inst) {
	if !l.alike(k, words) {
		return
	}
	runs := list(uint64(1)<<l.at.Len(), func(v uint64) (pair, bool) {
		s := l.see(words[:1], v)
		return s.pair, s.is
	})
	l.unless(k, runs, len(runs) <= mostTexts)
}

// wide lists the texts of a field of many bits, if they are numbers.
func (l *look) wide(k *Kind, words []isa.Inst) {
	if !l.alike(k, words) {
		return
	}
	runs, ok := sparse(l.at.Len(), func(v uint64) string { return l.see(words[:1], v).text }, func(n uint64) uint64 {
		if n == 0 {
			return l.rand.Uint64()
		}
		return l.rand.Uint64N(n)
	})
	l.unless(k, runs, ok)
}

// unless sets the texts of the kind if they are short, and else records that the document lacks them.
func (l *look) unless(k *Kind, runs []Texts, short bool) {
	if short {
		k.Cases = oneCase(runs)
	} else {
		k.Needs = &Needs{[]Span{{0, bits.Ones(l.at.Len())}}, []string{"value"}}
	}
}

// alike reports whether some values have the same texts in all words; if not, it records what the texts depend on.
func (l *look) alike(k *Kind, words []isa.Inst) bool {
	last := bits.Ones(l.at.Len())
	values := []uint64{0, 1, last, last / 2, last/2 + 1}
	for range wide {
		values = append(values, l.rand.Uint64()&last)
	}
	for _, v := range values {
		if s := l.see(words, v); s.differ || s.taken || !s.is {
			tells, more := l.tells(words, some(values, 8))
			if k.Needs = (&Needs{[]Span{{0, last}}, append(l.names(tells), more...)}); len(k.Needs.On) == 0 {
				k.Needs.On = []string{"value"}
			}
			return false
		}
	}
	return true
}

// some returns at most n of values, spread over them.
func some(values []uint64, n int) (list []uint64) {
	step := max(1, len(values)/n)
	for i := 0; i < len(values); i += step {
		list = append(list, values[i])
	}
	return list
}

// spellings fills in texts that are read but not printed.
func (l *look) spellings(k *Kind) {
	for _, sp := range l.kind.Spell {
		printed := sp.Value < uint64(len(l.kind.Table)) && l.kind.Table[sp.Value] == sp.Text
		if !printed && sp.Close == "" {
			k.Reads = append(k.Reads, Spelling{sp.Text, sp.Value})
		}
	}
}

// rangesOf returns the set bits of a word as ranges.
func rangesOf(w bits.Word) (rs bits.Ranges) {
	for b := 0; b < 128; b++ {
		if w.Bit(b) == 0 {
			continue
		}
		from := b
		for b < 127 && w.Bit(b+1) != 0 {
			b++
		}
		rs = append(rs, bits.Span(from, b))
	}
	return rs
}

func fieldOf(rs bits.Ranges) Field {
	f := Field{}
	for _, r := range rs {
		f = append(f, Run{int(r.Lo), int(r.Hi)})
	}
	return f
}
