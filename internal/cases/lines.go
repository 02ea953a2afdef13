package cases

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// Text returns the contents of a gzip file.
func Text(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(path, err)
	}
	return text
}

// Lines returns the lines of a gzip file.
func Lines(t testing.TB, path string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(string(Text(t, path))) {
		lines = append(lines, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
	}
	return lines
}

// Objects decodes the lines of a gzip file, each of which is a JSON object.
func Objects[T any](t testing.TB, path string) []T {
	t.Helper()
	lines := Lines(t, path)
	list := make([]T, len(lines))
	for i, text := range lines {
		if err := json.Unmarshal([]byte(text), &list[i]); err != nil {
			t.Fatalf("%s: line %d: %v", path, i+1, err)
		}
	}
	return list
}
