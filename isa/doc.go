// Package isa holds what the instruction sets share: tables of instructions compiled into a decoder, an encoder, a
// printer, a parser and a lift to package ir; the assembler front end; listings; diagnostics. It knows no instruction
// set; packages isa/gcn and so on declare one each, as an Arch.
//
// A row of a table is a Def: mnemonic, layout (Encoding), opcode, operands and modifiers (Arg), meaning. An operand is a
// field of the layout seen through a Kind, where printer and parser stand side by side. Compile checks the rows and
// makes a Set.
//
//	bytes --Decoder.Decode--> Inst --Inst.Encode--> bytes
//	text  --Scan.Parse------> Inst --Printer------> text
//	                          Inst --Set.LiftOne--> ir.Block
//	file  --Set.Assemble----> Assembly        bytes --Set.List--> file
//
// # Why an Inst keeps its word
//
// An Inst is the raw word, its literal included, and a pointer to its row; operands are views of the word. So no bit
// can get lost between decoding and encoding: encode(decode(w)) is w by construction, bits that the hardware ignores
// included. What text alone would give is Canon. An Inst has no other pointers and needs no memory of its own, so that
// decoding and printing allocate nothing.
//
// # Laws
//
// Decode gives an instruction or an *Error, whatever the bytes, and reads no byte beyond them. Encode is its inverse.
// Parsing what an instruction prints as gives its Canon, or another encoding that prints as the same text. The exact
// listing of any bytes assembles to these bytes. Package internal/laws checks them over every row of every table.
package isa
