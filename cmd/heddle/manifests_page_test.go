package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManifestsPage runs the commands of docs/manifests.md in order.
func TestManifestsPage(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "manifests.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(text), "\\\n", "")
	n := 0
	for line := range strings.SplitSeq(page, "\n") {
		command, is := strings.CutPrefix(line, "    $ ")
		if !is {
			continue
		}
		n++
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	if n < 5 {
		t.Errorf("%d commands", n)
	}
}
