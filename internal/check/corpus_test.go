package check

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// settle runs what there is of the full set in some of its folders, and holds it against what is required.
func settle(t *testing.T, folders []string, each func(Result), claims ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("the full set is checked without -short")
	}
	dir := cases.Dir(t)
	l := cases.NewLedger(t, dir, claims...)
	var paths []string
	for _, f := range folders {
		path := filepath.Join(dir, f)
		if _, err := os.Stat(path); err == nil { // what is listed and gone is an error of Settle
			paths = append(paths, path)
		}
	}
	s, err := Run(context.Background(), paths, Options{Each: func(r Result) {
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

// Of kernels, state cases and frames passes what is required of them. The pictures of frames come out with no
// pixel that differs.
func TestCorpus(t *testing.T) {
	exact, pictures := regexp.MustCompile(`(^| )0 of \d+ pixels differ$`), 0
	settle(t, []string{"kernels", "state", "render"}, func(r Result) {
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

// Of the claims about encodings holds what is required of them.
func TestCorpusPairs(t *testing.T) {
	settle(t, []string{"pairs"}, func(Result) {}, strings.Split(allFlags, "")...)
}
