// Package teslarun holds tests only: instructions of isa/tesla, run by the reference engine against formulas that are
// written out in the tests. They stand here because an instruction set, its tests included, imports no engine.
package teslarun
