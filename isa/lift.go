package isa

import (
	"github.com/heddle-gpu/heddle/ir"
)

// A Meaning is what an instruction computes: one of the function types below, so that a row's
// column holds a bare name. Those of values take sources and give results; the row's Form reads the
// operands before and writes the results after. Eff is for what touches state.
type Meaning interface{ lift(l *Lift) }

type (
	// M1 to M4 take that many sources and give one result.
	M1 func(a ir.V) ir.V
	M2 func(a, b ir.V) ir.V
	M3 func(a, b, c ir.V) ir.V
	// M2x2 and M3x2 give two results.
	M2x2 func(a, b ir.V) (ir.V, ir.V)
	M3x2 func(a, b, c ir.V) (ir.V, ir.V)
	// Eff does all of it.
	Eff func(l *Lift)
)

func (f M1) lift(l *Lift) { l.Dst(0, f(l.Src(0))) }
func (f M2) lift(l *Lift) {
	a := l.Src(0)
	l.Dst(0, f(a, l.Src(1)))
}
func (f M3) lift(l *Lift) {
	a := l.Src(0)
	b := l.Src(1)
	l.Dst(0, f(a, b, l.Src(2)))
}
func (f M2x2) lift(l *Lift) {
	a := l.Src(0)
	x, y := f(a, l.Src(1))
	l.Dst(0, x)
	l.Dst(1, y)
}
func (f M3x2) lift(l *Lift) {
	a := l.Src(0)
	b := l.Src(1)
	x, y := f(a, b, l.Src(2))
	l.Dst(0, x)
	l.Dst(1, y)
}
func (f Eff) lift(l *Lift) { f(l) }

// A Lift turns one instruction into IR ops. Its result depends on the instruction, the variant,
// the static mode and the options only.
type Lift struct {
	*ir.Builder
	Target  *Target
	In      *Inst
	Bundle  *Bundle
	Mode    uint32  // the bits of the mode cell that ModeMask selects
	Next    uint64  // address after the instruction
	Scratch [8]ir.V // for the forms of an ISA: values that live inside one instruction
	Data    any     // for the ISA, made by its Start

	exec   ir.V
	guard  ir.V
	mask   ir.V // exec and guard, once asked for
	failed *liftFailure
	skip   bool     // the rest of the instruction is left out
	from   ir.Point // where the bundle began
}

type liftFailure struct {
	reason ir.TrapReason
	text   string
}

// Src is source operand i, Dst writes result i, as the row's form says.
func (l *Lift) Src(i int) ir.V    { return l.In.Def.Form.Src(l, i) }
func (l *Lift) Dst(i int, v ir.V) { l.In.Def.Form.Dst(l, i, v) }

// Exec is the execution mask as it was when the instruction began.
func (l *Lift) Exec() ir.V {
	if !l.exec.Valid() {
		l.exec = l.Builder.Exec()
	}
	return l.exec
}

// Option is the value, by index, of the option of that index in Arch.Options.
func (l *Lift) Option(i int) int { return l.Target.Option(i) }

// Guard narrows the mask of the instruction's effects; it is set before the meaning runs.
func (l *Lift) Guard(cond ir.V) { l.guard, l.mask = cond, ir.V{} }

// Mask is the mask of the instruction's effects: the execution mask and the guard.
func (l *Lift) Mask() ir.V {
	if !l.guard.Valid() {
		return l.Exec()
	}
	if !l.mask.Valid() {
		l.mask = l.Exec().And(l.guard)
	}
	return l.mask
}

// Skip leaves out the rest of the instruction, which has no effect: Arch.Before calls it where a mode of the machine
// says that instructions are skipped.
func (l *Lift) Skip() { l.skip = true }

// Fail says that the instruction cannot be lifted and why; the block then traps there.
func (l *Lift) Fail(reason ir.TrapReason, text string) {
	if l.failed == nil {
		l.failed = &liftFailure{reason, text}
	}
}

// bundle lifts what issues together as one guest instruction, or what the set's group makes of it. It returns false
// when the block has to end there. Nothing that an earlier bundle left reaches a later one.
func (l *Lift) bundle(b *Bundle) bool {
	l.Bundle, l.In, l.Next = b, &b.Parts[0], b.Addr()+uint64(b.Size())
	l.exec, l.guard, l.mask, l.failed, l.Scratch = ir.V{}, ir.V{}, ir.V{}, nil, [8]ir.V{}
	l.ResetFloat()
	if start := l.Target.Start; start != nil {
		start(l)
	}
	l.from = l.Here()
	if g := l.Target.Group; g != nil && g.Lift != nil {
		g.Lift(l)
	} else {
		l.Begin(0)
		for i := range b.Parts {
			if !l.LiftPart(i) {
				break
			}
		}
	}
	if l.failed != nil {
		l.Cut(l.from)
		l.Begin(0)
		l.Trap(l.failed.reason, l.failed.text)
		return false
	}
	return !l.Alone(l.from, b.Addr())
}

// Begin begins the bundle's mark of that number: 0, or of a repeat, or of a later step. It is for Group.Lift.
func (l *Lift) Begin(sub int) {
	l.Builder.Mark(l.Bundle.Addr(), l.Bundle.Size(), uint8(sub))
	l.exec, l.guard, l.mask = ir.V{}, ir.V{}, ir.V{}
}

// Repeat lifts the bundle n times as marks of their own, numbered from 0: each sees what the one before has done.
// f returns false to stop.
func (l *Lift) Repeat(n int, f func(i int) bool) {
	for i := range n {
		l.Begin(i)
		if !f(i) || l.failed != nil || l.Done() {
			return
		}
	}
}

// LiftPart lifts part i of the bundle into the mark under way. It returns false when the bundle cannot go on: it failed, or
// ended the block.
func (l *Lift) LiftPart(i int) bool {
	l.In, l.skip = &l.Bundle.Parts[i], false
	if why := l.Target.trapsUnclaimed(l.In); why != "" {
		l.Fail(ir.TrapUndefined, why)
		return false
	}
	if before := l.Target.Before; before != nil {
		before(l)
	}
	d := l.In.Def
	switch {
	case l.failed != nil:
		return false
	case l.skip:
		return !l.Done()
	case d.Meaning == nil:
		l.Fail(d.Lack.reason(), d.Name+": "+d.Lack.String())
		return false
	}
	for _, step := range [...]func(*Lift){d.before(), d.Meaning.lift, d.after(), l.Target.After} {
		if step != nil {
			step(l)
		}
		if l.failed != nil {
			return false
		}
	}
	return !l.Done()
}

func (d *Def) before() func(*Lift) {
	if d.Form == nil {
		return nil
	}
	return d.Form.Before
}

func (d *Def) after() func(*Lift) {
	if d.Form == nil {
		return nil
	}
	return d.Form.After
}

func (k Lack) reason() ir.TrapReason {
	if k == LackUndefined || k == LackForm {
		return ir.TrapUndefined
	}
	return ir.TrapUnimplemented
}

// String says in words why a row cannot run.
func (k Lack) String() string {
	switch k {
	case LackUndefined:
		return "the reference documents give no meaning"
	case LackForm:
		return "no source says what this form reads and writes"
	}
	return "its meaning is not built yet"
}

// LiftOne lifts a single bundle as a block of its own; after it execution goes on at the next address.
func (t *Target) LiftOne(b *Bundle, mode uint32) *ir.Block {
	l := t.newLift(ir.Key{PC: b.Addr(), Mode: mode})
	if l.bundle(b) {
		l.Jump(l.Next)
	}
	return l.Finish()
}

// LiftAll lifts bundles that follow each other as one block, up to the first that ends it.
func (t *Target) LiftAll(bs []Bundle, mode uint32) *ir.Block {
	l := t.newLift(ir.Key{PC: bs[0].Addr(), Mode: mode})
	for i := range bs {
		if !l.bundle(&bs[i]) {
			return l.Finish()
		}
	}
	l.Jump(l.Next)
	return l.Finish()
}

func (t *Target) newLift(at ir.Key) *Lift {
	return &Lift{Builder: ir.NewBuilder(t.Machine(), at), Target: t, Mode: at.Mode}
}
