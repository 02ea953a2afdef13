package asm_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/internal/toyvec"
	"github.com/heddle-gpu/heddle/isa"
)

// A listing is the same if each text is assembled to see whether it gives its bytes: for words of all rows in any order
// and number, bytes that are no instruction, and truncated code.
func TestListIsExact(t *testing.T) {
	tg := toyvec.Set().At(0, 0)
	var words [][]byte
	for i := range tg.Defs {
		for _, w := range laws.Words(tg, &tg.Defs[i], laws.Options{Words: 8}) {
			words = append(words, w.Code())
		}
	}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 31))
		var code []byte
		for range 200 {
			w := words[r.IntN(len(words))]
			if r.IntN(10) == 0 {
				w = []byte{byte(r.Uint32()), byte(r.Uint32()), 0, 0, 0, 0, byte(r.Uint32()), byte(r.Uint32())}
			}
			for range 1 + r.IntN(3) {
				code = append(code, w...)
			}
		}
		code = code[:len(code)-r.IntN(9)]
		opt := asm.ListOptions{Exact: seed&1 != 0, Comments: seed&2 != 0}
		var got, want bytes.Buffer
		if err := asm.List(&got, tg, code, seed<<46, opt); err != nil {
			t.Fatal(err)
		}
		if err := asm.ListPlainly(&want, tg, code, seed<<46, opt); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got.Bytes(), want.Bytes())
		}
	}
}

// A listing of random words of every row of the five sets is the same if each text is assembled.
func TestListIsExactInSets(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 43))
	for _, s := range sets.Sets() {
		if s.Group != nil {
			continue
		}
		for v := range s.Variants {
			for st := range max(1, len(s.Stages)) {
				tg := s.At(v, st)
				var code []byte
				for i := range s.Defs {
					d := &s.Defs[i]
					if !d.InVariant(v) || !d.InStage(st) {
						continue
					}
					for range 12 {
						w := bits.Word{Lo: r.Uint64(), Hi: r.Uint64()}
						if r.IntN(2) == 0 { // few fields are set
							w = w.And(bits.Word{Lo: r.Uint64() & r.Uint64(), Hi: r.Uint64() & r.Uint64()})
						}
						w = w.AndNot(d.Mask()).Or(d.Value())
						code = w.Append(code, d.EncodedSize(w))
					}
				}
				var got, want bytes.Buffer
				if err := errors.Join(asm.List(&got, tg, code, 0, asm.ListOptions{Exact: true}),
					asm.ListPlainly(&want, tg, code, 0, asm.ListOptions{Exact: true})); err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(want.String(), "\n")
				for i, line := range strings.Split(got.String(), "\n") {
					if i >= len(lines) || line != lines[i] {
						t.Fatalf("%v: line %d is\n%s\nwant\n%s", tg, i+1, line, lines[min(i, len(lines)-1)])
					}
				}
			}
		}
	}
}

// Texts returns the texts, sizes and errors of decoding and printing, at any address.
func TestTexts(t *testing.T) {
	for _, tg := range []*isa.Target{toyvec.Set().At(0, 0), toy.Set().At(0, 0)} {
		var words [][]byte
		for i := range tg.Defs {
			if d := &tg.Defs[i]; !d.Private && !d.Alias {
				for _, w := range laws.Words(tg, d, laws.Options{Words: 8}) {
					words = append(words, w.Code())
				}
			}
		}
		x, r := asm.NewTexts(tg), rand.New(rand.NewPCG(5, 31))
		var b isa.Bundle
		right := 0
		for range 20000 {
			code := append(bytes.Clone(words[r.IntN(len(words))]), words[r.IntN(len(words))]...)
			if code = code[:max(1, len(code)-r.IntN(3))]; r.IntN(20) == 0 {
				code[r.IntN(len(code))] ^= 1 << r.IntN(8)
			}
			addr := uint64(r.IntN(64)) * 8
			text, size, err := x.Append([]byte("> "), code, addr)
			want := []byte("> ")
			bad := tg.DecodeBundle(code, addr, &b)
			if bad != nil {
				if err == nil || err.Error() != bad.Error() || string(text) != "> " {
					t.Fatalf("%x at %#x: %q, %v; want %v", code, addr, text, err, bad)
				}
				continue
			}
			right++
			if want = tg.Print(want, &b); err != nil || string(text) != string(want) || size != b.Size() {
				t.Fatalf("%x at %#x: %q, %d bytes, %v; want %q, %d", code, addr, text, size, err, want, b.Size())
			}
		}
		if right < 500 {
			t.Errorf("%s: %d instructions", tg, right)
		}
	}
}

// Bytes have two digits each, the highest first.
func TestAppendUpper(t *testing.T) {
	for want, got := range map[string][]byte{
		"00000000ABCD": asm.AppendUpper(nil, 0xabcd, 6), "x01": asm.AppendUpper([]byte("x"), 0xff01, 1), "89ABCDEF": asm.AppendUpper(nil, 0x0123456789abcdef, 4),
	} {
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A symbol may have the name that another target would get: that target then has no label, and the listing still
// reproduces the bytes.
func TestTargetNames(t *testing.T) {
	tg := toyvec.Set().At(0, 0)
	text := "NOP\nBRANCHZ r1, a\nNOP\na: NOP\n"
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	for _, sym := range []asm.Symbol{{Name: "L_18", Addr: 0}, {Name: "L_18", Addr: 24}, {Name: "L_018", Addr: 8}, {Name: "b", Addr: 24}, {Name: "L_8", Addr: 24}} {
		var list bytes.Buffer
		if err := asm.List(&list, tg, a.Code, 0, asm.ListOptions{Exact: true, Symbols: []asm.Symbol{sym}}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(list.String(), "\n"+sym.Name+":"); n != 1 {
			t.Errorf("%v stands there %d times:\n%s", sym, n, list.String())
		}
		again, errs := asm.Assemble(tg, list.Bytes(), asm.Options{})
		if len(errs) > 0 || !bytes.Equal(again.Code, a.Code) {
			t.Errorf("%v: %v\n%s", sym, errs, list.String())
		}
	}
}

// Listings of one lister after another do not depend on each other: of other sets, other symbols and more code.
func TestListsInTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 47))
	all := sets.Sets()
	for range 300 {
		s := all[r.IntN(len(all))]
		code := make([]byte, r.IntN(64))
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		opt := asm.ListOptions{Exact: r.IntN(2) == 0, Comments: r.IntN(2) == 0, Refs: true}
		if len(code) > 0 && r.IntN(2) == 0 {
			opt.Symbols = []asm.Symbol{{Name: "a", Addr: uint64(r.IntN(len(code)))}}
		}
		if r.IntN(3) == 0 {
			opt.Fold = 2
		}
		var got, want bytes.Buffer
		if err := errors.Join(asm.List(&got, s.At(0, 0), code, 0, opt), asm.ListAfresh(&want, s.At(0, 0), code, 0, opt)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("%s: after others\n%s\nalone\n%s", s.Name, got.String(), want.String())
		}
	}
}

// BenchmarkListOne lists one instruction at a time.
func BenchmarkListOne(b *testing.B) {
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for range b.N {
		if err := asm.List(io.Discard, tg, []byte{0xe1, 0x9b, 0xa5, 0x18}, 0, asm.ListOptions{Exact: true}); err != nil {
			b.Fatal(err)
		}
	}
}
