package portable

import (
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
)

// TestLines checks that the scratch rows begin at a cache line.
func TestLines(t *testing.T) {
	for range 50 {
		r := engine{}.NewRunner(exec.NewProgram(nil)).(*runner)
		if at := uintptr(unsafe.Pointer(r.scratch())); at%64 != 0 {
			t.Fatalf("rows begin %d bytes after a line", at%64)
		}
	}
}
