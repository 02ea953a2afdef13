package tesla

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Sources that are a register or memory, depending on bits of the instruction and the stage. docs/reference/tesla.md
// 5.

// A place is which source of which form an operand is.
type place uint8

const (
	shortFirst place = iota
	shortSecond
	immFirst
	longFirst
	longSecond
	longThird
)

// selPrimitive, in the two bits of sel, makes the first source a word of p[] in geometry programs.
const selPrimitive = 3

// A what is the kind of location of a source.
type what uint8

const (
	isIllegal what = iota
	isRegister
	isShared    // s[]
	isConst     // c[]
	isAttribute // a[]
	isPrimitive // p[]
)

// An origin is the location of a source operand.
type origin struct {
	what
	typ     uint8 // of memory that has types
	bank    uint8
	own     bool    // the address register of the instruction applies to it
	address         // as texts show it
	meant   address // the address read, if texts show another: docs/reference/tesla.md 5.7
	unlike  bool    // meant differs
}

// read returns the address from which a source is read.
func (s *origin) read() address {
	if s.unlike {
		return s.meant
	}
	return s.address
}

// Bits that say whether sources are memory.
const (
	selAt      = 23
	memAt      = 53
	shortMemAt = 24
)

// memorySigns is the number of combinations of the bits that say whether the sources of a layout are memory: sel in
// bits 0 and 1, mem in bit 2.
const memorySigns = 8

// signsOf returns these bits of a word for a source in a place.
func signsOf(p place, w uint64) uint64 {
	switch p {
	case immFirst:
		return w >> shortMemAt & 1 << 2
	case shortFirst, shortSecond:
		return w>>selAt&1 | w>>shortMemAt&1<<2
	}
	return w>>selAt&3 | w>>memAt&1<<2
}

// signsAt returns their positions.
func signsAt(p place) bits.Ranges {
	switch p {
	case immFirst:
		return bits.Ranges{bits.Span(shortMemAt, shortMemAt)}
	case shortFirst, shortSecond:
		return bits.Ranges{bits.Span(selAt, selAt), bits.Span(shortMemAt, shortMemAt)}
	}
	return bits.Ranges{bits.Span(selAt, selAt+1), bits.Span(memAt, memAt)}
}

// whats is the location of a source by place, stage and memorySigns.
var whats [longThird + 1][4][memorySigns]what

// fillWhats makes whats.
func fillWhats() {
	for p := range whats {
		for stage := range whats[p] {
			for signs := range whats[p][stage] {
				whats[p][stage][signs] = whatIs(place(p), stage, signs&3, signs>>2 != 0)
			}
		}
	}
}

// whatIs returns the location of a source in a place.
func whatIs(p place, stage, sel int, mem bool) what {
	if p == longFirst || p == shortFirst || p == immFirst {
		return firstIs(p, stage, sel, mem)
	}
	switch {
	case p == shortSecond && (sel == 0 || mem), p == longSecond && (sel == 0 || sel == 2), p == longThird && sel < 2, sel == selPrimitive && mem:
		return isRegister
	case sel == selPrimitive && stage != GP:
		return isIllegal
	}
	return isConst
}

// firstIs is whatIs of the first source.
func firstIs(p place, stage, sel int, mem bool) what {
	primitive := mem
	switch p {
	case longFirst:
		primitive = sel == selPrimitive
	case shortFirst:
		primitive = mem && sel != 0
	case immFirst:
		primitive = mem && stage == GP
	}
	switch {
	case primitive && stage == GP:
		return isPrimitive
	case primitive:
		return isIllegal
	case !mem:
		return isRegister
	case stage == CP:
		return isShared
	case stage == FP || p == immFirst:
		return isIllegal
	}
	return isAttribute
}

// locate finds a source whose field holds v.
func locate(in *isa.Inst, p place, z size, v uint64) origin {
	signs := signsOf(p, in.Word.Lo)
	switch o := (origin{what: whats[p][in.Stage][signs]}); o.what {
	case isPrimitive:
		o.own, o.reg, o.off = true, in.Get(nameAddr), int64(v)*4
		return o
	case isShared:
		field := uint(4)
		if p == longFirst {
			field = 5
		}
		o.typ, o.own, o.reg, o.inc = uint8(v>>field), true, in.Get(nameAddr), in.Get(nameInc) != 0
		o.off = offset(v&(1<<field-1), field, o.inc) * typeScales[o.typ]
		return o
	case isAttribute:
		o.off = int64(v) * 4
		return o
	case isConst:
		return locateConst(in, p, z, v, signs)
	default:
		return o
	}
}

// locateConst is locate for a source in constant memory.
func locateConst(in *isa.Inst, p place, z size, v, signs uint64) origin {
	sel, mem := signs&3, signs>>2 != 0
	c := origin{what: isConst}
	field := uint(7)
	if p == shortSecond {
		field = 5
		c.bank, v = uint8(v>>5), v&31
	} else {
		c.bank = uint8(in.Get(nameBank))
	}
	c.own = sel != selPrimitive && (in.Stage != CP || !mem)
	if c.own {
		c.reg, c.inc = in.Get(nameAddr), in.Get(nameInc) != 0
	}
	c.off = offset(v, field, c.inc) * constScale(z)
	c.meant = c.address
	switch {
	case c.inc && hidesIncrement(in, p, z):
		c.inc, c.off, c.unlike = false, int64(v)*constScale(z), true
	case printsHalf(in, p, z):
		c.off, c.unlike = c.off/2, c.off != 0
	}
	return c
}

// constScale returns the unit of an offset in constant memory, in bytes.
func constScale(z size) int64 {
	if z == half {
		return 2
	}
	return 4
}

// hidesIncrement reports whether texts omit the increment of a source that is c[]. docs/reference/tesla.md 5.7.
func hidesIncrement(in *isa.Inst, p place, z size) bool {
	return in.Stage == CP && p == longSecond && z == whole
}

// printsHalf reports whether texts show half of the offset of a source that is c[]. docs/reference/tesla.md 5.7.
func printsHalf(in *isa.Inst, p place, z size) bool {
	return p == longThird && z == whole && in.Get(nameSel) == selPrimitive
}

// offset returns the value of an offset's field.
func offset(v uint64, field uint, signed bool) int64 {
	if signed {
		return int64(v<<(64-field)) >> (64 - field)
	}
	return int64(v)
}

// An address is the text between the brackets of memory: $a1+0x8, $a1++0x4, 0x10.
type address struct {
	reg uint64 // of the address registers; 0: none
	inc bool   // the register is incremented by off, which is not part of the address
	off int64  // bytes
}

// Types of operands in shared and constant memory, as their fields number them.
const (
	typeU8 = iota
	typeU16
	typeS16
	typeB32
)

var (
	typeNames  = [4]string{"u8", "u16", "s16", "b32"}
	typeScales = [4]int64{1, 2, 2, 4}
)

// A size is how much of the register file an operand names.
type size uint8

const (
	half  size = iota // 16 bits: $r1l, $r1h
	whole             // 32 bits: $r1
	pair              // 64 bits: $r2d
	quad              // 128 bits: $r4q
)

// The value of a result that is no register: an output, or nothing.
const (
	resultOut  = 1 << 7
	resultNone = 0xff
)

// Values of flow.
const (
	flowExit = 1
	flowJoin = 2
)
