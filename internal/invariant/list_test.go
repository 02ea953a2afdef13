package invariant

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestList: the tests that docs/invariants.md names exist, and each invariant has one.
func TestList(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "invariants.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/.]+) ((?:Test|Fuzz)[A-Za-z]+)")
	rows := 0
	for line := range strings.Lines(string(text)) {
		tests := named.FindAllStringSubmatch(line, -1)
		if regexp.MustCompile(`^\| \d+ `).MatchString(line) {
			if rows++; len(tests) == 0 {
				t.Errorf("no test in %q", line)
			}
		}
		for _, m := range tests {
			if !declares(t, filepath.Join(root, m[1]), m[2]) {
				t.Errorf("%s has no %s", m[1], m[2])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d invariants", rows)
	}
}

// declares reports whether a test file of the folder has the test.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
