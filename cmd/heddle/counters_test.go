package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// TestInexactCounters: an inexact number is marked as such, and so is a sum with an inexact part.
func TestInexactCounters(t *testing.T) {
	of := func(n uint64, about bool, id ir.SpaceID, memory exec.Traffic) counters {
		r := launch.Result{Counters: exec.Counters{Instructions: n, About: about}}
		r.Memory[id] = memory
		return countersOf(&r, "gcn")
	}
	exact, near := of(1000, false, ir.GroupSpace, exec.Traffic{Read: 3, Written: 2, Atomics: 1}), of(234, true, ir.GlobalSpace, exec.Traffic{Read: 9})
	if s := exact.String(); !exact.Exact || !strings.HasPrefix(s, "counters: 1 000 wave-instructions, LDS 3 bytes read and 2 written (1 atomic), ") {
		t.Errorf("exact: %s", s)
	}
	sum := counters{Exact: true}
	sum.add(exact)
	sum.add(near)
	if s := sum.String(); sum.Exact || !strings.HasPrefix(s, "counters: about 1 234 wave-instructions, global about 9 bytes read and about 0 written, LDS about 3 bytes read and about 2 written (about 1 atomic), ") {
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
			case !reflect.DeepEqual(c, plain):
				t.Errorf("%s %s: %+v, want %+v as without it", example, watch, c, plain)
			}
		}
		if len(plain.Memory) != 2 || !plain.Exact {
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
