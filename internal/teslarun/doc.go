// Package teslarun contains only tests: instructions of isa/tesla, run by the reference engine and compared with
// formulas written in the tests. They are not in isa/tesla because an instruction set, including its tests, imports no
// engine.
package teslarun
