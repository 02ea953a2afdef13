// Package portable is the fast engine of every platform: blocks are optimised, their ops resolved to places once, and each op is a
// Go function of its own for its kind, width and operands: whether each is one a lane or one a wave.
//
// A value of up to 32 bits a lane is a row of 64 words: a register of the state where it stands, as long as nobody
// overwrites it, else a row of the runner's own. A value of 64 bits a lane is an [ir.Vec]. A condition a lane is one word, a lane mask,
// and so is all that is one a wave. Functions compute in groups of four lanes, active or not; words of a row beyond
// the wave hold anything.
//
// A block has two forms. Waves that come to its begin, and may run to its end, run the optimised one, which keeps the
// state where the block ends and where it can fault. The canonical one is for waves that begin or end inside. What there is no function
// for is done by package lanewise, as the reference engine does it.
package portable
