package check

import (
	"fmt"

	"github.com/heddle-gpu/heddle/sanitize"
)

// watched is what looks at one case as it runs.
type watched struct {
	sanitize.Both
	races *sanitize.Races
	waits *sanitize.Waits
}

// watch looks for what is asked for; nil: nothing is.
func (c *checker) watch() *watched {
	if !c.Races && !c.Waits {
		return nil
	}
	w := &watched{}
	if c.Races {
		w.races = &sanitize.Races{}
		w.Both = append(w.Both, w.races)
	}
	if c.Waits {
		w.waits = &sanitize.Waits{}
		w.Both = append(w.Both, w.waits)
	}
	return w
}

// told is the first of what was found, and how much more there is; "" if nothing was.
func (w *watched) told() string {
	var list []string
	if w != nil && w.races != nil {
		for _, r := range w.races.Found() {
			list = append(list, r.String())
		}
	}
	if w != nil && w.waits != nil {
		for _, e := range w.waits.Found() {
			list = append(list, e.String())
		}
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	return fmt.Sprintf("%s; and %d other pairs of instructions", list[0], len(list)-1)
}
