// Package gcnrun contains only tests: instructions of isa/gcn, run by the reference engine and compared with formulas
// written in the tests. They are not in isa/gcn because an instruction set, including its tests, imports no engine.
package gcnrun
