// Package dap speaks the Debug Adapter Protocol for sessions of package debug: editors drive them with it. It knows no instruction set
// and no files of programs; a [Launcher] makes a run of what a launch request asks for.
//
// A connection is one session ([Serve]). Requests are carried out one after another; those that let the run go on are answered at once,
// and an event says where it stops. Launch is answered when the run has come to its first instruction, or has failed before: so
// breakpoints are set in code that is there.
//
// Waves are threads, or, if the launch asks for it, each lane is one. References to instructions are addresses as listings have them, above
// which the number of the program stands (codeShift); references to memory name its space: global:0x1000, group:0x0, private@5:0x10.
package dap
