package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// sample returns a report of two engines on three workloads: the second engine is 4 and 9 times as fast on the first
// two, which are kernels, and half as fast on the third, a scene.
func sample() *report {
	r := &report{Engines: []string{"reference", "jit"}}
	for i, times := range []float64{4, 9, 0.5} {
		f := figure{Set: "gcn", Name: string(rune('a' + i)), Group: micro, Instructions: 3e6,
			Engines: map[string]measured{"reference": {Seconds: 2}, "jit": {Seconds: 2 / times}}}
		if i < 2 {
			f.Native, f.Hand = &measured{Seconds: 0.1}, &measured{Seconds: 0.05}
		} else {
			f.Group = scenesAre
		}
		r.Figures = append(r.Figures, f)
	}
	r.sum()
	return r
}

// TestMeans: ratios to the reference and to native runs, and their geometric means by group, if there are any.
func TestMeans(t *testing.T) {
	r := sample()
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	fast := r.Groups[micro]["jit"]
	near("mean", fast.Reference, 6)
	near("mean of native", fast.Native, math.Sqrt(0.1/0.5*(0.1*9/2)))
	near("mean of code by hand", fast.Hand, math.Sqrt(0.05/0.5*(0.05*9/2)))
	near("least of native", fast.Least, 0.1/0.5)
	near("mean of native code", r.Groups[micro][natively].Reference, 20)
	near("mean of the reference", r.Groups[micro]["reference"].Reference, 1)
	near("mean of the scene", r.Groups[scenesAre]["jit"].Reference, 0.5)
	near("native of the scene", r.Groups[scenesAre]["jit"].Native, 0)
	near("ratio", r.Figures[1].Engines["jit"].Reference, 9)
	near("wave-MIPS", r.Figures[0].Engines["jit"].MIPS, 6)
	near("native", r.Figures[0].Native.Reference, 20)
	near("median", median([]float64{3, 1, 2}), 2)
	near("median of two", median([]float64{4, 1}), 2.5)
}

// TestTables: the tables of the pages have a row for each group and workload.
func TestTables(t *testing.T) {
	const means = `| group | workloads | jit: × reference | × PoCL | slowest, × PoCL | × AVX2 by hand |
|---|---|---|---|---|---|
| micro | 2 | 6.0 | 0.30 | 0.20 | 0.15 |
| scenes | 1 | 0.50 |  |  |  |
`
	if got := sample().meansTable(); got != means {
		t.Errorf("means:\n%s\nwant:\n%s", got, means)
	}
	const kernels = `| workload | group | wave-instructions | jit: ms | × reference | × PoCL | × AVX2 by hand |
|---|---|---|---|---|---|---|
| gcn a | micro | 3000000 | 500 | 4.0 | 0.20 | 0.10 |
| gcn b | micro | 3000000 | 222 | 9.0 | 0.45 | 0.23 |
| gcn c | scenes | 3000000 | 4000 | 0.50 |  |  |
`
	if got := sample().kernelsTable(); got != kernels {
		t.Errorf("kernels:\n%s\nwant:\n%s", got, kernels)
	}
}

// TestPages: docs/engines.json is of the workloads that there are, and the pages show what it says.
func TestPages(t *testing.T) {
	root := filepath.Join("..", "..")
	var r report
	if data, err := os.ReadFile(filepath.Join(root, "docs", "engines.json")); err != nil || json.Unmarshal(data, &r) != nil {
		t.Fatal("docs/engines.json: ", err)
	}
	var got, want []string
	for i := range r.Figures {
		got = append(got, r.Figures[i].Set+" "+r.Figures[i].Name+", "+r.Figures[i].Group)
	}
	for _, l := range workloads(root) {
		want = append(want, l.set+" "+l.name+", "+l.group)
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/engines.json has figures of\n%q, there are\n%q: make bench-engines", got, want)
	}
	if len(r.fast()) != 2 {
		t.Errorf("docs/engines.json has figures of %q, want those with vectors of 512 and 256 bits", r.fast())
	}
	groups := r.Groups
	if r.sum(); !reflect.DeepEqual(r.Groups, groups) {
		t.Errorf("docs/engines.json has other means than those of its figures")
	}
	for page, table := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := between(text, table(&r)); err != nil || !bytes.Equal(shown, text) {
			t.Errorf("%s does not show the figures of docs/engines.json: %v", page, err)
		}
	}
}

// TestCosts: what checks cost is in a table, and docs/sanitize.md shows that of docs/sanitizer.json.
func TestCosts(t *testing.T) {
	r := &report{Engines: []string{"jit", "jit init", "jit lds"}, Checks: []string{"init", "lds"}}
	for i, times := range []float64{4, 9, 1.5} {
		f := figure{Group: []string{tuned, tuned, heldOut}[i], Engines: map[string]measured{"jit": {Seconds: 1}, "jit init": {Seconds: times}, "jit lds": {Seconds: 1}}}
		if i == 0 {
			f.Native = &measured{Seconds: 200}
		}
		r.Figures = append(r.Figures, f)
	}
	r.sum()
	const want = `| checks | tuned on: × plain run | held out: × plain run | times as fast as Oclgrind |
|---|---|---|---|
| ` + "`init`" + ` | 6.0 | 1.5 | 50 |
| ` + "`lds`" + ` | 1.0 | 1.0 | 200 |
`
	if got := r.costTable(); got != want {
		t.Errorf("costs:\n%s\nwant:\n%s", got, want)
	}
	root := filepath.Join("..", "..")
	r = &report{}
	if data, err := os.ReadFile(filepath.Join(root, "docs", "sanitizer.json")); err != nil || json.Unmarshal(data, r) != nil {
		t.Fatal("docs/sanitizer.json: ", err)
	}
	for page, table := range costPages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := between(text, table(r)); err != nil || !bytes.Equal(shown, text) {
			t.Errorf("%s does not show the figures of docs/sanitizer.json: %v", page, err)
		}
	}
}

// TestLegend: the legend has room for all measured engines, and a colour for each.
func TestLegend(t *testing.T) {
	r := sample()
	r.Engines = []string{"jit AVX2"}
	for _, e := range engines.All() {
		r.Engines = append(r.Engines, e.Name)
	}
	if len(r.Engines) > len(barColors) {
		t.Errorf("%d engines have %d colours", len(r.Engines), len(barColors))
	}
	var b bytes.Buffer
	if err := r.chart(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if end := r.legend(&canvas{image.NewNRGBA(img.Bounds())}); end > img.Bounds().Dx() {
		t.Errorf("it ends at %d of %d pixels", end, img.Bounds().Dx())
	}
}

// TestChart: the length of a bar is the logarithm of its value; bars of slower engines extend to the left.
func TestChart(t *testing.T) {
	var b bytes.Buffer
	r := sample()
	if err := r.chart(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := barColors[1]
	row := 2*barHeight + rowGap
	scale := float64(chartWidth-60-chartSlow) / 2 // two decades
	for i, times := range []float64{6, 2} {
		long := 0
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, chartHead+i*row+barHeight+2).RGBA(); uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B {
				long++
			}
		}
		if got := float64(long - 2); math.Abs(got-scale*math.Log10(times)) > 2 {
			t.Errorf("bar %d has %v pixels, want %v", i, got, scale*math.Log10(times))
		}
	}
}

// TestMeasure: every engine runs a kernel and a program, gives the same results as the reference, and is in the report.
func TestMeasure(t *testing.T) {
	s := &settings{limit: time.Minute, root: filepath.Join("..", ".."), least: time.Millisecond, rounds: 1, only: regexp.MustCompile("gcn spmv|valhall transpose|rogue over"), groups: regexp.MustCompile(""), engines: regexp.MustCompile(""), workers: 2}
	r, err := measure(context.Background(), s, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) != 3 {
		t.Errorf("%d figures", len(r.Figures))
	}
	for i := range r.Figures {
		if x := r.Figures[i].Scaled; x <= 0 || x > 100 {
			t.Errorf("%s: two workers are %v times as fast as one", r.Figures[i].Name, x)
		}
		for _, e := range engines.All() {
			if m := r.Figures[i].Engines[e.Name]; m.Seconds <= 0 || m.Reference <= 0 {
				t.Errorf("%s: %s: %+v", r.Figures[i].Name, e.Name, m)
			}
		}
	}
	dir := t.TempDir()
	file, chart := filepath.Join(dir, "x.json"), filepath.Join(dir, "x.png")
	if err := r.save(file, chart); err != nil {
		t.Fatal(err)
	}
	var back report
	if data, err := os.ReadFile(file); err != nil || json.Unmarshal(data, &back) != nil || len(back.Figures) != 3 || back.Groups[programsAre]["reference"].Reference != 1 {
		t.Errorf("%v, %+v", err, back)
	}
	if info, err := os.Stat(chart); err != nil || info.Size() < 1000 {
		t.Errorf("chart: %v", err)
	}
	none := regexp.MustCompile("no such thing")
	for _, s := range []*settings{{root: s.root, only: none, groups: s.groups, engines: s.engines}, {root: s.root, only: s.only, groups: none, engines: s.engines}, {root: s.root, only: s.only, groups: s.groups, engines: none}} {
		if _, err := measure(context.Background(), s, io.Discard); err == nil {
			t.Error("nothing was measured, and there is no error")
		}
	}
}

// TestRows: each kernel has its code, arguments, and a group by the rule.
func TestRows(t *testing.T) {
	root := filepath.Join("..", "..")
	groups, names, used := map[string]int{}, map[string]bool{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if names[r.name] {
			t.Errorf("there are two of %s", r.name)
		}
		names[r.name] = true
		groups[group(r.name)]++
		k, err := r.load(root, 2)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		used[filepath.Base(k.code)] = true
		if source, err := os.ReadFile(k.source); err != nil || !bytes.Contains(source, []byte(" "+k.function+"(")) && !bytes.Contains(source, []byte("\n"+"void "+k.function+"(")) {
			t.Errorf("%s: no kernel %s in %s: %v", r.name, k.function, k.source, err)
		}
		if once, err := r.load(root, 1); err != nil || r.scales() != !reflect.DeepEqual(once, k) {
			t.Errorf("%s: twice the work is not other work: %v", r.name, err)
		}
	}
	for _, name := range tunedFor {
		if group(name) != tuned || !names[name] {
			t.Errorf("%s is %s", name, group(name))
		}
	}
	for g, least := range map[string]int{tuned: 30, heldOut: 25, unoptimised: 15, micro: 10} {
		if groups[g] < least {
			t.Errorf("%d kernels are %s, want %d", groups[g], g, least)
		}
	}
	// FNV-1a in 32 bits of "a" is 0xe40c292c and of "b" 0xe70c2de5, by the tables of its authors.
	if a, b := group("a"), group("b"); a != tuned || b != heldOut {
		t.Errorf("a is %s, b is %s", a, b)
	}
	files, err := filepath.Glob(filepath.Join("kernels", "*.hsaco"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		if !used[filepath.Base(file)] {
			t.Errorf("no row runs %s", file)
		}
	}
}

// TestArguments: what an argument cannot be is refused.
func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		"made:nothing":        "nothing makes that",
		"image:4x4:zero:60":   "60 bytes",
		"u32:x":               "x",
		"local:many":          "many",
		"each:u32:iota:-1":    "-1",
		"image:4:u8:zero:16":  "16 bytes",
		"zero:0":              "0",
		"u32:rand:1:4:none:3": "none",
	} {
		if _, err := argument(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
	a, err := argument("each:u16:5,6,7")
	if err != nil || a.value(1) != 6 || a.value(3) != 5 {
		t.Errorf("%+v, %v", a, err)
	}
}

// rowNamed returns a kernel with its arguments, and what the reference leaves of it.
func rowNamed(t *testing.T, name string) (*clKernel, [][]byte) {
	t.Helper()
	i := slices.IndexFunc(rows[:], func(r row) bool { return r.name == name })
	k, err := rows[i].load(filepath.Join("..", ".."), 1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := k.prepare(t.Context(), launch.Settings{Engine: ref.New(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	out, err := run()
	if err != nil {
		t.Fatal(err)
	}
	return k, out.left
}

// TestNative: if PoCL is installed, kernels run on it, and leave what the reference leaves; if not, the report says
// why. The same of code by hand.
func TestNative(t *testing.T) {
	for _, c := range []struct {
		what string
		make func() (*native, string)
		run  func(n *native, k *clKernel, want [][]byte) (float64, error)
		of   []string
	}{
		{"PoCL", newPoCL, func(n *native, k *clKernel, want [][]byte) (float64, error) {
			return n.openCL(t.Context(), k, time.Millisecond, want)
		}, []string{"images/zoom", "launches/halve", "asynccopy", "micro/load_bytes"}},
		{"by hand", newHand, func(n *native, k *clKernel, want [][]byte) (float64, error) {
			return n.byHand(t.Context(), k, time.Millisecond, want)
		}, []string{"micro/lds", "micro/diverge", "micro/load_bytes"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			n, why := c.make()
			if n == nil {
				if why == "" {
					t.Error("no word about what is missing")
				}
				t.Skip("NOT RUN: ", why)
			}
			defer n.close()
			var k *clKernel
			var want [][]byte
			for _, name := range c.of {
				k, want = rowNamed(t, name)
				if seconds, err := c.run(n, k, want); err != nil || seconds <= 0 {
					t.Errorf("%s takes %v s, %v", name, seconds, err)
				}
			}
			want[1][9] ^= 1
			if _, err := c.run(n, k, want); err == nil || !strings.Contains(err.Error(), "argument 1: word 2 is") {
				t.Errorf("other bytes than wanted: %v", err)
			}
			k.function = "none"
			if _, err := c.run(n, k, want); err == nil {
				t.Error("a kernel that does not exist runs")
			}
		})
	}
}
