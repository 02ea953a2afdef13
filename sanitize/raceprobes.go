package sanitize

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// access is a memory op of the code, or the part of a store that one probe tells.
type access struct {
	in    Instruction
	how   How
	mem   ir.Mem
	whole bool // an access of the wave as a whole
	at    int  // the first element of the part, and their number; 0: the probe has the address only
	elems int
	polls bool // of the lanes whose comparing exchange does not happen, which is a load past caches
}

// firstKind is the kind of the first probe: those of others may be lower.
const firstKind = 1 << 32

// values is how many operands a probe has after the address.
const values = ir.MaxComponents - 1

// probed is code with a probe before each access that may race, and two behind a comparing exchange.
type probed struct {
	racingKey
	r        *Races
	program  *exec.Program
	accesses kinds[access] // from firstKind on
}

// A racingKey is code, and whether its probes are of the memory of groups, and of global memory.
type racingKey struct {
	ir.Code
	group, global bool
}

// Unwrap returns the code without probes.
func (p *probed) Unwrap() ir.Code { return p.Code }

// Block returns the block with its probes.
func (p *probed) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || !slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { _, is := p.howOf(&in); return is }) {
		return b, err
	}
	c := copyOf(p.Machine(), b)
	for at := range b.Marks {
		c.Begin(at)
		for i, hi := b.MarkOps(at); i < hi; i++ {
			in := &b.Ops[i]
			_, masked := b.Mask(in)
			swaps := masked && in.Op == ir.AtomicRMW && in.Mem.Atomic == ir.AtomicCmpSwap
			if swaps { // its result says in which lanes it has happened
				c.Keep(i)
			}
			if p.probe(&c, i, b.Marks[at].PC, swaps); !swaps {
				c.Keep(i)
			}
		}
	}
	return c.To, c.Err
}

// probe adds the probes of op i of the instruction at pc, if it has some. swaps says that it is a comparing exchange.
func (p *probed) probe(c *copying, i int, pc uint64, swaps bool) {
	in := &c.From.Ops[i]
	how, is := p.howOf(in)
	if !is {
		return
	}
	x := access{in: instructionAt(p.Code, pc), how: how, mem: in.Mem}
	mask, masked := c.From.Mask(in)
	if x.whole = !masked; masked {
		mask = c.Vals[mask]
	} else {
		mask = c.Op(ir.Live, ir.I1)
	}
	addr := c.Number(c.Vals[in.Args[0]])
	if swaps {
		p.swap(c, in, x, addr, mask)
		return
	}
	for x.at = 0; ; {
		args := []ir.Val{addr}
		if how == Stores {
			x.elems = min(int(in.Mem.Count)-x.at, values)
			for _, v := range in.Args[1+x.at:][:x.elems] {
				args = append(args, c.Number(c.Vals[v]))
			}
		}
		p.tell(c, x, mask, args...)
		if x.at += x.elems; how != Stores || x.at == int(in.Mem.Count) {
			return
		}
	}
}

// swap adds the probes of a comparing exchange: where what was there was the comparand, and where it was not.
func (p *probed) swap(c *copying, in *ir.Inst, x access, addr, mask ir.Val) {
	was, comparand := c.Vals[in.Res], c.Vals[in.Args[2]]
	for _, op := range []ir.Op{ir.Eq, ir.Ne} {
		x.polls = op == ir.Ne
		p.tell(c, x, c.Op(ir.And, ir.I1, c.Op(op, c.Type(was), was, comparand), mask), addr)
	}
}

// tell adds a probe.
func (p *probed) tell(c *copying, x access, mask ir.Val, args ...ir.Val) {
	c.Add(ir.Inst{Op: ir.Probe, Imm: p.add(x), IO: ir.IOAttr{Count: uint8(len(args))}, Args: append(args, mask)})
}

// howOf returns what an op does to memory; false: nothing, or memory in which races are not looked for.
func (k *racingKey) howOf(in *ir.Inst) (how How, is bool) {
	switch s := in.Mem.Space; {
	case s == ir.GroupSpace && !k.group:
		return 0, false
	case s == ir.GroupSpace || s == ir.FlatSpace:
	case s != ir.GlobalSpace || !k.global:
		return 0, false
	}
	switch in.Op {
	case ir.Load:
		return Loads, true
	case ir.Store:
		return Stores, true
	case ir.AtomicRMW:
		return Atomic, true
	}
	return 0, false
}

// add makes the kind of a probe.
func (p *probed) add(x access) uint64 {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	return p.accesses.add(firstKind, x)
}
