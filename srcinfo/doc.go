// Package srcinfo reads what a compiler has written of the source of code for AMD GPUs: functions, variables, their types, and where a
// variable lives at an instruction. The input is DWARF 3 to 5 as clang writes it for the amdgcn target.
//
// Registers are DWARF numbers of the 64-lane mapping ([RegisterName] gives their names in assembly), and addresses are those of the file.
// The package runs nothing: what registers and memory hold comes from a [Machine], one lane of a wave.
//
// Clang appends "DW_OP_litN, DW_OP_swap, DW_OP_xderef" to the location of each variable whose address space N is not the default one, and
// keeps it when a variable moves from private memory into a register or becomes a constant. Read by the letter, that would be memory at the
// address that the register holds. So at the end of an expression the three operations say what memory a frame or file address is in, and
// nothing of a register or constant.
//
// Source: DWARF version 5; LLVM, "User Guide for AMDGPU Backend", sections "Register Identifier", "Address Space Identifier"; and the output of
// clang 14, 19 and 22, which the tests of this package and of cmd/heddle hold.
package srcinfo
