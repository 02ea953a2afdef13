// Package x86 is an assembler for x86-64 with a function interface instead of text. It has the instructions that
// generated code needs: for general registers, and for vectors those with VEX and EVEX prefixes only. There are no
// vector instructions in the legacy encoding: a single one among the others costs more than a hundred of them. There
// is no push, pop or call either: generated code does not use the stack.
//
// The rows (rows_*.go) are the manual's tables: prefix, map and opcode, operands in the notation of the opcode maps,
// masks, broadcast and rounding, features. They are compiled once, when the first [Asm] is made.
//
//	a := x86.New(cpu.Host())
//	loop := a.NewLabel()
//	a.Bind(loop)
//	a.Emit(x86.VADDPS, x86.Z(1).Mask(x86.K(2)), x86.Z(3), x86.At(x86.RSI, 64).Bcst(16))
//	a.Emit(x86.SUB, x86.RCX, x86.Imm(1))
//	a.Emit(x86.JNE, x86.To(loop))
//	code, err := a.Finish(nil)
//
// Operands are in the order of Intel's manual, destination first. Rounding is the last of them. The first error is
// kept, and Finish returns it, so that callers need not check each Emit.
//
// An instruction gets the shortest prefix that can encode it: VEX if both can. Jumps are short where possible. The
// code is independent of its address.
package x86
