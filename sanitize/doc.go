// Package sanitize looks at what the waves of a launch do, and finds what hardware does not forgive although a run here goes
// through. It knows no instruction set.
//
// [Races] finds accesses of group memory that no barrier orders: of two waves of a group, one of which writes. It takes the
// place of a program's code with one that has probes in front of accesses, and is told of them as the observer of the run. So any
// engine does, and a run that nobody looks at pays nothing.
//
// [Waits] finds instructions that touch a register before a pending operation has written it there, in the same way: in a lane in which
// the operation writes it.
package sanitize
