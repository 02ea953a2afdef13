// Package eval runs a few instructions on one wave from a given state and says what changed: the
// answer to "what does this instruction do with these values", for emulator authors.
//
//	p, errs := eval.Assemble(target, "v_add_f32 v0, v1, v2")
//	r, err := p.Run(ctx, eval.Setup{Regs: regs})
//	for _, c := range r.Changes { ... }
//
// A program is statements of assembly with labels, separated by semicolons, some of which may be bytes
// in hexadecimal. It ends where its text ends, or where the wave does.
//
// Registers are written as the instruction set writes them; values as integers, floats, or lists of
// one value a lane (ParseAssign). A result can be turned into a case of package object (Result.Case).
package eval
