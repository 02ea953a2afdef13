package check

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

var update = flag.Bool("update", false, "rewrite golden files")

// report is all that a run says, as text that does not depend on the machine.
func report(t *testing.T, o Options, paths ...string) string {
	t.Helper()
	var b strings.Builder
	o.Limits = exec.Limits{Steps: 10_000}
	o.Each = func(r Result) {
		fmt.Fprintf(&b, "%s [%s%s]\n", r, r.Status, map[bool]string{true: ", lacking"}[r.Lacking])
	}
	s, err := Run(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + s.String() + "\n"
}

// testdata/small.* hold, for each rule of the formats, a case that keeps it and one that breaks it.
func TestGolden(t *testing.T) {
	got := report(t, Options{}, "testdata")
	const golden = "testdata/small.want"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The order of results does not depend on the workers.
func TestOrder(t *testing.T) {
	one := report(t, Options{Workers: 1}, "testdata", "../../cases/state")
	for range 3 {
		if many := report(t, Options{Workers: 8}, "testdata", "../../cases/state"); many != one {
			t.Fatal("8 workers report otherwise than 1")
		}
	}
}

func TestSelection(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string // last line
	}{
		{Options{ISA: "tesla"}, "0 passed, 2 failed, 1 skipped"}, // what cannot be read is of any,
		{Options{ISA: "gfx803", Flags: "R"}, "9 passed, 13 failed, 2 skipped"},
		{Options{Run: regexp.MustCompile("^pair")}, "1 passed, 3 failed, 0 skipped"},
		{Options{ISA: "gcn", Variant: "gfx7"}, "0 passed, 2 failed, 0 skipped"},
		{Options{ISA: "gcn:fiji", Run: regexp.MustCompile("^lane-5$")}, "0 passed, 3 failed, 0 skipped"},
	} {
		got := strings.Split(strings.TrimSpace(report(t, c.o, "testdata")), "\n")
		if last := got[len(got)-1]; last != c.want {
			t.Errorf("%+v: %s, want %s", c.o, last, c.want)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		o     Options
		paths []string
		want  string
	}{
		{Options{ISA: "gnc"}, []string{"testdata"}, "gcn is the nearest name"},
		{Options{ISA: "gcn:gfx9"}, []string{"testdata"}, "no variant"},
		{Options{Variant: "gfx8"}, []string{"testdata"}, "without an instruction set"},
		{Options{Flags: "AZ"}, []string{"testdata"}, `no flag "Z"`},
		{Options{}, []string{"testdata/none"}, "no such file"},
		{Options{}, []string{"doc.go"}, "no case files in doc.go"},
		{Options{}, nil, "no case files"},
	} {
		if _, err := Run(context.Background(), c.paths, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %v: %v, want %s", c.o, c.paths, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, []string{"testdata"}, Options{}); err != context.Canceled {
		t.Errorf("a cancelled run gives %v", err)
	}
}

// A case that lacks a meaning fails, and is skipped if asked for; it is counted as lacking either way.
func TestLacking(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lacking.jsonl")
	const one = `{"name":"sendmsghalt","isa":"gcn","variant":"gfx8","stage":"raw","code":"000091bf000081bf","asm":[],"launch":{"lanes":64},"final":{"regs":{"v0":"0"}},"compare":{"type":"u32"}}`
	if err := os.WriteFile(file, []byte(one), 0o644); err != nil {
		t.Fatal(err)
	}
	for skip, want := range map[bool]string{false: "0 passed, 1 failed, 0 skipped", true: "0 passed, 0 failed, 1 skipped"} {
		s, err := Run(context.Background(), []string{dir}, Options{SkipLacking: skip})
		if err != nil || s.Count.String() != want || s.Lacking != 1 {
			t.Errorf("skip %v: %v, %v", skip, s, err)
		}
	}
}

func TestPanicIsAFailure(t *testing.T) {
	if got := guarded(func() string { panic("isa: oops") }); got != "panic: isa: oops" {
		t.Error(got)
	}
}
