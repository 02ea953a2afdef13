// Package srcinfo reads the debug information of code for AMD GPUs: functions, variables, their types, and where a
// variable lives at an instruction. The input is DWARF 3 to 5 as clang writes it for the amdgcn target.
//
// Registers are DWARF numbers of the 64-lane mapping ([RegisterName] returns their names in assembly), and addresses
// are those of the file. The package runs nothing: the contents of registers and memory come from a [Machine], one
// lane of a wave.
//
// Clang appends "DW_OP_litN, DW_OP_swap, DW_OP_xderef" to the location of each variable whose address space N is not
// the default one, and keeps it when a variable moves from private memory into a register or becomes a constant.
// Taken literally, that would be memory at the address in the register. So at the end of an expression, the three
// operations set the address space of a frame or file address, and have no effect on a register or constant.
//
// Source: DWARF version 5; LLVM, "User Guide for AMDGPU Backend", sections "Register Identifier", "Address Space
// Identifier"; and the output of clang 14, 19 and 22, which the tests of this package and of cmd/heddle contain.
package srcinfo
