package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// Semantics of converting loads and stores through a buffer: buffer_load_format_*, tbuffer_load_format_* and the
// stores. docs/reference/gcn.md 8.1.1.

// elementFormat returns the format of an instruction and its component selects: four codes of three bits from bit 0
// up; not valid: each component as it is.
func elementFormat(l *isa.Lift) (f *bufFormat, selects V) {
	r := resource(l, 4*field(l, nameSrsrc))
	if !l.In.Has(nameFormat) {
		return resourceFormat(&r), r.w[3]
	}
	code := field(l, nameFormat)
	if l.Option(optTypedSelect) == selectResource {
		selects = r.w[3]
	}
	return knownFormat(l, code&15, code>>4), selects
}

// Codes of selects: 0, 1, and from 4 up a component. The others give 0.
const (
	selOne  = 1
	selX    = 4
	selBits = 3
)

// swizzle returns component i of an element after the selects.
func (f *bufFormat) swizzle(selects V, comps [4]V, i int) V {
	if !selects.Valid() {
		return comps[i]
	}
	l := f.l
	sel := selects.UBfe(l.I32(uint32(selBits*i)), l.I32(selBits))
	v := sel.Eq(l.I32(selOne)).Select(f.one(), l.I32(0))
	for c, x := range comps {
		v = sel.Eq(l.I32(uint32(selX+c))).Select(x, v)
	}
	return v
}

// A piece is an access to a part of an element: all of one of 1 or 2 bytes, or a dword.
type piece struct {
	access
	word    int
	addr, m V
}

// pieces returns the accesses that an element takes, each checked before any is executed. For a format that is
// unknown these are all possible ones, under masks that leave those of its size.
func (b *bufAddr) pieces(f *bufFormat, store bool) (ps []piece) {
	l := b.l
	add := func(a access, word int, fits V) {
		p := piece{access: a, word: word}
		p.addr, p.m = b.dword(word)
		if fits.Valid() {
			p.m = p.m.And(fits)
		}
		ps = append(ps, p)
	}
	switch f.size {
	case 0: // nothing, in no lane
		add(dword1, 0, l.I1(false))
	case 1, 2:
		add(access{elem: uint8(f.size), count: 1}, 0, V{})
	case -1:
		add(byteU, 0, f.bytes.Eq(l.I32(1)))
		add(halfU, 0, f.bytes.Eq(l.I32(2)))
		for i := range 4 {
			add(dword1, i, l.I32(uint32(4*i+3)).ULt(f.bytes))
		}
	default:
		for i := range f.size / 4 {
			add(dword1, i, V{})
		}
	}
	for _, p := range ps {
		l.Check(p.touch(ir.GlobalSpace), store, p.addr, p.m)
	}
	return ps
}

// loadTyped returns n components of an element; 0 if it is out of range, whatever is selected, or the format is
// invalid.
func (b *bufAddr) loadTyped(n int, half bool) []V {
	l := b.l
	f, selects := elementFormat(l)
	vs := make([]V, n)
	var words [4]V
	for i := range words {
		words[i] = l.I32(0)
	}
	_, in := b.dword(0) // before the first access
	for _, p := range b.pieces(f, false) {
		words[p.word] = words[p.word].Or(b.loadOne(p.access, p.addr, p.m))
	}
	comps := f.unpack(words)
	in = in.And(f.bytes.Ne(l.I32(0)))
	for i := range vs {
		vs[i] = in.Select(f.swizzle(selects, comps, i), l.I32(0))
		if half {
			vs[i] = f.toHalf(vs[i])
		}
	}
	return vs
}

// toHalf returns a component as 16 bits, fromHalf is the inverse: floats are rounded to nearest even, of integers the
// lower half is used.
func (f *bufFormat) toHalf(v V) V {
	defer f.l.Float(num.ModeSet | num.RNE)()
	half := v.As(ir.F32).FCvt(ir.F16).As(ir.I16).ZExt(ir.I32)
	return f.integer().Select(v.And(v.K(0xffff)), half)
}

func (f *bufFormat) fromHalf(v V) V {
	defer f.l.Float(num.ModeSet | num.RNE)()
	h := v.Trunc(ir.I16)
	x := f.code.Eq(f.l.I32(numSint)).Select(h.SExt(ir.I32), h.ZExt(ir.I32))
	return f.integer().Select(x, h.As(ir.F16).FCvt(ir.F32).As(ir.I32))
}

// buffer_load_format_xy vdata, vaddr, srsrc, soffset: n components.
func bufLoadTyped(n int) eff { return typedLoad(n, false) }

// buffer_store_format_xy vdata, vaddr, srsrc, soffset. All of an element is written.
func bufStoreTyped(n int) eff { return typedStore(n, false) }

// bufLoadD16 and bufStoreD16 have 16 bits of a component in a register.
func bufLoadD16(n int) eff  { return typedLoad(n, true) }
func bufStoreD16(n int) eff { return typedStore(n, true) }

func typedLoad(n int, half bool) eff {
	return func(l *isa.Lift) {
		b := newBufAddr(l)
		b.loaded(func() []V { return b.loadTyped(n, half) })
	}
}

func typedStore(n int, half bool) eff {
	return func(l *isa.Lift) {
		b := newBufAddr(l)
		f, _ := elementFormat(l)
		first := field(l, nameVdata)
		comps := getWords(l, first, n)
		for i := range comps {
			if half {
				comps[i] = f.fromHalf(comps[i])
			}
		}
		ps := b.pieces(f, true)
		words := f.pack(comps)
		for _, p := range ps {
			l.Store(p.touch(ir.GlobalSpace), p.addr, words[p.word:p.word+1], p.m)
		}
	}
}
