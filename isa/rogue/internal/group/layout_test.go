package group_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// TestLayout checks that Sort and Layout are the inverse of Split: parts of a group in any order, without addresses,
// sizes of views and the sizes of the header, give the group again.
func TestLayout(t *testing.T) {
	tg, d := target(t)
	r := rand.New(rand.NewPCG(1, 5))
	for _, g := range laws.Groups(t, tg) {
		var b isa.Bundle
		addr := uint64(r.IntN(1<<20)) * 2
		if err := d.Split(tg, g, addr, &b); err != nil {
			t.Fatalf("%x: %v", g, err)
		}
		want := isa.Bundle{Parts: slices.Clone(b.Parts), Pad: b.Pad}
		for i := range b.Parts {
			in := &b.Parts[i]
			in.Addr, in.Size = 0, uint8(in.Def.Enc.Bits/8)
		}
		b.Parts[0].Word.Lo ^= 0xff // length, and bytes before phases 1 and 0
		r.Shuffle(len(b.Parts), func(i, j int) { b.Parts[i], b.Parts[j] = b.Parts[j], b.Parts[i] })
		group.Sort(b.Parts)
		if msg := group.Layout(&b, addr, int(b.Pad)); msg != "" || !slices.Equal(b.Parts, want.Parts) || b.Pad != want.Pad {
			t.Fatalf("%x: %q, %v, want %v", g, msg, b, want)
		}
		code, err := b.Encode(nil)
		if err != nil || !bytes.Equal(code, g) {
			t.Fatalf("%x, %v; want %x", code, err, g)
		}
	}
}

// TestMaps checks that a map encodes what it decodes, that it holds it, and that it is longer than necessary if an
// earlier variant of its class, with as many operands, holds it too.
func TestMaps(t *testing.T) {
	tg, _ := target(t)
	r := rand.New(rand.NewPCG(2, 5))
	maps, longer := map[uint8][]*group.Map{}, 0
	for i := range tg.Defs {
		d := &tg.Defs[i]
		m := d.Data.(group.Mapper).GroupMap()
		if m == nil {
			continue
		}
		for range 2000 {
			list, word := make([]group.Operand, len(m.Fields)), d.Value()
			for j, f := range m.Fields {
				bank, n := r.Uint64()&(1<<f.Bank.Len()-1), r.Uint64()&(1<<f.Number.Len()-1)
				if r.IntN(2) == 0 {
					bank, n = 0, n&31
				}
				list[j] = group.OperandOf(uint8(bank), uint16(n))
				word = f.Number.Put(f.Bank.Put(word, bank), n)
			}
			selector := r.Uint64() & (1<<m.Selector.Len() - 1)
			word = m.Selector.Put(word, selector)
			o := m.Decode(word.Lo)
			for j, x := range list {
				if o.At(j) != x {
					t.Fatalf("%s %x: operand %d is %#x, want %#x", d.Enc.Name, word.Lo, j, o.At(j), x)
				}
			}
			if got := m.Encode(d.Value(), list, selector); got != word || uint64(o.Selector()) != selector || !m.Holds(list, selector) {
				t.Fatalf("%s %x: encoded %x, selector %d", d.Enc.Name, word.Lo, got.Lo, o.Selector())
			}
			want := slices.ContainsFunc(maps[d.Class], func(e *group.Map) bool { return e.Holds(list, selector) })
			if m.Longer(len(list), word.Lo) != want {
				t.Fatalf("%s %x: longer is %v", d.Enc.Name, word.Lo, !want)
			}
			if want {
				longer++
			}
		}
		maps[d.Class] = append(maps[d.Class], m)
	}
	if len(maps) != 4 || longer == 0 {
		t.Errorf("%d classes, %d longer", len(maps), longer)
	}
}
