package spec_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/spec"
	"github.com/heddle-gpu/heddle/isa"
)

// page is docs/spec.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sizeOf returns the size of the document of a set or of one variant, in megabytes.
func sizeOf(t *testing.T, set *isa.Set, variant int, brief bool) float64 {
	_, text := written(t, set, spec.What{Variant: variant, Runs: func(*isa.Def) bool { return !brief }})
	return float64(len(text)) / 1e6
}

// TestSizes: the sizes of documents on the page are right, to the digits given.
func TestSizes(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([0-9.]+) MB \\| ([0-9.]+) MB \\| (?:([0-9.]+) MB \\((\\w+)\\))? *\\|$")
	rows := row.FindAllStringSubmatch(page(t), -1)
	if len(rows) != len(sets.Sets()) {
		t.Fatalf("%d rows of sizes, %d sets", len(rows), len(sets.Sets()))
	}
	same := func(what, said string, size float64) {
		_, digits, _ := strings.Cut(said, ".")
		if got := strconv.FormatFloat(size, 'f', len(digits), 64); got != said {
			t.Errorf("%s: %s MB, the page says %s", what, got, said)
		}
	}
	for _, r := range rows {
		// The document has all variants.
		set := sets.Entries()[slices.IndexFunc(sets.Entries(), func(e sets.Entry) bool { return e.Name == r[1] })].Set()
		same(r[1]+" --brief", r[2], sizeOf(t, set, spec.AllVariants, true))
		if testing.Short() {
			continue
		}
		same(r[1], r[3], sizeOf(t, set, spec.AllVariants, false))
		if r[5] != "" {
			one, err := sets.Lookup(r[1] + ":" + r[5])
			if err != nil {
				t.Fatal(err)
			}
			same(r[1]+":"+r[5], r[4], sizeOf(t, one.Set, one.Variant, false))
		}
	}
}

// TestSketch: the page's decoder in Python prints the output on the page.
func TestSketch(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: no python3")
	}
	text := page(t)
	_, rest, ok := strings.Cut(text, "In Python, steps 2 and 3")
	code, say, ok2 := strings.Cut(rest, "\n\nWith a document of ")
	said := regexp.MustCompile("(?s)^`(\\S+)` and the bytes `([0-9a-f]+)` it prints `([^`]+)`, then\\s`([^`]+)`").FindStringSubmatch(say)
	if !ok || !ok2 || said == nil {
		t.Fatal("the page has no sketch in Python with what it prints")
	}
	_, code, _ = strings.Cut(code, "\n\n")
	dir := t.TempDir()
	target, err := sets.Lookup(said[1])
	if err != nil {
		t.Fatal(err)
	}
	_, doc := written(t, target.Set, spec.What{Variant: target.Variant, Runs: func(*isa.Def) bool { return false }})
	files := map[string]string{"doc.json": string(doc), "sketch.py": strings.ReplaceAll("\n"+code, "\n    ", "\n")}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "sketch.py", "doc.json", said[2])
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("%s\n%s\n", said[3], said[4]); err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%v\n%s\nwant first\n%s", err, out, want)
	}
}
