package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A flagSet is the flags of the $c that an instruction names in its guard.
type flagSet struct {
	l   *isa.Lift
	reg int
}

func (f flagSet) flag(i int) V {
	return f.l.Get(ir.Cell{File: FileC, Index: uint16(f.reg*flags + i)}, ir.I1)
}

func (f flagSet) z() V { return f.flag(FlagZ) }
func (f flagSet) s() V { return f.flag(FlagS) }
func (f flagSet) c() V { return f.flag(FlagC) }
func (f flagSet) o() V { return f.flag(FlagO) }

// less is the sign of the exact result.
func (f flagSet) less() V { return f.s().Xor(f.o()) }

// holds are the conditions by code. docs/reference/tesla.md 4.
var holds = [32]func(f flagSet) V{
	0:  func(f flagSet) V { return f.l.I1(false) },
	1:  func(f flagSet) V { return f.s().And(f.z().Not()).Xor(f.o()) },
	2:  func(f flagSet) V { return f.z().And(f.s().Not()) },
	3:  func(f flagSet) V { return f.s().Xor(f.z().Or(f.o())) },
	4:  func(f flagSet) V { return f.z().Not().And(f.less().Not()) },
	5:  func(f flagSet) V { return f.z().Not() },
	6:  func(f flagSet) V { return f.less().Not() },
	7:  func(f flagSet) V { return f.z().Not().Or(f.s().Not()) },
	8:  func(f flagSet) V { return f.z().And(f.s()) },
	9:  func(f flagSet) V { return f.less() },
	10: func(f flagSet) V { return f.z() },
	11: func(f flagSet) V { return f.z().Or(f.less()) },
	12: func(f flagSet) V { return f.s().Not().Xor(f.z().Or(f.o())) },
	13: func(f flagSet) V { return f.z().Not().Or(f.s()) },
	14: func(f flagSet) V { return f.s().Not().Or(f.z()).Xor(f.o()) },
	15: func(f flagSet) V { return f.l.I1(true) },
	16: func(f flagSet) V { return f.o() },
	17: func(f flagSet) V { return f.c() },
	18: func(f flagSet) V { return f.z().Not().And(f.c()) },
	19: func(f flagSet) V { return f.s() },
	28: func(f flagSet) V { return f.s().Not() },
	29: func(f flagSet) V { return f.z().Or(f.c().Not()) },
	30: func(f flagSet) V { return f.c().Not() },
	31: func(f flagSet) V { return f.o().Not() },
}

// predicate is that of an instruction as a value of one bit; always: it asks for nothing.
func predicate(l *isa.Lift) (c V, always bool) {
	g := l.In.Get(nameGuard)
	return holds[g&31](flagSet{l, int(g >> 5)}), g&31 == condAlways
}
