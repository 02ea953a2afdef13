package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of DS instructions. docs/reference/gcn.md 8.3.
//
// The address of an access is a + offset modulo 2^32. M0 is the limit: a lane whose access ends above it loads 0 and
// stores nothing. The access is checked as a whole, even one of 64 bits or more. An access past the end of the
// workgroup's memory, if the limit allows it, is a fault and not part of the instruction's semantics. With gds the
// low half of M0 is the limit, and its high half is the start of the wave's part of the global data share. On gfx6 an
// address is rounded down to a multiple of the access.

// shared reports whether the instruction accesses the global data share.
func shared(l *isa.Lift) bool { return l.In.Opt(nameGDS) != 0 }

// inShare returns an access to local memory, or to the global data share if the instruction says gds.
func inShare(l *isa.Lift, m ir.Mem) ir.Mem {
	m.Space = ir.GroupSpace
	if shared(l) {
		m.Space, m.Bank = ir.GlobalSpace, BankGDS
	}
	return m
}

// dsSum returns the address register plus a constant.
func dsSum(l *isa.Lift, offset uint64) V {
	a := l.Get(VGPR(field(l, nameAddr)), ir.I32)
	if offset == 0 {
		return a
	}
	return a.Add(l.I32(uint32(offset)))
}

// dsLimit returns M0. Compilers set it to the largest number.
func dsLimit(l *isa.Lift) V {
	limit := l.Get(CellM0, ir.I32)
	if !shared(l) {
		l.Unlikely(limit.Ne(l.I32(^uint32(0))))
	}
	return limit
}

// A dsSpot is where an access goes.
type dsSpot struct {
	at     V // address
	offset V // from the base, which is not 0 in the global data share
	limit  V
	beyond V // active lanes in which the access ends above the limit
}

// dsPlace returns the place of an access of that many bytes at addr.
func dsPlace(l *isa.Lift, limit, addr V, bytes uint32) dsSpot {
	if genOf(l).alignLDS {
		addr = addr.And(l.I32(-bytes))
	}
	at := addr
	if shared(l) {
		at, limit = addr.Add(limit.ShrU(l.I32(16))), limit.And(l.I32(0xffff))
	}
	return dsSpot{at, addr, limit, l.Mask().And(limit.USubSat(addr).ULt(l.I32(bytes)))}
}

// within returns the active lanes that are not beyond the limit: usually all.
func (s *dsSpot) within(l *isa.Lift) (m V) {
	l.Unlikely(s.beyond)
	in := s.beyond.Not()
	l.Clip(boundM0, s.offset, s.limit, in, l.Mask())
	return l.Mask().And(in)
}

// dsAddr is dsPlace for the instruction's address, and returns the lanes that access it.
func dsAddr(l *isa.Lift, bytes uint32) (at, m V) {
	s := dsPlace(l, dsLimit(l), dsSum(l, l.In.Get(nameOffset)), bytes)
	return s.at, s.within(l)
}

// ds_read_b32 vdst, addr offset:N.
func dsRead(a access) eff {
	return func(l *isa.Lift) {
		addr, m := dsAddr(l, a.bytes())
		vs := l.Load(inShare(l, a.load(ir.GroupSpace)), ir.I32, addr, m)
		setWords(l, field(l, nameVdst), vs, l.Mask())
	}
}

// ds_write_b32 addr, data0 offset:N.
func dsWrite(a access) eff {
	return func(l *isa.Lift) {
		addr, m := dsAddr(l, a.bytes())
		l.Store(inShare(l, a.touch(ir.GroupSpace)), addr, getWords(l, field(l, nameData0), int(a.count)), m)
	}
}

// dsPair returns the addresses of an instruction with two offsets, in units of unit bytes, and the lanes of each.
func dsPair(l *isa.Lift, bytes uint32, unit uint64) (addr, m [2]V) {
	limit := dsLimit(l)
	var s [2]dsSpot
	for i, name := range []isa.Name{nameOffset0, nameOffset1} {
		s[i] = dsPlace(l, limit, dsSum(l, l.In.Get(name)*unit), bytes)
	}
	for i := range s {
		addr[i], m[i] = s[i].at, s[i].within(l)
	}
	return addr, m
}

// ds_read2_b32 vdst, addr offset0:N offset1:N.
func dsRead2(a access, unit uint64) eff {
	return func(l *isa.Lift) {
		addr, m := dsPair(l, a.bytes(), unit)
		for i := range addr {
			l.Check(inShare(l, a.touch(ir.GroupSpace)), false, addr[i], m[i])
		}
		var vs []V
		for i := range addr {
			vs = append(vs, l.Load(inShare(l, a.load(ir.GroupSpace)), ir.I32, addr[i], m[i])...)
		}
		setWords(l, field(l, nameVdst), vs, l.Mask())
	}
}

// ds_write2_b32 addr, data0, data1 offset0:N offset1:N. The second store wins if both have the same address.
func dsWrite2(a access, unit uint64) eff {
	return func(l *isa.Lift) {
		addr, m := dsPair(l, a.bytes(), unit)
		data := [2][]V{getWords(l, field(l, nameData0), int(a.count)), getWords(l, field(l, nameData1), int(a.count))}
		mem := inShare(l, a.touch(ir.GroupSpace))
		for i := range addr {
			l.Check(mem, true, addr[i], m[i])
		}
		for i := range addr {
			l.Store(mem, addr[i], data[i], m[i])
		}
	}
}

// dsAtomicMem is an atomic access of the instruction.
func dsAtomicMem(l *isa.Lift, op uint8, size int) ir.Mem {
	return inShare(l, atomicMem(ir.GroupSpace, op, size))
}

// dsAtomic is m = op(m, data): ds_add_u32 addr, data0 offset:N; ds_add_rtn_u32 vdst, addr, data0 offset:N. With two
// data operands the first is data and the second the comparand, except that ds_cmpst compares with the first.
func dsAtomic(op uint8, size int) eff {
	return func(l *isa.Lift) {
		addr, m := dsAddr(l, uint32(size))
		data, cmp := getSized(l, field(l, nameData0), size), V{}
		if l.In.Has(nameData1) {
			cmp = getSized(l, field(l, nameData1), size)
		}
		if op == ir.AtomicCmpSwap || op == ir.AtomicFCmpSwap {
			data, cmp = cmp, data
		}
		old := l.Atomic(dsAtomicMem(l, op, size), addr, data, cmp, m)
		if !l.In.Has(nameVdst) {
			return
		}
		setVGPR(l, field(l, nameVdst), old, l.Mask())
	}
}

// ds_wrxchg2_rtn_b32 vdst, addr, data0, data1 offset0:N offset1:N.
func dsSwap2(size int, unit uint64) eff {
	return func(l *isa.Lift) {
		addr, m := dsPair(l, uint32(size), unit)
		data := [2]V{getSized(l, field(l, nameData0), size), getSized(l, field(l, nameData1), size)}
		mem := dsAtomicMem(l, ir.AtomicSwap, size)
		for i := range addr {
			checkAtomic(l, mem, addr[i], m[i])
		}
		var old [2]V
		for i := range addr {
			old[i] = l.Atomic(mem, addr[i], data[i], V{}, m[i])
		}
		for i, v := range old {
			setVGPR(l, field(l, nameVdst)+i*size/4, v, l.Mask())
		}
	}
}

// src2Pair returns the addresses of an instruction whose operand is in memory, too: A, which changes, and B. If the
// top bit of the offset is set, the distance in dwords is in the upper bits of the register, and A in its lower 17;
// else it is the signed rest of the offset.
func src2Pair(l *isa.Lift) (a, b V) {
	a = l.Get(VGPR(field(l, nameAddr)), ir.I32)
	off := uint32(l.In.Get(nameOffset))
	if off>>15 == 0 {
		return a, a.Add(l.I32(4 * uint32(int32(off<<17)>>17)))
	}
	n := a.ShrS(l.I32(17)).Shl(l.I32(2))
	a = a.And(l.I32(0x1ffff))
	return a, a.Add(n)
}

// dsSrc2 is A = op(A, B): ds_add_src2_u32 addr offset:N. All lanes read B before any changes A.
func dsSrc2(op uint8, size int) eff {
	return func(l *isa.Lift) {
		mem := dsAtomicMem(l, op, size)
		at, data, m := src2Data(l, mem)
		x := data[0]
		if size == 8 {
			x = x.Pack(data[1], ir.I64)
		}
		l.Atomic(mem, at, x, V{}, m)
	}
}

// dsCopy is A = B: ds_write_src2_b32 addr offset:N.
func dsCopy(w access) eff {
	return func(l *isa.Lift) {
		mem := inShare(l, w.touch(ir.GroupSpace))
		at, data, m := src2Data(l, mem)
		l.Store(mem, at, data, m)
	}
}

// src2Data returns the address of A, the words at B, and the lanes that write A. Both accesses are checked before.
func src2Data(l *isa.Lift, mem ir.Mem) (at V, data []V, m V) {
	a, b := src2Pair(l)
	size, limit := uint32(mem.Bytes()), dsLimit(l)
	to, from := dsPlace(l, limit, a, size), dsPlace(l, limit, b, size)
	m, mb := to.within(l), from.within(l)
	checkAtomic(l, mem, to.at, m)
	src := inShare(l, access{elem: 4, count: uint8(size / 4)}.load(ir.GroupSpace))
	l.Check(src, false, from.at, mb)
	return to.at, l.Load(src, ir.I32, from.at, mb), m
}

// checkAtomic faults if an atomic access would; a plain store is checked as one.
func checkAtomic(l *isa.Lift, mem ir.Mem, at, m V) {
	mem.Atomic, mem.Load = 0, 0
	l.Check(mem, false, at, m)
	l.Check(mem, true, at, m)
}

// ds_condxchg32_rtn_b64 vdst, addr, data0 offset:N: each of two consecutive dwords is exchanged with the low 31 bits
// of its data if the top bit of that is set.
func liftCondSwap(l *isa.Lift) {
	s := dsPlace(l, dsLimit(l), dsSum(l, l.In.Get(nameOffset)).And(l.I32(0xfff8)), 8)
	addr, m := s.at, s.within(l)
	mem := dsAtomicMem(l, ir.AtomicMskOr, 4)
	at := [2]V{addr, addr.Add(l.I32(4))}
	for i := range at {
		checkAtomic(l, mem, at[i], m)
	}
	data := getWords(l, field(l, nameData0), 2)
	var old [2]V
	for i, d := range data {
		all := d.ShrS(l.I32(31)) // all ones if the dword is exchanged
		old[i] = l.Atomic(mem, at[i], all, d.And(l.I32(0x7fffffff)).And(all), m)
	}
	setWords(l, field(l, nameVdst), old[:], l.Mask())
}

// ds_append and ds_consume vdst offset:N: the lowest active lane changes the counter at M0[31:16] + offset by the
// number of active lanes, and all get its old value. M0 is no limit here.
func dsCount(op uint8) eff {
	return func(l *isa.Lift) {
		active := l.Mask().Ballot(l.I1(true))
		lowest := active.And(active.Neg()).Lanes()
		addr := l.Get(CellM0, ir.I32).ShrU(l.I32(16)).Add(l.I32(uint32(l.In.Get(nameOffset))))
		count := active.Popcount().Trunc(ir.I32)
		old := l.Atomic(dsAtomicMem(l, op, 4), addr, count, V{}, lowest)
		l.Set(VGPR(field(l, nameVdst)), old.ReadFirst(lowest), l.Mask())
	}
}

// laneAt returns the lane that a byte address names, with four bytes per lane.
func laneAt(l *isa.Lift) V {
	return dsSum(l, l.In.Get(nameOffset)).ShrU(l.I32(2)).And(l.I32(63))
}

// ds_permute_b32 vdst, addr, data0 offset:N.
func liftPermute(l *isa.Lift) {
	v, _ := l.Get(VGPR(field(l, nameData0)), ir.I32).ScatterLane(laneAt(l), l.Mask())
	l.Set(VGPR(field(l, nameVdst)), v, l.Mask())
}

// ds_bpermute_b32 vdst, addr, data0 offset:N.
func liftBPermute(l *isa.Lift) {
	v, _ := l.Get(VGPR(field(l, nameData0)), ir.I32).Shuffle(laneAt(l), l.Mask())
	l.Set(VGPR(field(l, nameVdst)), v, l.Mask())
}

// ds_swizzle_b32 vdst, addr offset:PATTERN. With bit 15 clear, bits of the lane number within 32 are masked, set and
// inverted; with it set, bits 0 to 7 are the lanes of each quad.
func liftSwizzle(l *isa.Lift) {
	if shared(l) {
		l.Fail(ir.TrapUndefined, "ds_swizzle_b32 gds: it accesses no memory, and no source says what gds changes")
		return
	}
	p := uint32(l.In.Get(nameOffset))
	id := l.LaneID()
	var from V
	if p>>15 != 0 {
		shift := id.And(l.I32(3)).Shl(l.I32(1))
		from = id.And(l.I32(60)).Or(l.I32(p & 0xff).ShrU(shift).And(l.I32(3)))
	} else {
		from = id.And(l.I32(p&31 | 32)).Or(l.I32(p >> 5 & 31)).Xor(l.I32(p >> 10 & 31))
	}
	v, _ := l.Get(VGPR(field(l, nameAddr)), ir.I32).Shuffle(from, l.Mask())
	l.Set(VGPR(field(l, nameVdst)), v, l.Mask())
}
