package lower

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Most blocks begin with all lanes of the wave active. They have a form of their own, in which the execution mask is
// known to be full; a mask of ones is in every form. Under a full mask the result of an op may be computed into the
// register that a later op writes, and the write is removed (copy coalescing). In a canonical block, where waves stop
// and start at any mark, both are of one instruction, since no value crosses a mark.

// sinkAhead is the largest distance from an op to the register write that it replaces.
const sinkAhead = 48

// findFull finds the values that are known to be full masks: the constant 1, the lanes of a number of ones, and the
// execution mask of a dense block until it changes.
func (l *lowerer) findFull() {
	l.full = make([]bool, len(l.ir.Vals))
	dense, ones := l.Dense, ir.Val(-1)
	for i := range l.ir.Ops {
		switch in := &l.ir.Ops[i]; {
		case in.Op == ir.Set && l.b.Machine.Kind(in.Cell) == ir.ExecMask:
			dense = false
		case in.Op == ir.Get && l.b.Machine.Kind(in.Cell) == ir.ExecMask:
			l.full[in.Res] = dense
		case in.Op == ir.Const && in.Type == ir.I1:
			l.full[in.Res] = in.Imm&1 == 1
		case in.Op == ir.Const && in.Type == ir.I64 && in.Imm == ^uint64(0):
			ones = in.Res
		case in.Op == ir.Lanes:
			l.full[in.Res] = in.Args[0] == ones
		}
	}
}

// sink returns the register that a later op writes with result v of op i, in all lanes, if v may be computed there
// directly: the register's old value is dead, and no op in between can stop the wave.
func (l *lowerer) sink(i int, v ir.Val) (cell int32, ok bool) {
	in := &l.ir.Ops[i]
	if l.full == nil || in.Op == ir.Shuffle || in.NRes > 1 && in.Op != ir.Load {
		return 0, false
	}
	j := l.write(i, v)
	if j < 0 {
		return 0, false
	}
	cell = int32(exec.IndexOf(l.b.Machine, l.ir.Ops[j].Cell))
	for _, w := range l.inCell[cell] {
		if l.last[w] > i {
			return 0, false
		}
	}
	l.done[j] = true
	return cell, true
}

// write returns the op after op i that writes a register with value v, -1 if there is none or if the write may not be
// moved up.
func (l *lowerer) write(i int, v ir.Val) int {
	for j := i + 1; j < min(i+sinkAhead, len(l.ir.Ops)); j++ {
		in := &l.ir.Ops[j]
		info := in.Op.Info()
		if in.Op == ir.Set && l.root[in.Args[0]] == v && l.b.Machine.Kind(in.Cell) == ir.Lane32 {
			mask, masked := l.ir.Mask(in)
			if masked && !l.isFull(mask) || l.touched(i, j, in.Cell) {
				return -1
			}
			return j
		}
		if info.Class == ir.Ctl || info.Flags&ir.CanFault != 0 || in.Op == ir.Probe || in.Op == ir.Unlikely {
			return -1
		}
	}
	return -1
}

// touched reports whether an op between i and j reads or writes the cell.
func (l *lowerer) touched(i, j int, c ir.Cell) bool {
	for k := i + 1; k < j; k++ {
		switch in := &l.ir.Ops[k]; in.Op {
		case ir.Get, ir.Set, ir.SetLast:
			if in.Cell == c {
				return true
			}
		}
	}
	return false
}
