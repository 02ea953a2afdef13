// Package cases finds the full set of cases, which is outside the repository, for tests.
package cases

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder that Find finds, or skips the test if there is none.
func Dir(t testing.TB) string {
	t.Helper()
	dir, ok := Find()
	if !ok {
		t.Skip("NOT CHECKED against the full set of cases: set HEDDLE_CASES to its folder")
	}
	return dir
}

// Find returns the folder of the full set of cases: $HEDDLE_CASES, or shared/cases next to a parent folder.
func Find() (dir string, ok bool) {
	if dir := os.Getenv("HEDDLE_CASES"); dir != "" {
		return dir, true
	}
	at, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		dir := filepath.Join(at, "shared", "cases")
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, true
		}
		up := filepath.Dir(at)
		if up == at {
			return "", false
		}
		at = up
	}
}
