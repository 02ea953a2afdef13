package lint

import (
	"encoding/binary"
	"fmt"
	"maps"
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

// TestWorklist: blocks come in the order of their positions, those that are added behind the last one taken in the same
// round, others in the next.
func TestWorklist(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{0, 1, 63, 64, 65, 4096, 4097, 300000} {
		a := &analysis{position: make([]int32, n)}
		for _, b := range r.Perm(n) {
			a.position[b] = int32(len(a.order))
			a.order = append(a.order, int32(b))
		}
		w, has, next := a.newWorklist(), map[int]bool{}, 0
		for range 20 {
			for range r.IntN(min(n, 9) + 1) {
				at := r.IntN(n)
				w.add(a.order[at])
				has[at] = true
			}
			for range r.IntN(9) {
				want := slices.Sorted(maps.Keys(has))
				at, _ := slices.BinarySearch(want, next)
				if want = slices.Concat(want[at:], want[:at]); len(want) == 0 {
					if got := w.take(); got != -1 {
						t.Fatalf("of %d: took %d of an empty list", n, got)
					}
					next = 0
					continue
				}
				if got := w.take(); got != a.order[want[0]] {
					t.Fatalf("of %d: took %d, want that at %d", n, got, want[0])
				}
				next = want[0] + 1
				delete(has, want[0])
			}
		}
		if w.clear(); w.take() != -1 {
			t.Errorf("of %d: not empty", n)
		}
	}
}

const ( // gfx8: docs/reference/gcn.md 4
	gfx8Mov     = 0x7e000280 // v_mov_b32 v0, 0
	gfx8Vccz    = 0xbf860000 // s_cbranch_vccz
	gfx8Back    = 0xbf84fffe // s_cbranch_scc0 to the instruction before
	gfx8Barrier = 0xbf8a0000
	gfx8End     = 0xbf810000
)

func words(ws ...uint32) (code []byte) {
	for _, w := range ws {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

// A stepsOut is code, the steps that its analysis may take, and what it then reports as too tangled.
type stepsOut struct {
	isa     string
	code    []byte
	entries []Entry
	kept    uint32
	each    int
	free    int
	want    []string
}

func (x *stepsOut) check(t *testing.T) {
	tg, err := sets.Lookup(x.isa)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.entries {
		x.entries[i].Begins = []ir.Span{}
	}
	a := begin(Code{Target: tg, Bytes: x.code, Entries: x.entries}, &Options{Least: isa.SeverityNote, Most: 1000})
	a.each, a.free, a.forms.kept = x.each, x.free, x.kept
	var got []string
	for _, f := range a.run().Findings {
		if f.Rule == ruleTangle {
			got = append(got, fmt.Sprintf("%#x %s %s", f.Addr, f.Rule, f.Msg))
		}
	}
	if !slices.Equal(got, x.want) {
		t.Errorf("%s, %d steps for each instruction and %d, %d forms:\n%q, want\n%q", x.isa, x.each, x.free, x.kept, got, x.want)
	}
}

// TestStepsOut: what is not looked at because paths take too many steps is reported for each part of the code, and the
// other parts are looked at.
func TestStepsOut(t *testing.T) {
	// Two functions: a branch around a barrier, and a loop.
	around, loop := words(gfx8Mov, gfx8Vccz|2, gfx8Mov, gfx8Barrier, gfx8Mov, gfx8End), words(gfx8Mov, gfx8Back, gfx8End)
	gcn := slices.Concat(around, loop)
	entries := []Entry{{Name: "around", Group: 8}, {Addr: uint64(len(around)), Name: "loop"}}
	function := []Entry{{Name: "around", Group: 8}, {Addr: uint64(len(around)), Function: true}}
	one := []Entry{{Grows: true}}
	// set $c0 of $r0, bra, bar.sync, return of Tesla.
	tesla := words(0x300001fd, 0x6c0147c8, 0x10004003, 0x00000280, 0x861ffe03, 0x00000000, 0x30000003, 0x00000780)
	// cndst of vi1, then a loop of cndst of r1 and br.allinst, and nop.end of Rogue.
	nested := []byte("\x45\x82\x67\x20\x81\x04\x00\x00\x41\xff\x44\x82\x67\x20\x41\x00\x41\xff\x04\x80\x60\x04\xf8\xff\xff\xff\x02\x80\xee\x00")
	const diverge, follow = "tell where threads diverge and meet", "follow them all"
	says := func(addr, n int, what string) string {
		return fmt.Sprintf("%#x too-tangled the paths of %d instructions are too tangled to %s", addr, n, what)
	}
	for _, x := range []stepsOut{
		{"gcn:gfx8", gcn, entries, keptForms, stepsEach, stepsMore, nil},
		{"gcn:gfx8", gcn, entries, keptForms, 0, 0, []string{
			"0x0 too-tangled around reaches too much code to compare all of it with what it declares",
			says(0, 6, diverge), says(0x18, 2, follow),
			"0x18 too-tangled loop reaches too much code to compare all of it with what it declares",
		}},
		{"tesla:g80", tesla, one, keptForms, stepsEach, stepsMore, nil},
		{"tesla:g80", tesla, one, keptForms, 0, 1, []string{says(0, 4, diverge)}},
		{"rogue", nested, one, keptForms, stepsEach, stepsMore, nil},
		{"rogue", nested, one, keptForms, 0, 0, []string{says(10, 2, follow), says(10, 2, "tell how deep blocks nest")}},
		// Functions declare nothing, and take no steps for that.
		{"gcn:gfx8", gcn, function, keptForms, 0, 6, []string{says(0, 6, diverge), says(0x18, 2, follow)}},
		// The loop is visited twice. To make its two forms again takes as many steps.
		{"gcn:gfx8", loop, one, keptForms, 0, 16, nil},
		{"gcn:gfx8", loop, one, 1, 0, 16, []string{says(0, 2, follow)}},
	} {
		x.check(t)
	}
}
