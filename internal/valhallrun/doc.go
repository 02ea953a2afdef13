// Package valhallrun holds tests only: instructions of isa/valhall, run by the reference engine against formulas that are
// written out in the tests. They stand here because an instruction set, its tests included, imports no engine.
package valhallrun
