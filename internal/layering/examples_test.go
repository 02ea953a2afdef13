package layering

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestExamples: the documentation of every importable package has an example that go test runs.
func TestExamples(t *testing.T) {
	public, shown := map[string]bool{}, map[string]int{}
	for _, s := range tree(t) {
		if strings.HasPrefix(s.pkg, "internal/") || strings.Contains(s.pkg, "/internal/") || s.syntax.Name.Name == "main" {
			continue
		}
		if !s.test {
			public[s.pkg] = true
			continue
		}
		n, err := runnable(s.name, s.text)
		if err != nil {
			t.Fatal(err)
		}
		shown[s.pkg] += n
	}
	lack := map[string]bool{} // rows of unshown that are needed
	for pkg := range public {
		why, row := "", ""
		for _, u := range unshown {
			if _, ok := fits(u.pkg, pkg); ok {
				why, row = u.why, u.pkg
				break
			}
		}
		switch {
		case shown[pkg] == 0 && why == "":
			t.Errorf("%s: no example with an // Output: in its tests of package NAME_test; if it needs none, say why in unshown", pkg)
		case shown[pkg] == 0:
			lack[row] = true
		case why != "":
			t.Errorf("%s has an example: it is no exception any more (%s)", pkg, why)
		}
	}
	for _, u := range unshown {
		if !lack[u.pkg] {
			t.Errorf("%s is an exception for nothing: strike it out", u.pkg)
		}
	}
	if len(public) < 20 {
		t.Errorf("only %d public packages were found", len(public))
	}
}

// runnable counts the examples of a file that go test runs and compares with their expected output. They must be in an
// external test package, as readers would write them.
func runnable(name string, text []byte) (n int, err error) {
	if !bytes.Contains(text, []byte("\nfunc Example")) {
		return 0, nil // most files have none; they are not parsed again
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	if err != nil || !strings.HasSuffix(f.Name.Name, "_test") {
		return 0, err
	}
	for _, e := range doc.Examples(f) {
		if e.Output != "" {
			n++
		}
	}
	return n, nil
}

// TestRunnable: an example that go test only compiles, or that shows no use, does not count.
func TestRunnable(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"package a_test\nfunc ExampleA() {\n\tprintln()\n\t// Output:\n\t// 1\n}", 1},
		{"package a_test\nfunc Example() {\n\tprintln()\n\t// Unordered output:\n\t// 1\n}\nfunc Example_b() {\n\t// Output: 2\n}", 2},
		{"package a\nfunc ExampleA() {\n\t// Output:\n\t// 1\n}", 0},
		{"package a_test\nfunc ExampleA() {\n\tprintln()\n}", 0},
		{"package a_test\nfunc ExampleA() {\n\tprintln()\n\t// Output:\n}", 0},
		{"package a_test\nfunc example() {\n\t// Output:\n\t// 1\n}", 0},
	} {
		if got, err := runnable("a_test.go", []byte(tt.text)); got != tt.want || err != nil {
			t.Errorf("%d examples, %v, want %d in\n%s", got, err, tt.want, tt.text)
		}
	}
}
