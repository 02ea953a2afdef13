package ir

import "fmt"

// EvalLane computes a pure op of the block in one lane from its operands' bits. The second result is 0 for ops that
// have one. Engines select the meaning once and then loop over lanes; this function is for constant folding and
// tests.
func EvalLane(b *Block, in *Inst, a []uint64) (r0, r1 uint64) {
	n := in.Type.Bits()
	width := func(i int) int { return b.Vals[in.Args[i]].Type.Bits() }
	switch f := in.Meaning().(type) {
	case Int1:
		return f(n, a[0]), 0
	case Int2:
		return f(n, a[0], a[1]), 0
	case Int3:
		return f(n, a[0], a[1], a[2]), 0
	case Int1x2:
		return f(n, a[0])
	case Int2x2:
		return f(n, a[0], a[1])
	case Int3x2:
		return f(n, a[0], a[1], a[2])
	case IntCvt:
		return f(width(0), n, a[0]), 0
	case BitsAt:
		return f(width(0), n, in.Imm, a[0]), 0
	case BitsInto:
		return f(n, width(1), in.Imm, a[0], a[1]), 0
	case Flt1:
		return f(n, in.Mode, a[0]), 0
	case Flt2:
		return f(n, in.Mode, a[0], a[1]), 0
	case Flt3:
		return f(n, in.Mode, a[0], a[1], a[2]), 0
	case FltCvt:
		return f(width(0), n, in.Mode, a[0]), 0
	}
	if in.Op == Const {
		return in.Imm, 0
	}
	panic(fmt.Sprintf("ir: %s has no meaning in one lane", in.Op))
}
