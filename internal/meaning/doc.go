// Package meaning describes what a lifted block does: the number formats in which it reads and writes cells, and its
// semantics as formulas.
//
// Everything is derived from the ops of the block. There is no table of instructions here, and nothing about
// instruction sets.
package meaning
