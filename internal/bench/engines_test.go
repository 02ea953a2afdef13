package bench

import (
	"context"
	"math"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/launch/hsa"
	"github.com/heddle-gpu/heddle/object"
)

// BenchmarkPortable compares the portable engine with the reference, kernel by kernel on one worker, in turns: the least time of the process that
// launches have taken. The ratio of BenchmarkPortable/mean is the geometric mean.
func BenchmarkPortable(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(kernels, "*", "manifest.json"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no kernels: %v", err)
	}
	sum, n := 0.0, 0
	for _, f := range files {
		b.Run(filepath.Base(filepath.Dir(f)), func(b *testing.B) {
			x := ratio(b, f, ref.New(), portable.New())
			sum, n = sum+math.Log(x), n+1
			b.ReportMetric(x, "x")
		})
	}
	b.Run("mean", func(b *testing.B) { b.ReportMetric(math.Exp(sum/float64(n)), "x") })
}

// ratio is how many times as long the slow engine takes for the launches of a manifest as the fast one.
func ratio(b *testing.B, manifest string, slow, fast exec.Engine) float64 {
	m, err := object.ReadManifestFile(manifest)
	if err != nil {
		b.Fatal(err)
	}
	module, err := hsa.ReadModule(m, &m.Variants[0])
	if err != nil {
		b.Fatal(err)
	}
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for i, e := range [...]exec.Engine{slow, fast} {
			least[i] = min(least[i], launches(b, m, module, e))
		}
	}
	b.ReportMetric(float64(least[1].Microseconds()), "us")
	return float64(least[0]) / float64(least[1])
}

// launches is the time of the process that the launches of a manifest take.
func launches(b *testing.B, m *object.Manifest, module *hsa.Module, e exec.Engine) time.Duration {
	memory, err := hsa.ManifestMemory(m)
	if err != nil {
		b.Fatal(err)
	}
	total := time.Duration(0)
	for i := range m.Launches {
		k, err := hsa.ManifestKernel(&m.Launches[i], module, memory)
		if err != nil {
			b.Fatal(err)
		}
		begin := processTime()
		if _, err := hsa.Launch(context.Background(), k, hsa.Config{Engine: e, Workers: 1}); err != nil {
			b.Fatal(err)
		}
		total += processTime() - begin
	}
	return total
}

func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
