// Package gcn defines the initial state of graphics programs of isa/gcn and the handling of their exports: vertex and
// pixel waves as the registers of a recorded draw configure them, attributes from the parameters of three vertices,
// colours in the formats of exports. Package draw does the fixed-function steps between them.
//
// Source: docs/reference/gcn.md 14.
package gcn
