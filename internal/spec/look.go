package spec

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A look finds the texts of a field of a row from words of the row, some of them random but deterministic.
type look struct {
	in   []*isa.Target // targets that have the row
	d    *isa.Def
	a    *isa.Arg
	p    *isa.Part // nil: the value of the operand itself
	rand *rand.Rand
	at   bits.Ranges
	kind *isa.Kind
	all  bits.Word // bits that vary between words of the row
}

func newLook(in []*isa.Target, d *isa.Def, a *isa.Arg, p *isa.Part) *look {
	l := &look{in: in, d: d, a: a, p: p, rand: rand.New(rand.NewPCG(uint64(d.ID), 14)), at: a.At, kind: a.Kind, all: d.Claimed()}
	if p != nil {
		l.at, l.kind = p.At, p.Kind
	}
	if lit := d.Enc.Literal; lit != nil {
		l.all = l.all.Or(lit.At.Mask())
	}
	return l
}

// decode returns the word as an instruction of the row, false if it is none.
func (l *look) decode(t *isa.Target, w bits.Word) (in isa.Inst, ok bool) {
	var code [16]byte
	w.Append(code[:0], 16)
	err := t.DecodePart(int(l.d.Class), code[:], 0, &in)
	return in, err == nil && in.Def == l.d
}

// again decodes another word in the target and mode of an instruction.
func (l *look) again(in *isa.Inst, w bits.Word) (isa.Inst, bool) {
	return l.decode(l.in[0].At(int(in.Var), int(in.Stage)), w)
}

// tries limits the attempts to make a word.
const tries = 64

// word returns a random word of the row, with bits for a literal; false if none is found. then modifies it.
func (l *look) word(then func(w bits.Word) bits.Word) (isa.Inst, bool) {
	for i := range tries {
		w := bits.Word{Lo: l.rand.Uint64(), Hi: l.rand.Uint64()}
		if i&1 != 0 { // fewer bits
			w = w.And(bits.Word{Lo: l.rand.Uint64(), Hi: l.rand.Uint64()})
		}
		w = then(w.And(l.all.AndNot(l.d.Mask())).Or(l.d.Value()))
		eachField(l.d, func(at bits.Ranges, k *isa.Kind) {
			if v := at.Get(w); isReserved(k, v) {
				w = at.Put(w, l.allowed(k, at.Len()))
			}
		})
		if in, ok := l.decode(l.in[l.rand.IntN(len(l.in))], then(w)); ok {
			in.Word = then(w) // including bits for a literal that the new value may need
			return in, true
		}
	}
	return isa.Inst{}, false
}

// allowed returns a random value of n bits that is not reserved.
func (l *look) allowed(k *isa.Kind, n int) uint64 {
	from := l.rand.Uint64() & bits.Ones(n)
	for i := range uint64(1) << min(n, 16) {
		if v := (from + i) & bits.Ones(n); !isReserved(k, v) {
			return v
		}
	}
	return from
}

func isReserved(k *isa.Kind, v uint64) bool { return v < uint64(len(k.Reserved)) && k.Reserved[v] }

// eachField calls f with the fields of a row's operands and their parts.
func eachField(d *isa.Def, f func(at bits.Ranges, k *isa.Kind)) {
	for i := range d.Args {
		a := &d.Args[i]
		f(a.At, a.Kind)
		for j := range a.Parts {
			f(a.Parts[j].At, a.Parts[j].Kind)
		}
	}
}

// with returns the instruction with another value in the field; false if that is no word of the row.
func (l *look) with(in *isa.Inst, v uint64) (isa.Inst, bool) {
	if isReserved(l.kind, v) {
		return isa.Inst{}, false
	}
	return l.again(in, l.at.Put(in.Word, v))
}

// front is the text before a printed operand: some kinds remove the blank at its end.
const front = "x, "

// text returns what the field prints. taken reports that it removes characters before it.
func (l *look) text(in *isa.Inst) (p pair, taken bool) {
	v := l.at.Get(in.Word)
	p.text, taken = l.one(in, v, l.kind.Table, l.kind.Text)
	if l.p != nil && l.p.Side == isa.Around {
		p.close, _ = l.one(in, v, l.kind.Close, l.kind.CloseText)
	}
	return p, taken
}

func (l *look) one(in *isa.Inst, v uint64, table []string, text func(isa.Printer, []byte, *isa.Inst, *isa.Arg, uint64) []byte) (string, bool) {
	if v < uint64(len(table)) && table[v] != "" {
		return table[v], false
	}
	if text == nil || l.p != nil && v == 0 {
		return "", false
	}
	out := text(isa.Printer{}, []byte(front), in, l.a, v)
	if len(out) < len(front) || string(out[:len(front)]) != front {
		return "", true
	}
	return string(out[len(front):]), false
}

// tells returns the bits beside the field on which the texts of values depend, among words like those given, and what
// else they depend on.
func (l *look) tells(words []isa.Inst, values []uint64) (w bits.Word, more []string) {
	free := l.all.AndNot(l.at.Mask().Or(l.d.Mask()))
	for i := range words {
		for _, v := range values {
			in, ok := l.with(&words[i], v)
			if !ok {
				continue
			}
			text, _ := l.text(&in)
			differs := func(other isa.Inst, ok bool) bool {
				if !ok {
					return false
				}
				t, _ := l.text(&other)
				return t != text
			}
			for b := range 128 {
				if one := (bits.Word{Lo: 1}).Shl(b); !free.AndNot(w).And(one).IsZero() && differs(l.again(&in, in.Word.Xor(one))) {
					w = w.Or(one)
				}
			}
			moved := in
			moved.Addr = 0x1230
			if differs(moved, true) {
				more = with(more, "address")
			}
			for _, t := range l.in {
				if differs(l.decode(t, in.Word)) {
					more = with(more, "stage or variant")
				}
			}
		}
	}
	return w, more
}

func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// names returns the names of the fields with these bits.
func (l *look) names(w bits.Word) (list []string) {
	add := func(name string, at bits.Ranges) {
		if !at.Mask().And(w).IsZero() && !slices.Contains(list, name) {
			list, w = append(list, name), w.AndNot(at.Mask())
		}
	}
	for i := range l.d.Args {
		a := &l.d.Args[i]
		add(a.Name, a.At)
		for j := range a.Parts {
			add(a.Parts[j].Name, a.Parts[j].At)
		}
	}
	if lit := l.d.Enc.Literal; lit != nil {
		add("literal", bits.Ranges{lit.At})
	}
	for b := range 128 {
		add("bit "+strconv.Itoa(b), bits.Ranges{bits.Span(b, b)})
	}
	return list
}
