package isa

import (
	"github.com/heddle-gpu/heddle/ir"
)

// A Meaning is the semantics of an instruction: one of the function types below, so that a row's column holds a bare
// function name. Unary to Ternary2 map source values to results; the row's Form reads the operands
// before and writes the results after. Effect is for instructions that touch state.
type Meaning interface{ lift(l *Lift) }

type (
	// Unary, Binary and Ternary are unary, binary and ternary operations with one result.
	Unary   func(a ir.V) ir.V
	Binary  func(a, b ir.V) ir.V
	Ternary func(a, b, c ir.V) ir.V
	// Binary2 and Ternary2 are binary and ternary operations with two results.
	Binary2  func(a, b ir.V) (ir.V, ir.V)
	Ternary2 func(a, b, c ir.V) (ir.V, ir.V)
	// Effect reads its operands and writes its results, memory and control flow itself.
	Effect func(l *Lift)
)

func (f Unary) lift(l *Lift) { l.Dst(0, f(l.Src(0))) }
func (f Binary) lift(l *Lift) {
	a := l.Src(0)
	l.Dst(0, f(a, l.Src(1)))
}
func (f Ternary) lift(l *Lift) {
	a := l.Src(0)
	b := l.Src(1)
	l.Dst(0, f(a, b, l.Src(2)))
}
func (f Binary2) lift(l *Lift) {
	a := l.Src(0)
	x, y := f(a, l.Src(1))
	l.Dst(0, x)
	l.Dst(1, y)
}
func (f Ternary2) lift(l *Lift) {
	a := l.Src(0)
	b := l.Src(1)
	x, y := f(a, b, l.Src(2))
	l.Dst(0, x)
	l.Dst(1, y)
}
func (f Effect) lift(l *Lift) { f(l) }

// A Lift translates one instruction to IR. The result depends only on the instruction, the variant, the static mode
// and the options.
type Lift struct {
	*ir.Builder
	Target  *Target
	In      *Inst
	Bundle  *Bundle
	Mode    uint32  // the bits of the mode cell that ModeMask selects
	Next    uint64  // address after the instruction
	Scratch [8]ir.V // for the forms of an instruction set: values that live within one instruction
	Data    any     // for the instruction set, made by its Start

	exec   ir.V
	guard  ir.V
	mask   ir.V // exec and guard, once requested
	failed *liftFailure
	skip   bool     // the rest of the instruction is left out
	from   ir.Point // where the bundle began
}

type liftFailure struct {
	reason ir.TrapReason
	text   string
}

// Src reads source operand i, Dst writes result i, as the row's form says.
func (l *Lift) Src(i int) ir.V    { return l.In.Def.Form.Src(l, i) }
func (l *Lift) Dst(i int, v ir.V) { l.In.Def.Form.Dst(l, i, v) }

// Exec returns the execution mask as it was when the instruction began.
func (l *Lift) Exec() ir.V {
	if !l.exec.Valid() {
		l.exec = l.Builder.Exec()
	}
	return l.exec
}

// Option returns the chosen value, as an index, of option i of Arch.Options.
func (l *Lift) Option(i int) int { return l.Target.Option(i) }

// Guard narrows the mask of the instruction's effects; it must be called before the semantics run.
func (l *Lift) Guard(cond ir.V) { l.guard, l.mask = cond, ir.V{} }

// Mask returns the mask of the instruction's effects: the execution mask and the guard.
func (l *Lift) Mask() ir.V {
	if !l.guard.Valid() {
		return l.Exec()
	}
	if !l.mask.Valid() {
		l.mask = l.Exec().And(l.guard)
	}
	return l.mask
}

// Skip leaves out the rest of the instruction, which has no effect. Arch.Before calls it if a mode of the machine
// skips instructions.
func (l *Lift) Skip() { l.skip = true }

// Fail records that the instruction cannot be lifted and why; the block then traps there.
func (l *Lift) Fail(reason ir.TrapReason, text string) {
	if l.failed == nil {
		l.failed = &liftFailure{reason, text}
	}
}

// bundle lifts a bundle as one guest instruction, or as the set's group defines. It returns false if the block must
// end there. No state of an earlier bundle reaches a later one.
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

// Begin begins mark sub of the bundle: 0, or that of a repeat, or of a later step. It is for Group.Lift.
func (l *Lift) Begin(sub int) {
	l.Builder.Mark(l.Bundle.Addr(), l.Bundle.Size(), uint8(sub))
	l.exec, l.guard, l.mask = ir.V{}, ir.V{}, ir.V{}
}

// Repeat lifts the bundle n times, each as a mark of its own, numbered from 0; each sees the effects of the one
// before. f returns false to stop.
func (l *Lift) Repeat(n int, f func(i int) bool) {
	for i := range n {
		l.Begin(i)
		if !f(i) || l.failed != nil || l.Done() {
			return
		}
	}
}

// LiftPart lifts part i of the bundle into the current mark. It returns false if the bundle cannot continue: it
// failed, or ended the block.
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

// String explains why a row cannot run.
func (k Lack) String() string {
	switch k {
	case LackUndefined:
		return "the reference documents give no meaning"
	case LackForm:
		return "no source says what this form reads and writes"
	}
	return "its meaning is not built yet"
}

// LiftOne lifts a single bundle as a block of its own, which continues at the next address.
func (t *Target) LiftOne(b *Bundle, mode uint32) *ir.Block {
	l := t.newLift(ir.Key{PC: b.Addr(), Mode: mode})
	if l.bundle(b) {
		l.Jump(l.Next)
	}
	return l.Finish()
}

// LiftAll lifts consecutive bundles as one block, up to the first that ends it.
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
