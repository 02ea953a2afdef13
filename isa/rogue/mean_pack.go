package rogue

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/num"
)

// Packs. docs/reference/rogue.md 5.4.

// Kinds of fields in packed words.
const (
	fieldUnsigned = iota
	fieldSigned
	fieldOffset // signed, with half of the range added
	fieldOGL    // signed; scaled, the range is symmetric and has no code for 0
	fieldCount  // unsigned, never scaled
	fieldHalf
	fieldSmall  // a float without sign, five bits of exponent
	fieldShared // a significand of nine bits; the exponent is shared
	fieldCopy
	fieldCover
)

// A field is one value of a packed format: the word that it is in, and its bits.
type field struct{ kind, word, low, bits uint8 }

// A packed format is its fields in the order of the elements, and its number of words.
type packed struct {
	fields []field
	words  int
	open   bool // the layout is not public
}

// packFormats are the formats by code; those without fields are constants or reserved.
var packFormats = [32]packed{
	0:  {[]field{{fieldUnsigned, 0, 0, 8}, {fieldUnsigned, 0, 8, 8}, {fieldUnsigned, 0, 16, 8}, {fieldUnsigned, 0, 24, 8}}, 1, false},
	1:  {[]field{{fieldSigned, 0, 0, 8}, {fieldSigned, 0, 8, 8}, {fieldSigned, 0, 16, 8}, {fieldSigned, 0, 24, 8}}, 1, false},
	2:  {[]field{{fieldOffset, 0, 0, 8}, {fieldOffset, 0, 8, 8}, {fieldOffset, 0, 16, 8}, {fieldOffset, 0, 24, 8}}, 1, true},
	3:  {[]field{{fieldUnsigned, 0, 0, 16}, {fieldUnsigned, 0, 16, 16}}, 1, false},
	4:  {[]field{{fieldSigned, 0, 0, 16}, {fieldSigned, 0, 16, 16}}, 1, false},
	5:  {[]field{{fieldOffset, 0, 0, 16}, {fieldOffset, 0, 16, 16}}, 1, true},
	6:  {[]field{{fieldUnsigned, 0, 0, 32}}, 1, false},
	7:  {[]field{{fieldSigned, 0, 0, 32}}, 1, false},
	8:  {[]field{{fieldUnsigned, 0, 0, 10}, {fieldUnsigned, 0, 10, 10}, {fieldUnsigned, 0, 20, 10}, {fieldUnsigned, 0, 30, 2}}, 1, false},
	9:  {[]field{{fieldSigned, 0, 0, 10}, {fieldSigned, 0, 10, 10}, {fieldSigned, 0, 20, 10}, {fieldSigned, 0, 30, 2}}, 1, false},
	10: {[]field{{fieldUnsigned, 0, 0, 11}, {fieldUnsigned, 0, 11, 11}, {fieldUnsigned, 0, 22, 10}}, 1, true},
	11: {[]field{{fieldSigned, 0, 0, 11}, {fieldSigned, 0, 11, 11}, {fieldSigned, 0, 22, 10}}, 1, true},
	12: {[]field{{fieldSmall, 0, 0, 11}, {fieldSmall, 0, 11, 11}, {fieldSmall, 0, 22, 10}}, 1, false},
	13: {[]field{{fieldShared, 0, 0, 9}, {fieldShared, 0, 9, 9}, {fieldShared, 0, 18, 9}}, 1, true},
	14: {[]field{{fieldHalf, 0, 0, 16}, {fieldHalf, 0, 16, 16}}, 1, false},
	15: {[]field{{fieldCopy, 0, 0, 32}}, 1, false},
	16: {[]field{{fieldCover, 0, 0, 32}}, 1, true},
	17: {[]field{{fieldUnsigned, 0, 0, 5}, {fieldUnsigned, 0, 5, 6}, {fieldUnsigned, 0, 11, 5}, {fieldUnsigned, 0, 16, 5}, {fieldUnsigned, 0, 21, 6}, {fieldUnsigned, 0, 27, 5}}, 1, true},
	18: {[]field{{fieldUnsigned, 0, 0, 24}, {fieldCount, 0, 24, 8}}, 1, true},
	19: {[]field{{fieldCount, 0, 0, 8}, {fieldUnsigned, 0, 8, 24}}, 1, true},
	20: {[]field{{fieldCopy, 0, 0, 32}, {fieldCount, 1, 0, 8}}, 2, true},
	21: {[]field{{fieldSmall, 0, 0, 10}, {fieldSmall, 0, 10, 10}, {fieldSmall, 0, 20, 10}, {fieldUnsigned, 0, 30, 2}}, 1, true},
	22: {[]field{{fieldOGL, 0, 0, 8}, {fieldOGL, 0, 8, 8}, {fieldOGL, 0, 16, 8}, {fieldOGL, 0, 24, 8}}, 1, true},
	23: {[]field{{fieldOGL, 0, 0, 16}, {fieldOGL, 0, 16, 16}}, 1, true},
	30: {[]field{{fieldCopy, 0, 0, 32}}, 1, false},
	31: {[]field{{fieldCopy, 0, 0, 32}}, 1, false},
}

// Formats that give a constant.
const (
	formatZero = 30
	formatOne  = 31
)

// element is the field of element k, and the word that it is in.
func (p *packed) element(k int) (f *field, word int) {
	n := len(p.fields)
	if n == 0 {
		return &field{}, k
	}
	f = &p.fields[k%n]
	return f, k/n*p.words + int(f.word)
}

// formatOf is the format of an instruction. The lift fails if the layout must be public and is not.
func formatOf(l *isa.Lift) *packed {
	p := &packFormats[l.In.Get(nameFormat)]
	if p.open && l.Option(optPack) == packPublic {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": the layout of the format is not public")
	}
	return p
}

// A gather is the state of a repeated pack for the word that it fills.
type gather struct {
	word, run int // index of the word, and the number of repetitions that fill it
	v         V
	shared    [3]V         // floats that share an exponent
	all       [maxRepeat]V // under PCK.PROG: the values of all repetitions
	format    V            // and the format
	done      int
}

// pack stores is3 into its element.
func pack(l *isa.Lift) {
	st := data(l)
	switch l.In.Get(nameFormat) {
	case formatZero:
		l.Dst(0, l.I32(0))
		return
	case formatOne:
		l.Dst(0, l.I32(math.Float32bits(1)))
		return
	}
	p := formatOf(l)
	f, _ := p.element(st.repeat)
	v := st.selected(l, 3)
	g := &st.gather
	if g.done++; g.done == 1 {
		g.v = st.unpacked(l, p, f)
	}
	switch {
	case f.kind == fieldShared:
		st.share(l, v, f)
	case f.bits == 32:
		g.v = f.encode(l, v)
	default:
		mask := uint64(1)<<f.bits - 1
		bits := f.encode(l, v).And(l.I32(uint32(mask))).Shl(l.I32(uint32(f.low)))
		g.v = g.v.And(l.I32(uint32(^(mask << f.low)))).Or(bits)
	}
	l.Dst(0, g.v)
}

// unpacked is the word that elements are stored into: the old one if the pack does not write all of it.
func (st *state) unpacked(l *isa.Lift, p *packed, f *field) V {
	if st.gather.run >= p.inWord(f.word) || l.Option(optRest) == restZero {
		return l.I32(0)
	}
	for i := range st.rt.dst {
		if st.rt.has[i] && st.takesPack(l.Bundle, i) {
			return st.read(l, st.advanced(st.rt.dst[i], st.gather.word))
		}
	}
	return l.I32(0)
}

// takesPack reports whether result i is the result of a pack.
func (st *state) takesPack(b *isa.Bundle, i int) bool {
	if m := group.Find(b, group.Move); m != nil && m.Opt([...]isa.Name{nameMov0, nameMov1}[i]) == group.FT2 {
		return true
	}
	return st.rt.iss[4+i] == group.FT2
}

// towards0 rounds toward zero while f computes a value, if yes.
func towards0(l *isa.Lift, yes bool, f func() V) V {
	if yes {
		defer l.Float(l.Builder.Mode().WithRound(num.RZ))()
	}
	return f()
}

// top is the number that represents 1 in a scaled field.
func (f *field) top() float64 {
	switch f.kind {
	case fieldSigned, fieldOffset:
		return float64(uint64(1)<<(f.bits-1) - 1)
	}
	return float64(uint64(1)<<f.bits - 1)
}

// encode is the bit pattern of a float in the field, in the low bits of a word.
func (f *field) encode(l *isa.Lift, w V) V {
	scale, round := l.In.Get(nameScale) != 0, l.In.Get(nameRound) != 0
	v := w.As(ir.F32)
	switch f.kind {
	case fieldCopy:
		return w
	case fieldHalf:
		return towards0(l, round, func() V { return toHalf(v).As(ir.I16).ZExt(ir.I32) })
	case fieldSmall:
		return f.encodeSmall(l, v, round)
	case fieldCover:
		n := towards0(l, round, func() V {
			return v.FSat().FMul(l.Const(ir.F32, uint64(math.Float32bits(float32(uint(1)<<l.Option(optCoverage)))))).FToU(ir.I32)
		})
		return l.I32(1).Shl(n).Sub(l.I32(1))
	}
	if l.Option(optPackNaN) == nanLeast {
		v = v.FUnord(v).Select(l.Const(ir.F32, uint64(math.Float32bits(float32(math.Inf(-1))))), v)
	}
	if scale && f.kind != fieldCount {
		return f.encodeScaled(l, v, round)
	}
	return towards0(l, round, func() V {
		if f.kind == fieldUnsigned || f.kind == fieldCount {
			return f.clamp(v.FToU(ir.I32), 0)
		}
		return f.clamp(v.FToS(ir.I32), int64(-1)<<(f.bits-1))
	})
}

// encodeScaled is the bit pattern of a float that is a fraction of the field's range. Products are computed in f64,
// which is exact except for fields of 32 bits.
func (f *field) encodeScaled(l *isa.Lift, v V, round bool) V {
	return towards0(l, round, func() V {
		wide := v.FCvt(ir.F64)
		switch f.kind {
		case fieldUnsigned:
			return f.clamp(wide.FMul(f64(l, f.top())).FToU(ir.I32), 0)
		case fieldOGL:
			return f.clamp(wide.Fma(f64(l, f.top()/2), f64(l, -0.5)).FToS(ir.I32), int64(-1)<<(f.bits-1))
		}
		return f.clamp(wide.FMul(f64(l, f.top())).FToS(ir.I32), -int64(f.top()))
	})
}

// clamp limits an integer to the field: from low up, or unsigned.
func (f *field) clamp(v V, low int64) V {
	switch {
	case f.kind == fieldUnsigned || f.kind == fieldCount:
		if f.bits < 32 {
			v = v.UMin(v.K(1<<f.bits - 1))
		}
		return v
	case f.bits < 32 || low > math.MinInt32:
		v = v.SMax(v.K(uint64(low)))
	}
	if f.bits < 32 {
		v = v.SMin(v.K(1<<(f.bits-1) - 1))
	}
	if f.kind == fieldOffset {
		v = v.Add(v.K(1 << (f.bits - 1)))
	}
	return v
}

// encodeSmall is the bit pattern of a float without sign; negative values give 0. The value is first truncated to f16
// and then shortened; a sticky last bit records lost bits, so that the value is rounded once.
func (f *field) encodeSmall(l *isa.Lift, v V, round bool) V {
	cut := uint32(15 - f.bits) // bits of the f16 significand that the field does not have
	restore := l.Float(l.Builder.Mode().WithRound(num.RZ))
	short := toHalf(v)
	restore()
	h := short.As(ir.I16).ZExt(ir.I32)
	if !round {
		lost := ofHalf(short).FEq(v).Not().Select(l.I32(1), l.I32(0))
		even := h.ShrU(l.I32(cut)).And(l.I32(1))
		h = h.Or(lost).Add(even).Add(l.I32(1<<(cut-1) - 1))
	}
	h = h.ShrU(l.I32(cut))
	h = v.As(ir.I32).SLt(l.I32(0)).Select(l.I32(0), h)
	return v.FUnord(v).Select(l.I32(uint32(0x7e00)>>cut), h)
}

// unpack unpacks an element of s0; a group that repeats unpacks the next ones too.
func unpack(l *isa.Lift) {
	st, in := data(l), l.In
	p := formatOf(l)
	f, _ := p.element(st.unpackElement(in))
	l.Dst(0, f.decode(l, st.source(l, 0), in.Get(nameScale) != 0))
}

// unpackElement is the element that this repetition unpacks, counted from the first one of s0, modulo the number of
// elements of the format.
func (st *state) unpackElement(in *isa.Inst) int {
	return int(in.Get(nameElem0))%len(packFormats[in.Get(nameFormat)].fields) + st.repeat
}

// decode is the float that the field of a word holds.
func (f *field) decode(l *isa.Lift, w V, flag bool) V {
	switch f.kind {
	case fieldCopy:
		return w
	case fieldHalf:
		return ofHalf(w.Extract(int(f.low), ir.I16).As(ir.F16))
	case fieldSmall:
		return ofHalf(f.raw(l, w).Shl(l.I32(uint32(15 - f.bits))).Trunc(ir.I16).As(ir.F16))
	case fieldShared:
		return f.unshare(l, w)
	}
	v, signed := f.raw(l, w), f.kind == fieldSigned || f.kind == fieldOffset || f.kind == fieldOGL
	switch {
	case f.kind == fieldOffset:
		v = v.Sub(l.I32(1 << (f.bits - 1)))
	case signed && f.bits < 32:
		up := l.I32(uint32(32 - f.bits))
		v = v.Shl(up).ShrS(up)
	}
	if f.bits == 32 && l.Option(optUnpack) == unpackTowards0 {
		return towards0(l, flag, func() V { return toFloat(v, ir.F32, signed) })
	}
	if !flag || f.kind == fieldCount {
		return toFloat(v, ir.F32, signed)
	}
	if f.kind == fieldOGL {
		v = v.Add(v).Add(l.I32(1))
	}
	t, top := ir.F32, l.Const(ir.F32, uint64(math.Float32bits(float32(f.top()))))
	if f.bits == 32 {
		t, top = ir.F64, f64(l, f.top())
	}
	x := toFloat(v, t, signed).FDiv(top)
	if t == ir.F64 {
		x = x.FCvt(ir.F32)
	}
	if f.kind == fieldSigned || f.kind == fieldOffset {
		x = x.FMaxNum(l.Const(ir.F32, uint64(math.Float32bits(-1))))
	}
	return x
}

// raw is the bits of the field.
func (f *field) raw(l *isa.Lift, w V) V {
	if f.bits == 32 {
		return w
	}
	return w.ShrU(l.I32(uint32(f.low))).And(l.I32(1<<f.bits - 1))
}

func toFloat(v V, t ir.Type, signed bool) V {
	if signed {
		return v.SToF(t)
	}
	return v.UToF(t)
}
