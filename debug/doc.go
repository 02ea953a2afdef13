// Package debug is a debugger's session over a run: breakpoints, steps of a wave forwards and back, watchpoints,
// expressions, registers and memory. It knows no protocol (package internal/dap speaks one) and no instruction set.
//
// A [Session] observes a run as an exec.Skipper, so anything that engines run can be debugged: launches, all launches
// of a manifest, draws. A position is the number of instructions that have begun in the run. Waves are scheduled as
// without a debugger, so a restarted run reaches the same positions. Going back means to restart the run and stop at
// an earlier position; up to there it runs at the speed of the engine, unless each instruction must be checked. What
// the user has changed, in registers or memory, is changed again at the same positions. Going back to a position
// undoes the changes made after it.
package debug
