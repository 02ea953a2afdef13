package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// blocks returns the indented blocks of a page.
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

// TestPages: the programs of the pages compile with the commands on the page, and print the output on it.
func TestPages(t *testing.T) {
	l := lib(t)
	if racing() {
		t.Skip("there is no shared library under the race detector")
	}
	for _, page := range []string{"capi.md", "waves.md"} {
		t.Run(page, func(t *testing.T) { runs(t, l, page) })
	}
}

// checkout makes a folder with the files that the pages use, and the library.
func checkout(t *testing.T, l *library) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"cases", "cmd", "examples"} {
		if err := os.Symlink(filepath.Join(repository(t), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(l.dir, "libheddle.so"), filepath.Join(dir, "libheddle.so")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// read returns a file of the repository.
func read(t *testing.T, name ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{repository(t)}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runs runs the blocks of a page: C programs are written to files, commands are run, and other blocks are the output of
// the previous command.
func runs(t *testing.T, l *library, page string) {
	dir := checkout(t, l)
	ran, printed := 0, ""
	for _, b := range blocks(read(t, "docs", page)) {
		first, _, _ := strings.Cut(b, "\n")
		switch word, _, _ := strings.Cut(first, " "); word {
		case "go":
			if first != "go build -buildmode=c-shared -o libheddle.so ./cmd/libheddle" { // the tests have already built it
				t.Errorf("the page builds it with %s", first)
			}
		case "func": // an example of Go, which go test runs
			if text := strings.ReplaceAll(read(t, "example_wave_test.go"), "\t", "    "); !strings.Contains(text, strings.TrimSuffix(b, "}\n")) {
				t.Errorf("example_wave_test.go does not have\n%s", b)
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
			command, want, shown := strings.Cut(b, "\n\n")
			if !shown {
				want = printed // the same output as that of the C program
			}
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
