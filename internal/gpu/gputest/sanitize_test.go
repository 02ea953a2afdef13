//go:build linux && amd64

package gputest

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/sanitize"
)

// watch looks for errors in dispatches, each of which it puts into found once.
func watch(checks sanitize.Check, found *[]check.Finding) func(shadow func(*mem.Segment) []byte) amdgpu.Watching {
	var mu sync.Mutex
	return func(shadow func(*mem.Segment) []byte) amdgpu.Watching {
		return check.WatchDevice(checks, shadow, func(f check.Findings, incomplete string) {
			mu.Lock()
			defer mu.Unlock()
			for _, x := range f.Findings {
				if x.Severity == "error" && !slices.ContainsFunc(*found, func(y check.Finding) bool { return x.ID == y.ID }) {
					*found = append(*found, x)
				}
			}
		})
	}
}

// watched runs a program and returns the errors that are found.
func watched(t *testing.T, chip string, checks sanitize.Check, env []string, program ...string) (found []check.Finding) {
	t.Helper()
	r := withOptions(t, chip, amdgpu.Options{Hang: time.Minute, Watch: watch(checks, &found)}, env, program...)
	if r.code != nil || r.log != "" {
		t.Errorf("%s: %v\n%s%s%s", chip, r.code, r.out, r.log, r.err)
	}
	return found
}

// TestUnset: values that nothing has set are found in kernels of unmodified programs, with their origin, also if
// another kernel has left them in memory. Memory that the program or a packet has written since is defined.
func TestUnset(t *testing.T) {
	program := hipProgram(t, "unset", []string{"gfx803"})
	for _, x := range []struct{ what, want string }{
		{"clean", ""},
		{"lds", "undefined-result from group memory at 0x3fc"},
		{"register", "undefined-exec from register v77"},
		{"left", "undefined-result from group memory at 0xfc, undefined-exec from group memory at 0xfc"},
		{"set", "undefined-result from group memory at 0xfc"},
		{"copied", "undefined-result from group memory at 0xfc"},
		{"written", "undefined-result from group memory at 0xfc"},
	} {
		for _, sdma := range []string{"0", "1"} {
			var got []string
			for _, f := range watched(t, "polaris10", sanitize.CheckAll, []string{"HSA_ENABLE_SDMA=" + sdma}, program, x.what) {
				from, _, _ := strings.Cut(f.Origin, ",")
				got = append(got, fmt.Sprintf("%s from %s", f.Rule, from))
			}
			if s := strings.Join(got, ", "); s != x.want {
				t.Errorf("%s, SDMA %s: found %q, want %q", x.what, sdma, s, x.want)
			}
		}
	}
}

// TestRefused: an access that ends a queue is told by the sanitizer, too, with its instruction and address.
func TestRefused(t *testing.T) {
	var found []check.Finding
	program := hipProgram(t, "hiprun", []string{"gfx803"})
	r := withOptions(t, "polaris10", amdgpu.Options{Watch: watch(sanitize.CheckAll, &found)}, nil, program, "other", "stray")
	if len(found) != 1 || found[0].Rule != "outside-memory" || found[0].Addr == nil || *found[0].Addr != 0x1234567000 || !strings.Contains(found[0].At.Text, "store_dword") ||
		!strings.Contains(r.log, "the queue is stopped") {
		t.Errorf("found %+v\n%s", found, r.log)
	}
}

// quiet are the checks that find nothing.
const quiet = sanitize.CheckAll

// TestNothingFound: in programs without a defect the sanitizer finds nothing.
func TestNothingFound(t *testing.T) {
	silent := func(t *testing.T, checks sanitize.Check, chip string, env []string, program ...string) {
		t.Helper()
		for _, f := range watched(t, chip, checks, env, program...) {
			t.Errorf("%s: %v [%s]", chip, &f.Found, f.Rule)
		}
	}
	t.Run("Vulkan", func(t *testing.T) {
		vkrun, spv := client(t), filepath.Join(t.TempDir(), "s.spv")
		sources, _ := filepath.Glob("testdata/shaders/*.comp")
		for i, source := range sources {
			compile(t, source, spv)
			for _, c := range inTurn(i) {
				silent(t, quiet, c, []string{"VK_ICD_FILENAMES=" + radv}, append([]string{vkrun, spv}, argsOf(t, source)...)...)
			}
		}
	})
	t.Run("OpenCL", func(t *testing.T) {
		env, clrun := openCL(t), openCLClient(t)
		sources, _ := filepath.Glob("testdata/kernels/*.cl")
		for i, source := range sources {
			for _, c := range inTurn(i) {
				silent(t, quiet, c, env, append([]string{clrun, source}, argsOf(t, source)...)...)
			}
		}
	})
	t.Run("captured", func(t *testing.T) {
		vkrun, dir := client(t), t.TempDir()
		source, spv := "testdata/shaders/scratchgroup.comp", filepath.Join(dir, "s.spv")
		compile(t, source, spv)
		captured(t, "polaris10", filepath.Join(dir, "cap"), []string{"VK_ICD_FILENAMES=" + radv}, append([]string{vkrun, spv}, argsOf(t, source)...)...)
		files, _ := filepath.Glob(filepath.Join(dir, "cap", "*", "manifest.json"))
		for _, file := range files {
			m, err := casefile.ReadManifestFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := check.Watch(quiet, nil)
			memory, _, err := gcn.RunManifest(t.Context(), m, &m.Variants[0], launch.Settings{Engine: ref.New(), Watcher: w})
			for _, f := range w.Findings(err).Findings {
				t.Errorf("%s: %v [%s]", file, &f.Found, f.Rule)
			}
			for i := range m.Buffers {
				want, _ := m.ExpectData(&m.Buffers[i])
				if got, _ := memory.Buffer(m.Buffers[i].Name); m.Buffers[i].Compare.Mode != "skip" && !bytes.Equal(want, got.Data) {
					t.Errorf("%s: buffer %s is not what the device has left", file, m.Buffers[i].Name)
				}
			}
		}
		if len(files) == 0 {
			t.Error("nothing was captured")
		}
	})
	t.Run("HIP", func(t *testing.T) {
		silent(t, quiet, "polaris10", nil, hipProgram(t, "hiprun", []string{"gfx803"}))
	})
}
