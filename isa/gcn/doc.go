// Package gcn describes AMD Graphics Core Next 1.0 (gfx6), 1.1 (gfx7) and 1.2 (gfx8).
//
// A wave is 64 lanes. Vector registers v0-v255 hold 32 bits per lane, scalar registers 32 bits per wave. Vector
// instructions write only the lanes whose bit is set in EXEC; scalar ones run once per wave. SCC is the scalar
// condition, VCC the usual register of lane masks, M0 an index and limit register.
//
// Text is LLVM's; that of CLRX is accepted, too (clrx.go). Sources: "GCN ISA VOP3 instructions" of CLRX and
// docs/reference/gcn.md, which lists the page's errors; opcode numbers were compared with LLVM 22 and CLRX 0.1.9.
// Rows carry the opcodes of all three generations.
//
// An instruction is a row of its family (rows_vop2.go) with a signature in words (sig.go), in each form that fits it
// (form_vop.go), with its semantics (mean_vop.go). Forms place operands in layouts (layout.go) and give them kinds,
// which print and read them (text_operand.go). The constraints on combinations of legal fields are in rules.go, the
// differences between generations in gens (arch.go). Files depend on those named later in this list, not on those
// named before.
package gcn
