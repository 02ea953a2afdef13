package cases_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// TestSeeds: a fuzz target has a few hundred seeds from every file, without duplicates or long ones.
func TestSeeds(t *testing.T) {
	for pattern, word := range map[string]string{"state/*.jsonl.gz": `"name"`, "pairs/*.tsv.gz": "\t", "pairs/attila-*": "attila", "pairs/gcn-*": "gcn"} {
		seeds := cases.Seeds(t, 300, pattern)
		if len(seeds) < 200 || len(seeds) > 320 {
			t.Errorf("%s: %d seeds", pattern, len(seeds))
		}
		for _, s := range seeds {
			if !strings.Contains(s, word) || len(s) > 4096 || s[0] == '#' {
				t.Errorf("%s: %q", pattern, s)
			}
		}
		slices.Sort(seeds)
		if all := len(seeds); len(slices.Compact(seeds)) < all-all/10 {
			t.Errorf("%s: many seeds are there twice", pattern)
		}
	}
}
