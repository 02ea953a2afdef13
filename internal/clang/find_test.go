package clang

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakeProgram writes an executable file.
func fakeProgram(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestFind: the named clang, that of the environment, clang, and else the newest one with a number.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("HEDDLE_CLANG", "")
	_, err := Find("")
	var none *NotFoundError
	if !errors.As(err, &none) || err.Error() != "no clang is on $PATH: source files are compiled by clang" || !strings.Contains(none.Hint(), "apt install clang") {
		t.Errorf("without any: %v", err)
	}
	for _, name := range []string{"clang-9", "clang-100", "clang-22", "clang-format-200", "clang-300x"} {
		fakeProgram(t, dir, name)
	}
	if err := os.WriteFile(filepath.Join(dir, "clang-400"), nil, 0o644); err != nil { // not executable
		t.Fatal(err)
	}
	want := func(name, file string) {
		t.Helper()
		if got, err := Find(name); err != nil || got != filepath.Join(dir, file) {
			t.Errorf("Find(%q): %s, %v, want %s", name, got, err, file)
		}
	}
	want("", "clang-100")
	want("clang-9", "clang-9")
	want(filepath.Join(dir, "clang-22"), "clang-22")
	fakeProgram(t, dir, "clang")
	want("", "clang")
	t.Setenv("HEDDLE_CLANG", "clang-22")
	want("", "clang-22")
	want("clang-9", "clang-9")
	if _, err := Find("clang-1"); !errors.As(err, &none) || !strings.Contains(err.Error(), "clang-1") {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestCheckTarget(t *testing.T) {
	for name, want := range map[string]string{
		"gfx600": "", "gfx705": "", "gfx803": "", "gfx810": "",
		"gfx900": "gfx900 cannot be compiled for", "gfx1100": "cannot be compiled for", "fiji": `no processor "fiji"`, "": `no processor ""`,
	} {
		if err := CheckTarget(name); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// TestDemangle: symbols as clang writes them; other names are unchanged.
func TestDemangle(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Z3powff":                          "pow(float, float)",
		"_Z3powDv2_fS_":                     "pow(float2, float2)",
		"_Z7barrierj":                       "barrier(uint)",
		"_Z12get_work_dimv":                 "get_work_dim()",
		"_Z5fractfPU3AS5f":                  "fract(float, private float*)",
		"_Z6vload4mPU3AS1Kf":                "vload4(ulong, global const float*)",
		"_Z10atomic_addPU3AS1Vii":           "atomic_add(global volatile int*, int)",
		"_Z16atomic_fetch_addPVU7_Atomicii": "atomic_fetch_add(volatile atomic int*, int)",
		"_Z6selectDv4_DhS_Dv4_s":            "select(half4, half4, short4)",
		"_Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event": "async_work_group_copy(local float*, global const float*, ulong, event)",
		"printf": "printf", "_Z": "_Z", "_Z9": "_Z9", "_Z3pow": "pow()", "_Z3powS_": "pow", "_Z3pow?": "pow", "_Z99pow": "_Z99pow",
		"_Z1f" + strings.Repeat("P", 100): "f",
	} {
		if got := demangle(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

func FuzzDemangle(f *testing.F) {
	for _, s := range []string{"_Z3powDv2_fS_", "_Z6vload4mPU3AS1Kf", "_Z0", "_Z5abcdeS9999999999_", "_Z1aDv", "_Z1aU"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := demangle(s); got == "" && s != "" {
			t.Errorf("%q becomes nothing", s)
		}
	})
}

// TestReadProgram: the declarations in LLVM's text, and its code object version.
func TestReadProgram(t *testing.T) {
	p := readProgram([]byte(`define hidden void @f() {
define amdgpu_kernel void @k() {
declare !dbg !72 hidden i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #1
declare void @llvm.dbg.value(metadata, metadata, metadata) #3
declare i32 @"a b"(ptr, ...)
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
!1 = !{i32 1, !"wchar_size", i32 4}
`))
	if !slices.Equal(p.declared, []string{"_Z12get_local_idj", "a b"}) || p.version != 600 || p.doubled || p.abi("") != 6 {
		t.Errorf("%+v", p)
	}
	p = readProgram([]byte("define hidden void @__clang_ocl_kern_imp_k() {\n!0 = !{i32 1, !\"amdgpu_code_object_version\", i32 400}"))
	if p.declared != nil || p.version != 400 || !p.doubled || p.abi("") != 4 {
		t.Errorf("%+v", p)
	}
	p = readProgram(nil)
	if p.abi("Debian clang version 14.0.6") != 4 || p.abi("clang version 19.1.7 (x)") != 5 || p.abi("what") != 5 {
		t.Error("the version that a compiler makes by itself")
	}
}

func TestDependencies(t *testing.T) {
	got := dependencies([]byte("source: a.cl \\\n  /x/b\\ c.h d$$e.h \\\n  f#g\\#.h\n"))
	if want := []string{"a.cl", "/x/b c.h", "d$e.h", "f#g#.h"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := dependencies(nil); got != nil {
		t.Errorf("%q of nothing", got)
	}
}
