package cases

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// maxSeed bounds a seed: the fuzzer changes short inputs faster, and to better effect.
const maxSeed = 4 << 10

// Repository is the folder of the cases that are part of the repository.
func Repository(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "cases")
		}
		up := filepath.Dir(at)
		if up == at {
			t.Fatal("no go.mod above the test")
		}
		at = up
	}
}

// Seeds are n lines of the repository's case files that fit a pattern, such as state/*.jsonl.gz, for a fuzz target to
// begin with: as many of each file, evenly spread over it, and none that is long. They are of every family in the files,
// which lie sorted.
func Seeds(t testing.TB, n int, pattern string) (seeds []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository(t), filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files fit %s: %v", pattern, err)
	}
	each := (n + len(files) - 1) / len(files)
	for _, f := range files {
		lines := slices.DeleteFunc(Lines(t, f), func(s string) bool { return s == "" || s[0] == '#' || len(s) > maxSeed })
		for i := range min(each, len(lines)) {
			seeds = append(seeds, lines[i*len(lines)/min(each, len(lines))])
		}
	}
	return seeds
}
