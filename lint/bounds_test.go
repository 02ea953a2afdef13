package lint

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// random returns code of n random instructions.
func random(t *isa.Target, r *rand.Rand, n int) (code []byte) {
	var w [64]byte
	var b isa.Bundle
	for tries := 0; n > 0 && tries < 1<<20; tries++ {
		for k := range w {
			w[k] = byte(r.Uint32())
		}
		if t.DecodeBundle(w[:], uint64(len(code)), &b) == nil {
			code = append(code, w[:b.Size()]...)
			n--
		}
	}
	return code
}

// TestForms: findings do not depend on how many forms are kept.
func TestForms(t *testing.T) {
	for _, s := range sets.Sets() {
		tg := s.At(0, 0)
		r := rand.New(rand.NewPCG(3, 3))
		part := random(tg, r, 60)
		code := slices.Concat(part, random(tg, r, 60), part) // instructions occur again
		c := Code{Target: tg, Bytes: code, Guess: true}
		want := Run(c, Options{Least: isa.SeverityNote})
		for _, kept := range []uint32{1, 2, 7} {
			a := begin(c, &Options{Least: isa.SeverityNote, Most: 1000})
			a.forms.kept = kept
			if got := a.run(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: with %d forms kept, %d findings, else %d", tg, kept, len(got.Findings), len(want.Findings))
			}
		}
	}
}

// TestStepsOut: what is not looked at because paths take too many steps is reported for each part of the code, and the
// other parts are looked at.
func TestStepsOut(t *testing.T) {
	word := func(ws ...uint32) (code []byte) {
		for _, w := range ws {
			code = append(code, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
		}
		return code
	}
	const ( // gfx8: docs/reference/gcn.md 4
		mov, vccz, barrier, end = 0x7e000280, 0xbf860000, 0xbf8a0000, 0xbf810000 // v_mov_b32 v0, 0, s_cbranch_vccz
		back                    = 0xbf84fffe                                     // s_cbranch_scc0 to the instruction before
	)
	// Two functions: a branch around a barrier, and a loop.
	around := word(mov, vccz|2, mov, barrier, mov, end)
	gcn := slices.Concat(around, word(mov, back, end))
	entries := []Entry{{Name: "around", Group: 8}, {Addr: uint64(len(around)), Name: "loop"}}
	// set $c0 of $r0, bra, bar.sync, return of Tesla.
	tesla := word(0x300001fd, 0x6c0147c8, 0x10004003, 0x00000280, 0x861ffe03, 0x00000000, 0x30000003, 0x00000780)
	for _, x := range []struct {
		isa     string
		code    []byte
		entries []Entry
		each    int
		free    int
		want    []string
	}{
		{"gcn:gfx8", gcn, entries, stepsEach, stepsMore, nil},
		{"gcn:gfx8", gcn, entries, 0, 0, []string{
			"0x0 too-tangled around reaches too much code to compare all of it with what it declares",
			"0x0 too-tangled the paths of 6 instructions are too tangled to tell where threads diverge and meet",
			"0x18 too-tangled the paths of 2 instructions are too tangled to follow them all",
			"0x18 too-tangled loop reaches too much code to compare all of it with what it declares",
		}},
		{"tesla:g80", tesla, []Entry{{Grows: true}}, stepsEach, stepsMore, nil},
		{"tesla:g80", tesla, []Entry{{Grows: true}}, 0, 1, []string{"0x0 too-tangled the paths of 4 instructions are too tangled to tell where threads diverge and meet"}},
	} {
		tg, err := sets.Lookup(x.isa)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.entries {
			x.entries[i].Begins = []ir.Span{}
		}
		a := begin(Code{Target: tg, Bytes: x.code, Entries: x.entries}, &Options{Least: isa.SeverityNote, Most: 1000})
		a.each, a.free = x.each, x.free
		var got []string
		for _, f := range a.run().Findings {
			if f.Rule == ruleTangle {
				got = append(got, fmt.Sprintf("%#x %s %s", f.Addr, f.Rule, f.Msg))
			}
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s, %d steps for each instruction and %d:\n%q, want\n%q", x.isa, x.each, x.free, got, x.want)
		}
	}
}
