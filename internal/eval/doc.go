// Package eval runs a few instructions on one wave from a given state and reports what changed: the answer to "what
// does this instruction do with these values", for emulator authors.
//
//	p, errs := eval.Assemble(target, "v_add_f32 v0, v1, v2")
//	r, err := p.Run(ctx, eval.Setup{Regs: regs})
//	for _, c := range r.Changes { ... }
//
// A program is statements of assembly with labels, separated by semicolons; a statement may also be bytes in
// hexadecimal. The run ends at the end of the text, or when the wave ends.
//
// Registers are named as in the instruction set; values are integers, floats, or lists of one value per lane
// (ParseAssign). Result.Case converts a result to a case of package object.
package eval
