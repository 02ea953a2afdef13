package all_test

import (
	"math/rand/v2"
	"strings"
	"testing"

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
			w := d.Mask()
			w.Lo, w.Hi = r.Uint64()&^w.Lo|d.Value().Lo, r.Uint64()&^w.Hi|d.Value().Hi
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
	a, b := isa.Scan{Target: tg}, isa.Scan{Target: tg, Every: true}
	a.Reset(text, 0)
	b.Reset(text, 0)
	gotErr, wantErr := a.Parse(&got), b.Parse(&want)
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
