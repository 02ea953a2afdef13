package guess

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// heldOut returns programs of the full case sets that were not used to choose the thresholds of Scan: none of the
// repository's own.
func heldOut(t *testing.T) (list []sample) {
	t.Helper()
	dir, ok := cases.Find()
	if !ok {
		t.Skip("no full case sets")
	}
	own := map[string]bool{}
	for _, s := range samples(t, filepath.Join("..", "..", "cases")) {
		own[string(s.code)] = true
	}
	for _, s := range samples(t, dir) {
		if !own[string(s.code)] && len(s.code) >= shortest {
			list, own[string(s.code)] = append(list, s), true
		}
	}
	return list
}

// otherJunk returns data that was not used to choose the thresholds: machine code of other processors, compressed data,
// tables of numbers, text.
func otherJunk(t *testing.T) (list [][]byte) {
	t.Helper()
	dir, _ := cases.Find()
	var names []string
	for _, pattern := range []string{dir + "/pairs/*.gz", dir + "/kernels/gcn/*/*.in.bin", dir + "/kernels/gcn/*/*.lst", dir + "/render/*/*/*.bin", dir + "/kernels/gcn/*/*.cl",
		"../../docs/*.png", "../../isa/gcn/*.go", "/usr/local/go/bin/go", "/bin/sh", "/lib/*/libc.so.6", "/usr/share/dict/*", "/usr/share/fonts/*/*/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found[:min(len(found), 12)]...)
	}
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil && len(data) >= 64 {
			list = append(list, data[len(data)/3:][:min(len(data)/2, 1<<16)])
		}
	}
	return list
}

// TestScanHeldOut measures Scan on programs and data that were not used to make it, by set, size and alignment.
// docs/listings.md has the numbers.
func TestScanHeldOut(t *testing.T) {
	if os.Getenv("HEDDLE_HELD_OUT") == "" {
		t.Skip("not measured: it takes minutes and has no limits to keep; HEDDLE_HELD_OUT=1 does it")
	}
	r := rand.New(rand.NewPCG(2026, 11))
	programs, junk := heldOut(t), otherJunk(t)
	sizes := []int{32, 64, 128, 512, 1 << 13}
	for _, aligned := range []bool{true, false} {
		for i, least := range sizes[:len(sizes)-1] {
			bySet := map[string][]sample{}
			for _, s := range programs {
				if len(s.code) >= least && len(s.code) < sizes[i+1] {
					bySet[s.set] = append(bySet[s.set], s)
				}
			}
			var codes []sample
			for _, list := range bySet {
				for range min(len(list), 15) {
					codes = append(codes, list[r.IntN(len(list))])
				}
			}
			slices.SortFunc(codes, func(a, b sample) int { return strings.Compare(string(a.code), string(b.code)) })
			r.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
			data, list := blob(r, junk, codes, aligned)
			got, err := Scan(context.Background(), data)
			if err != nil {
				t.Fatal(err)
			}
			scores := map[string]*yield{}
			wrong := compare(t, list, got, scores)
			var text []string
			for set, y := range scores {
				text = append(text, fmt.Sprintf("%s %d/%d", set, y.found, y.total))
			}
			slices.Sort(text)
			t.Logf("aligned %v, from %d bytes: %s; %d of %d regions wrong", aligned, least, strings.Join(text, ", "), wrong, len(got))
		}
	}
	bytes, regions := 0, 0
	for _, data := range junk {
		got, err := Scan(context.Background(), data)
		if err != nil {
			t.Fatal(err)
		}
		bytes, regions = bytes+len(data), regions+len(got)
		for _, g := range got {
			t.Logf("wrong: %d bytes: %v", g.Size, &g.Guess)
		}
	}
	t.Logf("%d regions in %d bytes of data", regions, bytes)
}
