package exectest

import "testing"

// TestDiffers: the first byte that differs is named, and how many others do.
func TestDiffers(t *testing.T) {
	for _, c := range []struct{ got, want, text string }{
		{"abcd", "abcd", ""}, {"", "", ""}, {"abxd", "abcd", "the byte at 0x102 is 0x78, want 0x63"},
		{"xbcy", "abcd", "the byte at 0x100 is 0x78, want 0x61; 1 more differ, the last at 0x103"}, {"abc", "abcd", "3 bytes from 0x100 on, want 4"},
	} {
		if text := Differs(0x100, []byte(c.got), []byte(c.want)); text != c.text {
			t.Errorf("%q beside %q: %s; want %s", c.got, c.want, text, c.text)
		}
	}
}
