package main

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/launch"
)

// TestInexactCounters: a number that is not exact is not shown as if it were, and one such launch makes a sum of it.
func TestInexactCounters(t *testing.T) {
	exact := countersOf(&launch.Result{Counters: exec.Counters{Instructions: 1000, LaneOps: 7, BytesRead: 3, BytesWritten: 2}})
	near := countersOf(&launch.Result{Counters: exec.Counters{Instructions: 234, About: true}})
	if s := exact.String(); !exact.Exact || !strings.HasPrefix(s, "counters: 1 000 wave-instructions, 7 lane-operations, 3 bytes read, 2 written") {
		t.Errorf("exact: %s", s)
	}
	sum := counters{Exact: true}
	sum.add(exact)
	sum.add(near)
	if s := sum.String(); sum.Exact || !strings.HasPrefix(s, "counters: about 1 234 wave-instructions, about 7 lane-operations, about 3 bytes read, about 2 written") {
		t.Errorf("not exact: %s", s)
	}
}
