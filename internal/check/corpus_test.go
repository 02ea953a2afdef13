package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/ref"
)

// settle runs the folders of the full set that exist here and compares the results with what is required of them.
func settle(t *testing.T, e exec.Engine, folders []string, each func(Result), claims ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("the full set is checked without -short")
	}
	dir := cases.Dir(t)
	l := cases.NewLedger(t, dir, claims...)
	var paths []string
	for _, f := range folders {
		path := filepath.Join(dir, f)
		if _, err := os.Stat(path); err == nil { // a listed folder that is missing is an error of Settle
			paths = append(paths, path)
		}
	}
	s, err := Run(context.Background(), paths, Options{Engine: e, Each: func(r Result) {
		claim, failure := "run", ""
		if r.Flag != 0 {
			claim = string(r.Flag)
		}
		if r.Status != Passed {
			failure = r.String()
		}
		l.Add(r.File, r.ISA, claim, failure)
		each(r)
	}})
	if err != nil {
		t.Error(err)
	}
	t.Logf("\n%v", s)
	l.Settle(t)
}

// TestCorpus: the required kernels, state cases and frames pass on the default engine in its highest tier. The pictures
// of frames match in every pixel.
func TestCorpus(t *testing.T) { corpus(t, exec.Eager(engines.Fastest(engines.Use{}))) }

// TestCorpusReference is TestCorpus on the reference engine.
func TestCorpusReference(t *testing.T) { corpus(t, ref.New()) }

// TestRepository: the kernels, state cases and frames of the repository pass on every engine in its highest tier, with
// the same number of instructions.
func TestRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("every case on every engine takes a minute")
	}
	root := filepath.Join("..", "..")
	paths := []string{filepath.Join(root, "cases", "kernels"), filepath.Join(root, "cases", "state"), filepath.Join(root, "cases", "render"),
		filepath.Join(root, "examples")}
	var want []string
	for _, e := range engines.Tested() {
		var got []string
		s, err := Run(context.Background(), paths, Options{Engine: exec.Eager(e.New()), Each: func(r Result) {
			if r.Status == Failed {
				t.Errorf("engine %s: %v", e.Name, r)
			}
			if r.About {
				r.Instructions = 0
			}
			got = append(got, fmt.Sprintf("%v, %d instructions", r, r.Instructions))
		}})
		switch {
		case err != nil:
			t.Errorf("engine %s: %v", e.Name, err)
		case s.Passed < 5000:
			t.Errorf("engine %s: only %d cases pass", e.Name, s.Passed)
		case want == nil:
			want = got
		}
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] && !strings.HasSuffix(got[i], ", 0 instructions") {
				t.Errorf("engine %s: %s; the reference says %s", e.Name, got[i], want[i])
			}
		}
	}
}

func corpus(t *testing.T, e exec.Engine) {
	exact, pictures := regexp.MustCompile(`(^| )0 of \d+ pixels differ$`), 0
	settle(t, e, []string{"kernels", "state", "render"}, func(r Result) {
		if strings.HasSuffix(r.Name, " image") {
			if pictures++; !exact.MatchString(r.Note) {
				t.Error(r)
			}
		}
	}, "run")
	if pictures == 0 {
		t.Error("there are no frames with a picture")
	}
}

// TestCorpusPairs: the required claims about encodings hold.
func TestCorpusPairs(t *testing.T) {
	settle(t, nil, []string{"pairs"}, func(Result) {}, strings.Split(allFlags, "")...)
}
