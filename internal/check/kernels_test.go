package check

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const saxpy = "../../cases/kernels/gcn/saxpy"

func TestSaxpy(t *testing.T) {
	s, err := Run(context.Background(), []string{saxpy}, Options{})
	if err != nil || s.Passed != 4 || s.Failed != 0 {
		t.Errorf("%v, %v", s, err)
	}
}

// TestManifestFailures: each change of a valid manifest is detected, and the message names the place.
func TestManifestFailures(t *testing.T) {
	replace := func(old, new string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "manifest.json"), func(s string) string {
				if !strings.Contains(s, old) {
					t.Fatalf("the manifest has no %q", old)
				}
				return strings.Replace(s, old, new, 1)
			})
		}
	}
	flip := func(file string, at int) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, file), func(s string) string { return s[:at] + string([]byte{s[at] ^ 1}) + s[at+1:] })
		}
	}
	for _, c := range []struct {
		name   string
		change func(*testing.T, string)
		want   string
	}{
		{"expectation", flip("y.exp.bin", 40), "buffer y[10] is 0x"},
		{"unknown kernel", replace(`"kernel":"saxpy"`, `"kernel":"saxpi"`), "saxpy is the nearest name"},
		{"missing argument", replace(`,{"type":"i32","value":937}`, ``), "argument"},
		{"argument of another type", replace(`"type":"f32","value"`, `"type":"f64","value"`), "f64 is given, want f32"},
		{"an input that changes", replace(`"expect":"y.exp.bin"`, `"expect":"y.in.bin"`), "buffer y[0] is 0x"},
		{"no expectation", replace(`y.exp.bin`, `nowhere.bin`), "nowhere.bin"},
		{"code object cut short", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "saxpy.gfx803.hsaco"), func(s string) string { return s[:100] })
		}, "saxpy.gfx803.hsaco+"},
		{"no code object", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "saxpy.gfx803.hsaco")) }, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(saxpy)); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(dir, "manifest.json"), func(s string) string {
				return regexp.MustCompile(`\s+`).ReplaceAllString(s, "")
			})
			c.change(t, dir)
			var what []string
			_, err := Run(context.Background(), []string{dir}, Options{Run: regexp.MustCompile("gfx803$|^manifest|^file"), Each: func(r Result) {
				what = append(what, r.What)
			}})
			if err != nil || len(what) != 1 || !strings.Contains(what[0], c.want) {
				t.Errorf("%q, %v; want %s", what, err, c.want)
			}
		})
	}
}

func edit(t *testing.T, file string, change func(string) string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(change(string(b))), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
