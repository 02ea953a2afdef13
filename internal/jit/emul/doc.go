// Package emul carries out machine code of x86-64 that the processor has no instructions for: for tests of the engines that write it.
//
// A [Machine] has general registers, flags, vectors of 512 bits, mask registers and MXCSR. Its memory is that of the process: addresses in code
// are addresses. It knows what package x86 can write, as far as tables here say what that does: one row an instruction, by its
// name. What has no row is no instruction to it, and panics with the place, the bytes and the text.
//
// It is not told of: the sticky flags of MXCSR, the flag AF, the order of memory accesses of several processors, but for those
// of instructions behind lock. Operands that have to be aligned are asked for it. Flags that the manual leaves undefined stay as they were.
//
// Instructions are decoded once for each place. A block, up to the next jump, keeps its bytes, and is decoded anew where others are found.
//
// That the tables are right is shown by TestProcessor: it runs the forms that the processor has with random operands there and here. Where it has
// no AVX-512 that says nothing of its forms; the test has run in Bochs, which emulates a whole machine and has another origin, but for forms of
// AVX512_VBMI, VBMI2 and BITALG. Where Bochs does not do what the manual says, and the test is told that it is Bochs, these operands are left out.
package emul
