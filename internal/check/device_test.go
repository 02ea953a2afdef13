package check

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
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

// TestOtherCode: a finding is told of code that takes the place of other code with one.
func TestOtherCode(t *testing.T) {
	var told []uint64
	d := WatchDevice(sanitize.CheckMemory, nil, func(f Findings, _ string) {
		for i := range f.Findings {
			told = append(told, f.Findings[i].Found.Addr)
		}
	})
	for _, addr := range []uint64{0x1000, 0x2000} {
		_, ended := d.Dispatch()
		ended(&exec.Fault{Mem: &mem.Fault{Addr: addr, Size: 4}})
	}
	if !slices.Equal(told, []uint64{0x1000, 0x2000}) {
		t.Errorf("told %#x", told)
	}
}
