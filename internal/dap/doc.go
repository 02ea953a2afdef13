// Package dap implements the Debug Adapter Protocol for sessions of package debug, so that editors can drive them. It
// knows no instruction set and no files of programs; a [Launcher] makes a run from a launch request.
//
// A connection is one session ([Serve]). Requests are executed one after another; those that continue the run are
// answered at once, and an event reports where it stops. Launch is answered when the run has reached its first
// instruction, or has failed before: so breakpoints are set in loaded code.
//
// Waves are threads, or each lane is one if the launch requests it. References to instructions are addresses of
// listings, with the number of the program above them (codeShift); references to memory name its space:
// global:0x1000, group:0x0, private@5:0x10.
package dap
