package toyvec

import (
	"math"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// raw returns source i before sign and swizzle.
func raw(l *isa.Lift, i int) ir.V {
	v := l.In.Get(nameS0 + isa.Name(i))
	if v>>6 == isConst {
		return l.Get(ir.Cell{File: FileU, Index: uint16(v&63 | l.In.Get(namePage)<<6)}, ir.I32)
	}
	return l.Get(ir.Cell{File: FileR, Index: uint16(v & 63)}, ir.I32)
}

func value(l *isa.Lift, i int) ir.V { return raw(l, i) }

// signed returns source i of a float instruction: swizzle, then abs, then neg.
func signed(l *isa.Lift, i int, t ir.Type) ir.V {
	n, v := isa.Name(i), raw(l, i)
	if swz := l.In.Get(nameSwz0 + n); swz != 0 {
		half := func(h uint64) ir.V { return v.Extract(int(16*h), ir.I16) }
		lo, hi := [...]uint64{1: 0, 2: 1, 3: 1}[swz], [...]uint64{1: 0, 2: 0, 3: 1}[swz]
		v = half(lo).Pack(half(hi), ir.I32)
	}
	v = v.As(t)
	if l.In.Get(nameAbs0+n) != 0 {
		v = v.FAbs()
	}
	if l.In.Get(nameNeg0+n) != 0 {
		v = v.FNeg()
	}
	return v
}

// set writes the result, or the halves of it that the row names.
func set(l *isa.Lift, v ir.V) {
	c := ir.Cell{File: FileR, Index: uint16(l.In.Get(nameD))}
	v = v.As(ir.I32)
	if l.In.Has(nameHalves) {
		switch h := l.In.Get(nameHalves); h {
		case 0:
			return
		case 1, 2:
			at := 16 * (int(h) - 1)
			v = l.Get(c, ir.I32).Insert(v.Extract(at, ir.I16), at)
		}
	}
	l.Set(c, v, l.Mask())
}

func iadd(t ir.Type) isa.Effect {
	return func(l *isa.Lift) {
		a := value(l, 0).As(t)
		set(l, a.Add(value(l, 1).As(t)))
	}
}

func fadd(t ir.Type) isa.Effect {
	return func(l *isa.Lift) {
		a := signed(l, 0, t)
		v := a.FAdd(signed(l, 1, t))
		if c := l.In.Get(nameClamp); c != 0 {
			v = clamped(l, v, c)
		}
		set(l, v)
	}
}

// clamped limits each element to [0, 1], [-1, 1] or [0, inf]; NaN becomes the lower limit.
func clamped(l *isa.Lift, v ir.V, c uint64) ir.V {
	limit := func(x float32) ir.V {
		if v.Type() == ir.F32 {
			return l.Const(ir.F32, uint64(math.Float32bits(x)))
		}
		h := map[float32]uint64{0: 0, 1: 0x3c00, -1: 0xbc00}[x]
		return l.Const(v.Type(), h|h<<16)
	}
	low := limit(0)
	if c == 2 {
		low = limit(-1)
	}
	v = v.FMaxSel(low)
	if c != 3 {
		v = v.FMinSel(limit(1))
	}
	return v
}

func clper(l *isa.Lift) {
	a := value(l, 0)
	v, _ := a.Shuffle(value(l, 1), l.Exec())
	set(l, v)
}

var word = ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1, Align: 4}

// load and store are messages: they are performed at once, and are pending on their slot until it is waited for.
func load(l *isa.Lift) {
	c := ir.Cell{File: FileR, Index: uint16(l.In.Get(nameD))}
	v := l.Load(word, ir.I32, value(l, 0).ZExt(ir.I64), l.Mask())[0]
	l.Set(c, v, l.Mask())
	l.Issue(int(l.In.Get(nameSlot)), []ir.Span{{Cell: c, Count: 1}}, nil)
}

func store(l *isa.Lift) {
	c := ir.Cell{File: FileR, Index: uint16(l.In.Get(nameD))}
	at := value(l, 0).ZExt(ir.I64)
	l.Store(word, at, []ir.V{l.Get(c, ir.I32)}, l.Mask())
	l.Issue(int(l.In.Get(nameSlot)), nil, []ir.Span{{Cell: c, Count: 1}})
}

// branchz: with .reconverge lanes of several paths may reconverge at the next instruction that runs.
func branchz(l *isa.Lift) {
	zero := value(l, 0).Eq(l.I32(0)).And(l.Mask())
	kind := ir.CtlDiverge
	if l.In.Get(nameFlow) == flowReconverge {
		kind = ir.CtlReconverge
	}
	l.Control(kind, zero, jumpTo(l.In, l.In.Get(nameTarget)))
}

// Values of the flow.
const (
	flowReconverge = 4
	flowEnd        = 5
)

// after lifts the flow field, which every instruction has.
func after(l *isa.Lift) {
	if l.Done() {
		return
	}
	switch f := l.In.Get(nameFlow); f {
	case 1, 2, 3:
		for slot := range 2 {
			if f>>slot&1 != 0 {
				l.Wait(slot, 0)
			}
		}
	case flowReconverge:
		l.Control(ir.CtlReconverge, l.I1(false), l.Next)
	case flowEnd:
		l.Retire(l.Exec(), l.Next)
	}
}
