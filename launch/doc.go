// Package launch runs compute grids: workgroups in parallel on goroutines, and the waves of a group in turns between
// barriers, within limits. It knows no instruction set. How a wave of one starts (registers, kernel arguments,
// apertures) is a [Target]; the [Platform] of each set provides it. Package draw is the graphics counterpart.
//
//	l := &launch.Launch{
//		Kernel: "matmul", Program: p, Entry: ir.Key{PC: 0x100}, Engine: heddle.Reference(),
//		Grid: launch.Cover([3]uint32{1000, 1, 1}, [3]uint32{256, 1, 1}), Target: target,
//		Env: exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}},
//	}
//	result, err := l.Run(ctx)
//
// # Turns
//
// The waves of a group run one at a time, in the order of their numbers. A turn ends at a barrier, at the end of the
// wave, at a fault, and where the wave yields ([exec.Program.Yields]): at a sleep instruction; at the back edge of a
// loop that has an atomic, a volatile load or an awaited register; and at every 64th back edge of a loop that polls or
// computed jump, since it is not known statically which loops such jumps close. Both kinds count together, for each
// wave. A turn ends nowhere else, however long it takes. So the results of atomics in group memory do not depend on the
// engine, the number of workers or the limits; waves that spin for a lock or a flag let the others run; and a loop that
// only computes is never interrupted.
//
// Registers that the waves of a group share ([ir.File].Group) are the same in all of them after each turn. A Target
// must initialise them to the same values in all waves of a group.
//
// Limits are for safety: exceeding one ends the launch with an error that names it. A wave that waits for something
// that no other wave does, or for a group that starts only after its own has ended, runs into the limit of steps.
//
// Counters are exact if Launch.Counted is set; otherwise an engine may count approximately, and [exec.Counters].About
// reports that it did. The reference engine always counts exactly.
//
// A [Session] is the same launch in steps, for a debugger: it starts groups, gives turns to waves, down to a single
// instruction, and copies and restores groups in flight. Launch.Run is built on it.
//
// # Why do some launches run on one worker?
//
// The same launch must leave the same bytes, whatever the number of workers. This holds if groups do not wait for one
// another and their effects on memory do not depend on their order. An atomic operation whose old value is used breaks
// this, as do float atomics and those whose result depends on which group comes last. A launch that has one runs its
// groups in order on one worker and says so in its result, unless it is Relaxed. The same is true if the plain loads
// and stores of groups conflict, or waves reach such an atomic by computed jumps: this is detected while groups run in
// parallel, and the launch is restarted on its initial memory.
package launch
