package isa_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestWordsIn: the words of a text against patterns.
func TestWordsIn(t *testing.T) {
	word, digits, inside := regexp.MustCompile(`[A-Za-z0-9_$]+\[?`), regexp.MustCompile(`[0-9]`), regexp.MustCompile(`\[[^]]*(\]|$)`)
	bits := func(text string) (want uint64) {
		for _, w := range word.FindAllString(text, -1) {
			c := w[0] | 0x20
			switch {
			case c >= 'a' && c <= 'z' && strings.HasSuffix(w, "["):
				w = w[:1] + "["
			case w[0] == '$':
				w = strings.TrimSuffix(digits.ReplaceAllString(w, ""), "[")
			case c < 'a' || c > 'z':
				w = "0"
			}
			want |= isa.WordBit(w)
		}
		return want
	}
	for _, text := range []string{"", " ", " f32 $r1 c0[0x4]", "(mul u24 $r1 s16)", ".x.y", "a", " 0xff g1[$r2]", "$a1++0x4 l", "_x x_ x.y-z", "\tb32\t", "$r1l:$r22h",
		"c12[$a1+0x4] $c0", "s[x]y[0]z", "a]b", "b32 s[0x4"} {
		all, outside := isa.WordsIn(text)
		if want := bits(text); all != want {
			t.Errorf("%q: %x, want %x", text, all, want)
		}
		if want := bits(inside.ReplaceAllString(text, "[]")); outside != want {
			t.Errorf("%q: outside of brackets %x, want %x", text, outside, want)
		}
	}
	if isa.WordBit("b16") == isa.WordBit("b32") || isa.WordBit("$r0") == isa.WordBit("0") {
		t.Error("words that should differ do not")
	}
}
