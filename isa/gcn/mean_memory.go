package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Code shared by the semantics of memory instructions.

// noEffect is the semantics of instructions that only affect caches and timing.
func noEffect(*isa.Lift) {}

// An access is what one lane moves to or from memory: elements of some bytes each, narrow ones extended to 32 bits.
type access struct {
	elem, count uint8
	signed      bool
}

var (
	byteU  = access{elem: 1, count: 1}
	byteS  = access{elem: 1, count: 1, signed: true}
	halfU  = access{elem: 2, count: 1}
	halfS  = access{elem: 2, count: 1, signed: true}
	dword1 = access{elem: 4, count: 1}
	dword2 = access{elem: 4, count: 2}
	dword3 = access{elem: 4, count: 3}
	dword4 = access{elem: 4, count: 4}
)

func (a access) bytes() uint32 { return uint32(a.elem) * uint32(a.count) }

// load returns the access as a load, touch as a store or a check.
func (a access) load(s ir.SpaceID) ir.Mem {
	return ir.Mem{Space: s, Elem: a.elem, Count: a.count, Signed: a.signed}
}

// volatile returns a load that bypasses caches not coherent with others' stores, if the instruction says glc.
func volatile(l *isa.Lift, m ir.Mem) ir.Mem {
	if l.In.Opt(nameGLC) != 0 {
		m.Load = ir.Volatile
	}
	return m
}

func (a access) touch(s ir.SpaceID) ir.Mem { return ir.Mem{Space: s, Elem: a.elem, Count: a.count} }

// one returns a single element of the access.
func (a access) one() access { a.count = 1; return a }

// atomicMem returns an atomic access of size bytes; host atomics require natural alignment.
func atomicMem(s ir.SpaceID, op uint8, size int) ir.Mem {
	return ir.Mem{Space: s, Elem: uint8(size), Count: 1, Align: uint8(size), Atomic: op}
}

// getWords reads n vector registers from first on.
func getWords(l *isa.Lift, first, n int) []V {
	vs := make([]V, n)
	for i := range vs {
		vs[i] = l.Get(VGPR(first+i), ir.I32)
	}
	return vs
}

// setWords writes vector registers from first on in the lanes of the mask.
func setWords(l *isa.Lift, first int, vs []V, m V) {
	for i, v := range vs {
		l.Set(VGPR(first+i), v, m)
	}
}

// getSized returns one or two vector registers as an integer of size bytes, 4 or 8.
func getSized(l *isa.Lift, first, size int) V {
	if size == 8 {
		return vgpr(l, first, b64)
	}
	return vgpr(l, first, b32)
}

// field returns a field of the instruction as a register number.
func field(l *isa.Lift, name isa.Name) int { return int(l.In.Get(name)) }
