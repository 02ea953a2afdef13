// Package valhall is the instruction set of Arm's Valhall GPUs and their successors: architectures 9 to 14, from Mali-G57 to Mali-G1.
//
// Rows stand in rows_*.go, by family: an instruction, the form of its operands, its meaning. Forms (form.go, form_operand.go)
// list operands and modifiers; kinds (text_*.go) print and read what fields hold; meanings (mean_*.go) say what is computed.
// The layout, registers and what the chips have stand in layout.go, regs.go and arch.go.
//
// Source: docs/reference/valhall.md.
package valhall
