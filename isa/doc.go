// Package isa holds what the instruction sets share: tables of instructions compiled into a decoder, an encoder, a
// printer, a parser and a lift to package ir; diagnostics. It knows no instruction set; packages isa/gcn and so on
// declare one each, as an Arch. Files of assembly are the business of package asm.
//
//	bytes --Target.Decode--> Inst --Inst.Encode--> bytes
//	text  --Scan.Parse-----> Inst --Printer------> text
//	                         Inst --Target.LiftOne--> ir.Block
//
// # Rows
//
// A row of a table is a Def: mnemonic, layout (Encoding), opcode, operands and modifiers (Arg), meaning. Compile checks
// the rows and makes a Set: what is wrong with a table is an error there, and not a surprise while decoding.
//
// An Arg is a field of the layout seen through a Kind, where printer and parser stand side by side. Its Place says where
// its text stands: among the operands, before the mnemonic or right behind it, behind the operands, or nowhere. What
// stands beside the mnemonic or behind the operands is read in any order, each once.
//
// An operand is a base value with Parts: a sign, a swizzle, a bank, an index, each a field of its own. A part has text
// before its operand, behind it or around it, or is Silent: then the operand's kind prints and reads it (Arg.Part,
// Scan.SetPart). A part that is Shared is one field for all operands that have it. A part without bits is text that is
// known and refused, so that the message can say so.
//
//	layout   a: bits 8-15, neg: 38, abs: 39, bank: 57-58
//	row      Arg{Name: "a", Parts: []Part{{Name: "neg", Side: Before}, {Name: "abs", Side: Around}, {Name: "bank", Shared: true}}}
//	text     -|c2[5]|
//
// ExampleCompile is this as a whole set. Def.Check refuses fields that are legal one by one and not together, when
// decoding and when assembling. Code of a set reads fields by Name, an index that Compile has resolved for each row.
//
// # Targets
//
// A Target is a set as one program uses it: variant, stage, dialect of text, options. It decodes, prints, parses and
// lifts. The stage is in the Inst, so that a kind can print what a field means there. A Target is read-only and safe for
// many goroutines.
//
// # Groups and layouts
//
// Where several parts issue together, Arch.Group takes bundles apart and puts them together; rows then have a class, and
// each class its own decoding tree. Where the form or the padding of an instruction depends on its neighbours or on its
// address, Arch.Layout chooses once addresses are known. Let short instructions come in pairs, and long ones lie at multiples
// of 8 bytes. Layout sees a file as Units:
//
//	   nop               at 0, short: nothing follows that can be its partner, so Layout sets Long
//	a: mul r1, r2, r3    at 4, long
//	   bra a             at 12, long; 4 is no place of a target, which is an error of this round only
//
// It has changed something, so everything is read again, nop in its long form; now a is 8, and Layout returns false. Labels
// are treated as unknown until the first layout, so that each instruction has been read once before.
//
// A set whose layout is just that, pairs of short instructions, says so with Arch.Pairs: the assembler then lays out while it reads.
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
