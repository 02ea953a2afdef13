// Package launch runs compute grids: work-groups over goroutines, the waves of a group in turns between
// barriers, within limits. It knows no instruction set; how a wave of one begins (registers, kernel
// arguments, apertures) is a [Target], and those are the packages below this one. Package draw is the
// graphics side.
//
//	l := &launch.Launch{
//		Kernel: "matmul", Program: p, Entry: ir.Key{PC: 0x100}, Engine: ref.New(),
//		Grid: launch.Cover([3]uint32{1000, 1, 1}, [3]uint32{256, 1, 1}), Target: target,
//		Env: exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}},
//	}
//	result, err := l.Run(ctx)
//
// # Turns
//
// The waves of a group run one at a time, in the order of their numbers. A turn ends at a barrier, at
// the end of the wave, at a fault, and where the wave yields ([exec.Program.Yields]): at a sleep
// instruction; where a loop that has an atomic, a volatile load, an awaited register or a load that polls begins another
// round; and behind jumps to places that are computed, because nobody sees which loops they close. It
// ends nowhere else, however long it takes. So the results of atomics in group memory are the same
// whatever the engine, the number of workers or the limits; waves that spin for a lock or a flag give
// the others their turn; and a loop that only computes is never interrupted.
//
// Registers that the waves of a group share ([ir.File].Group) are the same in all of them after each turn. A Target gives
// all waves of a group the same there.
//
// Limits are for safety: who meets one ends the launch with an error that says so. A wave that waits for
// something that no other wave does, or for a group that begins only after its own has ended, meets
// the limit of steps.
//
// Counters are exact if Launch.Counted is set; otherwise an engine may count nearly, and
// [exec.Counters].About says that it did. The reference engine always counts exactly.
//
// A [Session] is the same launch in steps, for a debugger: it begins groups, gives turns to waves, down to
// a single instruction, copies and restores groups in flight. Launch.Run is made of it.
//
// # Why are some launches run on one worker?
//
// The same launch leaves the same bytes, whatever the number of workers: groups do not wait for
// one another, and what they leave in memory does not depend on their order. An atomic operation
// whose old value is used breaks this, as do float atomics and those whose result depends on who
// comes last. A launch that has one runs its groups in order on one worker and says so in its
// result, unless it is Relaxed. So does one whose groups meet in memory by plain loads and stores: this
// is found as they run beside each other, and the launch begins again on memory as it was.
package launch
