package isa

import (
	"fmt"
	mathbits "math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// check is a field with reserved values.
type check struct {
	slot
	name     string
	reserved []uint64 // bit v%64 of v/64: v is reserved
}

// refuses reports whether the value is reserved.
func (c *check) refuses(v uint64) bool {
	return v>>6 < uint64(len(c.reserved)) && c.reserved[v>>6]>>(v&63)&1 != 0
}

// A tree finds the row that matches a word: a few table look-ups, then a few comparisons.
type tree struct {
	nodes  []node
	leaves [][]leaf
}

// node looks at up to ten bits of a word. kids[i] >= 0 is a node, else leaf ^kids[i].
type node struct {
	cut
	kids []int32
}

// A cut is one or two runs of bits in one half of a word, read as one number.
type cut struct {
	low, upper  uint32 // of the number: the bits of the first run, and of the second; upper 0: one run only
	shift, next uint8  // how far they lie above those of the number
	hi          uint8  // which half
}

// newCut returns the cut of a run, and of a second run above it in the same half if it is not empty.
func newCut(r bits.Range, more ...bits.Range) cut {
	c := cut{hi: r.Lo / 64, shift: r.Lo % 64, low: uint32(bits.Ones(r.Len()))}
	for _, m := range more {
		n := r.Len()
		c.next, c.upper = m.Lo%64-uint8(n), uint32(bits.Ones(m.Len())<<n)
	}
	return c
}

// get returns the number in w.
func (c *cut) get(w bits.Word) uint32 {
	x := w.Lo
	if c.hi != 0 {
		x = w.Hi
	}
	return uint32(x>>(c.shift&63))&c.low | uint32(x>>(c.next&63))&c.upper
}

// all returns the greatest number.
func (c *cut) all() uint32 { return c.low | c.upper }

// bits returns the bits of the word that the cut reads.
func (c *cut) bits() bits.Word {
	m := uint64(c.low)<<c.shift | uint64(c.upper)<<c.next
	if c.hi != 0 {
		return bits.Word{Hi: m}
	}
	return bits.Word{Lo: m}
}

// end returns the position after its last bit.
func (c *cut) end() int {
	end := int(c.shift) + mathbits.Len32(c.low)
	if c.upper != 0 {
		end = int(c.next) + mathbits.Len32(c.upper)
	}
	return 64*int(c.hi) + end
}

type leaf struct {
	mask, value bits.Word
	def         *Def
}

const (
	maxLeaf  = 4
	maxIndex = 10 // bits of one table
	maxDepth = 8
)

func newTree(rows []*Def) *tree {
	b := &treeBuilder{tree: &tree{}, room: make([]leaf, 0, 2*len(rows)), ends: make([]int, 1, len(rows)+2)}
	b.build(rows, bits.Word{}, 0)
	b.leaves = make([][]leaf, len(b.ends)-1)
	for i := range b.leaves {
		b.leaves[i] = b.room[b.ends[i]:b.ends[i+1]]
	}
	return b.tree
}

// A treeBuilder makes a tree. All leaves lie in one slice.
type treeBuilder struct {
	*tree
	room  []leaf
	ends  []int // in room: the ends of the leaves made so far, preceded by 0
	empty int32 // the leaf without rows; 0: not made yet
	deals [maxDepth]*deal
}

// A deal is the rows of a node sorted by the values that they match. It is scratch memory while the node is made.
type deal struct {
	rows []*Def
	ends [1 << maxIndex]int32 // in rows, by value
}

// build makes the node or leaf for the rows, whose bits in seen are known to match, and returns its index.
func (b *treeBuilder) build(rows []*Def, seen bits.Word, depth int) int32 {
	if len(rows) <= maxLeaf || depth == maxDepth {
		return b.leaf(rows)
	}
	c, ok := split(rows, seen)
	if !ok {
		return b.leaf(rows)
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{cut: c})
	if b.deals[depth] == nil {
		b.deals[depth] = new(deal)
	}
	d := b.deals[depth]
	d.sort(rows, &c)
	kids := make([]int32, c.all()+1)
	var last []*Def
	for v, from := 0, int32(0); v < len(kids); v, from = v+1, d.ends[v] {
		sub := d.rows[from:d.ends[v]]
		if v > 0 && slices.Equal(sub, last) {
			kids[v] = kids[v-1]
			continue
		}
		kids[v], last = b.build(sub, seen.Or(c.bits()), depth+1), sub
	}
	b.nodes[at].kids = kids
	return int32(at)
}

// sort lists the rows by the values of c that they match.
func (d *deal) sort(rows []*Def, c *cut) {
	values := d.ends[:c.all()+1]
	clear(values)
	n := 0
	matches(rows, c, func(v uint32, _ *Def) {
		values[v]++
		n++
	})
	d.rows = slices.Grow(d.rows[:0], n)[:n]
	at := int32(0)
	for v, count := range values { // the start of the list; it becomes the end as the list fills
		values[v], at = at, at+count
	}
	matches(rows, c, func(v uint32, row *Def) {
		d.rows[values[v]] = row
		values[v]++
	})
}

// matches calls f for each value of c that a row matches.
func matches(rows []*Def, c *cut, f func(v uint32, row *Def)) {
	for _, row := range rows {
		v, free := c.get(row.value), c.all()&^c.get(row.mask)
		for x := free; ; x = (x - 1) & free { // of the bits that the row leaves free
			f(v|x, row)
			if x == 0 {
				break
			}
		}
	}
}

// leaf makes the leaf of the rows: rows with First layouts come first, then those that fix most bits.
func (b *treeBuilder) leaf(rows []*Def) int32 {
	if len(rows) == 0 && b.empty != 0 {
		return b.empty
	}
	from := len(b.room)
	for _, d := range rows {
		b.room = append(b.room, leaf{d.mask, d.value, d})
	}
	slices.SortStableFunc(b.room[from:], func(x, y leaf) int {
		if x.def.Enc.First != y.def.Enc.First {
			return oneIf(y.def.Enc.First) - oneIf(x.def.Enc.First)
		}
		return y.mask.Count() - x.mask.Count()
	})
	b.ends = append(b.ends, len(b.room))
	i := ^int32(len(b.ends) - 2)
	if len(rows) == 0 {
		b.empty = i
	}
	return i
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// split chooses the run of bits, fixed in as many rows as possible, that distinguishes most rows, and a second such
// run in the same half if both together distinguish more.
func split(rows []*Def, seen bits.Word) (best cut, ok bool) {
	var room [128]bits.Range
	runs := equallyFixed(rows, seen, room[:0])
	bestScore, first := 0, 0
	for i, r := range runs {
		c := newCut(r)
		if n := kinds(rows, &c); n > bestScore {
			best, bestScore, first = c, n, i
		}
	}
	for i, r := range runs {
		low, high := runs[first], r
		if i < first {
			low, high = high, low
		}
		if low.Hi >= high.Lo || low.Lo/64 != high.Lo/64 || low.Len()+high.Len() > maxIndex || bestScore == len(rows) {
			continue
		}
		c := newCut(low, high)
		if n := kinds(rows, &c); n > bestScore {
			best, bestScore = c, n
		}
	}
	return best, bestScore > 1
}

// equallyFixed appends the runs of bits that the largest number of rows fixes, each of at most maxIndex bits and in
// one half of a word. They may overlap.
func equallyFixed(rows []*Def, seen bits.Word, runs []bits.Range) []bits.Range {
	var fixed [128]int
	for _, d := range rows {
		m := d.mask.AndNot(seen)
		for half, w := range [...]uint64{m.Lo, m.Hi} {
			for ; w != 0; w &= w - 1 {
				fixed[64*half+mathbits.TrailingZeros64(w)]++
			}
		}
	}
	most := 0
	for _, n := range fixed {
		most = max(most, n)
	}
	for lo := 0; lo < 128 && most > 0; lo++ {
		if fixed[lo] < most {
			continue
		}
		hi := lo
		for hi+1 < 128 && fixed[hi+1] == most && hi+1-lo < maxIndex && (hi+1)/64 == lo/64 {
			hi++
		}
		runs = append(runs, bits.Span(lo, hi))
	}
	return runs
}

// kinds returns the number of different values that the rows fix in c.
func kinds(rows []*Def, c *cut) (n int) {
	var seen [1 << maxIndex / 64]uint64
	all := c.all()
	for _, d := range rows {
		if c.get(d.mask) == all {
			v := c.get(d.value)
			seen[v/64] |= 1 << (v % 64)
		}
	}
	for _, w := range seen {
		n += mathbits.OnesCount64(w)
	}
	return n
}

func (t *tree) find(w bits.Word) *Def {
	if len(t.nodes) == 0 {
		return t.pick(0, w)
	}
	at := int32(0)
	for at >= 0 {
		n := &t.nodes[at]
		at = n.kids[n.get(w)]
	}
	return t.pick(^at, w)
}

func (t *tree) pick(i int32, w bits.Word) *Def {
	if int(i) >= len(t.leaves) {
		return nil
	}
	ls := t.leaves[i]
	for j := range ls {
		if l := &ls[j]; w.Lo&l.mask.Lo == l.value.Lo && w.Hi&l.mask.Hi == l.value.Hi {
			return l.def
		}
	}
	return nil
}

// stands reports whether every word with the low size bits of w has the row that find returns for w.
func (t *tree) stands(w bits.Word, size int) bool {
	at := int32(0)
	for at >= 0 && len(t.nodes) > 0 {
		n := &t.nodes[at]
		if n.end() > size {
			return false
		}
		at = n.kids[n.get(w)]
	}
	low := bits.Low(size)
	for _, l := range t.leaves[max(^at, 0)] {
		if m := l.mask.And(low); w.And(m) == l.value.And(low) {
			return m == l.mask
		}
	}
	return false
}

// Stands reports whether the bytes of a decoded instruction are that instruction whatever follows them.
func (t *Target) Stands(in *Inst) bool { return t.trees[0].stands(in.Word, 8*int(in.Size)) }

// Decode decodes the instruction at the start of code, at address addr, into in. In a set with several classes it
// must be of the first class. It never reads beyond code. The error is an *Error.
func (t *Target) Decode(code []byte, addr uint64, in *Inst) error {
	return t.DecodePart(0, code, addr, in)
}

// DecodePart is Decode for an instruction of a class.
func (t *Target) DecodePart(class int, code []byte, addr uint64, in *Inst) error {
	w := bits.Load(code)
	def := t.trees[class].find(w)
	if def == nil {
		return t.noMatch(class, code, addr, w)
	}
	n := int(def.size)
	in.Def, in.Addr, in.Var, in.Stage = def, addr, uint8(t.Variant), uint8(t.Stage)
	in.Word = w
	if def.literal && in.HasLiteral() {
		n = def.Enc.Literal.end()
	}
	if n > len(code) {
		return &Error{Code: ErrTruncated, Off: addr, Word: w, Size: len(code),
			Msg: fmt.Sprintf("%s: %d bytes needed, %d left", def.Name, n, len(code))}
	}
	in.Size = uint8(n)
	in.Word = w.First(n)
	if !def.exam {
		return nil
	}
	if !def.calms || w.And(def.watched) != def.calm {
		for i := range def.checks {
			c := &def.checks[i]
			if v := c.get(w); c.refuses(v) {
				return in.reservedValue(c, v)
			}
		}
	}
	if def.Enc.Unclaimed == Zero && !in.Word.AndNot(def.claimed).IsZero() && !in.Res().IsZero() {
		return in.reservedBits()
	}
	if def.Check != nil {
		if msg := def.Check(in); msg != "" {
			return &Error{Code: ErrIllegal, Off: addr, Word: in.Word, Size: n, Msg: def.Name + ": " + msg}
		}
	}
	return nil
}

// Match returns the row whose fixed bits are those at the start of code; nil: there is none. Decode may still refuse
// the code, with a reason.
func (t *Target) Match(code []byte) *Def { return t.trees[0].find(bits.Load(code)) }

// DecodeAs sets in to the instruction at the start of code, at address addr, which Decode has read as one of row d.
func (t *Target) DecodeAs(d *Def, code []byte, addr uint64, in *Inst) {
	n := int(d.size)
	in.Def, in.Addr, in.Var, in.Stage = d, addr, uint8(t.Variant), uint8(t.Stage)
	in.Word = bits.Load(code)
	if d.literal && in.HasLiteral() {
		n = d.Enc.Literal.end()
	}
	in.Size, in.Word = uint8(n), in.Word.First(n)
}

// noMatch returns the error of a word that no row matches: it names another stage or variant with a row for it, or
// what the set's gaps say.
func (t *Target) noMatch(class int, code []byte, addr uint64, w bits.Word) error {
	n := min(len(code), t.Longest)
	e := &Error{Code: ErrInvalid, Off: addr, Word: w, Size: n}
	if len(code) < t.least(class) {
		e.Code, e.Msg = ErrTruncated, fmt.Sprintf("instruction cut short: %s left, at least %d needed", spell.Count(len(code), "byte"), t.least(class))
		return e
	}
	e.Size = min(n, max(t.Unit, 4))
	for st := range t.targets[t.Variant] {
		if def := t.At(t.Variant, st).trees[class].find(w); st != t.Stage && def != nil {
			e.Code, e.Msg = ErrStage, fmt.Sprintf("no instruction of stage %s (stage %s would read %s)", t.Stages[t.Stage], t.Stages[st], def.Name)
			return e
		}
	}
	for v := range t.Variants {
		if def := t.At(v, t.Stage).trees[class].find(w); v != t.Variant && def != nil {
			e.Code, e.Msg = ErrVariant, fmt.Sprintf("no instruction of %s (%s would read %s)",
				t.Variants[t.Variant].Name, t.Variants[v].Name, def.Name)
			return e
		}
	}
	if g, msg := t.gap(class, w); g != nil {
		if e.Msg = msg; g.Code != "" {
			e.Code = g.Code
		}
	}
	if e.Msg == "" {
		e.Msg = "no " + t.className(class) + " has these bits"
	}
	return e
}

// least returns the minimal size in bytes of an instruction of the class: 1 in a set with several classes, since Unit
// is that of bundles.
func (t *Target) least(class int) int {
	if len(t.Classes) > 0 {
		return 1
	}
	return t.Unit
}

// className returns the name of an instruction of the class in messages.
func (s *Set) className(class int) string {
	if class < len(s.Classes) {
		return s.Classes[class]
	}
	return "instruction"
}

func (in *Inst) reservedValue(c *check, v uint64) error {
	e := &Error{Code: ErrReserved, Off: in.Addr, Word: in.Word, Size: int(in.Size),
		Msg: fmt.Sprintf("%s: %s holds the reserved value 0x%x", in.Def.Name, c.name, v)}
	if len(c.at) > 0 {
		e.Bits = c.at[0]
	}
	return e
}

func (in *Inst) reservedBits() error {
	r := in.Res()
	i := 0
	for r.Bit(i) == 0 {
		i++
	}
	return &Error{Code: ErrReserved, Off: in.Addr, Word: in.Word, Size: int(in.Size), Bits: bits.Span(i, i),
		Msg: fmt.Sprintf("%s: reserved bits must be 0: bit %d is 1", in.Def.Name, i)}
}

// DecodeBundle decodes the bundle at the start of code.
func (t *Target) DecodeBundle(code []byte, addr uint64, b *Bundle) error {
	b.Pad, b.Parts = 0, b.Parts[:0]
	if t.Group != nil {
		return t.Group.Split(t, code, addr, b)
	}
	return t.DecodePart(0, code, addr, b.one())
}
