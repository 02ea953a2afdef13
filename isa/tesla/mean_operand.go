package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// How operands are read and written. docs/reference/tesla.md 3 and 5.

const i16 = ir.I16

// registers is how many registers the program has: others read 0, and writing them does nothing.
func registers(l *isa.Lift) int { return NumR - 4*l.Option(optRegisters) }

func regCell(n int) ir.Cell { return ir.Cell{File: FileR, Index: uint16(n)} }

// getR is register n, 32 bits.
func getR(l *isa.Lift, n int) V {
	if n >= registers(l) {
		return l.I32(0)
	}
	return l.Get(regCell(n), ir.I32)
}

// putR writes register n.
func putR(l *isa.Lift, n int, v V) {
	if n < registers(l) {
		l.Set(regCell(n), v, l.Mask())
	}
}

func getRegister(l *isa.Lift, a *isa.Arg) V    { return getR(l, int(a.Get(l.In.Word))) }
func putRegister(l *isa.Lift, a *isa.Arg, v V) { putR(l, int(a.Get(l.In.Word)), v) }
func getAgain(l *isa.Lift, _ *isa.Arg) V       { return getR(l, int(l.In.Get(nameDst))) }

func getHalf(l *isa.Lift, a *isa.Arg) V {
	v := int(a.Get(l.In.Word))
	return getR(l, v>>1).Extract(16*(v&1), i16)
}

func putHalf(l *isa.Lift, a *isa.Arg, v V) { putHalfOf(l, int(a.Get(l.In.Word)), v) }

// putHalfOf writes half v of a register; the other one stays.
func putHalfOf(l *isa.Lift, at int, v V) {
	if at>>1 < registers(l) {
		putR(l, at>>1, getR(l, at>>1).Insert(v, 16*(at&1)))
	}
}

func getPair(l *isa.Lift, a *isa.Arg) V {
	n := int(a.Get(l.In.Word))
	return getR(l, n).Pack(getR(l, n+1), ir.I64)
}

func putPair(l *isa.Lift, a *isa.Arg, v V) {
	n := int(a.Get(l.In.Word))
	lo, hi := v.Unpack(ir.I32)
	putR(l, n, lo)
	putR(l, n+1, hi)
}

// putResult writes a register, an output, or nothing.
func putResult(l *isa.Lift, a *isa.Arg, v V) {
	switch n := int(a.Get(l.In.Word)); {
	case n >= resultOut:
		putOutput(l, n-resultOut, v, n == resultNone)
	default:
		putR(l, n, v)
	}
}

// putHalfResult writes a half register or an output, which holds the value twice.
func putHalfResult(l *isa.Lift, a *isa.Arg, v V) {
	switch n := int(a.Get(l.In.Word)); {
	case n >= resultOut:
		putOutput(l, (n-resultOut)/2, v.Pack(v, ir.I32), n == resultNone)
	default:
		putHalfOf(l, n, v)
	}
}

func putOutput(l *isa.Lift, n int, v V, none bool) {
	if !none {
		l.Set(ir.Cell{File: FileO, Index: uint16(n)}, v, l.Mask())
	}
}

// putEither writes 32 bits to a whole result, the low half of them to a half.
func putEither(l *isa.Lift, a *isa.Arg, v V) {
	if l.In.Get(nameWide) != 0 {
		putResult(l, a, v)
		return
	}
	putHalfResult(l, a, v.Trunc(i16))
}

// getEither is a source as 32 bits; a half has zeros above.
func getEither(l *isa.Lift, a *isa.Arg) V {
	if l.In.Get(nameWide) != 0 {
		return getRegister(l, a)
	}
	return getHalf(l, a).ZExt(ir.I32)
}

func addrCell(n uint64) ir.Cell { return ir.Cell{File: FileA, Index: uint16(n)} }

// addressOf is what $a holds, as 32 bits; $a0 is 0.
func addressOf(l *isa.Lift, n uint64) V {
	if n == 0 {
		return l.I32(0)
	}
	return l.Get(addrCell(n), ir.I32)
}

func getAddress(l *isa.Lift, a *isa.Arg) V { return addressOf(l, a.Get(l.In.Word)) }

// putAddress writes 16 bits to $a.
func putAddress(l *isa.Lift, a *isa.Arg, v V) {
	if n := a.Get(l.In.Word); n != 0 {
		l.Set(addrCell(n), v.ZExt(ir.I32), l.Mask())
	}
}

// keptAddress is what goes to the address register once the access has succeeded, keptNumber says that there is one.
const keptAddress = 0

// at is the address that an operand means; with an increment the register gets its new value after the instruction.
func (a address) value(l *isa.Lift) V {
	if !a.inc {
		at := addressOf(l, a.reg)
		if a.off == 0 {
			return at
		}
		return at.Add(l.I32(uint32(a.off)))
	}
	at := addressOf(l, a.reg)
	l.Scratch[keptAddress] = at.Add(l.I32(uint32(a.off))).And(l.I32(0xffff))
	return at
}

// getLocated is the value of a source that may be memory.
func getLocated(l *isa.Lift, a *isa.Arg, p place, z size) V {
	v := a.Get(l.In.Word)
	s := locate(l.In, p, z, v)
	switch s.what {
	case isRegister:
		if z == half {
			return getHalf(l, a)
		}
		return getRegister(l, a)
	case isConst:
		t := uint8(typeB32)
		if z == half {
			t = typeU16
		}
		return sized(loadTyped(l, ir.Mem{Space: ir.ConstSpace, Bank: s.bank}, t, s.value(l)), z)
	case isShared:
		if !legalType(l, s.typ, z) {
			return sized(l.I32(0), z)
		}
		return sized(loadTyped(l, ir.Mem{Space: ir.GroupSpace}, s.typ, s.value(l)), z)
	}
	return sized(input(l, s), z)
}

// sized is a value of 32 bits as wide as the operand.
func sized(v V, z size) V {
	if z == half {
		return v.Trunc(i16)
	}
	return v
}

// legalType refuses what a chip traps on: 32 bits for an operand of 16. docs/reference/tesla.md 5.
func legalType(l *isa.Lift, t uint8, z size) bool {
	if t == typeB32 && z == half {
		l.Fail(ir.TrapInvalid, l.In.Def.Name+": a half source reads 32 bits of s[] (ILLEGAL_MEMORY_SIZE)")
		return false
	}
	return true
}

// loadTyped is a word of memory, extended to 32 bits as its type says.
func loadTyped(l *isa.Lift, m ir.Mem, t uint8, at V) V {
	m.Elem, m.Count = uint8(typeScales[t]), 1
	m.Align = m.Elem
	to := [...]ir.Type{typeU8: ir.I8, typeU16: ir.I16, typeS16: ir.I16, typeB32: ir.I32}[t]
	v := l.Load(m, to, at.ZExt(ir.I64), l.Mask())[0]
	if t == typeS16 {
		return v.SExt(ir.I32)
	}
	return v.ZExt(ir.I32)
}

// input is a word of a[] or p[]. The slot is its number.
func input(l *isa.Lift, s origin) V {
	slot := addressOf(l, s.reg).Add(l.I32(uint32(s.off))).ShrU(l.I32(2))
	return l.Input(ir.IOAttr{Count: 1}, ir.I32, slot, V{}, V{}, l.Mask())[0]
}

// before narrows the mask of any instruction to the threads whose predicate holds, and sees to it that one which joins
// and cannot leaves nothing.
func before(l *isa.Lift) {
	if l.In.Opt(nameFlow) == flowJoin {
		l.CheckControl(ir.CtlJoin, l.Exec())
	}
	if l.In.Has(nameGuard) {
		if c, always := predicate(l); !always && !rowOf(l.In).form.asked {
			l.Guard(c)
		}
	}
}

// after writes an address register that was incremented, and does what exit and join say of any instruction.
func after(l *isa.Lift) {
	if at := l.Scratch[keptAddress]; at.Valid() && l.In.Get(nameAddr) != 0 {
		l.Set(addrCell(l.In.Get(nameAddr)), at, l.Mask())
	}
	switch l.In.Opt(nameFlow) {
	case flowExit:
		l.Retire(l.Exec(), l.Next)
	case flowJoin:
		l.Control(ir.CtlJoin, l.Exec(), 0)
	}
}
