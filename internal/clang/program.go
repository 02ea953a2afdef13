package clang

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A program is what must be known about LLVM's text of a program.
type program struct {
	declared []string // functions that it calls and does not define, except LLVM's own
	version  int      // code object version times 100; 0: the compiler's default
	doubled  bool     // kernels are also emitted as functions
}

var versionFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^![0-9]+ = !\{i32 [0-9]+, !"amd(?:hsa|gpu)_code_object_version", i32 ([0-9]{3})\}`)
})

// readProgram parses LLVM's text.
func readProgram(text []byte) (p program) {
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte("declare ")):
			if name := declaredName(string(line)); name != "" && !strings.HasPrefix(name, "llvm.") {
				p.declared = append(p.declared, name)
			}
		case bytes.HasPrefix(line, []byte("define ")):
			p.doubled = p.doubled || bytes.Contains(line, []byte("@__clang_ocl_kern_imp_"))
		case bytes.HasPrefix(line, []byte("!")):
			if m := versionFlag().FindSubmatch(line); m != nil {
				p.version, _ = strconv.Atoi(string(m[1])) // three digits
			}
		}
	}
	return p
}

// declaredName returns the name in a line that declares a function; "" if there is none.
func declaredName(line string) string {
	_, rest, _ := strings.Cut(line, "@")
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		name, _, _ := strings.Cut(quoted, `"`)
		return name
	}
	name, _, _ := strings.Cut(rest, "(")
	return name
}

// abi returns the code object version of the result. Compilers that do not record it, up to LLVM 16, make version 4.
func (p *program) abi(clang string) int {
	if p.version != 0 {
		return p.version / 100
	}
	if v := majorOf(clang); v != 0 && v < 17 {
		return 4
	}
	return 5
}
