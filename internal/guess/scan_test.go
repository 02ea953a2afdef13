package guess

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A hidden is code at an offset of a file.
type hidden struct {
	sample
	off int
}

// blob returns a file of junk with code at random offsets, multiples of 16 if aligned.
func blob(r *rand.Rand, junk [][]byte, codes []sample, aligned bool) (data []byte, list []hidden) {
	for _, s := range codes {
		from := junk[r.IntN(len(junk))]
		n := 16 * (1 + r.IntN(min(len(from)/16, 256)-1))
		at := r.IntN(len(from) - n + 1)
		data = append(data, from[at:at+n]...)
		if aligned {
			data = append(data, make([]byte, -len(data)&15)...)
		} else {
			data = append(data, from[:r.IntN(16)]...)
		}
		list = append(list, hidden{s, len(data)})
		data = append(data, s.code...)
	}
	return append(data, junk[0][:64]...), list
}

// junkFiles returns data that is no code: random bytes, zeros, text, pictures, tables of numbers, an ELF file's
// symbols.
func junkFiles(t *testing.T, r *rand.Rand) (list [][]byte) {
	t.Helper()
	random, zeros, words := make([]byte, 1<<16), make([]byte, 1<<13), make([]byte, 1<<14)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for i := 0; i < len(words); i += 4 {
		words[i], words[i+1] = byte(i/4), byte(i>>10)
	}
	list = append(list, random, zeros, words)
	for _, name := range []string{"docs/cube.png", "docs/julia.png", "README.md", "docs/kernels.md", "docs/spec.schema.json", "examples/matmul/A.in.bin", "examples/scan/in.in.bin", "examples/saxpy/x.in.bin", "examples/over/lower.in.bin"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, data)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		list = append(list, self[:1<<16], self[len(self)/2:][:1<<16])
	}
	return list
}

// A yield counts hidden code by how well it was found.
type yield struct{ total, found, exact, variant int }

// TestScan: code of all sets in junk is found at its place, and junk is not reported. docs/listings.md states the
// rates.
func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 7))
	bySet := map[string][]sample{}
	for _, s := range samples(t, filepath.Join("..", "..", "cases")) {
		if len(s.code) >= 128 && len(s.code) < 8192 {
			bySet[s.set] = append(bySet[s.set], s)
		}
	}
	if len(bySet) != 5 {
		t.Fatalf("samples of %d sets", len(bySet))
	}
	junk := junkFiles(t, r)
	scores := map[string]*yield{}
	regions, wrong := 0, 0
	for i := range 3 {
		var codes []sample
		for _, set := range slices.Sorted(maps.Keys(bySet)) {
			for range 4 {
				codes = append(codes, bySet[set][r.IntN(len(bySet[set]))])
			}
		}
		r.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
		data, list := blob(r, junk, codes, i == 0)
		got, err := Scan(context.Background(), data)
		if err != nil {
			t.Fatal(err)
		}
		regions += len(got)
		wrong += compare(t, list, got, scores)
	}
	var sum yield
	for set, y := range scores {
		t.Logf("%s: %d of %d found, %d begin within 16 bytes, %d with the variant", set, y.found, y.total, y.exact, y.variant)
		sum.total, sum.found = sum.total+y.total, sum.found+y.found
	}
	t.Logf("recall %d of %d, precision %d of %d", sum.found, sum.total, regions-wrong, regions)
	if sum.found*100 < sum.total*88 || wrong*100 > regions*5 {
		t.Errorf("recall %d of %d, want 88 %%; %d of %d regions are wrong, want at most 5 %%", sum.found, sum.total, wrong, regions)
	}
}

// compare counts hidden code by set: it is found if at least half of it is in a region of its set. It returns the
// number of regions without hidden code.
func compare(t *testing.T, list []hidden, got []Region, scores map[string]*yield) (wrong int) {
	right := map[int]bool{}
	for _, h := range list {
		y := scores[h.set]
		if y == nil {
			y = &yield{}
			scores[h.set] = y
		}
		y.total++
		hit := false
		for i, g := range got {
			over := min(g.End(), h.off+len(h.code)) - max(g.Offset, h.off)
			if over <= 0 || g.Target.Name != h.set {
				continue
			}
			if right[i] = true; hit || 2*over < len(h.code) {
				continue
			}
			hit = true
			y.found++
			if max(g.Offset-h.off, h.off-g.Offset) <= 16 {
				y.exact++
			}
			if g.Target.Variants[g.Target.Variant].Name == h.variant {
				y.variant++
			}
		}
		if !hit {
			t.Logf("missed: %s:%s at %#x, %d bytes: %.40x", h.set, h.variant, h.off, len(h.code), h.code)
		}
	}
	for i, g := range got {
		if !right[i] {
			wrong++
			t.Logf("wrong: %#x %d %v", g.Offset, g.Size, &g.Guess)
		}
	}
	return wrong
}

// TestScanJunk: nothing is found in files without code.
func TestScanJunk(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for i, data := range junkFiles(t, r) {
		got, err := Scan(context.Background(), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range got {
			t.Errorf("junk %d: %#x, %d bytes: %v", i, g.Offset, g.Size, &g.Guess)
		}
	}
}

// FuzzScan: any bytes can be scanned; regions lie in them, sorted, with a probability of at least Least.
func FuzzScan(f *testing.F) {
	f.Add([]byte("text, and no code of any set at all"))
	f.Add(bytes.Repeat([]byte{0x01, 0x05, 0x02, 0x04, 0x02, 0x02, 0x05, 0x04}, 8))
	f.Add(append(make([]byte, 32), 0, 0, 0x81, 0xbf))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Scan(context.Background(), data)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, g := range list {
			if g.Offset < end || g.Size < shortest || g.End() > len(data) || g.Sure < Least {
				t.Fatalf("%#x, %d bytes, after %#x of %d: %v", g.Offset, g.Size, end, len(data), &g.Guess)
			}
			end = g.End()
		}
	})
}
