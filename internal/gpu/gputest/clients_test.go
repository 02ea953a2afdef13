//go:build linux && amd64

package gputest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unbuilt are shaders that need what is not built, and what the device must say then.
var unbuilt = map[string]string{
	"image":      "tiling index",
	"imagelarge": "tiling index",
}

// TestClients: Mesa's RADV, unchanged, compiles and submits compute shaders; what heddle computes is what Mesa's driver
// for processors computes.
func TestClients(t *testing.T) {
	vkrun := client(t)
	shaders, err := filepath.Glob("testdata/shaders/*.comp")
	if err != nil || len(shaders) == 0 {
		t.Fatalf("no shaders: %v", err)
	}
	for _, source := range shaders {
		name := strings.TrimSuffix(filepath.Base(source), ".comp")
		t.Run(name, func(t *testing.T) {
			spv := filepath.Join(t.TempDir(), name+".spv")
			compile(t, source, spv)
			command := append([]string{vkrun, spv}, argsOf(t, source)...)
			want := onLavapipe(t, command...)
			for _, c := range chips() {
				r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, command...)
				if lack := unbuilt[name]; lack != "" {
					if !strings.Contains(r.log, lack) {
						t.Errorf("%s: the device says %q, want that it names %q", c, r.log, lack)
					}
					continue
				}
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

// TestVulkaninfo: the driver names the chip.
func TestVulkaninfo(t *testing.T) {
	needs(t, radv, "mesa-vulkan-drivers")
	info := needs(t, "vulkaninfo", "vulkan-tools")
	for _, c := range chips() {
		r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, info, "--summary")
		want := fmt.Sprintf("(RADV %s)", strings.ToUpper(c))
		if r.code != nil || !strings.Contains(r.out, want) || r.log != "" {
			t.Errorf("%s: %v: no %s\n%s%s%s", c, r.code, want, r.out, r.err, r.log)
		}
	}
}

// TestGenerated: the same for random shaders. HEDDLE_LONG runs 300 of them on each chip.
func TestGenerated(t *testing.T) {
	vkrun := client(t)
	dir, n := t.TempDir(), 12
	if long {
		n = 300
	}
	all, equal := 0, 0
	for seed := range n {
		source, spv := filepath.Join(dir, "s.comp"), filepath.Join(dir, "s.spv")
		if err := os.WriteFile(source, []byte(generate(uint64(seed))), 0o666); err != nil {
			t.Fatal(err)
		}
		compile(t, source, spv)
		command := append([]string{vkrun, spv}, argsOf(t, source)...)
		want := onLavapipe(t, command...)
		for _, c := range chips() {
			r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, command...)
			all++
			if d := differs(want, r.out); d != "" || r.code != nil || r.log != "" {
				t.Errorf("seed %d, %s: %v: %s\n%s%s", seed, c, r.code, d, r.log, r.err)
				continue
			}
			equal++
		}
	}
	t.Logf("%d of %d runs are equal to lavapipe", equal, all)
}
