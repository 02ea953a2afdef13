package rogue

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestTexts checks that cached texts of groups are those of decoding and printing, whatever follows a group and
// wherever it lies, and so are sizes and errors; and that a change of any byte of a group changes the result.
func TestTexts(t *testing.T) {
	for dialect := range dialects {
		tg, err := Set().At(0, 0).With(dialect, nil)
		if err != nil {
			t.Fatal(err)
		}
		groups := laws.Groups(t, tg)
		x, r := asm.NewTexts(tg), rand.New(rand.NewPCG(uint64(dialect), 41))
		var b isa.Bundle
		right, branches := 0, 0
		for range 12000 {
			g := groups[r.IntN(min(len(groups), 600))]
			code := append(bytes.Clone(g), groups[r.IntN(len(groups))]...)
			for r.IntN(4) != 0 {
				code = append(code, byte(r.Uint32()))
			}
			if r.IntN(4) == 0 {
				code[r.IntN(len(g))] ^= 1 << r.IntN(8)
			}
			code = code[:max(1, len(code)-r.IntN(40))]
			addr := uint64(r.IntN(64)) * 2
			text, size, err := x.Append([]byte("> "), code, addr)
			bad := tg.DecodeBundle(code, addr, &b)
			if bad != nil {
				if err == nil || err.Error() != bad.Error() || string(text) != "> " {
					t.Fatalf("%x at %#x: %q, %v; want %v", code, addr, text, err, bad)
				}
				continue
			}
			right++
			if _, ok := branch(&b, 0); ok {
				branches++
			}
			if want := tg.Print([]byte("> "), &b); err != nil || string(text) != string(want) || size != b.Size() {
				t.Fatalf("%x at %#x: %q, %d bytes, %v; want %q, %d", code, addr, text, size, err, want, b.Size())
			}
		}
		if right < 3000 || branches == 0 {
			t.Errorf("%s: %d groups, %d branches", tg, right, branches)
		}
	}
}
