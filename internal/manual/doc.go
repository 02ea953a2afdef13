// Package manual describes the tables of an instruction set: how much of it is supported, the bits, operands and
// semantics of one instruction, and the reference pages in docs/.
//
// All of it is computed from the rows and from what they lift to, so it cannot differ from what runs. Text for a
// terminal, Markdown and JSON are generated from the same values.
package manual
