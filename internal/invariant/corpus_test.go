// Package invariant holds tests of invariants of whole programs: of compiled kernels, and of small programs written for
// one purpose. It consists of tests only, which may import anything. docs/invariants.md lists all invariants and their
// tests, here and elsewhere.
package invariant

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// corpus are the folders of kernels. The second, if present, is the full set from which the first is selected.
var corpus = []string{
	filepath.Join("..", "..", "cases", "kernels", "gcn"),
	filepath.Join("..", "..", "..", "shared", "cases", "kernels", "gcn"),
}

// long reports whether slow tests should run.
var long = os.Getenv("HEDDLE_LONG") != ""

// heavy are builds of half a million instructions and more that are mostly covered by another build of the same kernel.
// They run only in long tests.
var heavy = map[string]bool{"divergent gfx803.O0": true, "matmul_tiled gfx803.O0": true}

// A kernel is a runnable build of a manifest.
type kernel struct {
	name  string // saxpy gfx803.O0
	dir   string
	m     *casefile.Manifest
	b     *casefile.Build
	plain func() *outcome
}

// An outcome is the result of the launches of a kernel.
type outcome struct {
	err     error
	buffers []*gcn.Buffer
	results []*launch.Result
}

// kernels are the builds of the corpus, without duplicates.
var kernels = sync.OnceValue(func() (ks []*kernel) {
	seen := map[string]bool{}
	for _, root := range corpus {
		files, _ := filepath.Glob(filepath.Join(root, "*", "manifest.json"))
		for _, file := range files {
			dir := filepath.Dir(file)
			if seen[filepath.Base(dir)] {
				continue
			}
			seen[filepath.Base(dir)] = true
			m, err := casefile.ReadManifestFile(file)
			if err != nil {
				panic(err)
			}
			for i := range m.Variants {
				if k := newKernel(dir, m, &m.Variants[i]); k.b.Variant == "gfx8" && (long || !heavy[k.name]) {
					ks = append(ks, k)
				}
			}
		}
	}
	return ks
})

func newKernel(dir string, m *casefile.Manifest, b *casefile.Build) *kernel {
	file := strings.TrimPrefix(filepath.Base(b.File), m.Name+".")
	k := &kernel{name: m.Name + " " + strings.TrimSuffix(file, ".hsaco"), dir: dir, m: m, b: b}
	k.plain = sync.OnceValue(func() *outcome { return k.run(launch.Settings{Engine: ref.New(), Workers: 1}) })
	return k
}

// run runs all launches of the kernel.
func (k *kernel) run(c launch.Settings) *outcome {
	memory, results, err := gcn.RunManifest(context.Background(), k.m, k.b, c)
	return &outcome{err, memory.Buffers(), results}
}

// instructions returns the total count of all launches.
func (o *outcome) instructions() (n uint64) {
	for _, r := range o.results {
		n += r.Instructions
	}
	return n
}

// eachKernel runs the test on every kernel of the corpus, with the outcome of a plain run.
func eachKernel(t *testing.T, test func(t *testing.T, k *kernel, plain *outcome)) {
	ks := kernels()
	if len(ks) < 20 {
		t.Fatalf("the corpus has %d kernels", len(ks))
	}
	for _, k := range ks {
		t.Run(k.name, func(t *testing.T) {
			plain := k.plain()
			if plain.err != nil {
				t.Fatal(plain.err)
			}
			test(t, k, plain)
		})
	}
}

// same reports a run whose bytes or counters differ from those of the plain run of the kernel.
func same(t *testing.T, how string, plain, got *outcome) {
	t.Helper()
	if got.err != nil {
		t.Fatalf("%s: %v", how, got.err)
	}
	for i, b := range plain.buffers {
		if !bytes.Equal(b.Data, got.buffers[i].Data) {
			t.Errorf("%s: buffer %s differs", how, b.Name)
		}
	}
	for i, r := range plain.results {
		g := got.results[i]
		if r.Counters != g.Counters || r.Groups != g.Groups || r.Waves != g.Waves {
			t.Errorf("%s: launch %d: %+v, want %+v", how, i, g, r)
		}
	}
}

// runStateCases runs the committed state cases of all instruction sets, which must pass, and returns their number and
// their guest instructions.
func runStateCases(t *testing.T, e exec.Engine) (cases int, instructions uint64) {
	t.Helper()
	s, err := check.Run(context.Background(), []string{filepath.Join("..", "..", "cases", "state")}, check.Options{
		Engine: e, Workers: 1, SkipLacking: true,
		Each: func(r check.Result) {
			instructions += r.Instructions
			if r.Status == check.Failed {
				t.Error(r)
			}
		},
	})
	if err != nil || s.Passed < 400 {
		t.Fatalf("%d cases passed, %v", s.Passed, err)
	}
	return s.Passed, instructions
}
