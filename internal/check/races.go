package check

import (
	"fmt"

	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// watcher looks for races in one case, if that is asked for.
func (c *checker) watcher() (*sanitize.Races, launch.Watcher) {
	if !c.Races {
		return nil, nil
	}
	r := &sanitize.Races{}
	return r, r
}

// told is what was found, "" if nothing was.
func told(r *sanitize.Races) string {
	if r == nil {
		return ""
	}
	list := r.Found()
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0].String()
	}
	return fmt.Sprintf("%v; and %d other pairs of instructions", list[0], len(list)-1)
}
