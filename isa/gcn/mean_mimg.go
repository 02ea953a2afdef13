package gcn

import (
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of MIMG, as far as they belong to the instruction set: which registers hold what. The launch interprets
// descriptors; texels are loaded and stored like memory, at the address that the image gives. docs/reference/gcn.md
// 8.4.

// Differences of an image instruction from the plain one of its kind.
const (
	imgOffset  = 1 << iota // texel offsets come first
	imgBias                // then a bias
	imgCompare             // then the reference
	imgSlopes              // then the derivatives of coordinates
	imgLod                 // after the coordinates: the level of detail
	imgLimit               // after the coordinates: the minimal level of detail
	imgZero                // level of detail 0
	imgMip                 // after the coordinates: the level, an integer
	imgRaw                 // texels are not converted
	imgSigned              // and sign-extended
)

// Types of images that determine registers. docs/reference/gcn.md 8.4.1.
const (
	imgType1D      = 8
	imgType3D      = 10
	imgType1DArray = 12
	imgTypeMSAA    = 14 // and 15, an array: after the coordinates there is the number of a sample
)

// An imageRegs is the registers of an instruction.
type imageRegs struct {
	l     *isa.Lift
	words []V // of the descriptors
	fixed []V // the address registers that every image has
	first int // the first of them
	axes  V   // i32, uniform: 1 to 3 coordinates, without the slice
	array bool
	many  V // i1, uniform: pixels have several samples
}

// newImage reads descriptors and the address registers that are always present. With r128 a T# has four words.
func newImage(l *isa.Lift) *imageRegs {
	r := &imageRegs{l: l, first: field(l, nameVaddr), array: l.In.Opt(nameDA) != 0}
	tsharp, n := 4*field(l, nameSrsrc), 8
	if l.In.Opt(nameR128) != 0 {
		n = 4
	}
	for i := range 8 {
		if i < n {
			r.words = append(r.words, scalarWord(l, tsharp+i))
		} else {
			r.words = append(r.words, l.I32(0))
		}
	}
	if s := &entryOf(l).images; s.sampler {
		for i := range 4 {
			r.words = append(r.words, scalarWord(l, 4*field(l, nameSsamp)+i))
		}
	}
	for i := range entryOf(l).images.address {
		if r.first+i < 256 {
			r.fixed = append(r.fixed, l.Get(VGPR(r.first+i), ir.I32))
		}
	}
	kind := r.words[3].ShrU(l.I32(28))
	is := func(k uint32) V { return kind.Eq(l.I32(k)) }
	r.many = l.I32(imgTypeMSAA - 1).ULt(kind)
	r.axes = is(imgType1D).Or(is(imgType1DArray)).Select(l.I32(1), is(imgType3D).Select(l.I32(3), l.I32(2)))
	return r
}

// An imageReg is the number of an address register: n, plus axes times the number of axes.
type imageReg struct{ n, axes int }

func (i imageReg) plus(n int) imageReg { return imageReg{i.n + n, i.axes} }

// at is an address register.
func (r *imageRegs) at(i imageReg) V {
	if i.axes == 0 && i.n < len(r.fixed) {
		return r.fixed[i.n]
	}
	x := r.l.I32(uint32(i.n))
	for range i.axes {
		x = x.Add(r.axes)
	}
	return r.l.GetX(VGPR(r.first), x, r.l.Exec(), ir.I32)
}

// three returns coordinates, or their derivatives, from a register on; 0 for axes that the image lacks. next is the
// register after them.
func (r *imageRegs) three(i imageReg) (c [3]V, next imageReg) {
	for k := range c {
		x := r.at(i.plus(k))
		if c[k] = x; k > 0 {
			c[k] = r.l.I32(uint32(k)).ULt(r.axes).Select(x, r.l.I32(0))
		}
	}
	return c, imageReg{i.n, i.axes + 1}
}

// coords returns the coordinates from a register on, the slice if there is one, and the register after them.
func (r *imageRegs) coords(i imageReg) (c [3]V, slice V, next imageReg) {
	c, next = r.three(i)
	if r.array {
		return c, r.at(next), next.plus(1)
	}
	return c, r.l.I32(0), next
}

// sample returns the number of the sample: in the register after two coordinates and the slice if pixels have several
// samples, else 0.
func (r *imageRegs) sample() V {
	i := imageReg{n: 2}
	if r.array {
		i.n = 3
	}
	return r.many.Select(r.at(i), r.l.I32(0))
}

// with returns the attributes that modifiers request.
func (r *imageRegs) with() (w ir.ImageWith) {
	if r.array {
		w |= ir.ImageArray
	}
	if r.l.In.Opt(nameD16) != 0 {
		w |= ir.ImageHalf
	}
	return w
}

// image_sample vdata, vaddr, srsrc, ssamp, and image_gather4, image_get_lod: how is the variant.
func imageSample(do ir.ImageDo, how int) eff {
	return func(l *isa.Lift) {
		r := newImage(l)
		a := ir.ImageAttr{Do: do, Lod: lodOf(how), With: r.with()}
		zero := l.I32(0)
		at := ir.SampleAt{Slice: zero, W: zero, Least: zero, Ref: zero, Offset: zero}
		var next imageReg
		take := func(flag int, to *V) {
			if how&flag != 0 {
				*to, next = r.at(next), next.plus(1)
			}
		}
		take(imgOffset, &at.Offset)
		take(imgBias, &at.W)
		take(imgCompare, &at.Ref)
		if how&imgSlopes != 0 {
			at.Dx, next = r.three(next)
			at.Dy, next = r.three(next)
		}
		at.At, at.Slice, next = r.coords(next)
		switch {
		case how&imgLod != 0:
			at.W = r.at(next)
		case how&imgLimit != 0:
			at.Least = r.at(next)
			a.With |= ir.ImageLimit
		}
		if how&imgCompare != 0 {
			a.With |= ir.ImageCompare
		}
		if l.In.Opt(nameUnorm) != 0 {
			a.With |= ir.ImageTexels
		}
		dmask := l.In.Get(nameDmask)
		if do == ir.SampleGather {
			a.Comp = uint8(mathbits.TrailingZeros64(dmask|16) & 3)
			dmask = 15
		}
		setTexel(l, l.Sample(a, r.words, at, l.Mask()), dmask)
	}
}

func lodOf(how int) ir.LodKind {
	switch {
	case how&imgSlopes != 0:
		return ir.LodSlopes
	case how&imgLod != 0:
		return ir.LodExplicit
	case how&imgBias != 0:
		return ir.LodBias
	case how&imgZero != 0:
		return ir.LodZero
	}
	return ir.LodImplicit
}

// setTexel writes the components of a DMASK to consecutive registers, and after them the status if tfe requests it:
// 0, as nothing is missing. A mask of 0 counts as 1. Components past the last register are dropped.
func setTexel(l *isa.Lift, texel []V, dmask uint64) {
	var vs []V
	for i := range 4 {
		switch {
		case max(dmask, 1)>>i&1 == 0:
		case i < len(texel):
			vs = append(vs, texel[i])
		default:
			vs = append(vs, l.I32(0))
		}
	}
	if l.In.Opt(nameTfe) != 0 {
		vs = append(vs, l.I32(0))
	}
	first := field(l, nameVdata)
	vs = vs[:min(len(vs), 256-first)]
	setWords(l, first, vs, l.Mask())
}

// A texelPlace is the addresses of the texels of an access.
type texelPlace struct {
	l           *isa.Lift
	r           *imageRegs
	x, y        V
	addr, bytes V // per lane
	at          [len(texelParts)]struct{ addr, m V }
}

// newTexelPlace finds the texels by do: ImagePlace, or ImageBlock for a load; bytes, if not 0, is the required size.
func newTexelPlace(l *isa.Lift, do ir.ImageDo, how int, bytes uint8) *texelPlace {
	r := newImage(l)
	c, slice, next := r.coords(imageReg{})
	level := r.sample()
	if how&imgMip != 0 {
		level = r.at(next)
	}
	a := ir.ImageAttr{Do: do, With: r.with() &^ ir.ImageHalf, Bytes: bytes}
	p := l.Image(a, r.words, []V{c[0], c[1], c[2], slice, level}, l.Mask())
	return &texelPlace{l: l, r: r, x: c[0], y: c[1], addr: p[0].Pack(p[1], ir.I64), bytes: p[2]}
}

// A texelPart is a piece of a texel that is accessed at once.
type texelPart struct {
	access
	word uint32 // the word that it is part of
}

// texelParts are the pieces of all texels: a byte, a half, or up to four words.
var texelParts = [...]texelPart{{byteU, 0}, {halfU, 0}, {dword1, 0}, {dword1, 1}, {dword1, 2}, {dword1, 3}}

// check computes the address of each piece and the lanes whose texels have it, and checks all before one is accessed.
func (p *texelPlace) check(store bool) {
	l := p.l
	for i := range texelParts {
		t, at := &texelParts[i], &p.at[i]
		m := p.bytes.Eq(l.I32(uint32(t.elem)))
		if t.elem == 4 {
			m = l.I32(4 * t.word).ULt(p.bytes).And(l.I32(3).ULt(p.bytes))
		}
		at.addr, at.m = p.addr.Add(l.I64(uint64(4*t.word))), l.Mask().And(m)
		l.Check(t.touch(ir.GlobalSpace), store, at.addr, at.m)
	}
}

// image_load vdata, vaddr, srsrc. A missing texel reads 0 in all components.
func imageLoad(how int) eff {
	return func(l *isa.Lift) {
		p := newTexelPlace(l, ir.ImageBlock, how, 0)
		p.check(false)
		raw := []V{l.I32(0), l.I32(0), l.I32(0), l.I32(0)}
		for i := range texelParts {
			t := &texelParts[i]
			a := t.access
			a.signed = how&imgSigned != 0 && a.elem < 4
			raw[t.word] = raw[t.word].Or(l.Load(volatile(l, a.load(ir.GlobalSpace)), ir.I32, p.at[i].addr, p.at[i].m)[0])
		}
		if how&imgRaw == 0 {
			a := ir.ImageAttr{Do: ir.ImageDecode, With: p.r.with()}
			raw = l.Image(a, p.r.words, append(raw, p.x, p.y), l.Mask().And(p.bytes.Ne(l.I32(0))))
		}
		setTexel(l, raw, l.In.Get(nameDmask))
	}
}

// image_store vdata, vaddr, srsrc. A component that dmask excludes is stored as 0.
func imageStore(how int) eff {
	return func(l *isa.Lift) {
		p := newTexelPlace(l, ir.ImagePlace, how, 0)
		first := field(l, nameVdata)
		var data []V
		next := 0
		for i := range 4 {
			if max(l.In.Get(nameDmask), 1)>>i&1 != 0 && first+next < 256 {
				data = append(data, l.Get(VGPR(first+next), ir.I32))
				next++
			} else {
				data = append(data, l.I32(0))
			}
		}
		if how&imgRaw == 0 {
			data = l.Image(ir.ImageAttr{Do: ir.ImageEncode, With: p.r.with()}, p.r.words, data, l.Mask())
		}
		p.check(true)
		for i := range texelParts {
			t := &texelParts[i]
			l.Store(t.touch(ir.GlobalSpace), p.at[i].addr, data[t.word:t.word+1], p.at[i].m)
		}
	}
}

// image_atomic_add vdata, vaddr, srsrc; with glc vdata becomes the old texel. DMASK has as many ones as there are
// words of data: for a compare-and-swap the new value, then the comparand.
func imageAtomic(op uint8) eff {
	return func(l *isa.Lift) {
		words := mathbits.OnesCount64(max(l.In.Get(nameDmask), 1))
		size := 4 * words
		if op == ir.AtomicCmpSwap || op == ir.AtomicFCmpSwap {
			size /= 2
		}
		first := field(l, nameVdata)
		if size != 4 && size != 8 || first+words >= 256 {
			l.Fail(ir.TrapUndefined, l.In.Def.Name+": dmask gives the data no 4 or 8 bytes")
			return
		}
		p := newTexelPlace(l, ir.ImagePlace, 0, uint8(size))
		data, cmp := atomicData(l, first, op, size)
		m := l.Mask().And(p.bytes.Ne(l.I32(0)))
		old := l.Atomic(atomicMem(ir.GlobalSpace, op, size), p.addr, data, cmp, m)
		if l.In.Opt(nameGLC) == 0 {
			return
		}
		setVGPR(l, first, old, l.Mask())
		if l.In.Opt(nameTfe) != 0 {
			setWords(l, first+size/4, []V{l.I32(0)}, l.Mask())
		}
	}
}

// image_get_resinfo vdata, vaddr, srsrc: width, height, depth or layers of the level in vaddr, and the number of
// levels.
func imageSize(l *isa.Lift) {
	r := newImage(l)
	a := ir.ImageAttr{Do: ir.ImageSize, With: r.with()}
	setTexel(l, l.Image(a, r.words, []V{r.at(imageReg{})}, l.Mask()), l.In.Get(nameDmask))
}
