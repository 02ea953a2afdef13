package toywarp

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// form reads sources and writes results of all rows.
var form = &isa.Form{Src: src, Dst: dst}

// Values of the flow.
const (
	flowExit = iota + 1
	flowJoin
)

// before converts the guard to a mask, in all instructions. A join takes effect after the rest of the instruction, but
// if it faults the instruction has no effect.
func before(l *isa.Lift) {
	if l.In.Opt(nameFlow) == flowJoin {
		l.CheckControl(ir.CtlJoin, l.Exec())
	}
	if g := l.In.Opt(nameGuard); g >= 8 {
		p := l.Get(ir.Cell{File: FileP, Index: uint16(g & 3)}, ir.I1)
		if g >= 12 {
			p = p.Not()
		}
		l.Guard(p)
	}
}

// after writes an incremented address register, and lifts exit and join, which any instruction may have.
func after(l *isa.Lift) {
	if at := l.Scratch[keptAddress]; at.Valid() {
		l.Set(ir.Cell{File: FileA, Index: uint16(l.In.Get(nameOffset))}, at, l.Mask())
	}
	switch l.In.Opt(nameFlow) {
	case flowExit:
		l.Retire(l.Mask(), l.Next)
	case flowJoin:
		l.Control(ir.CtlJoin, l.Exec(), 0)
	}
}

func src(l *isa.Lift, i int) ir.V {
	if i == 1 {
		return l.Get(ir.Cell{File: FileR, Index: uint16(l.In.Get(nameB))}, ir.I32)
	}
	n := uint16(l.In.Get(nameA))
	switch l.In.Opt(nameWhat) {
	case isShared:
		return shared(l, uint32(n)*4)
	case isStage:
		return l.Get(ir.Cell{File: FileIn, Index: n}, ir.I32)
	}
	return l.Get(ir.Cell{File: FileR, Index: n}, ir.I32)
}

var word = ir.Mem{Space: ir.GroupSpace, Elem: 4, Count: 1, Align: 4}

// shared returns s[a+offset]. With increment the address register becomes the address, after the access has succeeded.
func shared(l *isa.Lift, offset uint32) ir.V {
	at := l.I32(offset)
	n := l.In.Get(nameOffset)
	if n == 0 {
		return l.Load(word, ir.I32, at.ZExt(ir.I64), l.Mask())[0]
	}
	c := ir.Cell{File: FileA, Index: uint16(n)}
	at = l.Get(c, ir.I32).Add(at)
	v := l.Load(word, ir.I32, at.ZExt(ir.I64), l.Mask())[0]
	if l.In.Get(nameInc) != 0 {
		l.Scratch[keptAddress] = at
	}
	return v
}

// keptAddress is the address that the address register becomes after the access has succeeded.
const keptAddress = 0

func dst(l *isa.Lift, _ int, v ir.V) {
	l.Set(ir.Cell{File: FileR, Index: uint16(l.In.Get(nameD))}, v, l.Mask())
}

func same(a ir.V) ir.V { return a }
func lane(l *isa.Lift) { l.Dst(0, l.LaneID()) }

func add(l *isa.Lift) {
	a := l.Src(0)
	if l.In.Get(nameSat) != 0 {
		l.Dst(0, a.UAddSat(l.Src(1)))
		return
	}
	l.Dst(0, a.Add(l.Src(1)))
}

func setlt(l *isa.Lift) {
	a := l.Src(0)
	l.Set(ir.Cell{File: FileP, Index: uint16(l.In.Get(nameD))}, a.SLt(l.Src(1)), l.Mask())
}

// ddx uses the neighbour whether it is active or not.
func ddx(l *isa.Lift) {
	a := l.Src(0)
	beside, _ := a.Shuffle(l.LaneID().Xor(l.I32(1)), l.I1(true))
	l.Dst(0, beside.Sub(a))
}

func control(k ir.ControlKind) isa.Effect {
	return func(l *isa.Lift) { l.Control(k, l.Mask(), l.In.Opt(nameTarget)*8) }
}
