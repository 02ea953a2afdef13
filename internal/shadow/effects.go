package shadow

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// effects make what follows an op that reads or writes registers or memory: its shadow.
var effects = [...]func(g *gen, i int, in *ir.Inst, s []ir.Val){
	ir.Get: func(g *gen, i int, in *ir.Inst, s []ir.Val) {
		if v, ok := g.gets[in.Cell]; ok {
			g.deps[g.from.Ops[i].Res] = g.sourceOf(in.Cell)
			g.sh[g.from.Ops[i].Res] = g.as(v, shadowType(in.Type))
		}
	},
	ir.Set: set, ir.SetLast: set,
	ir.GetX: getX, ir.SetX: setX,
	ir.Load: load, ir.Store: store, ir.AtomicRMW: atomic,
	ir.Tex: sampled, ir.Sample: sampled, ir.Image: sampled, ir.Fetch: sampled, ir.Input: sampled,
}

// matter is what of an op's operands must be defined.
type matter struct {
	kind Kind
	args int // the first so many operands
}

var mattersIn = [...]matter{
	ir.GetX: {Indexes, 1}, ir.SetX: {Indexes, 1},
	ir.Check: {Address, 1}, ir.Load: {Address, 1}, ir.Store: {Address, 1}, ir.AtomicRMW: {Address, 1},
	ir.Fetch: {Describes, 2}, ir.Input: {Describes, 1},
	ir.Output: {PutsOut, 1},
	ir.Branch: {Branches, 1}, ir.JumpX: {Branches, 1},
	ir.CtlStepX: {Branches, 1},
	ir.Barrier:  {Counts, 1},
}

// masksThat are ops whose mask decides more than in which lanes something is written.
var masksThat = [...]Kind{
	ir.CtlStep: Branches, ir.CtlStepX: Branches, ir.Retire: Ends,
	ir.GetX: Indexes, ir.SetX: Indexes, ir.Check: Address, ir.Load: Address, ir.Store: Address, ir.AtomicRMW: Address,
	ir.Tex: Describes, ir.Sample: Describes, ir.Image: Describes, ir.Fetch: Describes, ir.Input: Describes, ir.Output: PutsOut,
}

// matters tells of operands that must be defined. For the op itself they count as defined then.
func (g *gen) matters(i int, in *ir.Inst, s []ir.Val) {
	mask := g.maskOf(in)
	last := len(in.Args) - 1
	if int(in.Op) < len(masksThat) && masksThat[in.Op] != 0 && mask != clean && s[last] != clean {
		g.need(i, in, s, masksThat[in.Op], last, clean)
	}
	what := matter{}
	if int(in.Op) < len(mattersIn) {
		what = mattersIn[in.Op]
	}
	switch {
	case in.Op == ir.Set && g.m.Kind(in.Cell) == ir.ExecMask:
		what, mask = matter{Activates, 1}, clean
	case in.Op == ir.Set && g.m.ModeMask != 0 && in.Cell == g.m.Mode:
		what, mask = matter{Modes, 1}, clean
	case in.Op == ir.Sample || in.Op == ir.Image:
		what = matter{Describes, int(in.Img.Words)}
	case in.Op == ir.Tex:
		g.need(i, in, s, Describes, 4, mask)
	}
	for k := range min(what.args, len(in.Args)) {
		g.need(i, in, s, what.kind, k, mask)
	}
	for k := 1; in.Op == ir.Output && k < last; k++ {
		g.puts(i, in, s, k, mask)
	}
}

// puts tells if operand k of an output op, a component, is undefined.
func (g *gen) puts(i int, in *ir.Inst, s []ir.Val, k int, mask ir.Val) {
	if s[k] != clean {
		x := Site{Kind: PutsOut, Component: int(in.IO.First) + k}
		g.tell(i, x, s[k], g.deps[g.from.Ops[i].Args[k]], mask, g.address(in.Args[0]), g.address(s[k]))
	}
	s[k] = clean
}

// maskOf returns the mask of an op; clean: it has none.
func (g *gen) maskOf(in *ir.Inst) ir.Val {
	if mask, masked := g.n.Mask(in); masked {
		return mask
	}
	return clean
}

// need tells, once in an instruction, if operand k is undefined in lanes of the mask; clean: in any lane.
func (g *gen) need(i int, in *ir.Inst, s []ir.Val, kind Kind, k int, mask ir.Val) {
	is := needed{kind, in.Args[k], mask}
	if s[k] != clean && !slices.Contains(g.needed, is) {
		g.needed = append(g.needed, is)
		g.tell(i, Site{Kind: kind, Mem: in.Mem, Cell: in.Cell}, s[k], g.deps[g.from.Ops[i].Args[k]], mask)
	}
	s[k] = clean
}

// A needed is an operand that must be defined in lanes of a mask.
type needed struct {
	kind    Kind
	v, mask ir.Val
}

// all returns the sources that the operands of an op depend on.
func (g *gen) all(i int) (sources uint32) {
	for _, a := range g.from.Ops[i].Args {
		sources |= g.deps[a]
	}
	return sources
}

// written returns the shadow of what an effect writes, undefined where its mask is, and the lanes that it may write.
func (g *gen) written(v, s, mask, unsure ir.Val) (ir.Val, ir.Val) {
	t := shadowType(g.typeOf(v))
	return g.or(g.made(s, t), g.spread(unsure, t)), g.or(mask, unsure)
}

func set(g *gen, i int, in *ir.Inst, s []ir.Val) {
	cell, ok := g.m.Shadow.Cell(in.Cell)
	if !ok {
		return
	}
	data, mask := s[0], g.maskOf(in)
	if mask != clean && s[1] != clean {
		data, mask = g.written(in.Args[0], s[0], mask, s[1])
	}
	g.tell(i, Site{Kind: Writes, Cell: in.Cell}, data, g.all(i), mask)
	g.keep(in, cell, data, mask)
}

func getX(g *gen, i int, in *ir.Inst, s []ir.Val) {
	cell, ok := g.m.Shadow.Cell(in.Cell)
	if !ok {
		return
	}
	v := g.add(ir.Inst{Op: ir.GetX, Type: shadowType(in.Type), Cell: cell, Args: in.Args})
	if g.maskOf(in) != clean { // lanes outside of the mask read, too
		v = g.or(v, g.spread(g.some(g.sh[g.from.Ops[i].Args[0]]), shadowType(in.Type)))
	}
	g.sh[g.from.Ops[i].Res] = v
	g.deps[g.from.Ops[i].Res] |= g.source(Source{Cell: in.Cell, Indexed: true}, v)
}

func setX(g *gen, i int, in *ir.Inst, s []ir.Val) {
	cell, ok := g.m.Shadow.Cell(in.Cell)
	if !ok {
		return
	}
	v := g.made(s[1], shadowType(in.Type))
	args := append([]ir.Val{in.Args[0], v}, in.Args[2:]...)
	mask := g.maskOf(in)
	g.tell(i, Site{Kind: Writes, Cell: in.Cell, Indexed: true}, s[1], g.deps[g.from.Ops[i].Args[1]], mask, g.address(in.Args[0]))
	g.add(ir.Inst{Op: ir.SetX, Type: shadowType(in.Type), Cell: cell, Args: args})
	g.maySet(in.Cell.File, g.anyIn(s[1], mask))
}

// shadowOf returns the shadow of the memory that an op accesses; false: it has none.
func shadowOf(s *ir.Shadowing, in *ir.Inst) (ir.Mem, bool) {
	first := s.Banks[in.Mem.Space]
	m := in.Mem
	m.Bank += uint8(first)
	m.Load &^= ir.OfDescriptor
	m.Load |= ir.Silent
	return m, first != 0
}

// address returns an address, or another value, as an operand of a probe.
func (g *gen) address(v ir.Val) ir.Val {
	if g.typeOf(v) == ir.I64 {
		return v
	}
	return g.op(ir.ZExt, ir.I64, v)
}

func load(g *gen, i int, in *ir.Inst, s []ir.Val) {
	m, ok := shadowOf(g.m.Shadow, in)
	if !ok {
		return
	}
	first := g.add(ir.Inst{Op: ir.Load, Type: shadowType(in.Type), Mem: m, Args: in.Args})
	mask, any := g.maskOf(in), clean
	for k := range ir.Val(in.NRes) {
		any = g.or(any, g.some(first+k))
	}
	source := g.source(Source{Memory: true}, any)
	for k := range ir.Val(in.NRes) {
		g.sh[g.from.Ops[i].Res+k], g.deps[g.from.Ops[i].Res+k] = first+k, source
	}
	g.tell(i, Site{Kind: Loads, Mem: in.Mem}, any, source, mask, g.address(in.Args[0]))
}

func store(g *gen, i int, in *ir.Inst, s []ir.Val) {
	m, ok := shadowOf(g.m.Shadow, in)
	if !ok {
		return
	}
	mask, n := g.maskOf(in), len(in.Args)
	if mask != clean {
		n--
	}
	args, any, sources := []ir.Val{in.Args[0]}, clean, uint32(0)
	for k := 1; k < n; k++ {
		v := g.made(s[k], shadowType(in.Type))
		if args = append(args, v); s[k] != clean {
			any, sources = g.or(any, g.some(g.low(v, in.Mem))), sources|g.deps[g.from.Ops[i].Args[k]]
		}
	}
	g.tell(i, Site{Kind: Stores, Mem: in.Mem}, any, sources, mask, g.address(in.Args[0]))
	g.add(ir.Inst{Op: ir.Store, Type: shadowType(in.Type), Mem: m, Args: append(args, in.Args[n:]...)})
}

// low returns the bits of a shadow that a store of that size writes.
func (g *gen) low(s ir.Val, m ir.Mem) ir.Val {
	t := g.typeOf(s)
	if n := 8 * int(m.Elem); n < t.Bits() {
		return g.and(s, g.konst(t, ones(ir.IntOf(n))))
	}
	return s
}

// atomic: the old value has the shadow of memory. The new one is undefined if either was, but for a swap.
func atomic(g *gen, i int, in *ir.Inst, s []ir.Val) {
	m, ok := shadowOf(g.m.Shadow, in)
	if !ok {
		return
	}
	t := shadowType(in.Type)
	mask, n, where := g.maskOf(in), len(in.Args), []ir.Val(nil)
	if mask != clean {
		n, where = n-1, []ir.Val{mask}
	}
	swap, sources := mem.AtomicOp(in.Mem.Atomic) == mem.Swap, uint32(0)
	for _, a := range g.from.Ops[i].Args[1:n] {
		sources |= g.deps[a]
	}
	before := g.add(ir.Inst{Op: ir.Load, Type: t, Mem: plain(m), Args: append([]ir.Val{in.Args[0]}, where...)})
	at, data, need := m, g.made(s[1], t), clean
	if at.Atomic = uint8(mem.Swap); swap {
		need = g.or(data, before)
	} else {
		at.Atomic = uint8(mem.Or)
		data = g.full(g.or(g.made(g.full(g.or(s[1:n]...)), t), before))
		need = data
	}
	if mask != clean { // all lanes, as later ones see what earlier ones leave, or none
		any := g.op(ir.Any, ir.I1, g.some(need), mask)
		where = []ir.Val{g.and(mask, any)}
	}
	old := g.add(ir.Inst{Op: ir.AtomicRMW, Type: t, Mem: at, Args: append([]ir.Val{in.Args[0], data}, where...)})
	source := g.source(Source{Memory: true}, old)
	g.sh[g.from.Ops[i].Res], g.deps[g.from.Ops[i].Res] = old, source
	g.tell(i, Site{Kind: Loads, Mem: in.Mem}, old, source, mask, g.address(in.Args[0]))
	g.tell(i, Site{Kind: Stores, Mem: in.Mem}, data, sources|source, mask, g.address(in.Args[0]))
}

// plain returns the memory that an atomic accesses, as that of a load.
func plain(m ir.Mem) ir.Mem {
	m.Atomic = 0
	return m
}

// sampled: an undefined operand makes all results undefined. What units and inputs hold is defined.
func sampled(g *gen, i int, in *ir.Inst, s []ir.Val) {
	c := &call{gen: g, in: &ir.Inst{Op: in.Op, Args: in.Args, Res: g.from.Ops[i].Res, NRes: in.NRes}, s: s}
	any := clean
	for _, v := range s {
		any = g.or(any, g.some(v))
	}
	for k := range int(in.NRes) {
		g.sh[int(c.in.Res)+k] = g.spread(any, c.resultType(k))
	}
}
