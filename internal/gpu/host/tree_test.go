//go:build linux && amd64

package host

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRenames: links with ".." resolve while other files are renamed; Linux refuses one in some thousand of them.
func TestRenames(t *testing.T) {
	tree, err := NewTree()
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := tree.File("/a/b/c/file", "text"); err != nil {
		t.Fatal(err)
	}
	if err := tree.Link("/x/y/link", "../../a/b/../b/c/../c"); err != nil {
		t.Fatal(err)
	}
	var renamed atomic.Bool
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	if err := os.Mkdir(one, 0o777); err != nil {
		t.Fatal(err)
	}
	go func() {
		for range 20_000 {
			os.Rename(one, two)
			os.Rename(two, one)
		}
		renamed.Store(true)
	}()
	for !renamed.Load() {
		fd, err := tree.open("/x/y/link/file", unix.O_RDONLY)
		if err != nil {
			t.Errorf("%v", err)
			break
		}
		unix.Close(fd)
	}
}
