package render

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
)

// TestTogether: waves of fragments that run together have the same counts as waves run one by one, and a limit that one
// of them reaches gives the same error, on any engine.
func TestTogether(t *testing.T) {
	s, err := casefile.ReadSceneFile(filepath.Join("..", "..", "examples", "cube", "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.Width, s.Height = 190, 150
	for _, limit := range []uint64{0, 1, 300} {
		var first exec.Counters
		var fault string
		for i, e := range engines.Tested() {
			o := Options{Engine: e.New(), Workers: 1, Limits: exec.Limits{Total: limit}}
			p, err := Prepare(context.Background(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range p.draws {
				if w, ok := d.Shader.(*draw.WaveShader); ok {
					w.Counted = true
				}
			}
			r, err := p.Draw(context.Background(), nil)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if (limit != 0) != (err != nil) {
				t.Fatalf("%s, limit %d: %v", e.Name, limit, err)
			}
			if i == 0 {
				first, fault = r.Counters, got
			} else if r.Counters.Instructions != first.Instructions || r.Counters.Ops != first.Ops || r.Counters.LaneOps != first.LaneOps || got != fault {
				t.Errorf("%s, limit %d: %+v, %q; want %+v, %q", e.Name, limit, r.Counters, got, first, fault)
			}
		}
	}
}
