package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// With returns an engine that runs segments of blocks by machine code.
func With(n Backend) exec.Engine { return engine{native: n} }

// Lacks says why an engine that should have machine code has none; "" if it has, or should not.
func (e engine) Lacks() string {
	if e.native == nil {
		return ""
	}
	return e.native.Lacks()
}

func (p place) public() lower.Place { return lower.Place{Kind: p.kind, At: p.at} }

func public(ps []place) []lower.Place {
	list := make([]lower.Place, len(ps))
	for i, p := range ps {
		list[i] = p.public()
	}
	return list
}

// step adds the step of the next op.
func (p *preparer) step(kind lower.StepKind, in *ir.Inst, args []place, mask place, res ...place) {
	if !p.noting {
		return
	}
	s := lower.Step{Kind: kind, Op: in.Op, Type: in.Type, Mode: in.Mode, Wave: in.Wave, Imm: in.Imm, Args: public(args), Mask: mask.public(), Res: public(res)}
	if len(in.Args) > 0 {
		s.From = p.b.Vals[in.Args[0]].Type
	}
	p.next = s
}

// cellStep adds the step of a register read or write.
func (p *preparer) cellStep(i int, o *op, args []place) {
	if !p.noting {
		return
	}
	in := &p.b.Ops[i]
	at, kind := int32(exec.IndexOf(p.m, in.Cell)), p.m.Kind(in.Cell)
	if in.Op == ir.Get {
		k := map[ir.CellKind]lower.StepKind{ir.Lane1: lower.GetMask, ir.ExecMask: lower.GetExec}[kind]
		if k == lower.Fallback {
			k = lower.GetWord
		}
		p.step(k, in, nil, place{}, p.places[in.Res])
	} else {
		k := map[ir.CellKind]lower.StepKind{ir.Lane32: lower.SetRow, ir.Lane1: lower.SetMask, ir.ExecMask: lower.SetExec}[kind]
		if k == lower.Fallback {
			k = lower.SetWord
		}
		mask := o.mask
		if mask.kind != 0 && p.full != nil && p.full[p.root[in.Args[len(in.Args)-1]]] {
			mask = place{}
		}
		var res []place
		if k == lower.SetRow {
			res = []place{{inRow, at}}
		}
		p.step(k, in, args, mask, res...)
		_, p.next.MayWriteAll = slices.BinarySearch(p.free, int32(i))
	}
	p.next.Cell = at
}

// fuse replaces ops by segments of machine code.
func fuse(n Backend, m *ir.Machine, c *code, b *lower.Block) {
	if c.Block.Serial {
		return
	}
	b.Term = public(c.term)
	ending, targets := c.ending(m)
	b.Ending = ending
	unit, pieces := n.Compile(b)
	if len(pieces) == 0 {
		return
	}
	c.unit, c.targets, c.over, c.joins = unit, targets, ending.Kind == lower.TermEnd, ending.Step == ir.CtlJoin || ending.Lowest
	if p := pieces[0]; p.From == 0 && p.To == len(b.Steps) {
		c.entry, c.asks = p.At, p.Exits
		return
	}
	ops := make([]op, 0, len(c.ops))
	at := 0
	for _, p := range pieces {
		ops = append(append(ops, c.ops[at:p.From]...), op{run: runNative, imm: uint64(p.At), mark: c.ops[p.From].mark})
		at = p.To
	}
	c.ops = slices.Clip(append(ops, c.ops[at:]...))
}

func runNative(r *runner, o *op) bool {
	r.worker.Call(r.st, r.unit, int(o.imm))
	return true
}

// fused returns the code of a block with machine code, for waves of one width.
func fused(n Backend, p *exec.Program, at ir.Key, lanes int, usual, dense, asked, ahead bool, unseen *exec.LiveOut) (*code, error) {
	f, err := optimised(p, usual, unseen).Get(at)
	if err != nil {
		return nil, err
	}
	var w *wants
	if ahead {
		if w, err = wantsOf(p); err != nil {
			return nil, err
		}
	}
	made, b := prepareSteps(f, p.Machine(), usual, dense, asked, w)
	b.Lanes = lanes
	b.Stride = (lanes + 15) / 16 * 16
	fuse(n, p.Machine(), made, b)
	return made, nil
}

// CodeBytes returns the size of the machine code.
func (c *code) CodeBytes() int {
	if c.unit == nil {
		return 0
	}
	return c.unit.CodeBytes()
}
