// Package emul executes x86-64 machine code whose instructions the host processor lacks, for tests of the engines that
// emit it.
//
// A [Machine] has general registers, flags, vectors of 512 bits, mask registers and MXCSR. Its memory is that of the
// process: addresses in the code are host addresses. It supports the instructions of package x86 that have a row in
// the tables here, one per instruction name. An instruction without a row panics with its address, bytes and text.
//
// Not modelled: the sticky flags of MXCSR, the flag AF, and the memory order between processors, except for locked
// instructions. Misaligned operands panic if the instruction requires alignment. Flags that the manual leaves
// undefined keep their values.
//
// Instructions are decoded once per address. A block, up to the next jump, keeps its bytes, and is decoded again if
// these have changed.
//
// TestProcessor checks the tables: it runs the forms that the processor has on random operands on both. Without
// AVX-512 that does not cover its forms; the test has been run in Bochs, an independent emulator of whole machines,
// except for forms of AVX512_VBMI, VBMI2 and BITALG. Operands for which Bochs deviates from the manual are left out if
// an argument says that it runs in Bochs.
package emul
