// Package valhall is the instruction set of Arm's Valhall GPUs and their successors: architectures
// 9 to 14, from Mali-G57 to Mali-G1.
//
// Rows are in rows_*.go, by family: an instruction, the form of its operands, its semantics. Forms (form.go,
// form_operand.go) list operands and modifiers; kinds (text_*.go) print and read field values; meanings (mean_*.go)
// lift instructions. Layout, registers and variants are in layout.go, regs.go and arch.go.
//
// Source: docs/reference/valhall.md.
package valhall
