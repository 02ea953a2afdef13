package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Memory. docs/reference/tesla.md 5.

// fullValue returns the address of an operand whose offset has a field of its own, in units of scale bytes.
func fullValue(l *isa.Lift, scale int64) V {
	return fullAddress(l.In, int64(l.In.Get(nameShared))*scale).value(l)
}

// loadBank reads c[].
func loadBank(t uint8) isa.Effect {
	return func(l *isa.Lift) {
		l.Dst(0, loadTyped(l, ir.Mem{Space: ir.ConstSpace, Bank: uint8(l.In.Get(nameBank))}, t, fullValue(l, typeScales[t])))
	}
}

// loadShared reads s[].
func loadShared(t uint8) isa.Effect {
	return func(l *isa.Lift) { l.Dst(0, loadTyped(l, sharedWord, t, fullValue(l, typeScales[t]))) }
}

// storeShared writes s[], and with unlock releases the lock of the word.
func storeShared(t uint8) isa.Effect {
	return func(l *isa.Lift) {
		v := l.Src(0)
		m := sharedWord
		m.Elem, m.Count = uint8(typeScales[t]), 1
		m.Align = m.Elem
		at := fullValue(l, typeScales[t]).ZExt(ir.I64)
		if l.In.Opt(nameUnlock) == 0 {
			l.Store(m, at, []V{v.Trunc(intOf(int(m.Elem)))}, l.Mask())
			return
		}
		l.Check(m, true, at, l.Mask())
		l.Store(locks, at, []V{l.I32(0)}, l.Mask())
		l.Store(m, at, []V{v}, l.Mask())
	}
}

var (
	sharedWord = ir.Mem{Space: ir.GroupSpace}
	// locks holds for each word of s[] whether a thread has locked it. It is as large as s[].
	locks = ir.Mem{Space: ir.GroupSpace, Bank: LockBank, Elem: 4, Count: 1, Align: 4}
)

// loadLocked locks a word of s[] and reads it, in the threads that find it free. Of several concurrent threads the
// first gets it. The flags report the outcome: S if it is locked, Z if not.
func loadLocked(l *isa.Lift) {
	at := fullValue(l, typeScales[typeB32]).ZExt(ir.I64)
	m := sharedWord
	m.Elem, m.Count, m.Align = 4, 1, 4
	l.Check(m, false, at, l.Mask())
	put := prepared(l)
	lock := locks
	lock.Atomic = ir.AtomicSwap
	got := l.Atomic(lock, at, l.I32(1), V{}, l.Mask()).Eq(l.I32(0))
	v := l.Load(m, ir.I32, at, l.Mask())[0]
	setFlags(l, result{z: got.Not(), s: got})
	l.Guard(got.And(l.Mask()))
	put(v)
}

// prepared returns the function that writes a result of either width once an instruction has had effects: what must
// be read for it is read now.
func prepared(l *isa.Lift) func(v V) {
	at := int(l.In.Get(nameDst))
	if l.In.Get(nameWide) != 0 || at >= resultOut || at>>1 >= registers(l) {
		return func(v V) { l.Dst(0, v) }
	}
	old := getR(l, at>>1)
	return func(v V) { putR(l, at>>1, old.Insert(v.Trunc(i16), 16*(at&1))) }
}

// setFlags writes the flags of the $c that is the instruction's result.
func setFlags(l *isa.Lift, r result) {
	for i, f := range [flags]V{FlagZ: r.z, FlagS: r.s, FlagC: r.c, FlagO: r.o} {
		if !f.Valid() {
			f = l.I1(false)
		}
		l.Set(flag(l.In.Get(nameFlags), i), f, l.Mask())
	}
}

// intOf is the integer type of so many bytes.
func intOf(bytes int) ir.Type {
	return [...]ir.Type{1: ir.I8, 2: ir.I16, 4: ir.I32, 8: ir.I64}[bytes]
}

// A wideType is a type of local and global memory.
type wideType struct {
	name   string
	size   size
	bytes  int // of an element
	count  int
	signed bool
}

func (w *wideType) mem(m ir.Mem) ir.Mem {
	m.Elem, m.Count, m.Align = uint8(w.bytes), uint8(w.count), uint8(w.bytes*w.count)
	return m
}

// loadWide reads l[] or g[] into one to four registers.
func loadWide(w *wideType, where func(l *isa.Lift) (ir.Mem, V)) isa.Effect {
	return func(l *isa.Lift) {
		m, at := where(l)
		for i, v := range l.Load(w.mem(m), intOf(w.bytes), at.ZExt(ir.I64), l.Mask()) {
			if w.signed {
				v = v.SExt(ir.I32)
			}
			putR(l, int(l.In.Get(nameDst))+i, v.ZExt(ir.I32))
		}
	}
}

// storeWide writes one to four registers to l[] or g[].
func storeWide(w *wideType, where func(l *isa.Lift) (ir.Mem, V)) isa.Effect {
	return func(l *isa.Lift) {
		vals := make([]V, w.count)
		for i := range vals {
			vals[i] = getR(l, int(l.In.Get(nameDst))+i).Trunc(intOf(w.bytes))
		}
		m, at := where(l)
		l.Store(w.mem(m), at.ZExt(ir.I64), vals, l.Mask())
	}
}

// inLocal, inGlobal return the access and the address.
func inLocal(l *isa.Lift) (ir.Mem, V) { return ir.Mem{Space: ir.PrivateSpace}, fullValue(l, 1) }

func inGlobal(l *isa.Lift) (ir.Mem, V) {
	return ir.Mem{Space: ir.GlobalSpace, Bank: uint8(l.In.Get(nameGBank))}, getR(l, int(l.In.Get(nameShared)))
}

// atomicOn modifies a word of g[]. The operands are registers or pairs.
func atomicOn(op uint8, bytes int, operand isa.Name, keeps bool) isa.Effect {
	return func(l *isa.Lift) {
		value := func(n isa.Name) V {
			r := int(l.In.Get(n))
			if bytes == 8 {
				return getR(l, r).Pack(getR(l, r+1), ir.I64)
			}
			return getR(l, r)
		}
		m, at := inGlobal(l)
		m.Elem, m.Count, m.Align, m.Atomic = uint8(bytes), 1, uint8(bytes), op
		data, with := value(operand), V{}
		if op == ir.AtomicCmpSwap {
			data, with = value(nameSrc3), data
		}
		old := l.Atomic(m, at.ZExt(ir.I64), data, with, l.Mask())
		if !keeps {
			return
		}
		r := int(l.In.Get(nameDst))
		if bytes == 8 {
			lo, hi := old.Unpack(ir.I32)
			putR(l, r, lo)
			putR(l, r+1, hi)
			return
		}
		putR(l, r, old)
	}
}

// loadAttribute reads a word of a[], whose address may be per thread.
func loadAttribute(l *isa.Lift) {
	a := fullAddress(l.In, 4*int64(l.In.Get(nameShared)))
	v := input(l, origin{address: a})
	laneGuard(l)
	l.Dst(0, v)
}

// storeOutput writes a word of o[], whose address may be per thread.
func storeOutput(l *isa.Lift) {
	v := l.Src(0)
	at := fullValue(l, 4)
	l.SetX(ir.Cell{File: FileO}, at.ShrU(l.I32(2)), v, l.Mask())
}
