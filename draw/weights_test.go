package draw_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// solve returns the weights of a triangle's vertices, in clip space, at a point of the normalised window: of the
// position whose x and y are the point times its w.
func solve(tri [3]vec, x, y float64) (b [3]float64) {
	var m [2][3]float64
	for i, p := range tri {
		m[0][i] = float64(p[0]) - x*float64(p[3])
		m[1][i] = float64(p[1]) - y*float64(p[3])
	}
	b[0] = m[0][1]*m[1][2] - m[0][2]*m[1][1]
	b[1] = m[0][2]*m[1][0] - m[0][0]*m[1][2]
	b[2] = m[0][0]*m[1][1] - m[0][1]*m[1][0]
	sum := b[0] + b[1] + b[2]
	for i := range b {
		b[i] /= sum
	}
	return b
}

// TestWeights: weights, 1/w and depth of covered pixels and helper lanes, by the plane of the unclipped triangle;
// parameters of the vertices in the order of the draw, whatever the orientation.
func TestWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const w, h = 40, 30
	covered, clipped := 0, 0
	for range 200 {
		var tri [3]vec
		for i := range tri {
			pw := 0.3 + 3*rnd.Float32()
			tri[i] = vec{(rnd.Float32()*3 - 1.5) * pw, (rnd.Float32()*3 - 1.5) * pw, rnd.Float32() * pw, pw}
			if rnd.IntN(4) == 0 {
				tri[i][2] = -0.3 * pw // before the near plane
			}
		}
		s := &weigher{tri: tri}
		c := canvas(t, w, h)
		d := &draw.Call{Name: "weights", Shader: s, Count: 3, Weights: true, TopDown: true, Workers: 1,
			Viewport: draw.Viewport{W: w, H: h, Far: 1, Map: &draw.Map{Scale: [3]float32{w / 2, h / 2, 1}, Offset: [3]float32{w / 2, h / 2, 0}, ZeroToOne: true}}}
		run(t, d, c)
		covered += len(s.seen)
		if tri[0][2] < 0 || tri[1][2] < 0 || tri[2][2] < 0 {
			clipped += len(s.seen)
		}
		for i := range s.seen {
			checkWeights(t, tri, &s.seen[i], w, h)
		}
		if t.Failed() {
			return
		}
	}
	if covered < 10000 || clipped < 1000 {
		t.Errorf("only %d fragments, %d of clipped triangles", covered, clipped)
	}
}

func checkWeights(t *testing.T, tri [3]vec, f *draw.Fragment, w, h float64) {
	b := solve(tri, (float64(f.X)+0.5)/w*2-1, (float64(f.Y)+0.5)/h*2-1)
	var pw, pz float64
	for i := range b {
		pw += b[i] * float64(tri[i][3])
		pz += b[i] * float64(tri[i][2])
	}
	if !f.Covered && max(math.Abs(b[0]), math.Abs(b[1]), math.Abs(b[2])) > 4 {
		return // far outside of the triangle
	}
	limit := 1e-5
	if !f.Covered {
		limit = 1e-4 // outside of the triangle rounding errors of clipping grow
	}
	near := func(what string, got float32, want float64) {
		if d := math.Abs(float64(got) - want); !(d <= limit*max(1, math.Abs(want))) {
			t.Errorf("pixel %d,%d of %v: %s is %v, want %v", f.X, f.Y, tri, what, got, want)
		}
	}
	near("persp i", f.Persp[0], b[1])
	near("persp j", f.Persp[1], b[2])
	near("linear i", f.Linear[0], b[1]*float64(tri[1][3])/pw)
	near("linear j", f.Linear[1], b[2]*float64(tri[2][3])/pw)
	near("1/w", f.InvW, 1/pw)
	if f.Covered { // depths of helper lanes are clamped to the range
		near("depth", f.Depth, pz/pw)
	}
	for i := range f.Params {
		if f.Params[i][0] != uint32(i) {
			t.Errorf("vertex %d of the triangle has the parameters of %d", i, f.Params[i][0])
		}
	}
}

// weigher records its fragments.
type weigher struct {
	fake
	tri  [3]vec
	seen []draw.Fragment
}

func (s *weigher) NewRunner(context.Context, int) draw.ShaderRunner { return s }

func (s *weigher) Lanes() (int, int) { return 3, 16 }

func (s *weigher) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	for i := range in {
		out[i] = draw.Vertex{Position: s.tri[in[i].Index], Params: []uint32{in[i].Index}}
	}
	return nil
}

func (s *weigher) Fragments(in *draw.Wave, out *draw.WaveOut) error { return in.Each(out, s.fragments) }

func (s *weigher) fragments(in []draw.Fragment, out []draw.FragmentOut) error {
	for i := range in {
		out[i] = draw.FragmentOut{}
	}
	s.seen = append(s.seen, in...)
	return nil
}

// TestEarlyWeights: with early depth, fragments of draws with Weights are covered if the test passes; quads without
// covered fragments do not run, and the others keep their data.
func TestEarlyWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	const w, h = 38, 26
	c := canvas(t, w, h)
	var quads [w / 2 * (h / 2)]float32
	for i := range quads {
		quads[i] = rnd.Float32() * 3 / 4
	}
	for i := range c.Depth {
		c.Depth[i] = quads[i/w/2*(w/2)+i%w/2] + rnd.Float32()/16
	}
	before := append([]float32{}, c.Depth...)
	s := &weigher{tri: [3]vec{{-1, -1, 0, 1}, {3, -1, 0.5, 1}, {-1, 3, 0.25, 1}}}
	d := &draw.Call{Name: "early", Shader: s, Count: 3, Weights: true, Workers: 1, EarlyDepth: true, Depth: draw.DepthTest{Func: draw.Less, Write: true},
		Viewport: draw.Viewport{W: w, H: h, Far: 1, Map: &draw.Map{Scale: [3]float32{w / 2, h / 2, 1}, Offset: [3]float32{w / 2, h / 2, 0}, ZeroToOne: true}}}
	run(t, d, c)
	covered := 0
	for i := range s.seen {
		f := &s.seen[i]
		if got, want := f.Covered, f.Depth < before[f.Y*w+f.X]; got != want {
			t.Fatalf("pixel %d, %d: covered %t, want %t", f.X, f.Y, got, want)
		}
		if f.Covered {
			covered++
			checkWeights(t, s.tri, f, w, h)
			if got := c.Depth[f.Y*w+f.X]; got != f.Depth {
				t.Fatalf("pixel %d, %d: its depth is %g, want %g", f.X, f.Y, got, f.Depth)
			}
		}
	}
	passing := 0
	for i, z := range c.Depth {
		if z != before[i] {
			passing++
		}
	}
	if covered != passing || passing < 300 || len(s.seen) > w*h-40 {
		t.Errorf("%d fragments, %d covered, %d pixels", len(s.seen), covered, passing)
	}
}
