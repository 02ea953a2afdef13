package shadow

import "github.com/heddle-gpu/heddle/ir"

// Shadows of ops that depend on other lanes.

// every returns the mask of all lanes.
func (c *call) every() ir.Val { return c.konst(ir.I1, 1) }

// inMask returns the lanes in which operand 0 AND the mask, operand 1, is undefined.
func (c *call) inMask() ir.Val { return c.both(c.in.Args[0], c.in.Args[1], c.s[0], c.s[1]) }

// anywhere returns whether a shadow has a bit set in some lane of the wave; one per wave.
func (c *call) anywhere(s ir.Val) ir.Val {
	if s == clean {
		return clean
	}
	return c.op(ir.Any, ir.I1, c.some(s), c.every())
}

func ballot(c *call) []ir.Val { return []ir.Val{c.op(ir.Ballot, ir.I64, c.inMask(), c.every())} }

// anyLane is defined if a lane has a defined 1.
func anyLane(c *call) []ir.Val {
	u := c.inMask()
	sure := c.and(c.and(c.in.Args[0], c.in.Args[1]), c.not(u))
	return []ir.Val{c.and(c.op(ir.Any, ir.I1, u, c.every()), c.not(c.op(ir.Any, ir.I1, sure, c.every())))}
}

// allLanes is defined if a lane of the mask has a defined 0.
func allLanes(c *call) []ir.Val {
	not := c.not(c.in.Args[0])
	u := c.both(not, c.in.Args[1], c.s[0], c.s[1])
	sure := c.and(c.and(not, c.in.Args[1]), c.not(u))
	return []ir.Val{c.and(c.op(ir.Any, ir.I1, u, c.every()), c.not(c.op(ir.Any, ir.I1, sure, c.every())))}
}

// readLane reads the shadow of the lane. An undefined number makes all undefined.
func readLane(c *call) []ir.Val {
	s := clean
	if c.s[0] != clean {
		s = c.op(ir.ReadLane, c.t, c.s[0], c.in.Args[1])
	}
	return []ir.Val{c.or(s, c.spread(c.some(c.s[1]), c.t))}
}

// readFirst reads the shadow of the lane. A mask that is undefined in some lane makes all undefined.
func readFirst(c *call) []ir.Val {
	s := clean
	if c.s[0] != clean {
		s = c.op(ir.ReadFirst, c.t, c.s[0], c.in.Args[1])
	}
	return []ir.Val{c.or(s, c.spread(c.anywhere(c.s[1]), c.t))}
}

// shuffle moves the shadow. An undefined number of a lane, or an undefined mask, makes both results undefined.
func shuffle(c *call) []ir.Val {
	first := c.add(ir.Inst{Op: ir.Shuffle, Type: c.t, Imm: c.in.Imm, Args: []ir.Val{c.zero(0), c.in.Args[1], c.in.Args[2]}})
	u := c.or(c.some(c.s[1]), c.anywhere(c.s[2]))
	return []ir.Val{c.or(first, c.spread(u, c.t)), u}
}

// scatter moves the shadow. Where a number of a lane or the mask is undefined, each lane may receive anything.
func scatter(c *call) []ir.Val {
	first := c.add(ir.Inst{Op: ir.ScatterLane, Type: c.t, Args: []ir.Val{c.zero(0), c.in.Args[1], c.in.Args[2]}})
	u := clean
	if to := c.some(c.s[1]); to != clean {
		u = c.anywhere(c.and(to, c.in.Args[2]))
	}
	u = c.or(u, c.anywhere(c.s[2]))
	return []ir.Val{c.or(first, c.spread(u, c.t)), u}
}
