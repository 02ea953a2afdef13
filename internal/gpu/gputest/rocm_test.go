//go:build linux && amd64

package gputest

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// rocmChips are the chips that ROCm's runtime knows, with their names for compilers.
var rocmChips = map[string]string{"polaris10": "gfx803", "tonga": "gfx802"}

// hipProgram compiles a program of HIP for targets and returns its path.
func hipProgram(t testing.TB, name string, targets []string, libraries ...string) string {
	t.Helper()
	hipcc := needs(t, "hipcc", "hipcc")
	needs(t, "/usr/include/hip/hip_runtime.h", "libamdhip64-dev")
	needs(t, "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/oclc_isa_version_803.bc", "rocm-device-libs")
	path := filepath.Join(t.TempDir(), name)
	args := []string{"-O2", "testdata/hip/" + name + ".cpp", "-o", path}
	for _, target := range targets {
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
	program := hipProgram(t, "hiprun", []string{"gfx803", "gfx802"})
	const want = "add: right\nreduction: right\ndynamic LDS: right\nlanes: right\ndoubles: right\nscratch: right\nmuch scratch: right\n" +
		"streams: right\ncopies: right\nhost memory: right\nmanaged: right\nthreads: right\n"
	for chip := range rocmChips {
		r := onGPU(t, chip, nil, program)
		if r.code != nil || r.out != want || r.log != "" {
			t.Errorf("%s: %v\n%s%s%s", chip, r.code, r.out, r.log, r.err)
		}
		if n := r.stats.Dispatches.Load(); n < 100 {
			t.Errorf("%s: %d dispatches", chip, n)
		}
	}
	t.Run("SDMA", func(t *testing.T) { // copies by the DMA engines, which ROCm uses on request
		r := onGPU(t, "polaris10", []string{"HSA_ENABLE_SDMA=1"}, program)
		if r.code != nil || r.out != want || r.log != "" {
			t.Errorf("%v\n%s%s%s", r.code, r.out, r.log, r.err)
		}
	})
	t.Run("looking inside", func(t *testing.T) { lookInside(t, program) })
	t.Run("faults", func(t *testing.T) { hipFaults(t, program) })
}

// TestHSA: a program of the HSA runtime, which finds chips of gfx7, too: packets of all kinds, signals, errors, and
// copies as kernels and by the DMA engines. Its kernels are compiled for the chip; results are compared with formulas.
func TestHSA(t *testing.T) {
	clang := needs(t, "clang-15", "clang-15 lld-15")
	needs(t, "/usr/include/hsa/hsa_ext_amd.h", "libhsa-runtime-dev")
	program := buildClient(t, "hip/hsarun", "-lhsa-runtime64", "-lpthread")
	const want = "kernel: right\ntimes: right\nscratch: right\nmany: right\nbarriers: right\ncopies: right\nno kernel: right\nlarge group: right\ntoo much LDS: right\n"
	for chip, target := range map[string]string{"hawaii": "gfx701", "tonga": "gfx802", "polaris11": "gfx803"} {
		code := filepath.Join(t.TempDir(), target)
		out, err := exec.Command(clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu="+target, "-nogpulib", "-O2", "-o", code, "testdata/hip/kernels.cl").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, sdma := range []string{"0", "1"} {
			r := onGPU(t, chip, []string{"HSA_ENABLE_SDMA=" + sdma}, program, code)
			if r.code != nil || r.out != want || strings.Count(r.log, "\n") != 3 || !strings.Contains(r.log, "groups of [2000 1 1] have more than 1024 work-items") {
				t.Errorf("%s, SDMA %s: %v\n%s%s%s", chip, sdma, r.code, r.out, r.log, r.err)
			}
		}
	}
}

// lookInside: dispatches of HIP are traced, watched and captured as others are.
func lookInside(t *testing.T, program string) {
	var trace, log bytes.Buffer
	folder := t.TempDir()
	var found []check.Finding
	r := withOptions(t, "polaris10", amdgpu.Options{Trace: &trace,
		Captures: &amdgpu.Captures{Folder: folder, Most: 100, Log: func(f string, args ...any) { fmt.Fprintf(&log, f+"\n", args...) }},
		Watch:    watch(sanitize.CheckAll, &found)}, nil, program, "reduction")
	if r.code != nil || r.out != "reduction: right\n" || r.log != "" || log.Len() > 0 || len(found) > 0 {
		t.Errorf("%v\n%s%s%s%+v", r.code, r.out, r.log, &log, found)
	}
	for _, want := range []string{"KERNEL_DISPATCH grid=[3072 1 1] block=[256 1 1]", "BARRIER_AND signals=", "ACQUIRE_MEM"} {
		if !strings.Contains(trace.String(), want) {
			t.Errorf("no %q in the trace:\n%s", want, &trace)
		}
	}
	if n := captures(t, folder); n < 4 {
		t.Errorf("%d dispatches captured", n)
	}
}

// captures runs what was captured and returns how many there are.
func captures(t *testing.T, folder string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		m, err := casefile.ReadManifestFile(file)
		if err != nil {
			t.Fatal(err)
		}
		memory, _, err := gcn.RunManifest(t.Context(), m, &m.Variants[0], launch.Settings{Engine: ref.New()})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i := range m.Buffers {
			want, err := m.ExpectData(&m.Buffers[i])
			got, _ := memory.Buffer(m.Buffers[i].Name)
			if err != nil || !bytes.Equal(want, got.Data) {
				t.Errorf("%s: buffer %s: %v, or not what the device has left", file, m.Buffers[i].Name, err)
			}
		}
	}
	return len(files)
}

// hipFaults: kernels print; after a failed assertion and a hang the program ends; after a stray store the runtime names
// its address and aborts, as on a real GPU.
func hipFaults(t *testing.T, program string) {
	r := onGPU(t, "polaris10", nil, program, "other", "printf")
	if want := "item 0 of group 0: text 1.5\nitem 1 of group 0: text 1.5\nitem 0 of group 1: text 1.5\nitem 1 of group 1: text 1.5\n" +
		"the program goes on: hipSuccess\n"; r.code != nil || r.log != "" || r.out != want {
		t.Errorf("printf: %v\n%s%s%s", r.code, r.out, r.err, r.log)
	}
	var exit *host.Exit
	r = onGPU(t, "polaris10", nil, program, "other", "assert")
	if !errors.As(r.code, &exit) || exit.Signal != syscall.SIGABRT || !strings.Contains(r.err+r.out, "Device-side assertion `n == 1' failed") || !strings.Contains(r.log, "s_trap 2") {
		t.Errorf("assert: %v\n%s%s%s", r.code, r.out, r.err, r.log)
	}
	r = onGPU(t, "polaris10", nil, program, "other", "stray")
	if !errors.As(r.code, &exit) || exit.Signal != syscall.SIGABRT || !strings.Contains(r.err, "Memory access fault by GPU node-1") || !strings.Contains(r.err, "on address 0x1234567000") ||
		!strings.Contains(r.log, "global store of 4 bytes at 0x1234567000") || !strings.Contains(r.log, "the queue is stopped") {
		t.Errorf("stray: %v\n%s%s%s", r.code, r.out, r.err, r.log)
	}
	r = withOptions(t, "polaris10", amdgpu.Options{Hang: time.Second}, nil, program, "other", "endless")
	if !errors.As(r.code, &exit) || exit.Signal != syscall.SIGABRT || !strings.Contains(r.log, "hang: a dispatch has not ended after 1s") {
		t.Errorf("endless: %v\n%s%s%s", r.code, r.out, r.err, r.log)
	}
}

// TestRocRAND: generators of rocRAND, which Debian has compiled for gfx803, give the numbers of their formulas.
func TestRocRAND(t *testing.T) {
	needs(t, "/usr/include/rocrand/rocrand.h", "librocrand-dev")
	program := hipProgram(t, "random", []string{"gfx803"}, "-lrocrand")
	const want = "philox: right\nphilox, uniform: right\nsobol: right\nxorwow: right\nxorwow, poisson: right\nmrg32k3a: right\nmrg32k3a, poisson: right\n" +
		"mtgp32: right\nmtgp32, poisson: right\n"
	if r := onGPU(t, "polaris10", nil, program); r.code != nil || r.out != want || r.log != "" {
		t.Errorf("%v\n%s%s%s", r.code, r.out, r.log, r.err)
	}
}
