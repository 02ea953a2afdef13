package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Memory by address and by descriptor. docs/reference/valhall.md 9.1, 9.2 and 10.3.

func (s size) mem() ir.Mem { return ir.Mem{Space: ir.FlatSpace, Elem: s.elem, Count: s.count} }

// stored splits words into elements, lowest first.
func (s size) stored(words []V) (es []V) {
	each := 4 / int(s.elem)
	for i := range int(s.count) {
		w := words[i/each]
		if at := i % each; at > 0 {
			w = w.ShrU(w.K(uint64(8 * int(s.elem) * at)))
		}
		es = append(es, w)
	}
	return es
}

// loaded joins zero-extended elements to words. The last word is extended above the last element.
func (s size) loaded(es []V, signed bool) (words []V) {
	if s.elem == 4 || s.count == 1 {
		return es
	}
	each, narrow := 4/int(s.elem), ir.IntOf(8*int(s.elem))
	for i, e := range es {
		if i == len(es)-1 && signed {
			e = e.Extract(0, narrow).SExt(ir.I32)
		}
		if at := i % each; at > 0 {
			words[len(words)-1] = words[len(words)-1].Or(e.Shl(e.K(uint64(8 * int(s.elem) * at))))
		} else {
			words = append(words, e)
		}
	}
	return words
}

// A place is the destination of a narrow load: the first bit in its first register, and the width that it is extended
// to.
type place struct{ at, bits int }

// places are the lanes of loads, by bytes of the element. Loads of several elements have one.
var places = [5][]place{
	1: {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}, {0, 32}, {0, 64}},
	2: {{0, 16}, {16, 16}, {0, 32}, {0, 64}},
	4: {{0, 32}, {0, 64}},
}

// place is the place of a load of the size.
func (s size) place(in *isa.Inst) place {
	if s.count > 1 {
		return place{0, 32}
	}
	return places[s.elem][in.Get(nameLane)]
}

// landed is the number of staging registers that a load writes, part the mask of their bytes, 0 for all.
func (s size) landed(in *isa.Inst, _ *isa.Arg) int { return max(s.words(), s.place(in).bits/32) }

func (s size) part(in *isa.Inst) uint8 {
	p := s.place(in)
	if p.bits >= 32 {
		return 0
	}
	return (1<<(p.bits/8) - 1) << (p.at / 8)
}

// staged is the number of staging registers for the size and the comparand.
func (s size) staged(in *isa.Inst, a *isa.Arg) int {
	if a.Role != isa.Use {
		return s.words()
	}
	return s.operand(in) << in.Opt(nameCompare)
}

// operand is the number of words of an atomic operand: two for 64 bits, except sums with an extended 32-bit number.
func (s size) operand(in *isa.Inst) int {
	if s == size64 && in.Has(nameAtomic) && in.Get(nameAtomic) <= atomicAddS {
		return 1
	}
	return s.words()
}

// land writes loaded elements to the staging registers. The rest of a register that receives a narrow value is
// unchanged.
func (s size) land(l *isa.Lift, es []V) {
	signed := l.In.Get(nameUnsigned) == 0
	if s.count > 1 {
		stage(l, nameStaging, s.loaded(es, signed))
		return
	}
	p := s.place(l.In)
	v := es[0].Extract(0, ir.IntOf(8*int(s.elem)))
	if n := ir.IntOf(p.bits); n != v.Type() {
		if signed {
			v = v.SExt(n)
		} else {
			v = v.ZExt(n)
		}
	}
	switch first, _ := groupNamed(l, nameStaging); p.bits {
	case 64:
		lo, hi := v.Unpack(ir.I32)
		stage(l, nameStaging, []V{lo, hi})
	case 32:
		stage(l, nameStaging, []V{v})
	default:
		stage(l, nameStaging, []V{l.Get(regCell(first), ir.I32).Insert(v, p.at)})
	}
}

// address is the address of a memory instruction: a base plus an offset of `bits` bits.
func address(l *isa.Lift, bits int) V {
	off := int64(l.In.Get(nameOffset))
	if bits == offsetSigned {
		off = int64(int16(off))
	}
	a := l.Src(0)
	if off != 0 {
		a = a.Add(l.I64(uint64(off)))
	}
	return a
}

// Widths of the offsets: signed for loads and stores, unsigned for atomics.
const (
	offsetSigned   = 16
	offsetUnsigned = 8
)

// load is LOAD of a size.
func load(s size) eff {
	return func(l *isa.Lift) { s.land(l, l.Load(s.mem(), ir.I32, address(l, offsetSigned), l.Mask())) }
}

// store is STORE of a size.
func store(s size) eff {
	return func(l *isa.Lift) {
		if l.In.Get(nameAccess) != accessForce {
			withoutHelpers(l)
		}
		words := stagedWords(l, 0, s.words())
		if lane := l.In.Opt(nameStoreLane); lane != 0 {
			words[0] = words[0].ShrU(words[0].K(lane * uint64(s.bits())))
		}
		l.Store(s.mem(), address(l, offsetSigned), s.stored(words), l.Mask())
	}
}

type eff = func(*isa.Lift)

// accessForce is the access mode in which helpers access memory, too.
const accessForce = 3

// withoutHelpers restricts the instruction to threads that are not discarded: the others do not change memory.
func withoutHelpers(l *isa.Lift) { l.Guard(l.Get(ir.Cell{File: FileHelper}, ir.I1).Not()) }

// stagedWords is n words from a staging register on, whatever the count of the group.
func stagedWords(l *isa.Lift, from, n int) (ws []V) {
	first, _ := groupNamed(l, nameStaging)
	for i := range n {
		ws = append(ws, l.Get(regCell(first+from+i), ir.I32))
	}
	return ws
}

// atomics are the atomic operations, by code. docs/reference/valhall.md 10.3.
var atomics = [16]uint8{atomicAddU: ir.AtomicAdd, atomicAddS: ir.AtomicAdd, 2: ir.AtomicAdd, 8: ir.AtomicSMin, ir.AtomicSMax, ir.AtomicUMin, ir.AtomicUMax, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor, ir.AtomicSwap}

// 64-bit sums with a zero-extended or sign-extended 32-bit number.
const (
	atomicAddU = 0
	atomicAddS = 1
)

// added is the operand of an atomic operation, in staging registers from one on.
func (s size) added(l *isa.Lift, from int) V {
	n := s.operand(l.In)
	v := joined(stagedWords(l, from, n))
	switch {
	case n == s.words():
		return v
	case l.In.Get(nameAtomic) == atomicAddS:
		return v.SExt(ir.I64)
	}
	return v.ZExt(ir.I64)
}

// atomicOnes are the operations whose operand is 1.
var atomicOnes = [5]uint8{ir.AtomicAdd, ir.AtomicSub, ir.AtomicUMax, ir.AtomicSMax, ir.AtomicOr}

func (s size) atomic(l *isa.Lift, op uint8, data, cmp V) V {
	m := ir.Mem{Space: ir.FlatSpace, Elem: 4 * s.count, Count: 1, Atomic: op}
	return l.Atomic(m, address(l, offsetUnsigned), data, cmp, l.Mask())
}

// joined is words as one value.
func joined(ws []V) V {
	if len(ws) == 1 {
		return ws[0]
	}
	return ws[0].Pack(ws[1], ir.I64)
}

// parted is a value as words.
func parted(v V) []V {
	if v.Type() != ir.I64 {
		return []V{v}
	}
	lo, hi := v.Unpack(ir.I32)
	return []V{lo, hi}
}

// atom is ATOM, which returns nothing.
func atom(s size) eff {
	return func(l *isa.Lift) {
		withoutHelpers(l)
		s.atomic(l, atomics[l.In.Get(nameAtomic)], s.added(l, 0), V{})
	}
}

// atom1 is ATOM1_RETURN; the old value is dropped if there are no registers for it.
func atom1(s size) eff {
	return func(l *isa.Lift) {
		withoutHelpers(l)
		one := l.Const(ir.IntOf(32*int(s.count)), 1)
		stage(l, nameStaging, parted(s.atomic(l, atomicOnes[l.In.Get(nameAtomic)], one, V{})))
	}
}

// atomReturn is ATOM_RETURN. A compare-and-swap has the new value first and then the comparand, whatever the group's
// count.
func atomReturn(s size) eff {
	return func(l *isa.Lift) {
		n, op := s.words(), atomics[l.In.Get(nameAtomic)]
		data, cmp := s.added(l, 0), V{}
		if l.In.Get(nameCompare) != 0 {
			if op != ir.AtomicSwap {
				l.Fail(ir.TrapUndefined, l.In.Def.Name+": compare has a meaning with axchg only")
				return
			}
			op, cmp = ir.AtomicCmpSwap, joined(stagedWords(l, n, n))
		}
		withoutHelpers(l)
		stage(l, nameResult, parted(s.atomic(l, op, data, cmp)))
	}
}

// Layout of the resource table and of tables of descriptors. docs/reference/valhall.md 9.2.
const (
	TableCount   = 63                 // bits of the resource table's pointer: the number of entries
	TableEntry   = 16                 // bytes of an entry: a table's address, with flags above, and size
	TableAddress = 1<<56 - 1          // address bits of an entry's first 8 bytes
	HandleTable  = 24                 // first bit of the table's number in a handle
	HandleIndex  = 1<<HandleTable - 1 // bits of a handle: the index in the table
	handleDirect = 0xfe000000         // from here on handles name descriptors directly: bits 25-31 are ones
	directTable  = 0xff               // bits of such a handle: the number of the table

	DescriptorBytes = 32 // of any descriptor
	typeBits        = 15 // of a descriptor's first word
	TypeBuffer      = 9
)

// fetch loads 16 bytes of a descriptor. The load is checked, because the next read depends on it, and may be rejected,
// too.
func fetch(l *isa.Lift, addr, mask V) []V {
	m := size128.mem()
	l.Check(m, false, addr, mask)
	m.Load = ir.OfDescriptor
	return l.Load(m, ir.I32, addr, mask)
}

// tableAt is the address and size of a table of descriptors, and the lanes of the mask in which the table exists.
func tableAt(l *isa.Lift, number, mask V) (addr, size, ok V) {
	pointer := l.Get(Special(PagePointers, SpecialTable, 0), ir.I32)
	top := l.Get(Special(PagePointers, SpecialTable, 1), ir.I32)
	count := pointer.And(l.I32(TableCount))
	there := number.ULt(count)
	l.Clip(boundTables, number, count, there, mask)
	ok = mask.And(there)
	tables := pointer.And(l.I32(^uint32(TableCount))).Pack(top, ir.I64)
	e := fetch(l, tables.Add(number.ZExt(ir.I64).Mul(l.I64(TableEntry))), ok)
	return e[0].Pack(e[1], ir.I64).And(l.I64(TableAddress)), e[2].Pack(e[3], ir.I64), ok
}

// inside reports whether `bytes` bytes from `at` on are within size bytes.
func inside(l *isa.Lift, at V, bytes uint64, size V) V {
	n := l.I64(bytes)
	return n.ULe(size).And(at.ULe(size.Sub(n)))
}

// bufferOf is the address and size in bytes of the buffer, or table of descriptors, that a handle names, and the lanes
// in which it exists.
func bufferOf(l *isa.Lift, handle V) (at, bytes, ok V) {
	direct := l.I32(handleDirect).ULe(handle)
	number := direct.Select(handle.And(l.I32(directTable)), handle.ShrU(l.I32(HandleTable)))
	table, tableSize, there := tableAt(l, number, l.Mask())
	entry := handle.And(l.I32(HandleIndex)).ZExt(ir.I64).Mul(l.I64(DescriptorBytes))
	listed, within := there.And(direct.Not()), inside(l, entry, DescriptorBytes, tableSize)
	l.Clip(boundTable, entry, tableSize, within, listed)
	named := listed.And(within)
	d := fetch(l, table.Add(entry), named)
	named = named.And(d[0].And(l.I32(typeBits)).Eq(l.I32(TypeBuffer)))
	return direct.Select(table, d[2].Pack(d[3], ir.I64)), direct.Select(tableSize, d[1].ZExt(ir.I64)), there.And(direct).Or(named)
}

// loadBuffer is LD_BUFFER of a size. In lanes without a buffer, and out of bounds, it returns 0 unless an option
// selects that memory is read there.
func loadBuffer(s size) eff {
	return func(l *isa.Lift) {
		at, bytes, ok := bufferOf(l, l.Src(1))
		off := l.Src(0).ZExt(ir.I64)
		if l.Option(optBounds) == boundsChecked {
			within := inside(l, off, uint64(s.elem)*uint64(s.count), bytes)
			l.Clip(boundSize, off, bytes, within, ok)
			ok = ok.And(within)
		}
		s.land(l, l.Load(s.mem(), ir.I32, at.Add(off), ok))
	}
}

// leaPacked is LEA_PKA: the address that LD_BUFFER reads, also out of bounds; 0 in lanes without a buffer.
func leaPacked(l *isa.Lift) {
	if !modelled(l, optAddresses) {
		return
	}
	at, _, ok := bufferOf(l, l.Src(1))
	lo, hi := ok.Select(at.Add(l.Src(0).ZExt(ir.I64)), l.I64(0)).Unpack(ir.I32)
	stage(l, nameStaging, []V{lo, hi})
}
