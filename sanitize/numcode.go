package sanitize

import (
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A NaN says itself that it is one. So registers need no shadow for the check of numbers: code tests what float
// arithmetic results in, says that a NaN or an infinity is unlikely, and tells an observer if there is one. What moves
// NaNs and infinities, as copies, loads and stores do, is told only once a wave has made some, or loaded one that
// another wave may have made: a register of the wave, the last file of the machine, says whether it has.

// counting is code that tells what Numeric wants to know.
type counting struct {
	ir.Code
	m *ir.Machine
	n *Numeric
}

// countedMachine returns the machine with the register that says whether a wave has made a NaN or an infinity.
func countedMachine(m *ir.Machine) *ir.Machine {
	n := *m
	n.Files = append(slices.Clone(m.Files), ir.File{Name: "numeric", Kind: ir.Wave32, Count: 1, Observer: true})
	return &n
}

// Unwrap returns the code without probes.
func (p *counting) Unwrap() ir.Code { return p.Code }

// Machine returns the machine with one more register.
func (p *counting) Machine() *ir.Machine { return p.m }

// Block returns the block with its probes. A serial block accesses only cells of the wave.
func (p *counting) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || b.Serial {
		return b, err
	}
	g := &numgen{copying: copyOf(p.m, b), sink: p.n, flows: make([]flow, len(b.Vals)), made: ir.Cell{File: uint8(len(p.m.Files) - 1)}}
	g.by, g.To.Plain = definers(b), b
	g.exec, g.masked = p.m.Exec()
	plans := make([]*plan, len(b.Marks))
	any := false
	for i := range b.Marks {
		plans[i] = g.plan(i)
		any = any || !plans[i].empty()
	}
	if !any {
		return b, nil
	}
	g.decides(plans)
	for i := range b.Marks {
		g.Begin(i)
		g.mark(i, plans[i])
	}
	return g.To, g.Err
}

// A numgen makes a block with probes from one without.
type numgen struct {
	copying
	sink   *Numeric
	made   ir.Cell // says whether the wave has made a NaN or an infinity, or loaded one of another wave
	exec   ir.Cell // of active lanes, if masked
	masked bool
	flows  []flow // by value of the other block

	// Of the mark, of the new block; -1: not made.
	ever, active ir.Val
	consts       map[constantKey]ir.Val
}

type constantKey struct {
	t    ir.Type
	bits uint64
}

// A flow is where a value of an instruction comes from.
type flow struct {
	from    uint64 // the registers whose value it may be, or is computed of: see plan.gets
	load    int    // 1 + the op that loads it, or what it is computed of
	cross   bool   // from other lanes
	moved   bool   // it is such a value, moved and not computed
	float   bool   // it has a float type, or is the result of a special function
	below   bool   // so has a value that it is computed of
	compare uint64 // the comparisons of floats that it depends on: see plan.compares
}

// A plan is what is to be told of an instruction.
type plan struct {
	pc       uint64
	gets     []ir.Cell // what it reads; those beyond 64 are not followed
	float    bool      // it has float arithmetic
	results  []numItem // float results that it writes
	moves    []numItem // registers that it writes with what it has read
	stores   []numItem // operands that it stores or puts out
	compares []numItem
	converts []numItem
	flushes  []numItem
	lo, hi   int
}

func (p *plan) empty() bool {
	return len(p.results)+len(p.moves)+len(p.stores)+len(p.compares)+len(p.converts)+len(p.flushes) == 0
}

// A numItem is a value to be looked at: a result, or an operand of op.
type numItem struct {
	op    int      // that writes, stores or computes it
	val   ir.Val   // of the other block
	parts []ir.Val // what it is computed of, or the address that it is loaded from or stored to
	ops   []int    // of Flushes: those that may flush a denormal
	mask  ir.Val   // of the other block; -1: the active lanes
	site  numSite
}

// plan finds what is to be told of the instruction of a mark.
func (g *numgen) plan(at int) *plan {
	p := &plan{pc: g.From.Marks[at].PC}
	p.lo, p.hi = g.From.MarkOps(at)
	for i := p.lo; i < p.hi; i++ {
		in := &g.From.Ops[i]
		p.float = p.float || in.Op.Info().Flags&ir.HasMode != 0 || in.Op == ir.SFU
		g.follow(p, i)
	}
	for i := p.lo; i < p.hi; i++ {
		switch in := &g.From.Ops[i]; in.Op {
		case ir.Set, ir.SetLast:
			g.writes(p, i)
		case ir.Store, ir.AtomicRMW:
			g.storesOf(p, i, 1)
		case ir.Output:
			g.storesOf(p, i, 1)
		case ir.FToS, ir.FToU:
			p.converts = append(p.converts, g.item(p, i, in.Res, Converts))
		case ir.FCvt:
			if g.typeOf(in.Args[0]).Bits() > g.typeOf(in.Res).Bits() {
				p.converts = append(p.converts, g.item(p, i, in.Res, Converts))
			}
		}
	}
	for i := p.lo; i < p.hi; i++ { // what is flushed within an instruction matters if it changes its result
		in := &g.From.Ops[i]
		if comparison := in.Op == ir.FEq || in.Op == ir.FLt || in.Op == ir.FLe; comparison && flushes(in) && !g.fixed(in) {
			g.flushesOf(p, i, in.Res)
		}
	}
	for k := range p.results {
		x := &p.results[k]
		g.flushesOf(p, x.op, x.val)
	}
	return p
}

// flushesOf notes a result, if an op that it is computed of may flush a denormal.
func (g *numgen) flushesOf(p *plan, op int, v ir.Val) {
	x := g.item(p, op, v, Flushes)
	x.mask = g.item(p, g.by[v], v, Flushes).mask
	if x.ops = g.flushing(nil, v); len(x.ops) > 0 {
		x.parts = g.leaves(nil, v)
		p.flushes = append(p.flushes, x)
	}
}

// flushing adds the ops below a value that may flush a denormal.
func (g *numgen) flushing(list []int, v ir.Val) []int {
	i := g.by[v]
	in := &g.From.Ops[i]
	if in.Op.Info().Class != ir.Pure || slices.Contains(list, i) {
		return list
	}
	if flushes(in) && !g.fixed(in) {
		list = append(list, i)
	}
	for _, a := range in.Args {
		list = g.flushing(list, a)
	}
	return list
}

// fixed reports whether all operands of an op are constants.
func (g *numgen) fixed(in *ir.Inst) bool {
	return !slices.ContainsFunc(in.Args, func(v ir.Val) bool { return g.From.Ops[g.by[v]].Op != ir.Const })
}

func (g *numgen) typeOf(v ir.Val) ir.Type { return g.From.Vals[v].Type }

// follow finds where the results of op i come from.
func (g *numgen) follow(p *plan, i int) {
	in := &g.From.Ops[i]
	var f flow
	info := in.Op.Info()
	args := in.Args
	switch {
	case in.Op == ir.Get:
		if g.masked && in.Cell == g.exec {
			return
		}
		k := slices.Index(p.gets, in.Cell)
		if k < 0 {
			k, p.gets = len(p.gets), append(p.gets, in.Cell)
		}
		f.moved = true
		if k < 64 {
			f.from = 1 << k
		}
		args = nil
	case in.Op == ir.Load || in.Op == ir.AtomicRMW:
		f.load, f.moved, args = i+1, true, nil
	case in.Op == ir.Select:
		f.compare |= g.flows[args[0]].compare
		args = args[1:]
		f.moved = true
	case info.Class == ir.Cross:
		f.moved, f.cross = len(args) > 0, true
		args = args[:min(1, len(args))]
	case info.Class == ir.Pure:
		f.moved = info.Shadow == ir.Bitwise || info.Shadow == ir.Permutes
	default:
		args = nil
	}
	for _, a := range args {
		x := g.flows[a]
		f.from, f.load, f.cross = f.from|x.from, max(f.load, x.load), f.cross || x.cross
		f.below = f.below || x.float || x.below
		f.compare |= x.compare
	}
	if in.Op != ir.Select && info.Class == ir.Pure { // its value is the comparison itself
		f.compare |= g.compares(p, i)
	}
	for k := range ir.Val(in.NRes) {
		r := f
		t := g.typeOf(in.Res + k)
		r.float = t.Elem().IsFloat() || in.Op == ir.SFU && num.SFU(in.Imm) < num.TeslaPreSin
		g.flows[in.Res+k] = r
	}
}

// compares notes a comparison of floats that is not one of a value with itself, and returns its bit.
func (g *numgen) compares(p *plan, i int) uint64 {
	in := &g.From.Ops[i]
	if in.Op != ir.FEq && in.Op != ir.FLt && in.Op != ir.FLe || g.same(in.Args[0], in.Args[1]) || g.fixed(in) || len(p.compares) == 64 || g.typeOf(in.Res) != ir.I1 {
		return 0
	}
	x := g.item(p, i, in.Res, Decides)
	x.parts = in.Args
	for _, a := range x.parts {
		x.site.from = append(x.site.from, g.sources(p, a))
	}
	x.site.typ = g.typeOf(in.Args[0])
	p.compares = append(p.compares, x)
	return 1 << (len(p.compares) - 1)
}

// same reports whether two values are that of one register.
func (g *numgen) same(v, w ir.Val) bool {
	a, b := g.flows[v], g.flows[w]
	return v == w || a.moved && b.moved && a.from == b.from && a.load == 0 && b.load == 0 && bits.OnesCount64(a.from) == 1
}

// sources returns the registers that a value comes from.
func (g *numgen) sources(p *plan, v ir.Val) (s numSource) {
	f := g.flows[v]
	for k, c := range p.gets {
		if k < 64 && f.from>>k&1 != 0 {
			s.cells = append(s.cells, c)
		}
	}
	s.cross, s.load = f.cross, f.load > 0
	return s
}

// item returns what is told of a value.
func (g *numgen) item(p *plan, op int, v ir.Val, kind NumericKind) numItem {
	x := numItem{op: op, val: v, mask: -1, site: numSite{kind: kind, typ: g.typeOf(v), op: g.From.Ops[op].Op}}
	x.site.PC = p.pc
	for i := op; i < p.hi; i++ { // the mask of what the instruction does with it
		in := &g.From.Ops[i]
		if m, masked := g.From.Mask(in); masked && (in.Op == ir.Set && g.Kind(in.Cell).PerLane() || in.Op == ir.Store || in.Op == ir.Output || in.Op == ir.AtomicRMW) {
			x.mask = m
			break
		}
	}
	return x
}

// writes notes what a Set or SetLast writes: a float result, or a value that has been read.
func (g *numgen) writes(p *plan, i int) {
	in := &g.From.Ops[i]
	if k := g.Kind(in.Cell); k != ir.Lane32 && k != ir.Wave32 {
		return
	}
	if p.float {
		for _, v := range g.results(nil, in.Args[0]) {
			k := slices.IndexFunc(p.results, func(x numItem) bool { return x.val == v })
			if k < 0 {
				k = len(p.results)
				x := g.item(p, i, v, MakesNaN)
				x.site.op = g.From.Ops[g.by[v]].Op
				if x.parts = g.leaves(nil, v); len(x.parts) > 0 && x.site.typ.IsInt() {
					x.site.typ = ir.F32 // of a special function
				}
				for _, a := range x.parts {
					x.site.from = append(x.site.from, g.sources(p, a))
				}
				x.site.divisor = g.divisorOf(v, x.parts)
				x.site.Cell = in.Cell
				p.results = append(p.results, x)
			}
			p.results[k].site.to = append(p.results[k].site.to, in.Cell)
		}
		return
	}
	v := in.Args[0]
	f := g.flows[v]
	constant := g.constant(v)
	if !f.moved && !constant || f.from == 0 && f.load == 0 && !constant || g.typeOf(v).Bits() != 32 {
		return
	}
	x := g.item(p, i, v, moves)
	if g.Kind(in.Cell) == ir.Wave32 && !f.cross && !constant {
		return // registers of the wave hold masks and addresses
	}
	x.site.Cell, x.site.to, x.site.from = in.Cell, []ir.Cell{in.Cell}, []numSource{g.sources(p, v)}
	if f.load > 0 {
		x.site.load(g, f.load-1, v)
		x.parts = []ir.Val{g.From.Ops[f.load-1].Args[0]}
	}
	p.moves = append(p.moves, x)
}

// constant reports whether a value is a constant that is a NaN or an infinity. It takes the place of one that an
// instruction has made.
func (g *numgen) constant(v ir.Val) bool {
	in := &g.From.Ops[g.by[v]]
	return in.Op == ir.Const && Value{g.typeOf(v), in.Imm}.exceptional()
}

// load notes the memory that a value comes from.
func (s *numSite) load(g *numgen, op int, v ir.Val) {
	in := &g.From.Ops[op]
	s.Mem = in.Mem
	for g.by[v] != op {
		x := &g.From.Ops[g.by[v]]
		if len(x.Args) == 0 || x.Op == ir.Select || g.flows[x.Args[0]].load != op+1 {
			return
		}
		v = x.Args[0]
	}
	s.offset = uint64(v-in.Res) * uint64(in.Mem.Elem)
}

// results adds the float values that a value is made of: the last ones of float arithmetic.
func (g *numgen) results(list []ir.Val, v ir.Val) []ir.Val {
	if slices.Contains(list, v) {
		return list
	}
	in := &g.From.Ops[g.by[v]]
	if f := g.flows[v]; f.float {
		if f.below || in.Op.Info().Flags&ir.HasMode != 0 || in.Op == ir.SFU {
			list = append(list, v)
		}
		return list
	}
	if s := in.Op.Info().Shadow; in.Op.Info().Class != ir.Pure || s != ir.Bitwise && s != ir.Permutes && s != ir.Selects {
		return list
	}
	for k, a := range in.Args {
		if k > 0 || in.Op != ir.Select {
			list = g.results(list, a)
		}
	}
	return list
}

// leaves adds the float operands of the instruction that a value is computed of.
func (g *numgen) leaves(list []ir.Val, v ir.Val) []ir.Val {
	in := &g.From.Ops[g.by[v]]
	f := g.flows[v]
	arith := in.Op.Info().Flags&ir.HasMode != 0 || in.Op == ir.SFU
	switch {
	case f.float && !f.below && !arith, in.Op == ir.SFU:
		if in.Op == ir.SFU {
			v = in.Args[0]
		}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	case in.Op.Info().Class == ir.Pure:
		for _, a := range in.Args {
			list = g.leaves(list, a)
		}
	}
	return list
}

// divisorOf returns 1 + the index of the operand that divides by being zero, of those that a value is computed of; 0:
// there is none, or it is itself computed of several.
func (g *numgen) divisorOf(v ir.Val, parts []ir.Val) int {
	by := g.divisor(v)
	if by < 0 {
		return 0
	}
	if list := g.leaves(nil, by); len(list) == 1 {
		by = list[0]
	}
	return slices.Index(parts, by) + 1
}

// divisor returns the operand of the first op below a value that gives an infinity for a zero; -1: there is none.
func (g *numgen) divisor(v ir.Val) ir.Val {
	in := &g.From.Ops[g.by[v]]
	switch {
	case in.Op == ir.FRcp || in.Op == ir.FRsq || in.Op == ir.FLog2, in.Op == ir.SFU && num.SFU(in.Imm) <= num.TeslaLg2:
		return in.Args[0]
	case in.Op == ir.FDiv:
		return in.Args[1]
	case in.Op.Info().Class == ir.Pure:
		for _, a := range in.Args {
			if by := g.divisor(a); by >= 0 {
				return by
			}
		}
	}
	return -1
}

// storesOf notes the operands that op i stores or puts out, from operand first on.
func (g *numgen) storesOf(p *plan, i, first int) {
	in := &g.From.Ops[i]
	end := len(in.Args)
	if _, masked := g.From.Mask(in); masked {
		end--
	}
	for k := first; k < end; k++ {
		f := g.flows[in.Args[k]]
		if f.from == 0 && f.load == 0 || in.Op != ir.Output && in.Mem.Elem == 1 {
			continue
		}
		x := g.item(p, i, in.Args[k], StoresNaN)
		x.site.from, x.site.Mem = []numSource{g.sources(p, in.Args[k])}, in.Mem
		if in.Op != ir.Output {
			x.site.offset = uint64(k-first) * uint64(in.Mem.Elem)
			x.parts = in.Args[:1]
			if n := 8 * int(in.Mem.Elem); n < x.site.typ.Bits() {
				x.site.typ = ir.IntOf(n)
			}
		}
		p.stores = append(p.stores, x)
	}
}

// maxDecides is how many comparisons a register is known to depend on: the last ones.
const maxDecides = 64

// decides finds the branches and masks that depend on comparisons, as far as they are in the block, and drops the
// comparisons on which none depends. What a select chooses by a comparison does not depend on it.
func (g *numgen) decides(plans []*plan) {
	cells := map[ir.Cell][]int{} // by cell, the comparisons that it depends on, in order: 64 times the mark, plus their number in it
	for m, p := range plans {
		reads := make([][]int, len(p.gets))
		for k, c := range p.gets {
			reads[k] = cells[c]
		}
		of := func(v ir.Val) (list []int) {
			f := g.flows[v]
			for k := range p.compares {
				if f.compare>>k&1 != 0 {
					list = append(list, 64*m+k)
				}
			}
			for k := range p.gets {
				if k < 64 && f.from>>k&1 != 0 {
					list = append(list, reads[k]...)
				}
			}
			slices.Sort(list)
			list = slices.Compact(list)
			return list[max(0, len(list)-maxDecides):]
		}
		written := map[ir.Cell][]int{}
		for i := p.lo; i < p.hi; i++ {
			in := &g.From.Ops[i]
			uses := []ir.Val(nil)
			switch {
			case in.Op == ir.Branch || in.Op == ir.JumpX || in.Op == ir.CtlStep || in.Op == ir.CtlStepX:
				uses = in.Args
			case in.Op == ir.Set && g.masked && in.Cell == g.exec:
				uses = in.Args[:1]
			case in.Op == ir.Set || in.Op == ir.SetLast:
				written[in.Cell] = of(in.Args[0])
			}
			for _, v := range uses {
				for _, o := range of(v) {
					x := &plans[o/64].compares[o%64]
					if x.site.with == 0 {
						x.site.with = p.pc
					}
					x.site.decides = true
				}
			}
		}
		for c, list := range written {
			cells[c] = list
		}
	}
	for _, p := range plans {
		p.compares = slices.DeleteFunc(p.compares, func(x numItem) bool { return !x.site.decides })
	}
}
