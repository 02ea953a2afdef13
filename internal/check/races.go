package check

import (
	"github.com/heddle-gpu/heddle/sanitize"
)

// Watched observes one case, or the launches of one program, as they run. It is a launch.Watcher.
type Watched struct {
	sanitize.Both
	races  *sanitize.Races
	waits  *sanitize.Waits
	uninit *sanitize.Init
	// HostReads reports whether the host reads a buffer after the run; nil: it reads all.
	HostReads func(buffer string) bool
}

// Looks says what to look for in a run.
type Looks struct {
	// Races are data races in group memory; see sanitize.Races.
	Races bool
	// Waits are instructions that access a register before an outstanding operation has written it; see sanitize.Waits.
	Waits bool
	// Uninit are uses of undefined values; see sanitize.Init.
	Uninit bool
}

// Watch returns an observer for what is looked for; nil if that is nothing.
func Watch(l Looks) *Watched {
	if l == (Looks{}) {
		return nil
	}
	w := &Watched{}
	if l.Races {
		w.races = &sanitize.Races{}
		w.Both = append(w.Both, w.races)
	}
	if l.Waits {
		w.waits = &sanitize.Waits{}
		w.Both = append(w.Both, w.waits)
	}
	if l.Uninit { // around the others, whose probes have no shadow
		w.uninit = &sanitize.Init{}
		w.Both = append(w.Both, w.uninit)
	}
	return w
}
