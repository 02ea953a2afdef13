package codeobj_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// A build is one way of compiling the corpus.
type build struct {
	clang, target string
	options       []string
}

func (b build) String() string {
	return strings.Join(append([]string{b.clang, b.target}, b.options...), " ")
}

// builds returns those of every run; HEDDLE_DEBUG_BUILDS=all adds all installed versions of clang, all levels and all
// kinds of debug information for three processors.
func builds(t *testing.T) (list []build) {
	if os.Getenv("HEDDLE_DEBUG_BUILDS") != "all" {
		return []build{{"22", "gfx803", []string{"-O2", "-g"}}}
	}
	for _, clang := range []string{"14", "19", "22"} {
		if missing := missingTools(clang); len(missing) > 0 {
			t.Run("clang-"+clang, func(t *testing.T) {
				t.Skipf("NOT CHECKED with clang %s: %s missing", clang, strings.Join(missing, ", "))
			})
			continue
		}
		for _, target := range []string{"gfx600", "gfx700", "gfx803"} {
			for _, level := range []string{"-O0", "-O1", "-O2", "-O3"} {
				for _, kind := range []string{"-g", "-gline-tables-only"} {
					list = append(list, build{clang, target, []string{level, kind}})
				}
			}
		}
		for _, more := range [][]string{{"-O2", "-gdwarf-4"}, {"-O2", "-g", "-mcode-object-version=4"}, {"-O1", "-g", "-gembed-source"}, {"-O1", "-g", "-fvisibility=default"}, {"-O0", "-g", "-fasynchronous-unwind-tables"}} {
			list = append(list, build{clang, "gfx803", more})
		}
	}
	return list
}

// missingTools returns the programs of a version of LLVM that are not installed.
func missingTools(version string) (list []string) {
	for _, tool := range []string{"clang-", "llvm-mc-", "ld.lld-"} {
		if _, err := exec.LookPath(tool + version); err != nil {
			list = append(list, tool+version)
		}
	}
	return list
}

// libclc is the library of built-in functions of libclc-22.
const libclc = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"

// tool runs a program of LLVM in a directory and fails the test with its output.
func tool(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// TestDebugCorpus: the sources of all kernels, compiled with debug information, assemble to the same as with llvm-mc,
// and run as their manifests say. The linked file is compared with that of ld.lld.
func TestDebugCorpus(t *testing.T) {
	if missing := missingTools("22"); len(missing) > 0 {
		t.Skipf("NOT CHECKED with a compiler: %s missing (apt-get install clang-22 lld-22 llvm-22 libclc-22)", strings.Join(missing, ", "))
	}
	if _, err := os.Stat(libclc); err != nil {
		t.Skipf("NOT CHECKED with a compiler: %s is missing (apt-get install libclc-22)", libclc)
	}
	dirs := []string{cases.Repository(t)}
	if full, ok := cases.Find(); ok {
		dirs = append(dirs, full)
	}
	sources := map[string]string{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "kernels", "gcn", "*", "*.cl"))
		if err != nil || len(files) < 25 {
			t.Fatalf("%d sources in %s: %v", len(files), dir, err)
		}
		for _, f := range files {
			sources[filepath.Base(f)] = f
		}
	}
	same, ran, all := 0, 0, 0
	for _, b := range builds(t) {
		for _, file := range sources {
			m, err := casefile.ReadManifestFile(filepath.Join(filepath.Dir(file), "manifest.json"))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(m.Variants, func(v casefile.Build) bool { return v.Target == b.target }) {
				continue
			}
			all++
			t.Run(fmt.Sprintf("%s %v", m.Name, b), func(t *testing.T) {
				c := corpusBuild(t, b, file, m)
				if t.Failed() {
					return
				}
				same++
				if b.clang == "22" {
					run(t, m, c.Data)
					ran++
				}
			})
		}
	}
	t.Logf("%d builds: %d as llvm-mc and ld.lld have them, %d run", all, same, ran)
}

// corpusBuild compiles a kernel and compares its text's sections with those of llvm-mc and ld.lld.
func corpusBuild(t *testing.T, b build, file string, m *casefile.Manifest) *codeobj.Code {
	dir := t.TempDir()
	ids, err := filepath.Abs("testdata/debug/ids.h")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-include", ids, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + b.target, "-nogpulib", "-w", "-Xclang", "-finclude-default-header", "-S", file, "-o", "k.s"}
	args = append(append(args, m.BuildOptions...), b.options...)
	if slices.Contains(b.options, "-mcode-object-version=4") {
		args = append(args, "-DCOV4")
	}
	if b.clang == "22" {
		args = append(args, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc)
	}
	tool(t, dir, "clang-"+b.clang, args...)
	tool(t, dir, "llvm-mc-"+b.clang, "-triple", "amdgcn-amd-amdhsa", "-mcpu="+b.target, "-fdebug-compilation-dir=/nowhere", "-filetype=obj", "k.s", "-o", "k.o")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	c, errs, err := codeobj.Assemble(read("k.s"), codeobj.Options{File: "k.s", Partial: true})
	if err != nil || c.Unlinked == nil {
		t.Fatal(errs, err)
	}
	want, err := object.ReadUnlinked(read("k.o"))
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range unequal(c.Unlinked, want) {
		t.Error(what)
	}
	if b.clang != "22" { // there is no library for older ones: functions may be missing
		return c
	}
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	tool(t, dir, "ld.lld-"+b.clang, "-O0", "-shared", "k.o", "-o", "k.hsaco")
	for _, what := range unlike(t, c.Data, read("k.hsaco")) {
		t.Error(what)
	}
	if lintLines(t, string(read("k.s"))) == 0 {
		t.Error("lint finds nothing without waits")
	}
	return c
}
