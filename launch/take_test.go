package launch

import (
	"testing"

	"github.com/heddle-gpu/heddle/mem"
)

// TestTake: groups are taken in order, each once, the first one by one, and towards the end few at a time; a launch
// that runs in order and is watched takes them one by one.
func TestTake(t *testing.T) {
	for _, c := range []struct {
		groups  uint64
		workers int
		most    uint64 // at once
		prints  *mem.Footprints
	}{{1, 2, 1, nil}, {100, 2, 12, nil}, {10_000, 2, mostAtOnce, nil}, {10_000, 3, mostAtOnce, nil}, {130, 1, mostAtOnce, nil}, {130, 1, 1, &mem.Footprints{}}} {
		d := &dispatch{Session: &Session{groups: c.groups}, res: &Result{Workers: c.workers}, prints: c.prints}
		next, most, last := uint64(0), uint64(0), uint64(0)
		for i := 0; ; i++ {
			at, end := d.take()
			if at >= c.groups {
				break
			}
			if at != next || end <= at || end > c.groups || c.workers > 1 && i < c.workers && end != at+1 {
				t.Fatalf("%+v: take %d gives %d to %d, behind %d", c, i, at, end, next)
			}
			next, most, last = end, max(most, end-at), end-at
		}
		if next != c.groups || most != c.most || c.workers > 1 && last > 1 {
			t.Errorf("%+v: %d groups are taken, %d at once, %d at last", c, next, most, last)
		}
	}
}
