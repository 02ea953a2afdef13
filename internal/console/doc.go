// Package console is a debugger at a terminal: commands named as gdb names them, over a session of package debug. All that it can do with
// a run is done there; here is how commands are written and what they print.
package console
