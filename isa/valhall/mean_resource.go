package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Attributes and texels by descriptor. What a descriptor says is the launch's affair: ops name it by the table of resources
// and a handle. docs/reference/valhall.md 9.2 and 9.3.

// The words with which image ops name what they ask.
const (
	ResTable     = iota // resource_table_pointer: the low bits are the number of tables
	ResTableHigh        // and its high word
	ResHandle           // table<<24 | index; of a conversion the descriptor itself
	ResSampler          // handle of the sampler, of samples
	ResHow              // a ResUse
	ResWords
)

// A ResUse is what an instruction takes a resource for: a kind, and of samples what is said of the texture's shape.
type ResUse uint32

// Kinds of use.
const (
	UseAttribute  ResUse = iota // x is the vertex, y the instance
	UseTexel                    // of an image, by whole numbers
	UseSample                   // of a texture, by a sampler
	UseBuffer                   // x is the element
	UseConversion               // between registers and the bytes of a texel: nothing lies in memory

	useKind  ResUse = 7
	useArray ResUse = 1 << 3
	useDim          = 4 // first bit of the dimension

	useLayer    ResUse = 1 << 6
	useUnbiased ResUse = 1 << 7
)

// Kind is what the resource is taken for.
func (u ResUse) Kind() ResUse { return u & useKind }

// Array is whether a sample names a layer.
func (u ResUse) Array() bool { return u&useArray != 0 }

// Layer is whether a sample may name a layer of an array, or have a texture without layers.
func (u ResUse) Layer() bool { return u&useLayer != 0 }

// Unbiased is whether the bias of the sampler is left out.
func (u ResUse) Unbiased() bool { return u&useUnbiased != 0 }

// Dimension is the texture's: DimCube to Dim3D as the instruction has it.
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

// isHalf is whether a register holds two components of a format. What is automatic has 32 bits.
func isHalf(f uint64) bool { return f == formatF16 || f == formatS16 || f == formatU16 }

// resWords name what stands behind a handle.
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

// components is how many components a message has.
func components(l *isa.Lift) int { return int(l.In.Opt(nameVector)) + 1 }

// packHalves joins the low halves of words, two and two.
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

// splitHalves is the halves of words, each in a word of its own.
func splitHalves(ws []V) (vs []V) {
	for _, w := range ws {
		vs = append(vs, w.Extract(0, ir.I16).ZExt(ir.I32), w.Extract(16, ir.I16).ZExt(ir.I32))
	}
	return vs
}

// regsOf is how many hold so many components.
func regsOf(n int, half bool) int {
	if half {
		return (n + 1) / 2
	}
	return n
}

// movesComponents is the registers of a message that gives components in its register format, movesWords and movesHalves of
// those that have one format. movesOne to movesThree are of messages that give words.
func movesComponents(in *isa.Inst, _ *isa.Arg) int {
	return regsOf(int(in.Opt(nameVector))+1, isHalf(in.Get(nameFormat)))
}
func movesWords(in *isa.Inst, _ *isa.Arg) int  { return regsOf(int(in.Opt(nameVector))+1, false) }
func movesHalves(in *isa.Inst, _ *isa.Arg) int { return regsOf(int(in.Opt(nameVector))+1, true) }
func movesOne(*isa.Inst, *isa.Arg) int         { return 1 }
func movesTwo(*isa.Inst, *isa.Arg) int         { return 2 }
func movesThree(*isa.Inst, *isa.Arg) int       { return 3 }

// landed writes components to the registers of a message: two to a register if they are halves.
func landed(l *isa.Lift, n isa.Name, vs []V, half bool) {
	if half {
		vs = packHalves(l, vs)
	}
	stage(l, n, vs)
}

// A point is the operands of ops that find a texel or an attribute.
type point struct {
	at    [3]V
	slice V
}

// attributePlace is that of a vertex and an instance.
func attributePlace(l *isa.Lift) point {
	zero := l.I32(0)
	return point{[3]V{l.Src(0), l.Src(1), zero}, zero}
}

// texelPlace is packed in halves: x and y, nothing, and z or the layer.
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

// loadElement is LD_ATTR and LD_TEX. What the handle lacks, or what is outside of it, is the launch's to answer.
func loadElement(use ResUse, at func(*isa.Lift) point) isa.Eff {
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

// elementAddress is LEA_ATTR and LEA_TEX: an address, and how to convert what lies there. Where nothing lies both are 0.
func elementAddress(use ResUse, at func(*isa.Lift) point) isa.Eff {
	return func(l *isa.Lift) {
		p := at(l)
		words := resWords(l, handleIn(l, 2), l.I32(0), use)
		t := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageEach}, words, []V{p.at[0], p.at[1], p.at[2], p.slice, l.I32(0)}, l.Mask())
		c := l.Image(ir.ImageAttr{Do: ir.ImageSize, With: ir.ImageEach}, words, []V{l.I32(ConversionOf)}, l.Mask())
		stage(l, nameStaging, []V{t[0], t[1], t[2].Eq(l.I32(0)).Select(l.I32(0), c[0])})
	}
}

// ConversionOf is the level that has no size: for it the launch answers with the conversion descriptor of a resource, the
// pixel format in its low 22 bits.
const ConversionOf = ^uint32(0)

// leaBuffer is LEA_BUF_IMM and LEA_BUF: the address of an element of a buffer, which fields of the word or the second source name.
func leaBuffer(l *isa.Lift) {
	handle := V{}
	switch {
	case l.In.Has(nameTable):
		handle = tableHandle(l)
	case !knownAddress(l):
		return
	default:
		handle = l.Src(1)
	}
	zero := l.I32(0)
	t := l.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageEach}, resWords(l, handle, zero, UseBuffer), []V{l.Src(0), zero, zero, zero, zero}, l.Mask())
	stage(l, nameStaging, t[:2])
}

// storeConverted is ST_CVT. Helpers store nothing unless they are forced to, and nothing is stored where the conversion is 0.
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
	for i, t := range sizes { // all before the first is stored: of two stores the second must not fault
		masks[i] = mask.And(bytes.Eq(l.I32(uint32(t.elem) * uint32(t.count))))
		l.Check(t.mem(), true, at, masks[i])
	}
	for i, t := range sizes {
		l.Store(t.mem(), at, t.stored(raw), masks[i])
	}
}

// loadConverted is LD_CVT, the other way round: what lies at the address, by the conversion; zeros where the conversion is 0.
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
	for i, t := range sizes { // all before the first is loaded
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
	vs := l.Image(a, words, raw, mask)[:components(l)]
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

// narrowFloat is a float of 32 bits as one of 16, in a word, and widenFloat the other way round.
func narrowFloat(v V) V { return v.As(ir.F32).FCvt(ir.F16).As(ir.I16).ZExt(ir.I32) }

func widenFloat(v V) V { return v.Extract(0, ir.I16).As(ir.F16).FCvt(ir.F32).As(ir.I32) }
