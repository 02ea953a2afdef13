//go:build linux && amd64

package gputest

import (
	"path/filepath"
	"strings"
	"testing"

	figures "github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/mem"
)

// profiled runs a program and returns what its dispatches did.
func profiled(t *testing.T, env []string, program ...string) ([]profiles.Profile, *amdgpu.Stats) {
	t.Helper()
	live := &profiles.Live{}
	r := withOptions(t, "polaris10", amdgpu.Options{Watch: func(func(*mem.Segment) []byte) amdgpu.Watching { return live }}, env, program...)
	if r.code != nil || r.log != "" {
		t.Errorf("%v\n%s%s", r.code, r.log, r.err)
	}
	return live.Profiles(), r.stats
}

// TestProfile: instructions of all dispatches of a Vulkan program are counted.
func TestProfile(t *testing.T) {
	vkrun := client(t)
	for _, x := range []struct {
		shader     string
		dispatches uint64
		text       string // of an instruction that each wave of the first program executes once
		waves      uint64
	}{
		{"lds", 1, "buffer_load_dword ", 12}, // 3 groups of 256
		{"repeat", 15, "s_endpgm", 15 * 4 * 64 / 64},
	} {
		source, spv := "testdata/shaders/"+x.shader+".comp", filepath.Join(t.TempDir(), "s.spv")
		compile(t, source, spv)
		list, stats := profiled(t, []string{"VK_ICD_FILENAMES=" + radv}, append([]string{vkrun, spv}, argsOf(t, source)...)...)
		all, dispatches, waves := uint64(0), uint64(0), uint64(0)
		for i := range list {
			all, dispatches = all+list[i].Instructions, dispatches+list[i].LaunchCount()
		}
		if all != stats.Instructions.Load() || dispatches != x.dispatches || dispatches != stats.Dispatches.Load() {
			t.Errorf("%s: %d instructions of %d dispatches; the device says %d of %d", x.shader, all, dispatches, stats.Instructions.Load(), stats.Dispatches.Load())
		}
		for _, in := range list[0].List {
			if strings.HasPrefix(in.Text, x.text) {
				waves = in.Waves
			}
		}
		if o := list[0].Launches[0].Occupancy; waves != x.waves || o.Waves != 10 || o.From == "" {
			t.Errorf("%s: %d waves execute %s, want %d; %v", x.shader, waves, x.text, x.waves, &o)
		}
	}
}

// TestProfileTime: the time of all dispatches is modelled, one after another, on the chip that the program finds.
func TestProfileTime(t *testing.T) {
	vkrun := client(t)
	source, spv := "testdata/shaders/repeat.comp", filepath.Join(t.TempDir(), "s.spv")
	compile(t, source, spv)
	live := &profiles.Live{Timed: true}
	r := withOptions(t, "polaris10", amdgpu.Options{Watch: func(func(*mem.Segment) []byte) amdgpu.Watching { return live }},
		[]string{"VK_ICD_FILENAMES=" + radv}, append([]string{vkrun, spv}, argsOf(t, source)...)...)
	if r.code != nil || r.log != "" {
		t.Fatalf("%v\n%s%s", r.code, r.log, r.err)
	}
	list := live.Profiles()
	lost, err := live.Time(list, true, func(isa string) (*figures.Chip, error) { return figures.Named(isa, "polaris10") })
	if lost != 0 || err != nil {
		t.Fatal(lost, err)
	}
	launches, begin, waves := profiles.Sequence(list), 0.0, 0
	for i, l := range launches {
		if l.Order != i || l.Begin != begin || l.Clocks <= 0 || l.Draw != nil {
			t.Errorf("launch %d: %+v, want it from %g on", i, l, begin)
		}
		begin, waves = begin+l.Clocks, waves+l.Waves
	}
	if n := r.stats.Dispatches.Load(); uint64(len(launches)) != n || n != 15 || uint64(waves) != r.stats.Waves.Load() {
		t.Errorf("%d launches of %d, %d waves of %d", len(launches), n, waves, r.stats.Waves.Load())
	}
}

// TestProfileNothing: a program without dispatches has no profile.
func TestProfileNothing(t *testing.T) {
	if list, _ := profiled(t, nil, needs(t, "true", "coreutils")); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}
