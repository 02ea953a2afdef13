package isa_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestExcerpt: of a long line only the part around the caret is shown, and control characters do not reach the
// terminal. The caret stays under its place.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 1000) + "HERE" + strings.Repeat("y", 1000)
	for _, c := range []struct {
		source string
		col    int
		line   string // as shown
		caret  int    // characters before the caret
	}{
		{"add r1", 5, "add r1", 4},
		{"\tadd r1", 6, "\tadd r1", 5},
		{"a\x1b[2Jb", 6, "a\uFFFD[2Jb", 5},
		{"\u009b\u202eab", 6, "\uFFFD\uFFFDab", 2},
		{"é\xffz", 4, "é\uFFFDz", 2},
		{"ab", 3, "ab", 2},
		{"ab", 99, "ab", 2},
		{long, 1001, "..." + strings.Repeat("x", 200) + "HERE" + strings.Repeat("y", 196) + "...", 203},
		{long, 1, strings.Repeat("x", 200) + "...", 0},
		{strings.Repeat("é", 300), 601, "..." + strings.Repeat("é", 100), 103},
		{strings.Repeat("\x80", 900), 500, "..." + "...", 3},
	} {
		lines := strings.Split((&isa.Error{Line: 1, Col: c.col, Source: c.source, Msg: "m", Code: "c"}).Detail(), "\n")
		if len(lines) != 3 {
			t.Fatalf("%q: %q", c.source, lines)
		}
		caret := []rune(strings.TrimPrefix(lines[2], "    "))
		if lines[1] != "    "+c.line || len(caret) != c.caret+1 || strings.TrimLeft(string(caret), " \t") != "^" {
			t.Errorf("%.60q at %d:\n%q\n%q, want\n%q and %d before the caret", c.source, c.col, lines[1], lines[2], c.line, c.caret)
		}
	}
}
