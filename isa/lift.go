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
	ISA     *Set
	Variant int
	Stage   int
	In      *Inst
	Bundle  *Bundle
	Mode    uint32  // the bits of the mode cell that ModeMask selects
	Next    uint64  // address after the instruction
	Scratch [8]ir.V // for the forms of an ISA: values that live inside one instruction
	Data    any     // for the ISA, made by its Start

	options map[string]string
	exec    ir.V
	guard   ir.V
	failed  *liftFailure
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

// Guard narrows the mask of the instruction's effects; it is set before the meaning runs.
func (l *Lift) Guard(cond ir.V) { l.guard = cond }

// Mask is the mask of the instruction's effects: the execution mask and the guard.
func (l *Lift) Mask() ir.V {
	if !l.guard.Valid() {
		return l.Exec()
	}
	return l.Exec().And(l.guard)
}

// Fail says that the instruction cannot be lifted and why; the block then traps there.
func (l *Lift) Fail(reason ir.TrapReason, text string) {
	if l.failed == nil {
		l.failed = &liftFailure{reason, text}
	}
}

// Option is the value of one of the instruction set's options.
func (l *Lift) Option(name string) string {
	if v, ok := l.options[name]; ok {
		return v
	}
	for i := range l.ISA.Options {
		if o := &l.ISA.Options[i]; o.Name == name {
			return o.Default
		}
	}
	panic("isa: option " + name + " is not declared")
}

// Bundle lifts what issues together as one guest instruction. It returns false when the block has to end there.
func (l *Lift) bundle(b *Bundle, size int) bool {
	first := &b.Parts[0]
	from := l.Here()
	l.Builder.Mark(first.Addr, size, 0)
	l.Bundle, l.Next = b, first.Addr+uint64(size)
	l.exec, l.guard, l.failed = ir.V{}, ir.V{}, nil
	for i := range b.Parts {
		l.In = &b.Parts[i]
		l.one()
		if l.failed != nil {
			l.Cut(from)
			l.Builder.Mark(first.Addr, size, 0)
			l.Trap(l.failed.reason, l.failed.text)
			return false
		}
	}
	return !l.Done()
}

func (l *Lift) one() {
	d := l.In.Def
	if d.Meaning == nil {
		l.Fail(d.Lack.reason(), d.Name+": "+d.Lack.String())
		return
	}
	if d.Form != nil && d.Form.Before != nil {
		d.Form.Before(l)
	}
	if l.failed != nil {
		return
	}
	d.Meaning.lift(l)
	if d.Form != nil && d.Form.After != nil && l.failed == nil {
		d.Form.After(l)
	}
}

func (k Lack) reason() ir.TrapReason {
	if k == LackUndefined {
		return ir.TrapUndefined
	}
	return ir.TrapUnimplemented
}

// String says in words why a row cannot run.
func (k Lack) String() string {
	switch k {
	case LackUndefined:
		return "the reference documents give no meaning"
	case LackGraphics:
		return "needs a graphics stage, which is not built yet"
	}
	return "its meaning is not built yet"
}

// LiftOne lifts a single bundle as a block of its own; after it execution goes on at the next address.
func (s *Set) LiftOne(variant, stage int, b *Bundle, mode uint32, options map[string]string) *ir.Block {
	l := s.newLift(variant, stage, ir.Key{PC: b.Parts[0].Addr, Mode: mode}, options)
	if l.bundle(b, b.Size()) {
		l.Jump(l.Next)
	}
	return l.Finish()
}

func (s *Set) newLift(variant, stage int, at ir.Key, options map[string]string) *Lift {
	m := s.Machine(variant)
	l := &Lift{Builder: ir.NewBuilder(m, at), ISA: s, Variant: variant, Stage: stage, Mode: at.Mode, options: options}
	if s.Start != nil {
		s.Start(l)
	}
	return l
}
