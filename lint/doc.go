// Package lint finds in machine code what hardware does not forgive: single instructions that break a rule, and above
// all sequences of instructions that do.
//
//	code, entries --> steps --> blocks --> states at block starts --> findings
//
// From the entries, all reachable code is decoded into steps, one per instruction: what it reads and writes (operand
// roles), what it leaves outstanding or waits for, where control continues (lift). Steps form basic blocks. A state
// says what may be true before an instruction, on any path to it: which registers are pending, which have been
// written, which writes are recent. States are merged at the starts of blocks until a fixed point is reached; then
// each block is walked once more, and the rules are checked.
//
// A set's rules are described by its isa.Flow and its table of rules. This package knows no instruction set.
package lint
