package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Vector operands whose register numbers M0 changes while enabled in MODE. docs/reference/gcn.md 4.3.

// slotDst is the number of the destination among the operands that M0 can index; sources are 0 to 2.
const slotDst = 3

// indexes reports whether the number of registers of this instruction may be changed.
func indexes(l *isa.Lift) bool { return l.Mode>>modeGPRIdx&1 != 0 && genOf(l).gprIndex }

// gprIndex returns what is added to the number of the operand's first register: M0[7:0] if the bit of the operand in
// M0[15:12] is set, else 0. If the registers do not all exist they are replaced by v0 and up.
func gprIndex(l *isa.Lift, slot isa.Name, first, words int) V {
	m0 := l.Get(CellM0, ir.I32)
	on := m0.ShrU(m0.K(uint64(12 + slot))).And(m0.K(1))
	x := m0.And(m0.K(m0Index)).And(on.Neg())
	room := machine.Files[FileV].Count - words - first
	return x.ULe(x.K(uint64(room))).Select(x, x.K(uint64(uint32(-first))))
}

// vgprOf returns vector registers from n on as the operand of that slot.
func vgprOf(l *isa.Lift, n int, t typ, slot isa.Name) V {
	if !indexes(l) || n+t.words() > machine.Files[FileV].Count {
		return vgpr(l, n, t)
	}
	at := gprIndex(l, slot, n, t.words())
	v := l.GetX(VGPR(n), at, l.Exec(), ir.I32)
	switch {
	case t.words() == 2:
		return v.Pack(l.GetX(VGPR(n+1), at, l.Exec(), ir.I32), t.irType())
	case t.bits() == 16:
		return v.Extract(0, t.irType())
	}
	return v.As(t.irType())
}

// setVGPROf writes a value to vector registers from n on as the destination.
func setVGPROf(l *isa.Lift, n int, v, m V) {
	words := max(v.Type().Bits()/32, 1)
	if !indexes(l) || n+words > machine.Files[FileV].Count {
		setVGPR(l, n, v, m)
		return
	}
	at := gprIndex(l, slotDst, n, words)
	switch v.Type().Bits() {
	case 64:
		lo, hi := v.Unpack(ir.I32)
		l.SetX(VGPR(n), at, lo, m)
		l.SetX(VGPR(n+1), at, hi, m)
	case 32:
		l.SetX(VGPR(n), at, v.As(ir.I32), m)
	default:
		l.SetX(VGPR(n), at, v.As(ir.IntOf(v.Type().Bits())).ZExt(ir.I32), m)
	}
}

// ldsDirect is src_lds_direct: one value of local memory for all lanes, at M0[15:0], of the type in M0[18:16]: 0 u8,
// 1 u16, 2 u32, 4 i8, 5 i16. It is read byte by byte, each byte of the value once or more, so that no other bytes are
// touched. The types 3, 6 and 7, which no source describes, are treated as bits 1:0 of the code.
// docs/reference/gcn.md 7.6.6.
func ldsDirect(l *isa.Lift, t typ) V {
	if t.words() > 1 {
		l.Fail(ir.TrapUndefined, l.In.Def.Name+": src_lds_direct has 32 bits, and no source says what fills an operand of 64")
		return l.Const(t.irType(), 0)
	}
	m0 := l.Get(CellM0, ir.I32)
	at, code := m0.And(m0.K(0xffff)), m0.ShrU(m0.K(16)).And(m0.K(7))
	width := code.And(code.K(3))
	last := width.Eq(width.K(0)).Select(width.K(0), width.Eq(width.K(1)).Select(width.K(1), width.K(3))) // byte of the value
	var from [4]V
	for i := range from {
		from[i] = at.Add(at.K(uint64(i)).UMin(last))
		l.Check(byteU.touch(ir.GroupSpace), false, from[i], V{})
	}
	x := l.I32(0)
	for i, a := range from {
		b := l.Load(byteU.load(ir.GroupSpace), ir.I32, a, V{})[0]
		x = x.Or(b.Shl(b.K(uint64(8 * i))))
	}
	// The value is in the low bytes; those above are copies, which are shifted out and replaced by sign or zeros.
	up := last.K(3).Sub(last).Shl(last.K(3))
	signed := code.And(code.K(4)).Ne(code.K(0))
	x = x.Shl(up)
	x = signed.Select(x.ShrS(up), x.ShrU(up))
	if t.bits() == 16 {
		return x.Extract(0, t.irType())
	}
	return x.As(t.irType())
}
