package render

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/launch"
)

// Recorded performs a recorded draw of an instruction set for a variant, "" for the default of the instruction set or
// the first that the scene has, and returns the picture of a target by its number. file is the scene's path, for
// errors.
func Recorded(ctx context.Context, isa, file string, s launch.Scene, variant string, target int, o Options) (*Result, error) {
	v, err := RecordedVariant(isa, s, variant)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	at := slices.Index(s.Targets(), target)
	if at < 0 {
		var there []string
		for _, n := range s.Targets() {
			there = append(there, fmt.Sprint(n))
		}
		return nil, fmt.Errorf("%s: no target %d; there are %s", file, target, strings.Join(there, ", "))
	}
	set := launch.Settings{Engine: o.Engine, Workers: o.Workers, Limits: o.Limits, Watcher: o.Watcher, Policy: o.Policy}
	if o.Progress != nil {
		set.Tiles = func(done, all int) { o.Progress(At{0, 1, done, all}) }
	}
	d, err := s.Draw(ctx, v, set)
	if d == nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := &Result{Counters: d.Counters, Image: targetImage(d, at), Vertices: d.Vertices, Triangles: d.Triangles, Time: d.Time}
	if err == nil {
		r.Draws = 1
	}
	return r, err
}

// RecordedVariant finds the variant with a name or alias; "": see Recorded.
func RecordedVariant(isa string, s launch.Scene, name string) (string, error) {
	full := isa
	if name != "" {
		full += ":" + name
	}
	t, err := sets.Lookup(full)
	if t == nil {
		return "", err
	}
	want, there := t.Variants[t.Variant].Name, s.Variants()
	switch {
	case slices.Contains(there, want):
		return want, nil
	case name == "":
		return there[0], nil
	}
	return "", fmt.Errorf("no variant %s; there are %s", want, strings.Join(there, ", "))
}

// targetImage returns the picture of a target: numbers from 0 to 1 as bytes, rounded to nearest; integers unchanged, up
// to 255.
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
		y := i / d.Width
		if d.BottomUp {
			y = d.Height - 1 - y
		}
		img.SetNRGBA(i%d.Width, y, color.NRGBA{b[0], b[1], b[2], b[3]})
	}
	return img
}
