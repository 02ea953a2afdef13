package pass

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

// TestMasks: what is claimed of masks holds for all values of their parts. Lane k of eight has bit i of k as its
// part i, so every combination of three parts occurs.
func TestMasks(t *testing.T) {
	m := irgen.Machine()
	var said [3]int
	for seed := range uint64(300) {
		d, masks, words := randomMasks(rand.New(rand.NewPCG(seed, 40)), m)
		for a, x := range masks {
			for b, y := range masks {
				if d.sub(a, b) {
					if said[0]++; x&^y != 0 {
						t.Fatalf("seed %d: %%%d is part of %%%d\n%s", seed, a, b, ir.Print(m, d.b))
					}
				}
				if d.disjoint(a, b) {
					if said[1]++; x&y != 0 {
						t.Fatalf("seed %d: %%%d excludes %%%d\n%s", seed, a, b, ir.Print(m, d.b))
					}
				}
			}
		}
		for w, x := range words {
			if d.within(w, deep) {
				if said[2]++; x>>8 != 0 {
					t.Fatalf("seed %d: %%%d is within the wave\n%s", seed, w, ir.Print(m, d.b))
				}
			}
		}
	}
	if said[0] < 10000 || said[1] < 2000 || said[2] < 1000 {
		t.Errorf("said only %v", said)
	}
}

// randomMasks makes a block of operations on three masks and two words, with the result of each in eight lanes.
func randomMasks(r *rand.Rand, m *ir.Machine) (d defs, masks, words map[ir.Val]uint64) {
	const wave = 0xff
	b := ir.NewBuilder(m, ir.Key{})
	b.Mark(0, 4, 0)
	masks, words = map[ir.Val]uint64{}, map[ir.Val]uint64{}
	var ms, ws []ir.V
	mask := func(v ir.V, x uint64) {
		ms = append(ms, v)
		masks[v.ID()] = x & wave
	}
	word := func(v ir.V, x uint64) {
		ws = append(ws, v)
		words[v.ID()] = x
	}
	for i, x := range []uint64{0xaa, 0xcc, 0xf0} {
		mask(b.Get(ir.Cell{File: 2, Index: uint16(i)}, ir.I1), x)
	}
	mask(b.I1(true), wave)
	mask(b.I1(false), 0)
	word(b.Get(ir.Cell{File: 1}, ir.I32).Pack(b.Get(ir.Cell{File: 1, Index: 1}, ir.I32), ir.I64), r.Uint64())
	word(b.I64(0), 0)
	word(b.I64(^uint64(0)), ^uint64(0))
	for range 20 {
		x, y := ms[r.IntN(len(ms))], ms[r.IntN(len(ms))]
		v, w := ws[r.IntN(len(ws))], ws[r.IntN(len(ws))]
		mx, my, wv, ww := masks[x.ID()], masks[y.ID()], words[v.ID()], words[w.ID()]
		switch r.IntN(9) {
		case 0, 1:
			mask(x.And(y), mx&my)
		case 2:
			mask(x.Or(y), mx|my)
		case 3:
			mask(x.Not(), ^mx)
		case 4:
			mask(v.Lanes(), wv)
		case 5:
			word(x.Ballot(y), mx&my)
		case 6:
			word(v.And(w), wv&ww)
		case 7:
			word(v.Or(w), wv|ww)
		case 8:
			word(v.Xor(w), wv^ww)
		}
	}
	b.End()
	return defsOf(m, b.Finish()), masks, words
}
