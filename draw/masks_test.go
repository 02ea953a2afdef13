package draw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestMasks: conversions between rows and masks of lanes, and positions of pixels, are the same with and without
// vectors.
func TestMasks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 15))
	for range 2000 {
		all := [ir.MaxLanes]uint32{}
		row := all[:4*(1+rnd.IntN(ir.MaxLanes/4))]
		lanes := rnd.Uint64() & rnd.Uint64()
		Spread(row, lanes)
		lanes &= ^uint64(0) >> (ir.MaxLanes - len(row))
		for lane, v := range row {
			if v != uint32(lanes>>lane&1) {
				t.Fatalf("lane %d of %x is %d", lane, lanes, v)
			}
			row[lane] |= rnd.Uint32() &^ 1
		}
		if got := Lowest(&all); got != lanes {
			t.Fatalf("lowest bits are %x, want %x", got, lanes)
		}
		w := Wave{waveRows: new(waveRows), Lanes: 4 * rnd.IntN(len(row)/4+1), quads: new([ir.MaxLanes / 4]quad)}
		for i := range w.quads {
			w.quads[i] = quad{2 * rnd.Int32N(MaxSide/2), 2 * rnd.Int32N(MaxSide/2)}
		}
		w.Pixels(row)
		for lane, v := range row {
			want := uint32(0)
			if lane < w.Lanes {
				x, y := w.Pixel(lane)
				want = uint32(x) | uint32(y)<<16
			}
			if v != want {
				t.Fatalf("lane %d of %d is at %x, want %x", lane, w.Lanes, v, want)
			}
		}
		if hasVectors() { // even if wider vectors are available
			eights, want := row[:len(row)&^7], slices.Clone(all[:])
			plainSpread(want[:len(eights)], lanes)
			if len(eights) > 0 {
				spreadRow(eights, lanes)
			}
			if !slices.Equal(all[:], want) || lowestRow(&all) != plainLowest(&all) {
				t.Fatalf("lanes %x spread over %d are %x, of which lowest bits are %x", lanes, len(eights), all, lowestRow(&all))
			}
			if plainPixels(want, w.quads, len(want)); len(eights) > 0 {
				pixelsRow(eights, w.quads)
			}
			if !slices.Equal(eights, want[:len(eights)]) {
				t.Fatalf("pixels are %x, want %x", eights, want)
			}
		}
		if plainSpread(row, lanes); plainLowest(&all) != lanes || slices.Max(append(all[len(row):], 0)) > 0 {
			t.Fatalf("without vectors lowest bits are %x, want %x", plainLowest(&all), lanes)
		}
	}
}
