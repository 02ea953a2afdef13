package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Semantics of FLAT instructions. docs/reference/gcn.md 8.2.

// A flatAddr is the address of an instruction in each lane, and where the private aperture maps it.
//
// An address whose high word is the private aperture's is a byte offset in the lane's scratch, which is swizzled as
// that of buffers is: element size 4, 64 lanes. FLAT_SCRATCH_HI counts units of 256 bytes to the wave's scratch;
// launches put the base of scratch at 0, so that it is the whole address. docs/reference/gcn.md 8.2 and 9.5.
type flatAddr struct {
	addr    V // i64
	private V // the active lanes whose address is in the private aperture: few kernels have any
	scratch V // i64: the address there
}

func newFlatAddr(l *isa.Lift) (f flatAddr) {
	f.addr = vgpr(l, field(l, nameAddr), b64)
	lo, hi := f.addr.Unpack(ir.I32)
	f.private = l.Mask().And(hi.Eq(l.Get(CellPrivateBase, ir.I32)))
	l.Unlikely(f.private)
	base := scalarWord(l, genOf(l).codes.flatScratch+1).ZExt(ir.I64).Shl(l.I64(8))
	lane := l.LaneID().Shl(l.I32(2))
	in := lo.And(l.I32(^uint32(3))).ZExt(ir.I64).Shl(l.I64(6))
	f.scratch = base.Add(in).Add(lane.Or(lo.And(l.I32(3))).ZExt(ir.I64))
	return f
}

// one returns the address of an access of at most a dword.
func (f *flatAddr) one() V { return f.private.Select(f.scratch, f.addr) }

// word returns the scratch address of dword i of a longer access: the dwords of the lanes are interleaved.
func (f *flatAddr) word(l *isa.Lift, i int) V {
	if i == 0 {
		return f.scratch
	}
	return f.scratch.Add(l.I64(uint64(i) * 256))
}

// A flatSplit is the lanes and addresses of an access of several dwords: one run of memory for lanes outside of the
// private aperture, separate dwords for the others.
type flatSplit struct {
	addr    V
	m       V // lanes with one run
	words   []V
	private V // lanes with separate dwords
}

// split checks all of an access before any of it is executed.
func (f *flatAddr) split(l *isa.Lift, a access, store bool) (s flatSplit) {
	s.addr, s.private, s.m = f.addr, f.private, l.Mask().And(f.private.Not())
	l.Check(a.touch(ir.FlatSpace), store, s.addr, s.m)
	for i := range int(a.count) {
		w := f.word(l, i)
		l.Check(a.one().touch(ir.FlatSpace), store, w, s.private)
		s.words = append(s.words, w)
	}
	return s
}

// flat_load_dword vdst, addr.
func flatLoad(a access) eff {
	return func(l *isa.Lift) {
		f := newFlatAddr(l)
		var vs []V
		if a.count == 1 {
			vs = l.Load(volatile(l, a.load(ir.FlatSpace)), ir.I32, f.one(), l.Mask())
		} else {
			s := f.split(l, a, false)
			vs = l.Load(volatile(l, a.load(ir.FlatSpace)), ir.I32, s.addr, s.m)
			for i, w := range s.words {
				vs[i] = vs[i].Or(l.Load(volatile(l, dword1.load(ir.FlatSpace)), ir.I32, w, s.private)[0])
			}
		}
		setWords(l, field(l, nameVdst), vs, l.Mask())
	}
}

// flat_store_dword addr, data.
func flatStore(a access) eff {
	return func(l *isa.Lift) {
		f := newFlatAddr(l)
		data := getWords(l, field(l, nameData), int(a.count))
		if a.count == 1 {
			l.Store(a.touch(ir.FlatSpace), f.one(), data, l.Mask())
		} else {
			s := f.split(l, a, true)
			l.Store(a.touch(ir.FlatSpace), s.addr, data, s.m)
			for i, w := range s.words {
				l.Store(dword1.touch(ir.FlatSpace), w, data[i:i+1], s.private)
			}
		}
	}
}

// flat_atomic_add addr, data; flat_atomic_add vdst, addr, data glc. A compare-and-swap has the new value in the first
// half of data and the comparand in the second. One of 64 bits does not reach scratch, where the halves are not
// contiguous: its address is used unmapped, and nothing is mapped there.
func flatAtomic(op uint8, size int) eff {
	return func(l *isa.Lift) {
		f := newFlatAddr(l)
		addr := f.addr
		if size == 4 {
			addr = f.one()
		}
		data, cmp := atomicData(l, field(l, nameData), op, size)
		old := l.Atomic(atomicMem(ir.FlatSpace, op, size), addr, data, cmp, l.Mask())
		if !l.In.Has(nameVdst) {
			return
		}
		setVGPR(l, field(l, nameVdst), old, l.Mask())
	}
}

// atomicData returns the data of a flat or buffer atomic, and its comparand if it has one.
func atomicData(l *isa.Lift, first int, op uint8, size int) (data, cmp V) {
	data = getSized(l, first, size)
	if _, two := ir.AtomicName(op); two {
		cmp = getSized(l, first+size/4, size)
	}
	return data, cmp
}
