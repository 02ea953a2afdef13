// Package portable is the fast engine of every platform: the interpreter of the lowered blocks of package lower, and
// the runner of blocks of all tiers.
//
// The interpreter binds a Go function to each step of a block, once, by op, width, and whether operands are per lane
// or uniform. Functions compute in groups of four lanes, active or not. Steps without a function are executed by
// package lanewise, as in the reference engine.
//
// A block has two forms. Waves that enter at its beginning, and may run to its end, use the optimised one, in which
// the state is up to date only at the end of the block and where it can fault. The canonical form is for waves that
// enter or leave inside. A block that was visited often enough gets machine code if the engine has a [Backend]: for
// the whole block, so that blocks are chained without a return to Go, or for segments of it.
package portable
