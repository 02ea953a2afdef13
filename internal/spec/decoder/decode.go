package decoder

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// Verdicts on words that are no instructions.
const (
	Truncated = "truncated"
	Invalid   = "invalid"
	Reserved  = "reserved"
	Illegal   = "illegal"
	InStage   = "stage"
	InVariant = "variant"
)

// An Inst is a decoded instruction.
type Inst struct {
	Row   int
	Word  Word
	Size  int // in bytes
	Stage int
	set   *Set
}

// find returns the row of a word, -1 if none has it.
func (s *Set) find(variant, stage, class int, w Word) int {
	t := s.tables[variant][stage][class]
	for _, i := range t.list[t.key(w)] {
		if r := &s.rows[i]; w.and(r.mask) == r.match {
			return i
		}
	}
	return -1
}

func load(code []byte) Word {
	var b [16]byte
	copy(b[:], code)
	return Word{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
}

// Decode decodes an instruction of a class at the start of code. The verdict is "" on success.
func (s *Set) Decode(variant, stage, class int, code []byte, in *Inst) (verdict string) {
	w := load(code)
	i := s.find(variant, stage, class, w)
	if i < 0 {
		return s.none(variant, stage, class, len(code), w)
	}
	r := &s.rows[i]
	n, claimed := r.size, r.claimed
	if r.asks(w) {
		n = r.long
		for b := 8 * r.size; b < 8*n; b++ {
			claimed[b>>6] |= 1 << (b & 63)
		}
	}
	*in = Inst{i, w.and(low(n)), n, stage, s}
	if n > len(code) {
		return Truncated
	}
	for k := range r.reserved {
		if c := &r.reserved[k]; within(c.values, c.get(w)) {
			return Reserved
		}
	}
	if r.zero && in.Word.not(claimed) != (Word{}) {
		return Reserved
	}
	for k := range r.restrictions {
		if b := &r.restrictions[k]; b.in(variant, stage) && all(b.If, in.Word) {
			return Illegal
		}
	}
	return ""
}

// low returns a mask of the first n bytes.
func low(n int) (w Word) {
	for i := range 2 {
		switch k := n - 8*i; {
		case k >= 8:
			w[i] = ^uint64(0)
		case k > 0:
			w[i] = 1<<(8*k) - 1
		}
	}
	return w
}

func (b *bar) in(variant, stage int) bool {
	return (len(b.Variants) == 0 || slices.Contains(b.Variants, variant)) && (len(b.Stages) == 0 || slices.Contains(b.Stages, stage))
}

// asks reports whether a literal follows.
func (r *row) asks(w Word) bool {
	if r.always {
		return true
	}
	for _, f := range r.literal {
		if f.get(w) == r.code {
			return true
		}
	}
	return false
}

// none returns the verdict on a word that no row has.
func (s *Set) none(variant, stage, class, size int, w Word) string {
	least := s.Unit
	if len(s.Classes) > 0 {
		least = 1
	}
	if size < least {
		return Truncated
	}
	for st := range s.tables[variant] {
		if st != stage && s.find(variant, st, class, w) >= 0 {
			return InStage
		}
	}
	for v := range s.tables {
		if v != variant && s.find(v, stage, class, w) >= 0 {
			return InVariant
		}
	}
	for i := range s.Gaps {
		if g := &s.Gaps[i]; g.Class == class && all(g.If, w) {
			return g.Verdict
		}
	}
	return Invalid
}

// Fields appends the values of the instruction's operands and of their parts, in order.
func (in *Inst) Fields(to []uint64) []uint64 {
	for _, f := range in.set.rows[in.Row].bits {
		to = append(to, f.get(in.Word))
	}
	return to
}

// named returns the value of an operand, 0 if there is none of that name.
func (in *Inst) named(name string) uint64 {
	for _, a := range in.set.rows[in.Row].args {
		if a.Name == name {
			return a.Bits.get(in.Word)
		}
	}
	return 0
}

// Text appends the text of the instruction; false if the document does not have it.
func (in *Inst) Text(to []byte) ([]byte, bool) {
	r := &in.set.rows[in.Row]
	known := true
	for i := range r.args {
		if a := &r.args[i]; a.Place == "prefix" {
			to = in.arg(to, a, &known)
		}
	}
	to = append(to, in.set.Rows[in.Row].Name...)
	front := " "
	for i := range r.args {
		a := &r.args[i]
		switch a.Place {
		case "prefix", "hidden":
			continue
		case "operand":
			if !a.Tight {
				to = append(to, front...)
			}
			front = in.set.Document.Text.Separator
		}
		to = in.arg(to, a, &known)
	}
	return to, known
}

// arg appends an operand with its parts.
func (in *Inst) arg(to []byte, a *arg, known *bool) []byte {
	add := func(at Field, kind int, closing bool) {
		text, ends, ok := in.set.value(kind, in.Word, at.get(in.Word))
		if closing {
			text = ends
		}
		to = append(to, text...)
		*known = *known && ok
	}
	for i := range a.Parts {
		if p := &a.Parts[i]; (p.Side == "before" || p.Side == "around") && len(p.Bits) > 0 {
			add(p.Bits, p.Kind, false)
		}
	}
	add(a.Bits, a.Kind, false)
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Side == "after" && len(p.Bits) > 0 {
			add(p.Bits, p.Kind, false)
		}
	}
	for i := len(a.Parts) - 1; i >= 0; i-- {
		if p := &a.Parts[i]; p.Side == "around" && len(p.Bits) > 0 {
			add(p.Bits, p.Kind, true)
		}
	}
	return to
}

// value returns the text of a value of a kind, and the text that closes the operand.
func (s *Set) value(kind int, w Word, v uint64) (text, ends string, known bool) {
	k := &s.Kinds[kind]
	if k.Needs != nil && within(k.Needs.Values, v) {
		return "", "", false
	}
	for i := range k.Cases {
		c := &k.Cases[i]
		if !all(c.If, w) {
			continue
		}
		for j := range c.Values {
			if t := &c.Values[j]; t.From <= v && v <= t.To {
				return expand(t.Text, v-t.From), t.Close, true
			}
		}
		return "", "", true
	}
	return "", "", len(k.Cases) == 0
}

// expand inserts the numbers of the value n after the first into a text.
func expand(text string, n uint64) string {
	if strings.IndexByte(text, '{') < 0 {
		return text
	}
	var out []byte
	for {
		before, rest, found := strings.Cut(text, "{")
		out = append(out, before...)
		if !found {
			return string(out)
		}
		number, behind, _ := strings.Cut(rest, "}")
		number, hex := strings.CutSuffix(number, ":x")
		from, step, _ := strings.Cut(number, "*")
		a, _ := strconv.ParseInt(from, 10, 64)
		b, _ := strconv.ParseInt(step, 10, 64)
		if v := a + b*int64(n); hex {
			out = strconv.AppendUint(out, uint64(v), 16)
		} else {
			out = strconv.AppendInt(out, v, 10)
		}
		text = behind
	}
}
