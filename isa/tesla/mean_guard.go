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

// less returns the sign of the exact result.
func (f flagSet) less() V { return f.s().Xor(f.o()) }

// A guardCondition is the condition of a guard on a $c.
type guardCondition struct {
	name  string // in texts; "": the code is illegal
	asks  uint8  // the flags that it reads, one bit each
	holds func(f flagSet) V
}

// Flags as bits of guardCondition.asks.
const (
	hasZ = 1 << FlagZ
	hasS = 1 << FlagS
	hasC = 1 << FlagC
	hasO = 1 << FlagO
)

// Conditions that read no flag.
const (
	condNever  = 0
	condAlways = 15
)

// conditions by code. docs/reference/tesla.md 4.
var conditions = [32]guardCondition{
	0:  {"never", 0, func(f flagSet) V { return f.l.I1(false) }},
	1:  {"l", hasZ | hasS | hasO, func(f flagSet) V { return f.s().And(f.z().Not()).Xor(f.o()) }},
	2:  {"e", hasZ | hasS, func(f flagSet) V { return f.z().And(f.s().Not()) }},
	3:  {"le", hasZ | hasS | hasO, func(f flagSet) V { return f.s().Xor(f.z().Or(f.o())) }},
	4:  {"g", hasZ | hasS | hasO, func(f flagSet) V { return f.z().Not().And(f.less().Not()) }},
	5:  {"lg", hasZ, func(f flagSet) V { return f.z().Not() }},
	6:  {"ge", hasS | hasO, func(f flagSet) V { return f.less().Not() }},
	7:  {"lge", hasZ | hasS, func(f flagSet) V { return f.z().Not().Or(f.s().Not()) }},
	8:  {"u", hasZ | hasS, func(f flagSet) V { return f.z().And(f.s()) }},
	9:  {"lu", hasS | hasO, func(f flagSet) V { return f.less() }},
	10: {"eu", hasZ, func(f flagSet) V { return f.z() }},
	11: {"leu", hasZ | hasS | hasO, func(f flagSet) V { return f.z().Or(f.less()) }},
	12: {"gu", hasZ | hasS | hasO, func(f flagSet) V { return f.s().Not().Xor(f.z().Or(f.o())) }},
	13: {"lgu", hasZ | hasS, func(f flagSet) V { return f.z().Not().Or(f.s()) }},
	14: {"geu", hasZ | hasS | hasO, func(f flagSet) V { return f.s().Not().Or(f.z()).Xor(f.o()) }},
	15: {"always", 0, func(f flagSet) V { return f.l.I1(true) }},
	16: {"o", hasO, func(f flagSet) V { return f.o() }},
	17: {"c", hasC, func(f flagSet) V { return f.c() }},
	18: {"a", hasZ | hasC, func(f flagSet) V { return f.z().Not().And(f.c()) }},
	19: {"s", hasS, func(f flagSet) V { return f.s() }},
	28: {"ns", hasS, func(f flagSet) V { return f.s().Not() }},
	29: {"na", hasZ | hasC, func(f flagSet) V { return f.z().Or(f.c().Not()) }},
	30: {"nc", hasC, func(f flagSet) V { return f.c().Not() }},
	31: {"no", hasO, func(f flagSet) V { return f.o().Not() }},
}

// predicate returns that of an instruction as a value of one bit; always: it is unconditional.
func predicate(l *isa.Lift) (c V, always bool) {
	g := l.In.Get(nameGuard)
	return conditions[g&31].holds(flagSet{l, int(g >> 5)}), g&31 == condAlways
}
