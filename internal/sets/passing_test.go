package sets_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestPassingOver: rows that need words that are not in the text are passed over, common texts are read without their
// kind's parser, and names are remembered. What a text reads as, or what is wrong with it, is as if all rows had been
// tried, each operand had been read by its parser, and there were no line before: for texts of random words, as they
// are and with something changed. One scan reads them all, whose set, variant and stage change with each.
func TestPassingOver(t *testing.T) {
	var scan isa.Scan
	sets := sets.Sets()
	r := rand.New(rand.NewPCG(9, uint64(len(sets))))
	for range 4000 * len(sets) {
		s := sets[r.IntN(len(sets))]
		if s.Group != nil {
			continue
		}
		text, ok := textOf(s, r)
		if !ok {
			continue
		}
		for range 3 {
			scan.Target = s.At(r.IntN(len(s.Variants)), r.IntN(max(1, len(s.Stages))))
			samePassing(t, &scan, text)
			text = changed(r, text)
		}
	}
}

// TestNamesOfMany: more names than a scan remembers, so that each takes the place of another one, over and over:
// those of all sets, alone and with words behind them that are no part of the name.
func TestNamesOfMany(t *testing.T) {
	type word struct {
		target *isa.Target
		text   string
	}
	var words []word
	for _, s := range sets.Sets() {
		for i := range s.Defs {
			if d := &s.Defs[i]; s.Group == nil && i%3 == 0 {
				tg := s.At(i%len(s.Variants), i%max(1, len(s.Stages)))
				words = append(words, word{tg, d.Name}, word{tg, d.Name + ".x"}, word{tg, d.Name[:len(d.Name)-1]}, word{tg, d.Name + "_e64"})
			}
		}
	}
	var scan isa.Scan
	r := rand.New(rand.NewPCG(3, 9))
	for range 2 {
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		for _, w := range words {
			scan.Target = w.target
			samePassing(t, &scan, w.text)
		}
	}
}

// textOf is the text of random bits of a row.
func textOf(s *isa.Set, r *rand.Rand) (string, bool) {
	tg := s.At(r.IntN(len(s.Variants)), r.IntN(max(1, len(s.Stages))))
	d := &s.Defs[r.IntN(len(s.Defs))]
	w := d.Mask()
	w.Lo, w.Hi = r.Uint64()&^w.Lo|d.Value().Lo, r.Uint64()&^w.Hi|d.Value().Hi
	var in isa.Inst
	if tg.Decode(w.Append(nil, s.Longest), 0, &in) != nil {
		return "", false
	}
	return in.String(), true
}

// samePassing compares what a scan, which has read other lines, reads with what one does that passes nothing over.
func samePassing(t *testing.T, scan *isa.Scan, text string) {
	t.Helper()
	var got, want isa.Bundle
	every := isa.Scan{Target: scan.Target, Every: true}
	scan.Reset(text, 0)
	every.Reset(text, 0)
	gotErr, wantErr := scan.ParseBundle(&got), every.ParseBundle(&want)
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.(*isa.Error).Detail() != wantErr.(*isa.Error).Detail() ||
		gotErr == nil && (got.Parts[0] != want.Parts[0] || scan.Pos != every.Pos) {
		t.Errorf("%s: %q: %v, %v; with all rows %v, %v", scan.Target, text, got.Parts, gotErr, want.Parts, wantErr)
	}
}

// changed is the text with a word or byte left out, said again, or exchanged.
func changed(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "exit nop"
	}
	i, j := r.IntN(len(words)), r.IntN(len(words))
	switch r.IntN(7) {
	case 0:
		words[i] = ""
	case 1:
		words[i] += " " + words[j]
	case 2:
		words[i], words[j] = words[j], words[i]
	case 3:
		at := r.IntN(len(text))
		return text[:at] + text[at+1:]
	case 4, 5:
		const some = "$rqdlhvsuc^@.,:[]()0123456789 _x-"
		at, c := r.IntN(len(text)), r.IntN(len(some))
		return text[:at] + some[c:c+1] + text[at+r.IntN(2):]
	default:
		words[i] = [...]string{"f32", "b32", "u16", "neg", "$r1", "$c1", "c0[0x4]", "0x7", "exit", "(e $c0)", "(mul", ")"}[r.IntN(12)]
	}
	return strings.Join(words, " ")
}
