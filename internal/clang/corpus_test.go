package clang_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A build is a way to compile the kernels of a manifest.
type build struct{ clang, target, opt, version string }

// TestCorpus: the sources of the kernel manifests, compiled with heddle's built-in functions, give the results in the
// manifests, which PoCL computed. All are compiled by the newest compiler for gfx8, and each once by another one, for
// another generation, optimisation level or version of the code object.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(cases.Dir(t), "kernels", "gcn", "*", "manifest.json"))
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d manifests, %v", len(paths), err)
	}
	others := []build{
		{"clang-14", "gfx803", "2", "4"}, {"clang-19", "gfx600", "2", "5"}, {"clang-22", "gfx700", "0", "4"}, {"clang-14", "gfx700", "0", "3"},
		{"clang-22", "gfx600", "2", "6"}, {"clang-19", "gfx803", "0", "4"},
	}
	all := 0
	for i, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			m, err := casefile.ReadManifestFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ran := 0
			for _, b := range []build{{"clang-22", "gfx803", "2", ""}, others[i%len(others)]} {
				if !runs(m, b) {
					continue
				}
				t.Run(strings.TrimSuffix(strings.Join([]string{b.clang, b.target, "O" + b.opt, b.version}, "-"), "-"), func(t *testing.T) {
					clang.NeedTool(t, b.clang)
					if b.clang == "clang-22" && usesLibclc(t, m) {
						clang.NeedLibclc(t, b.clang)
					}
					ran++
					runBuild(t, m, b)
				})
			}
			if all += ran; ran == 0 {
				t.Skip("NOT RUN: no clang that compiles it is installed")
			}
		})
	}
	if all == 0 {
		t.Skip("NOT RUN: no clang is installed: apt install clang-22 libclc-22")
	}
}

// usesLibclc reports whether a manifest's kernel calls a function that only libclc has.
func usesLibclc(t *testing.T, m *casefile.Manifest) bool {
	t.Helper()
	text, err := os.ReadFile(m.Path(m.Source))
	if err != nil {
		t.Fatal(err)
	}
	return libclcCall.Match(text)
}

var libclcCall = regexp.MustCompile(`\b(sin|cos|tan|exp|log|pow|erf)\(`)

// runs reports whether a manifest's kernel works in a build: some use an instruction of one generation, or its
// precision of halves, some a libclc function that only the matching clang accepts.
func runs(m *casefile.Manifest, b build) bool {
	text, err := os.ReadFile(m.Path(m.Source))
	if err != nil || b.clang == "clang-22" && b.target == "gfx803" {
		return true
	}
	for _, only := range []string{"update_dpp", "sin(", "exp(", "log(", "pow(", "erf", "sdwa", "const half*"} {
		if bytes.Contains(text, []byte(only)) {
			return false
		}
	}
	return true
}

func runBuild(t *testing.T, m *casefile.Manifest, b build) {
	t.Helper()
	var said bytes.Buffer
	o := clang.Options{Clang: b.clang, Target: b.target, Opt: b.opt, Cache: "off", Err: &said}
	for _, f := range m.BuildOptions {
		if std, is := strings.CutPrefix(f, "-cl-std="); is {
			o.Std = std
		} else {
			o.Flags = append(o.Flags, f)
		}
	}
	if b.version != "" {
		o.Flags = append(o.Flags, "-mcode-object-version="+b.version)
	}
	data, err := clang.Compile(context.Background(), m.Path(m.Source), o)
	if err != nil {
		t.Errorf("%v: %v\n%s", b, err, &said)
		return
	}
	if strings.Contains(said.String(), "warning") {
		t.Errorf("%v: %s", b, &said)
	}
	code, err := object.ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	runManifest(t, m, b, code)
}

// runManifest runs the launches of a manifest on a code object and compares the buffers.
func runManifest(t *testing.T, m *casefile.Manifest, b build, code *object.CodeObject) {
	t.Helper()
	module, err := gcn.Load(code, nil)
	if err != nil {
		t.Fatal(err)
	}
	memory, _, err := gcn.RunModule(t.Context(), m, module, launch.Settings{Engine: portable.New()}, 0)
	if err != nil {
		t.Errorf("%v: %v", b, err)
		return
	}
	for i := range m.Buffers {
		if m.Buffers[i].Compare.Mode == "skip" {
			continue
		}
		want, err := m.ExpectData(&m.Buffers[i])
		if err != nil {
			t.Fatal(err)
		}
		got, ok := memory.Buffer(m.Buffers[i].Name)
		if !ok || want == nil {
			continue
		}
		if wrong := check.CompareBuffer(&m.Buffers[i], want, got.Data); wrong != "" {
			t.Errorf("%v: buffer %s: %s", b, m.Buffers[i].Name, wrong)
		}
	}
}
