// Package attilarun holds tests only: the state cases of isa/attila, run by the reference engine, and whether they
// run every row. They stand here because an instruction set, its tests included, imports no engine.
package attilarun
