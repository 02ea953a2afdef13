package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// reloading is code that loads what each store has stored, with a probe of the lanes in which that is something else:
// another lane of the instruction has stored to the same place.
type reloading struct {
	ir.Code
	local bool // only in memory of groups
}

// overwrittenKind is the kind of the probes.
const overwrittenKind = firstKind

// Unwrap returns the code without loads.
func (p *reloading) Unwrap() ir.Code { return p.Code }

// Block returns the block with its loads.
func (p *reloading) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || !slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { return p.reloads(b, &in) }) {
		return b, err
	}
	c := copyOf(p.Machine(), b)
	c.To.Plain = b
	for at := range b.Marks {
		c.Begin(at)
		for i, hi := b.MarkOps(at); i < hi; i++ {
			if c.Keep(i); p.reloads(b, &b.Ops[i]) {
				c.Add(ir.Inst{Op: ir.Probe, Imm: overwrittenKind, Args: []ir.Val{c.reload(&b.Ops[i])}})
			}
		}
	}
	return c.To, c.Err
}

// reloads reports whether what an op stores is loaded again: it is a store of lanes to memory that they share.
func (p *reloading) reloads(b *ir.Block, in *ir.Inst) bool {
	_, masked := b.Mask(in)
	return in.Op == ir.Store && masked && in.Mem.Space != ir.PrivateSpace && !(p.local && in.Mem.Space == ir.GlobalSpace)
}

// reload returns the lanes that find something else than a store has stored. Where memory only takes stores they find
// 0, so of lanes that store different values one finds something else there, too.
func (c *copying) reload(in *ir.Inst) ir.Val {
	t := ir.IntOf(in.Type.Bits())
	m := in.Mem
	m.Load |= ir.Volatile | ir.Silent
	mask := in.Args[len(in.Args)-1]
	found := c.Add(ir.Inst{Op: ir.Load, Type: t, Mem: m, Args: []ir.Val{c.Vals[in.Args[0]], c.Vals[mask]}})
	any := ir.Val(-1)
	for k := range ir.Val(m.Count) {
		v := c.Vals[in.Args[1+k]]
		if c.Type(v) != t {
			v = c.Op(ir.Cast, t, v)
		}
		if bits := 8 * int(m.Elem); bits < t.Bits() {
			v = c.Op(ir.And, t, v, c.Add(ir.Inst{Op: ir.Const, Type: t, Imm: 1<<bits - 1}))
		}
		if differs := c.Op(ir.Ne, t, found+k, v); any < 0 {
			any = differs
		} else {
			any = c.Op(ir.Or, ir.I1, any, differs)
		}
	}
	return c.Op(ir.And, ir.I1, any, c.Vals[mask])
}

// An overwriting observes waves of reloading code.
type overwriting struct{ r *Races }

// OnlyProbes says that probes are all that it looks at.
func (o overwriting) OnlyProbes() bool { return true }

// Observe notes a lane that has found something else.
func (o overwriting) Observe(e exec.Event) {
	if e.Kind == exec.Probed && slices.ContainsFunc(e.Probes, func(p exec.Probe) bool { return p.Kind == overwrittenKind }) {
		o.r.mu.Lock()
		o.r.overwritten = true
		o.r.mu.Unlock()
	}
}

// filter is Filter if lanes of one instruction matter.
func (r *Races) filter(code ir.Code) (ir.Code, exec.Observer) {
	r.overwritten = false
	return r.reloads.of(code, func(int) *exec.Program { return exec.NewProgram(&reloading{code, r.Local}) }), overwriting{r}
}
