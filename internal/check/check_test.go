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
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/engines"
)

var update = flag.Bool("update", false, "rewrite golden files")

// report returns the whole output of a run, without what depends on the machine.
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

// testdata/small.* hold, for each rule of the formats, a case that follows it and one that breaks it.
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

// TestOrder: the order of results does not depend on the number of workers. The race detector looks at many.
func TestOrder(t *testing.T) {
	many := report(t, Options{Workers: 8}, "testdata", "../../cases/state") // thousands of results
	if !detector.Race && many != report(t, Options{Workers: 1}, "testdata", "../../cases/state") {
		t.Error("8 workers report otherwise than 1")
	}
}

func TestSelection(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string // last line
	}{
		{Options{ISA: "rogue"}, "2 passed, 7 failed, 1 skipped"}, // unreadable files belong to every set
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

// TestWants: a case without a variant applies to all variants of its set; one with a variant applies only to that.
func TestWants(t *testing.T) {
	for _, c := range []struct {
		o            Options
		isa, variant string
		want         bool
	}{
		{Options{}, "gcn", "gfx8", true}, {Options{}, "gcn", "", true}, {Options{}, "attila", "", true},
		{Options{ISA: "gcn"}, "gcn", "gfx6", true}, {Options{ISA: "gcn"}, "gcn", "", true}, {Options{ISA: "gcn"}, "attila", "", false},
		{Options{ISA: "gcn", Variant: "gfx8"}, "gcn", "gfx8", true}, {Options{ISA: "gcn", Variant: "gfx8"}, "gcn", "gfx7", false},
		{Options{ISA: "gcn", Variant: "gfx8"}, "gcn", "", true}, {Options{ISA: "gfx803"}, "gcn", "", true}, {Options{ISA: "gfx803"}, "attila", "", false},
	} {
		k, err := newChecker(&c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.wants(c.isa, c.variant); got != c.want {
			t.Errorf("%s %s wants %s %q: %t", c.o.ISA, c.o.Variant, c.isa, c.variant, got)
		}
	}
}

// TestManyRows: a table with more rows than fit in one task gives a result for each row, in order.
func TestManyRows(t *testing.T) {
	var b strings.Builder
	b.WriteString("#isa\tstage\thex\ttext\tflags\tnote\n")
	const rows = 3*pairsTask + 7
	for i := range rows {
		fmt.Fprintf(&b, "gcn:gfx8\t-\t-\ts_movk_i32 s0, %d\tR\t\n", i)
	}
	file := filepath.Join(t.TempDir(), "many.tsv")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		n := 0
		_, err := Run(context.Background(), []string{file}, Options{Workers: workers, Each: func(r Result) {
			if want := fmt.Sprintf("s_movk_i32 s0, %d", n); r.Name != want || r.Line != n+2 || r.Status != Failed {
				t.Errorf("%d workers, result %d is %v, want that of %s", workers, n, r, want)
			}
			n++
		}})
		if err != nil || n != rows {
			t.Errorf("%d workers: %d results, %v", workers, n, err)
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
		{Options{ISA: "gcn:gfx9"}, []string{"testdata"}, "gfx9 is GCN 5"},
		{Options{ISA: "gcn:gfx20"}, []string{"testdata"}, "no variant"},
		{Options{Variant: "gfx8"}, []string{"testdata"}, "without an instruction set"},
		{Options{Flags: "AZ"}, []string{"testdata"}, `no flag "Z"`},
		{Options{}, []string{t.TempDir()}, ", nor any others"},
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

// TestLacking: a case that lacks semantics fails, or is skipped on request; it counts as lacking either way.
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

// TestTotal: there are as many results as Total returns, whatever is selected.
func TestTotal(t *testing.T) {
	ctx := context.Background()
	paths := []string{"testdata", "../../cases/pairs/valhall-fau.tsv.gz", "../../cases/pairs/gcn-spell.tsv.gz", "../../cases/pairs/tesla-invalid.tsv.gz",
		"../../cases/state/gcn-lds.jsonl.gz", "../../cases/state/attila-tex.jsonl.gz", "../../cases/render/gcn/mvp_cube", "../../cases/render/tesla/discard", "../../examples/reduction",
		frames}
	for _, o := range []Options{{}, {ISA: "tesla"}, {ISA: "gcn:gfx8"}, {Flags: "AX"}, {Run: regexp.MustCompile("lds|mul|cube|sum|image")}} {
		want, err := Total(ctx, paths, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Engine, o.Limits, o.Workers = engines.Fastest(engines.Use{}), exec.Limits{Steps: 10_000}, 2
		got := 0
		o.Each = func(Result) { got++ }
		if _, err := Run(ctx, paths, o); err != nil {
			t.Fatal(err)
		}
		if got != want || got == 0 {
			t.Errorf("ISA %q, Flags %q, Run %v: %d results, %d counted", o.ISA, o.Flags, o.Run, got, want)
		}
	}
	// The null device is not a file that can be read twice.
	if n, err := Total(ctx, []string{"testdata", os.DevNull}, Options{}); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	// The only result is that the path cannot be read.
	if n, err := Total(ctx, []string{"nowhere"}, Options{}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Total(ended, paths, Options{}); err == nil {
		t.Error("counted to the end of a context that is over")
	}
}

// TestEndOfContext: tasks that remain when the context ends do not run, and the run reports why.
func TestEndOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var names []string
	err := inOrder(ctx, 1, func(emit func(task) bool) error {
		emit(one(func() Result {
			cancel()
			return Result{Name: "first"}
		}))
		emit(one(func() Result { return Result{Name: "second"} }))
		return nil
	}, func(r Result) { names = append(names, r.Name) })
	if err != context.Canceled || len(names) != 1 || names[0] != "first" {
		t.Errorf("%v after %v", err, names)
	}
}

func TestPanicIsAFailure(t *testing.T) {
	if got := guarded(func() string { panic("isa: oops") }); got != "panic: isa: oops" {
		t.Error(got)
	}
}
