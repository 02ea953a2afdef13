//go:build unix

package limit_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// TestPipe: a pipe without a writer is rejected at once, by name and in a folder.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip("no pipes here: ", err)
	}
	_, byPath := limit.ReadFile(filepath.Join(dir, "pipe"), ten)
	_, byName := limit.Folder{Of: filepath.Join(dir, "m.json"), What: "manifest"}.Read("pipe", ten)
	for _, err := range []error{byPath, byName} {
		if err == nil || !strings.HasSuffix(err.Error(), "pipe: is a pipe; only regular files are read") {
			t.Error(err)
		}
	}
}
