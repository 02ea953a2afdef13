// Package attila describes the unified shader of the ATTILA GPU: words of 128 bits, registers of four components,
// predicates, quads of fragments that share one program counter.
//
// Variant attila is the instruction-set text, corrected where it contradicts itself; variant sim is the reference
// simulator. Their differences are in the table of options.go, and each is an option. The text form is that of the
// reference disassembler in both, including its peculiarities: `!INV!` for an empty mask, `%f` floats. Files of
// assembly may also contain labels, comments, hexadecimal and shortest floats, and the sample of kls and zxs.
//
// A program counter is a byte address here; the reference counts instructions of 16 bytes. A register is four cells,
// 4n for x to 4n+3 for w. Constants are bank 0 of the constant space, 16 bytes each.
//
// Source: docs/reference/attila.md and the page "ATTILA Shader ISA Public". Left out: the cycle counts of the timing
// model.
package attila
