// Package console is a debugger at a terminal, with the command names of gdb, on a session of package debug. Package
// debug implements what can be done with a run; this package defines the syntax of commands and their output.
package console
