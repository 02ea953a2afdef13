package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/clang"
)

// pages are documents with shell blocks.
var pages = []string{"README.md", "CONTRIBUTING.md", "cases/README.md", "docs/*.md", "docs/reference/*.md", "examples/*/README.md"}

// A shellStep is a command of a shell block, and the output shown for it.
type shellStep struct{ command, raw, output string }

var update = flag.Bool("update", false, "write what commands print into the pages")

// TestDocs runs every shell block of the pages, those of a page in one folder, and compares the output with what the
// page shows, if it shows any. A shell block is indented, and its commands begin with "$ "; a line that ends with a
// backslash continues. Indented text after it, including blank lines, is its output.
func TestDocs(t *testing.T) {
	n, shown := 0, 0
	for _, pattern := range pages {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, files, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			steps := shellSteps(t, f, string(text))
			if len(steps) == 0 {
				continue
			}
			dir, page := freshFolder(t), string(text)
			for _, s := range steps {
				out := runStep(t, f, dir, s)
				n++
				if s.output == "" {
					continue
				}
				shown++
				if *update && plainText(out) != plainText(s.output) {
					page = strings.Replace(page, s.raw+s.output, s.raw+indented(out), 1)
				}
			}
			if page != string(text) {
				if err := os.WriteFile(f, []byte(page), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if n < 40 || shown < 25 {
		t.Errorf("%d commands, %d with output", n, shown)
	}
}

// indented returns output as a page shows it.
func indented(out string) string {
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	for i, line := range lines {
		if line = strings.TrimRight(line, " "); line != "" {
			line = "    " + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

var looksLikeShell = regexp.MustCompile(`(?m)^    ((go run|make|git|echo) .*|heddle [a-z-]+( .*)?$)`)

// shellSteps returns the commands of the shell blocks of a page.
func shellSteps(t *testing.T, file, text string) (steps []shellStep) {
	for _, m := range looksLikeShell.FindAllString(text, -1) {
		t.Errorf("%s: a shell block has $ in front of its commands: %s", file, m)
	}
	if strings.Contains(text, "```") {
		t.Errorf("%s: blocks are indented here, not fenced", file)
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ ")
		if !ok || i > 0 && lines[i-1] != "" && !strings.HasPrefix(lines[i-1], "    ") {
			continue
		}
		raw := lines[i] + "\n"
		for strings.HasSuffix(command, "\\") && i+1 < len(lines) {
			i++
			command, raw = command[:len(command)-1]+" "+lines[i], raw+lines[i]+"\n"
		}
		end, next := i+1, i+1 // after the output, and the next line to examine
		for ; next < len(lines); next++ {
			switch line := lines[next]; {
			case strings.HasPrefix(line, "    $ ") || line != "" && !strings.HasPrefix(line, "    "):
			case line == "":
				continue
			default:
				end = next + 1
				continue
			}
			break
		}
		steps = append(steps, shellStep{command: command, raw: raw, output: strings.Join(lines[i+1:end], "\n")})
		i = end - 1
	}
	return steps
}

// freshFolder makes a folder with the files that commands of a page use: the repository's examples and cases, and a
// file to assemble.
func freshFolder(t *testing.T) string {
	dir := t.TempDir()
	for _, d := range []string{"examples", "cases", "srcinfo/testdata"} {
		if err := os.CopyFS(filepath.Join(dir, d), os.DirFS(filepath.Join("..", "..", d))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "kernel.s"), []byte("s_endpgm\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// varying matches output that varies between runs: times, and rates.
var varying = regexp.MustCompile(`[0-9.]+ ?(µs|ms|s)\b|[0-9.]+ wave-MIPS`)

func plainText(s string) string {
	return strings.Join(strings.Fields(varying.ReplaceAllString(s, "TIME")), " ")
}

// failing matches the output of a command that fails.
var failing = regexp.MustCompile(`(?m)^ *heddle: (n[^o]|no[^t]|[^n])`)

// runStep runs a command. A command that prints "heddle: ..." must fail, unless that is "heddle: note ..."; any other
// must succeed.
func runStep(t *testing.T, file, dir string, s shellStep) string {
	t.Helper()
	for _, tool := range outsideTools {
		if tool.used.MatchString(s.command) && !tool.there() {
			t.Run(tool.name, func(t *testing.T) {
				t.Skipf("NOT RUN: %s is not installed (apt-get install %s): %s: %s", tool.name, tool.packages, file, s.command)
			})
			return ""
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(s.command, "go run ./cmd/heddle", "heddle"))
	c.Dir = dir
	out, err := c.CombinedOutput()
	if wrong := failing.MatchString(s.output) && !strings.HasSuffix(s.command, "|| true"); wrong != (err != nil) {
		t.Errorf("%s: %s: %v\n%s", file, s.command, err, out)
		return string(out)
	}
	if want := plainText(s.output); want != "" && !*update && plainText(string(out)) != want {
		t.Errorf("%s: %s prints\n%s\nwhere the page has\n%s", file, s.command, out, s.output)
	}
	return string(out)
}

// outsideTools are the tools from outside that commands may need, and the command lines that do.
var outsideTools = []struct {
	name, packages string
	used           *regexp.Regexp
	there          func() bool
}{
	{"clang", "clang", regexp.MustCompile(`\.(cl|ll)\b`), func() bool { _, err := clang.Find(""); return err == nil }},
	{"vulkaninfo", "vulkan-tools mesa-vulkan-drivers", regexp.MustCompile(`-- vulkaninfo`), func() bool {
		_, err := exec.LookPath("vulkaninfo")
		_, err2 := os.Stat("/usr/share/vulkan/icd.d/radeon_icd.x86_64.json")
		return err == nil && err2 == nil
	}},
	{"OpenCL of Mesa 22.3.6", "gcc libc6-dev ocl-icd-opencl-dev opencl-headers mesa-opencl-icd", regexp.MustCompile(`rotate|\bcap\b`), func() bool {
		driver, err := os.ReadFile("/usr/lib/x86_64-linux-gnu/libMesaOpenCL.so.1")
		_, err2 := os.Stat("/usr/include/CL/cl.h")
		_, err3 := exec.LookPath("cc")
		return err == nil && err2 == nil && err3 == nil && bytes.Contains(driver, []byte("22.3.6"))
	}},
	{"rocminfo", "rocminfo", regexp.MustCompile(`-- rocminfo`), func() bool {
		_, err := exec.LookPath("rocminfo")
		return err == nil
	}},
}

// TestHelpExamples runs the examples in the commands' help.
func TestHelpExamples(t *testing.T) {
	n := 0
	for _, name := range commandNames(t) {
		out, err := exec.Command("heddle", name, "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(out), "\nExample")
		if !ok {
			t.Errorf("heddle %s --help has no example", name)
			continue
		}
		rest, _, _ = strings.Cut(rest, "\nArguments:")
		rest, _, _ = strings.Cut(rest, "\nFlags:")
		if name == "serve" {
			continue // it does not end by itself: see TestServe
		}
		dir := freshFolder(t)
		for _, line := range strings.Split(strings.ReplaceAll(rest, "\\\n", " "), "\n") {
			if line = strings.TrimSpace(line); strings.Contains(line, "heddle") {
				// Tests of package live build the WebAssembly.
				if name == "docs" && !strings.Contains(line, "--no-live") {
					line = strings.Replace(line, "heddle docs", "heddle docs --no-live", 1)
				}
				runStep(t, name+" --help", dir, shellStep{command: line})
				n++
			}
		}
	}
	if n < 15 {
		t.Errorf("%d examples", n)
	}
}

// commandNames returns the commands that heddle --help lists.
func commandNames(t *testing.T) (names []string) {
	out, err := exec.Command("heddle", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(out), "\nCommands:\n")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) `).FindAllStringSubmatch(list, -1) {
		names = append(names, m[1])
	}
	if len(names) < 10 {
		t.Fatalf("commands: %q", names)
	}
	return names
}

// TestCommandTable: README.md lists all commands.
func TestCommandTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range commandNames(t) {
		if !strings.Contains(string(text), "\n| `heddle "+name) {
			t.Errorf("README.md does not list %s", name)
		}
	}
}
