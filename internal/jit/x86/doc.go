// Package x86 is an assembler for x86-64: functions, not text. It knows the instructions that generated code
// needs, for general registers, and for vectors those with VEX and EVEX prefixes only. There is no row for a vector
// instruction in the legacy encoding: one of them among the others costs more than a hundred of them. There is none
// for push, pop and call either: generated code leaves the stack alone.
//
// The rows (rows_*.go) are the manual's tables: prefix, map and opcode, operands in the notation of the
// opcode maps, masks, broadcast and rounding, features. They are compiled once, when the first [Asm] is made.
//
//	a := x86.New(cpu.Host())
//	loop := a.NewLabel()
//	a.Bind(loop)
//	a.Emit(x86.VADDPS, x86.Z(1).Mask(x86.K(2)), x86.Z(3), x86.At(x86.RSI, 64).Bcst(16))
//	a.Emit(x86.SUB, x86.RCX, x86.Imm(1))
//	a.Emit(x86.JNE, x86.To(loop))
//	code, err := a.Finish(nil)
//
// Operands stand in the order of Intel's manual, destination first. Rounding is the last of them.
// The first error stays, and Finish returns it, so that code that emits needs no checks of its own.
//
// An instruction takes the shortest prefix that can say it: VEX if both would do. Jumps are short where
// that reaches. What comes out does not depend on where it is put.
package x86
