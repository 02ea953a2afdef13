// Package gcn says how graphics programs of isa/gcn begin and what becomes of their exports: vertex and pixel waves as
// registers of a recorded draw ask for them, attributes from the parameters of three vertices, colours in the formats of
// exports. Package draw does what lies between.
//
// Source: docs/reference/gcn.md 14.
package gcn
