//go:build linux && amd64

package gputest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/chip"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

func TestMain(m *testing.M) {
	host.Stage()
	if seed := os.Getenv(hostileVariable); seed != "" {
		os.Exit(hostile(seed))
	}
	if name := os.Getenv(clientVariable); name != "" {
		runClient(name)
	}
	os.Exit(m.Run())
}

// long runs everything on all chips: HEDDLE_LONG=1.
var long = os.Getenv("HEDDLE_LONG") != ""

// chips are the chips that tests run on: one of each generation.
func chips() (names []string) {
	if !long {
		return []string{"tahiti", "bonaire", "polaris10"}
	}
	for _, c := range chip.All() {
		names = append(names, c.Name)
	}
	return names
}

// inTurn returns one of the chips, of another generation for the next n, for what depends little on the chip.
func inTurn(n int) []string {
	list := chips()
	if long {
		return list
	}
	return list[n%len(list):][:1]
}

// Drivers of Vulkan, as Debian's mesa-vulkan-drivers has them.
const (
	icds     = "/usr/share/vulkan/icd.d/"
	radv     = icds + "radeon_icd.x86_64.json"
	lavapipe = icds + "lvp_icd.x86_64.json"
)

// A result is what a program did.
type result struct {
	out, err string // what it printed
	log      string // what the device says
	code     error
	stats    *amdgpu.Stats
}

// onGPU runs a program on a chip.
func onGPU(t testing.TB, chipName string, env []string, program ...string) result {
	t.Helper()
	return withOptions(t, chipName, amdgpu.Options{Hang: time.Minute}, env, program...)
}

// withOptions runs a program on a chip. The engine is the default one.
func withOptions(t testing.TB, chipName string, opt amdgpu.Options, env []string, program ...string) result {
	t.Helper()
	found, err := chip.Lookup(chipName)
	if err != nil {
		t.Fatal(err)
	}
	if opt.Engine, err = engines.Lookup("auto", engines.Use{}); err != nil {
		t.Fatal(err)
	}
	opt.Workers = max(opt.Workers, 1)
	gpu, err := amdgpu.New(found, opt)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := host.NewTree()
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := gpu.Describe(tree); err != nil {
		t.Fatal(err)
	}
	arena, err := host.NewArena("heddle-test")
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var out, errs, log bytes.Buffer
	err = host.Run(ctx, host.Config{Program: program, Env: gpu.Environ(append(os.Environ(), env...)), Tree: tree, Types: []byte(amdgpu.RequestTypes),
		Nodes: gpu.Nodes(arena, &log), Stdout: &out, Stderr: &errs})
	var refused *host.Refused
	if errors.As(err, &refused) {
		t.Skip("NOT RUN: ", err)
	}
	return result{out.String(), errs.String(), log.String(), err, &gpu.Stats}
}

// needs skips a test without a file of a package of Debian.
func needs(t testing.TB, file, pkg string) string {
	t.Helper()
	if !filepath.IsAbs(file) {
		found, err := exec.LookPath(file)
		if err != nil {
			t.Skipf("NOT RUN: %s is not installed: apt-get install %s", file, pkg)
		}
		return found
	}
	if _, err := os.Stat(file); err != nil {
		t.Skipf("NOT RUN: there is no %s: apt-get install %s", file, pkg)
	}
	return file
}

// client compiles the Vulkan client and returns its path.
func client(t testing.TB) string {
	t.Helper()
	needs(t, radv, "mesa-vulkan-drivers")
	needs(t, "/usr/include/vulkan/vulkan.h", "libvulkan-dev")
	return buildClient(t, "vkrun", "-lvulkan")
}

// buildClient compiles a client and returns its path.
func buildClient(t testing.TB, name string, libraries ...string) string {
	t.Helper()
	cc := needs(t, "gcc", "gcc libc6-dev")
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	args := append([]string{"-O1", "-Wall", "-Werror", "-o", path, "testdata/" + name + ".c"}, libraries...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// compile compiles a shader of GLSL to a file of SPIR-V.
func compile(t testing.TB, source, spv string) {
	t.Helper()
	glslang := needs(t, "glslangValidator", "glslang-tools")
	if out, err := exec.Command(glslang, "-V", "--target-env", "vulkan1.2", source, "-o", spv).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// argsOf returns the arguments of the client that a shader or kernel states.
func argsOf(t testing.TB, source string) []string {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "// run: ")
	line, _, _ := strings.Cut(rest, "\n")
	if !ok {
		t.Fatalf("%s: no line // run:", source)
	}
	return strings.Fields(line)
}

// onLavapipe returns what the client prints with Mesa's driver for processors.
func onLavapipe(t testing.TB, program ...string) string {
	t.Helper()
	needs(t, lavapipe, "mesa-vulkan-drivers")
	return onProcessor(t, []string{"VK_ICD_FILENAMES=" + lavapipe}, program...)
}

// onProcessor returns what a client prints without the GPU.
func onProcessor(t testing.TB, env []string, program ...string) string {
	t.Helper()
	c := exec.Command(program[0], program[1:]...)
	c.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(env, " "), err, &errs)
	}
	return string(out)
}

// differs returns where two outputs of the client differ; "" if they are equal.
func differs(want, got string) string {
	w, g := strings.Fields(want), strings.Fields(got)
	if slices.Equal(w, g) {
		return ""
	}
	if len(w) != len(g) {
		return fmt.Sprintf("%d words, want %d", len(g), len(w))
	}
	n, first := 0, -1
	for i := range w {
		if w[i] != g[i] {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Sprintf("%d of %d words differ, the first at %d: %s, want %s", n, len(w), first, g[first], w[first])
}
