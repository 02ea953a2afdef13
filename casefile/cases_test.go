package casefile

import (
	"os"
	"path/filepath"
	"testing"
)

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
