package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// Limits of what one package may allocate before main: a few sync.OnceValue and sentinel errors.
const (
	mostAtStart      = 10
	mostBytesAtStart = 1 << 10
)

// TestNothingAtStart: allocations of packages before main cost every command time. Tables that the compiler cannot lay
// out must be made at their first use.
func TestNothingAtStart(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("tables that count coverage are made at run time")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line := regexp.MustCompile(`(?m)^init github\.com/heddle-gpu/heddle/(\S+) @.*, (\d+) bytes, (\d+) allocs$`)
	seen := map[string]bool{}
	for _, m := range line.FindAllSubmatch(out, -1) {
		pkg := string(m[1])
		seen[pkg] = true
		bytes, _ := strconv.Atoi(string(m[2]))
		allocs, _ := strconv.Atoi(string(m[3]))
		// This package has the tables of its tests, too.
		if pkg != "cmd/heddle" && (bytes > mostBytesAtStart || allocs > mostAtStart) {
			t.Errorf("%s: %d allocations of %d bytes before main, at most %d of %d", pkg, allocs, bytes, mostAtStart, mostBytesAtStart)
		}
	}
	for _, pkg := range []string{"isa/attila", "object", "internal/platforms/gcn"} {
		if !seen[pkg] {
			t.Errorf("%s is not in the trace:\n%s", pkg, out)
		}
	}
}
