package check

import (
	"testing"

	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// TestDispatches: one watcher is for many launches, and does not grow for ever.
func TestDispatches(t *testing.T) {
	d := WatchDevice(sanitize.CheckAll, nil, func(Findings, string) {})
	watchers := map[launch.Watcher]bool{}
	for range 4 * mostDispatches {
		w, ended := d.Dispatch()
		watchers[w] = true
		ended(nil)
	}
	if len(watchers) != 4 {
		t.Errorf("%d watchers, want 4", len(watchers))
	}
}
