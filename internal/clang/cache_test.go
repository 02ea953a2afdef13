package clang

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCache: the result for a file is cached, and made again if any input changes.
func TestCache(t *testing.T) {
	NeedTool(t, "clang-22")
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("k.cl", "#include \"n.h\"\n#warning told\nkernel void k(global int *o) { o[get_global_id(0)] = N; }\n")
	write("n.h", "#define N 1\n")
	var said bytes.Buffer
	o := Options{Clang: "clang-22", Cache: filepath.Join(dir, "cache"), Err: &said}
	entries := func() int {
		list, err := filepath.Glob("cache/*.hsaco")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	compile := func(want int) []byte {
		t.Helper()
		said.Reset()
		data, err := Compile(context.Background(), "k.cl", o)
		if err != nil || !bytes.Contains(said.Bytes(), []byte("k.cl:2:2: warning: told")) {
			t.Fatalf("%v; said %s", err, &said)
		}
		if got := entries(); got != want {
			t.Errorf("the cache has %d entries, want %d", got, want)
		}
		return data
	}
	first := compile(1)
	texts, err := filepath.Glob("cache/*.txt")
	if err != nil || len(texts) != 1 {
		t.Fatal(texts, err)
	}
	if err := os.Remove(texts[0]); err != nil {
		t.Fatal(err)
	}
	compile(1) // warns again, although the code is cached
	if again := compile(1); !bytes.Equal(again, first) {
		t.Error("the second is not the first")
	}
	write("n.h", "#define N 2\n")
	if compile(2); bytes.Equal(compile(2), first) {
		t.Error("the included file has changed, the result has not")
	}
	o.Target = "gfx700"
	compile(3)
	o.Flags = []string{"-DN=3", "-Wno-macro-redefined"}
	compile(4)
	o.Cache = "off"
	if compile(4); entries() != 4 {
		t.Error("the cache is off")
	}
}

// TestBroken: a broken entry is made again, and an interrupted compilation leaves no entry.
func TestBroken(t *testing.T) {
	NeedTool(t, "clang-22")
	path := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(path, []byte("kernel void k(global int *o) { o[0] = 1; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{Clang: "clang-22", Cache: t.TempDir()}
	first, err := Compile(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Glob(filepath.Join(o.Cache, "*.hsaco"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := os.WriteFile(list[0], []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err := Compile(context.Background(), path, o); err != nil || !bytes.Equal(again, first) {
		t.Errorf("after the entry was broken: %d bytes, %v", len(again), err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Compile(ended, path, o); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted compilation: %v", err)
	}
}

// TestTrim: the cache deletes its oldest entries, and no file that it has not written, however large.
func TestTrim(t *testing.T) {
	d := cache(t.TempDir())
	long := time.Now().Add(-24 * time.Hour)
	file := func(name string, size int64, at time.Time) string {
		path := filepath.Join(string(d), name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // without allocating disk blocks
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	others := []string{file("archive.tar", 2*maxCache, long), file("note.txt", 8, long), file("new-draft", 8, long), file(strings.Repeat("g", 64)+".txt", 8, long)}
	oldest := file(strings.Repeat("0", 64)+".hsaco", maxCache/2, long)
	said := file(strings.Repeat("0", 64)+".txt", 8, long.Add(-time.Hour))
	newer := file(strings.Repeat("1", 64)+".hsaco", maxCache/2+1, time.Now())
	// This file is older than all others, but belongs to the newer code.
	others = append(others, file(strings.Repeat("1", 64)+".txt", 8, long.Add(-2*time.Hour)))
	d.trim()
	for _, path := range append(others, newer) {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{oldest, said} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("a file of the oldest entry is there still: %v", err)
		}
	}
}

// TestNamedFiles: files named by flags are part of the key; if the inputs cannot be known, nothing is cached.
func TestNamedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"there", "p.h.pch"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for flags, want := range map[string]string{
		"": "", "-DN=4 -U M -Iinclude -I include -include a.h -O0 -g0 -ffp-contract=off -fno-inline -mcode-object-version=5 -Wall -Wno-x -w -cl-fast-relaxed-math": "",
		"-Xclang -mlink-builtin-bitcode -Xclang lib.bc":       "lib.bc",
		"-Xclang -mlink-bitcode-file -Xclang a.bc -DX":        "a.bc",
		"-mllvm -amdgpu-internalize-symbols -mllvm -unroll=4": "",
		"@file": "no", "--config x.cfg": "no", "--config=x.cfg": "no", "-Xclang -load -Xclang p.so": "no", "-fplugin=p.so": "no", "-fpass-plugin=p": "no",
		"-include-pch a.pch": "no", "-fprofile-instr-use": "no", "-fprofile-use=x": "no", "-fsanitize-ignorelist=there": "no", "-Wp,-include,x": "no", "-mllvm -load=./p.so": "no",
		"-mllvm": "no", "more.o": "no", "-fmodules": "no", "-T x": "no", "-include p.h": "no",
	} {
		c := &compiler{o: Options{Flags: strings.Fields(flags)}}
		files, ok := c.namedFiles()
		got := strings.Join(files, " ")
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
	}
	c := &compiler{version: "clang version 19\nConfiguration file: /etc/clang.cfg\n"}
	if files, ok := c.namedFiles(); !ok || !slices.Equal(files, []string{"/etc/clang.cfg"}) {
		t.Errorf("the configuration: %q, %v", files, ok)
	}
}

// TestBitcode: a result is made again if a bitcode file named by a flag changes, or a response file.
func TestBitcode(t *testing.T) {
	NeedTool(t, "clang-22")
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("k.cl", "int from_library(void);\n#ifndef N\n#define N 0\n#endif\nkernel void k(global int *o) { o[0] = from_library() + N; }\n")
	last := []byte(nil)
	compile := func(flags ...string) {
		t.Helper()
		data, err := Compile(t.Context(), "k.cl", Options{Clang: "clang-22", Cache: "cache", Flags: append([]string{"-Xclang", "-mlink-builtin-bitcode", "-Xclang", "lib.bc"}, flags...)})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(data, last) {
			t.Error("a file has changed, the result has not")
		}
		last = data
	}
	for _, n := range []string{"1", "2"} {
		write("lib.cl", "int from_library(void) { return "+n+"000; }\n")
		if out, err := exec.Command("clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-mcode-object-version=4", "-x", "cl", "-emit-llvm", "-c", "-o", "lib.bc", "lib.cl").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		compile()
	}
	for _, n := range []string{"5", "6"} {
		write("flags", "-DN="+n+"\n")
		compile("@flags")
	}
}
