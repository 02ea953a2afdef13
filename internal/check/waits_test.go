package check

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/sanitize"
)

// watching runs the cases of a file or folder with an observer. It returns the findings, by name, and how many cases
// ran.
func watching(t *testing.T, path, names string, o Options) (found map[string]string, ran int) {
	t.Helper()
	found = map[string]string{}
	o.Run, o.Each = regexp.MustCompile(names), func(r Result) {
		if r.Instructions > 0 {
			ran++
		}
		if r.Status == Failed {
			found[r.Name] = r.What
		}
	}
	if _, err := Run(context.Background(), []string{path}, o); err != nil {
		t.Fatal(err)
	}
	return found, ran
}

// TestWaits: compiled programs wait for what they load. If one of its waits is removed, a program is found to read too
// early, although its result is still right here; the finding has both instructions.
func TestWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	dir := cases.Dir(t)
	path := filepath.Join(dir, "state", "valhall-compiled.jsonl.gz")
	for _, p := range [][2]string{{path, ""}, {filepath.Join(dir, "kernels"), "reduce|scan|saxpy|matmul"}} {
		if found, ran := watching(t, p[0], p[1], Options{Sanitize: sanitize.CheckWait}); len(found) > 0 || ran < 8 {
			t.Errorf("%s: %d programs ran, and of them %v", p[0], ran, found)
		}
	}
	var text strings.Builder
	n := 0
	for _, c := range cases.Objects[map[string]any](t, path) {
		if c["final"] == nil {
			continue
		}
		code, err := hex.DecodeString(c["code"].(string))
		if err != nil {
			t.Fatal(err)
		}
		for off := 0; off < len(code); off += 8 {
			// A load on slot 0 to 2 that waits for itself: bits 62:59 select what it waits for.
			if flow := code[off+7] >> 3 & 15; code[off+6] != 0x60 || flow == 0 || flow > 7 {
				continue
			}
			code[off+7] &^= 15 << 3
			c["code"] = hex.EncodeToString(code)
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(line, '\n'))
			n++
			break
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.jsonl")
	if err := os.WriteFile(broken, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	found, ran := watching(t, broken, "", Options{Sanitize: sanitize.CheckWait})
	early := 0
	for name, what := range found {
		if strings.Count(what, " at 0x") >= 2 && strings.Contains(what, "nothing has waited for it") {
			early++
		} else {
			t.Errorf("%s: %s", name, what)
		}
	}
	if n < 30 || ran != n || early != n {
		t.Errorf("%d programs lack a wait, %d ran, in %d it is found", n, ran, early)
	}
}
