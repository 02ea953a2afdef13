package object

import (
	"os"
	"path/filepath"
	"testing"
)

// casesDir is the folder of the full set of cases: $HEDDLE_CASES, or shared/cases beside
// a folder above this one. The test is skipped if there is none.
func casesDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("HEDDLE_CASES"); dir != "" {
		return dir
	}
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		dir := filepath.Join(at, "shared", "cases")
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(at)
		if up == at {
			t.Skip("NOT CHECKED against the full set of cases: set HEDDLE_CASES to its folder")
		}
		at = up
	}
}

// long is whether the tests that take minutes are wanted.
func long() bool { return os.Getenv("HEDDLE_LONG") != "" }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func glob(t testing.TB, pattern ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s", filepath.Join(pattern...))
	}
	return files
}
