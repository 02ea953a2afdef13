package group_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// target is Rogue in the first dialect, with its decoder.
func target(t testing.TB) (*isa.Target, *group.Decoder) {
	set := rogue.Set()
	var d group.Decoder
	d.Link(set.Defs)
	return set.At(0, 0), &d
}

// TestQuick checks that the one-pass decoder gives what the splitter gives, wherever a group lies and whatever follows
// it; that it never decodes what the splitter rejects; and that it decodes nearly all groups.
func TestQuick(t *testing.T) {
	tg, d := target(t)
	groups, r := laws.Groups(t, tg), rand.New(rand.NewPCG(3, 14))
	right, quickly := 0, 0
	check := func(code []byte) {
		var b, want isa.Bundle
		addr := uint64(r.IntN(1<<20)) * 2
		err := group.Look(tg, code, addr, &want)
		b.Parts = make([]isa.Inst, 0, group.MostParts)
		b.Pad = 99
		ok := group.Quick(d, code, addr, &b)
		if err == nil {
			right++
		}
		if !ok {
			return
		}
		quickly++
		if err != nil {
			t.Fatalf("%x: decoded, want %v", code, err)
		}
		if !slices.Equal(b.Parts, want.Parts) || b.Pad != want.Pad {
			t.Fatalf("%x: %v + %d bytes, want %v + %d", code, b.Parts, b.Pad, want.Parts, want.Pad)
		}
	}
	for i, g := range groups {
		check(g)
		code := append(bytes.Clone(g), groups[(i+1)%len(groups)]...)
		for range 40 {
			code = append(code, byte(r.Uint32()))
		}
		check(code)
	}
	if quickly*100 < right*95 {
		t.Errorf("%d of %d groups", quickly, right)
	}
	mutants(r, groups, check)
}

// mutants calls check with groups with some bits changed, with all headers before other groups, and with any bytes.
func mutants(r *rand.Rand, groups [][]byte, check func(code []byte)) {
	for range 400000 {
		code := bytes.Clone(groups[r.IntN(len(groups))])
		for range 1 + r.IntN(3) {
			code[r.IntN(len(code))] ^= 1 << r.IntN(8)
		}
		check(code[:max(1, len(code)-r.IntN(3))])
	}
	for _, g := range groups[:64] { // with all headers
		code := bytes.Clone(g)
		for i := range 1 << 12 {
			code[0], code[1] = code[0]&15|byte(i>>4)&0xf0, byte(i)
			check(code)
		}
	}
	for range 64 {
		code := append([]byte{0, 0x80, 4 << 4}, bytes.Repeat([]byte{0xff}, 20)...)
		for i := range 1 << 8 {
			code[0], code[3], code[4] = byte(i), byte(r.IntN(128)), byte(r.IntN(128))
			check(code)
		}
	}
	code := make([]byte, 36)
	for range 200000 {
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		code[1] |= 0x80 * byte(r.IntN(2))
		check(code)
	}
}
