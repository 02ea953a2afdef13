// Package sanitize watches the waves of launches and finds defects that a run here hides, because it completes
// operations at once, zeroes memory and runs waves in order. It knows no instruction set.
//
// [New] returns a [Sanitizer] with a choice of checks, whose findings have one form, [Finding], and rules, [Rules]. The
// checks can also be used alone, and then say more:
//
// [Init] finds uses of undefined values, with their origin and the instructions that carried them.
//
// [Races] finds data races in workgroup and global memory: accesses of two waves, at least one a write, that neither a
// barrier of their workgroup nor the end of a launch orders.
//
// [Waits] finds instructions that access a register before an outstanding operation has written it, in a lane in which
// the operation writes it. So for registers that an operation has yet to read, and for barriers before which a store to
// group memory is outstanding. It also tells waits that wait for nothing.
//
// [Memory] finds accesses that a bound of a descriptor has ruled out, that memory has refused, or that no declaration
// allows.
//
// [Sync] finds barriers that not all of a workgroup come to in one way, and loops that wait for no wave that runs.
//
// [Numeric] finds where NaNs and infinities come from and where they matter, conversions out of range, and flushed
// denormals.
//
// Each replaces a program's code by code that also tells what it does, and observes the run. So they work with any
// engine, and a run without them costs nothing.
package sanitize
