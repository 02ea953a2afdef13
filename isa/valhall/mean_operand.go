package valhall

import (
	"cmp"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Access to operands. docs/reference/valhall.md 2 and 3.

// lifted reads sources and writes results by the form of the row.
//
// Src(i) is source i, from 0 in the order of the text, with its type in the form and its modifiers applied. Bytes of
// modByte are 32 bits and those of modBytes two halves, extended. Shift amounts are the whole word: see amounts.
//
// Dst(0, v) is the result: clamped or inverted if the mnemonic says so, in the halves that the operand names.
var lifted = &isa.Form{Src: readSource, Dst: writeResult}

// regCell is register n, at most the last one.
func regCell(n int) ir.Cell { return ir.Cell{File: FileR, Index: uint16(min(n, NumR-1))} }

// word32 is the word that source byte v names; page is the page of the instruction's sources.
func word32(l *isa.Lift, v, page uint64) V {
	switch {
	case v>>6 <= isLast:
		return l.Get(regCell(int(v&63)), ir.I32)
	case v>>6 == isUniform:
		return l.Get(ir.Cell{File: FileU, Index: uint16(page*pageWords + v&63)}, ir.I32)
	case v < firstSpecial:
		return l.I32(constantOf(l.In, v-firstConstant))
	}
	number, high := int(v>>1&(numSpecial-1)), v&1 != 0
	if page == PageIdentity {
		switch {
		case number == SpecialLane && high:
			return l.I32(0)
		case number == SpecialLane:
			return l.LaneID()
		case number == SpecialPC && high:
			return l.I32(uint32(l.Next >> 32))
		case number == SpecialPC:
			return l.I32(uint32(l.Next))
		}
	}
	return l.Get(Special(int(page), number, int(v&1)), ir.I32)
}

// secondWord is the high word of the pair that source byte v names.
func secondWord(l *isa.Lift, v, page uint64) V {
	if v >= firstConstant && v < firstSpecial {
		return l.I32(0)
	}
	return word32(l, v|1, page)
}

// word64 is the pair of words that source byte v names: an even one and the next. A constant is zero-extended.
func word64(l *isa.Lift, v, page uint64) V {
	if v >= firstConstant && v < firstSpecial {
		return word32(l, v, page).ZExt(ir.I64)
	}
	return word32(l, v&^1, page).Pack(word32(l, v|1, page), ir.I64)
}

func readSource(l *isa.Lift, i int) V {
	o := &rowOf(l.In).form.srcs[i]
	return sourceWith(l, o, l.In.Opt(nameSwzA+isa.Name(l.In.Def.Args[o.arg].Name[0]-'a')))
}

// sourceWith is a source with swizzle value swz instead of the one in the word.
func sourceWith(l *isa.Lift, o *origin, swz uint64) V {
	a := &l.In.Def.Args[o.arg]
	byte, page := a.Get(l.In.Word), a.Part(l.In.Word, partPage)
	wide := o.typ.Bits() == 64
	n := isa.Name(a.Name[0] - 'a')
	var v V
	switch {
	case wide && swz == 0:
		v = word64(l, byte, page)
	case wide && swz == widenWord1:
		v = swizzled(secondWord(l, byte, page), o, widenWord)
	case o.mod == modNone:
		v = narrowed(word32(l, byte, page), o.typ)
	default:
		v = swizzled(word32(l, byte, page), o, swz)
	}
	if n > nameC { // the fourth has no modifiers, and no names for them
		return v
	}
	if l.In.Opt(nameAbsA+n) != 0 {
		v = v.FAbs()
	}
	if l.In.Opt(nameNegA+n) != 0 {
		v = v.FNeg()
	}
	if n == nameC && l.In.Opt(nameNotC) != 0 {
		v = v.Not()
	}
	return v
}

// narrowed truncates a word to a type.
func narrowed(v V, t ir.Type) V {
	if n := t.Bits(); n < 32 {
		return v.Extract(0, ir.IntOf(n)).As(t)
	}
	return v.As(t)
}

// swizzled is what the swizzle of a source selects from its word.
func swizzled(v V, o *origin, swz uint64) V {
	extend := func(v V, t ir.Type) V {
		if o.signed {
			return v.SExt(t)
		}
		return v.ZExt(t)
	}
	half := func(i uint64) V { return v.Extract(16*int(i), ir.I16) }
	byte := func(i uint64) V { return v.Extract(8*int(i), ir.I8) }
	switch o.mod {
	case modWiden2:
		if swz == 0 {
			return v.As(ir.F32)
		}
		return half(swz - 1).As(ir.F16).FCvt(ir.F32)
	case modSwz16:
		if o.typ.Bits() == 16 {
			return half(uint64(halfPairs[swz][0])).As(o.typ)
		}
		return twoHalves(v, swz).As(o.typ)
	case modHalf:
		return half(swz).As(o.typ)
	case modWiden16:
		if swz < numHalfSwizzles {
			return twoHalves(v, swz).As(o.typ)
		}
		pair := bytePairs[swz]
		return extend(byte(uint64(pair[0])), ir.I16).Pack(extend(byte(uint64(pair[1])), ir.I16), ir.I32).As(o.typ)
	case modBytes:
		return extend(byte(swz&3), ir.I16).Pack(extend(byte(swz>>2), ir.I16), ir.I32).As(o.typ)
	case modByte:
		return extend(byte(swz), ir.I32)
	case modWiden8:
		if swz == 0 { // unchanged order
			break
		}
		b := fourBytes[swz]
		low := byte(uint64(b[0])).Pack(byte(uint64(b[1])), ir.I16)
		return low.Pack(byte(uint64(b[2])).Pack(byte(uint64(b[3])), ir.I16), ir.I32).As(o.typ)
	case modWiden32, modWiden64:
		switch {
		case swz == widenWord:
			return extend(v, o.typ)
		case swz >= widenByte:
			return extend(byte(swz-widenByte), o.typ)
		case swz >= widenHalf:
			return extend(half(swz-widenHalf), o.typ)
		}
	case modCombine:
		if swz == combineH0 || swz == combineH1 {
			return half(swz - combineH0).ZExt(ir.I32)
		}
	}
	return v.As(o.typ)
}

// twoHalves are the halves of a word that a swizzle selects.
func twoHalves(v V, swz uint64) V {
	if swz == swz01 { // unchanged order
		return v
	}
	pair := halfPairs[swz]
	return v.Extract(16*int(pair[0]), ir.I16).Pack(v.Extract(16*int(pair[1]), ir.I16), ir.I32)
}

// Values of integer widenings, and of what a branch tests.
const (
	widenHalf       = 2
	widenByte       = 4
	widenWord       = 8
	widenWord1      = 9
	combineH0       = 1
	combineH1       = 2
	combineAnd      = 3
	combineLowBits  = 4
	numAmounts      = 12 // of the lanes of shift amounts
	numHalfSwizzles = 4
)

// halfPairs are the halves that a swizzle selects, the low one first; bytePairs bytes, from code 5 on; fourBytes all
// four bytes.
var (
	halfPairs = [numHalfSwizzles][2]uint8{swz00: {0, 0}, swz10: {1, 0}, swz01: {0, 1}, swz11: {1, 1}}
	bytePairs = [...][2]uint8{4: {0, 0}, {2, 0}, {0, 2}, {2, 2}, {1, 1}, {3, 1}, {1, 3}, {3, 3}, {0, 1}, {2, 3}}
	fourBytes = [...][4]uint8{{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 1, 0, 1}, {2, 3, 2, 3}, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3},
		{2, 3, 0, 1}, {1, 0, 3, 2}, {0, 0, 1, 1}, {2, 2, 3, 3}}
	amountBytes = [numAmounts][2]uint8{0: {0, 2}, 4: {0, 0}, 5: {1, 1}, 6: {2, 2}, 7: {3, 3}, 10: {0, 1}, 11: {2, 3}}
)

func writeResult(l *isa.Lift, _ int, v V) {
	if c := l.In.Opt(nameClamp); c != 0 {
		v = clamped(v, c)
	}
	if l.In.Opt(nameNotResult) != 0 {
		v = v.Not()
	}
	dst := &l.In.Def.Args[rowOf(l.In).form.dst]
	n, mask := int(dst.Get(l.In.Word)), l.In.Get(nameMask)
	if dst.Parts[partMask].Kind == narrow && mask != maskAll {
		v = v.FCvt(ir.F16)
		mask = cmp.Or(mask, maskAll)
	}
	if mask == 0 {
		return
	}
	switch v.Type().Bits() {
	case 64:
		lo, hi := v.As(ir.I64).Unpack(ir.I32)
		lo, hi = merged(l, n&^1, lo, mask), merged(l, n|1, hi, mask)
		l.Set(regCell(n&^1), lo, l.Mask())
		l.Set(regCell(n|1), hi, l.Mask())
		return
	case 16: // both halves get the value; the mask selects one
		h := v.As(ir.I16)
		v = h.Pack(h, ir.I32)
	}
	l.Set(regCell(n), merged(l, n, v.As(ir.I32), mask), l.Mask())
}

// maskAll is the mask of both halves.
const maskAll = 3

// merged replaces the halves of a register that a mask names by those of a value: half i by half i.
func merged(l *isa.Lift, n int, v V, mask uint64) V {
	switch mask {
	case 1:
		return l.Get(regCell(n), ir.I32).Insert(v.Extract(0, ir.I16), 0)
	case 2:
		return l.Get(regCell(n), ir.I32).Insert(v.Extract(16, ir.I16), 16)
	}
	return v
}

// Values of clamp.
const (
	clampPositive = 1 // 0 to infinity
	clampSigned   = 2 // -1 to 1
)

// clamped limits each element; a NaN becomes the lower limit, and -0 is less than +0.
func clamped(v V, c uint64) V {
	one, minusOne := uint64(0x3f800000), uint64(0xbf800000)
	if v.Type() != ir.F32 { // f16
		one, minusOne = 0x3c00, 0xbc00
	}
	low := v.K(0)
	if c == clampSigned {
		low = v.K(minusOne)
	}
	v = v.FMaxNum(low)
	if c != clampPositive {
		v = v.FMinNum(v.K(one))
	}
	return v
}

// staging is the words in the registers that a message reads.
func staging(l *isa.Lift) (vs []V) {
	first, n := groupNamed(l, nameStaging)
	for i := range n {
		vs = append(vs, l.Get(regCell(first+i), ir.I32))
	}
	return vs
}

// stage writes words to the registers of a message, as many as both have.
func stage(l *isa.Lift, n isa.Name, vs []V) {
	first, most := groupNamed(l, n)
	for i := range min(most, len(vs)) {
		l.Set(regCell(first+i), vs[i], l.Mask())
	}
}

// groupNamed is the first register and the size of a group, nameStaging or nameResult.
func groupNamed(l *isa.Lift, n isa.Name) (first, count int) {
	for _, i := range rowOf(l.In).form.regs {
		if a := &l.In.Def.Args[i]; a.Name == names[n] {
			return group(l.In, a)
		}
	}
	return 0, 0
}
