package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/launch"
)

// leastShare is the share of the wave-instructions that machine code executes, at least.
const leastShare = 0.995

// lowerShares are workloads with a lower share.
var lowerShares = map[string]float64{
	"attila cube scene":  0.94, // textures are sampled by package mem
	"valhall knot scene": 0.96, // outputs of stages, and textures
	"rogue rope scene":   0.97, // textures
	"gcn mvp_cube scene": 0.59, // inputs of stages: 3 149 instructions in all

	"gcn dpp_gfx8":                   0.98, // ds_permute
	"dpp_gfx8 dpp_gfx8.gfx803.hsaco": 0.98,

	"gcn subword":      0.96, // trunc of 16 bits
	"gcn vop3_float":   0.97, // frexp
	"gcn f64/roots":    0.95, // rsq of f64
	"gcn f64/roots.O0": 0.98,
	"gcn images/blur":  0.76, // images are read and sampled by package mem
	"gcn images/zoom":  0.97,
}

// TestShare: machine code executes nearly all instructions of the kernels, programs and scenes of all sets.
func TestShare(t *testing.T) {
	jit, err := engines.Lookup("jit", engines.Use{})
	if err != nil {
		t.Fatal(err)
	}
	if x, ok := jit.(interface{ Lacks() string }); ok && x.Lacks() != "" {
		t.Skip("NOT RUN: no machine code here: ", x.Lacks())
	}
	for _, w := range workloads("../..") {
		shareOf(t, jit, w.set+" "+w.name, func(e exec.Engine) (uint64, error) {
			run, err := w.prepare(t.Context(), launch.Settings{Engine: e, Workers: 1})
			if err != nil {
				return 0, err
			}
			out, err := run()
			return out.instructions, err
		})
	}
	files, err := filepath.Glob("../../cases/kernels/*/*/manifest.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels: ", err)
	}
	for _, file := range files {
		m, err := casefile.ReadManifestFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Variants {
			v := &m.Variants[i]
			shareOf(t, jit, filepath.Base(filepath.Dir(file))+" "+v.File, func(e exec.Engine) (n uint64, err error) {
				_, results, err := platforms.Lookup(v.ISA).RunManifest(t.Context(), m, v, launch.Settings{Engine: e, Workers: 1})
				for _, r := range results {
					n += r.Instructions
				}
				return n, err
			})
		}
	}
}

// shareOf checks the share of machine code in a run.
func shareOf(t *testing.T, jit exec.Engine, name string, run func(e exec.Engine) (instructions uint64, err error)) {
	m := exec.Measure(exec.Eager(jit))
	n, err := run(m)
	if err != nil || n == 0 {
		t.Errorf("%s: %d instructions, %v", name, n, err)
		return
	}
	slow, text := uint64(0), ""
	for _, x := range m.Taken().Slow {
		slow += x.N
		text += fmt.Sprintf("\n\t%.2f %% %s", 100*float64(x.N)/float64(n), x.Name)
	}
	least, known := lowerShares[name]
	if !known {
		least = leastShare
	}
	switch share := 1 - float64(slow)/float64(n); {
	case share < least:
		t.Errorf("%s: %.2f %% of %d instructions in machine code; not:%s", name, 100*share, n, text)
	case known && share >= leastShare:
		t.Errorf("%s: %.2f %% of the instructions in machine code: it is no exception", name, 100*share)
	}
}
