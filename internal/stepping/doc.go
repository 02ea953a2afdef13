// Package stepping presents a run instruction by instruction: the lines of a trace, the state of a wave where a run
// stops, a session at a terminal. It observes runs as an exec.Stepper and is independent of instruction sets: names and
// locations come from the code (ir.Described).
package stepping
