package guess

import (
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// A sample is code with a known target.
type sample struct {
	set, variant string
	code         []byte
}

// samples returns single instructions, the programs of state cases, and the code of kernels.
func samples(t *testing.T, dir string) (list []sample) {
	t.Helper()
	each(t, filepath.Join(dir, "pairs", "*.tsv.gz"), func(name string, r io.Reader) {
		for c, err := range casefile.Pairs(r, name) {
			if err != nil {
				t.Fatal(err)
			}
			if set, variant, _ := strings.Cut(c.ISA, ":"); c.Has('D') && !c.Has('X') {
				list = append(list, sample{set, variant, c.Code()})
			}
		}
	})
	each(t, filepath.Join(dir, "state", "*.jsonl.gz"), func(name string, r io.Reader) {
		for c, err := range casefile.States(r, name) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, sample{c.ISA, c.Variant, c.Code})
		}
	})
	each(t, filepath.Join(dir, "kernels", "gcn", "*", "*.hsaco"), func(_ string, r io.Reader) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		o, err := object.ReadHSA(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range o.Segments {
			if code, ok := o.Bytes(s.Addr, s.Size); ok && s.Exec {
				list = append(list, sample{"gcn", o.Variant(), code})
			}
		}
	})
	return list
}

// each calls f for the files that match a pattern.
func each(t *testing.T, pattern string, f func(name string, r io.Reader)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < 10 {
		t.Fatal(pattern, files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = file
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(file); err != nil {
				t.Fatal(err)
			}
		}
		f(name, r)
		file.Close()
	}
}

// A length is a range of code sizes, in bytes.
type length int

const (
	single length = iota // to 8
	short                // to 31
	medium               // to 127
	long
)

func (n length) String() string {
	return [...]string{"to 8 bytes", "9 to 31 bytes", "32 to 127 bytes", "128 bytes up"}[n]
}

func lengthOf(code []byte) length {
	switch n := len(code); {
	case n <= 8:
		return single
	case n < 32:
		return short
	case n < 128:
		return medium
	}
	return long
}

// A tally counts guesses by outcome.
type tally struct{ total, right, variant, sure, wrong int }

// perKind limits the samples per set and length.
const perKind = 25

// TestAccuracy: guesses for code of the cases are right, and those with a high probability are never wrong.
func TestAccuracy(t *testing.T) {
	type kind struct {
		set string
		length
	}
	dir, full := cases.Find()
	if !full {
		dir = filepath.Join("..", "..", "cases")
	}
	list := samples(t, dir)
	r := rand.New(rand.NewPCG(7, 7))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	tallies, seen := map[kind]*tally{}, map[string]bool{}
	for _, s := range list {
		k := kind{s.set, lengthOf(s.code)}
		if tallies[k] == nil {
			tallies[k] = &tally{}
		}
		y := tallies[k]
		if seen[s.set+string(s.code)] || len(s.code) == 0 || y.total == perKind {
			continue
		}
		seen[s.set+string(s.code)] = true
		y.take(t, s)
	}
	var kinds []kind
	for k := range tallies {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.set+a.String(), b.set+b.String()) })
	for _, k := range kinds {
		y := tallies[k]
		t.Logf("%s, %v: %d of %d right, %d with the variant; %d are 90 %% sure", k.set, k.length, y.right, y.total, y.variant, y.sure)
		least := map[length]int{single: 80, short: 80, medium: 97, long: 98}[k.length]
		if y.right*100 < y.total*least {
			t.Errorf("%s, %v: %d of %d are right, want %d %%", k.set, k.length, y.right, y.total, least)
		}
		if y.wrong > 0 {
			t.Errorf("%s, %v: %d are sure, and wrong", k.set, k.length, y.wrong)
		}
		if k.length == single && y.sure > 0 {
			t.Errorf("%s, %v: %d are sure: so few bytes cannot tell", k.set, k.length, y.sure)
		}
	}
	if len(kinds) < 15 {
		t.Errorf("%d kinds of samples", len(kinds))
	}
}

// take adds the guess for a sample.
func (y *tally) take(t *testing.T, s sample) {
	y.total++
	g := Of(s.code, "")
	if len(g) == 0 {
		return
	}
	right := g[0].Target.Name == s.set
	if right {
		y.right++
		if g[0].Target.Variants[g[0].Target.Variant].Name == s.variant {
			y.variant++
		}
	}
	if g[0].Sure >= 0.9 {
		y.sure++
		if !right {
			y.wrong++
			t.Logf("%s %x: %v", s.set, s.code, &g[0])
		}
	}
}

// TestRandom: random bytes, most of which decode in a dense set, are not identified as code with certainty; neither is
// text.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		code := make([]byte, 8<<(i%8))
		for i := range code {
			code[i] = byte(r.Uint32())
			if i%2 == 1 {
				code[i] = " eianorst"[r.IntN(9)]
			}
		}
		if g := Of(code, ""); g[0].Sure > 0.75 {
			t.Errorf("%d bytes: %v", len(code), &g[0])
		}
	}
	text, err := os.ReadFile("guess.go")
	if err != nil {
		t.Fatal(err)
	}
	if g := Of(text, ""); g[0].Sure > 0.5 {
		t.Errorf("source text: %v", &g[0])
	}
}

// TestNothing: zeros are padding; they give no guess, and do not change the guess for the rest.
func TestNothing(t *testing.T) {
	if g := Of(make([]byte, 64), ""); g != nil {
		t.Errorf("zeros: %v", &g[0])
	}
	if g := Of(nil, ""); g != nil {
		t.Errorf("nothing: %v", &g[0])
	}
	end := []byte{0x81, 0, 0, 0xbf}[:0]
	end = append(end, 0x05, 0x02, 0x04, 0x02, 0x02, 0x05, 0x04, 0x7e, 0, 0, 0x81, 0xbf)
	a, b := Of(end, ""), Of(append(end, make([]byte, 4096)...), "")
	if a[0].Target.Name != "gcn" || b[0].Target.Name != "gcn" || b[0].Bytes != len(end) {
		t.Errorf("%v, with zeros %v", &a[0], &b[0])
	}
}

// FuzzOf: any bytes can be scored, and probabilities are in range.
func FuzzOf(f *testing.F) {
	f.Add([]byte{0, 0, 0x81, 0xbf})
	f.Add([]byte("any text at all, of some length"))
	f.Fuzz(func(t *testing.T, code []byte) {
		sum := 0.0
		for _, g := range Of(code, "") {
			if g.Sure < 0 || g.Sure > 1 || g.Decoded > g.Bytes || g.Bytes > len(code) {
				t.Fatalf("%+v", g)
			}
			sum += g.Sure
		}
		if sum > 1.000001 {
			t.Fatal(sum)
		}
	})
}
