package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// How operands are read and written. docs/reference/tesla.md 3 and 5.

const i16 = ir.I16

// registers returns how many registers the program has: others read 0, and writes to them are dropped.
func registers(l *isa.Lift) int { return registerCount(l.Target) }

func regCell(n int) ir.Cell { return ir.Cell{File: FileR, Index: uint16(n)} }

// getR returns register n, 32 bits.
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

// putHalfOf writes one half of a register; the other is kept.
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

// getEither returns a source as 32 bits; a half is zero-extended.
func getEither(l *isa.Lift, a *isa.Arg) V {
	if l.In.Get(nameWide) != 0 {
		return getRegister(l, a)
	}
	return getHalf(l, a).ZExt(ir.I32)
}

func addrCell(n uint64) ir.Cell { return ir.Cell{File: FileA, Index: uint16(n)} }

// addressOf returns the contents of $a as 32 bits; $a0 is 0.
func addressOf(l *isa.Lift, n uint64) V {
	if n == 0 || noAddress(l, n) {
		return l.I32(0)
	}
	return l.Get(addrCell(n), ir.I32)
}

// Address registers that programs cannot use. docs/reference/tesla.md 3.1.
const (
	firstMissing = 5
	ofWarp       = 7 // one for the whole warp
)

// noAddress traps in an instruction that names an address register which programs cannot use.
func noAddress(l *isa.Lift, n uint64) bool {
	switch {
	case n == ofWarp:
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": $a7 is one register for the warp, and the documents do not say what it holds: $a1 to $a4 are for programs")
	case n >= firstMissing:
		l.Fail(ir.TrapInvalid, l.In.Def.Name+": there is no $a"+string(rune('0'+n))+": $a1 to $a4 are for programs")
	}
	return n >= firstMissing
}

func getAddress(l *isa.Lift, a *isa.Arg) V { return addressOf(l, a.Get(l.In.Word)) }

// putAddress writes 16 bits to $a.
func putAddress(l *isa.Lift, a *isa.Arg, v V) {
	if n := a.Get(l.In.Word); n != 0 && !noAddress(l, n) {
		l.Set(addrCell(n), v.ZExt(ir.I32), l.Mask())
	}
}

// The elements of Scratch.
const (
	keptAddress = iota // the new value of the address register after a successful access
	keptSources        // addresses of the sources that are memory
)

// value returns the address of an operand. Sums with an address register have 16 bits; with an increment the register
// gets its new value after the instruction.
func (a address) value(l *isa.Lift) V {
	if !a.inc {
		at := addressOf(l, a.reg)
		if a.off == 0 {
			return at
		}
		if a.reg == 0 {
			return l.I32(uint32(a.off))
		}
		return at.Add(l.I32(uint32(a.off))).And(l.I32(0xffff))
	}
	if a.reg == 0 || a.reg == 5 || a.reg == 6 { // docs/reference/tesla.md 5.2
		l.Fail(ir.TrapInvalid, l.In.Def.Name+": this address register cannot be incremented (ILLEGAL_POSTINCR)")
	}
	at := addressOf(l, a.reg)
	l.Scratch[keptAddress] = at.Add(l.I32(uint32(a.off))).And(l.I32(0xffff))
	return at
}

// getLocated returns the value of a source that may be memory.
func getLocated(l *isa.Lift, a *isa.Arg, p place, z size) V {
	s := locate(l.In, p, z, a.Get(l.In.Word))
	switch s.what {
	case isRegister:
		if z == half {
			return getHalf(l, a)
		}
		return getRegister(l, a)
	case isConst, isShared:
		if !legalType(l, s, z) {
			return sized(l.I32(0), z)
		}
		m, t := s.mem(z)
		return sized(extended32(l.Load(m, intOf(int(m.Elem)), s.at(l, p), l.Mask())[0], t), z)
	}
	return sized(input(l, s), z)
}

// mem returns the access of a source that is c[] or s[], and its type.
func (s *origin) mem(z size) (m ir.Mem, t uint8) {
	m.Space, m.Bank, t = ir.ConstSpace, s.bank, typeB32
	switch {
	case s.what == isShared:
		m.Space, t = ir.GroupSpace, s.typ
	case z == half:
		t = typeU16
	}
	return typed(m, t), t
}

// at returns the address of a source in memory, which is computed once.
func (s *origin) at(l *isa.Lift, p place) V {
	at := &l.Scratch[keptSources+sourceNumber(p)]
	if !at.Valid() {
		*at = s.read().value(l).ZExt(ir.I64)
	}
	return *at
}

// sourceNumber returns the index of the source for a place, from 0.
func sourceNumber(p place) int {
	switch p {
	case shortSecond, longSecond:
		return 1
	case longThird:
		return 2
	}
	return 0
}

// checkSources ensures, if several sources are memory, that a faulting instruction has had no effect.
func checkSources(l *isa.Lift) {
	f := rowOf(l.In).form
	var list [3]origin
	n := 0
	for k, i := range f.located {
		s, _ := f.origin(l.In, i)
		if s.what != isRegister {
			n++
		}
		list[k] = s
	}
	if n < 2 {
		return
	}
	for k, i := range f.located {
		if s := &list[k]; s.what == isConst || s.what == isShared {
			m, _ := s.mem(f.ops[i].size)
			l.Check(m, false, s.at(l, f.ops[i].at), l.Mask())
		}
	}
}

// sized returns a value of 32 bits as wide as the operand.
func sized(v V, z size) V {
	if z == half {
		return v.Trunc(i16)
	}
	return v
}

// legalType traps, as a chip does, on a type of s[] that the source cannot have. docs/reference/tesla.md 5.4.
func legalType(l *isa.Lift, s origin, z size) bool {
	if s.what != isShared || z != half {
		return true
	}
	wrong := wrongType(l.In, s.typ)
	if wrong != "" {
		l.Fail(ir.TrapInvalid, l.In.Def.Name+": "+wrong)
	}
	return wrong == ""
}

// typed is an access of a type of memory.
func typed(m ir.Mem, t uint8) ir.Mem {
	m.Elem, m.Count = uint8(typeScales[t]), 1
	m.Align = m.Elem
	return m
}

// extended32 is a value of memory as 32 bits.
func extended32(v V, t uint8) V {
	if t == typeS16 {
		return v.SExt(ir.I32)
	}
	return v.ZExt(ir.I32)
}

// loadTyped returns a value of memory, extended to 32 bits by its type.
func loadTyped(l *isa.Lift, m ir.Mem, t uint8, at V) V {
	m = typed(m, t)
	return extended32(l.Load(m, intOf(int(m.Elem)), at.ZExt(ir.I64), l.Mask())[0], t)
}

// PrimitiveSlot is the first slot of p[]: those of a[] and v[] are the numbers of words.
const PrimitiveSlot = 1 << 16

// input returns a word of a[] or p[].
func input(l *isa.Lift, s origin) V {
	slot := s.value(l).ShrU(l.I32(2))
	if s.what == isPrimitive {
		slot = slot.Add(l.I32(PrimitiveSlot))
	}
	return l.Input(ir.IOAttr{Count: 1}, ir.I32, slot, V{}, V{}, l.Mask())[0]
}

// before narrows the mask of any instruction to the threads whose predicate holds, and ensures that a join that fails
// has no effect.
func before(l *isa.Lift) {
	if l.In.Opt(nameFlow) == flowJoin {
		l.CheckControl(ir.CtlJoin, l.Exec())
	}
	if l.In.Has(nameGuard) {
		if c, always := predicate(l); !always && !rowOf(l.In).form.asked {
			l.Guard(c)
		}
	}
	checkSources(l)
}

// after writes an address register that was incremented, and executes exit and join of any instruction.
func after(l *isa.Lift) {
	if at := l.Scratch[keptAddress]; at.Valid() && l.In.Get(nameAddr) != 0 && l.In.Get(nameAddr) < firstMissing {
		l.Set(addrCell(l.In.Get(nameAddr)), at, l.Mask())
	}
	switch l.In.Opt(nameFlow) {
	case flowExit:
		l.Retire(l.Exec(), l.Next)
	case flowJoin:
		l.Control(ir.CtlJoin, l.Exec(), 0)
	}
}
