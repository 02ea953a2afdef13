package shadow

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// block returns the block with its shadow.
func block(m *ir.Machine, b *ir.Block, sites *Sites) *ir.Block {
	n := *b
	n.Plain, n.Ops, n.Vals, n.Marks = b, nil, nil, slices.Clone(b.Marks)
	g := &gen{m: m, from: b, n: &n, sites: sites, to: make([]ir.Val, len(b.Vals)), sh: make([]ir.Val, len(b.Vals)), deps: make([]uint32, len(b.Vals)), gets: map[ir.Cell]ir.Val{}, words: map[uint16]ir.Val{}, olds: map[ir.Cell]ir.Val{}}
	for i := range b.Marks {
		n.Marks[i].Op = int32(len(n.Ops))
		g.mark(b.MarkOps(i))
	}
	if !b.Serial {
		n.Likely = likely(m, b)
	}
	return n.Compact()
}

// mark makes the ops of an instruction, from lo to before hi.
func (g *gen) mark(lo, hi int) {
	g.consts, g.reads, g.shadows, g.told = g.consts[:0], nil, g.shadows[:0], g.told[:0]
	clear(g.gets)
	clear(g.words)
	clear(g.olds)
	g.needed, g.expects = g.needed[:0], -1
	for i := lo; i < hi; i++ {
		if op := g.from.Ops[i].Op; op == ir.Unlikely || op == ir.Stable {
			g.expects = i
		}
	}
	g.read(lo, hi)
	for i := lo; i < hi; i++ {
		in := g.from.Ops[i]
		in.Args = make([]ir.Val, len(in.Args))
		s := make([]ir.Val, len(in.Args))
		dirty := false
		for k, v := range g.from.Ops[i].Args {
			in.Args[k], s[k] = g.to[v], g.sh[v]
			dirty = dirty || s[k] != clean
		}
		g.step(i, &in, s, dirty)
		for i == g.expects && len(g.later) > 0 {
			g.add(g.later[0])
			g.later = g.later[1:]
		}
	}
	g.putWords()
}

// read gets the shadow of the registers that an instruction reads, and what else it needs before it writes any.
func (g *gen) read(lo, hi int) {
	for i := lo; i < hi; i++ {
		in := &g.from.Ops[i]
		if cell, ok := g.m.Shadow.Cell(in.Cell); ok {
			g.readFor(in, cell)
		}
	}
}

// readFor gets what the op in, on a register with that shadow, needs.
func (g *gen) readFor(in *ir.Inst, cell ir.Cell) {
	get := ir.Inst{Op: ir.Get, Type: shadowType(in.Type), Cell: cell}
	switch in.Op {
	case ir.Get:
		if _, known := g.gets[in.Cell]; known {
			return
		}
		s := g.add(get)
		g.gets[in.Cell] = s
		g.source(Source{Cell: in.Cell}, s)
	case ir.Set, ir.SetLast:
		if some, _, ok := g.m.Shadow.Bit(in.Cell); ok {
			if g.word(some.Index); g.m.Kind(cell).PerLane() && len(in.Args) > 1 {
				g.olds[in.Cell] = g.add(get)
			}
		}
	case ir.SetX:
		for k := range g.bitsOf(in.Cell.File) {
			g.word(k)
		}
	}
}

// source notes what an instruction reads, and returns its bit. Sources beyond MaxSources are not told apart.
func (g *gen) source(x Source, s ir.Val) uint32 {
	if len(g.reads) == MaxSources {
		return 0
	}
	g.reads, g.shadows = append(g.reads, x), append(g.shadows, s)
	return 1 << (len(g.reads) - 1)
}

// sourceOf returns the bit of a register that the instruction reads.
func (g *gen) sourceOf(c ir.Cell) uint32 {
	if k := slices.Index(g.reads, Source{Cell: c}); k >= 0 {
		return 1 << k
	}
	return 0
}

// step makes an op and what belongs to it.
func (g *gen) step(i int, in *ir.Inst, s []ir.Val, dirty bool) {
	row := in.Op.Info()
	if row.Class == ir.Ctl {
		g.putWords()
	}
	switch {
	case row.Class == ir.Pure || row.Class == ir.Cross:
		g.copy(i, in)
		if dirty {
			g.pure(i, in, s)
		}
		return
	case row.Class == ir.Marker:
		g.copy(i, in)
		return
	}
	g.matters(i, in, s)
	g.copy(i, in)
	if int(in.Op) < len(effects) && effects[in.Op] != nil {
		effects[in.Op](g, i, in, s)
	}
}

// copy adds op i of the block without shadow, with operands of the new block. Its results are defined.
func (g *gen) copy(i int, in *ir.Inst) {
	old := &g.from.Ops[i]
	first, deps := g.add(*in), uint32(0)
	for _, a := range old.Args {
		deps |= g.deps[a]
	}
	if in.Op.Info().Class == ir.Cross && deps != 0 {
		deps |= crossed
	}
	for k := range ir.Val(in.NRes) {
		g.to[old.Res+k], g.sh[old.Res+k], g.deps[old.Res+k] = first+k, clean, deps
	}
}

// pure makes the shadow of the results of an op.
func (g *gen) pure(i int, in *ir.Inst, s []ir.Val) {
	old := g.from.Ops[i].Res
	of := *in
	of.Res = old
	c := &call{gen: g, in: &of, s: s}
	if in.NRes == 0 {
		return
	}
	c.t = c.resultType(0)
	for k, v := range ruleOf(in.Op)(c) {
		g.sh[old+ir.Val(k)] = v
	}
}

// crossed is the bit of values that come from other lanes, among those of their sources.
const crossed = 1 << MaxSources

// which returns a value with a bit for each undefined source of those of a set.
func (g *gen) which(of uint32) ir.Val {
	for _, t := range g.told {
		if t.of == of {
			return t.v
		}
	}
	all := g.konst(ir.I64, 0)
	for k, s := range g.shadows {
		if of>>k&1 != 0 && s != clean {
			is := g.some(s)
			if of&crossed != 0 {
				is = g.op(ir.Any, ir.I1, is, g.konst(ir.I1, 1))
			}
			all = g.op(ir.Or, ir.I64, all, g.op(ir.Select, ir.I64, is, g.konst(ir.I64, 1<<k), g.konst(ir.I64, 0)))
		}
	}
	g.told = append(g.told, told{of, all})
	return all
}

// tell adds a probe in the lanes of the mask, an i1, in which the shadow s, of a value that depends on sources, has a
// bit set; clean: in any lane of the wave. more are further operands.
func (g *gen) tell(i int, x Site, s ir.Val, sources uint32, mask ir.Val, more ...ir.Val) {
	if s == clean {
		return
	}
	lanes := g.some(s)
	wave := func(v ir.Val) bool { return g.n.Vals[v].Wave }
	x.Wave = wave(s) && !slices.ContainsFunc(more, func(v ir.Val) bool { return !wave(v) }) && (x.Kind != Writes || !g.m.Kind(x.Cell).PerLane())
	x.Cross = sources&crossed != 0
	if mask != clean {
		lanes = g.and(lanes, mask)
	}
	x.PC, x.From = g.from.Marks[g.from.MarkAt(i)].PC, g.reads
	args := append([]ir.Val{g.which(sources)}, more...)
	probe := ir.Inst{Op: ir.Probe, Imm: g.sites.add(&x), IO: ir.IOAttr{Count: uint8(len(args))}, Args: append(args, lanes)}
	if i < g.expects {
		g.later = append(g.later, probe)
		return
	}
	g.add(probe)
}
