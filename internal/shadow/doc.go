// Package shadow rewrites code so that it also computes which bits of its registers and memory are undefined: the
// shadow of a memory sanitizer, as ops of the same IR. So every engine runs it, machine code included.
//
// The rewritten code is for the machine [ir.Shadowed]: each register file and each bank of memory has a second one, in
// which a bit is 1 if the bit in its place is undefined. Next to each op the rewriter places those that compute the
// shadow of its results. What it places follows from the op's row (ir.OpInfo.Shadow), and for ops whose shadow can be
// known better from a row in [rules].
//
// Undefined values may be copied and computed with. Where one matters, the code tells an observer by a probe: an
// address, a branch, the execution mask, a register index, a descriptor, what a stage puts out. The value counts as
// defined in the rest of the instruction. Probes of a second kind tell the way of undefined values through
// registers and memory: see [Site].
//
// Nearly all values of nearly all programs are defined. So a block has a form that expects it (ir.Block.Likely), in
// which only what the block loads and stores has a shadow.
package shadow
