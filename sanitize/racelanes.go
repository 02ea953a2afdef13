package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// reloading is code that loads what each store has stored, and sets a bit of the lane if that is something else. So
// another lane of the instruction has stored to the same place.
type reloading struct {
	ir.Code
	m    *ir.Machine
	cell ir.Cell // the bits
}

// newReloading returns the code on a machine with one more file of registers.
func newReloading(code ir.Code) *reloading {
	m := *code.Machine()
	cell := ir.Cell{File: uint8(len(m.Files))}
	m.Files = append(slices.Clone(m.Files), ir.File{Name: "overwritten", Kind: ir.Lane1, Count: 1})
	return &reloading{code, &m, cell}
}

// Unwrap returns the code without loads.
func (p *reloading) Unwrap() ir.Code { return p.Code }

// Machine returns the machine with the bits.
func (p *reloading) Machine() *ir.Machine { return p.m }

// Block returns the block with its loads.
func (p *reloading) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || !slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { return reloads(b, &in) }) {
		return b, err
	}
	g := &reloader{copying: copyOf(p.m, b), cell: p.cell}
	g.n.Plain = b
	for i := range b.Marks {
		g.begin(i)
		g.mark(b.MarkOps(i))
	}
	return g.n, g.err
}

// reloads reports whether what an op stores is loaded again: it is a store of lanes to memory that they share.
func reloads(b *ir.Block, in *ir.Inst) bool {
	_, masked := b.Mask(in)
	return in.Op == ir.Store && masked && in.Mem.Space != ir.PrivateSpace
}

// A reloader makes a block.
type reloader struct {
	copying
	cell ir.Cell
	err  error
}

func (g *reloader) add(in ir.Inst) ir.Val {
	v, err := g.n.Add(g.Machine, in)
	if g.err == nil {
		g.err = err
	}
	return v
}

func (g *reloader) op(op ir.Op, t ir.Type, args ...ir.Val) ir.Val {
	return g.add(ir.Inst{Op: op, Type: t, Args: args})
}

// mark copies the ops of an instruction, from lo to before hi, with its loads.
func (g *reloader) mark(lo, hi int) {
	last := -1
	for i := lo; i < hi; i++ {
		if reloads(g.from, &g.from.Ops[i]) {
			last = i
		}
	}
	bits := ir.Val(0)
	if last >= 0 {
		bits = g.add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: g.cell})
	}
	for i := lo; i < hi; i++ {
		if g.copy(i); reloads(g.from, &g.from.Ops[i]) {
			bits = g.op(ir.Or, ir.I1, bits, g.reload(&g.from.Ops[i]))
		}
		if i == last {
			g.add(ir.Inst{Op: ir.Set, Type: ir.I1, Cell: g.cell, Args: []ir.Val{bits, g.add(ir.Inst{Op: ir.Live, Type: ir.I1})}})
		}
	}
}

// reload returns the lanes that find something else than a store has stored. Where memory only takes stores they find
// 0, so of lanes that store different values one finds something else there, too.
func (g *reloader) reload(in *ir.Inst) ir.Val {
	t := ir.IntOf(in.Type.Bits())
	m := in.Mem
	m.Load |= ir.Volatile
	m.Silent = true
	mask := in.Args[len(in.Args)-1]
	found := g.add(ir.Inst{Op: ir.Load, Type: t, Mem: m, Args: []ir.Val{g.to[in.Args[0]], g.to[mask]}})
	any := ir.Val(-1)
	for k := range ir.Val(m.Count) {
		v := g.to[in.Args[1+k]]
		if g.n.Vals[v].Type != t {
			v = g.op(ir.Cast, t, v)
		}
		if bits := 8 * int(m.Elem); bits < t.Bits() {
			v = g.op(ir.And, t, v, g.add(ir.Inst{Op: ir.Const, Type: t, Imm: 1<<bits - 1}))
		}
		if differs := g.op(ir.Ne, t, found+k, v); any < 0 {
			any = differs
		} else {
			any = g.op(ir.Or, ir.I1, any, differs)
		}
	}
	return g.op(ir.And, ir.I1, any, g.to[mask])
}

// An overwriting observes waves of reloading code.
type overwriting struct{ r *Races }

// Observe notes a wave that ends with a bit.
func (o overwriting) Observe(e exec.Event) {
	if e.Kind != exec.WaveEnd && e.Kind != exec.FaultRaised || e.State == nil {
		return
	}
	for lane := range e.State.Lanes {
		if e.State.Get(o.r.reloading.cell, lane) != 0 {
			o.r.mu.Lock()
			o.r.overwritten = true
			o.r.mu.Unlock()
			return
		}
	}
}

// filter is Filter if lanes of one instruction matter.
func (r *Races) filter(code ir.Code) (ir.Code, exec.Observer) {
	if r.reloading == nil || r.reloading.Code != code {
		r.reloading = newReloading(code)
		r.reloads = exec.NewProgram(r.reloading)
	}
	r.overwritten = false
	return r.reloads, overwriting{r}
}
