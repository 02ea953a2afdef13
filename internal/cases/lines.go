package cases

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

// longest is the length that a line of a file of cases can have, in bytes.
const longest = 64 << 20

// Lines are the lines of a gzip file.
func Lines(t testing.TB, path string) (lines []string) {
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
	s := bufio.NewScanner(z)
	s.Buffer(nil, longest)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(path, err)
	}
	return lines
}

// Objects are the lines of a gzip file, each of which is an object of JSON.
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
