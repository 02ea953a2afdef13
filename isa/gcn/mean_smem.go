package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of SMEM: scalar memory, which runs once per wave whatever EXEC is. docs/reference/gcn.md 4.

// smemOffsetOf returns the byte offset as i64, its low two bits cleared. Constants of SMRD count dwords.
func smemOffsetOf(l *isa.Lift) V {
	if l.In.Has(nameSoffset) {
		return scalarWord(l, field(l, nameSoffset)).ZExt(ir.I64).And(l.I64(^uint64(3)))
	}
	if l.In.Def.Enc.Literal != nil {
		return l.I64(l.In.Literal() << 2)
	}
	if genOf(l).smrd {
		return l.I64(l.In.Get(nameOffset) << 2)
	}
	return l.I64(l.In.Get(nameOffset) &^ 3)
}

// smemAddr returns the address of s_load and s_store: the low two bits of base and offset are ignored.
func smemAddr(l *isa.Lift) V {
	return scalar(l, 2*field(l, nameSbase), 2).And(l.I64(^uint64(3))).Add(smemOffsetOf(l))
}

// setScalars writes scalar registers from a code on; a pair may be EXEC.
func setScalars(l *isa.Lift, code int, vs []V) {
	if len(vs) > 2 && code+len(vs) > codeTTMP+numTTMP {
		l.Fail(ir.TrapReserved, l.In.Def.Name+": there is no register after ttmp11 in this generation")
	} else if len(vs) == 2 {
		setScalar(l, code, vs[0].Pack(vs[1], ir.I64))
	} else {
		for i, v := range vs {
			setScalar(l, code+i, v)
		}
	}
}

// s_load_dword sdata, sbase, offset: n dwords.
func smemLoad(n int) eff {
	return func(l *isa.Lift) {
		m := ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: uint8(n)}
		setScalars(l, field(l, nameSdata), l.Load(volatile(l, m), ir.I32, smemAddr(l), V{}))
	}
}

// s_store_dword sdata, sbase, offset: n dwords.
func smemStore(n int) eff {
	return func(l *isa.Lift) {
		addr, data := smemAddr(l), smemDataWords(l, n)
		l.Store(ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: uint8(n)}, addr, data, V{})
	}
}

func smemDataWords(l *isa.Lift, n int) []V {
	vs := make([]V, n)
	for i := range vs {
		vs[i] = scalarWord(l, field(l, nameSdata)+i)
	}
	return vs
}

// smemBuffer spreads the n dwords of a scalar buffer access over the first lanes, one each, since each is
// range-checked separately. It returns the address of each lane's dword, and the mask of dwords in range. The
// resource has the base, and num_records in bytes, or in units of stride if that is not 0. docs/reference/gcn.md 4.
func smemBuffer(l *isa.Lift, n int) (addr, m V) {
	v := resource(l, 2*field(l, nameSbase))
	stride := v.stride().ZExt(ir.I64)
	records := v.w[2].ZExt(ir.I64)
	size := stride.Eq(l.I64(0)).Select(records, records.Mul(stride))
	lane := l.LaneID()
	off := smemOffsetOf(l).Add(lane.ZExt(ir.I64).Shl(l.I64(2)))
	addr = v.base().And(l.I64(^uint64(3))).Add(off).And(l.I64(addrMask48))
	part, within := lane.ULt(l.I32(uint32(n))), off.ULt(size)
	l.Clip(boundRecords, off, size, within, part)
	return addr, part.And(within)
}

// s_buffer_load_dword sdata, sbase, offset: n dwords, 0 where out of range.
func smemBufLoad(n int) eff {
	return func(l *isa.Lift) {
		addr, m := smemBuffer(l, n)
		x := l.Load(volatile(l, dword1.load(ir.GlobalSpace)), ir.I32, addr, m)[0]
		vs := make([]V, n)
		for i := range vs {
			vs[i] = x.ReadLane(l.I32(uint32(i)))
		}
		setScalars(l, field(l, nameSdata), vs)
	}
}

// s_buffer_store_dword sdata, sbase, offset: n dwords, dropped where out of range.
func smemBufStore(n int) eff {
	return func(l *isa.Lift) {
		addr, m := smemBuffer(l, n)
		data := smemDataWords(l, n)
		x, lane := data[0], l.LaneID()
		for i := 1; i < n; i++ {
			x = lane.Eq(l.I32(uint32(i))).Select(data[i], x)
		}
		l.Store(dword1.touch(ir.GlobalSpace), addr, []V{x}, m)
	}
}

// s_memtime and s_memrealtime sdata: the counter of option clock.
func liftTime(l *isa.Lift) {
	sdata := field(l, nameSdata)
	setScalar(l, sdata, l.Clock())
}
