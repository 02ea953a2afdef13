package asm_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// peak returns roughly how many bytes of heap f takes at once, in addition to what is there before.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, stop, top := m.HeapAlloc, make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				top <- most
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	return max(<-top, before) - before
}

// mixed returns instructions of all rows of a target in turn, with a branch every few lines in sets whose branches
// are instructions of their own.
func mixed(t *testing.T, tg *isa.Target, lines, branch int) []byte {
	t.Helper()
	jumps := map[string]string{"gcn": "s_cbranch_scc1", "valhall": "BRANCHZ.eq ^r0,", "tesla": "bra", "attila": "jmp p0,"}[tg.Name]
	var words [][]byte
	var b isa.Bundle
	for i := range tg.Defs {
		d := &tg.Defs[i]
		if d.Private || d.Alias || !d.InVariant(tg.Variant) || !d.InStage(tg.Stage) || d.Class != 0 {
			continue
		}
		for _, w := range laws.Words(tg, d, laws.Options{Words: 4}) {
			if c := w.Code(); tg.DecodeBundle(c, 0, &b) == nil {
				words = append(words, c)
			}
		}
	}
	if tg.Group != nil {
		words = groups(t, tg)
	}
	var text bytes.Buffer
	text.WriteString(".exact\n")
	r := rand.New(rand.NewPCG(1, 1))
	for i := range lines {
		if jumps != "" && i%branch == 0 {
			fmt.Fprintf(&text, "L%d: %s L%d\n", i, jumps, min(max(0, i+branch*(r.IntN(50)-25)), lines/branch*branch-branch))
			continue
		}
		text.WriteString(".byte ")
		for k, c := range words[r.IntN(len(words))] {
			fmt.Fprintf(&text, "%s%d", map[bool]string{true: ", "}[k > 0], c)
		}
		text.WriteByte('\n')
	}
	a, errs := asm.Assemble(tg, text.Bytes(), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	return a.Code
}

// groups returns the groups of a Rogue program.
func groups(t *testing.T, tg *isa.Target) (list [][]byte) {
	code := unhex(t, "67f240016883c362004080a244ff67f240066883c362004080a245ff56b240688fc36200414046ff459440ca80400040004745944080804000400048459440a080400040004956b240418280400040414aff"+
		"56b240408280400040414bff56b240428280400040414cff56b240448280400040414dff56d24000828060000080a24e56d24001828060000080a24f56d24004828060000080a25057d24002828060000080a251f1ff0480ee00f2ffffff")
	var b isa.Bundle
	for at := 0; at < len(code); at += b.Size() {
		if err := tg.DecodeBundle(code[at:], uint64(at), &b); err != nil {
			t.Fatal(err)
		}
		list = append(list, code[at:at+b.Size()])
	}
	return list
}

// mostPeak is how many bytes of memory a listing, and its assembly, may take for each byte of the listing;
// mostBranches is the same for a listing of only branches and labels, without comments.
const mostPeak, mostBranches = 20, 30

// TestPeak: memory grows in proportion to the text, whatever the listing contains.
func TestPeak(t *testing.T) {
	for _, s := range sets.Sets() {
		tg := s.At(0, 0)
		code := mixed(t, tg, 10000, 4)
		for _, o := range []asm.ListOptions{{Exact: true}, {Exact: true, Comments: true, Refs: true, Fold: 8}} {
			testPeak(t, tg, code, o, mostPeak)
		}
	}
	t.Run("branches", func(t *testing.T) { // short lines, labels, and pairs that are tried in two forms
		tg := sets.Sets()[slices.IndexFunc(sets.Sets(), func(s *isa.Set) bool { return s.Name == "tesla" })].At(0, 0)
		testPeak(t, tg, mixed(t, tg, 40000, 1), asm.ListOptions{Exact: true}, mostBranches)
	})
}

// testPeak lists code and assembles the listing.
func testPeak(t *testing.T, tg *isa.Target, code []byte, o asm.ListOptions, most int) {
	t.Helper()
	var text bytes.Buffer
	if err := asm.List(&text, tg, code, 0, o); err != nil {
		t.Fatal(err)
	}
	listing := peak(func() {
		if err := asm.List(io.Discard, tg, code, 0, o); err != nil {
			t.Fatal(err)
		}
	})
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }
	var a *asm.Assembly
	assembly := peak(func() { a, _, _ = asm.Read(tg, bytes.NewReader(text.Bytes()), asm.Options{Again: again}) })
	if a == nil || !bytes.Equal(a.Code, code) {
		t.Fatalf("%s: the listing assembles to something else", tg)
	}
	t.Logf("%s: %d bytes of code, %d of text; for each of these %.1f to list, %.1f to assemble", tg, len(code), text.Len(),
		float64(listing)/float64(text.Len()), float64(assembly)/float64(text.Len()))
	if most := uint64(most * text.Len()); listing > most || assembly > most {
		t.Errorf("%s: %d bytes of memory to list %d bytes of text, %d to assemble", tg, listing, text.Len(), assembly)
	}
}
