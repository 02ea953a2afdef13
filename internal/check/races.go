package check

import (
	"fmt"

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

// Races are those that were found, in words.
func (w *Watched) Races() (list []string) {
	if w == nil || w.races == nil {
		return nil
	}
	for _, r := range w.races.Found() {
		list = append(list, r.String())
	}
	return list
}

// Waits are the waits that were found missing, in words.
func (w *Watched) Waits() (list []string) {
	if w == nil || w.waits == nil {
		return nil
	}
	for _, e := range w.waits.Found() {
		list = append(list, e.String())
	}
	return list
}

// told is the first of what was found, and how much more there is; "" if nothing was.
func (w *Watched) told() string {
	list := append(w.Races(), w.Waits()...)
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return fmt.Sprintf("%s; and %d other pairs of instructions", list[0], len(list)-1)
}
