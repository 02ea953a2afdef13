package isa_test

import (
	"regexp"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestWordsIn: the words of a text against a pattern.
func TestWordsIn(t *testing.T) {
	pattern := regexp.MustCompile(`[A-Za-z0-9_$]+`)
	for _, text := range []string{"", " ", " f32 $r1 c0[0x4]", "(mul u24 $r1 s16)", ".x.y", "a", " 0xff g1[$r2]", "$a1++0x4 l", "_x x_ x.y-z", "\tb32\t"} {
		want := uint64(0)
		for _, w := range pattern.FindAllString(text, -1) {
			if c := w[0] | 0x20; c >= 'a' && c <= 'z' {
				want |= isa.WordBit(w)
			}
		}
		if got := isa.WordsIn(text); got != want {
			t.Errorf("%q: %x, want %x", text, got, want)
		}
	}
}
