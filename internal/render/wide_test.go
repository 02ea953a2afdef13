package render

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/ir"
)

// narrow are stages whose waves have the width of the hardware.
type narrow struct {
	draw.Stages
	lanes int
}

func (n narrow) Lanes(vertex, fragment *draw.Stage) (vertices, fragments int) {
	return n.lanes, n.lanes
}

// TestWideWaves: where programs cannot observe it, several waves of the hardware run as one, and give the same picture.
// In these scenes lanes diverge and end.
func TestWideWaves(t *testing.T) {
	for name, lanes := range map[string]int{"torus": 32, "knot": 16, "rope": 32} {
		s, err := casefile.ReadSceneFile(filepath.Join("..", "..", "examples", name, "scene.json"))
		if err != nil {
			t.Fatal(err)
		}
		s.Width, s.Height = 190, 150
		for _, e := range engines.Tested() {
			o := Options{Engine: e.New(), Workers: 2}
			want := drawNarrow(t, s, lanes, o)
			got, err := Scene(context.Background(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			if got.Instructions >= want.Instructions {
				t.Errorf("%s on %s: %d instructions in wide waves, %d in narrow ones", name, e.Name, got.Instructions, want.Instructions)
			}
			if !bytes.Equal(got.Image.Pix, want.Image.Pix) {
				t.Errorf("%s on %s: another picture in wide waves", name, e.Name)
			}
		}
	}
}

// TestEarlyDepth: if a fragment program discards nothing, depths are tested before it runs, and that gives the same
// picture and counts.
func TestEarlyDepth(t *testing.T) {
	for name, early := range map[string]bool{"cube": true, "rope": true, "torus": false, "knot": false} {
		s, err := casefile.ReadSceneFile(filepath.Join("..", "..", "examples", name, "scene.json"))
		if err != nil {
			t.Fatal(err)
		}
		s.Width, s.Height = 190, 150
		p, err := Prepare(context.Background(), s, Options{Engine: engines.Fastest(engines.Use{})})
		if err != nil {
			t.Fatal(err)
		}
		last := p.draws[len(p.draws)-1]
		if last.EarlyDepth != early {
			t.Errorf("%s: tests before programs run: %v, want %v", name, last.EarlyDepth, early)
		}
		got, err := p.Draw(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		last.EarlyDepth = false
		want, err := p.Draw(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Image.Pix, want.Image.Pix) || got.Counters != want.Counters {
			t.Errorf("%s: another picture with depths tested early, or other counts: %+v, want %+v", name, got.Counters, want.Counters)
		}
	}
}

// drawNarrow draws a scene in waves of so many lanes.
func drawNarrow(t *testing.T, s *casefile.Scene, lanes int, o Options) *Result {
	t.Helper()
	g, err := loadScene(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	stages := *g.graphics
	stages.Stages = narrow{stages.Stages, lanes}
	g.graphics = &stages
	d, err := g.draw(&s.Draws[0], o)
	if err != nil {
		t.Fatal(err)
	}
	_, wide := (&draw.WaveShader{Stages: stages.Stages.(narrow).Stages, Fragment: d.Shader.(*draw.WaveShader).Fragment}).Lanes()
	if len(s.Draws) != 1 || wide != ir.MaxLanes {
		t.Fatalf("%s: %d draws, waves of %d", s.Name, len(s.Draws), wide)
	}
	c := s.ClearColor
	p := &Prepared{Options: o, width: s.Width, height: s.Height, depth: float32(s.ClearDepth), draws: []*draw.Call{d},
		color: draw.Vec4{float32(c[0]), float32(c[1]), float32(c[2]), float32(c[3])}}
	r, err := p.Draw(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
