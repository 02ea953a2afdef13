package check

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/sanitize"
)

// TestRaces: among the compiled programs of Valhall one has a race, which its compiler made by moving a load after a
// barrier. It is found with both instructions. None is found in other builds of it, in other programs, or in kernels
// that use group memory.
func TestRaces(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	dir := cases.Dir(t)
	met, ran := watching(t, filepath.Join(dir, "state", "valhall-compiled.jsonl.gz"), "", Options{Sanitize: sanitize.CheckRace})
	others, kernels := watching(t, filepath.Join(dir, "kernels"), "reduce|scan|hist|transpose|bitonic|barrier|lds", Options{Sanitize: sanitize.CheckRace})
	maps.Copy(met, others)
	what := met["c19_matmul_tile.default"]
	for _, want := range []string{"race on 4 bytes", `load by wave 0 lane 8: "LOAD.i32.unsigned.slot1 @r6, ^r54, offset:0" at 0x3b8`, `store by wave 3 lane 0 in "STORE.i32.slot1 @r3, ^r54, offset:0" at 0x428`} {
		if !strings.Contains(what, want) {
			t.Errorf("c19_matmul_tile.default: %q, want %q", what, want)
		}
	}
	if delete(met, "c19_matmul_tile.default"); len(met) > 0 {
		t.Errorf("others: %v", met)
	}
	if ran+kernels < 70 {
		t.Errorf("%d programs ran", ran+kernels)
	}
}
