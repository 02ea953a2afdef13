// Package stepping is what people see of a run instruction by instruction: the lines of a trace, the state of a wave where a run
// stops, a session at a terminal. All of it looks on as an exec.Stepper, so it knows no instruction set: names and places come from
// the code (ir.Described).
package stepping
