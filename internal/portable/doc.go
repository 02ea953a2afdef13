// Package portable is the fast engine of every platform. Blocks are optimised, and the places of their operands
// resolved once; each op is a Go function specialised for its kind, width and operands: whether each is per lane or
// uniform.
//
// A value of up to 32 bits per lane is a row of 64 words: a register of the state where it is, until that is
// overwritten, otherwise a row of the runner. A value of 64 bits per lane is an [ir.Vec]. A condition per lane is one
// word, a lane mask; a uniform value is one word, too. Functions compute in groups of four lanes, active or not; words
// of a row above the wave's lanes have no defined contents.
//
// A block has two forms. Waves that enter at its beginning, and may run to its end, use the optimised one, in which
// the state is up to date only at the end of the block and where it can fault. The canonical form is for waves that
// enter or leave inside. Ops without a function are executed by package lanewise, as in the reference engine.
package portable
