// Package debug is a debugger's session over a run: breakpoints, steps of a wave forwards and back, watches, expressions, registers
// and memory. It knows no protocol (package debug/dap speaks one) and no instruction set.
//
// A [Session] looks on at a run as an exec.Skipper, so anything that engines run can be debugged: launches, all launches of a
// manifest, draws. A position is the number of instructions that have begun in the run. Waves take their turns as without a debugger,
// so a run that begins again comes to the same positions, and going back is to run again up to a place before: at the speed of the
// engine, as long as nobody has to look. What the user has changed, registers or memory, is changed again at the same positions. To go
// back to a position undoes what was changed behind it.
package debug
