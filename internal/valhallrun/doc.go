// Package valhallrun contains only tests: instructions of isa/valhall, run by the reference engine and compared with
// formulas written in the tests. They are not in isa/valhall because an instruction set, including its tests, imports
// no engine.
package valhallrun
