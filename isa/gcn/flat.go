package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// FLAT: one 64-bit address for global memory, local memory and scratch; gfx7 and gfx8. docs/reference/gcn.md 1 and 8.2.

// flatRows lists the instructions of FLAT. The word a of signatures is the address, a pair of vector registers. An
// atomic writes its result only with glc.
var flatRows = []memRow{
	// gfx6 gfx7 gfx8 mnemonic signature meaning doc
	{____, 0x08, 0x10, "flat_load_ubyte", "b32 = a", flatLoad(byteU), "A byte, zero-extended, from a."},
	{____, 0x09, 0x11, "flat_load_sbyte", "b32 = a", flatLoad(byteS), "A byte, sign-extended, from a."},
	{____, 0x0a, 0x12, "flat_load_ushort", "b32 = a", flatLoad(halfU), "16 bits, zero-extended, from a."},
	{____, 0x0b, 0x13, "flat_load_sshort", "b32 = a", flatLoad(halfS), "16 bits, sign-extended, from a."},
	{____, 0x0c, 0x14, "flat_load_dword", "b32 = a", flatLoad(dword1), "32 bits, from a."},
	{____, 0x0d, 0x15, "flat_load_dwordx2", "b64 = a", flatLoad(dword2), "64 bits, from a."},
	{____, 0x0e, 0x17, "flat_load_dwordx4", "b128 = a", flatLoad(dword4), "128 bits, from a."},
	{____, 0x0f, 0x16, "flat_load_dwordx3", "b96 = a", flatLoad(dword3), "96 bits, from a."},
	{____, 0x18, 0x18, "flat_store_byte", "= a b32", flatStore(byteU), "The low byte of d goes to a."},
	{____, 0x1a, 0x1a, "flat_store_short", "= a b32", flatStore(halfU), "The low 16 bits of d goes to a."},
	{____, 0x1c, 0x1c, "flat_store_dword", "= a b32", flatStore(dword1), "d goes to a."},
	{____, 0x1d, 0x1d, "flat_store_dwordx2", "= a b64", flatStore(dword2), "d goes to a."},
	{____, 0x1f, 0x1e, "flat_store_dwordx3", "= a b96", flatStore(dword3), "d goes to a."},
	{____, 0x1e, 0x1f, "flat_store_dwordx4", "= a b128", flatStore(dword4), "d goes to a."},
	{____, 0x30, 0x40, "flat_atomic_swap", "b32 = a b32", flatAtomic(ir.AtomicSwap, 4), "m = d; with glc gives m before."},
	{____, 0x31, 0x41, "flat_atomic_cmpswap", "b32 = a b64", flatAtomic(ir.AtomicCmpSwap, 4), "m = m == the second half of d ? the first half : m; with glc gives m before."},
	{____, 0x32, 0x42, "flat_atomic_add", "b32 = a b32", flatAtomic(ir.AtomicAdd, 4), "m = m + d; with glc gives m before."},
	{____, 0x33, 0x43, "flat_atomic_sub", "b32 = a b32", flatAtomic(ir.AtomicSub, 4), "m = m - d; with glc gives m before."},
	{____, 0x35, 0x44, "flat_atomic_smin", "b32 = a b32", flatAtomic(ir.AtomicSMin, 4), "m = the smaller of m and d, signed; with glc gives m before."},
	{____, 0x36, 0x45, "flat_atomic_umin", "b32 = a b32", flatAtomic(ir.AtomicUMin, 4), "m = the smaller of m and d, unsigned; with glc gives m before."},
	{____, 0x37, 0x46, "flat_atomic_smax", "b32 = a b32", flatAtomic(ir.AtomicSMax, 4), "m = the larger of m and d, signed; with glc gives m before."},
	{____, 0x38, 0x47, "flat_atomic_umax", "b32 = a b32", flatAtomic(ir.AtomicUMax, 4), "m = the larger of m and d, unsigned; with glc gives m before."},
	{____, 0x39, 0x48, "flat_atomic_and", "b32 = a b32", flatAtomic(ir.AtomicAnd, 4), "m = m and d, bit by bit; with glc gives m before."},
	{____, 0x3a, 0x49, "flat_atomic_or", "b32 = a b32", flatAtomic(ir.AtomicOr, 4), "m = m or d, bit by bit; with glc gives m before."},
	{____, 0x3b, 0x4a, "flat_atomic_xor", "b32 = a b32", flatAtomic(ir.AtomicXor, 4), "m = m exclusive or d, bit by bit; with glc gives m before."},
	{____, 0x3c, 0x4b, "flat_atomic_inc", "b32 = a b32", flatAtomic(ir.AtomicInc, 4), "m = m >= d ? 0 : m + 1; with glc gives m before."},
	{____, 0x3d, 0x4c, "flat_atomic_dec", "b32 = a b32", flatAtomic(ir.AtomicDec, 4), "m = m == 0 or m > d ? d : m - 1; with glc gives m before."},
	{____, 0x3e, ____, "flat_atomic_fcmpswap", "b32 = a b64", flatAtomic(ir.AtomicFCmpSwap, 4), "m = m == the second half of d as floats ? the first half : m; with glc gives m before."},
	{____, 0x3f, ____, "flat_atomic_fmin", "b32 = a b32 | opt=float-atomics", flatAtomic(ir.AtomicFMin, 4), "m = the smaller of m and d as floats; with glc gives m before."},
	{____, 0x40, ____, "flat_atomic_fmax", "b32 = a b32 | opt=float-atomics", flatAtomic(ir.AtomicFMax, 4), "m = the larger of m and d as floats; with glc gives m before."},
	{____, 0x50, 0x60, "flat_atomic_swap_x2", "b64 = a b64", flatAtomic(ir.AtomicSwap, 8), "m = d; with glc gives m before."},
	{____, 0x51, 0x61, "flat_atomic_cmpswap_x2", "b64 = a b128", flatAtomic(ir.AtomicCmpSwap, 8), "m = m == the second half of d ? the first half : m; with glc gives m before."},
	{____, 0x52, 0x62, "flat_atomic_add_x2", "b64 = a b64", flatAtomic(ir.AtomicAdd, 8), "m = m + d; with glc gives m before."},
	{____, 0x53, 0x63, "flat_atomic_sub_x2", "b64 = a b64", flatAtomic(ir.AtomicSub, 8), "m = m - d; with glc gives m before."},
	{____, 0x55, 0x64, "flat_atomic_smin_x2", "b64 = a b64", flatAtomic(ir.AtomicSMin, 8), "m = the smaller of m and d, signed; with glc gives m before."},
	{____, 0x56, 0x65, "flat_atomic_umin_x2", "b64 = a b64", flatAtomic(ir.AtomicUMin, 8), "m = the smaller of m and d, unsigned; with glc gives m before."},
	{____, 0x57, 0x66, "flat_atomic_smax_x2", "b64 = a b64", flatAtomic(ir.AtomicSMax, 8), "m = the larger of m and d, signed; with glc gives m before."},
	{____, 0x58, 0x67, "flat_atomic_umax_x2", "b64 = a b64", flatAtomic(ir.AtomicUMax, 8), "m = the larger of m and d, unsigned; with glc gives m before."},
	{____, 0x59, 0x68, "flat_atomic_and_x2", "b64 = a b64", flatAtomic(ir.AtomicAnd, 8), "m = m and d, bit by bit; with glc gives m before."},
	{____, 0x5a, 0x69, "flat_atomic_or_x2", "b64 = a b64", flatAtomic(ir.AtomicOr, 8), "m = m or d, bit by bit; with glc gives m before."},
	{____, 0x5b, 0x6a, "flat_atomic_xor_x2", "b64 = a b64", flatAtomic(ir.AtomicXor, 8), "m = m exclusive or d, bit by bit; with glc gives m before."},
	{____, 0x5c, 0x6b, "flat_atomic_inc_x2", "b64 = a b64", flatAtomic(ir.AtomicInc, 8), "m = m >= d ? 0 : m + 1; with glc gives m before."},
	{____, 0x5d, 0x6c, "flat_atomic_dec_x2", "b64 = a b64", flatAtomic(ir.AtomicDec, 8), "m = m == 0 or m > d ? d : m - 1; with glc gives m before."},
	{____, 0x5e, ____, "flat_atomic_fcmpswap_x2", "b64 = a b128", flatAtomic(ir.AtomicFCmpSwap, 8), "m = m == the second half of d as floats ? the first half : m; with glc gives m before."},
	{____, 0x5f, ____, "flat_atomic_fmin_x2", "b64 = a b64 | opt=float-atomics", flatAtomic(ir.AtomicFMin, 8), "m = the smaller of m and d as floats; with glc gives m before."},
	{____, 0x60, ____, "flat_atomic_fmax_x2", "b64 = a b64 | opt=float-atomics", flatAtomic(ir.AtomicFMax, 8), "m = the larger of m and d as floats; with glc gives m before."},
}

// flatVI is the layout of gfx7 and gfx8. Bit 55, TFE, is 0: no tool writes it.
var flatVI = &isa.Encoding{Name: "FLAT", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b110111), isa.Must(55, 55, 0)}, Opcode: bits.Ranges{bits.Span(18, 24)},
	Fields: []isa.Field{
		isa.Bits("glc", 16, 16, flag("glc")), isa.Bits("slc", 17, 17, flag("slc")),
		isa.Bits("addr", 32, 39, nil), isa.Bits("data", 40, 47, nil), isa.Bits("vdst", 56, 63, nil),
	}, Source: "docs/reference/gcn.md 1.1"}

// flatForms is the form of a load or store, or the two of an atomic: without and with glc.
func flatForms(r *memRow) []isa.Def {
	dst, src, _ := r.parts()
	addr := vgprArg("addr", 2, isa.Use)
	if len(dst) == 0 || len(src) == 1 {
		args := []isa.Arg{addr}
		if len(dst) > 0 {
			args = []isa.Arg{vgprArg("vdst", regs(dst[0]), isa.Define), addr}
		} else {
			args = append(args, vgprArg("data", regs(src[1]), isa.Use))
		}
		return []isa.Def{{Enc: flatVI, Args: append(args, modArgs("glc", "slc")...)}}
	}
	data := vgprArg("data", regs(src[1]), isa.Use)
	form := func(glc uint64, args ...isa.Arg) isa.Def {
		return isa.Def{Enc: flatVI, Args: append(args, modArgs("slc")...), Fix: []isa.Fixed{isa.Must(16, 16, glc)}, Rank: int(glc)}
	}
	return []isa.Def{
		form(0, addr, data),
		form(1, vgprArg("vdst", regs(dst[0]), isa.Define), addr, data, wordArg("glc", true)),
	}
}

// A flatAddr is the address of an instruction in each lane, and where the private aperture takes it.
//
// An address whose high word is the private aperture's is a byte offset in the lane's scratch, which is swizzled as
// that of buffers is: element size 4, 64 lanes. FLAT_SCRATCH_HI counts units of 256 bytes to the wave's scratch;
// launches put the base of scratch at 0, so that it is the whole address. docs/reference/gcn.md 8.2 and 9.5.
type flatAddr struct {
	addr    V // i64
	private V // the lanes whose address is in the private aperture
	scratch V // i64: where it takes them
}

func newFlatAddr(l *isa.Lift) (f flatAddr) {
	f.addr = vgpr(l, field(l, nameAddr), b64)
	lo, hi := f.addr.Unpack(ir.I32)
	f.private = hi.Eq(l.Get(CellPrivateBase, ir.I32))
	base := scalarWord(l, codeFlatScratch+1).ZExt(ir.I64).Shl(l.I64(8))
	lane := l.LaneID().Shl(l.I32(2))
	in := lo.And(l.I32(^uint32(3))).ZExt(ir.I64).Shl(l.I64(6))
	f.scratch = base.Add(in).Add(lane.Or(lo.And(l.I32(3))).ZExt(ir.I64))
	return f
}

// one is the address of an access of at most a dword.
func (f *flatAddr) one() V { return f.private.Select(f.scratch, f.addr) }

// word is the scratch address of dword i of a longer access: the lanes' dwords lie side by side.
func (f *flatAddr) word(l *isa.Lift, i int) V {
	if i == 0 {
		return f.scratch
	}
	return f.scratch.Add(l.I64(uint64(i) * 256))
}

// flatDone marks the operation as pending on both counters, since it may go either way.
func flatDone(l *isa.Lift, name isa.Name, n int) {
	issued(l, queueVM, VGPR(field(l, name)), n)
	issued(l, queueLGKM, VGPR(field(l, name)), n)
}

// A flatSplit is the lanes and addresses of an access of several dwords: one run of memory for lanes outside of the
// private aperture, separate dwords for the others.
type flatSplit struct {
	addr    V
	m       V // lanes with one run
	words   []V
	private V // lanes with separate dwords
}

// split checks all of an access before any of it is done.
func (f *flatAddr) split(l *isa.Lift, a access, store bool) (s flatSplit) {
	s.addr, s.private, s.m = f.addr, l.Mask().And(f.private), l.Mask().And(f.private.Not())
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
		flatDone(l, nameVdst, len(vs))
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
		flatDone(l, nameData, 0)
	}
}

// flat_atomic_add addr, data; flat_atomic_add vdst, addr, data glc. A compare-and-swap has the new value in the first
// half of data and the comparand in the second. One of 64 bits does not reach scratch, where the halves lie apart: its
// address is taken as it is, and nothing lies there.
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
			flatDone(l, nameData, 0)
			return
		}
		setVGPR(l, field(l, nameVdst), old, l.Mask())
		flatDone(l, nameVdst, size/4)
	}
}

// atomicData is the data of a flat or buffer atomic, and its comparand if it has one.
func atomicData(l *isa.Lift, first int, op uint8, size int) (data, cmp V) {
	data = getSized(l, first, size)
	if _, two := ir.AtomicName(op); two {
		cmp = getSized(l, first+size/4, size)
	}
	return data, cmp
}
