// Package pass holds analyses and rewrites of lifted blocks for any instruction set, engine or tool: the control
// flow graph, liveness of cells, what each guest instruction reads and writes, and rewrites that preserve a block's
// semantics.
//
// A rewrite makes a new block and does not change the old one, as blocks are shared. Marks stay, and the order of
// memory accesses. Fold and Dead keep a canonical block canonical. Forward and Optimise let values be live across
// marks, which ir.VerifyOptimised allows; such a block can only be entered at its start. [Options] says where the
// state of an optimised block must equal that of the canonical one.
package pass
