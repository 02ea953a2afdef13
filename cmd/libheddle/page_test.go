package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// blocks are the indented blocks of a page.
func blocks(page string) (list []string) {
	var b strings.Builder
	end := func() {
		if text := strings.Trim(b.String(), "\n"); text != "" {
			list = append(list, text+"\n")
		}
		b.Reset()
	}
	for line := range strings.Lines(page) {
		switch text, ok := strings.CutPrefix(line, "    "); {
		case ok:
			b.WriteString(text)
		case line == "\n":
			b.WriteString(line)
		default:
			end()
		}
	}
	end()
	return list
}

// TestPage: the programs of docs/capi.md compile with the commands that stand there, and print what it shows.
func TestPage(t *testing.T) {
	l := lib(t)
	if racing() {
		t.Skip("there is no shared library under the race detector")
	}
	page, err := os.ReadFile(filepath.Join(repository(t), "docs", "capi.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // as a checkout after the first command
	for _, name := range []string{"cases", "cmd", "examples"} {
		if err := os.Symlink(filepath.Join(repository(t), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(l.dir, "libheddle.so"), filepath.Join(dir, "libheddle.so")); err != nil {
		t.Fatal(err)
	}
	ran, printed := 0, ""
	for _, b := range blocks(string(page)) {
		first, _, _ := strings.Cut(b, "\n")
		switch word, _, _ := strings.Cut(first, " "); word {
		case "go":
			if first != "go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle" { // as the tests have built it
				t.Errorf("the page builds it with %s", first)
			}
		case "/*":
			if err := os.WriteFile(filepath.Join(dir, strings.Fields(first)[1]), []byte(b), 0o666); err != nil {
				t.Fatal(err)
			}
		case "cc":
			printed = shell(t, dir, b)
			ran++
		case "python3":
			if _, err := exec.LookPath("python3"); err != nil {
				t.Skip("NOT TESTED: examples/python: ", err)
			}
			command, want, _ := strings.Cut(b, "\n\n")
			if out := shell(t, dir, command); out != want {
				t.Errorf("%s prints\n%swant\n%s", command, out, want)
			}
			ran++
		default:
			if b != printed {
				t.Errorf("the page shows\n%swant\n%s", b, printed)
			}
		}
	}
	if ran != 2 || printed == "" {
		t.Errorf("%d programs were run", ran)
	}
}

// shell runs commands in a folder, and stops at the first that fails.
func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	c.Dir = dir
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", commands, err, out, said.String())
	}
	return string(out)
}
