package vectors

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A slot is a field of a row for which a test chooses a value: an operand, a part of one, a modifier.
type slot struct {
	kind    *isa.Kind
	arg     *isa.Arg  // the operand or modifier
	part    *isa.Part // of arg; nil: arg itself
	len     int
	normal  uint64
	plain   []uint64 // for an operand that names registers: values that name registers, vector registers if there are any
	others  []uint64 // for such an operand: values that name other registers
	changes []uint64 // for others: the values worth a test of their own, except the normal one
}

func (s *slot) put(w bits.Word, v uint64) bits.Word {
	if s.part != nil {
		return s.part.Put(w, v)
	}
	return s.arg.Put(w, v)
}

func (s *slot) get(w bits.Word) uint64 {
	if s.part != nil {
		return s.part.Get(w)
	}
	return s.arg.Get(w)
}

// A rowMaker makes words of a row.
type rowMaker struct {
	t       *isa.Target
	d       *isa.Def
	slots   []slot
	changes []change // of one slot at a time, in order
	touched isa.Touched
	edges   edgeBook
}

// A change is a slot with a value other than its normal one.
type change struct {
	slot  int
	value uint64
}

// Limits of the values that are examined.
const (
	maxProbed  = 1 << 12 // values of an operand
	maxChanges = 16      // values of a large field that get a test of their own
)

func newRowMaker(t *isa.Target, d *isa.Def, edges edgeBook) *rowMaker {
	m := &rowMaker{t: t, d: d, edges: edges}
	in := m.inst(d.Value())
	for i := range d.Args {
		a := &d.Args[i]
		if a.At != nil {
			s := slot{kind: a.Kind, arg: a, len: a.At.Len(), normal: allowed(a.Kind, a.Default)}
			if a.RoleIn(&in) != isa.NoRole {
				s.plain, s.others = m.registers(in, a)
			}
			m.slots = append(m.slots, s)
		}
		for k := range a.Parts {
			if p := &a.Parts[k]; len(p.At) > 0 {
				m.slots = append(m.slots, slot{kind: p.Kind, arg: a, part: p, len: p.At.Len(), normal: allowed(p.Kind, p.Default)})
			}
		}
	}
	m.list()
	m.settle()
	return m
}

// list lists the changes of all slots.
func (m *rowMaker) list() {
	m.changes = nil
	for k := range m.slots {
		s := &m.slots[k]
		if s.plain != nil {
			continue
		}
		s.changes = changesOf(s)
		for _, v := range s.changes {
			m.changes = append(m.changes, change{k, v})
		}
	}
}

// Limits of the search for legal words.
const (
	settleTries = 1500
	settleWords = 12
)

// settle finds some legal words of the row and takes from them what all words need: normal values of fields, if the
// defaults are not legal, and which registers operands take, if the preferred ones are not.
func (m *rowMaker) settle() {
	r := newSource(0, m.d.Name, encoding(m.d))
	var legal []bits.Word
	plain := true // without changes
	for try := 0; try < settleTries && len(legal) < settleWords; try++ {
		attempt := try % freeAfter
		if try > settleTries/10 && len(legal) == 0 {
			plain, attempt = false, freeAfter+1
		}
		w := m.word(r, 0, 1, attempt)
		if _, err := m.bundle(w); err == nil {
			legal = append(legal, w)
		}
	}
	if len(legal) == 0 {
		return
	}
	for k := range m.slots {
		s := &m.slots[k]
		switch {
		case s.plain == nil && !plain:
			s.normal = s.get(legal[0])
		case s.plain != nil && len(s.others) > 0 && !slices.ContainsFunc(legal, func(w bits.Word) bool { return slices.Contains(s.plain, s.get(w)) }):
			s.plain, s.others = s.others, nil
		}
	}
	m.list()
}

// inst returns a word as an instruction of the row.
func (m *rowMaker) inst(w bits.Word) isa.Inst {
	n := m.d.EncodedSize(w)
	return isa.Inst{Def: m.d, Word: w.And(bits.Low(8 * n)), Addr: codeBase, Size: uint8(n), Var: uint8(m.t.Variant), Stage: uint8(m.t.Stage)}
}

// registers returns the values of an operand that name registers: per-lane ones if there are any, and the others.
func (m *rowMaker) registers(in isa.Inst, a *isa.Arg) (list, others []uint64) {
	machine := m.t.Machine()
	var spans []ir.Span
	for v := range uint64(1) << min(a.At.Len(), 63) {
		if v == maxProbed {
			break
		}
		if reserved(a.Kind, v) {
			continue
		}
		try := in
		try.Word = a.Put(try.Word, v)
		if spans = m.touched.Operand(&try, a, spans[:0]); len(spans) == 0 {
			continue
		}
		if machine.Kind(spans[0].Cell) == ir.Lane32 {
			list = append(list, v)
		} else {
			others = append(others, v)
		}
	}
	if list == nil {
		return others, nil
	}
	return list, others
}

// changesOf returns the values of a field worth a test of their own: all for a small field; for a large one those that
// its kind names, and the ends.
func changesOf(s *slot) (list []uint64) {
	add := func(v uint64) {
		if v &= ones(s.len); v == s.normal || reserved(s.kind, v) {
			return
		}
		for _, x := range list {
			if x == v {
				return
			}
		}
		list = append(list, v)
	}
	if s.len <= 4 {
		for v := range uint64(1) << s.len {
			add(v)
		}
		return list
	}
	for _, v := range s.kind.Samples {
		add(v)
	}
	for _, v := range []uint64{1, ones(s.len), ones(s.len - 1), 1 << (s.len - 1), 4, 16, 0} {
		add(v)
	}
	return list[:min(len(list), maxChanges)]
}

func reserved(k *isa.Kind, v uint64) bool { return v < uint64(len(k.Reserved)) && k.Reserved[v] }

// allowed returns v, or the next permitted value.
func allowed(k *isa.Kind, v uint64) uint64 {
	for reserved(k, v) {
		v++
	}
	return v
}

// word returns the word of test i of count. The first has the default of every modifier, the next ones have one change
// each, or several if there are more changes than tests. After that, and in further attempts of a test, random ones
// change. Operands are registers that do not overlap; in every fourth test, and in some attempts, they are anything
// that the field can hold.
func (m *rowMaker) word(r *source, i, count, attempt int) bits.Word {
	w := m.d.Value()
	chosen := make([]uint64, len(m.slots))
	for k := range m.slots {
		chosen[k] = m.slots[k].normal
	}
	free := i > len(m.changes) || attempt > freeAfter
	for c := i - 1; !free && c >= 0 && c < len(m.changes); c += max(count-1, 1) {
		chosen[m.changes[c].slot] = m.changes[c].value
	}
	if free && (i > 0 || attempt > freeAfter) {
		m.shake(r, chosen, attempt > freeAfter)
	}
	mixed := i%4 == 3 && attempt%2 == 0
	used := make([]ir.Span, 0, 8)
	for k := range m.slots {
		s := &m.slots[k]
		switch {
		case s.plain == nil:
		case mixed && r.one(2):
			chosen[k] = m.any(r, s)
		default:
			chosen[k] = m.register(r, s, w, &used, attempt)
		}
		w = s.put(w, chosen[k])
	}
	if l := m.d.Enc.Literal; l != nil {
		w = w.Put(l.At, m.literal(r, l.At.Len(), i))
	}
	return w
}

// literal returns a constant after the instruction: an edge value of a float or an integer, or a random one.
func (m *rowMaker) literal(r *source, n, i int) uint64 {
	s := shape{n, meaning.Integer}
	if r.one(2) {
		s.kind = meaning.Float
	}
	return r.value(s, m.edges.of(s), 0, r.below(64), i%2 == 0)
}

// freeAfter is the number of attempts of a test that keep its change; if they fail, the change is not legal.
const freeAfter = 8

// shake sets each field that is no register to its normal or another value; with hard it changes more of them.
func (m *rowMaker) shake(r *source, chosen []uint64, hard bool) {
	odds := 3
	if hard {
		odds = 2
	}
	for k := range m.slots {
		s := &m.slots[k]
		if s.plain != nil || len(s.changes) == 0 || !r.one(odds) {
			continue
		}
		if chosen[k] = pick(r, s.changes); s.len > 4 && r.one(2) {
			chosen[k] = m.any(r, s)
		}
	}
}

// any returns a random permitted value of the field.
func (m *rowMaker) any(r *source, s *slot) uint64 {
	for range 64 {
		if v := r.next() & ones(s.len); !reserved(s.kind, v) {
			return v
		}
	}
	return s.normal
}

// laterAny is the attempt from which on an operand need not be a preferred register: possibly only others are legal.
const laterAny = 4

// register chooses a register for an operand.
func (m *rowMaker) register(r *source, s *slot, w bits.Word, used *[]ir.Span, attempt int) uint64 {
	from := s.plain
	if attempt >= laterAny {
		switch r.below(4) {
		case 0:
			return m.any(r, s)
		case 1:
			if len(s.others) > 0 {
				from = s.others
			}
		}
	}
	return m.apart(r, s, from, w, used)
}

// apart returns a register that does not overlap those used, if one is found quickly.
func (m *rowMaker) apart(r *source, s *slot, from []uint64, w bits.Word, used *[]ir.Span) uint64 {
	v := pick(r, from)
	var spans []ir.Span
	for range 16 {
		in := m.inst(s.put(w, v))
		if spans = m.touched.Operand(&in, s.arg, spans[:0]); !meet(spans, *used) {
			break
		}
		v = pick(r, from)
	}
	*used = append(*used, spans...)
	return v
}

// meet reports whether two lists of cells overlap.
func meet(a, b []ir.Span) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Cell.File == y.Cell.File && x.Cell.Index < y.Cell.Index+y.Count && y.Cell.Index < x.Cell.Index+x.Count {
				return true
			}
		}
	}
	return false
}

// bundle returns what issues with the word: the instruction alone, or a group that its set makes around it. An error is
// the reason why there is none.
func (m *rowMaker) bundle(w bits.Word) (*isa.Bundle, error) {
	in := m.inst(w)
	if m.d.Check != nil {
		if why := m.d.Check(&in); why != "" {
			return nil, refusal("illegal: " + why)
		}
	}
	b := &isa.Bundle{}
	if g := m.t.Group; g != nil && g.Sample != nil {
		if !g.Sample(m.t, &in, b) {
			return nil, refusal("illegal: no group holds the word")
		}
	} else {
		b.Parts = append(b.Parts, in)
	}
	at := uint64(codeBase)
	for i := range b.Parts {
		b.Parts[i].Addr = at
		at += uint64(b.Parts[i].Size)
	}
	for _, f := range m.t.Lint(nil, b, nil) {
		if f.Severity == isa.SeverityError {
			return nil, refusal("illegal: rule " + f.Rule + ": " + f.Msg)
		}
	}
	return b, nil
}

// encode returns the bytes of the bundle, nil if it has no public encoding. It replaces the bundle by what decodes from
// the bytes, or from its text if there are none, because the test contains nothing else.
func encode(t *isa.Target, b *isa.Bundle) (code []byte, err error) {
	var back isa.Bundle
	text := string(t.Print(nil, b))
	if b.Private() {
		err = t.Parse(text, codeBase, &back)
	} else if code, err = b.Encode(nil); err == nil {
		err = t.DecodeBundle(code, codeBase, &back)
	}
	if err != nil {
		return nil, err
	}
	if code != nil && back.Size() != len(code) || string(t.Print(nil, &back)) != text {
		return nil, refusal("what is read back is another instruction")
	}
	*b = back
	return code, nil
}

// A refusal is the reason why something is no test.
type refusal string

func (r refusal) Error() string { return string(r) }
