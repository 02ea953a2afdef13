package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/launch"
)

// TestInexactCounters: an inexact number is marked as such, and so is a sum with an inexact part.
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

// TestWatchedCounters: a run with watchers has the same counts as one without, whether or not the execution mask tells
// which lanes wait.
func TestWatchedCounters(t *testing.T) {
	for _, example := range []string{"reduction", "transpose"} {
		var plain counters
		for _, watch := range []string{"", "--waits", "--races", "--uninit", "--sanitize=init,race,wait,sync", "--check"} {
			words := []string{"run", "--json", "--exact-counts", filepath.Join("..", "..", "examples", example)}
			if watch != "" {
				words = append(words, watch)
			}
			c := countersFrom(t, words)
			c.Seconds, c.Workers, c.Serial, c.Why = 0, 0, false, ""
			switch {
			case watch == "":
				plain = c
			case c != plain:
				t.Errorf("%s %s: %+v, want %+v as without it", example, watch, c, plain)
			}
		}
		if plain.LaneOps == 0 || !plain.Exact {
			t.Errorf("%s: %+v", example, plain)
		}
	}
}

// countersFrom returns the counters of the first program that a command runs.
func countersFrom(t *testing.T, words []string) counters {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if code := newApp(t.Context(), os.Stdin, out, os.Stderr).run(words); code != 0 {
		t.Fatalf("%v: exit code %d", words, code)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Counters counters }
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		t.Fatalf("%v: %v, %d programs", words, err, len(list))
	}
	return list[0].Counters
}
