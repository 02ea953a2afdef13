// Package tesla is the instruction set of NVIDIA's Tesla architecture: G80, G84, GT200, MCP77 and GT215.
//
// Rows are in rows_*.go, by family: an instruction, the form that it is encoded in, its semantics. Forms (form_*.go)
// list operands; kinds of operands (text_*.go) print and read the values of fields; meanings (mean_*.go) are the
// semantics. Layouts, registers and the properties of the chips are in layout.go, regs.go and arch.go.
//
// Source: docs/reference/tesla.md.
package tesla
