package rogue

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Memory. Loaded values are available at once; marks on the queues of the data fences model that they arrive later.
// docs/reference/rogue.md 5.6.

// maxBurst is the largest number of registers of a transfer.
const maxBurst = 16

// cacheBypass is the cache mode of loads that bypass the cache.
const cacheBypass = 1

// named is the register of source n in this repetition.
func (st *state) named(n uint64) reg { return st.advanced(st.rt.src[n], st.repeat) }

// address is the address in source n and the next register, the low word first.
func (st *state) address(l *isa.Lift, n uint64) V {
	low := st.source(l, int(n))
	return low.Pack(st.read(l, st.named(n).behind(1)), ir.I64)
}

// access is an access of so many elements.
func access(l *isa.Lift, size, count int) ir.Mem {
	m := ir.Mem{Space: ir.GlobalSpace, Elem: uint8(size), Count: uint8(count)}
	if l.Option(optAlignment) != anyAlignment {
		m.Align = m.Elem
	}
	return m
}

// pending records that the operation will write n registers from r on. Registers whose number is known only at run time
// are left out.
func (st *state) pending(l *isa.Lift, r reg, n int) {
	queue := int(l.In.Opt(nameDRC))
	if _, _, ok := r.indexed(); ok || n == 0 {
		l.Issue(queue, nil, nil)
		return
	}
	first, ok := r.cell(l.Option(optSlots))
	last, is := r.behind(n - 1).cell(l.Option(optSlots))
	if last.Index < first.Index { // slot registers count down as their numbers count up
		first, last = last, first
	}
	if !ok || !is || last.File != first.File || int(last.Index-first.Index) != n-1 || first.File == FileI || first.File == FileSr {
		l.Fail(ir.TrapUndefined, string(appendReg(nil, r, n, PCO))+" cannot be loaded")
		return
	}
	st.spans[0] = ir.Span{Cell: first, Count: uint16(n)}
	l.Issue(queue, st.spans[:], nil)
}

// loadWords loads words of memory.
func loadWords(l *isa.Lift) {
	st, n := data(l), burst(l.In)
	to := st.named(group.FirstUpper)
	m := access(l, 4, n)
	if l.In.Opt(nameCache) == cacheBypass {
		m.Load = ir.Volatile
	}
	for i, v := range l.Load(m, ir.I32, st.address(l, l.In.Get(nameAddr)), mask(l)) {
		st.later(to.behind(i), v, V{})
	}
	st.pending(l, to, n)
}

// A transfer has a per-lane length in a register. Each step moves a word, or less.
type transfer struct {
	addr, mask [maxBurst]V
	n          int // most steps: the number of registers
}

// steps splits a transfer into steps. A length is modulo 16; 0 is 16.
func (st *state) steps(l *isa.Lift, first reg, size int, m V) (t transfer) {
	base := st.address(l, l.In.Get(nameAddr))
	last := st.source(l, int(l.In.Get(nameBurst))).Sub(l.I32(1)).And(l.I32(maxBurst - 1))
	for t.n < maxBurst {
		if _, ok := first.behind(t.n).cell(l.Option(optSlots)); !ok && first.bank < bankIdx0 {
			break
		}
		t.addr[t.n] = base.Add(l.I64(uint64(t.n * size)))
		t.mask[t.n] = m.And(l.I32(uint32(t.n)).ULe(last))
		t.n++
	}
	return t
}

// loadCounted loads the number of words that a source gives.
func loadCounted(l *isa.Lift) {
	st := data(l)
	to := st.named(group.FirstUpper)
	m := access(l, 4, 1)
	t := st.steps(l, to, 4, mask(l))
	for i := range t.n {
		l.Check(m, false, t.addr[i], t.mask[i])
	}
	if l.In.Opt(nameCache) == cacheBypass {
		m.Load = ir.Volatile
	}
	for i := range t.n {
		st.later(to.behind(i), l.Load(m, ir.I32, t.addr[i], t.mask[i])[0], t.mask[i])
	}
	st.pending(l, to, 1)
}

// noCover is the code of an instruction without a source for a coverage mask.
const noCover = 7

// stores are the lanes that a store executes in: if it names a coverage mask, those with a bit set there. There is one
// sample per lane here, so each lane stores once, however many bits are set.
func (st *state) stores(l *isa.Lift) V {
	m := mask(l)
	if !l.In.Has(nameMaskSrc) || l.In.Get(nameMaskSrc) == noCover {
		return m
	}
	cover := st.source(l, int(l.In.Get(nameMaskSrc)))
	if l.Option(optCover) == coverFirst {
		cover = cover.And(l.I32(1))
	}
	return m.And(cover.Ne(l.I32(0)))
}

// storeWords stores the low bytes of registers.
func storeWords(l *isa.Lift) {
	st, n := data(l), burst(l.In)
	size := 1 << l.In.Get(nameSize)
	var vs [maxBurst]V
	from := st.named(l.In.Get(nameData))
	for i := range n {
		vs[i] = st.read(l, from.behind(i))
	}
	l.Store(access(l, size, n), st.address(l, l.In.Get(nameAddr)), vs[:n], st.stores(l))
	st.pending(l, from, 0)
}

// storeCounted stores the number of registers that a source gives, register by register, each for all lanes.
func storeCounted(l *isa.Lift) {
	st := data(l)
	size := 1 << l.In.Get(nameSize)
	var vs [maxBurst]V
	from := st.named(l.In.Get(nameData))
	m := access(l, size, 1)
	t := st.steps(l, from, size, st.stores(l))
	for i := range t.n {
		vs[i] = st.read(l, from.behind(i))
		l.Check(m, true, t.addr[i], t.mask[i])
	}
	for i := range t.n {
		l.Store(m, t.addr[i], vs[i:i+1], t.mask[i])
	}
	st.pending(l, from, 0)
}

// atomicOps are the atomic operations, by code.
var atomicOps = [...]uint8{ir.AtomicAdd, ir.AtomicSub, ir.AtomicSwap, 0, ir.AtomicUMin, ir.AtomicSMin, ir.AtomicUMax, ir.AtomicSMax, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor}

// atomic updates a word of memory: address and operand are three registers from a source on.
func atomic(l *isa.Lift) {
	st, from := data(l), l.In.Get(nameSrc)
	to := st.named(l.In.Get(nameDst))
	m := access(l, 4, 1)
	m.Atomic = atomicOps[l.In.Get(nameOp)]
	operand := st.read(l, st.named(from).behind(2))
	st.later(to, l.Atomic(m, st.address(l, from), operand, V{}, mask(l)), V{})
	st.pending(l, to, 1)
}

// fenceMemory issues a fence to the memory system.
func fenceMemory(l *isa.Lift) { l.Issue(int(l.In.Get(nameDRC)), nil, nil) }
