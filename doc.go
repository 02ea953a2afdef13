// Package heddle runs GPU machine code without the GPU: it assembles, disassembles, checks, executes and
// explains shader binaries of five instruction sets on any CPU. This package holds no code; its example
// shows the road from text to results:
//
//	isa/all     instruction sets by name
//	isa         decode, print, assemble, list and lift, from tables
//	ir          what instructions mean
//	exec        waves and engines that run them
//	launch      grids of work-groups; launch/hsa: kernels as the HSA runtime starts them
//	object      code objects, manifests and case files
//	check       case files against all of it
//	eval        a few instructions on one wave
//	manual      what the tables say, for people
//
// The command is cmd/heddle. docs/rationale.md says why things are as they are.
package heddle
