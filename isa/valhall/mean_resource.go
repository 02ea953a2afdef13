package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Attributes and texels by descriptor. The launch interprets descriptors: ops name them by the table of resources and a
// handle. docs/reference/valhall.md 9.2 and 9.3.

// The words by which image ops name what they access.
const (
	ResTable     = iota // resource_table_pointer: the low bits are the number of tables
	ResTableHigh        // and its high word
	ResHandle           // table<<24 | index; for a conversion the descriptor itself
	ResSampler          // handle of the sampler, for samples
	ResHow              // a ResUse
	ResWords
)

// A ResUse is how an instruction uses a resource: a kind, and for samples the shape of the texture.
type ResUse uint32

// Kinds of use.
const (
	UseAttribute  ResUse = iota // x is the vertex, y the instance
	UseTexel                    // of an image, by texel coordinates
	UseSample                   // of a texture, with a sampler
	UseBuffer                   // x is the element
	UseConversion               // between registers and the bytes of a texel; accesses no memory

	useKind  ResUse = 7
	useArray ResUse = 1 << 3
	useDim          = 4 // first bit of the dimension

	useLayer    ResUse = 1 << 6
	useUnbiased ResUse = 1 << 7
)

// Kind is the kind of use.
func (u ResUse) Kind() ResUse { return u & useKind }

// Array reports whether a sample names a layer.
func (u ResUse) Array() bool { return u&useArray != 0 }

// Layer reports whether a sample may name a layer of an array or sample a texture without layers.
func (u ResUse) Layer() bool { return u&useLayer != 0 }

// Unbiased reports whether the bias of the sampler is ignored.
func (u ResUse) Unbiased() bool { return u&useUnbiased != 0 }

// Dimension is the texture's dimension, in the instruction's codes: DimCube to Dim3D.
func (u ResUse) Dimension() int { return int(u >> useDim & 3) }

// Values of the dimension of texture instructions.
const (
	Dim1D = iota
	Dim2D
	Dim3D
	DimCube
)

// Built-in tables. docs/reference/valhall.md 9.4.
const TablePacket = 13 // the records of a vertex packet

// Register formats.
const (
	formatAuto = 0
	formatF32  = 2
	formatF16  = 3
	formatS32  = 4
	formatS16  = 5
	formatU32  = 6
	formatU16  = 7
)

// isHalf reports whether a register holds two components of a format. Automatic formats have 32 bits.
func isHalf(f uint64) bool { return f == formatF16 || f == formatS16 || f == formatU16 }

// resWords are the words that name the resource of a handle.
func resWords(l *isa.Lift, handle, sampler V, use ResUse) []V {
	return []V{ResTable: l.Get(Special(PagePointers, SpecialTable, 0), ir.I32), ResTableHigh: l.Get(Special(PagePointers, SpecialTable, 1), ir.I32),
		ResHandle: handle, ResSampler: sampler, ResHow: l.I32(uint32(use))}
}

// tableHandle is a handle from the fields of the word.
func tableHandle(l *isa.Lift) V {
	return l.I32(uint32(l.In.Get(nameTable))<<24 | uint32(l.In.Get(nameIndex)))
}

// handleIn is the handle of an instruction: source i, or fields if there is no such source.
func handleIn(l *isa.Lift, i int) V {
	if l.In.Has(nameTable) {
		return tableHandle(l)
	}
	return l.Src(i)
}

// components is the number of components of a message.
func components(l *isa.Lift) int { return int(l.In.Opt(nameVector)) + 1 }

// packHalves packs the low halves of words in pairs.
func packHalves(l *isa.Lift, vs []V) (ws []V) {
	for i := 0; i < len(vs); i += 2 {
		hi := l.Const(ir.I16, 0)
		if i+1 < len(vs) {
			hi = vs[i+1].Extract(0, ir.I16)
		}
		ws = append(ws, vs[i].Extract(0, ir.I16).Pack(hi, ir.I32))
	}
	return ws
}

// splitHalves splits words into their halves, each in a word.
func splitHalves(ws []V) (vs []V) {
	for _, w := range ws {
		vs = append(vs, w.Extract(0, ir.I16).ZExt(ir.I32), w.Extract(16, ir.I16).ZExt(ir.I32))
	}
	return vs
}

// regsOf is the number of registers for n components.
func regsOf(n int, half bool) int {
	if half {
		return (n + 1) / 2
	}
	return n
}

// movesComponents is the number of registers of a message that gives components in its register format, movesWords and
// movesHalves of messages with a fixed format. movesOne to movesThree are of messages that give words.
func movesComponents(in *isa.Inst, _ *isa.Arg) int {
	return regsOf(int(in.Opt(nameVector))+1, isHalf(in.Get(nameFormat)))
}
func movesWords(in *isa.Inst, _ *isa.Arg) int  { return regsOf(int(in.Opt(nameVector))+1, false) }
func movesHalves(in *isa.Inst, _ *isa.Arg) int { return regsOf(int(in.Opt(nameVector))+1, true) }
func movesOne(*isa.Inst, *isa.Arg) int         { return 1 }
func movesTwo(*isa.Inst, *isa.Arg) int         { return 2 }
func movesThree(*isa.Inst, *isa.Arg) int       { return 3 }

// landed writes components to the registers of a message: two per register if they are halves.
func landed(l *isa.Lift, n isa.Name, vs []V, half bool) {
	if half {
		vs = packHalves(l, vs)
	}
	stage(l, n, vs)
}

// A point is the operands by which ops find a texel or an attribute.
type point struct {
	at    [3]V
	slice V
}

// attributePlace is the point of a vertex and an instance.
func attributePlace(l *isa.Lift) point {
	zero := l.I32(0)
	return point{[3]V{l.Src(0), l.Src(1), zero}, zero}
}

// texelPlace is the point in packed halves: x and y; nothing, and z or the layer.
func texelPlace(l *isa.Lift) point {
	a, b := l.Src(0).As(ir.I32), l.Src(1)
	sixteen := l.I32(16)
	third := b.ShrU(sixteen)
	return point{[3]V{a.And(l.I32(0xffff)), a.ShrU(sixteen), third}, third}
}

// whole are the operands of ImageTexel, at level 0.
func (p *point) whole(l *isa.Lift) []V {
	return []V{p.at[0], p.at[1], p.at[2], p.slice, l.I32(0), l.I32(0)}
}

// loadElement is LD_ATTR and LD_TEX. The launch handles missing resources and accesses out of bounds.
func loadElement(use ResUse, at func(*isa.Lift) point) isa.Effect {
	return func(l *isa.Lift) {
		p, f := at(l), l.In.Get(nameFormat)
		a := ir.ImageAttr{Do: ir.ImageTexel, With: ir.ImageEach}
		if isHalf(f) {
			a.With |= ir.ImageHalf
		}
		words := resWords(l, handleIn(l, 2), l.I32(0), use)
		t := l.Image(a, words, p.whole(l), l.Mask())
		landed(l, nameStaging, t[:components(l)], isHalf(f))
	}
}

// elementAddress is LEA_ATTR and LEA_TEX: an address, and the conversion of the element there. Both are 0 if there is
// no element.
func elementAddress(use ResUse, at func(*isa.Lift) point) isa.Effect {
	return func(l *isa.Lift) {
		p := at(l)
		words := resWords(l, handleIn(l, 2), l.I32(0), use)
		t := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageEach}, words, []V{p.at[0], p.at[1], p.at[2], p.slice, l.I32(0)}, l.Mask())
		c := l.Image(ir.ImageAttr{Do: ir.ImageSize, With: ir.ImageEach}, words, []V{l.I32(ConversionOf)}, l.Mask())
		stage(l, nameStaging, []V{t[0], t[1], t[2].Eq(l.I32(0)).Select(l.I32(0), c[0])})
	}
}

// ConversionOf is a level number that no texture has: for it the launch returns the conversion descriptor of a
// resource, with the pixel format in its low 22 bits.
const ConversionOf = ^uint32(0)

// leaBuffer is LEA_BUF_IMM and LEA_BUF: the address of a buffer element, whose number is in the word or in the second
// source.
func leaBuffer(l *isa.Lift) {
	handle := V{}
	switch {
	case l.In.Has(nameTable):
		handle = tableHandle(l)
	case !modelled(l, optAddresses):
		return
	default:
		handle = l.Src(1)
	}
	zero := l.I32(0)
	t := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageEach}, resWords(l, handle, zero, UseBuffer), []V{l.Src(0), zero, zero, zero, zero}, l.Mask())
	stage(l, nameStaging, t[:2])
}

// storeConverted is ST_CVT. Helpers store nothing unless the access mode forces it, and nothing is stored if the
// conversion is 0.
func storeConverted(l *isa.Lift) {
	vs, half := staging(l), isHalf(l.In.Get(nameFormat))
	a := ir.ImageAttr{Do: ir.ImageEncode, With: ir.ImageEach}
	if half {
		vs, a.With = splitHalves(vs), a.With|ir.ImageHalf
	}
	for len(vs) < 4 {
		vs = append(vs, l.I32(0))
	}
	if l.In.Get(nameAccess) != accessForce {
		withoutHelpers(l)
	}
	conversion := l.Src(1)
	mask := l.Mask().And(conversion.Eq(l.I32(0)).Not())
	words := resWords(l, conversion, l.I32(0), UseConversion)
	zero := l.I32(0)
	raw := l.Image(a, words, vs[:4], mask)
	bytes := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageEach}, words, []V{zero, zero, zero, zero, zero}, mask)[2]
	at := address(l, offsetUnsigned)
	var masks [len(sizes)]V
	for i, t := range sizes { // all masks before the first store: of two stores the second must not fault
		masks[i] = mask.And(bytes.Eq(l.I32(uint32(t.elem) * uint32(t.count))))
		l.Check(t.mem(), true, at, masks[i])
	}
	for i, t := range sizes {
		l.Store(t.mem(), at, t.stored(raw), masks[i])
	}
}

// loadConverted is LD_CVT, the inverse: it converts what is at the address; zeros if the conversion is 0.
func loadConverted(l *isa.Lift) {
	half := isHalf(l.In.Get(nameFormat))
	a := ir.ImageAttr{Do: ir.ImageDecode, With: ir.ImageEach}
	if half {
		a.With |= ir.ImageHalf
	}
	zero, conversion := l.I32(0), l.Src(1)
	there := conversion.Eq(zero).Not()
	mask := l.Mask().And(there)
	words := resWords(l, conversion, zero, UseConversion)
	bytes := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageEach}, words, []V{zero, zero, zero, zero, zero}, mask)[2]
	at := address(l, offsetUnsigned)
	raw := []V{zero, zero, zero, zero}
	var masks [len(sizes)]V
	for i, t := range sizes { // all masks before the first load
		masks[i] = mask.And(bytes.Eq(l.I32(uint32(t.elem) * uint32(t.count))))
		l.Check(t.mem(), false, at, masks[i])
	}
	for i, t := range sizes {
		for k, e := range l.Load(t.mem(), ir.I32, at, masks[i]) {
			bit := 8 * int(t.elem) * k
			w := &raw[bit/32]
			*w = masks[i].Select(w.Or(e.Shl(e.K(uint64(bit%32)))), *w)
		}
	}
	vs := l.Image(a, words, append(raw, zero, zero), mask)[:components(l)]
	for i, v := range vs {
		vs[i] = there.Select(v, zero)
	}
	landed(l, nameStaging, vs, half)
}

// readClock is LD_GCLK: the counter of option clock.
func readClock(l *isa.Lift) {
	t := l.Clock()
	stage(l, nameStaging, []V{t.Extract(0, ir.I32), t.Extract(32, ir.I32)})
}

// narrowFloat converts an f32 to an f16 in a word, widenFloat the reverse.
func narrowFloat(v V) V { return v.As(ir.F32).FCvt(ir.F16).As(ir.I16).ZExt(ir.I32) }

func widenFloat(v V) V { return v.Extract(0, ir.I16).As(ir.F16).FCvt(ir.F32).As(ir.I32) }
