package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of MUBUF instructions: addresses, range checks and accesses as plain IR on the words of the buffer
// resource. docs/reference/gcn.md 8.1 and 9.5.

// addrMask48 is the bits of a buffer address: sums wrap at 48 bits.
const addrMask48 = 1<<48 - 1

// A vsharp is a buffer resource (V#): four words, uniform.
type vsharp struct {
	l *isa.Lift
	w [4]V
}

// resource reads a buffer resource from scalar registers.
func resource(l *isa.Lift, code int) (r vsharp) {
	r.l = l
	for i := range r.w {
		r.w[i] = scalarWord(l, code+i)
	}
	l.Stable(r.w[1]) // high bits of the base, stride and kind
	return r
}

// base returns bits 0 to 47, stride bits 48 to 61.
func (r *vsharp) base() V   { return r.w[0].Pack(r.w[1].And(r.l.I32(0xffff)), ir.I64) }
func (r *vsharp) stride() V { return r.bits(1, 16, 14) }

// bits returns n bits of word i from bit at up.
func (r *vsharp) bits(i, at, n int) V {
	return r.w[i].UBfe(r.l.I32(uint32(at)), r.l.I32(uint32(n)))
}

// A bufAddr is what the addresses of an instruction's dwords share. All values are i64. With
//
//	linear    address = base + soffset + index*stride + offset
//	swizzled  address = base + soffset + (index/IS*stride + offset/ES*ES)*IS + index%IS*ES + offset%ES
//
// the first is the second with an index stride IS and an element size ES of 1, so both are computed by one formula.
//
// A dword is in range if, with a stride, index < num_records, and offset < stride if it is swizzled; and otherwise
// offset < num_records - soffset. gfx8 counts num_records in bytes unless it swizzles: index*stride + offset must be
// below it. So do gfx6 and gfx7 for the offset alone, if option buffer-range says bytes. Only the first byte is
// checked.
type bufAddr struct {
	l        *isa.Lift
	base     V // with soffset; uniform
	offset   V // of the first dword
	index    V
	stride   V // uniform
	logIS    V // uniform
	elemMask V // ES - 1; uniform
	outer    V // index/IS*stride
	inner    V // index%IS*ES
	byIndex  V // i1: index and offset are checked separately; uniform
	records  V // num_records; uniform
	room     V // num_records - soffset, at least 0; uniform
	counted  V // bytes that an index counts for in room; uniform
	reach    V // what offset must be below; uniform
}

// newBufAddr reads the operands. soffset is added to the address as it is.
func newBufAddr(l *isa.Lift) *bufAddr {
	r := resource(l, 4*field(l, nameSrsrc))
	soff := operand(l, field(l, nameSoffset), b32)
	b := &bufAddr{l: l}
	if has64(l) {
		b.addr64(&r, soff)
		return b
	}
	l.Stable(r.w[3])
	b.registers(r.bits(3, 23, 1).Ne(l.I32(0)))
	zero, one := l.I64(0), l.I64(1)
	b.base = r.base().Add(soff.ZExt(ir.I64))
	b.stride = r.stride().ZExt(ir.I64)
	b.records, b.room = r.w[2].ZExt(ir.I64), r.w[2].USubSat(soff).ZExt(ir.I64)

	swizzled := r.bits(1, 31, 1).Ne(l.I32(0))
	b.limits(swizzled)
	b.logIS = swizzled.Select(r.bits(3, 21, 2).ZExt(ir.I64).Add(l.I64(3)), zero)
	logES := swizzled.Select(r.bits(3, 19, 2).ZExt(ir.I64).Add(one), zero)
	b.elemMask = one.Shl(logES).Sub(one)
	b.outer = b.index.ShrU(b.logIS).Mul(b.stride)
	b.inner = b.index.And(one.Shl(b.logIS).Sub(one)).Shl(logES)
	return b
}

// limits computes the limits of index and offset.
func (b *bufAddr) limits(swizzled V) {
	l := b.l
	structured := b.stride.Ne(l.I64(0))
	b.byIndex, b.counted = swizzled.And(structured), b.stride
	b.reach = b.byIndex.Select(b.stride, l.I64(1<<63))
	switch {
	case genOf(l).byteRange:
	case l.Option(optBufferRange) == rangeBytes:
		b.counted = l.I64(0)
	default:
		b.byIndex = structured
	}
}

// has64 reports whether the address is in registers, 64 bits per lane.
func has64(l *isa.Lift) bool {
	x := l.In.Def.Enc.Fixed[0]
	return x.At == addr64Bit && x.Value == 1
}

// addr64 reads a 64-bit address per lane, to which base, soffset and offset are added. Nothing is out of range.
func (b *bufAddr) addr64(r *vsharp, soff V) {
	l := b.l
	zero := l.I64(0)
	b.base = r.base().Add(soff.ZExt(ir.I64)).Add(vgpr(l, field(l, nameVaddr), b64))
	b.offset, b.index, b.stride, b.counted = l.I64(l.In.Get(nameOffset)), zero, zero, zero
	b.logIS, b.elemMask, b.outer, b.inner = zero, zero, zero, zero
	b.byIndex, b.records, b.room, b.reach = l.I1(false), l.I64(1<<63), l.I64(1<<63), l.I64(1<<63)
}

// registers reads index and offset. With both, the index comes first. addTID adds the lane to the index.
func (b *bufAddr) registers(addTID V) {
	l := b.l
	v := int(l.In.Opt(nameVaddr))
	lane := addTID.Select(l.LaneID(), l.I32(0)).ZExt(ir.I64)
	b.index, b.offset = lane, l.I64(l.In.Get(nameOffset))
	if l.In.Has(nameIdxen) {
		b.index = lane.Add(l.Get(VGPR(v), ir.I32).ZExt(ir.I64))
		v++
	}
	if l.In.Has(nameOffen) {
		b.offset = b.offset.Add(l.Get(VGPR(v), ir.I32).ZExt(ir.I64))
	}
}

// dword returns the address of the i-th dword of the access, and the lanes in which it is in range.
func (b *bufAddr) dword(i int) (addr, m V) {
	off := b.offset
	if i > 0 {
		off = off.Add(b.l.I64(uint64(4 * i)))
	}
	at := b.byIndex.Select(b.index, b.index.Mul(b.counted).Add(off))
	limit := b.byIndex.Select(b.records, b.room)
	inRecords, inStride := at.ULt(limit), off.ULt(b.reach)
	in := inRecords.And(inStride)
	b.l.Stable(in)
	b.l.Clip(boundRecords, at, limit, inRecords, b.l.Mask())
	b.l.Clip(boundStride, off, b.reach, inStride, b.l.Mask())
	m = b.l.Mask().And(in)
	high := b.outer.Add(off.And(b.elemMask.Not())).Shl(b.logIS)
	addr = b.base.Add(high).Add(b.inner).Add(off.And(b.elemMask))
	return addr.And(b.l.I64(addrMask48)), m
}

// dwords returns the addresses and lanes of all dwords of an access, each checked before any is accessed. In a
// swizzled buffer dwords are not contiguous, and are range-checked separately.
func (b *bufAddr) dwords(a access, store bool) (addr, m []V) {
	addr, m = make([]V, a.count), make([]V, a.count)
	for i := range addr {
		addr[i], m[i] = b.dword(i)
		b.l.Check(a.one().touch(ir.GlobalSpace), store, addr[i], m[i])
	}
	return addr, m
}

// load returns each element of the access, 0 if it is out of range.
func (b *bufAddr) load(a access) (vs []V) {
	addr, m := b.dwords(a, false)
	for i := range addr {
		vs = append(vs, b.loadOne(a, addr[i], m[i]))
	}
	return vs
}

// loadOne loads an element of the access.
func (b *bufAddr) loadOne(a access, addr, m V) V {
	return b.l.Load(volatile(b.l, a.one().load(ir.GlobalSpace)), ir.I32, addr, m)[0]
}

// buffer_load_dword vdata, vaddr, srsrc, soffset; or, with lds, vaddr, srsrc, soffset lds.
func bufLoad(a access) eff {
	return func(l *isa.Lift) {
		b := newBufAddr(l)
		b.loaded(func() []V { return b.load(a) })
	}
}

// loaded writes what is loaded to vector registers, or to local memory. With tfe the register after the data is the
// status, which is 0 since nothing is missing. The address in local memory is checked before anything is loaded.
func (b *bufAddr) loaded(load func() []V) {
	l := b.l
	if !l.In.Has(nameVdata) {
		to := b.local()
		l.Check(dword1.touch(ir.GroupSpace), true, to, l.Mask())
		l.Store(dword1.touch(ir.GroupSpace), to, load(), l.Mask())
		return
	}
	vs := load()
	if l.In.Has(nameTfe) {
		vs = append(vs, l.I32(0))
	}
	setWords(l, field(l, nameVdata), vs, l.Mask())
}

// local returns the address in local memory of the dword of an instruction with lds: M0[15:0] + the constant offset +
// 4 bytes per lane.
func (b *bufAddr) local() V {
	l := b.l
	return l.Get(CellM0, ir.I32).And(l.I32(0xffff)).Add(l.I32(uint32(l.In.Get(nameOffset)))).Add(l.LaneID().Shl(l.I32(2)))
}

// bufStoreLDS is buffer_store_lds_dword srsrc, soffset lds: a dword of local memory goes to the buffer.
func bufStoreLDS(l *isa.Lift) {
	b := newBufAddr(l)
	addr, m := b.dword(0)
	from := b.local()
	l.Check(dword1.touch(ir.GroupSpace), false, from, m)
	l.Check(dword1.touch(ir.GlobalSpace), true, addr, m)
	l.Store(dword1.touch(ir.GlobalSpace), addr, l.Load(dword1.load(ir.GroupSpace), ir.I32, from, m), m)
}

// buffer_store_dword vdata, vaddr, srsrc, soffset.
func bufStore(a access) eff {
	return func(l *isa.Lift) {
		b := newBufAddr(l)
		first := field(l, nameVdata)
		data := getWords(l, first, int(a.count))
		addr, m := b.dwords(a, true)
		for i := range addr {
			l.Store(a.one().touch(ir.GlobalSpace), addr[i], data[i:i+1], m[i])
		}
	}
}

// buffer_atomic_add vdata, vaddr, srsrc, soffset; with glc vdata becomes the old value in memory, 0 if it is out of
// range. A compare-and-swap has the new value in the first half of vdata and the comparand in the second, and returns
// its result in the first.
func bufAtomic(op uint8, size int) eff {
	return func(l *isa.Lift) {
		b := newBufAddr(l)
		first := field(l, nameVdata)
		data, cmp := atomicData(l, first, op, size)
		addr, m := b.dword(0)
		old := l.Atomic(atomicMem(ir.GlobalSpace, op, size), addr, data, cmp, m)
		if !l.In.Has(nameGLC) {
			return
		}
		setVGPR(l, first, old, l.Mask())
	}
}
