//go:build linux && amd64

package gputest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rocmChips are the chips that ROCm's runtime knows, with their names for compilers.
var rocmChips = map[string]string{"polaris10": "gfx803", "tonga": "gfx802"}

// hipProgram compiles a program of HIP for all chips and returns its path.
func hipProgram(t testing.TB, name string, libraries ...string) string {
	t.Helper()
	hipcc := needs(t, "hipcc", "hipcc")
	needs(t, "/usr/include/hip/hip_runtime.h", "libamdhip64-dev")
	needs(t, "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/oclc_isa_version_803.bc", "rocm-device-libs")
	path := filepath.Join(t.TempDir(), name)
	args := []string{"-O2", "testdata/hip/" + name + ".cpp", "-o", path}
	for _, target := range rocmChips {
		args = append(args, "--offload-arch="+target)
	}
	if out, err := exec.Command(hipcc, append(args, libraries...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestROCmInfo: rocminfo finds the GPU with the figures of its chip, and on a chip without a compute node none.
func TestROCmInfo(t *testing.T) {
	rocminfo := needs(t, "rocminfo", "rocminfo")
	for chip, target := range rocmChips {
		r := onGPU(t, chip, nil, rocminfo)
		for _, want := range []string{"amdgcn-amd-amdhsa--" + target, "Feature:                 KERNEL_DISPATCH", "Wavefront Size:          64(0x40)", "Shader Engines:          4"} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%s: no %q", chip, want)
			}
		}
		if r.code != nil || r.log != "" {
			t.Errorf("%s: %v\n%s%s\n%s", chip, r.code, r.log, r.err, r.out)
		}
	}
	if r := onGPU(t, "tahiti", nil, rocminfo); r.code == nil || strings.Contains(r.out, "gfx6") {
		t.Errorf("tahiti: %v\n%s", r.code, r.out)
	}
}

// TestHIP: a program that hipcc has compiled runs with ROCm's runtime, unchanged. It compares results with formulas.
func TestHIP(t *testing.T) {
	program := hipProgram(t, "hiprun")
	const want = "add: right\nreduction: right\ndynamic LDS: right\nlanes: right\ndoubles: right\nscratch: right\nmuch scratch: right\n" +
		"streams: right\ncopies: right\nhost memory: right\nthreads: right\n"
	for chip := range rocmChips {
		r := onGPU(t, chip, nil, program)
		if r.code != nil || r.out != want || r.log != "" {
			t.Errorf("%s: %v\n%s%s%s", chip, r.code, r.out, r.log, r.err)
		}
		if n := r.stats.Dispatches.Load(); n < 100 {
			t.Errorf("%s: %d dispatches", chip, n)
		}
	}
}
