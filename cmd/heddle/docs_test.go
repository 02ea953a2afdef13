package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// pages are what people read, with shell blocks in it.
var pages = []string{"README.md", "CONTRIBUTING.md", "cases/README.md", "docs/*.md", "docs/reference/*.md", "examples/*/README.md"}

// A shellStep is a command of a shell block, and what stands under it.
type shellStep struct{ command, output string }

// TestDocs runs every shell block of the pages in a folder of its own, and compares what is printed with what the page shows, if
// it shows anything. A shell block is indented, and its commands begin with "$ "; a line that ends with a backslash goes on.
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
			for _, block := range shellBlocks(t, f, string(text)) {
				dir := freshFolder(t)
				for _, s := range block {
					runStep(t, f, dir, s)
					n++
					if s.output != "" {
						shown++
					}
				}
			}
		}
	}
	if n < 14 || shown < 3 {
		t.Errorf("%d commands, %d with output", n, shown)
	}
}

var looksLikeShell = regexp.MustCompile(`(?m)^    (go run|make|heddle|git|echo) .*`)

// shellBlocks are the shell blocks of a page.
func shellBlocks(t *testing.T, file, text string) (blocks [][]shellStep) {
	for _, m := range looksLikeShell.FindAllString(text, -1) {
		t.Errorf("%s: a shell block has $ in front of its commands: %s", file, m)
	}
	if strings.Contains(text, "```") {
		t.Errorf("%s: blocks are indented here, not fenced", file)
	}
	for _, block := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(block, "    $ ") {
			continue
		}
		block = strings.ReplaceAll("\n"+block, "\\\n", " ")
		var steps []shellStep
		for _, step := range strings.Split(block, "\n    $ ")[1:] {
			command, output, _ := strings.Cut(step, "\n")
			steps = append(steps, shellStep{command, output})
		}
		blocks = append(blocks, steps)
	}
	return blocks
}

// freshFolder has what a command of a page may name: the repository's examples and cases, and a file to assemble.
func freshFolder(t *testing.T) string {
	dir := t.TempDir()
	for _, d := range []string{"examples", "cases"} {
		if err := os.CopyFS(filepath.Join(dir, d), os.DirFS(filepath.Join("..", "..", d))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "kernel.s"), []byte("s_endpgm\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// varying is what differs from run to run: times, and rates.
var varying = regexp.MustCompile(`[0-9.]+(µs|ms|s)\b|[0-9.]+ wave-MIPS`)

func plainText(s string) string {
	return strings.Join(strings.Fields(varying.ReplaceAllString(s, "TIME")), " ")
}

// runStep runs a command. One that prints "heddle: ..." fails, any other succeeds.
func runStep(t *testing.T, file, dir string, s shellStep) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(s.command, "go run ./cmd/heddle", "heddle"))
	c.Dir = dir
	out, err := c.CombinedOutput()
	if wrong := strings.Contains(s.output, "heddle: "); wrong != (err != nil) {
		t.Errorf("%s: %s: %v\n%s", file, s.command, err, out)
		return
	}
	if want := plainText(s.output); want != "" && plainText(string(out)) != want {
		t.Errorf("%s: %s prints\n%s\nwhere the page has\n%s", file, s.command, out, s.output)
	}
}

// TestHelpExamples runs the examples that the commands' help shows.
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
		dir := freshFolder(t)
		for _, line := range strings.Split(strings.ReplaceAll(rest, "\\\n", " "), "\n") {
			if line = strings.TrimSpace(line); strings.Contains(line, "heddle") {
				runStep(t, name+" --help", dir, shellStep{command: line})
				n++
			}
		}
	}
	if n < 15 {
		t.Errorf("%d examples", n)
	}
}

// commandNames are the commands that heddle --help lists.
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
