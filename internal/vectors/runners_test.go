package vectors

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runner returns the code block of docs/vectors.md under a heading.
func runner(t *testing.T, language string) string {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "vectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), "\n### "+language+"\n")
	if !ok {
		t.Fatalf("docs/vectors.md has no %s", language)
	}
	text, _, _ = strings.Cut(text, "\n### ")
	var code strings.Builder
	for _, line := range strings.Split(text, "\n") {
		if block, ok := strings.CutPrefix(line, "    "); ok || line == "" {
			code.WriteString(block + "\n")
		}
	}
	return code.String()
}

// A runnerCase says how the runner of a language is built and run. Files are by name: those on the page, and the
// repository's example of a step function.
type runnerCase struct {
	language, file, toy, toyFile string
	more                         map[string]string // more files
	tool                         string            // if it is not installed the test is skipped
	build, run                   []string
	lacks                        func() string // describes what else is missing
}

// debianCrates is the folder of Debian's packages of crates.
const debianCrates = "/usr/share/cargo/registry"

func runnerCases() []runnerCase {
	return []runnerCase{
		{language: "Python", file: "run.py", toy: "cpu.py", toyFile: "cpu.py", tool: "python3", run: []string{"python3", "run.py"}},
		{language: "Go", file: "main.go", toy: "cpu.go.txt", toyFile: "cpu.go", tool: "go", more: map[string]string{"go.mod": "module runner\n\ngo 1.24\n"},
			build: []string{"go", "build", "-o", "runner", "."}, run: []string{"./runner"}},
		{language: "Rust", file: "src/main.rs", toy: "cpu.rs", toyFile: "src/cpu.rs", tool: "cargo",
			more: map[string]string{
				"Cargo.toml":         "[package]\nname = \"runner\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nserde_json = \"1\"\n",
				".cargo/config.toml": "[source.crates-io]\nreplace-with = \"debian\"\n[source.debian]\ndirectory = \"" + debianCrates + "\"\n",
			},
			build: []string{"cargo", "build", "--offline", "--quiet"}, run: []string{"target/debug/runner"},
			lacks: func() string {
				if found, _ := filepath.Glob(debianCrates + "/serde_json-1.*"); found == nil {
					return "serde_json is not there (Debian: librust-serde-json-dev)"
				}
				return ""
			}},
		{language: "C++", file: "run.cpp", toy: "cpu.cpp.txt", toyFile: "cpu.cpp", tool: "g++", build: []string{"g++", "-std=c++17", "-o", "runner", "run.cpp", "cpu.cpp"},
			run: []string{"./runner"},
			lacks: func() string {
				if _, err := os.Stat("/usr/include/nlohmann/json.hpp"); err != nil {
					return "nlohmann/json.hpp is not there (Debian: nlohmann-json3-dev)"
				}
				return ""
			}},
	}
}

// TestRunners: the runners on the page run a generated file. With a correct step all tests pass; with a wrong one
// exactly those fail that it affects.
func TestRunners(t *testing.T) {
	data := made(t, "gcn:gfx8", "v_xor_b32_e32", Options{Seed: 4, Count: 20})
	for _, x := range runnerCases() {
		t.Run(x.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(x.tool); err != nil {
				t.Skipf("%s is not there", x.tool)
			}
			if x.lacks != nil && x.lacks() != "" {
				t.Skip(x.lacks())
			}
			if x.build != nil && testing.Short() {
				t.Skip("it takes a compiler some seconds")
			}
			dir := x.folder(t, data)
			if x.build != nil {
				if out, err := command(dir, x.build, ""); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			right, wrong := x.counts(t, dir, ""), x.counts(t, dir, "yes")
			if right[0] < 8 || right[1] != 0 || right[2] == 0 || right[0]+right[2] != 20 {
				t.Errorf("with a right step %d passed, %d failed, %d skipped", right[0], right[1], right[2])
			}
			if wrong[1] < right[0]/2 || wrong[2] != right[2] || wrong[0]+wrong[1] != right[0] {
				t.Errorf("with a wrong step %d passed, %d failed, %d skipped", wrong[0], wrong[1], wrong[2])
			}
		})
	}
}

// folder makes a folder with the runner, the step function and the tests.
func (x *runnerCase) folder(t *testing.T, data []byte) string {
	dir := t.TempDir()
	toy, err := os.ReadFile(filepath.Join("testdata", "runners", x.toy))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{x.file: runner(t, x.language), x.toyFile: string(toy), "tests.json": string(data)}
	for name, text := range x.more {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// counts returns how many passed, failed and were skipped, from the last line of the runner.
func (x *runnerCase) counts(t *testing.T, dir, wrong string) (n [3]int) {
	out, err := command(dir, append(x.run, "tests.json"), wrong)
	last := regexp.MustCompile(`(\d+) passed, (\d+) failed, (\d+) skipped\s*$`).FindStringSubmatch(out)
	if last == nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i := range n {
		fmt.Sscan(last[1+i], &n[i])
	}
	if (err != nil) != (n[1] > 0) {
		t.Errorf("the runner ends with %v: %s", err, out)
	}
	return n
}

// command runs a command in a folder and returns its output.
func command(dir string, args []string, wrong string) (string, error) {
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if wrong != "" {
		c.Env = append(c.Env, "WRONG="+wrong)
	}
	out, err := c.CombinedOutput()
	return string(out), err
}
