package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A function runs an op of one shape. In shapes R is a row, V a vector, M a lane mask, W a uniform value of up to 32
// bits, X one of 64; results are before the =.
type function struct {
	shape string
	to    int // bits of the op's type; 0: any up to 32
	from  int // bits of the first operand, of the second for insert; 0: any
	bits  bool
	run   func(r *runner, o *op) bool
}

// tables has all functions, by op.
var tables = [...][][]function{functions32[:], functions32x[:], functionsCompare[:], functions64[:]}

// carry returns the carry out of the sum of a, b and the lowest bit of c.
func carry(a, b, c uint64) uint64 {
	_, out := bits.Add64(a, b, c&1)
	return out
}

// borrow returns 1 if a is less than b plus the lowest bit of c.
func borrow(a, b, c uint64) uint64 {
	_, out := bits.Sub64(a, b, c&1)
	return out
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// emit builds the op of instruction i.
func (p *preparer) emit(i int) {
	in := &p.b.Ops[i]
	args := p.operands(in.Args)
	var mask place
	if _, masked := p.b.Mask(in); masked {
		mask, args = args[len(args)-1], args[:len(args)-1]
	}
	o := op{mask: mask, imm: in.Imm, mode: in.Mode}
	if in.Op == ir.Set || in.Op == ir.Get {
		p.cell(i, &o, args)
		return
	}
	res := p.results(i)
	kind := lower.Fallback
	if c := in.Op.Info().Class; c == ir.Pure || in.Op == ir.Ballot || in.Op == ir.Lanes || in.Op == ir.Any || in.Op == ir.All {
		kind = lower.Compute
	}
	p.step(kind, in, args, mask, res...)
	p.next.NeedsExit = isApart(in.Op)
	switch in.Op {
	case ir.CtlCheck:
		p.next.Imm = in.Alt
	case ir.Insert:
		p.next.From = p.b.Vals[in.Args[1]].Type
	}
	if len(res) > 0 {
		o.d = res[0].at
	}
	if len(res) > 1 {
		o.e = res[1].at
	}
	switch {
	case in.Op.Info().Class == ir.Pure && in.Wave && p.onWords(in, &o, args, len(res)):
	case p.onMasks(in, &o, args):
	case p.onRows(in, &o, args, res):
	case p.choice(in, &o, args, res):
	case !in.Wave && p.onFloats(in, &o, args):
	case p.across(in, &o, args):
	case p.onLanes(in, &o, args, res):
	case p.onMemory(in, &o, args, res):
	case p.onResources(in, &o, args, res):
	default:
		p.generic(in, &o, args, res)
	}
	p.push(o)
}

// put sets the operands of the op.
func (o *op) put(args []place) {
	o.wave = 0
	for i, to := range [...]*int32{&o.a, &o.b, &o.c} {
		if i < len(args) {
			*to = args[i].at
			o.wave |= bit(args[i].kind == inWord) << i
		}
	}
}

// onRows selects the function for the shape of a per-lane op.
func (p *preparer) onRows(in *ir.Inst, o *op, args, res []place) bool {
	if len(args) > 3 || in.Wave {
		return false
	}
	try := func(args []place) bool {
		f := p.function(in, args, res)
		if f == nil {
			return false
		}
		o.run = f.run
		o.put(args)
		return true
	}
	if try(args) {
		return true
	}
	if in.Op.Info().Flags&ir.Commutes != 0 && len(args) >= 2 {
		turned := append([]place{args[1], args[0]}, args[2:]...)
		return try(turned)
	}
	return false
}

// function returns the function of the op for operands and results at these places, nil if there is none.
func (p *preparer) function(in *ir.Inst, args, res []place) *function {
	shape := make([]byte, 0, 8)
	for _, x := range res {
		shape = append(shape, x.letter(0))
	}
	shape = append(shape, '=')
	for i, x := range args {
		shape = append(shape, x.letter(p.b.Vals[in.Args[i]].Type.Bits()))
	}
	from := 0
	if len(in.Args) > 0 {
		from = p.b.Vals[in.Args[0]].Type.Bits()
	}
	if in.Op == ir.Insert {
		from = p.b.Vals[in.Args[1]].Type.Bits()
	}
	n := in.Type.Bits()
	for _, t := range tables {
		if int(in.Op) >= len(t) {
			continue
		}
		for k := range t[in.Op] {
			f := &t[in.Op][k]
			if f.shape == string(shape) && (f.to == n || f.to == 0 && n > 1 && n <= 32) && (f.from == 0 || f.from == from) &&
				(f.bits || in.Type.Elems() == 1) {
				return f
			}
		}
	}
	return nil
}

// letter returns the letter of a place in shapes; n is the width of a uniform value.
func (pl place) letter(n int) byte {
	switch pl.kind {
	case inRow:
		return 'R'
	case inVec:
		return 'V'
	case inMask:
		return 'M'
	}
	if n == 64 || n == 1 {
		return 'X'
	}
	return 'W'
}

// onWords builds a uniform op from its scalar function.
func (p *preparer) onWords(in *ir.Inst, o *op, args []place, results int) bool {
	n := in.Type.Bits()
	from := 0
	if len(in.Args) > 0 {
		from = p.b.Vals[in.Args[0]].Type.Bits()
	}
	o.put(args)
	switch f := in.Meaning().(type) {
	case ir.Int1:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, r.words[o.a]); return true }
	case ir.Int2:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, r.words[o.a], r.words[o.b]); return true }
	case ir.Int3:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d] = f(n, r.words[o.a], r.words[o.b], r.words[o.c])
			return true
		}
	case ir.IntCvt:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(from, n, r.words[o.a]); return true }
	case ir.BitsAt:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(from, n, o.imm, r.words[o.a]); return true }
	case ir.BitsInto:
		piece := p.b.Vals[in.Args[1]].Type.Bits()
		o.run = func(r *runner, o *op) bool {
			r.words[o.d] = f(n, piece, o.imm, r.words[o.a], r.words[o.b])
			return true
		}
	default:
		return p.pairs(in, o)
	}
	return true
}

// pairs builds a uniform op that has two results, or is on floats.
func (p *preparer) pairs(in *ir.Inst, o *op) bool {
	n := in.Type.Bits()
	from := p.b.Vals[in.Args[0]].Type.Bits()
	switch f := in.Meaning().(type) {
	case ir.Int1x2:
		o.run = func(r *runner, o *op) bool { r.words[o.d], r.words[o.e] = f(n, r.words[o.a]); return true }
	case ir.Int2x2:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d], r.words[o.e] = f(n, r.words[o.a], r.words[o.b])
			return true
		}
	case ir.Int3x2:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d], r.words[o.e] = f(n, r.words[o.a], r.words[o.b], r.words[o.c])
			return true
		}
	case ir.Flt1:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, o.mode, r.words[o.a]); return true }
	case ir.Flt2:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, o.mode, r.words[o.a], r.words[o.b]); return true }
	case ir.Flt3:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d] = f(n, o.mode, r.words[o.a], r.words[o.b], r.words[o.c])
			return true
		}
	case ir.FltCvt:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(from, n, o.mode, r.words[o.a]); return true }
	default:
		return false
	}
	return true
}

// onMasks builds ops on lane masks whose results are masks, or uniform values.
func (p *preparer) onMasks(in *ir.Inst, o *op, args []place) bool {
	if int(in.Op) >= len(masks) || masks[in.Op] == nil || in.Op.Info().Class == ir.Pure && (in.Type != ir.I1 || in.Wave) {
		return false
	}
	o.run = masks[in.Op]
	o.put(args)
	return true
}

// masks has the functions on lane masks, by op.
var masks = [...]func(r *runner, o *op) bool{
	ir.And: bothMasks,
	ir.Or:  func(r *runner, o *op) bool { r.words[o.d] = r.wide(o.a, o.wave) | r.wide(o.b, o.wave>>1); return true },
	ir.Xor: func(r *runner, o *op) bool { r.words[o.d] = r.wide(o.a, o.wave) ^ r.wide(o.b, o.wave>>1); return true },
	ir.Not: func(r *runner, o *op) bool { r.words[o.d] = ^r.wide(o.a, o.wave) & r.full; return true },
	ir.Select: func(r *runner, o *op) bool {
		c := r.wide(o.a, o.wave)
		r.words[o.d] = c&r.wide(o.b, o.wave>>1) | r.wide(o.c, o.wave>>2)&^c
		return true
	},
	ir.Ballot: bothMasks,
	ir.Lanes:  func(r *runner, o *op) bool { r.words[o.d] = r.words[o.a] & r.full; return true },
	ir.Any: func(r *runner, o *op) bool {
		r.words[o.d] = bit(r.wide(o.a, o.wave)&r.wide(o.b, o.wave>>1) != 0)
		return true
	},
	ir.All: func(r *runner, o *op) bool {
		r.words[o.d] = bit(^r.wide(o.a, o.wave)&r.wide(o.b, o.wave>>1) == 0)
		return true
	},
	ir.Live: func(r *runner, o *op) bool { r.words[o.d] = r.st.Live; return true },
}

func bothMasks(r *runner, o *op) bool {
	r.words[o.d] = r.wide(o.a, o.wave) & r.wide(o.b, o.wave>>1)
	return true
}

// wide returns a mask of all lanes; the lowest bit of wave says that the condition is uniform.
func (r *runner) wide(at int32, wave uint64) uint64 {
	x := r.words[at]
	if wave&1 != 0 {
		x = -(x & 1) & r.full
	}
	return x
}

// generic leaves the op to package lanewise.
func (p *preparer) generic(in *ir.Inst, o *op, args, res []place) {
	x := &extra{args: append([]place(nil), args...), res: res}
	if o.mask.kind != 0 {
		x.args = append(x.args, o.mask)
	}
	at := make([]lanewise.Place, len(x.args))
	for i := range x.args {
		at[i].Slot = i
		if k := x.args[i].kind; k == inRow || k == inVec || k == inMask {
			at[i].Wide = ir.MaxLanes - 1
		}
	}
	x.generic = lanewise.NewOp(p.m, p.b, in, at, len(p.c.ops), p.mark, p.c.PC(p.mark))
	for k := range res {
		x.generic.Res = append(x.generic.Res, len(x.args)+k)
	}
	p.c.slots = max(p.c.slots, len(x.args)+len(res))
	o.more, o.run = x, runGeneric
}

// cell builds a register read or write; reads of rows need no op.
func (p *preparer) cell(i int, o *op, args []place) {
	in := &p.b.Ops[i]
	at, kind := int32(exec.IndexOf(p.m, in.Cell)), p.m.Kind(in.Cell)
	if in.Op == ir.Get {
		o.d, o.a, o.run = p.result(i, in.Res).at, at, getWord
		switch kind {
		case ir.Lane1:
			o.run = getMask
		case ir.ExecMask:
			o.run = getExec
		}
		p.cellStep(i, o, nil)
		p.push(*o)
		return
	}
	o.d = at
	o.put(args)
	switch {
	case kind == ir.Lane32 && args[0].kind == inWord:
		o.run = setRowWord
	case kind == ir.Lane32 && p.full != nil && (o.mask.kind == 0 || p.full[p.root[in.Args[len(in.Args)-1]]]):
		o.run = copyRow
	case kind == ir.Lane32:
		o.run = setRow
	case kind == ir.Lane1:
		o.run = setMask
	case kind == ir.ExecMask:
		o.run = setExec
	default:
		o.run = setWord
	}
	p.cellStep(i, o, args)
	p.push(*o)
}
