package valhall

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Samples of textures. docs/reference/valhall.md 9.3.

// Fields of a texture handle that has one word. docs/reference/valhall.md 9.2.
const (
	narrowIndex = 1<<11 - 1
	narrowTable = 11
	narrowHalf  = 16 // the texture's half
)

// Cube maps: the face stands in the upper three bits of s, whose own are those of a number from 2^-63 to 1.
const (
	cubeFaceAt = 29
	cubeSign   = 1 << cubeFaceAt
)

// narrowHandle is the handle in a half of a texture handle.
func narrowHandle(l *isa.Lift, w V, half uint32) V {
	w = w.ShrU(l.I32(half))
	return w.And(l.I32(narrowIndex)).Or(w.ShrU(l.I32(narrowTable)).And(l.I32(31)).Shl(l.I32(HandleTable)))
}

// texHandles are texture and sampler that the source of 64 bits names. With wide indices its words are the sampler and the texture.
func texHandles(l *isa.Lift) (texture, sampler V) {
	lo, hi := l.Src(0).Unpack(ir.I32)
	if l.In.Opt(nameWide) != 0 {
		return hi, lo
	}
	return narrowHandle(l, lo, narrowHalf), narrowHandle(l, lo, 0)
}

// A texShape is what an instruction says of its texture.
type texShape struct {
	dim   int
	array bool
}

func shapeOf(l *isa.Lift) texShape {
	return texShape{int(l.In.Get(nameDimension)), l.In.Opt(nameArray) != 0}
}

// axes is how many coordinates there are: of a cube those on the face.
func (s texShape) axes() int { return [...]int{Dim1D: 1, Dim2D: 2, Dim3D: 3, DimCube: 2}[s.dim] }

func (s texShape) use() ResUse {
	u := UseSample | ResUse(s.dim)<<useDim
	if s.array {
		u |= useArray
	}
	return u
}

// A taker hands out registers in their order; beyond the last it gives 0.
type taker struct {
	l  *isa.Lift
	vs []V
}

func (t *taker) take() V {
	if len(t.vs) == 0 {
		return t.l.I32(0)
	}
	v := t.vs[0]
	t.vs = t.vs[1:]
	return v
}

// coordinates are those of a sample, and the slice as images have it: the layer, for a cube eight times that and the face.
// Coordinates on a cube's face are those of the texture, from 0 to 1.
func (t *taker) coordinates(s texShape) (at [3]V, slice V) {
	l := t.l
	zero := l.I32(0)
	at, slice = [3]V{zero, zero, zero}, zero
	for i := range s.axes() {
		at[i] = t.take()
	}
	layer := zero
	if s.array {
		layer = t.take()
		slice = layer
	}
	if s.dim == DimCube {
		face := at[0].ShrU(l.I32(cubeFaceAt)).UToF(ir.F32)
		at[0] = at[0].And(l.I32(cubeSign - 1)).Or(l.I32(cubeSign))
		whole := layer.As(ir.F32).FToU(ir.I32).UToF(ir.F32)
		slice = whole.FMul(l.Const(ir.F32, 0x41000000)).FAdd(face).As(ir.I32)
	}
	return at, slice
}

// level is what a word of 8.8 fixed point says of the level of detail, as a float.
func level(l *isa.Lift, w V, at int) V {
	return w.Extract(at, ir.I16).SExt(ir.I32).SToF(ir.F32).FMul(l.Const(ir.F32, 0x3b800000)).As(ir.I32)
}

// lods is where a mode takes the level of detail from.
var lods = [8]ir.LodKind{lodZero: ir.LodZero, lodComputed: ir.LodImplicit, lodExplicit: ir.LodExplicit, lodBias: ir.LodBias, lodGradient: ir.LodExplicit}

// movesTexel is the registers of a sample: those that it reads, and those of the components of the write mask.
func movesTexel(in *isa.Inst, a *isa.Arg) int {
	if a.Role == isa.Use {
		_, n := group(in, a)
		return n
	}
	return regsOf(bits.OnesCount64(in.Get(nameChannels)), in.Get(nameRegWidth) == 0)
}

// movesTexels is those of a sample of two textures.
func movesTexels(in *isa.Inst, a *isa.Arg) int {
	n := movesTexel(in, a)
	if a.Role != isa.Use {
		n += regsOf(bits.OnesCount64(in.Get(nameChannels)), in.Get(nameRegWidth2) == 0)
	}
	return n
}

// movesVarying is the registers of a sample at a varying, movesVaryings of one of two textures.
func movesVarying(in *isa.Inst, _ *isa.Arg) int { return regsOf(4, narrowVarying(in, 0)) }
func movesVaryings(in *isa.Inst, _ *isa.Arg) int {
	return regsOf(4, narrowVarying(in, 0)) + regsOf(4, narrowVarying(in, 1))
}

// A question is a sample that is ready to be asked for.
type question struct {
	attr ir.ImageAttr
	at   ir.SampleAt
}

// sampled reads the operands of a sample from staging registers.
func (t *taker) sampled(s texShape, mode uint64) (q question) {
	l := t.l
	zero := l.I32(0)
	q.attr = ir.ImageAttr{Lod: lods[mode&7], With: ir.ImageEach}
	q.at = ir.SampleAt{W: zero, Least: zero, Ref: zero, Offset: zero}
	q.at.At, q.at.Slice = t.coordinates(s)
	if s.array {
		q.attr.With |= ir.ImageArray
	}
	if l.In.Opt(nameShadow) != 0 {
		q.attr.With |= ir.ImageCompare
		q.at.Ref = t.take()
	}
	if l.In.Opt(nameTexelOffset) != 0 {
		q.at.Offset = t.take().And(l.I32(0x3f3f3f))
	}
	switch mode {
	case lodExplicit, lodGradient:
		q.at.W = level(l, t.take(), 0)
	case lodBias:
		w := t.take()
		q.at.W, q.at.Least = level(l, w, 0), level(l, w, 16)
		q.attr.With |= ir.ImageLimit
	}
	return q
}

// ask asks for a sample, in the order in which registers have its components.
func (q *question) ask(l *isa.Lift, s texShape, texture, sampler V) []V {
	t := l.Sample(q.attr, resWords(l, texture, sampler, s.use()), q.at, l.Mask())
	if q.attr.Do == ir.SampleGather { // images give (0,1) (1,1) (1,0) (0,0)
		t = []V{t[3], t[2], t[0], t[1]}
	}
	return t
}

// chosen are the components that the write mask has.
func chosen(l *isa.Lift, t []V) (vs []V) {
	mask := uint64(15)
	if l.In.Has(nameChannels) {
		mask = l.In.Get(nameChannels)
	}
	for i, v := range t {
		if mask>>i&1 != 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// narrow is whether a field of a width says 16 bits; then results come as halves.
func (q *question) narrow(l *isa.Lift, n isa.Name) bool {
	half := l.In.Get(n) == 0
	if half {
		q.attr.With |= ir.ImageHalf
	}
	return half
}

// texSingle is TEX_SINGLE.
func texSingle(l *isa.Lift) {
	s, t := shapeOf(l), taker{l, staging(l)}
	q := t.sampled(s, l.In.Get(nameLod))
	texture, sampler := texHandles(l)
	half := q.narrow(l, nameRegWidth)
	landed(l, nameResult, chosen(l, q.ask(l, s, texture, sampler)), half)
}

// texGather is TEX_GATHER.
func texGather(l *isa.Lift) {
	s, t := shapeOf(l), taker{l, staging(l)}
	q := t.sampled(s, lodZero)
	gathers(l, &q)
	texture, sampler := texHandles(l)
	half := q.narrow(l, nameRegWidth)
	landed(l, nameResult, chosen(l, q.ask(l, s, texture, sampler)), half)
}

// gathers makes a sample one component of four texels.
func gathers(l *isa.Lift, q *question) {
	q.attr.Do, q.attr.Comp = ir.SampleGather, uint8(l.In.Get(nameGather))
	if l.In.Get(nameIntegerCoord) != 0 {
		for i, v := range q.at.At {
			q.at.At[i] = v.SToF(ir.F32).As(ir.I32)
		}
		q.attr.With |= ir.ImageTexels
	}
}

// paired begins the meaning of what no compiler is known to emit; not ok: it faults.
func paired(l *isa.Lift) (ok bool) {
	if l.Option(optTexturePairs) == noTexturePairs {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": what its registers hold is not known")
		return false
	}
	return true
}

// texDual is TEX_DUAL: the words of the source are handles of two textures, and their components follow each other.
func texDual(l *isa.Lift) {
	if !paired(l) {
		return
	}
	s, t := shapeOf(l), taker{l, staging(l)}
	q := t.sampled(s, l.In.Get(nameLod))
	lo, hi := l.Src(0).Unpack(ir.I32)
	var all []V
	for i, w := range [2]V{lo, hi} {
		one := q
		half := one.narrow(l, [2]isa.Name{nameRegWidth, nameRegWidth2}[i])
		vs := chosen(l, one.ask(l, s, narrowHandle(l, w, narrowHalf), narrowHandle(l, w, 0)))
		if half {
			vs = packHalves(l, vs)
		}
		all = append(all, vs...)
	}
	stage(l, nameResult, all)
}

// texFetch is TEX_FETCH: coordinates are whole numbers, the level stands in the upper byte of the offsets.
func texFetch(l *isa.Lift) {
	s, t := shapeOf(l), taker{l, staging(l)}
	zero := l.I32(0)
	p := point{[3]V{zero, zero, zero}, zero}
	for i := range s.axes() {
		p.at[i] = t.take()
	}
	if s.array {
		p.slice = t.take()
	}
	ops := p.whole(l)
	if l.In.Opt(nameTexelOffset) != 0 {
		w := t.take()
		ops[4], ops[5] = w.ShrU(l.I32(24)), w.And(l.I32(0x3f3f3f))
	}
	if s.dim == DimCube {
		ops[3] = p.slice.Mul(l.I32(6)).Add(p.at[0].ShrU(l.I32(cubeFaceAt)))
		ops[0] = p.at[0].And(l.I32(cubeSign - 1))
	}
	texture, sampler := texHandles(l)
	q := question{attr: ir.ImageAttr{Do: ir.ImageTexel, With: ir.ImageEach}}
	half := q.narrow(l, nameRegWidth)
	words := resWords(l, texture, sampler, s.use()&^useKind|UseTexel)
	landed(l, nameResult, chosen(l, l.Image(q.attr, words, ops, l.Mask())), half)
}

// Values of the sample and update mode of samples at varyings, as sample modes. No register says where an explicit place is: it
// is the center, as is the place of the varying before, which the last one takes.
var varyingModes = [8]uint64{sampleCenter, sampleCentroid, sampleSample, sampleCenter, sampleCenter, sampleCenter, sampleSample, sampleCenter}

// atVarying reads the operands of a sample from a varying: coordinates, layer, reference. It has no register for anything else.
func atVarying(l *isa.Lift, packet bool, mode uint64) (s texShape, q question) {
	s = shapeOf(l)
	n := s.axes()
	if s.array {
		n++
	}
	if l.In.Opt(nameShadow) != 0 {
		n++
	}
	where := spotOf(l, varyingModes[l.In.Get(nameSampleUpdate)], l.I32(0))
	n = min(n, ir.MaxComponents)
	t := taker{l: l}
	if packet {
		t.vs = packetVarying(l, l.Src(1), sourceSmooth, where, n, false)
	} else {
		t.vs = handleVarying(l, l.Src(1), where, true, n)
	}
	return s, t.sampled(s, mode)
}

// varyingMode is the level mode of a sample at a varying; not ok: one that takes a register.
func varyingMode(l *isa.Lift) (mode uint64, ok bool) {
	mode = l.In.Get(nameLod)
	if mode != lodZero && mode != lodComputed {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": a level of detail from a register, and there is none")
		return 0, false
	}
	return mode, true
}

// varTex is VAR_TEX_SINGLE and VAR_TEX_DUAL, by packet or handle. Of two textures the words of the source are the handles.
func varTex(packet, dual bool) isa.Eff {
	return func(l *isa.Lift) {
		mode, ok := varyingMode(l)
		if !ok || !paired(l) {
			return
		}
		s, q := atVarying(l, packet, mode)
		lo, hi := l.Src(0).Unpack(ir.I32)
		var all []V
		for i, w := range [2]V{lo, hi} {
			if i > 0 && !dual {
				break
			}
			one := q
			half := narrowVarying(l.In, i)
			if half {
				one.attr.With |= ir.ImageHalf
			}
			vs := one.ask(l, s, narrowHandle(l, w, narrowHalf), narrowHandle(l, w, 0))
			if half {
				vs = packHalves(l, vs)
			}
			all = append(all, vs...)
		}
		stage(l, nameResult, all)
	}
}

// narrowVarying is whether texture i of a sample at a varying gives halves: 16, 32, 16.32, 32.32.
func narrowVarying(in *isa.Inst, i int) bool {
	w := in.Get(nameVarWidth)
	return w&1 == 0 && (i == 0 || w < 2)
}

// varTexGather is VAR_TEX_GATHER.
func varTexGather(packet bool) isa.Eff {
	return func(l *isa.Lift) {
		if !paired(l) {
			return
		}
		s, q := atVarying(l, packet, lodZero)
		gathers(l, &q)
		half := narrowVarying(l.In, 0)
		if half {
			q.attr.With |= ir.ImageHalf
		}
		lo, _ := l.Src(0).Unpack(ir.I32)
		landed(l, nameResult, q.ask(l, s, narrowHandle(l, lo, narrowHalf), narrowHandle(l, lo, 0)), half)
	}
}

// varTexGradient is VAR_TEX_GRADIENT: the level of detail within limits, and as it is above, in 8.8 fixed point.
func varTexGradient(packet bool) isa.Eff {
	return func(l *isa.Lift) {
		if !paired(l) {
			return
		}
		s, q := atVarying(l, packet, lodComputed)
		q.attr.Do = ir.SampleLod
		lo, _ := l.Src(0).Unpack(ir.I32)
		t := q.ask(l, s, narrowHandle(l, lo, narrowHalf), narrowHandle(l, lo, 0))
		for i, v := range t {
			x := v.As(ir.F32).FMul(l.Const(ir.F32, 0x43800000))
			t[i] = x.FToS(ir.I32)
		}
		landed(l, nameResult, t, true)
	}
}
