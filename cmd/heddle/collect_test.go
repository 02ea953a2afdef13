//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// percent returns the current GOGC.
func percent(t *testing.T) uint64 {
	t.Helper()
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestCollectLate: only the first collection is delayed; settings of the user take precedence.
func TestCollectLate(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	const usual = 120
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "1GiB")
			if collectLate(); percent(t) != usual {
				t.Errorf("GOGC is %d", percent(t))
			}
		})
	}
	if collectLate(); percent(t) != startPercent {
		t.Fatalf("GOGC is %d at the start, want %d", percent(t), startPercent)
	}
	runtime.GC()
	for end := time.Now().Add(time.Minute); percent(t) != usual; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("GOGC is %d after a collection, want %d", percent(t), usual)
		}
	}
}

// TestNoCollection: short commands end before the first collection; with GOGC set they collect.
func TestNoCollection(t *testing.T) {
	dir := fixture(t)
	// The test binary allocates more at its start than the command, for libraries that only tests use.
	command := filepath.Join(t.TempDir(), "heddle")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []invocation{
		{"version", "version", ""},
		{"dis", "dis --isa gcn ones.bin", ""},
		{"asm", "asm --isa gcn --hex end.s", ""},
		{"lint", "lint --isa gcn end.bin", ""},
		{"eval", "eval --isa gcn 'v_mov_b32 v0, 1'", ""},
		{"explain", "explain --isa gcn s_nop", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if n := collections(t, command, &c, dir); n != 0 {
				t.Errorf("memory is collected %d times", n)
			}
		})
	}
	if c := (invocation{"dis", "dis --isa gcn ones.bin", ""}); collections(t, command, &c, dir, "GOGC=10") == 0 {
		t.Error("with GOGC=10 memory is not collected, or that is not seen")
	}
}

// collections returns how often the command collects memory.
func collections(t *testing.T, command string, c *invocation, dir string, env ...string) int {
	t.Helper()
	cmd, stderr := c.prepare(t, dir, "")
	cmd.Path = command
	cmd.Env = append(append(cmd.Environ(), "GOGC=", "GOMEMLIMIT=", "GODEBUG=gctrace=1"), env...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return strings.Count("\n"+stderr.String(), "\ngc ")
}

// TestCollectOften: collections are frequent only while large files are worked on; after that GOGC is what it would be
// otherwise.
func TestCollectOften(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	const usual, large = 120, 8 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	collectOften(large - 1)
	if percent(t) != usual {
		t.Fatalf("GOGC is %d for a small file", percent(t))
	}
	first, second := collectOften(large), collectOften(large)
	for _, end := range []func(){first, second} {
		if percent(t) != frugalPercent {
			t.Fatalf("GOGC is %d for a large file", percent(t))
		}
		end()
	}
	if percent(t) != usual {
		t.Fatalf("GOGC is %d after a large file", percent(t))
	}
	collectLate()
	end := collectOften(large)
	collectedLate(t)
	if percent(t) != frugalPercent {
		t.Fatalf("GOGC is %d after a collection", percent(t))
	}
	if end(); percent(t) != usual {
		t.Fatalf("GOGC is %d after a large file that began before the first collection", percent(t))
	}
}

// collectedLate waits until the first collection has ended the delay of collectLate.
func collectedLate(t *testing.T) {
	t.Helper()
	runtime.GC()
	after := func() int {
		frugal.Lock()
		defer frugal.Unlock()
		return frugal.after
	}
	for end := time.Now().Add(time.Minute); after() == startPercent; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("the delay has not ended")
		}
	}
}
