package shadow

import "github.com/heddle-gpu/heddle/ir"

// A call is a pure or cross-lane op with a bit undefined in some operand.
type call struct {
	*gen
	in *ir.Inst // with arguments of the new block
	s  []ir.Val // shadow of each argument
	t  ir.Type  // of the shadow of the first result
}

// A rule returns the shadow of the results of an op.
type rule func(c *call) []ir.Val

// byShadow are the rules that the op table states (ir.OpInfo.Shadow).
var byShadow = [...]rule{
	ir.Bitwise:       bitwise,
	ir.AnyToAll:      anyToAll,
	ir.CarryUp:       carryUp,
	ir.Selects:       selects,
	ir.Permutes:      permutes,
	ir.AlwaysDefined: func(c *call) []ir.Val { return nil },
}

// rules are those of ops of which more is known.
var rules = [...]rule{
	ir.Cast: func(c *call) []ir.Val { return []ir.Val{c.as(c.s[0], c.t)} },
	ir.And:  func(c *call) []ir.Val { return []ir.Val{c.both(c.arg(0), c.arg(1), c.s[0], c.s[1])} },
	ir.Or: func(c *call) []ir.Val {
		return []ir.Val{c.both(c.not(c.arg(0)), c.not(c.arg(1)), c.s[0], c.s[1])}
	},
	ir.Bfi:  bfi,
	ir.FAbs: fabs,

	ir.Shl: shifts, ir.ShrU: shifts, ir.ShrS: shifts, ir.ShlX: shifts, ir.ShrUX: shifts, ir.ShrSX: shifts, ir.Ror: shifts,
	ir.UBfe: shifts, ir.SBfe: shifts,
	ir.FShr:     funnel,
	ir.BytePerm: bytePerm,

	ir.Eq: equal, ir.Ne: equal,
	ir.ULt: ordered, ir.ULe: ordered, ir.SLt: ordered, ir.SLe: ordered,
	ir.Clz: monotone, ir.Ctz: monotone,
	ir.FMulZ: timesZero,

	ir.Ballot:      ballot,
	ir.Lanes:       func(c *call) []ir.Val { return []ir.Val{c.op(ir.Lanes, ir.I1, c.s[0])} },
	ir.Any:         anyLane,
	ir.All:         allLanes,
	ir.ReadLane:    readLane,
	ir.ReadFirst:   readFirst,
	ir.Shuffle:     shuffle,
	ir.ScatterLane: scatter,
}

// ruleOf returns the rule of an op.
func ruleOf(op ir.Op) rule {
	if int(op) < len(rules) && rules[op] != nil {
		return rules[op]
	}
	return byShadow[op.Info().Shadow]
}

// arg returns an operand as integers.
func (c *call) arg(i int) ir.Val { return c.bits(c.in.Args[i]) }

// zero returns a shadow of an operand as a value.
func (c *call) zero(i int) ir.Val { return c.made(c.s[i], shadowType(c.typeOf(c.in.Args[i]))) }

// resultType returns the type of the shadow of result k.
func (c *call) resultType(k int) ir.Type {
	return shadowType(c.from.Vals[c.in.Res+ir.Val(k)].Type)
}

func bitwise(c *call) []ir.Val { return []ir.Val{c.or(c.s...)} }

// anyToAll is for each element alone if operands and results have the same elements.
func anyToAll(c *call) []ir.Val {
	apart := c.t.Elems() > 1 && c.in.NRes == 1
	for _, a := range c.in.Args {
		apart = apart && shadowType(c.typeOf(a)) == c.t
	}
	if apart {
		return []ir.Val{c.full(c.or(c.s...))}
	}
	any := clean
	for _, s := range c.s {
		any = c.or(any, c.some(s))
	}
	list := make([]ir.Val, c.in.NRes)
	for k := range list {
		list[k] = c.spread(any, c.resultType(k))
	}
	return list
}

// carryUp makes all bits from the lowest undefined one up undefined, and the carry or overflow.
func carryUp(c *call) []ir.Val {
	all := c.or(c.s[:min(2, len(c.s))]...)
	if len(c.s) == 3 && c.s[2] != clean { // the carry in
		all = c.or(all, c.op(ir.ZExt, c.t, c.s[2]))
	}
	all = c.or(all, c.op(ir.INeg, c.t, all))
	if c.in.NRes == 1 {
		return []ir.Val{all}
	}
	return []ir.Val{all, c.some(all)}
}

// selects has the shadow of what is selected; where the condition is undefined, that of both, and where they differ.
func selects(c *call) []ir.Val {
	cond, a, b := c.in.Args[0], c.zero(1), c.zero(2)
	s := a
	if c.s[1] != clean || c.s[2] != clean {
		s = c.op(ir.Select, c.t, cond, a, b)
	}
	if c.s[0] == clean {
		return []ir.Val{s}
	}
	either := c.or(c.xor(c.arg(1), c.arg(2)), c.s[1], c.s[2])
	return []ir.Val{c.op(ir.Select, c.t, c.s[0], either, s)}
}

// permutes does to the shadow what the op does to bits.
func permutes(c *call) []ir.Val {
	args := make([]ir.Val, len(c.s))
	for i := range args {
		args[i] = c.zero(i)
	}
	first, list := c.add(ir.Inst{Op: c.in.Op, Type: c.t, Imm: c.in.Imm, Args: args}), make([]ir.Val, c.in.NRes)
	for k := range list {
		list[k] = first + ir.Val(k)
	}
	return list
}

// both returns the shadow of a AND b.
func (c *call) both(a, b, sa, sb ir.Val) ir.Val {
	switch {
	case sa == clean:
		return c.and(a, sb)
	case sb == clean:
		return c.and(sa, b)
	}
	return c.or(c.and(sa, sb), c.and(a, sb), c.and(sa, b))
}

// bfi: bits of b where those of a are 1, of c where they are 0; where a is undefined both, and where b and c differ.
func bfi(c *call) []ir.Val {
	s := c.op(ir.Bfi, c.t, c.arg(0), c.zero(1), c.zero(2))
	if c.s[0] == clean {
		return []ir.Val{s}
	}
	return []ir.Val{c.or(s, c.and(c.s[0], c.or(c.xor(c.arg(1), c.arg(2)), c.s[1], c.s[2])))}
}

// fabs defines the sign.
func fabs(c *call) []ir.Val {
	return []ir.Val{c.and(c.s[0], c.konst(c.t, ones(c.t)&^signs(c.t)))}
}

// shifts moves the bits of the first operand; all are undefined if another one is.
func shifts(c *call) []ir.Val {
	args := []ir.Val{c.zero(0)}
	by := clean
	for i := 1; i < len(c.s); i++ {
		args, by = append(args, c.arg(i)), c.or(by, c.full(c.s[i]))
	}
	return []ir.Val{c.or(c.op(c.in.Op, c.t, args...), by)}
}

// funnel is shifts of a pair.
func funnel(c *call) []ir.Val {
	return []ir.Val{c.or(c.op(ir.FShr, c.t, c.zero(0), c.zero(1), c.arg(2)), c.full(c.s[2]))}
}

// bytePerm chooses bytes of the shadow. Those that are constants are defined.
func bytePerm(c *call) []ir.Val {
	zero, choice := c.konst(ir.V4I8, 0x0c0c0c0c), c.as(c.arg(2), ir.V4I8)
	fixed := c.op(ir.ULt, ir.V4I8, zero, choice)
	choice = c.op(ir.Bfi, ir.V4I8, fixed, zero, choice)
	s := c.op(ir.BytePerm, ir.I32, c.zero(0), c.zero(1), c.as(choice, ir.I32))
	if c.s[2] == clean {
		return []ir.Val{s}
	}
	return []ir.Val{c.or(s, c.as(c.full(c.as(c.s[2], ir.V4I8)), ir.I32))}
}

// equal is defined if a defined bit of both differs.
func equal(c *call) []ir.Val {
	s := c.or(c.s...)
	differ := c.and(c.xor(c.arg(0), c.arg(1)), c.not(s))
	same := c.op(ir.Eq, c.typeOf(differ), differ, c.konst(c.typeOf(differ), 0))
	return []ir.Val{c.and(c.full2(s, same), same)}
}

// full2 returns the condition, of the type of like, of the elements of a shadow that have a bit set.
func (c *call) full2(s, like ir.Val) ir.Val {
	if c.typeOf(like) == ir.I1 {
		return c.some(s)
	}
	return c.full(s)
}

// ordered is defined if the smallest numbers that the operands may be compare as the largest do.
func ordered(c *call) []ir.Val {
	a, b := c.arg(0), c.arg(1)
	op := c.in.Op
	if op == ir.SLt || op == ir.SLe { // as unsigned numbers
		t := c.typeOf(a)
		sign := c.konst(t, signs(t))
		a, b = c.xor(a, sign), c.xor(b, sign)
		if op = ir.ULt; c.in.Op == ir.SLe {
			op = ir.ULe
		}
	}
	t := c.typeOf(a)
	x := c.op(op, t, c.least(a, c.s[0]), c.most(b, c.s[1]))
	y := c.op(op, t, c.most(a, c.s[0]), c.least(b, c.s[1]))
	return []ir.Val{c.xor(x, y)}
}

// monotone is for an op whose result does not grow as bits of its operand are set.
func monotone(c *call) []ir.Val {
	t := c.typeOf(c.arg(0))
	x := c.op(c.in.Op, t, c.least(c.arg(0), c.s[0]))
	y := c.op(c.in.Op, t, c.most(c.arg(0), c.s[0]))
	return []ir.Val{c.full(c.xor(x, y))}
}

// timesZero: a factor that is a defined zero makes the product one.
func timesZero(c *call) []ir.Val {
	s := anyToAll(c)[0]
	for i := range c.s {
		if c.s[1-i] == clean {
			continue
		}
		t := c.typeOf(c.arg(i))
		zero := c.op(ir.Eq, t, c.and(c.most(c.arg(i), c.s[i]), c.konst(t, ones(t)&^signs(t))), c.konst(t, 0))
		if t.Elems() == 1 {
			zero = c.spread(zero, t)
		}
		s = c.and(s, c.not(zero))
	}
	return []ir.Val{s}
}
