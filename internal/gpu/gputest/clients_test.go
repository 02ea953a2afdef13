//go:build linux && amd64

package gputest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
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
			if name == "double" {
				want = doubles(t, want)
			}
			for _, c := range chips() {
				r := onGPU(t, c, []string{"VK_ICD_FILENAMES=" + radv}, command...)
				if d := differs(want, r.out); d != "" || r.code != nil || r.log != "" {
					t.Errorf("%s: %v: %s\n%s%s", c, r.code, d, r.log, r.err)
				}
				if strings.HasPrefix(name, "scratch") {
					at := withOptions(t, c, amdgpu.Options{Workers: 3, Hang: time.Minute}, []string{"VK_ICD_FILENAMES=" + radv}, command...)
					if d := differs(want, at.out); d != "" || at.code != nil || at.log != "" {
						t.Errorf("%s, three workers: %v: %s\n%s%s", c, at.code, d, at.log, at.err)
					}
				}
				if r.stats.Dispatches.Load() == 0 {
					t.Errorf("%s: nothing was dispatched", c)
				}
			}
		})
	}
}

// doubles returns the output of double.comp for the input that is printed with an output: lavapipe's is wrong on
// processors of AMD's family 17h, model 1. All values of the shader are exact.
func doubles(t *testing.T, out string) string {
	t.Helper()
	words := strings.Fields(out)
	half := len(words) / 2
	for i := 0; i < half; i += 2 {
		var in [2]uint32
		if _, err := fmt.Sscanf(words[i]+" "+words[i+1], "%x %x", &in[0], &in[1]); err != nil {
			t.Fatal(err)
		}
		x, y := float64(int32(in[0])), float64(in[1])+0.5
		b := math.Float64bits(math.Floor(x*0.125) + y*4 - math.Trunc(y/8))
		words[half+i], words[half+i+1] = fmt.Sprintf("%08x", uint32(b)), fmt.Sprintf("%08x", b>>32)
	}
	return strings.Join(words, " ")
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

// driversFaults are random shaders that Mesa 22.3.6 compiles wrong, by seed. It takes values of 32 bits for less than
// 2^24 and multiplies them by v_mul_u32_u24. With an instruction that multiplies all 32 bits in its place, the results
// are lavapipe's on gfx6 and gfx8.
var driversFaults = map[int]string{
	57:  "the lower half of a shifted 64-bit product is multiplied by v_mul_u32_u24",
	216: "the same",
	284: "the same",
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
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
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
				d, why := differs(want, r.out), driversFaults[seed]
				switch {
				case r.code != nil || r.log != "" || d != "" && why == "":
					t.Errorf("%s: %v: %s\n%s%s", c, r.code, d, r.log, r.err)
				case d != "":
					t.Logf("%s: %s: %s", c, d, why)
				default:
					equal++
				}
			}
		})
	}
	t.Logf("%d of %d runs are equal to lavapipe", equal, all)
}

// faulty compiles a shader with a fault and returns the command that runs it.
func faulty(t *testing.T, name string) []string {
	t.Helper()
	source, spv := "testdata/faulty/"+name+".comp", filepath.Join(t.TempDir(), name+".spv")
	vkrun := client(t)
	compile(t, source, spv)
	return append([]string{vkrun, spv}, argsOf(t, source)...)
}

// TestRaces: a race in the shader of an unmodified program is found, with its two instructions.
func TestRaces(t *testing.T) {
	var found []check.Finding
	opt := amdgpu.Options{Watch: watch(sanitize.CheckRace|sanitize.CheckWait, &found)}
	r := withOptions(t, "polaris10", opt, []string{"VK_ICD_FILENAMES=" + radv}, faulty(t, "race")...)
	if r.code != nil || len(found) == 0 || !strings.Contains(found[0].At.Text, "ds_write") && !strings.Contains(found[0].Others[0].Text, "ds_write") {
		t.Errorf("%v: found %+v\n%s", r.code, found, r.log)
	}
}

// TestHang: an endless shader ends by the limit of a submission. The program is told that the device is lost, and ends
// in its own way.
func TestHang(t *testing.T) {
	command := append(faulty(t, "endless"), "-s", "2")
	r := withOptions(t, "polaris10", amdgpu.Options{Hang: time.Second}, []string{"VK_ICD_FILENAMES=" + radv}, command...)
	var exit *host.Exit
	if !errors.As(r.code, &exit) || exit.Code != 1 || !strings.Contains(r.log, "hang: a submission has not ended after 1s") {
		t.Errorf("%v\n%s%s", r.code, r.log, r.err)
	}
}

// TestWorkers: with several groups at once results are the same where order does not matter.
func TestWorkers(t *testing.T) {
	vkrun, spv := client(t), filepath.Join(t.TempDir(), "s.spv")
	for _, name := range []string{"lds", "atomics", "scratchgroup", "branches"} {
		source := "testdata/shaders/" + name + ".comp"
		compile(t, source, spv)
		command := append([]string{vkrun, spv}, argsOf(t, source)...)
		r := withOptions(t, "polaris10", amdgpu.Options{Workers: 4}, []string{"VK_ICD_FILENAMES=" + radv}, command...)
		if d := differs(onLavapipe(t, command...), r.out); d != "" || r.code != nil || r.log != "" {
			t.Errorf("%s: %v: %s\n%s%s", name, r.code, d, r.log, r.err)
		}
	}
}

// TestCapture: a captured dispatch is a manifest, and its run leaves in memory what the device has left.
func TestCapture(t *testing.T) {
	vkrun, dir := client(t), t.TempDir()
	for _, name := range []string{"lds", "atomics", "scratchgroup", "indirect", "push", "image", "imagelarge", "imagelinear"} {
		source, spv := "testdata/shaders/"+name+".comp", filepath.Join(dir, name+".spv")
		compile(t, source, spv)
		for _, c := range chips() {
			captured(t, c, filepath.Join(dir, name+c), []string{"VK_ICD_FILENAMES=" + radv}, append([]string{vkrun, spv}, argsOf(t, source)...)...)
		}
	}
}

// captured runs a program, captures its dispatches and runs the captures.
func captured(t *testing.T, c, folder string, env []string, program ...string) {
	t.Helper()
	var log strings.Builder
	opt := amdgpu.Options{Captures: &amdgpu.Captures{Folder: folder, Most: 8, Log: func(f string, args ...any) { fmt.Fprintf(&log, f, args...) }}}
	withOptions(t, c, opt, env, program...)
	if log.Len() > 0 {
		t.Errorf("%s: %s", folder, &log)
	}
	list, err := filepath.Glob(filepath.Join(folder, "dispatch*", "manifest.json"))
	if err != nil || len(list) == 0 {
		t.Errorf("%s: no captures: %v", folder, err)
	}
	changed := 0
	for _, file := range list {
		changed += runCapture(t, file)
	}
	if changed == 0 {
		t.Errorf("%s: no buffer has changed", folder)
	}
}

// runCapture runs a captured dispatch by the reference engine, compares memory, and returns how many buffers the device
// has changed.
func runCapture(t *testing.T, file string) (changed int) {
	t.Helper()
	m, err := casefile.ReadManifestFile(file)
	if err != nil {
		t.Error(err)
		return 0
	}
	memory, _, err := gcn.RunManifest(t.Context(), m, &m.Variants[0], launch.Settings{Engine: ref.New()})
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return 0
	}
	for i := range m.Buffers {
		want, err := m.ExpectData(&m.Buffers[i])
		got, _ := memory.Buffer(m.Buffers[i].Name)
		if err != nil || !bytes.Equal(want, got.Data) {
			t.Errorf("%s: buffer %s: %v, or not what the device has left", file, m.Buffers[i].Name, err)
		}
		if m.Buffers[i].Expect != "" {
			changed++
		}
	}
	return changed
}

// TestSysfs: the files that describe the device have the text that Linux writes, and ls lists the node without errors.
// Source: Linux, drivers/pci/pci-sysfs.c: ids as 0x%04x, the class as 0x%06x, the revision as 0x%02x.
func TestSysfs(t *testing.T) {
	const command = "cd /sys/dev/char && cat 226:128/device/vendor 226:128/device/device 226:128/device/subsystem_device " +
		"226:128/device/class 226:128/device/revision 226:128/device/uevent 226:128/dev && ls -l /dev/dri | cut -c1-10"
	want := `0x1002
0x67df
0x0b37
0x030000
0xc7
DRIVER=amdgpu
PCI_CLASS=30000
PCI_ID=1002:67DF
PCI_SUBSYS_ID=1002:0B37
PCI_SLOT_NAME=fffe:01:00.0
226:128
total 0
crw-rw-rw-
`
	if r := onGPU(t, "polaris10", nil, "sh", "-c", command); r.out != want || r.err != "" || r.code != nil {
		t.Errorf("%v\n%s%s", r.code, r.out, r.err)
	}
}
