package lower

import (
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// Inputs that are constant while a wave runs, and whose slots the code names, are fetched when the wave begins. They
// are in rows of the runner, where machine code reads them like other values.

// MaxEarly is the number of rows for them, after the row of lane numbers.
const MaxEarly = 64

// EarlyInputs are the inputs of a program that are fetched early, with their rows. Blocks of a program share them.
type EarlyInputs struct {
	mu   sync.Mutex
	list []EarlyInput
	rows int
}

// An EarlyInput is an input that is fetched early.
type EarlyInput struct {
	IO   ir.IOAttr
	Type ir.Type
	Slot uint32
	Row  int // the first row of the runner
}

// row returns where an input is; false if there is no room left.
func (e *EarlyInputs) row(io ir.IOAttr, typ ir.Type, slot uint32) (EarlyInput, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.list {
		if x.IO == io && x.Type == typ && x.Slot == slot {
			return x, true
		}
	}
	n := 1
	if io.Count > 1 {
		n = ir.MaxComponents
	}
	if e.rows+n > MaxEarly {
		return EarlyInput{}, false
	}
	x := EarlyInput{io, typ, slot, LaneRow + 1 + e.rows}
	e.rows += n
	e.list = append(e.list, x)
	return x, true
}

// early uses the early rows for the results of an input op; false if the input is not fetched early. Inactive lanes
// get 0.
func (l *lowerer) early(in *ir.Inst) bool {
	mask, masked := l.ir.Mask(in)
	if l.Early == nil || !masked || len(in.Args) != 2 || l.at(mask).Kind != InMask {
		return false
	}
	slot, typ := l.at(in.Args[0]), l.ir.Vals[in.Res].Type
	if slot.Kind != InWord || !l.isConst(slot.At) || typ == ir.I1 || typ.Bits() > 32 || l.ir.Vals[in.Res].Wave {
		return false
	}
	x, ok := l.Early.row(in.IO, in.Type, uint32(l.b.Words[slot.At]))
	if !ok {
		return false
	}
	l.b.Early = append(l.b.Early, x)
	for k := range ir.Val(in.NRes) {
		from := Place{InRow, ^int32(x.Row + int(k))}
		l.places[in.Res+k] = from
		if !l.isFull(mask) && l.last[in.Res+k] >= 0 {
			l.places[in.Res+k] = l.inLanes(mask, from)
		}
	}
	return true
}

// inLanes adds the step that gives the lanes of a mask a value, and the others 0.
func (l *lowerer) inLanes(mask ir.Val, v Place) Place {
	to := Place{InRow, l.newRow()}
	s := l.made(Compute, l.list(l.at(mask), v, Place{InWord, l.constant(0)}), l.list(to))
	s.Op, s.Type, s.From = ir.Select, ir.I32, ir.I1
	return to
}

// isFull reports whether a mask is known to have all lanes.
func (l *lowerer) isFull(mask ir.Val) bool { return l.full != nil && l.full[l.root[mask]] }
