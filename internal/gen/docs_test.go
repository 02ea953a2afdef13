package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUpToDate: the committed files are those generated from the tables.
func TestUpToDate(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is not what the tables give: run go run ./internal/gen", name)
		}
	}
}
