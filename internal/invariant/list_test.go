package invariant

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named matches a test in the text: its folder, its name, its subtest.
var named = regexp.MustCompile("`([a-z0-9/.]+) ((?:Test|Fuzz)[A-Za-z]+)(?:/([a-z_]+))?")

// TestList: the tests that docs/invariants.md names exist, with their subtests, and each invariant has one.
func TestList(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "invariants.md"))
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`^\| (\d+) `)
	rows := 0
	for line := range strings.Lines(string(text)) {
		tests := named.FindAllStringSubmatch(line, -1)
		row, name := number.FindStringSubmatch(line), "text"
		if row != nil {
			rows++
			name = row[1]
		} else if tests == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if len(tests) == 0 {
				t.Errorf("no test in %q", line)
			}
			for _, m := range tests {
				if !declares(t, filepath.Join(root, m[1]), m[2], m[3]) {
					t.Errorf("%s has no %s", m[1], strings.TrimSuffix(m[2]+"/"+m[3], "/"))
				}
			}
		})
	}
	if rows < 20 {
		t.Errorf("%d invariants", rows)
	}
}

// TestListFinds: missing tests are detected.
func TestListFinds(t *testing.T) {
	here := filepath.Join("..", "invariant")
	for _, c := range []struct {
		dir, name, sub string
		want           bool
	}{
		{here, "TestList", "", true},
		{here, "TestLis", "", false},
		{here, "TestLists", "", false},
		{filepath.Join("..", "nowhere"), "TestList", "", false},
		{filepath.Join("..", "toy"), "TestLaws", "tables", true},
		{filepath.Join("..", "toy"), "TestLaws", "tabels", false},
	} {
		if got := declares(t, c.dir, c.name, c.sub); got != c.want {
			t.Errorf("%s %s/%s: %t", c.dir, c.name, c.sub, got)
		}
	}
}

// shared are the folders with functions that run subtests for others.
var shared = []string{"../laws", "../../internal/exectest"}

// declares reports whether a test file of the folder has the test, and the folder or a shared one the name of its
// subtest.
func declares(t *testing.T, dir, name, sub string) bool {
	t.Helper()
	if !contains(t, filepath.Join(dir, "*_test.go"), "\nfunc "+name+"(") {
		return false
	}
	if sub == "" {
		return true
	}
	for _, d := range append([]string{dir}, shared...) {
		for _, s := range []string{sub, strings.ReplaceAll(sub, "_", " ")} {
			if contains(t, filepath.Join(d, "*.go"), `"`+s+`"`) {
				return true
			}
		}
	}
	return false
}

// contains reports whether one of the files has the text.
func contains(t *testing.T, files, what string) bool {
	t.Helper()
	names, err := filepath.Glob(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), what) {
			return true
		}
	}
	return false
}
