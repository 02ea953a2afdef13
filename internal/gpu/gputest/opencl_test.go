//go:build linux && amd64

package gputest

import (
	"path/filepath"
	"strings"
	"testing"
)

// Drivers of OpenCL, as Debian's packages have them.
const (
	vendors = "/etc/OpenCL/vendors/"
	clover  = vendors + "mesa.icd"
	pocl    = vendors + "pocl.icd"
)

// openCL returns the environment in which programs have Mesa's driver alone.
func openCL(t testing.TB) []string {
	t.Helper()
	needs(t, clover, "mesa-opencl-icd")
	return []string{"OCL_ICD_VENDORS=" + clover}
}

// TestOpenCL: Mesa's clover and radeonsi, unchanged, compile and submit kernels of OpenCL; what heddle computes is what
// PoCL computes on the processor.
func TestOpenCL(t *testing.T) {
	env := openCL(t)
	needs(t, pocl, "pocl-opencl-icd")
	clrun := openCLClient(t)
	kernels, err := filepath.Glob("testdata/kernels/*.cl")
	if err != nil || len(kernels) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	onPoCL := []string{"OCL_ICD_VENDORS=" + pocl, "POCL_CACHE_DIR=" + t.TempDir()}
	for _, source := range kernels {
		t.Run(strings.TrimSuffix(filepath.Base(source), ".cl"), func(t *testing.T) {
			command := append([]string{clrun, source}, argsOf(t, source)...)
			want := onProcessor(t, onPoCL, command...)
			for _, c := range chips() {
				r := onGPU(t, c, env, command...)
				if d := differs(want, r.out); d != "" || r.code != nil || r.log != "" {
					t.Errorf("%s: %v: %s\n%s%s", c, r.code, d, r.log, r.err)
				}
				if r.stats.Dispatches.Load() == 0 {
					t.Errorf("%s: nothing was dispatched", c)
				}
			}
		})
	}
}

func openCLClient(t testing.TB) string {
	t.Helper()
	needs(t, "/usr/include/CL/cl.h", "opencl-headers")
	needs(t, "/usr/lib/x86_64-linux-gnu/libOpenCL.so", "ocl-icd-opencl-dev")
	return buildClient(t, "clrun", "-lOpenCL")
}

// TestCaptureOpenCL: the driver puts arguments beside the code; a captured dispatch finds them.
func TestCaptureOpenCL(t *testing.T) {
	env, clrun := openCL(t), openCLClient(t)
	for _, name := range []string{"saxpy", "reduce", "scratch"} {
		source := "testdata/kernels/" + name + ".cl"
		for _, c := range chips() {
			captured(t, c, filepath.Join(t.TempDir(), name+c), env, append([]string{clrun, source}, argsOf(t, source)...)...)
		}
	}
}

// TestClinfo: the driver names the chip, and says nothing of device files that are not there.
func TestClinfo(t *testing.T) {
	env := openCL(t)
	info := needs(t, "clinfo", "clinfo")
	for _, c := range chips() {
		r := onGPU(t, c, env, info)
		want := "(" + c + ", LLVM "
		if r.code != nil || !strings.Contains(r.out, want) || r.err != "" || r.log != "" {
			t.Errorf("%s: %v: no %s\n%s%s%s", c, r.code, want, r.out, r.err, r.log)
		}
	}
}
