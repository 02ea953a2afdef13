package draw_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

var errWave = errors.New("a wave has failed")

// failing is a rower that fails in the wave of that number; the first is 1.
type failing struct {
	*rower
	fails, ran int
}

func (s *failing) NewRunner(context.Context, int) draw.ShaderRunner { return s }

func (s *failing) Fragments(w *draw.Wave, out *draw.WaveOut) error {
	if s.ran++; s.ran == s.fails {
		return errWave
	}
	return s.rower.Fragments(w, out)
}

// crewed is the same with several waves at once.
type crewed struct {
	failing
	begun []draw.WaveOut
	most  int // maximum number that were begun together
}

func (s *crewed) NewRunner(context.Context, int) draw.ShaderRunner { return s }

func (s *crewed) BatchSize() int { return draw.MaxBatch }

func (s *crewed) Begin(w *draw.Wave) error {
	var out draw.WaveOut
	err := s.rower.Fragments(w, &out)
	s.begun = append(s.begun, out)
	s.most = max(s.most, len(s.begun))
	return err
}

func (s *crewed) Finish(out []draw.WaveOut) (n int, err error) {
	begun := s.begun
	s.begun = nil
	if len(out) != len(begun) {
		return 0, errors.New("as many as have begun")
	}
	for i := range begun {
		if s.ran++; s.ran == s.fails {
			return i, errWave
		}
		out[i] = begun[i]
	}
	return len(begun), nil
}

// TestTogether: waves that begin before any of them runs draw the same as one by one. If one of them fails, the
// results of the earlier ones are drawn.
func TestTogether(t *testing.T) {
	together, failed := 0, 0
	for seed := range uint64(400) {
		var pictures [2]*draw.Canvas
		var ran [2]int
		var errs [2]error
		for i := range pictures {
			rnd := rand.New(rand.NewPCG(seed, 5))
			c := canvas(t, 40+rnd.IntN(80), 40+rnd.IntN(80))
			own := failing{rower: &rower{fake: fake{lanes: 4 << rnd.IntN(5)}}}
			d := own.draw(t, rnd, c)
			d.Workers = 1
			if rnd.IntN(3) > 0 {
				own.fails = 1 + rnd.IntN(60)
			}
			one, all := &own, &crewed{failing: own}
			if d.Shader = one; i == 1 {
				d.Shader = all
				one = &all.failing
			}
			_, errs[i] = d.Run(context.Background(), c)
			pictures[i], ran[i] = c, one.ran
			if i == 1 && all.most > 1 {
				together++
			}
		}
		if !errors.Is(errs[1], errs[0]) || ran[0] != ran[1] {
			t.Fatalf("seed %d: %v after %d waves, together %v after %d", seed, errs[0], ran[0], errs[1], ran[1])
		}
		if errs[0] != nil {
			failed++
		}
		if !bytes.Equal(pictures[0].Color, pictures[1].Color) {
			t.Fatalf("seed %d: together they leave other colours", seed)
		}
		if errs[0] == nil && !slices.Equal(pictures[0].Depth, pictures[1].Depth) {
			t.Fatalf("seed %d: together they leave other depths", seed)
		}
	}
	if together < 50 || failed < 100 {
		t.Errorf("only %d draws had waves together, %d failed", together, failed)
	}
}
