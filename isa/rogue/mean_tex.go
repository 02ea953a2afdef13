package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Texture samples. The launch interprets the words of an image and of a sampler. docs/reference/rogue.md 5.7 and 7.4.

// The words by which image ops name what they access.
const (
	TexImage   = 0 // the state of the image
	TexSampler = StateWords
	TexHow     = 2 * StateWords // a TexUse
	TexWords   = TexHow + 1

	StateWords = 4
)

// A taker hands out the data words of a sample, register by register.
type taker struct {
	l    *isa.Lift
	from reg
	n    int
}

func (t *taker) take() V {
	t.n++
	return data(t.l).read(t.l, t.from.behind(t.n-1))
}

// states are the words that name what an instruction samples: images and samplers in registers from two numbers on.
func (st *state) states(l *isa.Lift, image, sampler reg, q *sampling) (words []V) {
	for _, r := range [...]reg{image, sampler} {
		for i := range StateWords {
			words = append(words, st.read(l, r.behind(i)))
		}
	}
	how := l.I32(uint32(q.use))
	if q.sample.Valid() {
		how = how.Or(q.sample.Shl(l.I32(texSampleAt)))
	}
	return append(words, how)
}

// A sampling is a sample with its operands read.
type sampling struct {
	attr   ir.ImageAttr
	at     ir.SampleAt
	lo, hi V // address that replaces the image's; invalid: the image's own
	sample V // number of the sample in the texel; invalid: the first
	dim    int
	use    TexUse
}

// newSampling is a sampling without coordinates.
func newSampling(l *isa.Lift, dim int) sampling {
	zero := l.I32(0)
	z := [3]V{zero, zero, zero}
	q := sampling{attr: ir.ImageAttr{With: ir.ImageEach}, dim: dim, use: TexUse(dim)}
	q.at = ir.SampleAt{At: z, Slice: zero, W: zero, Least: zero, Ref: zero, Offset: zero, Dx: z, Dy: z}
	if l.In.Opt(nameFCNorm) != 0 {
		q.use |= texNormal
	}
	if l.Option(optTexture) == textureRows {
		q.use |= texRows
	}
	if l.Option(optSamples) == samplePlanes {
		q.use |= texPlanes
	}
	if l.In.Opt(nameNNCoords) != 0 {
		q.attr.With |= ir.ImageTexels
	}
	return q
}

// project divides the coordinates.
func (q *sampling) project(by V) {
	for i := range q.dim {
		q.at.At[i] = q.at.At[i].As(ir.F32).FDiv(by.As(ir.F32)).As(ir.I32)
	}
}

// asked reads the operands of a sample that reads or stores texels: coordinates, their divisor, layer, level of detail
// or gradients, address, offsets.
func (st *state) asked(l *isa.Lift, t *taker, dim int, reads bool) sampling {
	q, in := newSampling(l, dim), l.In
	for i := range dim {
		q.at.At[i] = t.take()
	}
	if in.Opt(nameProj) != 0 {
		q.project(t.take())
	}
	if in.Opt(nameArray) != 0 {
		q.use, q.attr.With = q.use|texArray, q.attr.With|ir.ImageArray
		q.at.Slice = t.take().UToF(ir.F32).As(ir.I32)
	}
	compared := reads && in.Opt(nameComparison) != 0 && in.Opt(nameBypass)&bypassData == 0
	if compared && l.Option(optReference) != referenceLast {
		q.compare(l, t.take())
	}
	st.detail(l, t, &q)
	if in.Opt(nameTAO) != 0 {
		q.lo, q.hi = t.take(), t.take()
	}
	if in.Opt(nameSOO)|in.Opt(nameSNO) != 0 {
		q.lookup(l, t.take())
	}
	if compared && l.Option(optReference) == referenceLast {
		q.compare(l, t.take())
	}
	return q
}

// compare makes the sample a comparison of texels with a reference.
func (q *sampling) compare(l *isa.Lift, ref V) {
	q.attr.With |= ir.ImageCompare
	q.at.Ref = ref
	if l.Option(optOrder) == texelFirst {
		q.use |= texTexelFirst
	}
}

// detail reads the level of detail, or the values from which it is computed.
func (st *state) detail(l *isa.Lift, t *taker, q *sampling) {
	switch mode := l.In.Get(nameLOD); mode {
	case lodBias, lodReplace:
		q.attr.Lod = ir.LodBias
		if mode == lodReplace {
			q.attr.Lod = ir.LodExplicit
		}
		if l.In.Opt(namePPLOD) != 0 {
			q.at.W = t.take()
			return
		}
		q.at.W = st.source(l, group.FirstUpper)
	case lodGradients:
		q.attr.Lod = ir.LodSlopes
		for i := range q.dim {
			q.at.Dx[i], q.at.Dy[i] = t.take(), t.take()
		}
	}
}

// Fields of the word of offsets: first bit and width.
var offsetFields = [3]struct{ at, bits uint32 }{{0, 6}, {6, 6}, {12, 4}}

// sampleAt is the first bit of the number of the texel's sample in the same word.
const sampleAt = 16

// lookup decodes the word that holds the texel offsets, in signed fields (here widened to six bits in a byte each), and
// which sample of a texel to read.
func (q *sampling) lookup(l *isa.Lift, w V) {
	if l.In.Opt(nameSNO) != 0 {
		q.sample = w.ShrU(l.I32(sampleAt)).And(l.I32(sampleMask))
	}
	if l.In.Opt(nameSOO) == 0 {
		return
	}
	for i, f := range offsetFields {
		up := l.I32(32 - f.bits)
		v := w.Shl(l.I32(32 - f.bits - f.at)).ShrS(up).And(l.I32(0x3f))
		q.at.Offset = q.at.Offset.Or(v.Shl(l.I32(uint32(8 * i))))
	}
}

// Position of the address in an image's words, in units of four bytes: 16 bits from bit 16 of word 2 on, 22 bits of
// word 3.
const (
	addressLow  = 2
	addressHigh = 3
)

// moved stores the address of the sample into the words of its image.
func (q *sampling) moved(l *isa.Lift, words []V) {
	if !q.lo.Valid() {
		return
	}
	low := q.lo.Shl(l.I32(14)).And(l.I32(0xffff0000))
	high := q.lo.ShrU(l.I32(18)).Or(q.hi.Shl(l.I32(14))).And(l.I32(0x3fffff))
	words[addressLow] = words[addressLow].And(l.I32(0xffff)).Or(low)
	words[addressHigh] = words[addressHigh].And(l.I32(0xffc00000)).Or(high)
}

// Bypass modes by code, of two bits.
const (
	bypassData = 1 // the four texels that a filter would blend
	bypassInfo = 2 // the weights of the filter, and levels of detail
)

// lacks faults for a sample that requests what no source describes. It reports whether it did.
func lacks(l *isa.Lift) bool {
	if l.In.Opt(nameF16Input) == 0 {
		return false
	}
	l.Fail(ir.TrapUndefined, "how halves lie in the data of a sample is not public")
	return true
}

// sampleOf is SMP with dim coordinates, floats or texel coordinates.
func sampleOf(dim int) func(*isa.Lift) {
	return func(l *isa.Lift) {
		if lacks(l) {
			return
		}
		st := data(l)
		t := taker{l: l, from: st.named(1)}
		q := st.asked(l, &t, dim, true)
		for i := 0; l.In.Opt(nameInteger) != 0 && i < dim; i++ {
			q.attr.With |= ir.ImageTexels
			q.at.At[i] = q.at.At[i].SToF(ir.F32).As(ir.I32)
		}
		words := st.states(l, st.named(0), st.named(2), &q)
		q.moved(l, words)
		st.landed(l, st.named(4), q.results(l, words, 1+int(l.In.Get(nameChan))))
	}
}

// results are the results of a sample: channels of the filtered texel, or what the bypass mode selects.
func (q *sampling) results(l *isa.Lift, words []V, n int) []V {
	mode := l.In.Opt(nameBypass)
	var raw, info []V
	if mode&bypassData != 0 {
		raw = q.raw(l, words, n)
	}
	if mode&bypassInfo != 0 {
		info = q.info(l, words)
	}
	switch {
	case mode == 0:
		return l.Sample(q.attr, words, q.at, mask(l))[:n]
	case l.Option(optBypass) == infoFirst:
		return append(info, raw...)
	}
	return append(raw, info...)
}

// infoWords is the number of results that describe how a sample is filtered.
const infoWords = 7

// info is the weights of the filter along each axis, then integer and fraction of the level of detail.
func (q *sampling) info(l *isa.Lift, words []V) (vs []V) {
	how := words[TexHow]
	for _, part := range [...]TexUse{texWeights, texLevels} {
		words[TexHow] = how.Or(l.I32(uint32(part)))
		vs = append(vs, l.Sample(q.attr, words, q.at, mask(l))...)
	}
	words[TexHow] = how
	return vs[:infoWords]
}

// gathered is the position of each texel in a gather, whose texels come as (0,1) (1,1) (1,0) (0,0): for the order in
// which x counts fastest, and for that in which y does.
var gathered = [2][4]int{{3, 2, 0, 1}, rawByY: {3, 0, 2, 1}}

// raw is the channels of four texels, texel by texel.
func (q *sampling) raw(l *isa.Lift, words []V, n int) []V {
	vs := make([]V, 4*n)
	for c := range n {
		a := q.attr
		a.Do, a.Comp = ir.SampleGather, uint8(c)
		t := l.Sample(a, words, q.at, mask(l))
		for i, from := range gathered[l.Option(optRaw)] {
			vs[i*n+c] = t[from]
		}
	}
	return vs
}

// landed writes the results of a sample; as halves two per register if the instruction says so, the first in the low
// half.
func (st *state) landed(l *isa.Lift, to reg, vs []V) {
	if l.In.Opt(nameF16) != 0 {
		vs = inHalves(l, vs)
	}
	for i, v := range vs {
		st.later(to.behind(i), v, V{})
	}
	st.pending(l, to, len(vs))
}

// inHalves packs floats as halves.
func inHalves(l *isa.Lift, vs []V) (packed []V) {
	for i, v := range vs {
		h := toHalf(v.As(ir.F32)).As(ir.I16).ZExt(ir.I32)
		if i&1 == 0 {
			packed = append(packed, h)
			continue
		}
		packed[i/2] = packed[i/2].Or(h.Shl(l.I32(16)))
	}
	return packed
}

// A texelSize is a store of count elements of elem bytes.
type texelSize struct{ elem, count uint8 }

func (s texelSize) mem() ir.Mem {
	return ir.Mem{Space: ir.GlobalSpace, Elem: s.elem, Count: s.count, Align: s.elem}
}

// elements are the values of the elements in the words of a texel.
func (s texelSize) elements(l *isa.Lift, words []V) (vs []V) {
	for i := range int(s.count) {
		at := i * int(s.elem)
		v := words[at/4]
		if low := at % 4; low != 0 {
			v = v.ShrU(l.I32(uint32(8 * low)))
		}
		vs = append(vs, v)
	}
	return vs
}

// texelSizes are the possible sizes of texels.
var texelSizes = [...]texelSize{{1, 1}, {2, 1}, {1, 3}, {4, 1}, {2, 3}, {4, 2}, {4, 3}, {4, 4}}

// writeOf is SMP with dim coordinates that stores a texel. The texel's words follow those of a sample. Coordinates are
// texel coordinates.
func writeOf(dim int) func(*isa.Lift) {
	return func(l *isa.Lift) {
		if lacks(l) {
			return
		}
		st := data(l)
		t := taker{l: l, from: st.named(1)}
		q := st.asked(l, &t, dim, false)
		if l.Option(optStore) != storeComponents && q.use.Normal() {
			q.use |= texPacked
		}
		words := st.states(l, st.named(0), st.named(2), &q)
		q.moved(l, words)
		zero := l.I32(0)
		vs := []V{zero, zero, zero, zero}
		for i := range 1 + int(l.In.Get(nameChan)) {
			vs[i] = t.take()
		}
		var at [3]V
		for i := range at {
			if at[i] = q.at.At[i]; l.In.Opt(nameInteger) == 0 {
				at[i] = at[i].As(ir.F32).FFloor().FToS(ir.I32)
			}
		}
		slice := q.at.Slice.As(ir.F32).FToU(ir.I32)
		m := mask(l)
		place := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: q.attr.With}, words, []V{at[0], at[1], at[2], slice, zero}, m)
		raw := l.Image(ir.ImageAttr{Do: ir.ImageEncode, With: q.attr.With}, words, vs, m)
		addr := place[0].Pack(place[1], ir.I64)
		var masks [len(texelSizes)]V
		for i, s := range texelSizes { // all masks before the first store: of two stores the second must not fault
			masks[i] = m.And(place[2].Eq(l.I32(uint32(s.elem) * uint32(s.count))))
			l.Check(s.mem(), true, addr, masks[i])
		}
		for i, s := range texelSizes {
			l.Store(s.mem(), addr, s.elements(l, raw), masks[i])
		}
		l.Issue(int(l.In.Opt(nameDRC)), nil, nil)
	}
}

// iterateSample is ITRSMP with dim coordinates, which are iterated, as is their divisor with proj. Its numbers are in
// units of coefficient sets and states.
func iterateSample(dim int) func(*isa.Lift) {
	return func(l *isa.Lift) {
		if lacks(l) {
			return
		}
		st, in := data(l), l.In
		x, y := st.position(l, in.Get(nameMode))
		w := st.divisor(l, in.Get(namePersp), coefficients(l, nameWCoeff, nameIdxW), x, y)
		from := coefficients(l, nameCoeff, nameIdxCoeff)
		q := newSampling(l, dim)
		for i := range dim {
			q.at.At[i] = st.iterated(l, from, i, x, y, w).As(ir.I32)
		}
		if in.Get(nameProj) != 0 {
			q.project(st.iterated(l, from, dim, x, y, w).As(ir.I32))
		}
		if in.Opt(nameComparison) != 0 {
			n := dim
			if in.Get(nameProj) != 0 {
				n++
			}
			q.compare(l, st.iterated(l, from, n, x, y, w).As(ir.I32))
		}
		state := func(n isa.Name) reg { return based(l, reg{bankShared, uint16(in.Get(n)) * StateWords}) }
		words := st.states(l, state(nameTexture), state(nameSampler), &q)
		st.landed(l, reg{bankTemp, uint16(in.Get(nameDst))}, l.Sample(q.attr, words, q.at, mask(l))[:1+int(in.Get(nameChan))])
		if in.Get(nameSched) == waitsAtOnce {
			l.Wait(int(in.Get(nameDRC)), 0)
		}
	}
}
