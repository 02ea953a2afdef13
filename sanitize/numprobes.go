package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// mark makes the instruction of a mark, with what is told of it.
func (g *numgen) mark(at int, p *plan) {
	if p.empty() {
		for i := p.lo; i < p.hi; i++ {
			g.Keep(i)
		}
		return
	}
	g.ever, g.active, g.consts = -1, -1, map[constantKey]ir.Val{}
	if len(p.results)+len(p.moves)+len(p.stores)+len(p.compares) > 0 {
		g.ever = g.some(g.Add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: g.made}))
	}
	if g.masked {
		g.active = g.Add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: g.exec})
	} else {
		g.active = g.Add(ir.Inst{Op: ir.Live, Type: ir.I1})
	}
	if len(p.moves)+len(p.stores)+len(p.compares) > 0 {
		g.Add(ir.Inst{Op: ir.Unlikely, Args: []ir.Val{g.ever}})
	}
	first := g.firstEffect(p.lo, p.hi)
	for i := p.lo; i < first; i++ {
		g.Keep(i)
	}
	var soon, late []*numItem
	for _, list := range [][]numItem{p.flushes, p.converts, p.results, p.compares, p.moves, p.stores} {
		for k := range list {
			if x := &list[k]; g.known(x, first) {
				soon = append(soon, x)
			} else {
				late = append(late, x)
			}
		}
	}
	tests, any := g.tests(soon)
	if any >= 0 {
		g.Add(ir.Inst{Op: ir.Unlikely, Args: []ir.Val{any}})
	}
	for _, t := range tests {
		g.tell(t)
	}
	place := first
	for _, x := range late {
		place = max(place, g.after(x))
	}
	for i := first; i < p.hi; i++ { // behind what may fault
		if in := &g.From.Ops[i]; len(late) > 0 && in.Op.Info().Flags&ir.CanFault != 0 {
			place = max(place, i+1)
		}
	}
	place = min(place, p.hi-1)
	for i := first; i < p.hi; i++ {
		if i == place {
			tests, _ := g.tests(late)
			for _, t := range tests {
				g.tell(t)
			}
		}
		g.Keep(i)
	}
}

// after returns the op behind the last one that an item needs.
func (g *numgen) after(x *numItem) (place int) {
	for _, v := range append([]ir.Val{x.val, x.mask}, x.parts...) {
		if v >= 0 {
			place = max(place, g.by[v]+1)
		}
	}
	return place
}

// known reports whether all that an item needs is computed before op i.
func (g *numgen) known(x *numItem, i int) bool { return g.after(x) <= i }

// gated reports whether the item matters only once the wave has made a NaN or an infinity.
func (x *numItem) gated() bool {
	k := x.site.kind
	return k == Decides || k == StoresNaN || k == moves && !x.shared()
}

// shared reports whether the value is loaded from memory that other waves of the group may have stored to.
func (x *numItem) shared() bool {
	return x.site.kind == moves && x.site.from[0].load && x.site.Mem.Space == ir.GroupSpace
}

// A test is an item with the lanes in which it may be to be told.
type test struct {
	x    *numItem
	mask ir.Val
}

// small is what a value that tells of something is below: see screen.
const small = 0x00800000

// tests makes the code that finds the lanes of items, and any of those in which something may be to be told that is not
// gated; -1: there is none. Values that tell it by being small are compared together.
func (g *numgen) tests(items []*numItem) (tests []*test, any ir.Val) {
	type group struct{ mask, least ir.Val }
	var groups []group
	of := make([]int, len(items))
	for i, x := range items {
		of[i] = -1
		least := ir.Val(-1)
		if x.site.kind == Flushes || x.site.kind == MakesNaN {
			least = g.screen(x)
		}
		if least < 0 {
			continue
		}
		mask := g.maskOf(x)
		k := slices.IndexFunc(groups, func(o group) bool { return o.mask == mask })
		if of[i] = k; k < 0 {
			of[i], groups = len(groups), append(groups, group{mask, least})
			continue
		}
		groups[k].least = g.Op(ir.UMin, ir.I32, groups[k].least, least)
	}
	any = -1
	lanes := make([]ir.Val, len(groups))
	for k, o := range groups {
		lanes[k] = g.and(g.Op(ir.ULt, ir.I32, o.least, g.konst(ir.I32, small)), o.mask)
		any = g.or(any, lanes[k])
	}
	for i, x := range items {
		if of[i] >= 0 {
			tests = append(tests, &test{x, lanes[of[i]]})
			continue
		}
		t := &test{x, g.and(g.is(x), g.maskOf(x))}
		if tests = append(tests, t); !x.gated() {
			any = g.or(any, t.mask)
		}
	}
	return tests, any
}

// maskOf returns the lanes in which an item matters.
func (g *numgen) maskOf(x *numItem) ir.Val {
	if x.mask >= 0 {
		return g.val(x.mask)
	}
	return g.active
}

// is returns where an item is to be told, by itself.
func (g *numgen) is(x *numItem) (is ir.Val) {
	v := g.val(x.val)
	in := &g.From.Ops[x.op]
	switch x.site.kind {
	case Flushes:
		return g.flushed(x)
	case Converts:
		return g.outside(in, v)
	case MakesNaN:
		return g.exceptional(v)
	case Decides:
		return g.and(g.ever, g.or(g.nan(g.val(in.Args[0])), g.nan(g.val(in.Args[1]))))
	}
	if t := x.site.typ; t.IsInt() && t.Bits() < g.Type(v).Bits() { // of a store of half a register
		v = g.Op(ir.Trunc, t, v)
	}
	if x.shared() {
		return g.made32(v)
	}
	return g.and(g.ever, g.exceptional(v))
}

// made32 returns whether 32 bits are an infinity, or a NaN as most instructions make them, or the upper half of one of
// f64: that the lower 19 bits are 0 tells them from most integers.
func (g *numgen) made32(v ir.Val) ir.Val {
	v = g.Op(ir.And, ir.I32, g.bits(v), g.konst(ir.I32, 0x7f87ffff))
	return g.Op(ir.Eq, ir.I32, v, g.konst(ir.I32, exponents(ir.F32)))
}

// screen returns an integer that is below small where a result of 32 bits is a NaN or an infinity, or where a flush of
// denormals may have changed it; -1: the item is of another type.
func (g *numgen) screen(x *numItem) ir.Val {
	if x.site.kind == MakesNaN {
		if x.site.typ.Bits() != 32 || x.site.typ.Elems() > 1 {
			return -1
		}
		return g.Op(ir.ISub, ir.I32, g.magnitude(x.val), g.konst(ir.I32, exponents(ir.F32)))
	}
	for _, i := range x.ops {
		in := &g.From.Ops[i]
		if in.Mode.Round() != num.RNE || in.Op == ir.FCvt && g.typeOf(in.Res) != ir.F32 || slices.ContainsFunc(in.Args, func(v ir.Val) bool { return g.typeOf(v) != ir.F32 }) {
			return -1
		}
	}
	all := ir.Val(-1)
	for _, i := range x.ops {
		if v := g.screenOp(&g.From.Ops[i]); all < 0 {
			all = v
		} else if v >= 0 {
			all = g.Op(ir.UMin, ir.I32, all, v)
		}
	}
	return all
}

// magnitude returns the bits of a value of 32 bits without its sign.
func (g *numgen) magnitude(v ir.Val) ir.Val {
	return g.Op(ir.And, ir.I32, g.bits(g.val(v)), g.konst(ir.I32, 0x7fffffff))
}

// screenOp is screen of an op that rounds to nearest. A factor that is flushed matters if it is denormal. An addend, or
// a result, matters only if the result is below 2^-95: otherwise half a unit in its last place is more than a denormal.
// But an addend of a product that is not rounded matters anywhere: the product may lie halfway between two numbers.
func (g *numgen) screenOp(in *ir.Inst) ir.Val {
	var less []ir.Val // of operands: the magnitude minus 1
	one := g.konst(ir.I32, 1)
	for _, a := range in.Args {
		less = append(less, g.Op(ir.ISub, ir.I32, g.magnitude(a), one))
	}
	factors, far := less, uint64(0)
	zero := ir.Val(-1) // negative where the result is rightly a zero
	switch in.Op {
	case ir.FMul, ir.FMulZ:
		zero = g.Op(ir.SMin, ir.I32, less[0], less[1])
	case ir.FAdd, ir.FSub: // of equal magnitudes one is enough
		zero = g.Op(ir.ISub, ir.I32, g.Op(ir.Xor, ir.I32, g.magnitude(in.Args[0]), g.magnitude(in.Args[1])), one)
		factors, far = less[:1], 5
	case ir.FFma, ir.FMad:
		zero = g.Op(ir.And, ir.I32, less[2], g.Op(ir.SMin, ir.I32, less[0], less[1]))
		far = 5
		if in.Op == ir.FMad {
			factors = less[:2]
		}
	case ir.FDiv:
		zero = less[0]
	case ir.FRcp:
		zero = one
	}
	least := ir.Val(-1)
	add := func(v ir.Val) {
		if least < 0 {
			least = v
		} else {
			least = g.Op(ir.UMin, ir.I32, least, v)
		}
	}
	for k, v := range factors {
		if g.From.Ops[g.by[in.Args[k]]].Op != ir.Const {
			add(v)
		}
	}
	if zero >= 0 {
		r := g.magnitude(in.Res)
		if far > 0 {
			r = g.Op(ir.ShrU, ir.I32, r, g.konst(ir.I32, far))
		}
		add(g.Op(ir.Or, ir.I32, r, g.Op(ir.ShrS, ir.I32, zero, g.konst(ir.I32, 31))))
	}
	return least
}

func (g *numgen) val(v ir.Val) ir.Val { return g.Vals[v] }

// tell adds the probes of a test.
func (g *numgen) tell(t *test) {
	x := t.x
	switch x.site.kind {
	case MakesNaN:
		t.mask = g.and(t.mask, g.exceptional(g.val(x.val)))
		g.tellResult(t)
	case Flushes:
		g.probe(x.site, g.and(t.mask, g.flushed(x)), append([]ir.Val{x.val}, x.parts...)...)
	case Converts:
		g.probe(x.site, t.mask, append([]ir.Val{x.val}, g.From.Ops[x.op].Args...)...)
	case Decides:
		g.probe(x.site, t.mask, x.parts...)
	default:
		if x.shared() {
			g.makes(t.mask)
		}
		g.probe(x.site, t.mask, append([]ir.Val{x.val}, x.parts...)...)
	}
}

// makes says that the wave has a NaN or an infinity that an instruction has made, if there are lanes.
func (g *numgen) makes(lanes ir.Val) {
	g.Add(ir.Inst{Op: ir.SetLast, Type: ir.I32, Cell: g.made, Args: []ir.Val{g.konst(ir.I32, 1), lanes}})
}

// tellResult adds the probes of a result: where it is a NaN and no operand is, or an infinity and no operand is a NaN
// or an infinity, the instruction has made it; elsewhere it carries it on.
func (g *numgen) tellResult(t *test) {
	x := t.x
	nan, other := ir.Val(-1), ir.Val(-1)
	for _, a := range x.parts {
		nan, other = g.or(nan, g.nan(g.val(a))), g.or(other, g.exceptional(g.val(a)))
	}
	site, made := x.site, t.mask
	if nan < 0 { // it has no operand
		g.makes(made)
		g.probe(site, made, x.val)
		return
	}
	is := g.nan(g.val(x.val))
	made = g.and(made, g.not(g.Op(ir.Select, ir.I1, is, nan, other)))
	// A NaN that the wave has not made may be of another one. If it is of a buffer, nothing comes of it.
	carried := g.and(g.and(t.mask, g.or(g.ever, is)), g.not(made))
	g.makes(g.or(made, g.and(carried, is)))
	g.probe(site, made, append([]ir.Val{x.val}, x.parts...)...)
	site.kind, site.carries = moves, true
	g.probe(site, carried, append([]ir.Val{x.val}, x.parts...)...)
}

// probe adds a probe with values of the other block, at most as many as one may have.
func (g *numgen) probe(site numSite, mask ir.Val, values ...ir.Val) {
	var args []ir.Val
	for _, v := range values[:min(len(values), ir.MaxComponents)] {
		args = append(args, g.Number(g.val(v)))
		site.types = append(site.types, g.typeOf(v))
	}
	g.Add(ir.Inst{Op: ir.Probe, Imm: g.sink.kind(site), IO: ir.IOAttr{Count: uint8(len(args))}, Args: append(args, mask)})
}

func (g *numgen) konst(t ir.Type, bits uint64) ir.Val {
	k := constantKey{t, bits}
	v, ok := g.consts[k]
	if !ok {
		v = g.Add(ir.Inst{Op: ir.Const, Type: t, Imm: bits})
		g.consts[k] = v
	}
	return v
}

func (g *numgen) and(a, b ir.Val) ir.Val { return g.Op(ir.And, ir.I1, a, b) }
func (g *numgen) not(a ir.Val) ir.Val    { return g.Op(ir.Not, ir.I1, a) }

// or returns the union of two masks; -1 is an empty one.
func (g *numgen) or(a, b ir.Val) ir.Val {
	if a < 0 {
		return b
	}
	return g.Op(ir.Or, ir.I1, a, b)
}

// bits returns a value as integers of its elements.
func (g *numgen) bits(v ir.Val) ir.Val {
	t := g.Type(v)
	to := ir.IntOf(t.Bits())
	if t.Elems() > 1 {
		to = t.Cond()
	}
	if t == to {
		return v
	}
	return g.Op(ir.Cast, to, v)
}

// some returns whether a bit of a value is set, as an i1.
func (g *numgen) some(v ir.Val) ir.Val {
	t := g.Type(v)
	if t == ir.I1 {
		return v
	}
	if flat := ir.IntOf(t.Bits()); t != flat {
		v, t = g.Op(ir.Cast, flat, v), flat
	}
	return g.Op(ir.Ne, t, v, g.konst(t, 0))
}

// nan returns whether a value, or an element of it, is a NaN. Integers, as special functions take and give them, count
// as floats. What is compared is bits: a comparison of floats may need another mode of the host.
func (g *numgen) nan(v ir.Val) ir.Val {
	v = g.bits(v)
	t := g.Type(v)
	inf, all := exponents(t), uint64(1)<<(t.Bits()/t.Elems()-1)-1
	if t == ir.V2I16 {
		inf, all = inf|inf<<16, all|all<<16
	}
	return g.some(g.Op(ir.ULt, t, g.konst(t, inf), g.Op(ir.And, t, v, g.konst(t, all))))
}

// exponents are the bits of the exponent of a float of 16, 32 or 64 bits, or of each element.
func exponents(t ir.Type) uint64 {
	switch t.Bits() / t.Elems() {
	case 64:
		return 0x7ff << 52
	case 32:
		return 0xff << 23
	}
	return 0x1f << 10
}

// exceptional returns whether a value, or an element of it, is a NaN or an infinity.
func (g *numgen) exceptional(v ir.Val) ir.Val {
	v = g.bits(v)
	t := g.Type(v)
	all := exponents(t)
	if t == ir.V2I16 {
		all |= all << 16
	}
	k := g.konst(t, all)
	return g.some(g.Op(ir.Eq, t, g.Op(ir.And, t, v, k), k))
}

// flushes reports whether an op is in a mode that flushes denormals, and may have one.
func flushes(in *ir.Inst) bool {
	if in.Op.Info().Flags&ir.HasMode == 0 || in.Mode&(num.FlushIn|num.FlushOut) == 0 {
		return false
	}
	switch in.Op {
	case ir.SToF, ir.UToF, ir.FClass, ir.FUnord, ir.FToS, ir.FToU, ir.FExp2, ir.FSin, ir.FCos, ir.FSinRev, ir.FCosRev:
		return false
	}
	return true
}

// flushed returns whether a result would be another one if nothing was flushed.
func (g *numgen) flushed(x *numItem) ir.Val {
	r, v := g.bits(g.unflushed(x, x.val, map[ir.Val]ir.Val{})), g.bits(g.val(x.val))
	t := g.Type(v)
	if t == ir.I1 {
		return g.Op(ir.Xor, t, r, v)
	}
	return g.some(g.Op(ir.Ne, t, r, v))
}

// unflushed returns a value of the other block as it would be if nothing was flushed.
func (g *numgen) unflushed(x *numItem, v ir.Val, known map[ir.Val]ir.Val) ir.Val {
	in := g.From.Ops[g.by[v]]
	if is, ok := known[v]; ok {
		return is
	}
	if in.Op.Info().Class != ir.Pure || in.NRes != 1 || len(g.flushing(nil, v)) == 0 {
		return g.val(v)
	}
	if in.Op.Info().Flags&ir.HasMode != 0 {
		in.Mode = in.Mode.Without(num.FlushIn | num.FlushOut | num.FlushBefore | num.FlushUnbounded)
	}
	in.Args = slices.Clone(in.Args)
	for k, a := range in.Args {
		in.Args[k] = g.unflushed(x, a, known)
	}
	known[v] = g.Add(in)
	return known[v]
}

// rounds are the ops that round to an integer as a mode says.
var rounds = [...]ir.Op{num.RNE: ir.FRndne, num.RUp: ir.FCeil, num.RDown: ir.FFloor, num.RZ: ir.FTrunc}

// outside returns whether the operand of a conversion is not in the range of its result.
func (g *numgen) outside(in *ir.Inst, v ir.Val) ir.Val {
	a := g.val(in.Args[0])
	t, to := g.Type(a), g.Type(v)
	mode := in.Mode
	op := func(op ir.Op, args ...ir.Val) ir.Val {
		x := ir.Inst{Op: op, Type: t, Args: args}
		if op.Info().Flags&ir.HasMode != 0 {
			x.Mode = mode
		}
		return g.Add(x)
	}
	power := func(e int, sign bool) ir.Val { return g.konst(t, powerOfTwo(t, e, sign)) }
	if in.Op == ir.FCvt {
		most := power([]int{16: 16, 32: 128}[to.Bits()], false)
		abs := op(ir.FAbs, a)
		inf := g.konst(t, exponents(t))
		out := g.and(op(ir.FLe, most, abs), op(ir.FLt, abs, inf))
		return g.or(g.and(g.exceptional(v), op(ir.FLt, abs, inf)), out)
	}
	n := to.Bits()
	if t != ir.F32 || n != 32 || in.Op == ir.FToU {
		a = op(rounds[in.Mode.Round()], a)
	}
	least := g.konst(t, 0)
	if in.Op == ir.FToS {
		n--
		least = power(n, true)
	}
	inside := op(ir.FLe, least, a)
	if n <= largestExponent(t) {
		return g.not(g.and(inside, op(ir.FLt, a, power(n, false))))
	}
	return g.not(g.and(inside, op(ir.FLt, op(ir.FAbs, a), g.konst(t, exponents(t)))))
}

// largestExponent is that of finite numbers of a float type.
func largestExponent(t ir.Type) int { return [...]int{16: 15, 32: 127, 64: 1023}[t.Bits()] }

// powerOfTwo is 2^e, or -2^e, as a float of a type; an infinity if e is too large.
func powerOfTwo(t ir.Type, e int, negative bool) (bits uint64) {
	n := [...]int{16: 10, 32: 23, 64: 52}[t.Bits()]
	bits = uint64(min(e, largestExponent(t)+1)+largestExponent(t)) << n
	if negative {
		bits |= 1 << (t.Bits() - 1)
	}
	return bits
}
