package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A binder selects a function for each step of a block.
type binder struct {
	m         *ir.Machine
	ir        *ir.Block
	c         *code
	*observed // of canonical blocks
}

// bind returns the code of a lowered block; seen is for what canonical blocks observe.
func bind(b *lower.Block, seen *observed) *code {
	own := b.Frame.Own
	c := &code{
		Frame: b.Frame, ops: make([]op, 0, len(b.Steps)), term: b.Term, marks: b.Starts, words: b.Words,
		rows: b.Rows, vecs: b.Vecs, sites: b.Sites, early: b.Early, entry: -1,
	}
	if len(c.term) > 0 {
		t := own.Term().Op
		c.masked, c.far = t.Info().Flags&ir.Masked != 0, t == ir.CtlStepX
		if c.far {
			c.slots = 1 // see runner.addresses
		}
	}
	p := &binder{m: b.Machine, ir: own, c: c, observed: seen}
	for i := range b.Steps {
		c.ops = append(c.ops, p.op(&b.Steps[i]))
		c.asks = c.asks || c.ops[i].more != nil
	}
	return c
}

// op returns the op of a step.
func (p *binder) op(s *lower.Step) op {
	o := op{mark: s.Mark, mask: s.Mask, mode: s.Mode, imm: s.Imm, mayExit: s.MayExit, kind: s.Kind, op: s.Op, typ: s.Type}
	if len(s.Res) > 0 {
		o.d = s.Res[0].At
	}
	if len(s.Res) > 1 {
		o.e = s.Res[1].At
	}
	switch {
	case p.move(s, &o):
	case s.Kind == lower.Observe:
		p.observe(s, &o)
	case s.Inst == nil:
		made(s, &o)
	case s.Broadcast:
		p.broadcast(s, &o)
	default:
		args := s.Args
		if s.Uniform.Kind != 0 {
			args = append([]lower.Place{s.Uniform}, args[1:]...)
		}
		p.compute(s, &o, args)
	}
	return o
}

// moves has the functions of steps that move a register or a mask, or test one, by kind.
var moves = [...]func(r *runner, o *op) bool{
	lower.GetWord: getWord, lower.GetMask: getMask, lower.GetExec: getExec,
	lower.SetWord: setWord, lower.SetMask: setMask, lower.SetExec: setExec,
	lower.CopyRow: copyRow, lower.SetRow: setRow, lower.Expect: expect,
}

// move builds the op of a step that moves has a function for, and reports whether it is one.
func (p *binder) move(s *lower.Step, o *op) bool {
	if int(s.Kind) >= len(moves) || moves[s.Kind] == nil {
		return false
	}
	o.run = moves[s.Kind]
	o.put(s.Args)
	switch s.Kind {
	case lower.GetWord, lower.GetMask, lower.GetExec:
		o.a = s.Cell
	case lower.SetWord, lower.SetExec:
		o.d = s.Cell
	case lower.SetMask:
		if o.d = s.Cell; s.Mask.Kind == 0 {
			o.run = setWholeMask
		}
	case lower.SetRow:
		switch word := s.Args[0].Kind == lower.InWord; {
		case word && s.Mask.Kind == 0:
			o.run = fillRow
		case word:
			o.run = setRowWord
		case s.Mask.Kind == 0:
			o.run = copyRow
		}
	case lower.CopyRow:
		if s.Args[0].Kind == lower.InWord {
			o.run = fillRow
		}
	}
	return true
}

// made builds the op of a step that the lowering has made: a value in the lanes of a mask, 0 in others, or a word of 64
// bits in all lanes.
func made(s *lower.Step, o *op) {
	if s.Op != ir.Select {
		o.run = fillVec
		o.put(s.Args[:1])
		return
	}
	o.run = maskedRow
	if s.Args[1].Kind == lower.InWord {
		o.run = maskedWord
	}
	o.mask, o.a = s.Args[0], s.Args[1].At
}

// compute builds the op of an instruction with operands at these places, by the first way that fits.
func (p *binder) compute(s *lower.Step, o *op, args []lower.Place) {
	switch {
	case s.Op.Info().Class == ir.Pure && s.Wave && p.onWords(s, o, args):
	case p.onMasks(s, o, args):
	case p.onRows(s, o, args):
	case p.choice(s, o, args):
	case !s.Wave && p.onFloats(s, o, args):
	case p.across(s, o, args):
	case p.onLanes(s, o, args):
	case p.onMemory(s, o, args):
	case p.onResources(s, o, args):
	default:
		p.generic(s, o, args, s.Res)
	}
}

// put sets the operands of the op.
func (o *op) put(args []lower.Place) {
	o.wave = 0
	for i, to := range [...]*int32{&o.a, &o.b, &o.c} {
		if i < len(args) {
			*to = args[i].At
			o.wave |= bit(args[i].Kind == lower.InWord) << i
		}
	}
}

// generic leaves the op to package lanewise.
func (p *binder) generic(s *lower.Step, o *op, args, res []lower.Place) {
	x := &extra{args: slices.Clip(args), res: res}
	if o.mask.Kind != 0 {
		x.args = append(x.args, o.mask)
	}
	at := make([]lanewise.Place, len(x.args))
	for i := range x.args {
		at[i].Slot = i
		if k := x.args[i].Kind; k == lower.InRow || k == lower.InVec || k == lower.InMask {
			at[i].Wide = ir.MaxLanes - 1
		}
	}
	x.generic = lanewise.NewOp(p.m, p.ir, s.Inst, at, len(p.c.ops), int(s.Mark), p.c.PC(int(s.Mark)))
	for k := range res {
		x.generic.Res = append(x.generic.Res, len(x.args)+k)
	}
	p.c.slots = max(p.c.slots, len(x.args)+len(res))
	o.more, o.run = x, runGeneric
}
