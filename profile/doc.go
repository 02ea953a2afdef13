// Package profile counts what the waves of launches do, exactly: how often each instruction ran and in how many lanes,
// which way branches went, and which parts of memory each access touched. It knows no instruction set.
//
// A [Profiler] replaces a program's code by code that also counts, and observes the run. So it works with any engine
// and any number of workers, and always counts the same, but for launches that end by a fault; a run without it costs
// nothing.
//
//	p := profile.New(func(ir.Code) profile.Memory { return profile.Memory{Line: 64, Banks: 32, Pass: 32} })
//	launch.Launch{..., Watcher: p}.Run(ctx)
//	for _, c := range p.Codes() {
//		for _, in := range c.Insts {
//			fmt.Println(in.Waves, in.Lanes, c.Text(in.PC))
//		}
//	}
//
// What the counts of memory mean is said at [Access].
package profile
