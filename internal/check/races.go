package check

import (
	"github.com/heddle-gpu/heddle/sanitize"
)

// Watched observes one case, or the launches of one program, as they run. It is a launch.Watcher.
type Watched struct {
	sanitize.Both
	races *sanitize.Races
	waits *sanitize.Waits
}

// Watch returns an observer for races, missing waits, or both; nil if neither is requested.
func Watch(races, waits bool) *Watched {
	if !races && !waits {
		return nil
	}
	w := &Watched{}
	if races {
		w.races = &sanitize.Races{}
		w.Both = append(w.Both, w.races)
	}
	if waits {
		w.waits = &sanitize.Waits{}
		w.Both = append(w.Both, w.waits)
	}
	return w
}
