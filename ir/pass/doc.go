// Package pass holds what any instruction set, engine or tool may do with lifted blocks: the graph of blocks,
// liveness of cells, what each guest instruction reads and writes, and rewrites that keep a block's meaning.
//
// A rewrite makes a new block and leaves the old one alone: blocks are shared. Marks stay, and accesses of memory
// in their order. Fold and Dead keep a canonical block canonical; Forward and Optimise let values cross marks,
// which ir.VerifyOptimised allows, so that such a block can only be entered at its begin. Where the state of an
// optimised block is that of the canonical one is in [Options].
package pass
