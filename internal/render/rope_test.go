package render_test

import (
	"context"
	"image/color"
	"math"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/render"
)

// A corner is a vertex of the rope in window coordinates.
type corner struct{ x, y float64 }

// TestRope: the ring of examples/rope is drawn where its formula says, with the constants of the scene.
func TestRope(t *testing.T) {
	s, err := casefile.ReadSceneFile(filepath.Join("..", "..", "examples", "rope", "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.Width, s.Height = s.Width/4, s.Height/4
	r, err := render.Scene(context.Background(), s, render.Options{Engine: ref.New(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	sh := map[int]float64{}
	for _, c := range s.Draws[0].VertexConstants {
		n := 0
		for _, d := range c.Name[len("sh"):] {
			n = 10*n + int(d-'0')
		}
		for i, v := range c.Values {
			sh[n+i] = v
		}
	}
	var strip []corner
	for i := range s.Draws[0].Count {
		around, along := sh[28]*float64(i%128/2), sh[29]*float64(i/128+i%2)
		radius := sh[32] + sh[33]*math.Cos(sh[30]*around+sh[31]*along)
		far := sh[34] + radius*math.Cos(around)
		at := [4]float64{far * math.Cos(along), far * math.Sin(along), radius * math.Sin(around), 1}
		var clip [4]float64
		for k := range clip {
			for j := range at {
				clip[k] += sh[4*k+j] * at[j]
			}
		}
		strip = append(strip, corner{(clip[0]/clip[3] + 1) / 2 * float64(s.Width), (1 - clip[1]/clip[3]) / 2 * float64(s.Height)})
	}
	covered := make([]bool, s.Width*s.Height)
	for i := 2; i < len(strip); i++ {
		cover(covered, s.Width, strip[i-2:i+1])
	}
	clear := color.NRGBA{13, 15, 23, 255}
	wrong, drawn := 0, 0
	for i, c := range covered {
		is := r.Image.NRGBAAt(i%s.Width, i/s.Width) != clear
		if is {
			drawn++
		}
		if is != c {
			wrong++
		}
	}
	if wrong > 8 || drawn < 4000 || drawn > len(covered)/2 {
		t.Errorf("%d pixels are drawn, %d where the formula has none or not where it has some", drawn, wrong)
	}
}

// cover marks the pixels whose centres lie in a triangle.
func cover(covered []bool, width int, p []corner) {
	side := func(a, b corner, x, y float64) float64 { return (b.x-a.x)*(y-a.y) - (b.y-a.y)*(x-a.x) }
	area := side(p[0], p[1], p[2].x, p[2].y)
	for y := int(min(p[0].y, p[1].y, p[2].y)); y <= int(max(p[0].y, p[1].y, p[2].y)) && area != 0; y++ {
		for x := int(min(p[0].x, p[1].x, p[2].x)); x <= int(max(p[0].x, p[1].x, p[2].x)); x++ {
			inside := true
			for i := range 3 {
				inside = inside && side(p[i], p[(i+1)%3], float64(x)+0.5, float64(y)+0.5)*area >= 0
			}
			if inside {
				covered[y*width+x] = true
			}
		}
	}
}
