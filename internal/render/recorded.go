package render

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"github.com/heddle-gpu/heddle/isa/all"
	"github.com/heddle-gpu/heddle/launch"
	fronts "github.com/heddle-gpu/heddle/launch/all"
	"github.com/heddle-gpu/heddle/object"
)

// recordedISA is the instruction set of recorded draws.
const recordedISA = "gcn"

// Recorded carries out a recorded draw for a variant, "" for the default of the instruction set or the first that the
// scene has, and shows a target by its number.
func Recorded(ctx context.Context, s *object.GCNScene, variant string, target int, o Options) (*Result, error) {
	v, err := recordedVariant(s, variant)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	at := -1
	var there []string
	for i := range s.Targets {
		there = append(there, fmt.Sprint(s.Targets[i].Index))
		if s.Targets[i].Index == target {
			at = i
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("%s: no target %d; there are %s", s.File, target, strings.Join(there, ", "))
	}
	d, err := fronts.Scenes(recordedISA).Draw(ctx, s, v, launch.Settings{Engine: o.Engine, Workers: o.Workers, Limits: o.Limits})
	if err != nil {
		return nil, err
	}
	return &Result{Counters: d.Counters, Image: targetImage(d, at), Vertices: d.Vertices, Triangles: d.Triangles, Draws: 1, Time: d.Time}, nil
}

// recordedVariant finds the variant of a name or alias.
func recordedVariant(s *object.GCNScene, name string) (*object.GCNVariant, error) {
	full := recordedISA
	if name != "" {
		full += ":" + name
	}
	t, err := all.Lookup(full)
	if t == nil {
		return nil, err
	}
	want := t.Variants[t.Variant].Name
	if v := s.Variant(want); v != nil {
		return v, nil
	}
	if name == "" {
		return s.Variants[0], nil
	}
	var there []string
	for _, v := range s.Variants {
		there = append(there, v.Name)
	}
	return nil, fmt.Errorf("no variant %s; there are %s", want, strings.Join(there, ", "))
}

// targetImage is the picture of a target: numbers from 0 to 1 as bytes, rounded to nearest, integers as they are, up to 255.
func targetImage(d *launch.Drawn, target int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, d.Width, d.Height))
	t := &d.Targets[target]
	for i, p := range t.Pixels {
		var b [4]uint8
		for k, v := range p {
			x := float64(math.Float32frombits(v))
			switch {
			case t.Integer:
				b[k] = uint8(min(v, 255))
			case x > 0:
				b[k] = uint8(math.RoundToEven(min(x, 1) * 255))
			}
		}
		if t.Integer {
			b[3] = 255
		}
		img.SetNRGBA(i%d.Width, i/d.Width, color.NRGBA{b[0], b[1], b[2], b[3]})
	}
	return img
}
