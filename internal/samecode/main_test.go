package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plain = `//go:build linux

// Package a is old.
package a

/*
#include <math.h>
*/
import "C"

// F is old.
//
//go:noinline
func F(x int) int { // per lane
	// Output: this is no example
	return x + old(x)
}

//export old
func old(x int) int { return x }

var list = []int{1, 2} // two
`

const example = `package a_test

// Example is old.
func Example() {
	// It prints.
	println(1)
	// Output:
	// 1
}
`

const assembly = `#include "textflag.h"

// func half(x *byte)
TEXT ·half(SB), NOSPLIT, $0-8 // a leaf
	MOVQ x+0(FP), AX /* the address */
	RET
`

// TestTokens: which edits of a text change its code.
func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name, text, old, new string
		same                 bool
	}{
		{"a.go", plain, "is old.\npackage", "is new,\n// on two lines.\npackage", true},
		{"a.go", plain, "// F is old.\n//\n//go:noinline", "// F is new: if x is 0 it returns 0.\n//\n//go:noinline", true},
		{"a.go", plain, " // per lane\n", "\n", true},
		{"a.go", plain, "{1, 2} // two", "{\n\t1, // one\n\t2,\n}", true},
		{"a.go", plain, "{ return x }", "{\n\t// x itself\n\treturn x\n}", true},
		{"a.go", plain, "// Output: this is no example", "/* no example,\non two lines */", true},
		{"a.go", plain, "x + old", "x - old", false},
		{"a.go", plain, "x + old(x)", "x", false},
		{"a.go", plain, "{1, 2}", "{1, 3}", false},
		{"a.go", plain, "return x + old(x)", "return x + old(x)\n\tprintln()", false},
		{"a.go", plain, "//go:noinline\n", "", false},
		{"a.go", plain, "//go:noinline\n", "// go:noinline\n", false},
		{"a.go", plain, "//go:build linux", "//go:build darwin", false},
		{"a.go", plain, "//export old\n", "", false},
		{"a.go", plain, "<math.h>", "<stdio.h>", false},
		{"a.go", plain, "*/\nimport", "*/\n\nimport", false},
		{"a.go", plain, "// F is old.", "//nolint:all", false},
		{"a_test.go", example, "is old", "is new", true},
		{"a_test.go", example, "// It prints.", "// It prints to stderr.", true},
		{"a_test.go", example, "// 1\n", "// 2\n", false},
		{"a_test.go", example, "// 1\n", "// 1\n\n\t// The end.\n", false}, // go test would no longer compare the output
		{"a_amd64.s", assembly, "// a leaf", "// calls nothing", true},
		{"a_amd64.s", assembly, " /* the address */", "\n\t// return\n", true},
		{"a_amd64.s", assembly, "AX", "BX", false},
		{"a_amd64.s", assembly, "AX /* the address */\n\t", "AX ", false},
		{"a_amd64.s", assembly, "\tRET\n", "", false},
	} {
		if strings.Count(tt.text, tt.old) != 1 {
			t.Fatalf("%q is not once in the text", tt.old)
		}
		new := strings.Replace(tt.text, tt.old, tt.new, 1)
		a, err := tokens(tt.name, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tokens(tt.name, new)
		if err != nil {
			t.Fatal(err)
		}
		same := len(a) == len(b)
		for i := range min(len(a), len(b)) {
			same = same && a[i].text == b[i].text
		}
		if same != tt.same {
			t.Errorf("%q for %q: same %v, want %v", tt.new, tt.old, same, tt.same)
		}
	}
	if _, err := tokens("a.go", "package a\nfunc {"); err == nil || !strings.Contains(err.Error(), "a.go:2:6") {
		t.Errorf("a file that does not parse: %v", err)
	}
}

// A repo is a temporary repository.
type repo struct {
	t   *testing.T
	dir string
}

func (r repo) git(args ...string) {
	r.t.Helper()
	if _, err := git(r.dir, args...); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "c")
}

// expect runs the command and checks its exit status and a part of its output.
func (r repo) expect(code int, want string, args ...string) {
	r.t.Helper()
	var out strings.Builder
	if got := command(r.dir, args, &out, &out); got != code || !strings.Contains(out.String(), want) {
		r.t.Errorf("%v: exit status %d, want %d with %q, got\n%s", args, got, code, want, out.String())
	}
}

// TestCommand runs the command on a repository with two commits and a worktree.
func TestCommand(t *testing.T) {
	r := repo{t, t.TempDir()}
	r.git("init", "-q")
	r.write("a/a.go", plain)
	r.write("b/old.go", "package b\n\n"+strings.Repeat("var _ = 1\n", 40)+"var old = 1\n")
	r.write("b/doc.md", "old\n")
	r.commit()
	r.expect(0, "0 changed files", "-from", "HEAD")

	r.write("a/a.go", strings.ReplaceAll(plain, "is old", "is new"))
	r.write("b/doc.md", "new\n")
	r.expect(0, "not compared: b/doc.md\n1 changed files of code, 0 differ", "-from", "HEAD")
	r.commit()
	r.expect(0, "0 differ", "-from", "HEAD~1", "-to", "HEAD")

	r.write("a/a.go", strings.ReplaceAll(plain, "x + old", "x - old"))
	r.expect(1, "a/a.go:16:11: -; was + at 16:11", "-from", "HEAD~1")
	r.expect(0, "0 changed files", "-from", "HEAD~1", "-to", "HEAD~1", "a")
	r.expect(0, "0 changed", "-from", "HEAD", "b")

	r.write("a/a.go", strings.ReplaceAll(strings.ReplaceAll(plain, "old(x", "fresh(x"), "export old", "export fresh"))
	r.expect(1, "//export fresh; was //export old", "-from", "HEAD", "-names", "old=fresh")
	r.write("a/a.go", strings.ReplaceAll(plain, "F(", "G("))
	r.write("b/new.go", "package b\n\n"+strings.Repeat("var _ = 1\n", 40)+"var fresh = 1\n")
	if err := os.Remove(filepath.Join(r.dir, "b/old.go")); err != nil {
		t.Fatal(err)
	}
	r.expect(1, "b/new.go: not in the old revision", "-from", "HEAD") // git does not detect renames among untracked files
	r.commit()
	r.expect(0, "0 differ", "-from", "HEAD~1", "-names", "F=G,old=fresh")
	r.expect(0, "0 differ", "-from", "HEAD~1", "-names", "F=H,F=G,old=fresh")
	r.expect(1, "b/new.go:43:5: fresh; was old at 43:5", "-from", "HEAD~1", "-names", "F=G")
	r.expect(1, "a/a.go:14:6: G; was F at 14:6", "-from", "HEAD~1", "-names", "old=fresh")

	r.write("a/a.go", "package a\nfunc {\n")
	r.expect(2, "new revision: a/a.go:2:6", "-from", "HEAD")
	r.expect(2, "samecode: git diff", "-from", "nothing")
	r.expect(2, "-from needs a revision")
	r.expect(2, `"a=b=c" is not OLD=NEW`, "-from", "HEAD", "-names", "a=b=c")
}
