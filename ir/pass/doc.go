// Package pass holds what any instruction set, engine or tool may do with lifted blocks: the graph of blocks,
// liveness of cells, what each guest instruction reads and writes, and rewrites that keep a block's meaning.
//
// A rewrite makes a new block and leaves the old one alone: blocks are shared. Marks stay, with their effects
// in the same order, so that an engine can stop at any of them with complete state. Fold and Dead keep a
// canonical block canonical; Forward lets values cross marks, which ir.VerifyOptimised allows.
package pass
