// Package meaning says for people what a lifted block does: as what kinds of numbers it reads and writes cells, and its meaning as formulas.
//
// All of it comes from the ops of the block. There is no table of instructions here, and none of instruction sets.
package meaning
