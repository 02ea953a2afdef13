package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Meanings of DS instructions. docs/reference/gcn.md 8.3.
//
// The address of an access is a + offset modulo 2^32. M0 is the limit: a lane whose access ends above it loads 0 and
// stores nothing. The access as a whole is judged, also one of 64 bits or more. Beyond the limit lies the end of the
// group's memory, which is a fault and not a rule of the instruction.

// lds says whether the instruction works on local memory; otherwise its lift has failed.
func lds(l *isa.Lift) bool {
	if l.In.Get(nameGDS) == 0 {
		return true
	}
	l.Fail(ir.TrapUnimplemented, l.In.Def.Name+" gds: the global data share is not built yet")
	return false
}

// dsAddr is the address register plus a constant.
func dsAddr(l *isa.Lift, offset uint64) V {
	a := l.Get(VGPR(field(l, nameAddr)), ir.I32)
	if offset == 0 {
		return a
	}
	return a.Add(l.I32(uint32(offset)))
}

// dsLimit is the mask of lanes whose access of that many bytes ends at or below M0.
func dsLimit(l *isa.Lift, addr V, bytes uint32) V {
	room := l.Get(CellM0, ir.I32).USubSat(addr)
	return l.Mask().And(l.I32(bytes).ULe(room))
}

// dsDone marks the operation as pending; it writes n registers from vdst on.
func dsDone(l *isa.Lift, n int) {
	name := nameVdst
	if n == 0 {
		name = nameData0
	}
	issued(l, queueLGKM, VGPR(field(l, name)), n)
}

// ds_read_b32 vdst, addr offset:N.
func dsRead(a access) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		addr := dsAddr(l, l.In.Get(nameOffset))
		vs := l.Load(a.load(ir.GroupSpace), ir.I32, addr, dsLimit(l, addr, a.bytes()))
		setWords(l, field(l, nameVdst), vs, l.Mask())
		dsDone(l, len(vs))
	}
}

// ds_write_b32 addr, data0 offset:N.
func dsWrite(a access) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		addr, data := dsAddr(l, l.In.Get(nameOffset)), getWords(l, field(l, nameData0), int(a.count))
		l.Store(a.touch(ir.GroupSpace), addr, data, dsLimit(l, addr, a.bytes()))
		dsDone(l, 0)
	}
}

// dsPair is the addresses of an instruction with two offsets, in units of so many bytes, and the lanes of each.
func dsPair(l *isa.Lift, bytes uint32, unit uint64) (addr, m [2]V) {
	for i, name := range []isa.Name{nameOffset0, nameOffset1} {
		addr[i] = dsAddr(l, l.In.Get(name)*unit)
		m[i] = dsLimit(l, addr[i], bytes)
	}
	return addr, m
}

// ds_read2_b32 vdst, addr offset0:N offset1:N.
func dsRead2(a access, unit uint64) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		addr, m := dsPair(l, a.bytes(), unit)
		for i := range addr {
			l.Check(a.touch(ir.GroupSpace), false, addr[i], m[i])
		}
		var vs []V
		for i := range addr {
			vs = append(vs, l.Load(a.load(ir.GroupSpace), ir.I32, addr[i], m[i])...)
		}
		setWords(l, field(l, nameVdst), vs, l.Mask())
		dsDone(l, len(vs))
	}
}

// ds_write2_b32 addr, data0, data1 offset0:N offset1:N. The second store wins where both go to one place.
func dsWrite2(a access, unit uint64) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		addr, m := dsPair(l, a.bytes(), unit)
		data := [2][]V{getWords(l, field(l, nameData0), int(a.count)), getWords(l, field(l, nameData1), int(a.count))}
		for i := range addr {
			l.Check(a.touch(ir.GroupSpace), true, addr[i], m[i])
		}
		for i := range addr {
			l.Store(a.touch(ir.GroupSpace), addr[i], data[i], m[i])
		}
		dsDone(l, 0)
	}
}

// dsAtomic is m = op(m, data): ds_add_u32 addr, data0 offset:N; ds_add_rtn_u32 vdst, addr, data0 offset:N. With two
// data operands the first is data and the second the comparand, except that ds_cmpst compares with the first.
func dsAtomic(op uint8, size int) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		addr := dsAddr(l, l.In.Get(nameOffset))
		data, cmp := getSized(l, field(l, nameData0), size), V{}
		if l.In.Has(nameData1) {
			cmp = getSized(l, field(l, nameData1), size)
		}
		if op == ir.AtomicCmpSwap || op == ir.AtomicFCmpSwap {
			data, cmp = cmp, data
		}
		old := l.Atomic(atomicMem(ir.GroupSpace, op, size), addr, data, cmp, dsLimit(l, addr, uint32(size)))
		if !l.In.Has(nameVdst) {
			dsDone(l, 0)
			return
		}
		setVGPR(l, field(l, nameVdst), old, l.Mask())
		dsDone(l, size/4)
	}
}

// ds_wrxchg2_rtn_b32 vdst, addr, data0, data1 offset0:N offset1:N.
func dsSwap2(size int, unit uint64) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		addr, m := dsPair(l, uint32(size), unit)
		data := [2]V{getSized(l, field(l, nameData0), size), getSized(l, field(l, nameData1), size)}
		mem := atomicMem(ir.GroupSpace, ir.AtomicSwap, size)
		rights := mem
		rights.Atomic = 0
		for i := range addr {
			l.Check(rights, false, addr[i], m[i])
			l.Check(rights, true, addr[i], m[i])
		}
		var old [2]V
		for i := range addr {
			old[i] = l.Atomic(mem, addr[i], data[i], V{}, m[i])
		}
		for i, v := range old {
			setVGPR(l, field(l, nameVdst)+i*size/4, v, l.Mask())
		}
		dsDone(l, 2*size/4)
	}
}

// ds_append and ds_consume vdst offset:N: the lowest active lane changes the counter at M0[31:16] + offset by the
// number of active lanes, and all get what it was. M0 is no limit here.
func dsCount(op uint8) eff {
	return func(l *isa.Lift) {
		if !lds(l) {
			return
		}
		active := l.Mask().Ballot(l.I1(true))
		lowest := active.And(active.Neg()).Lanes()
		addr := l.Get(CellM0, ir.I32).ShrU(l.I32(16)).Add(l.I32(uint32(l.In.Get(nameOffset))))
		count := active.Popcount().Trunc(ir.I32)
		old := l.Atomic(atomicMem(ir.GroupSpace, op, 4), addr, count, V{}, lowest)
		l.Set(VGPR(field(l, nameVdst)), old.ReadFirst(lowest), l.Mask())
		dsDone(l, 1)
	}
}

// laneAt is the lane that a byte address of four bytes a lane names.
func laneAt(l *isa.Lift) V {
	return dsAddr(l, l.In.Get(nameOffset)).ShrU(l.I32(2)).And(l.I32(63))
}

// ds_permute_b32 vdst, addr, data0 offset:N.
func liftPermute(l *isa.Lift) {
	v, _ := l.Get(VGPR(field(l, nameData0)), ir.I32).ScatterLane(laneAt(l), l.Mask())
	l.Set(VGPR(field(l, nameVdst)), v, l.Mask())
	dsDone(l, 1)
}

// ds_bpermute_b32 vdst, addr, data0 offset:N.
func liftBPermute(l *isa.Lift) {
	v, _ := l.Get(VGPR(field(l, nameData0)), ir.I32).Shuffle(laneAt(l), l.Mask())
	l.Set(VGPR(field(l, nameVdst)), v, l.Mask())
	dsDone(l, 1)
}

// ds_swizzle_b32 vdst, addr offset:PATTERN. With bit 15 clear, bits of the lane number within 32 are masked, set and
// inverted; with it set, bits 0 to 7 are the lanes of each quad.
func liftSwizzle(l *isa.Lift) {
	if !lds(l) {
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
	dsDone(l, 1)
}
