// Package manual reads the tables of an instruction set aloud: how much of it is supported, what one
// instruction's bits, operands and meaning are, and the reference pages in docs/.
//
// All of it is computed from the rows and from what they lift to, so it cannot differ from what runs.
// Text for a terminal, Markdown and JSON are made from the same values.
package manual
