package isa

import "github.com/heddle-gpu/heddle/bits"

// The outline of a text determines how it is read: the row, the order of operands, and everything that words say.
// Only the fields that its numbers give are left. So a scan caches the result per outline and reads the next text of
// an outline by storing its numbers in these fields. Only properties that a trace has shown are cached: see tracing.

// patternBits determines how many patterns are cached; a newer one replaces an older one.
const (
	patternBits = 10
	patternSize = 1 << patternBits
)

// fewLines is how many texts a scan reads before it caches patterns: most scans of one line have no second.
const fewLines = 4

// A pattern is the parse of all texts of one outline.
type pattern struct {
	words     [outlineWords]uint64
	readKey   readKey
	n, found  uint8
	start     uint8 // of the mnemonic
	size      uint8
	def       *Def
	word      bits.Word
	numFields [numeralsMost]numField
}

// A readKey is the part of a pattern, besides the text, that determines how the text is read.
type readKey struct {
	set     *Set
	options *uint8 // the first of them
	key     uint64
}

// A numField is a number of a pattern: it must equal value, or gives a field.
type numField struct {
	slot  *slot  // nil: the number must be value
	value uint64 // of the field, for the number 0
	most  uint32
	step  uint32 // added to the field for each 1<<shift of the number, which must be a multiple of that
	shift uint8
	any   bool // any number will do: the outline says that it differs from the first
}

// patterns are the cached patterns by outline, in sets of two.
type patterns struct {
	outline outline
	readKey readKey
	entries [patternSize / 2][2]outlineEntry
	trace   trace
}

// An outlineEntry is the cache entry of an outline.
type outlineEntry struct {
	mark   uint32 // identifies most outlines; 0: empty
	traces uint8  // how many texts have been traced to make its pattern
	made   *pattern
}

// place returns the entry of the outline, and whether it is new.
func (ps *patterns) place() (k *outlineEntry, isNew bool) {
	h := ps.outline.hash
	two, mark := &ps.entries[h>>(64-patternBits+1)], uint32(h>>16)|1
	switch {
	case two[0].mark == mark:
		return &two[0], false
	case two[1].mark == mark:
		return &two[1], false
	}
	k = &two[h>>8&1]
	if k.made != nil { // replace one without a pattern first
		k = &two[h>>8&1^1]
	}
	k.mark, k.traces, k.made = mark, 0, nil
	return k, true
}

// outlined returns the patterns of the scan and computes the outline of the rest of the text; nil: there are no
// patterns, or the text has no outline.
func (s *Scan) outlined() *patterns {
	t := s.Target
	if !t.numbered || s.Every || s.trace != nil {
		return nil
	}
	c := t.numerals()
	if s.Memo == nil {
		s.Memo = new(Memo)
	}
	ps := s.Memo.patterns
	if ps == nil {
		if s.Memo.lines++; s.Memo.lines < fewLines {
			return nil
		}
		ps = new(patterns)
		s.Memo.patterns = ps
	}
	ps.readKey.set, ps.readKey.options = t.Set, first(t.options)
	ps.readKey.key = uint64(t.Variant) | uint64(t.Stage)<<8 | uint64(t.Dialect)<<16 | uint64(s.Class)<<24
	if s.Long {
		ps.readKey.key |= 1 << 32
	}
	if !ps.outline.of(s.Line[s.Pos:], c, ps.readKey.key) {
		return nil
	}
	return ps
}

// maxTraces limits the traced texts of an outline: the first may need another row than most.
const maxTraces = 3

// fill reads a text by its pattern, if one is cached and holds for these numbers. Otherwise it does nothing.
func (s *Scan) fill(ps *patterns, p *pattern, in *Inst) bool {
	o := &ps.outline
	if s.fail.set || !p.is(o) || p.readKey != ps.readKey {
		return false
	}
	w := p.word
	for i := range p.numFields[:p.found] {
		h, v := &p.numFields[i], o.numerals[i].value
		switch {
		case v > h.most, v&(1<<(h.shift&31)-1) != 0:
			return false
		case h.slot != nil:
			h.slot.set(&w, h.value+uint64(v>>(h.shift&31))*uint64(h.step))
		case uint64(v) != h.value && !h.any:
			return false
		}
	}
	d := p.def
	in.Def, in.Word, in.Addr, in.Size = d, w, s.Addr, p.size
	in.Var, in.Stage = uint8(p.readKey.key), uint8(p.readKey.key>>8)
	if d.Check != nil && d.Check(in) != "" {
		return false
	}
	start := s.Pos + int(p.start)
	if s.Rules {
		if _, b := d.set.rulesOf(d).breach(in); b != nil {
			return false
		}
	}
	s.start, s.Pos = start, len(s.Line)
	s.UsedSymbol, s.Unresolved = false, false
	return true
}

// is reports whether the outline is that of the pattern.
func (p *pattern) is(o *outline) bool {
	if int(p.n) != o.n || int(p.found) != o.found {
		return false
	}
	for i := range min(o.n, outlineWords) {
		if p.words[i] != o.words[i] {
			return false
		}
	}
	return true
}

// A trace records how a scan reads one text.
type trace struct {
	reads  [maxReads]traced
	n      int
	spoilt bool // something depended on other numbers, or on the rest of the file
}

// A traced is an arg and the part of the line that it was read from.
type traced struct {
	arg      *Arg
	from, to int
	quick    bool // as one of its Numbered texts
}

// Parse reads the instruction on the scan's line, from Pos on, into in; in a set with several classes, one of
// s.Class. The mnemonic is the longest that ends at the end of a word or at a dot and of which a row fits; rows of a
// name are tried in the order of their rank. The error is that of the row that got furthest.
func (s *Scan) Parse(in *Inst) error {
	s.Space()
	ps := s.outlined()
	if ps == nil {
		return s.parse(in)
	}
	switch k, isNew := ps.place(); {
	case isNew:
	case k.made != nil:
		if s.fill(ps, k.made, in) {
			return nil
		}
	case k.traces < maxTraces:
		return s.learn(ps, k, in)
	}
	return s.parse(in)
}

// spoil records, if there is a trace, that the text has no pattern.
func (s *Scan) spoil() {
	if s.trace != nil {
		s.trace.spoilt = true
	}
}

// maxReads limits the args of a text with a pattern.
const maxReads = 12

func (t *trace) read(a *Arg, from, to int, quick bool) {
	if t.n == maxReads {
		t.spoilt = true
		return
	}
	t.reads[t.n] = traced{a, from, to, quick}
	t.n++
}

// learn is Parse for a text whose outline has been seen before. It makes a pattern if that is possible.
func (s *Scan) learn(ps *patterns, k *outlineEntry, in *Inst) error {
	k.traces++
	from, text, said := s.Pos, s.Line[s.Pos:], s.Scratch
	ps.trace = trace{}
	s.trace = &ps.trace
	err := s.parse(in)
	s.trace = nil
	if err != nil || s.Scratch != said {
		return err
	}
	p := pattern{readKey: ps.readKey, n: uint8(ps.outline.n), found: uint8(ps.outline.found), words: ps.outline.words,
		start: uint8(s.start - from), size: in.Size, def: in.Def, word: in.Word}
	if s.numFields(ps, &p, in, text, from) {
		k.made = &p
	}
	return nil
}

// numFields finds the fields that the numbers of a text give, where text was read as the instruction from position from
// of the line. It returns false if the outline does not determine how its texts are read.
func (s *Scan) numFields(ps *patterns, p *pattern, in *Inst, text string, from int) bool {
	t := &ps.trace
	if t.spoilt || in.Def.Enc.Literal != nil || s.UsedSymbol || s.Unresolved {
		return false
	}
	given := false
	for i := range p.found {
		n := &ps.outline.numerals[i]
		h := &p.numFields[i]
		*h = numField{value: uint64(n.value), most: ^uint32(0)}
		for _, r := range t.reads[:t.n] {
			if int(n.at)+from < r.from || int(n.end)+from > r.to {
				continue
			}
			if h.slot != nil || h.any {
				return false
			}
			if r.arg.Kind.Again && ps.outline.again>>i&1 != 0 {
				h.any = true
			} else if l := r.linear(in, text, n, from); r.alone(ps, from) {
				l.make(h, &r.arg.slot, in, n.value)
			}
		}
		given = given || h.slot != nil
		if h.slot != nil && n.at < p.start {
			return false
		}
	}
	return given || p.found == 0
}

// alone reports whether exactly one numeral is in the text of the arg.
func (r *traced) alone(ps *patterns, from int) bool {
	count := 0
	for i := range ps.outline.found {
		if n := &ps.outline.numerals[i]; int(n.at)+from >= r.from && int(n.end)+from <= r.to {
			count++
		}
	}
	return count == 1
}

// linear says how the value of an arg depends on a numeral in its text.
func (r *traced) linear(in *Inst, text string, n *numeral, from int) Linear {
	a := r.arg
	switch {
	case !a.bits || a.Kind.Reserved != nil:
		return Linear{}
	case r.quick:
		for i := range a.read.numbered {
			x := &a.read.numbered[i]
			prefix, _ := pack(text[r.from-from : n.at])
			if int(n.at)+from-r.from == int(x.shift)/8 && prefix == x.text {
				return Linear{Scale: 1, Step: x.step, Most: x.n - 1}
			}
		}
		return Linear{}
	case a.Kind.Linear != nil:
		return a.Kind.Linear(in, text[r.from-from:n.at], text[n.end:r.to-from], a.Get(in.Word))
	}
	return Linear{}
}

// A Linear says how the value of an operand depends on the number in its text: Step is added for each Scale, a power
// of two that divides the number. It holds for numbers up to Most. The zero Linear says that this is unknown.
type Linear struct{ Scale, Step, Most uint64 }

// make makes the numField of a number that gives a field, whose value the instruction holds.
func (l Linear) make(h *numField, f *slot, in *Inst, number uint32) {
	n := uint64(number)
	if l.Scale == 0 || l.Scale&(l.Scale-1) != 0 || l.Scale>>31 != 0 || l.Step == 0 || l.Step>>32 != 0 || n%l.Scale != 0 || n > l.Most {
		return
	}
	by, now := n/l.Scale*l.Step, f.get(in.Word)
	if by > now {
		return
	}
	base := now - by
	most := min(l.Most, (f.mask-base)/l.Step*l.Scale, uint64(^uint32(0)))
	if most < n {
		return
	}
	*h = numField{slot: f, value: base, most: uint32(most), step: uint32(l.Step)}
	for l.Scale > 1 {
		l.Scale, h.shift = l.Scale>>1, h.shift+1
	}
}
