// Package isa holds what the instruction sets share: tables of instructions, compiled into a decoder, an encoder, a
// printer, a parser and a lift to package ir; and diagnostics. It knows no instruction set: packages isa/gcn and so
// on each declare one, as an Arch. Package asm reads and writes files of assembly.
//
//	bytes --Target.Decode--> Inst --Inst.Encode--> bytes
//	text  --Scan.Parse-----> Inst --Printer------> text
//	                         Inst --Target.LiftOne--> ir.Block
//
// # Rows
//
// A row of a table is a Def: mnemonic, layout (Encoding), opcode, operands and modifiers (Arg), semantics (Meaning).
// Compile checks the rows and makes a Set: a fault in a table is an error there, and no surprise while decoding.
//
// An Arg is a field of the layout together with a Kind, which has printer and parser side by side. Its Place is the
// position of its text: among the operands, before the mnemonic or directly after it, after the operands, or nowhere.
// Suffixes, prefixes and modifiers are read in any order, each once.
//
// An operand is a base value with Parts: a sign, a swizzle, a bank, an index, each a field of its own. A part has
// text before its operand, after it or around it, or is Silent: then the operand's kind prints and reads it
// (Arg.Part, Scan.SetPart). A part that is Shared is one field for all operands that have it. A part without bits is
// text that is known and refused, so that the message can say so.
//
//	layout   a: bits 8-15, neg: 38, abs: 39, bank: 57-58
//	row      Arg{Name: "a", Parts: []Part{
//	             {Name: "neg", Side: Before}, {Name: "abs", Side: Around}, {Name: "bank", Shared: true}}}
//	text     -|c2[5]|
//
// ExampleCompile is a whole set of this kind. Def.Check refuses fields that are legal one by one but not together, in
// decoder and assembler. Code of a set reads fields by Name, an index that Compile has resolved for each row.
//
// # Targets
//
// A Target is a set as one program uses it: variant, stage, assembler dialect, options. It decodes, prints, parses
// and lifts. The stage is in the Inst, so that a kind can print what a field means there. A Target is read-only and
// safe for concurrent use.
//
// # Groups and layouts
//
// If several parts issue together, Arch.Group splits and joins bundles; rows then have a class, and each class its
// own decoding tree. If the form or the padding of an instruction depends on its neighbours or on its address,
// Arch.Layout chooses them once addresses are known. As an example, let short instructions come in pairs, and long
// ones lie at multiples of 8 bytes. Layout sees a file as Units:
//
//	   nop               at 0, short: no partner can follow it, so Layout sets Long
//	a: mul r1, r2, r3    at 4, long
//	   bra a             at 12, long; 4 is no valid target, which is an error of this round only
//
// Layout has changed something, so everything is read again, nop in its long form; now a is 8, and Layout returns
// false. Labels count as unknown until the first layout, so that each instruction has been read once before.
//
// A set whose layout is exactly that, pairs of short instructions, declares it by Arch.Pairs: the assembler then
// computes the layout while it reads.
//
// # Why an Inst keeps its word
//
// An Inst is the raw word, including its literal, and a pointer to its row; operands are views of the word. So no bit
// can get lost between decoding and encoding: encode(decode(w)) is w by construction, including bits that the
// hardware ignores. Canon is the instruction that its text alone would give. An Inst has no other pointers and needs
// no memory of its own, so that decoding and printing allocate nothing.
//
// # Laws
//
// Decode returns an instruction or an *Error for any bytes, and reads no byte beyond them. Encode is its inverse.
// Parsing the printed text of an instruction returns its Canon, or another encoding with the same text. The exact
// listing of any bytes assembles to these bytes. Package internal/laws checks these laws over every row of every
// table.
package isa
