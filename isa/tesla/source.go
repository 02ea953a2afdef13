package tesla

import "github.com/heddle-gpu/heddle/isa"

// Sources that are a register or memory, as bits of the instruction and the stage say. docs/reference/tesla.md 5.

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

// A what is what a source is.
type what uint8

const (
	isIllegal what = iota
	isRegister
	isShared    // s[]
	isConst     // c[]
	isAttribute // a[]
	isPrimitive // p[]
)

// An origin is where a source operand lies.
type origin struct {
	what
	typ  uint8 // of memory that has types
	bank uint8
	own  bool // the address register of the instruction belongs to it
	address
	dumb bool // an increment that texts do not show
}

// locate finds a source whose field holds v.
func locate(in *isa.Inst, p place, z size, v uint64) origin {
	if p == longFirst || p == shortFirst || p == immFirst {
		return locateFirst(in, p, v)
	}
	sel, mem := in.Get(nameSel), in.Get(nameMem) != 0
	switch {
	case p == shortSecond && (sel == 0 || mem), p == longSecond && (sel == 0 || sel == 2), p == longThird && sel < 2, sel == selPrimitive && mem:
		return origin{what: isRegister}
	case sel == selPrimitive && in.Stage != GP:
		return origin{}
	}
	c := origin{what: isConst}
	field, scale := uint(7), int64(4)
	if z == half || sel == selPrimitive && p == longThird {
		scale = 2
	}
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
	if c.inc && in.Stage == CP && p == longSecond && z == whole {
		c.inc, c.dumb = false, true
	}
	c.off = offset(v, field, c.inc) * scale
	return c
}

// locateFirst is locate of the first source.
func locateFirst(in *isa.Inst, p place, v uint64) origin {
	mem := in.Get(nameMem) != 0
	primitive := mem
	switch p {
	case longFirst:
		primitive = in.Get(nameSel) == selPrimitive
	case shortFirst:
		primitive = mem && in.Get(nameSel) != 0
	case immFirst:
		primitive = mem && in.Stage == GP
	}
	switch {
	case primitive && in.Stage == GP:
		return origin{what: isPrimitive, own: true, address: address{reg: in.Get(nameAddr), off: int64(v) * 4}}
	case primitive:
		return origin{}
	case !mem:
		return origin{what: isRegister}
	case in.Stage == CP:
		field := uint(4)
		if p == longFirst {
			field = 5
		}
		t := uint8(v >> field)
		inc := in.Get(nameInc) != 0
		return origin{what: isShared, typ: t, own: true, address: address{in.Get(nameAddr), inc, offset(v&(1<<field-1), field, inc) * typeScales[t]}}
	case in.Stage == FP || p == immFirst:
		return origin{}
	}
	return origin{what: isAttribute, address: address{off: int64(v) * 4}}
}

// offset is the value of an offset's field.
func offset(v uint64, field uint, signed bool) int64 {
	if signed {
		return int64(v<<(64-field)) >> (64 - field)
	}
	return int64(v)
}

// An address is what stands between the brackets of memory: $a1+0x8, $a1++0x4, 0x10.
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

// What flow says.
const (
	flowExit = 1
	flowJoin = 2
)
