package disasm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/loc"
)

// TestSource: a source line is shown where its code begins, with its text if the file can be read.
func TestSource(t *testing.T) {
	at := []loc.Position{
		{}, // before the first line there is nothing to say
		{File: "a.cl", Path: "/gone/a.cl", Line: 2, Col: 3},
		{File: "a.cl", Path: "/gone/a.cl", Line: 2, Col: 9},
		{},
		{File: "a.cl", Path: "/gone/a.cl", Line: 1},
		{File: "a.cl", Path: "/gone/a.cl", Line: 9},
		{File: "b.cl", Path: "/gone/b.cl", Line: 1},
		{File: "b.cl", Path: "/gone/b.cl", Line: 4},
		{File: "b.cl", Path: "/gone/b.cl", Line: 4},
	}
	s := &Source{At: func(addr uint64) loc.Position { return at[addr] }, Dirs: []string{"here"}, Begins: map[uint64]bool{8: true},
		Read: func(path string) ([]byte, error) {
			if path == "here/a.cl" {
				return []byte("one\r\n\ttwo /* \x1b[31m\n"), nil
			}
			return nil, errors.New("no such file")
		}}
	var got []string
	for addr := range at {
		got = append(got, strings.Join(s.Before(uint64(addr)), "|"))
	}
	want := []string{"", "a.cl:2:3|\ttwo /* \ufffd[31m", "", "no line of the source", "a.cl:1|one", "a.cl:9|a.cl has 3 lines: it is not the file that was compiled",
		"b.cl cannot be read: looked for /gone/b.cl, here/b.cl|b.cl:1", "b.cl:4", "b.cl:4"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if long := plain(strings.Repeat("é", 1000)); len(long) > mostShown+8 || !strings.HasSuffix(long, "é ...") {
		t.Errorf("a long line: %s", long)
	}
}
