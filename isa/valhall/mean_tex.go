package valhall

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Texture samples. docs/reference/valhall.md 9.3.

// Fields of a texture handle in one word. docs/reference/valhall.md 9.2.
const (
	narrowIndex = 1<<11 - 1
	narrowTable = 11
	narrowHalf  = 16 // the texture's half
)

// Cube maps: the face is in the high three bits of s, whose own high bits are those of a number from 2^-63 to 1.
const (
	cubeFaceAt = 29
	cubeSign   = 1 << cubeFaceAt
)

// narrowHandle is the handle in a half of a texture handle.
func narrowHandle(l *isa.Lift, w V, half uint32) V {
	w = w.ShrU(l.I32(half))
	return w.And(l.I32(narrowIndex)).Or(w.ShrU(l.I32(narrowTable)).And(l.I32(31)).Shl(l.I32(HandleTable)))
}

// texHandles are the texture and the sampler that the 64-bit source names, and rest, the high word of a handle with
// narrow indices, which has operands that are not in registers. With wide indices the words are the sampler and the
// texture, and rest is 0.
func texHandles(l *isa.Lift) (texture, sampler, rest V) {
	lo, hi := l.Src(0).Unpack(ir.I32)
	if l.In.Opt(nameWide) != 0 {
		return hi, lo, l.I32(0)
	}
	return narrowHandle(l, lo, narrowHalf), narrowHandle(l, lo, 0), hi
}

// Fields of the high word of a handle with narrow indices: three signed offsets of four bits, and operands in bits
// 12-15 and 24-31.
const (
	narrowLayers = 11 // from this architecture on, bits 12-15 are a layer and 24-31 the level of TEX_FETCH; before, 12-15 are the level
	narrowFour   = 12
	narrowLevel  = 24
)

// narrowOffsets are the offsets in the high word of a handle, in the format of samples: six bits each at 0, 8 and 16.
func narrowOffsets(l *isa.Lift, rest V) V {
	spread := rest.And(l.I32(0xf)).Or(rest.And(l.I32(0xf0)).Shl(l.I32(4))).Or(rest.And(l.I32(0xf00)).Shl(l.I32(8)))
	return spread.Xor(l.I32(0x080808)).Add(l.I32(0x383838)).And(l.I32(0x3f3f3f)) // sign-extends each by two bits
}

// narrowBits are bits 12-15 of that word.
func narrowBits(l *isa.Lift, rest V) V { return rest.ShrU(l.I32(narrowFour)).And(l.I32(15)) }

// A texShape is how an instruction describes its texture.
type texShape struct {
	dim     int
	array   bool // a register has the layer
	layered bool // the handle has the layer
}

func shapeOf(l *isa.Lift) texShape {
	s := texShape{dim: int(l.In.Get(nameDimension)), array: l.In.Opt(nameArray) != 0}
	s.layered = l.In.Has(nameTexelOffset) && archOf(l.In) >= narrowLayers && !s.array && s.dim != Dim3D && l.In.Opt(nameWide) == 0
	return s
}

// axes is the number of coordinates: for a cube those on the face.
func (s texShape) axes() int { return [...]int{Dim1D: 1, Dim2D: 2, Dim3D: 3, DimCube: 2}[s.dim] }

func (s texShape) use() ResUse {
	u := UseSample | ResUse(s.dim)<<useDim
	if s.array {
		u |= useArray
	}
	if s.layered {
		u |= useLayer
	}
	return u
}

// A taker hands out staging registers in order; past the last it returns 0. It also has the high word of a narrow
// handle.
type taker struct {
	l    *isa.Lift
	vs   []V
	rest V
}

func (t *taker) take() V {
	if len(t.vs) == 0 {
		return t.l.I32(0)
	}
	v := t.vs[0]
	t.vs = t.vs[1:]
	return v
}

// coordinates are those of a sample, and the slice in the format of image ops: the layer; for a cube eight times the
// layer plus the face. Coordinates on a cube's face are those of the texture, from 0 to 1.
func (t *taker) coordinates(s texShape) (at [3]V, slice V) {
	l := t.l
	zero := l.I32(0)
	at, slice = [3]V{zero, zero, zero}, zero
	for i := range s.axes() {
		at[i] = t.take()
	}
	layer := zero
	switch {
	case s.array:
		layer = t.take()
	case s.layered:
		layer = narrowBits(l, t.rest).UToF(ir.F32).As(ir.I32)
	}
	slice = layer
	if s.dim == DimCube {
		face := at[0].ShrU(l.I32(cubeFaceAt)).UToF(ir.F32)
		at[0] = at[0].And(l.I32(cubeSign - 1)).Or(l.I32(cubeSign))
		whole := layer.As(ir.F32).FToU(ir.I32).UToF(ir.F32)
		slice = whole.FMul(l.Const(ir.F32, 0x41000000)).FAdd(face).As(ir.I32)
	}
	return at, slice
}

// level is a level of detail in 8.8 fixed point, as a float.
func level(l *isa.Lift, w V, at int) V {
	return w.Extract(at, ir.I16).SExt(ir.I32).SToF(ir.F32).FMul(l.Const(ir.F32, 0x3b800000)).As(ir.I32)
}

// lods are the sources of the level of detail, by mode. A forced delta also uses the coordinates of threads that have
// ended, which an implicit level always does here.
var lods = [8]ir.LodKind{lodZero: ir.LodZero, lodComputed: ir.LodImplicit, lodForced: ir.LodImplicit, lodExplicit: ir.LodExplicit, lodBias: ir.LodBias,
	lodGradient: ir.LodExplicit, lodBiasForced: ir.LodBias}

// movesTexel is the number of registers of a sample: those that it reads, and those of the components in the write
// mask.
func movesTexel(in *isa.Inst, a *isa.Arg) int {
	if a.Role == isa.Use {
		_, n := group(in, a)
		return n
	}
	return regsOf(bits.OnesCount64(in.Get(nameChannels)), in.Get(nameRegWidth) == 0)
}

// movesTexels is the number of registers of a sample of two textures.
func movesTexels(in *isa.Inst, a *isa.Arg) int {
	n := movesTexel(in, a)
	if a.Role != isa.Use {
		n += regsOf(bits.OnesCount64(in.Get(nameChannels)), in.Get(nameRegWidth2) == 0)
	}
	return n
}

// movesVarying is the number of registers of a sample at a varying, movesVaryings of one of two textures.
func movesVarying(in *isa.Inst, _ *isa.Arg) int { return regsOf(4, narrowVarying(in, 0)) }
func movesVaryings(in *isa.Inst, _ *isa.Arg) int {
	return regsOf(4, narrowVarying(in, 0)) + regsOf(4, narrowVarying(in, 1))
}

// A question is a sample with its operands read.
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
	if s.array || s.layered {
		q.attr.With |= ir.ImageArray
	}
	if l.In.Opt(nameShadow) != 0 {
		q.attr.With |= ir.ImageCompare
		q.at.Ref = t.take()
	}
	switch {
	case l.In.Opt(nameTexelOffset) != 0:
		q.at.Offset = t.take().And(l.I32(0x3f3f3f))
	case t.rest.Valid():
		q.at.Offset = narrowOffsets(l, t.rest)
	}
	switch mode {
	case lodExplicit, lodGradient:
		q.at.W = level(l, t.take(), 0)
	case lodBias, lodBiasForced:
		w := t.take()
		q.at.W, q.at.Least = level(l, w, 0), level(l, w, 16)
		q.attr.With |= ir.ImageLimit
	}
	return q
}

// ask emits a sample, and returns its components in the order of registers.
func (q *question) ask(l *isa.Lift, s texShape, texture, sampler V) []V {
	t := l.Sample(q.attr, resWords(l, texture, sampler, s.use()), q.at, l.Mask())
	if q.attr.Do == ir.SampleGather { // images return (0,1) (1,1) (1,0) (0,0)
		t = []V{t[3], t[2], t[0], t[1]}
	}
	return t
}

// chosen are the components in the write mask.
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

// narrow reports whether a width field selects 16 bits; then results are returned as halves.
func (q *question) narrow(l *isa.Lift, n isa.Name) bool {
	half := l.In.Get(n) == 0
	if half {
		q.attr.With |= ir.ImageHalf
	}
	return half
}

// texSingle is TEX_SINGLE.
func texSingle(l *isa.Lift) {
	texture, sampler, rest := texHandles(l)
	s, t := shapeOf(l), taker{l, staging(l), rest}
	q := t.sampled(s, l.In.Get(nameLod))
	half := q.narrow(l, nameRegWidth)
	landed(l, nameResult, chosen(l, q.ask(l, s, texture, sampler)), half)
}

// texGather is TEX_GATHER.
func texGather(l *isa.Lift) {
	texture, sampler, rest := texHandles(l)
	s, t := shapeOf(l), taker{l, staging(l), rest}
	q := t.sampled(s, lodZero)
	gathers(l, &q)
	half := q.narrow(l, nameRegWidth)
	landed(l, nameResult, chosen(l, q.ask(l, s, texture, sampler)), half)
}

// gathers makes a sample return one component of four texels.
func gathers(l *isa.Lift, q *question) {
	q.attr.Do, q.attr.Comp = ir.SampleGather, uint8(l.In.Get(nameGather))
	if l.In.Get(nameIntegerCoord) != 0 {
		for i, v := range q.at.At {
			q.at.At[i] = v.SToF(ir.F32).As(ir.I32)
		}
		q.attr.With |= ir.ImageTexels
	}
}

// texDual is TEX_DUAL: the words of the source are handles of two textures; the components of the second follow those
// of the first.
func texDual(l *isa.Lift) {
	if !modelled(l, optTexturePairs) {
		return
	}
	s, t := shapeOf(l), taker{l: l, vs: staging(l)}
	s.layered = false // both words are handles
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

// texFetch is TEX_FETCH with texel coordinates. Offsets and level are in one register, or in the handle.
func texFetch(l *isa.Lift) {
	texture, sampler, rest := texHandles(l)
	s, t := shapeOf(l), taker{l, staging(l), rest}
	zero := l.I32(0)
	p := point{[3]V{zero, zero, zero}, zero}
	for i := range s.axes() {
		p.at[i] = t.take()
	}
	switch {
	case s.array:
		p.slice = t.take()
	case s.layered:
		p.slice = narrowBits(l, rest)
	}
	ops := p.whole(l)
	early := archOf(l.In) < narrowLayers
	level, offset := rest.ShrU(l.I32(narrowLevel)), narrowOffsets(l, rest)
	if l.In.Opt(nameTexelOffset) != 0 {
		w := t.take()
		level, offset = w.ShrU(l.I32(24)), w.And(l.I32(0x3f3f3f))
		if early {
			level = level.Add(narrowBits(l, rest))
		}
	} else if early {
		level = narrowBits(l, rest)
	}
	ops[4], ops[5] = level, offset
	if s.dim == DimCube {
		ops[3] = p.slice.Mul(l.I32(6)).Add(p.at[0].ShrU(l.I32(cubeFaceAt)))
		ops[0] = p.at[0].And(l.I32(cubeSign - 1))
	}
	q := question{attr: ir.ImageAttr{Do: ir.ImageTexel, With: ir.ImageEach}}
	half := q.narrow(l, nameRegWidth)
	words := resWords(l, texture, sampler, s.use()&^useKind|UseTexel)
	landed(l, nameResult, chosen(l, l.Image(q.attr, words, ops, l.Mask())), half)
}

// varyingModes are the sample modes by the sample and update mode of samples at varyings. No register has an explicit
// position: it is the center, as is the position of the previous varying, which the last mode uses.
var varyingModes = [8]uint64{sampleCenter, sampleCentroid, sampleSample, sampleCenter, sampleCenter, sampleCenter, sampleSample, sampleCenter}

// atVarying reads the operands of a sample from a varying: coordinates, layer, reference. There are no registers for
// others.
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

// varyingMode is the level mode of a sample at a varying; ok is false for a mode that needs a register.
func varyingMode(l *isa.Lift) (mode uint64, ok bool) {
	mode = l.In.Get(nameLod)
	if mode != lodZero && mode != lodComputed && mode != lodForced {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": a level of detail from a register, and there is none")
		return 0, false
	}
	return mode, true
}

// varTex is VAR_TEX_SINGLE and VAR_TEX_DUAL, by packet or handle. With two textures the words of the source are the
// handles.
func varTex(packet, dual bool) isa.Effect {
	return func(l *isa.Lift) {
		mode, ok := varyingMode(l)
		if !ok || !modelled(l, optTexturePairs) {
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

// narrowVarying reports whether texture i of a sample at a varying returns halves: 16, 32, 16.32, 32.32.
func narrowVarying(in *isa.Inst, i int) bool {
	w := in.Get(nameVarWidth)
	return w&1 == 0 && (i == 0 || w < 2)
}

// varTexGather is VAR_TEX_GATHER.
func varTexGather(packet bool) isa.Effect {
	return func(l *isa.Lift) {
		if !modelled(l, optTexturePairs) {
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

// varTexGradient is VAR_TEX_GRADIENT.
func varTexGradient(packet bool) isa.Effect {
	return func(l *isa.Lift) {
		if !modelled(l, optTexturePairs) {
			return
		}
		s, q := atVarying(l, packet, lodComputed)
		flags := l.In.Get(nameLodFlags)
		lo, _ := l.Src(0).Unpack(ir.I32)
		w := q.gradient(l, s, narrowHandle(l, lo, narrowHalf), narrowHandle(l, lo, 0), flags&1 != 0, flags&2 != 0)
		stage(l, nameResult, []V{w})
	}
}

// texGradient is TEX_GRADIENT: the first of two words is the level of detail at coordinates, or by their derivatives,
// which are grouped by coordinate and not by direction. No source describes the rest of the words: zeros.
func texGradient(l *isa.Lift) {
	if !modelled(l, optTexturePairs) {
		return
	}
	texture, sampler, _ := texHandles(l)
	s, t := shapeOf(l), taker{l: l, vs: staging(l)}
	q := t.sampled(s, lodComputed)
	if l.In.Get(nameDerivative) != 0 {
		if s.dim == DimCube {
			l.Fail(ir.TrapUndefined, l.In.Def.Name+": no source says what the derivatives of a cube are")
			return
		}
		zero := l.I32(0)
		t = taker{l: l, vs: staging(l)}
		q.attr.Lod, q.at.At = ir.LodSlopes, [3]V{zero, zero, zero}
		q.at.Dx, q.at.Dy = q.at.At, q.at.At
		for i := range s.axes() {
			q.at.Dx[i], q.at.Dy[i] = t.take(), t.take()
		}
	}
	zero := l.I32(0)
	w := q.gradient(l, s, texture, sampler, l.In.Get(nameBiasOff) != 0, l.In.Get(nameClampOff) != 0)
	landed(l, nameResult, chosen(l, []V{w, zero, zero, zero}), l.In.Get(nameRegWidth) == 0)
}

// gradient is the level of detail of a sample in 8.8 fixed point, with or without the sampler's bias and limits.
func (q *question) gradient(l *isa.Lift, s texShape, texture, sampler V, unbiased, unlimited bool) V {
	use := s.use()
	if unbiased {
		use |= useUnbiased
	}
	q.attr.Do = ir.SampleLod
	t := l.Sample(q.attr, resWords(l, texture, sampler, use), q.at, l.Mask())
	v := t[0]
	if unlimited {
		v = t[1]
	}
	x := v.As(ir.F32).FMul(l.Const(ir.F32, 0x43800000)).FToS(ir.I32)
	return x.SMin(l.I32(0x7fff)).SMax(l.I32(0xffff8000)).And(l.I32(0xffff))
}
