package spec_test

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/spec/decoder"
	"github.com/heddle-gpu/heddle/isa"
)

// compared is the number of words of each set that both the document and package isa decode.
const compared = 1_000_000

// printed says that one in so many words is printed, if it is an instruction.
const printed = 12

// told returns the percentage of decoded instructions for which the document must give the whole text. The others need
// texts that no list has, such as floats in decimal digits and addresses of several fields.
func told(name string) int {
	return map[string]int{"gcn": 93, "valhall": 94, "tesla": 31, "rogue": 99, "attila": 0}[name]
}

// TestDecoder: a decoder made from the document alone gives the same verdict on words as package isa, and for
// instructions the same row, length, operands and, where the document has it, text: in all variants and stages.
func TestDecoder(t *testing.T) {
	for _, e := range sets.Entries() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			c := newComparison(t, e.Set())
			n := compared
			if c.set.Group != nil {
				n = compared / 2
				c.bundles(compared - n)
			}
			targets := c.targets()
			for _, tg := range targets {
				c.words(tg, n/len(targets))
			}
			c.words(targets[0], n%len(targets))
			share := 100 * c.known / max(1, c.printed)
			t.Logf("%d words and %d bundles, %d are instructions, %d%% of their texts told", c.n, c.bundled, c.decoded, share)
			if c.n+c.bundled < compared || c.decoded < compared/4 || share < told(e.Name) {
				t.Errorf("%d words, %d decoded, %d%% of texts told, at least %d%% wanted", c.n+c.bundled, c.decoded, share, told(e.Name))
			}
		})
	}
}

// A comparison compares the decoders of one set.
type comparison struct {
	t                *testing.T
	set              *isa.Set
	dec              *decoder.Set
	rand             *rand.Rand
	n, bundled       int
	decoded, printed int
	known, failed    int
	a, b             []uint64
	x, y             []byte
}

func newComparison(t *testing.T, s *isa.Set) *comparison {
	_, text := whole(t, s)
	dec, err := decoder.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return &comparison{t: t, set: s, dec: dec, rand: rand.New(rand.NewPCG(7, 14))}
}

func (c *comparison) targets() (list []*isa.Target) {
	for v := range c.set.Variants {
		for st := range max(1, len(c.set.Stages)) {
			list = append(list, c.set.At(v, st))
		}
	}
	return list
}

// words compares n words: those of cases, random ones, ones with the fixed bits of a row, and ones that differ from the
// last instruction in a bit or two.
func (c *comparison) words(t *isa.Target, n int) {
	var rows []*isa.Def
	for i := range c.set.Defs {
		if d := &c.set.Defs[i]; d.InVariant(t.Variant) && d.InStage(t.Stage) && !d.Alias && !d.Private {
			rows = append(rows, d)
		}
	}
	cases := c.cases()
	var code [16]byte
	last, class := bits.Word{}, 0
	for i := range n {
		w := bits.Word{Lo: c.rand.Uint64(), Hi: c.rand.Uint64()}
		d := rows[i/8%len(rows)] // all kinds of words of a row, however many rows there are
		switch {
		case i < len(cases):
			w, class = bits.Load(cases[i]), c.rand.IntN(max(1, len(c.set.Classes)))
		case i%8 == 0:
			class = c.rand.IntN(max(1, len(c.set.Classes)))
		case i%8 < 5:
			w, class = w.AndNot(d.Mask()).Or(d.Value()), int(d.Class)
			if i%8 > 1 {
				w = w.And(d.Claimed())
			}
			if i%8 == 4 { // fewer bits
				w = w.And(bits.Word{Lo: c.rand.Uint64(), Hi: c.rand.Uint64()}.Or(d.Mask()))
			}
		default:
			w = last.Xor(bits.Word{Lo: 1}.Shl(c.rand.IntN(128)))
			if i%2 == 0 {
				w = w.Xor(bits.Word{Lo: 1}.Shl(c.rand.IntN(64)))
			}
		}
		size := 16
		if c.rand.IntN(32) == 0 {
			size = c.rand.IntN(16)
		}
		w.Append(code[:0], 16)
		if c.word(t, class, code[:size], c.rand.IntN(printed) == 0) {
			last = w
		}
		if c.failed > 10 {
			c.t.FailNow()
		}
	}
}

func (c *comparison) fail(t *isa.Target, code []byte, format string, args ...any) {
	c.failed++
	c.t.Errorf("%s: %x: %s", t, code, fmt.Sprintf(format, args...))
}

// word compares a word; it reports whether the word is an instruction.
func (c *comparison) word(t *isa.Target, class int, code []byte, print bool) bool {
	c.n++
	var a isa.Inst
	var b decoder.Inst
	want := ""
	if err := t.DecodePart(class, code, 0, &a); err != nil {
		want = isa.AsError(err).Code
	}
	if got := c.dec.Decode(t.Variant, t.Stage, class, code, &b); got != want {
		c.fail(t, code, "class %d: verdict %q, want %q", class, got, want)
		return false
	}
	if want != "" {
		return false
	}
	c.decoded++
	c.inst(t, code, &a, &b, print)
	return true
}

// inst compares instructions.
func (c *comparison) inst(t *isa.Target, code []byte, a *isa.Inst, b *decoder.Inst, print bool) {
	if a.Def.ID != b.Row || int(a.Size) != b.Size || a.Word != (bits.Word{Lo: b.Word[0], Hi: b.Word[1]}) {
		c.fail(t, code, "row %d of %d bytes, want %d (%s) of %d", b.Row, b.Size, a.Def.ID, a.Def.Name, a.Size)
		return
	}
	c.a = c.a[:0]
	for i := range a.Def.Args {
		arg := &a.Def.Args[i]
		c.a = append(c.a, arg.Get(a.Word))
		for k := range arg.Parts {
			c.a = append(c.a, arg.Part(a.Word, k))
		}
	}
	if c.b = b.Fields(c.b[:0]); !slices.Equal(c.a, c.b) {
		c.fail(t, code, "%s: operands %d, want %d", a.Def.Name, c.b, c.a)
	}
	if !print {
		return
	}
	c.printed++
	known := false
	if c.y, known = b.Text(c.y[:0]); !known {
		return
	}
	c.known++
	if c.x = t.Printer().Append(c.x[:0], a); string(c.x) != string(c.y) {
		c.fail(t, code, "text %q, want %q", c.y, c.x)
	}
}

// bundles compares n bundles: those of cases, ones made of rows, and ones that differ from these in a bit or are
// truncated.
func (c *comparison) bundles(n int) {
	t := c.set.At(0, 0)
	codes := c.cases()
	for i := range c.set.Defs {
		d := &c.set.Defs[i]
		for k := range 8 {
			in := isa.Inst{Def: d, Word: bits.Word{Lo: c.rand.Uint64(), Hi: c.rand.Uint64()}.AndNot(d.Mask()).And(d.Claimed()).Or(d.Value())}
			if k == 0 {
				in.Word = d.Value()
			}
			in.Size = uint8(d.EncodedSize(in.Word))
			var b isa.Bundle
			legal := !d.Alias && !d.Private && t.DecodePart(int(d.Class), in.Word.Append(nil, 16), 0, &in) == nil && in.Def == d
			if legal && c.set.Group.Sample(t, &in, &b) {
				if code, err := b.Encode(nil); err == nil {
					codes = append(codes, code)
				}
			}
		}
	}
	for i := range n {
		code := append(slices.Clone(codes[c.rand.IntN(len(codes))]), codes[i%len(codes)]...)
		if i >= len(codes) {
			for range 1 + i%3 {
				at := c.rand.IntN(8 * min(len(code), 12))
				code[at/8] ^= 1 << (at & 7)
			}
		}
		if i%16 == 15 {
			code = code[:c.rand.IntN(len(code))]
		}
		if c.bundle(t, code); c.failed > 10 {
			c.t.FailNow()
		}
	}
}

func (c *comparison) bundle(t *isa.Target, code []byte) {
	c.bundled++
	var a isa.Bundle
	want := ""
	if err := t.DecodeBundle(code, 0, &a); err != nil {
		want = isa.AsError(err).Code
	}
	parts, pad, got := c.dec.Bundle(t.Variant, code)
	if got != want {
		c.fail(t, code, "bundle: verdict %q, want %q", got, want)
		return
	}
	if want != "" {
		return
	}
	c.decoded++
	if len(parts) != len(a.Parts) || pad != int(a.Pad) {
		c.fail(t, code, "%d parts and %d bytes of padding, want %d and %d", len(parts), pad, len(a.Parts), a.Pad)
		return
	}
	for i := range parts {
		if a.Parts[i].Size == 0 { // a view
			parts[i].Word = decoder.Word{a.Parts[i].Word.Lo, a.Parts[i].Word.Hi}
		}
		c.inst(t, code, &a.Parts[i], &parts[i], false)
	}
}

// cases returns the words in cases/pairs of the set.
func (c *comparison) cases() (list [][]byte) {
	files, err := filepath.Glob(filepath.Join("..", "..", "cases", "pairs", c.set.Name+"-*.tsv.gz"))
	if err != nil || len(files) == 0 {
		c.t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			c.t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			c.t.Fatal(err)
		}
		for in := bufio.NewScanner(z); in.Scan(); {
			if cells := strings.Split(in.Text(), "\t"); len(cells) > 2 {
				if code, err := hex.DecodeString(cells[2]); err == nil && len(code) > 0 {
					list = append(list, code)
				}
			}
		}
	}
	return list
}
