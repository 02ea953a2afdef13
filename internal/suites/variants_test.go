package suites

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

// compiler is the clang that compiles what tests here make.
const compiler = "clang-22"

// long runs all of it: HEDDLE_LONG=1.
var long = os.Getenv("HEDDLE_LONG") != ""

// needClang skips a test without a clang.
func needClang(t *testing.T, name string) {
	t.Helper()
	if _, err := clang.Find(name); err != nil {
		t.Skipf("NOT RUN: %s is not installed: apt install %s", name, name)
	}
}

// compiled compiles a text.
func compiled(t *testing.T, text string, o clang.Options) *gcn.Module {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.cl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	o.Cache, o.Err = "off", &said
	data, err := clang.Compile(t.Context(), path, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	code, err := object.ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := gcn.Load(code, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shapes are the launches by who does a vertex: how many of them there are, of how many neighbours, and the number of
// items in groups of 128, of a kernel that does one vertex and of one that does several.
var shapes = map[string]struct {
	vertices, degree int
	grid, persistent uint32
}{
	"item":  {300, 3, 384, 256},
	"wave":  {21, 70, 22 * 64, 6 * 64},
	"group": {9, 150, 9 * 128, 4 * 128},
}

// A trial is how variants are compiled and run.
type trial struct {
	typ    string // of values: int, float
	clang  clang.Options
	engine exec.Engine
	init   int // one of how many variants is also watched for undefined values and missing waits
	// wave is whether there is one wave only, in which races of its lanes are looked for, which are none otherwise.
	wave bool
}

// run launches the kernel of a variant and returns what is found, and what it leaves.
func (v *variant) run(t *testing.T, m *gcn.Module, c *trial, checks sanitize.Check) ([]sanitize.Finding, *gcn.Memory) {
	t.Helper()
	shape, float := shapes[v.unit], c.typ == "float"
	g := newGraph(shape.vertices, shape.degree)
	s := newState(v.pattern, g)
	k := gcn.Kernel{Module: m, Name: v.name(), Grid: [3]uint32{shape.grid}, Block: [3]uint32{128}, Memory: gcn.NewMemory()}
	if v.has["persistent"] {
		k.Grid[0] = shape.persistent
	}
	for _, b := range []struct {
		name string
		data []byte
	}{{"row", words(g.row, false)}, {"adj", words(g.adj, false)}, {"out", words(s.out, float)}, {"in", words(s.in, float)}, {"count", words([]int32{0}, false)}} {
		buffer, err := k.Memory.Alloc(b.name, len(b.data))
		if err != nil {
			t.Fatal(err)
		}
		buffer.Init(b.data)
		k.Args = append(k.Args, gcn.Buf(buffer))
	}
	k.Args = append(k.Args, gcn.I32(int32(g.vertices())))
	w := sanitize.New(checks, nil)
	if c.wave {
		k.Grid[0], k.Block[0] = 64, 64
		w = sanitize.Combine(nil, &sanitize.Races{Threads: true, Lanes: true})
	}
	_, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: c.engine, Workers: 1, Watcher: w, Policy: exec.RecordFaults})
	if err != nil {
		t.Fatalf("%s: %v", v.name(), err)
	}
	return w.Findings(), k.Memory
}

// judge compares findings with the bugs of a variant: those that are missed, by axis, and findings for which there is
// none.
func (v *variant) judge(found []sanitize.Finding) (missed, accused []string) {
	for _, b := range bugs {
		if v.has[b.axis] && !slices.ContainsFunc(found, func(f sanitize.Finding) bool { return slices.Contains(strings.Fields(b.rules), f.Rule) }) {
			missed = append(missed, b.axis)
		}
	}
	for i := range found {
		f := &found[i]
		if f.Severity() == isa.SeverityNote || v.racy() && f.Check() == "race" || v.has["bounds"] && f.Rule == "outside-memory" {
			continue
		}
		accused = append(accused, f.String())
	}
	return missed, accused
}

// racy reports whether a variant has races.
func (v *variant) racy() bool {
	return v.has["atomic"] || v.has["guard"] || v.has["sync"] || v.has["race"]
}

// A tally counts variants: those with races, those of which one is told, those of which nothing more than a warning is
// told, as a plain access beside atomic ones may be meant; the same for accesses out of bounds; those with neither, and
// those of which nothing is told; and those of which something is told without reason.
type tally struct{ all, racy, races, warned, outside, bounds, none, silent, accused int }

// TestVariants: of the graph kernels, each with a defect is found, and of none else is anything said.
func TestVariants(t *testing.T) {
	needClang(t, compiler)
	fastest := engines.Fastest(engines.Use{})
	plain := clang.Options{Clang: compiler, Flags: []string{"-g0"}}
	trials := map[string]trial{"int": {"int", plain, fastest, 5, false}}
	if long {
		needClang(t, "clang-14")
		trials["int"] = trial{"int", plain, fastest, 1, false}
		trials["float"] = trial{"float", plain, fastest, 1, false}
		trials["int, clang 14"] = trial{"int", clang.Options{Clang: "clang-14"}, fastest, 1, false}
		trials["int, -O0"] = trial{"int", clang.Options{Clang: compiler, Opt: "0"}, fastest, 20, false}
		trials["int, lanes of one wave"] = trial{"int", plain, fastest, 1, true}
		trials["int, gfx701"] = trial{"int", clang.Options{Clang: compiler, Target: "gfx701"}, fastest, 10, false}
		for _, e := range engines.Tested() {
			trials["int, "+e.Name] = trial{"int", plain, e.New(), 10, false}
		}
	}
	for name, c := range trials {
		t.Run(name, func(t *testing.T) {
			sum := c.all(t)
			if name == "int" {
				inDocs(t, fmt.Sprintf("%d graph kernels. %d have races, and each is found; of %d of them only a", sum.all, sum.races, sum.warned))
				inDocs(t, fmt.Sprintf("%d access memory out of bounds, and each is found. Of the %d others nothing is told.", sum.bounds, sum.silent))
			}
		})
	}
}

// all runs all variants.
func (c *trial) all(t *testing.T) tally {
	t.Helper()
	var text strings.Builder
	var list []*variant
	for _, v := range variants() {
		code := v.text(c.typ)
		switch {
		case c.typ != "int" && v.pattern == "path": // of numbers of vertices
		case c.wave && (v.unit != "item" || v.has["bounds"]):
		case strings.HasPrefix(c.clang.Target, "gfx7") && strings.Contains(code, "OTHER"): // an instruction of gfx8
		default:
			list = append(list, v)
			text.WriteString(code)
		}
	}
	m := compiled(t, preludes[c.typ]+text.String(), c.clang)
	var sum tally
	for i, v := range list {
		checks := sanitize.CheckRace | sanitize.CheckLDS | sanitize.CheckMemory
		if i%c.init == 0 {
			checks |= sanitize.CheckAll
		}
		found, memory := v.run(t, m, c, checks)
		sum.add(t, v, found)
		if !v.racy() && !v.has["bounds"] && !c.wave {
			v.compare(t, memory, c.typ == "float")
		}
	}
	t.Logf("%+v", sum)
	if sum.races != sum.racy || sum.bounds != sum.outside || sum.silent != sum.none || sum.accused > 0 || sum.all < 150 {
		t.Errorf("%+v", sum)
	}
	return sum
}

// add judges the findings of a variant.
func (y *tally) add(t *testing.T, v *variant, found []sanitize.Finding) {
	t.Helper()
	missed, accused := v.judge(found)
	if len(missed)+len(accused) > 0 {
		t.Errorf("%s: not found: %q; found without reason: %q; of all %d", v.name(), missed, accused, len(found))
	}
	race := func(f sanitize.Finding) bool { return f.Check() == "race" }
	y.all++
	y.racy += count(v.racy())
	y.races += count(slices.ContainsFunc(found, race))
	y.warned += count(slices.ContainsFunc(found, race) && !slices.ContainsFunc(found, func(f sanitize.Finding) bool { return race(f) && f.Severity() == isa.SeverityError }))
	y.outside += count(v.has["bounds"])
	y.bounds += count(slices.ContainsFunc(found, func(f sanitize.Finding) bool { return f.Rule == "outside-memory" }))
	y.none += count(!v.racy() && !v.has["bounds"])
	y.silent += count(!slices.ContainsFunc(found, func(f sanitize.Finding) bool { return f.Severity() != isa.SeverityNote }))
	y.accused += count(len(accused) > 0)
}

// inDocs checks that the page about the sanitizer has some words, in whatever lines.
func inDocs(t *testing.T, words string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/sanitize.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), words) {
		t.Errorf("docs/sanitize.md does not have %q", words)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compare compares what a kernel without defects leaves with what the same loop leaves in order.
func (v *variant) compare(t *testing.T, memory *gcn.Memory, float bool) {
	t.Helper()
	g := newGraph(shapes[v.unit].vertices, shapes[v.unit].degree)
	s := newState(v.pattern, g)
	v.serial(g, s)
	want := map[string][]byte{"out": words(s.out, float), "in": words(s.in, float), "count": words([]int32{s.count}, false)}
	for _, b := range memory.Buffers() {
		w, is := want[b.Name]
		if is && !bytes.Equal(b.Data, w) && !(v.pattern == "worklist" && bytes.Equal(sorted(b.Data), sorted(w))) {
			t.Errorf("%s: wrong %s", v.name(), b.Name)
		}
	}
}
