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
// # Why are some launches run on one worker?
//
// The same launch leaves the same bytes, whatever the number of workers: groups do not wait for
// one another, and what they leave in memory does not depend on their order. An atomic operation
// whose old value is used breaks this, as do float atomics and those whose result depends on who
// comes last. A launch that has one runs its groups in order on one worker and says so in its
// result, unless it is Relaxed. Plain races between groups are the program's own.
package launch
