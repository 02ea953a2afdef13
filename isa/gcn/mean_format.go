package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Data and number formats of buffers as IR: an element of memory becomes four components and vice versa.
// docs/reference/gcn.md 8.1.1.
//
// The format of MUBUF is in the resource, that of MTBUF in the instruction. Both are converted by the same code: for
// a format that is not known while lifting, the positions of components are looked up once per wave, and each
// component is selected among the number formats.

// An element is the layout of a data format: the number of bits of each component, x y z w, and the lowest one.
type element struct {
	bytes    int
	bits, at [4]int
}

// elements are the data formats by code, named in dataFormats. Those without bytes are invalid.
var elements = [16]element{
	1:  {1, [4]int{8}, [4]int{}},
	2:  {2, [4]int{16}, [4]int{}},
	3:  {2, [4]int{8, 8}, [4]int{0, 8}},
	4:  {4, [4]int{32}, [4]int{}},
	5:  {4, [4]int{16, 16}, [4]int{0, 16}},
	6:  {4, [4]int{11, 11, 10}, [4]int{0, 11, 22}},
	7:  {4, [4]int{10, 11, 11}, [4]int{0, 10, 21}},
	8:  {4, [4]int{2, 10, 10, 10}, [4]int{0, 2, 12, 22}},
	9:  {4, [4]int{10, 10, 10, 2}, [4]int{0, 10, 20, 30}},
	10: {4, [4]int{8, 8, 8, 8}, [4]int{0, 8, 16, 24}},
	11: {8, [4]int{32, 32}, [4]int{0, 32}},
	12: {8, [4]int{16, 16, 16, 16}, [4]int{0, 16, 32, 48}},
	13: {12, [4]int{32, 32, 32}, [4]int{0, 32, 64}},
	14: {16, [4]int{32, 32, 32, 32}, [4]int{0, 32, 64, 96}},
}

// Number formats by code, named in numFormats.
const (
	numUnorm = iota
	numSnorm
	numUscaled
	numSscaled
	numUint
	numSint
	numSnormOGL // gfx6 and gfx7; reserved on gfx8
	numFloat
	numNumbers
)

// Fields of a component in a word of layoutWord.
const (
	layoutBits = 16
	leftBits   = 6
	rightBits  = 6
	wordBits   = 2
)

// layoutWord packs an element: for each component 16 bits with its shift left to the top of its word, its shift right
// from there, which is 32 if it is missing, and the number of the word.
func (e *element) layoutWord() (w uint64) {
	for c, n := range e.bits {
		left, word := 0, 0
		if n > 0 {
			word, left = e.at[c]/32, 32-e.at[c]%32-n
		}
		w |= uint64(left|(32-n)<<leftBits|word<<(leftBits+rightBits)) << (layoutBits * c)
	}
	return w
}

// A bufFormat converts elements. Its values are uniform.
type bufFormat struct {
	l      *isa.Lift
	number int // the number format, if it is known; else -1
	code   V   // the number format
	bytes  V   // of an element; 0: the format is invalid
	layout V   // i64: layoutWord
	size   int // bytes, if known; else -1
}

// knownFormat returns the format of an instruction of MTBUF.
func knownFormat(l *isa.Lift, data, number int) *bufFormat {
	e := &elements[data]
	if number == numSnormOGL && !genOf(l).snormOGL {
		e = &elements[0]
	}
	return &bufFormat{l: l, number: number, code: l.I32(uint32(number)), bytes: l.I32(uint32(e.bytes)),
		layout: l.I64(e.layoutWord()), size: e.bytes}
}

// resourceFormat returns the format of a resource.
func resourceFormat(r *vsharp) *bufFormat {
	l := r.l
	f := &bufFormat{l: l, number: -1, size: -1, code: r.bits(3, 12, 3), layout: l.I64(elements[0].layoutWord()), bytes: l.I32(0)}
	data := r.bits(3, 15, 4)
	for i := range elements {
		if e := &elements[i]; e.bytes > 0 {
			is := data.Eq(l.I32(uint32(i)))
			f.layout = is.Select(l.I64(e.layoutWord()), f.layout)
			f.bytes = is.Select(l.I32(uint32(e.bytes)), f.bytes)
		}
	}
	if !genOf(l).snormOGL {
		f.bytes = f.code.Eq(l.I32(numSnormOGL)).Select(l.I32(0), f.bytes)
	}
	return f
}

// byNumber evaluates a function for the number format: for each of them if it is unknown.
func (f *bufFormat) byNumber(of func(number int) V) V {
	if f.number >= 0 {
		return of(f.number)
	}
	v := of(0)
	for i := 1; i < numNumbers; i++ {
		v = f.code.Eq(f.l.I32(uint32(i))).Select(of(i), v)
	}
	return v
}

// integer reports whether components are integers, not floats.
func (f *bufFormat) integer() V {
	return f.code.Eq(f.l.I32(numUint)).Or(f.code.Eq(f.l.I32(numSint)))
}

// A fieldPlace is the position of a component. Its values are uniform.
type fieldPlace struct {
	left, right, word V
	bits, top         V // number of bits; the largest number of them
	words             []int
}

// place returns the position of component c; words are all words that it may be in.
func (f *bufFormat) place(c int) (p fieldPlace) {
	l := f.l
	part := func(at, n int) V {
		return f.layout.UBfe(l.I64(uint64(layoutBits*c+at)), l.I64(uint64(n))).Trunc(ir.I32)
	}
	p.left, p.right, p.word = part(0, leftBits), part(leftBits, rightBits), part(leftBits+rightBits, wordBits)
	p.bits = l.I32(32).Sub(p.right)
	p.top = l.I32(^uint32(0)).ShrUX(p.right)
	seen := [4]bool{}
	for i := range elements {
		if e := &elements[i]; e.bits[c] > 0 && !seen[e.at[c]/32] {
			seen[e.at[c]/32] = true
			p.words = append(p.words, e.at[c]/32)
		}
	}
	return p
}

// unpack returns the four components of an element as 32 bits each: floats, or integers if the format has those. A
// missing component is 0, or 1 if it is the last.
func (f *bufFormat) unpack(words [4]V) (comps [4]V) {
	defer f.l.Float(num.ModeSet | num.RNE)()
	for c := range comps {
		p := f.place(c)
		w := words[p.words[0]]
		for _, i := range p.words[1:] {
			w = p.word.Eq(f.l.I32(uint32(i))).Select(words[i], w)
		}
		w = w.Shl(p.left)
		x := fieldIn{fieldPlace: p, u: w.ShrUX(p.right), s: w.ShrSX(p.right)}
		v := f.byNumber(func(n int) V { return loads[n](&x) })
		missing := f.l.I32(0)
		if c == 3 {
			missing = f.one()
		}
		comps[c] = p.bits.Eq(f.l.I32(0)).Select(missing, v)
	}
	return comps
}

// one returns the number 1 of the format.
func (f *bufFormat) one() V { return f.integer().Select(f.l.I32(1), f.l.I32(0x3f800000)) }

// pack returns the words of an element of the components, the inverse of unpack. A component that is not stored is 0.
func (f *bufFormat) pack(comps []V) (words [4]V) {
	defer f.l.Float(num.ModeSet | num.RNE)()
	for i := range words {
		words[i] = f.l.I32(0)
	}
	for c, v := range comps {
		x := fieldOut{fieldPlace: f.place(c), x: v}
		bits := f.byNumber(func(n int) V { return stores[n](&x) })
		bits = bits.And(x.top).Shl(x.right.Sub(x.left))
		for _, i := range x.words {
			in := x.word.Eq(f.l.I32(uint32(i)))
			words[i] = words[i].Or(in.Select(bits, f.l.I32(0)))
		}
	}
	return words
}

// A fieldIn is a component in memory, zero-extended and sign-extended.
type fieldIn struct {
	fieldPlace
	u, s V
}

// loads are the conversions from memory, to the bits of f32 or to an integer.
var loads = [numNumbers]func(x *fieldIn) V{
	numUnorm: func(x *fieldIn) V { return fraction(x.u.UToF(ir.F64), x.top) },
	numSnorm: func(x *fieldIn) V {
		half := x.top.ShrU(x.top.K(1))
		return fraction(x.s.SMax(half.Neg()).SToF(ir.F64), half)
	},
	numUscaled: func(x *fieldIn) V { return x.u.UToF(ir.F32).As(ir.I32) },
	numSscaled: func(x *fieldIn) V { return x.s.SToF(ir.F32).As(ir.I32) },
	numUint:    func(x *fieldIn) V { return x.u },
	numSint:    func(x *fieldIn) V { return x.s },
	numSnormOGL: func(x *fieldIn) V {
		odd := x.s.SExt(ir.I64).Shl(x.s.B().I64(1)).Or(x.s.B().I64(1))
		return fraction(odd.SToF(ir.F64), x.top)
	},
	numFloat: func(x *fieldIn) V {
		k := x.u.K
		half := x.bits.Eq(k(11)).Select(x.u.Shl(k(4)), x.bits.Eq(k(10)).Select(x.u.Shl(k(5)), x.u))
		short := half.Trunc(ir.I16).As(ir.F16).FCvt(ir.F32).As(ir.I32)
		short = x.bits.ULt(k(10)).Select(k(0), short)
		return x.bits.Eq(k(32)).Select(x.u, short)
	},
}

// fraction returns v / of as f32. Rounding twice is the same as once: the binary digits of the quotient have a period
// of at most 32, so no quotient that is close to the middle of two f32 rounds to the middle first.
func fraction(v, of V) V { return v.FDiv(of.UToF(ir.F64)).FCvt(ir.F32).As(ir.I32) }

// A fieldOut is a component to be stored.
type fieldOut struct {
	fieldPlace
	x V // i32
}

// stores are the conversions to memory, the inverse of loads. Numbers are clamped and rounded to nearest even; bits
// above the field are truncated later.
var stores = [numNumbers]func(x *fieldOut) V{
	numUnorm:    func(x *fieldOut) V { return x.scaled(0, 1, x.top).FToU(ir.I32) },
	numSnorm:    func(x *fieldOut) V { return x.scaled(-1, 1, x.half()).FToS(ir.I32) },
	numUscaled:  func(x *fieldOut) V { return x.scaled(0, 1<<33, x.top.K(1)).FToU(ir.I32).UMin(x.top) },
	numSscaled:  func(x *fieldOut) V { return x.signed(x.scaled(-1<<33, 1<<33, x.top.K(1)).FToS(ir.I32)) },
	numUint:     func(x *fieldOut) V { return x.x.UMin(x.top) },
	numSint:     func(x *fieldOut) V { return x.signed(x.x) },
	numSnormOGL: (*fieldOut).snormOGL,
	numFloat:    (*fieldOut).float,
}

// half returns the largest signed number of the field.
func (x *fieldOut) half() V { return x.top.ShrU(x.top.K(1)) }

// signed returns an integer clamped to the field.
func (x *fieldOut) signed(v V) V { return v.SMin(x.half()).SMax(x.half().Not()) }

// scaled returns the float clamped to two bounds, times an unsigned integer, in double precision, which is exact for
// fields of up to 29 bits. A NaN gives 0.
func (x *fieldOut) scaled(low, high float64, by V) V {
	b, f := x.x.B(), x.x.As(ir.F32)
	k := func(v float64) V { return b.Const(ir.F64, pattern(64, v)) }
	d := f.FUnord(f).Select(k(0), f.FCvt(ir.F64).FMinNum(k(high)).FMaxNum(k(low)))
	return d.FMul(by.UToF(ir.F64))
}

// snormOGL returns the v for which (2v + 1) / (2^n - 1) is nearest to x: x * (2^n - 1) / 2 rounded down, if that is
// no integer; if it is, v and v - 1 are equally near, and the even one is used.
func (x *fieldOut) snormOGL() V {
	b := x.x.B()
	h := x.scaled(-1, 1, x.top).FMul(b.Const(ir.F64, pattern(64, 0.5)))
	v := rounding(b, num.RDown, func() V { return h.FToS(ir.I32) })
	tie := v.SToF(ir.F64).FEq(h).ZExt(ir.I32)
	return x.signed(v.Sub(v.And(tie)))
}

// float rounds to the 32, 16, 11 or 10 bits of the field; the short formats have no sign, and values below 0 become
// 0. A field of another size is 0.
func (x *fieldOut) float() V {
	b, f, k := x.x.B(), x.x.As(ir.F32), x.x.K
	half := f.FCvt(ir.F16).As(ir.I16).ZExt(ir.I32)
	// The half is rounded toward zero with a sticky last bit, so that its upper bits round as the float itself does.
	cut := rounding(b, num.RZ, func() V { return f.FCvt(ir.F16) })
	lost := f.FUnord(f).Not().And(cut.FCvt(ir.F32).FEq(f).Not())
	odd := cut.As(ir.I16).ZExt(ir.I32).Or(lost.ZExt(ir.I32))
	short := func(drop uint64) V {
		last := odd.ShrU(k(drop)).And(k(1))
		return odd.Add(k(1<<(drop-1) - 1)).Add(last).ShrU(k(drop))
	}
	nan := f.FUnord(f)
	no := nan.Not().And(f.FLt(b.Const(ir.F32, 0)))
	size := func(drop, quiet uint64) V {
		return nan.Select(k(quiet), no.Select(k(0), short(drop)))
	}
	v := x.bits.Eq(k(16)).Select(half, k(0))
	v = x.bits.Eq(k(11)).Select(size(4, 0x7e0), v)
	v = x.bits.Eq(k(10)).Select(size(5, 0x3f0), v)
	return x.bits.Eq(k(32)).Select(x.x, v)
}
