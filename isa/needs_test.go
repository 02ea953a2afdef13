package isa_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
)

// TestPassingOver: rows that need words that are not in the text are passed over, and what a text reads as, or what is wrong with
// it, is as if all had been tried: for texts of random words, as they are and with something changed.
func TestPassingOver(t *testing.T) {
	for _, s := range all.Sets() {
		if s.Group != nil {
			continue
		}
		r := rand.New(rand.NewPCG(9, uint64(len(s.Defs))))
		for range 4000 {
			tg := s.At(r.IntN(len(s.Variants)), r.IntN(max(1, len(s.Stages))))
			d := &s.Defs[r.IntN(len(s.Defs))]
			w := bits.Word{Lo: r.Uint64(), Hi: r.Uint64()}.AndNot(d.Mask()).Or(d.Value())
			var in isa.Inst
			if tg.Decode(w.Append(nil, s.Longest), 0, &in) != nil {
				continue
			}
			text := in.String()
			for range 3 {
				samePassing(t, tg, text)
				text = changed(r, text)
			}
		}
	}
}

func samePassing(t *testing.T, tg *isa.Target, text string) {
	t.Helper()
	var got, want isa.Inst
	a, b := isa.Scan{Target: tg}, isa.Scan{Target: tg}
	a.Reset(text, 0)
	b.Reset(text, 0)
	gotErr, wantErr := a.Parse(&got), b.ParseAll(&want)
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() || gotErr == nil && got != want {
		t.Errorf("%s: %q: %v, %v; with all rows %v, %v", tg, text, got.Word, gotErr, want.Word, wantErr)
	}
}

// changed is the text with a word or byte left out, said again, or exchanged.
func changed(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "exit nop"
	}
	i, j := r.IntN(len(words)), r.IntN(len(words))
	switch r.IntN(5) {
	case 0:
		words[i] = ""
	case 1:
		words[i] += " " + words[j]
	case 2:
		words[i], words[j] = words[j], words[i]
	case 3:
		at := r.IntN(len(text))
		return text[:at] + text[at+1:]
	default:
		words[i] = [...]string{"f32", "b32", "u16", "neg", "$r1", "$c1", "c0[0x4]", "0x7", "exit", "(e $c0)", "(mul", ")"}[r.IntN(12)]
	}
	return strings.Join(words, " ")
}

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
