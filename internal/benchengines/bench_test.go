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
	"regexp"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/engines"
)

// sample returns a report of two engines on three workloads: the second is 4 and 9 times as fast on the first two, and
// half as fast on the third.
func sample() *report {
	r := &report{Engines: []string{"reference", "fast"}}
	for i, times := range []float64{4, 9, 0.5} {
		f := figure{Set: "gcn", Name: string(rune('a' + i)), Instructions: 3e6,
			Engines: map[string]measured{"reference": {Seconds: 2}, "fast": {Seconds: 2 / times}}}
		if i < 2 {
			f.Native = &measured{Seconds: 0.1}
		}
		r.Figures = append(r.Figures, f)
	}
	r.sum()
	return r
}

// TestMeans: ratios to the reference and to native runs, and their geometric means, if there are any.
func TestMeans(t *testing.T) {
	r := sample()
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	fast := r.Means["fast"]
	near("mean", fast.Reference, math.Cbrt(18))
	near("mean of native", fast.Native, math.Sqrt(0.1/0.5*(0.1*9/2)))
	near("mean of the reference", r.Means["reference"].Reference, 1)
	near("mean of the set", r.Sets["gcn"].Means["fast"].Reference, math.Cbrt(18))
	near("ratio", r.Figures[1].Engines["fast"].Reference, 9)
	near("wave-MIPS", r.Figures[0].Engines["fast"].MIPS, 6)
	near("native", r.Figures[0].Native.Reference, 20)
	near("median", median([]float64{3, 1, 2}), 2)
	near("median of two", median([]float64{4, 1}), 2.5)
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
	if err := sample().chart(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := barColors[1]
	row := 2*barHeight + rowGap
	var long [3]int
	for i := range long {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, chartHead+i*row+barHeight+2).RGBA(); uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B {
				long[i]++
			}
		}
	}
	scale := float64(chartWidth-60-chartSlow) / 2 // two decades
	for i, times := range []float64{4, 9, 2} {
		if got := float64(long[i] - 2); math.Abs(got-scale*math.Log10(times)) > 2 {
			t.Errorf("bar %d has %v pixels, want %v", i, got, scale*math.Log10(times))
		}
	}
}

// TestMeasure: every engine runs a kernel and a program, gives the same results as the reference, and is in the report.
func TestMeasure(t *testing.T) {
	s := &settings{root: filepath.Join("..", ".."), least: time.Millisecond, rounds: 1, only: regexp.MustCompile("gcn spmv|valhall transpose|rogue over"), engines: regexp.MustCompile(""), workers: 2}
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
	if data, err := os.ReadFile(file); err != nil || json.Unmarshal(data, &back) != nil || len(back.Figures) != 3 || back.Means["reference"].Reference != 1 {
		t.Errorf("%v, %+v", err, back)
	}
	if info, err := os.Stat(chart); err != nil || info.Size() < 1000 {
		t.Errorf("chart: %v", err)
	}
	none := regexp.MustCompile("no such thing")
	for _, s := range []*settings{{root: s.root, only: none, engines: s.engines}, {root: s.root, only: s.only, engines: none}} {
		if _, err := measure(context.Background(), s, io.Discard); err == nil {
			t.Error("nothing was measured, and nobody says so")
		}
	}
}

// TestNative: if PoCL is installed, a kernel runs on it; if not, the report says why.
func TestNative(t *testing.T) {
	n, why := newNative()
	if n == nil {
		if why == "" {
			t.Error("no word about what is missing")
		}
		t.Skip(why)
	}
	defer n.close()
	k := clKernels[1](filepath.Join("..", ".."), 1)
	if seconds, err := n.run(context.Background(), k, time.Millisecond); err != nil || seconds <= 0 {
		t.Errorf("%s takes %v s, %v", k.name, seconds, err)
	}
	k.name = "none"
	if _, err := n.run(context.Background(), k, time.Millisecond); err == nil {
		t.Error("a kernel that does not exist runs")
	}
}
