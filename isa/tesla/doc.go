// Package tesla is the instruction set of NVIDIA's Tesla architecture: G80, G84, GT200, MCP77 and GT215.
//
// Rows stand in rows_*.go, by family: an instruction, the form that it is encoded in, its meaning. Forms (form_*.go) list
// operands; kinds of operands (text_*.go) print and read what fields hold; meanings (mean_*.go) say what is computed.
// Layouts, registers and what the chips have stand in layout.go, regs.go and arch.go.
//
// Source: docs/reference/tesla.md.
package tesla
