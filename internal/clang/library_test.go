package clang

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// libraryNames returns all functions that the library defines.
func libraryNames() (names []string) {
	for _, s := range readLibrary().sections {
		r, err := syntax.Parse(s.names.String(), syntax.Perl)
		if err != nil {
			panic(err)
		}
		names = append(names, wordsOf(r)...)
	}
	return names
}

// wordsOf returns all words that an expression without repetition matches.
func wordsOf(r *syntax.Regexp) (list []string) {
	switch r.Op {
	case syntax.OpLiteral:
		return []string{string(r.Rune)}
	case syntax.OpCharClass:
		for i := 0; i < len(r.Rune); i += 2 {
			for c := r.Rune[i]; c <= r.Rune[i+1]; c++ {
				list = append(list, string(c))
			}
		}
		return list
	case syntax.OpAlternate:
		for _, s := range r.Sub {
			list = append(list, wordsOf(s)...)
		}
		return list
	case syntax.OpQuest:
		return append(wordsOf(r.Sub[0]), "")
	case syntax.OpCapture:
		return wordsOf(r.Sub[0])
	case syntax.OpConcat:
		list = []string{""}
		for _, s := range r.Sub {
			var next []string
			for _, a := range list {
				for _, b := range wordsOf(s) {
					next = append(next, a+b)
				}
			}
			list = next
		}
		return list
	}
	return []string{""} // anchors
}

// TestNames: no two sections define the same function.
func TestNames(t *testing.T) {
	names := libraryNames()
	if len(names) < 700 {
		t.Errorf("only %d functions", len(names))
	}
	for _, n := range names {
		of := 0
		for _, s := range readLibrary().sections {
			if s.names.MatchString(n) {
				of++
			}
		}
		if of != 1 {
			t.Errorf("%s is defined by %d sections", n, of)
		}
	}
	if Defines("erf") || !Defines("get_global_id") {
		t.Error("Defines is about other functions")
	}
}

// CheckLibrary compiles all functions of the library except printf, and reports those that are not defined or call
// undefined ones.
func CheckLibrary(t *testing.T, clang, target, std string) {
	// Generic pointers need flat addressing, which gfx6 lacks, and are optional in OpenCL C 3.0.
	generic := target != "gfx600" && std != "CL3.0"
	names := slices.DeleteFunc(libraryNames(), func(n string) bool {
		return n == "printf" || !generic && (strings.HasPrefix(n, "__to_") || n == "get_fence")
	})
	path := filepath.Join(t.TempDir(), "library.cl")
	if err := os.WriteFile(path, []byte(readLibrary().source(names)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(clang, "-target", "amdgcn-amd-amdhsa", "-mcpu="+target, "-nogpulib", "-x", "cl", "-cl-std="+std, "-DHD_ABI=5", "-w", "-O1", "-emit-llvm", "-S",
		"-Xclang", "-disable-llvm-passes", "-o", "-", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out[:min(len(out), 2000)])
	}
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^define [^@]*@"?([\w.]+)`).FindAllStringSubmatch(string(out), -1) {
		defined[baseName(m[1])] = true
	}
	for _, n := range names {
		if !defined[n] {
			t.Errorf("%s is not defined", n)
		}
	}
	for _, n := range readProgram(out).declared {
		if !strings.HasPrefix(n, "llvm.") {
			t.Errorf("the library calls %s, which it does not define", n)
		}
	}
}
