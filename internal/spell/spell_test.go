package spell

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"format", "name", "final", "initial", "steps", "tool", "heddle-gcn-kernel-1"}
	for _, c := range []struct{ word, near, slip string }{
		{"fromat", "format", "format"}, // two letters exchanged
		{"nam", "name", "name"},
		{"finall", "final", "final"},
		{"inital", "initial", "initial"},
		{"mood", "tool", ""}, // two of four
		{"streams", "steps", ""},
		{"heddle-gnc-kernel-1", "heddle-gcn-kernel-1", "heddle-gcn-kernel-1"},
		{"name", "name", "name"},
		{"launches", "", ""},
		{"", "", ""},
	} {
		if near := Nearest(c.word, words); near != c.near {
			t.Errorf("nearest to %q is %q, want %q", c.word, near, c.near)
		}
		if slip := Slip(c.word, words); slip != c.slip {
			t.Errorf("%q is a slip of %q, want %q", c.word, slip, c.slip)
		}
	}
}

// TestCount: one thing has no s.
func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 2: "2 bytes"} {
		if got := Count(n, "byte"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
