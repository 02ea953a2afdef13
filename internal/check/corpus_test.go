package check

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// openCases match state cases that cannot pass. The values that v_mbcnt_* is expected to give are
// those of other lanes than the ones they stand for: lane 0 of valu-v_mbcnt_lo_u32_b32-gfx8-2 counts
// 20 lanes below it.
var openCases = regexp.MustCompile(`^valu-v_mbcnt_`)

// Every kernel and state case of a variant that is built passes, but for openCases.
func TestCorpus(t *testing.T) {
	dir := cases.Dir(t)
	paths := []string{filepath.Join(dir, "kernels"), filepath.Join(dir, "state")}
	var time time.Duration
	var steps uint64
	passed := map[string]int{} // builds by kernel
	s, err := Run(context.Background(), paths, Options{Each: func(r Result) {
		time += r.Time
		steps += r.Instructions
		switch {
		case r.Status == Passed && strings.HasPrefix(r.Set, "kernels/"):
			name, _, _ := strings.Cut(r.Name, " ")
			passed[name]++
		case r.Status == Failed && r.Lacking:
			t.Logf("LACKING %s", r)
		case r.Status == Failed && !openCases.MatchString(r.Name):
			t.Error(r)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%v\n%d guest instructions a wave in %v", s, steps, time)
	for _, kernel := range accepted {
		if passed[kernel] == 0 {
			t.Errorf("no build of kernel %s has passed", kernel)
		}
	}
}

// accepted are the kernels without which there is nothing to show.
var accepted = strings.Fields(`
	saxpy mandelbrot matmul_tiled reduce_lds scan_lds histogram bitonic transpose divergent crc32
	stencil_f64 life conv2d sobel chacha20 kmeans fft64 spmv_csr`)

// The claims about encodings: what fails is logged, as the golden files of the instruction sets are
// the place where it is decided.
func TestCorpusPairs(t *testing.T) {
	dir := cases.Dir(t)
	logged := 0
	s, err := Run(context.Background(), []string{filepath.Join(dir, "pairs")}, Options{Each: func(r Result) {
		if r.Status == Failed && logged < 20 {
			logged++
			t.Log(r)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%v", s)
}
