package draw_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// rower is a shader that outputs rows, or the same lane by lane.
type rower struct {
	fake
	each  bool
	check func(w *draw.Wave)
}

func (s *rower) Fragments(w *draw.Wave, out *draw.WaveOut) error {
	s.waves.Add(1)
	if s.check != nil {
		s.check(w)
	}
	*out = draw.WaveOut{Depth: make([]uint32, 64)}
	for k := range out.Color {
		out.Color[k] = make([]uint32, 64)
		w.Component(out.Color[k], 1, k)
	}
	for lane := range w.Lanes {
		x, y := w.Pixel(lane)
		h := uint32(x*7+y*13+int(w.Area(lane))) * 2654435761
		out.Killed |= uint64(h>>31) << lane
		out.HasDepth |= uint64(h>>29&1) << lane
		out.Depth[lane] = math.Float32bits(float32(h>>8)/(1<<24)*1.2 - 0.1)
	}
	if !s.each {
		return nil
	}
	rows := *out
	return w.Each(out, func(in []draw.Fragment, shots []draw.FragmentOut) error {
		for lane := range in {
			shots[lane] = draw.FragmentOut{Color: in[lane].In(1), Killed: rows.Killed>>lane&1 != 0, HasDepth: rows.HasDepth>>lane&1 != 0,
				Depth: math.Float32frombits(rows.Depth[lane])}
		}
		return nil
	})
}

func (s *rower) draw(t *testing.T, rnd *rand.Rand, c *draw.Canvas) *draw.Call {
	t.Helper()
	n := 3 * (1 + rnd.IntN(20))
	inputs := make([][]vec, 3)
	for range n {
		for i := range inputs {
			inputs[i] = append(inputs[i], vec{rnd.Float32()*3 - 1.5, rnd.Float32()*3 - 1.5, rnd.Float32()*2 - 1, 0.5 + rnd.Float32()})
		}
	}
	d := drawOf(c, s, inputs...)
	d.Workers, d.Flat, d.Truncate = 1+rnd.IntN(2), uint32(rnd.IntN(8)), rnd.IntN(2) == 0
	d.ByTriangle = rnd.IntN(2) == 0
	d.Depth = draw.DepthTest{Func: draw.Compare(rnd.IntN(8)), Write: rnd.IntN(2) == 0}
	d.EarlyDepth = rnd.IntN(4) == 0
	d.LateDepth = !d.EarlyDepth
	if rnd.IntN(4) == 0 {
		d.Used = uint32(1 + rnd.IntN(7))
	}
	return d
}

// TestRowsAsLanes: output as rows draws the same picture and depths as output lane by lane.
func TestRowsAsLanes(t *testing.T) {
	drawn := 0
	for seed := range uint64(300) {
		var want *draw.Canvas
		for _, each := range []bool{true, false} {
			rnd := rand.New(rand.NewPCG(seed, 1))
			c := canvas(t, 33+rnd.IntN(40), 33+rnd.IntN(40))
			s := &rower{fake: fake{lanes: 4 << rnd.IntN(5)}, each: each}
			d := s.draw(t, rnd, c)
			d.Shader = shaderOf{s}
			run(t, d, c)
			if each {
				want = c
				for _, x := range c.Color {
					drawn += int(min(x, 1))
				}
				continue
			}
			if !bytes.Equal(c.Color, want.Color) {
				t.Fatalf("seed %d: %+v: rows leave other colours", seed, d)
			}
			for i, z := range c.Depth {
				if z != want.Depth[i] {
					t.Fatalf("seed %d: %+v: pixel %d has depth %g, lane by lane %g", seed, d, i, z, want.Depth[i])
				}
			}
		}
	}
	if drawn < 10_000 {
		t.Errorf("only %d channels drawn", drawn)
	}
}

// shaderOf runs its own fragments.
type shaderOf struct{ *rower }

func (s shaderOf) NewRunner(context.Context, int) draw.ShaderRunner { return s.rower }

// TestWave: rows of a wave equal the values of its fragments; beyond the fragments components are 0.
func TestWave(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	lanes, mixed := 0, 0
	for range 60 {
		c := canvas(t, 70, 50)
		s := &rower{fake: fake{lanes: 64}}
		s.check = func(w *draw.Wave) {
			list := make([]draw.Fragment, w.Lanes)
			for lane := range list {
				list[lane] = w.Fragment(lane)
			}
			var row [64]uint32
			for n := range 3 {
				all := [4][64]uint32{{63: 77}, {63: 77}, {63: 77}, {63: 77}}
				w.Vector(&all, n)
				for k := range 4 {
					row[63] = 77
					w.Component(row[:], n, k)
					for lane := range list {
						if got, want := row[lane], math.Float32bits(list[lane].In(n)[k]); got != want {
							t.Errorf("varying %d.%d of lane %d is %#x, want %#x", n, k, lane, got, want)
							return
						}
					}
					if all[k] != row {
						t.Errorf("component %d of varying %d is %x alone, with the others %x", k, n, row, all[k])
						return
					}
					if w.Lanes < 64 && row[63] != 0 {
						t.Errorf("lane 63 of %d has %#x", w.Lanes, row[63])
						return
					}
				}
			}
			for lane := range list {
				f := &list[lane]
				x, y := w.Pixel(lane)
				if x != f.X || y != f.Y || w.Front(lane) != f.Front || w.Area(lane) != f.Area || w.InvW()[lane] != f.InvW || w.Depth()[lane] != f.Depth ||
					f.Covered != (w.Covered>>lane&1 != 0) || f.X&1 != lane&1 || f.Y&1 != lane>>1&1 {
					t.Errorf("lane %d: %+v", lane, f)
					return
				}
				if lanes++; f.Area != list[0].Area {
					mixed++
				}
			}
		}
		d := s.draw(t, rnd, c)
		d.Workers, d.Shader = 1, shaderOf{s}
		run(t, d, c)
	}
	if lanes < 10_000 || mixed < 1000 {
		t.Errorf("%d lanes, %d of them beside those of other triangles", lanes, mixed)
	}
}
