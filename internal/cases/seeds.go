package cases

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// maxSeed limits the size of a seed: the fuzzer mutates short inputs faster and with better results.
const maxSeed = 4 << 10

// Repository returns the folder of the cases that are part of the repository.
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

// Seeds returns n lines of the repository's case files that match a pattern, such as state/*.jsonl.gz, as seeds of a
// fuzz target: the same number from each file, evenly spread over it, and no long ones. They cover every family in the
// files, which are sorted.
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
