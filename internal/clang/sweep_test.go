package clang

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// symbolsOf compiles a text to LLVM's and returns the functions that it defines.
func symbolsOf(t *testing.T, clang, std, text string, flags ...string) map[string]bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.cl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-x", "cl", "-cl-std=" + std, "-DHD_ABI=5", "-w", "-ferror-limit=0", "-emit-llvm", "-S",
		"-Xclang", "-disable-llvm-passes", "-o", "-"}, flags...)
	var said strings.Builder
	cmd := exec.Command(clang, append(args, path)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String()[:min(said.Len(), 3000)])
	}
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^define [^@]*@"?([\w.]+)`).FindAllStringSubmatch(string(out), -1) {
		defined[m[1]] = true
	}
	return defined
}

// declaredBuiltins returns the symbols of all built-in functions that clang's header declares, by turning declarations
// into definitions.
func declaredBuiltins(t *testing.T, clang, std string) map[string]bool {
	t.Helper()
	resources, err := exec.Command(clang, "-print-resource-dir").Output()
	if err != nil {
		t.Fatal(err)
	}
	include := filepath.Join(strings.TrimSpace(string(resources)), "include")
	header, err := exec.Command(clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-x", "cl", "-cl-std="+std, "-cl-no-stdinc", "-E", "-P",
		filepath.Join(include, "opencl-c.h")).Output()
	if err != nil {
		t.Skipf("NOT RUN: %s has no opencl-c.h: %v (apt install libclang-common-22-dev)", clang, err)
	}
	var b strings.Builder
	b.WriteString("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n")
	seen := map[string]bool{}
	for text := range strings.SplitSeq(string(header), ";") {
		// One function is declared with address types (uintptr_t) as well as with integers (ulong).
		plain := strings.NewReplacer("uintptr_t", "ulong", "intptr_t", "long", "ptrdiff_t", "long").Replace(strings.TrimSpace(text))
		switch {
		case seen[plain]:
		case !strings.Contains(text, "overloadable"), strings.Contains(text, "typedef"), strings.Contains(text, "..."):
			b.WriteString(text + ";\n")
		default:
			seen[plain] = true
			b.WriteString(text + "{ __builtin_unreachable(); }\n")
		}
	}
	defined := symbolsOf(t, clang, std, strings.TrimRight(b.String(), ";\n \t"), "-cl-no-stdinc")
	if len(defined) < 10000 {
		t.Fatalf("only %d built-in functions are declared", len(defined))
	}
	return defined
}

// TestEveryBuiltin: each built-in function that clang declares, by name and types, is defined by the library or libclc,
// or is known to be unsupported. Those that only libclc has are counted.
func TestEveryBuiltin(t *testing.T) {
	const clang, nm = "clang-22", "llvm-nm-22"
	NeedTool(t, nm)
	list, err := exec.Command(nm, "--defined-only", NeedLibclc(t, clang)).Output()
	if err != nil {
		t.Fatal(err)
	}
	libclc := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line)
		libclc[f[len(f)-1]] = true
	}
	for _, std := range []string{"CL1.2", "CL3.0"} {
		t.Run(std, func(t *testing.T) {
			want := declaredBuiltins(t, clang, std)
			var names []string
			for y := range want {
				names = append(names, baseName(y))
			}
			ours := symbolsOf(t, clang, std, readLibrary().source(names))
			var open []string
			theirs := map[string]bool{}
			for y := range want {
				switch name := baseName(y); {
				case ours[y]:
				case libclc[y]:
					theirs[name] = true
				case extension(name) == "":
					open = append(open, fmt.Sprint(demangle(y), " ", y))
				}
			}
			slices.Sort(open)
			if len(open) > 0 {
				t.Errorf("%d of %d are defined nowhere:\n%s", len(open), len(want), strings.Join(open[:min(len(open), 50)], "\n"))
			}
			t.Logf("%d built-in functions; %d names need libclc for some type", len(want), len(theirs))
		})
	}
}
