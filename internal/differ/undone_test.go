package differ

import (
	"maps"
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/sanitize"
)

// TestUndone: what is found in a run that is undone, because groups conflict, does not count: with the check of group
// memory and others, in a launch with such memory and in one without.
func TestUndone(t *testing.T) {
	const text = `
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_waitcnt vmcnt(0)
	v_mov_b32 v10, s0
	v_mov_b32 v11, s1
	flat_load_dword v2, v[10:11]
	v_add_u32 v2, vcc, 1, v2
	flat_store_dword v[10:11], v2
	s_endpgm
`
	const waves = 64
	var want map[[2]uint64]uint64 // of one worker
	for _, lds := range []uint32{0, 4096} {
		o, _ := bareWith(t, "conflict", []byte(text), lds)
		for _, workers := range []int{1, 2} {
			w := &watchers{waits: &sanitize.Waits{}, races: &sanitize.Races{Local: true, Lanes: true}}
			w.Sanitizer = sanitize.Combine(nil, w.races, w.waits)
			if err := (&watched{block: 64, grid: 64 * waves, args: []int{64}, workers: workers}).run(o, ref.New(), w); err != nil {
				t.Fatal(err)
			}
			early, idle := countsOf(w.waits.Found()), w.waits.Idle()
			if want == nil {
				want = early
			}
			if len(early) == 0 || !maps.Equal(early, want) {
				t.Errorf("LDS %d, %d workers: missing waits %v, want %v", lds, workers, early, want)
			}
			if len(idle) != 1 || idle[0].Count != waves {
				t.Errorf("LDS %d, %d workers: waits for nothing %v, want one in %d waves", lds, workers, idle, waves)
			}
		}
	}
}
