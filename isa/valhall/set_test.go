package valhall

import (
	"os"
	"strings"
	"testing"
)

func TestCompiles(t *testing.T) {
	if o := Set().Overlaps(0, 0); len(o) > 0 {
		t.Errorf("%d overlaps, the first %s", len(o), o[0])
	}
}

// TestEarlyNames checks that every instruction of the early reference exists, under its name or the present one.
func TestEarlyNames(t *testing.T) {
	data, err := os.ReadFile("testdata/names-early.list")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(data))
	if len(names) != 190 {
		t.Errorf("%d names", len(names))
	}
	for _, n := range names {
		if len(Set().Rows(n)) == 0 {
			t.Errorf("no row is called %s", n)
		}
	}
}
