package check

import (
	"github.com/heddle-gpu/heddle/sanitize"
)

// Watched is what looks at one case, or at the launches of one program, as they run. It is a launch.Watcher.
type Watched struct {
	sanitize.Both
	races *sanitize.Races
	waits *sanitize.Waits
}

// Watch looks for races, for waits that are missing, or for both; nil: for nothing.
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
