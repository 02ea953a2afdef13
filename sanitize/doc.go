// Package sanitize observes the waves of a launch and finds what hardware does not forgive although a run here
// succeeds. It knows no instruction set.
//
// [Races] finds data races in workgroup and global memory: accesses of two waves, at least one a write, that neither a
// barrier of their workgroup nor the end of a launch orders. It replaces a program's code by code with probes before
// accesses, and observes the run. So it works with any engine, and a run without it costs nothing.
//
// [Waits] finds instructions that touch a register before an outstanding operation has written it, in the same way:
// in a lane in which the operation writes it. So for registers that an operation has yet to read, and for barriers
// before which a store to group memory is outstanding. It also tells waits that wait for nothing.
package sanitize
