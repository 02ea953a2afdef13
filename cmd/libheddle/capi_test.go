package main_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A library is libheddle.so for the tests, with the header that cgo wrote for it.
type library struct {
	dir  string
	lack string // reason why there is none
	err  error
}

// folder is the folder of the library, removed at the end.
var folder string

// built is made once, because it compiles all packages again as position-independent code.
var built = sync.OnceValue(func() *library {
	if lack := lacking("CC", "cc"); lack != "" {
		return &library{lack: lack}
	}
	dir, err := os.MkdirTemp("", "libheddle")
	if err != nil {
		return &library{err: err}
	}
	folder = dir
	args := []string{"build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libheddle.so")}
	if racing() {
		args = []string{"build", "-race", "-buildmode=c-archive", "-o", filepath.Join(dir, "libheddle.a")}
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return &library{dir: dir, err: err}
})

// racing reports whether the programs run under Go's race detector, as "make race" requests. The detector needs the
// library at low addresses, so it is linked into programs that are not position-independent.
func racing() bool { return os.Getenv("HEDDLE_CAPI_RACE") != "" }

// lacking returns what is missing for a build with C, "" if nothing is.
func lacking(compiler, usual string) string {
	if runtime.GOOS != "linux" {
		return "libheddle is tested on Linux only"
	}
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		return "NOT TESTED: the C interface needs cgo, which is off (CGO_ENABLED, or no C compiler)"
	}
	if _, err := exec.LookPath(command(compiler, usual)[0]); err != nil {
		return "NOT TESTED: the C interface needs a compiler: " + err.Error()
	}
	return ""
}

// command returns a compiler: the one in the environment, or the usual one.
func command(env, usual string) []string {
	if words := strings.Fields(os.Getenv(env)); len(words) > 0 {
		return words
	}
	return []string{usual}
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// lib returns the library, or skips the test.
func lib(t testing.TB) *library {
	t.Helper()
	l := built()
	if l.lack != "" {
		t.Skip(l.lack)
	}
	if l.err != nil {
		t.Fatal(l.err)
	}
	return l
}

// run runs a command of the tests, with a generous time limit.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.WaitDelay = time.Second
	timer := time.AfterFunc(5*time.Minute, func() { c.Process.Kill() })
	defer timer.Stop()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// compile compiles a program of testdata that uses the library.
func (l *library) compile(t testing.TB, source string) string {
	t.Helper()
	cc, std := command("CC", "cc"), "-std=c11"
	if filepath.Ext(source) == ".cc" {
		if lack := lacking("CXX", "c++"); lack != "" {
			t.Skip(lack)
		}
		cc, std = command("CXX", "c++"), "-std=c++17"
	}
	program := filepath.Join(l.dir, strings.TrimSuffix(source, filepath.Ext(source)))
	args := slices.Concat(cc[1:], []string{std, "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-pthread", "-I.", "-o", program,
		filepath.Join("testdata", source), "-L" + l.dir, "-lheddle", "-Wl,-rpath," + l.dir})
	if racing() {
		args = append(args, "-no-pie", "-lm")
	}
	run(t, cc[0], args...)
	return program
}

// repository returns the folder of the examples and cases.
func repository(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestPrograms: programs in C and C++ get what the header promises. Their checks are in testdata.
func TestPrograms(t *testing.T) {
	l := lib(t)
	for _, source := range []string{"use.c", "emulate.c", "hostile.c", "hostile_wave.c", "threads.c", "header.cc"} {
		t.Run(source, func(t *testing.T) {
			out := run(t, l.compile(t, source), repository(t))
			if strings.Contains(out, "DATA RACE") {
				t.Error(out)
			}
		})
	}
}

var prototype = regexp.MustCompile(`(?m)^(?:extern )?([a-z][\w *]*?)\b(heddle_\w+)\(([^)]*)\);`)

// prototypes returns the functions of a header, by name: the types of result and parameters, without const and names.
func prototypes(text string) map[string]string {
	text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, ",\n", ",")
	all := map[string]string{}
	for _, m := range prototype.FindAllStringSubmatch(text, -1) {
		types := []string{plain(m[1])}
		for _, p := range strings.Split(m[3], ",") {
			if name := regexp.MustCompile(`\w+$`).FindString(p); name != "void" {
				p = strings.TrimSuffix(p, name)
			}
			types = append(types, plain(p))
		}
		all[m[2]] = strings.Join(types, ", ")
	}
	return all
}

// plain normalises a type, so that both headers agree.
func plain(typ string) string {
	words := strings.Fields(strings.ReplaceAll(typ, "*", " * "))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "const" }), " ")
}

// TestHeader: the hand-written header declares exactly the functions that the library exports, with the same types.
func TestHeader(t *testing.T) {
	l := lib(t)
	if racing() {
		t.Skip("there is no shared library under the race detector")
	}
	written, err := os.ReadFile("heddle.h")
	if err != nil {
		t.Fatal(err)
	}
	generated, err := os.ReadFile(filepath.Join(l.dir, "libheddle.h"))
	if err != nil {
		t.Fatal(err)
	}
	_, exports, _ := bytes.Cut(generated, []byte("End of boilerplate cgo prologue"))
	ours, theirs := prototypes(string(written)), prototypes(string(exports))
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if ours[name] != theirs[name] {
			t.Errorf("%s: heddle.h has (%s), the library (%s)", name, ours[name], theirs[name])
		}
		delete(ours, name)
	}
	for name := range ours {
		t.Errorf("%s: heddle.h declares it, and the library does not have it", name)
	}
	if len(theirs) < 25 {
		t.Errorf("only %d functions were found", len(theirs))
	}
	if _, err := exec.LookPath("nm"); err != nil {
		t.Skip("NOT TESTED: the symbols of the library: ", err)
	}
	exported := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m) T (heddle_\w+)$`).FindAllStringSubmatch(run(t, "nm", "-D", "--defined-only", filepath.Join(l.dir, "libheddle.so")), -1) {
		exported[m[1]] = true
	}
	for name := range theirs {
		if !exported[name] {
			t.Errorf("%s is no symbol of the library", name)
		}
		delete(exported, name)
	}
	for name := range exported {
		t.Errorf("%s is a symbol of the library, and in no header", name)
	}
}

// TestUsed: the test programs call every function of the header, those of waves also with wrong arguments.
func TestUsed(t *testing.T) {
	written, err := os.ReadFile("heddle.h")
	if err != nil {
		t.Fatal(err)
	}
	var programs []byte
	for _, name := range []string{"use.c", "emulate.c", "check.h"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, text...)
	}
	wrong, err := os.ReadFile(filepath.Join("testdata", "hostile_wave.c"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range prototypes(string(written)) {
		if !bytes.Contains(programs, []byte(name+"(")) {
			t.Errorf("no test program uses %s", name)
		}
		if strings.HasPrefix(name, "heddle_wave_") && !bytes.Contains(wrong, []byte(name+"(")) {
			t.Errorf("no test program uses %s wrongly", name)
		}
	}
}

// TestDocumented: functions and structures of the header have a comment.
func TestDocumented(t *testing.T) {
	written, err := os.ReadFile("heddle.h")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(written), "\n")
	for i, line := range lines {
		if regexp.MustCompile(`^[a-z][\w *]*\bheddle_\w+\(|^typedef struct`).MatchString(line) && !strings.HasSuffix(strings.TrimSpace(lines[i-1]), "*/") {
			t.Errorf("heddle.h:%d: no comment in front of %s", i+1, line)
		}
	}
}

// BenchmarkCalls measures the cost of calls from C in nanoseconds of processor time: a call that does nothing, a
// register, a run, an instruction as text, one by one and many per call, and as a listing.
func BenchmarkCalls(b *testing.B) {
	program := lib(b).compile(b, "bench.c")
	for _, name := range []string{"call", "get", "read64", "run", "state", "state_many", "print", "print_many", "decode", "disassemble"} {
		b.Run(name, func(b *testing.B) {
			ns, err := strconv.ParseFloat(strings.TrimSpace(run(b, program, name, strconv.Itoa(b.N))), 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns, "ns/op")
		})
	}
}
