package bench

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// BenchmarkPortable compares the portable engine with the reference, kernel by kernel on one worker, in turns: the
// least time of the waves, and of the whole launches. The results of BenchmarkPortable/mean are geometric means.
func BenchmarkPortable(b *testing.B) { compare(b, ref.New(), exec.Eager(portable.New())) }

// BenchmarkJIT compares the jit engine with the portable one in the same way.
func BenchmarkJIT(b *testing.B) {
	compare(b, exec.Eager(portable.New()), exec.Eager(jit.New()))
}

func compare(b *testing.B, slow, fast exec.Engine) {
	files, err := filepath.Glob(filepath.Join(kernels, "*", "manifest.json"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no kernels: %v", err)
	}
	var sum [2]float64
	for _, f := range files {
		b.Run(filepath.Base(filepath.Dir(f)), func(b *testing.B) {
			for i, x := range ratios(b, f, slow, fast) {
				sum[i] += math.Log(x)
				b.ReportMetric(x, units[i])
			}
		})
	}
	b.Run("mean", func(b *testing.B) {
		for i := range sum {
			b.ReportMetric(math.Exp(sum[i]/float64(len(files))), units[i])
		}
	})
}

var units = [2]string{"x", "x-launch"}

// A timed engine measures the time that its runners run.
type timed struct {
	exec.Engine
	total *time.Duration
}

type timedRunner struct {
	exec.Runner
	total *time.Duration
}

func (e timed) NewRunner(p *exec.Program) exec.Runner {
	return timedRunner{e.Engine.NewRunner(p), e.total}
}

func (r timedRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	begin := time.Now()
	stop := r.Runner.Run(st, env, b)
	*r.total += time.Since(begin)
	return stop
}

// ratios returns how many times as long the slow engine takes as the fast one for the launches of a manifest: for the
// waves, and in total.
func ratios(b *testing.B, manifest string, slow, fast exec.Engine) (x [2]float64) {
	m, err := casefile.ReadManifestFile(manifest)
	if err != nil {
		b.Fatal(err)
	}
	module, err := gcn.ReadModule(m, &m.Variants[0])
	if err != nil {
		b.Fatal(err)
	}
	least := [2][2]time.Duration{{math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}}
	for b.Loop() {
		for i, e := range [...]exec.Engine{slow, fast} {
			waves, all := launches(b, m, module, e)
			least[i][0], least[i][1] = min(least[i][0], waves), min(least[i][1], all)
		}
	}
	b.ReportMetric(float64(least[1][0].Microseconds()), "us")
	for i := range x {
		x[i] = float64(least[0][i]) / float64(least[1][i])
	}
	return x
}

// launches returns the time that the waves of a manifest's launches take, and that of the whole launches.
func launches(b *testing.B, m *casefile.Manifest, module *gcn.Module, e exec.Engine) (waves, all time.Duration) {
	memory, err := gcn.ManifestMemory(m)
	if err != nil {
		b.Fatal(err)
	}
	for i := range m.Launches {
		k, err := gcn.ManifestKernel(&m.Launches[i], module, memory)
		if err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: timed{e, &waves}, Workers: 1}); err != nil {
			b.Fatal(err)
		}
		all += time.Since(begin)
	}
	return waves, all
}
