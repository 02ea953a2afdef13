package draw_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
)

type vec = draw.Vec4

// fake is a shader in Go: vertex inputs 0 (position) and 1 to 15 pass through; fragments are a function of the
// quad. waves counts the runs.
type fake struct {
	lanes    int
	fragment func(quad []draw.Fragment, lane int) draw.FragmentOut
	fail     func(f *draw.Fragment) error
	vertex   func() // after each run of vertices
	waves    atomic.Int64
}

func (s *fake) Lanes() (int, int)                                { return 3, s.lanes }
func (s *fake) NewRunner(context.Context, int) draw.ShaderRunner { return s }
func (s *fake) Count() exec.Counters                             { return exec.Counters{} }
func (s *fake) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	for i := range in {
		out[i] = draw.Vertex{Position: in[i].Attr[0], Out: in[i].Attr}
	}
	if s.vertex != nil {
		s.vertex()
	}
	return nil
}

func (s *fake) Fragments(in *draw.Wave, out *draw.WaveOut) error { return in.Each(out, s.fragments) }

func (s *fake) fragments(in []draw.Fragment, out []draw.FragmentOut) error {
	s.waves.Add(1)
	for i := range in {
		if s.fail != nil && in[i].Covered {
			if err := s.fail(&in[i]); err != nil {
				return err
			}
		}
		out[i] = s.fragment(in[i&^3:i&^3+4], i&3)
	}
	return nil
}

// colored gives fragments input 1 as their colour.
func colored(q []draw.Fragment, lane int) draw.FragmentOut {
	return draw.FragmentOut{Color: q[lane].In(1)}
}

func canvas(t *testing.T, w, h int) *draw.Canvas {
	c, err := draw.NewCanvas(w, h, vec{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawOf is a draw of those positions over the whole canvas.
func drawOf(c *draw.Canvas, s draw.Shader, inputs ...[]vec) *draw.Call {
	return &draw.Call{Name: "test", Shader: s, Inputs: inputs, Count: len(inputs[0]), Viewport: draw.Viewport{W: c.Width, H: c.Height}}
}

func run(t *testing.T, d *draw.Call, c *draw.Canvas) *draw.Result {
	t.Helper()
	res, err := d.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func constant(v vec, n int) (list []vec) {
	for range n {
		list = append(list, v)
	}
	return list
}

// TestEveryPixelOnce: a mesh of random triangles without gaps covers each pixel exactly once, whatever the winding
// and the positions of corners, also exactly on pixel centres.
func TestEveryPixelOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		c := canvas(t, 61, 47)
		const n = 6
		var grid [n + 1][n + 1]vec
		for y := range grid {
			for x := range grid[y] {
				// In 1/4 pixel, so that edges often contain centres.
				px, py := math.Round((float64(x)+rnd.Float64()*0.3-0.15)*61*4/n)/4, math.Round((float64(y)+rnd.Float64()*0.3-0.15)*47*4/n)/4
				if round%2 == 0 {
					px, py = math.Floor(px)+0.5, math.Floor(py)+0.5
				}
				if x == 0 || x == n {
					px = float64(x) * 61 / n
				}
				if y == 0 || y == n {
					py = float64(y) * 47 / n
				}
				grid[y][x] = vec{float32(px/30.5 - 1), float32(py/23.5 - 1), 0, 1}
			}
		}
		var points []vec
		for y := range n {
			for x := range n {
				a, b, d, e := grid[y][x], grid[y][x+1], grid[y+1][x], grid[y+1][x+1]
				if rnd.IntN(2) == 0 {
					points = append(points, a, b, e, a, e, d)
				} else {
					points = append(points, b, a, d, b, d, e)
				}
			}
		}
		s := &fake{lanes: 16, fragment: func([]draw.Fragment, int) draw.FragmentOut { return draw.FragmentOut{Color: vec{1.0 / 255}} }}
		d := drawOf(c, s, points)
		d.Blend = draw.Blend{On: true, Color: draw.BlendTerms{Src: draw.One, Dst: draw.One}}
		run(t, d, c)
		for i := range c.Width * c.Height {
			if c.Color[4*i] != 1 {
				t.Fatalf("round %d: pixel %d,%d is covered %d times", round, i%61, i/61, c.Color[4*i])
			}
		}
	}
}

// TestTopLeft: pixel centres on the edges of a square belong to its left and upper edge.
func TestTopLeft(t *testing.T) {
	c := canvas(t, 8, 8)
	at := func(x, y float32) vec { return vec{x/4 - 1, y/4 - 1, 0, 1} }
	s := &fake{lanes: 4, fragment: colored}
	d := drawOf(c, s, []vec{at(2.5, 2.5), at(5.5, 2.5), at(2.5, 5.5), at(5.5, 5.5)}, constant(vec{1, 1, 1, 1}, 4))
	d.Primitive = draw.Strip
	run(t, d, c)
	for i := range 64 {
		x, y := i%8, i/8
		if want := x >= 2 && x < 5 && y > 2 && y <= 5; (c.Color[4*i] == 255) != want {
			t.Errorf("pixel %d,%d is %d", x, y, c.Color[4*i])
		}
	}
}

// TestPerspective: varyings against rational arithmetic over the snapped corners.
func TestPerspective(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		c := canvas(t, 64, 64)
		var pos, val []vec
		var win [3][2]*big.Rat
		var w [3]*big.Rat
		for i := range 3 {
			wi := float32(math.Exp2(float64(rnd.IntN(5)) - 2)) // exact division
			x, y := float32(rnd.IntN(64*256))/256, float32(rnd.IntN(64*256))/256
			pos = append(pos, vec{(x/32 - 1) * wi, (y/32 - 1) * wi, (rnd.Float32()*2 - 1) * wi, wi})
			val = append(val, vec{rnd.Float32()*4 - 2, rnd.Float32(), 7, float32(i)})
			win[i] = [2]*big.Rat{new(big.Rat).SetFloat64(float64(x)), new(big.Rat).SetFloat64(float64(y))}
			w[i] = new(big.Rat).SetFloat64(float64(wi))
		}
		d := drawOf(c, &fake{lanes: 4, fragment: colored}, pos, val)
		d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
			for k := range 4 {
				want := exactVarying(f, win, w, val, k)
				if got := float64(f.In(1)[k]); math.Abs(got-want) > 2e-5 || k == 2 && got != 7 {
					t.Fatalf("pixel %d,%d component %d: %g, want %g", f.X, f.Y, k, got, want)
				}
			}
		}
		run(t, d, c)
	}
}

// exactVarying is sum(l v/w) / sum(l/w) at the pixel's centre, in rationals.
func exactVarying(f *draw.Fragment, win [3][2]*big.Rat, w [3]*big.Rat, val []vec, k int) float64 {
	p := [2]*big.Rat{big.NewRat(int64(2*f.X+1), 2), big.NewRat(int64(2*f.Y+1), 2)}
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	num, den := new(big.Rat), new(big.Rat)
	for i := range 3 {
		a, b := win[(i+1)%3], win[(i+2)%3]
		e := sub(mul(sub(b[0], a[0]), sub(p[1], a[1])), mul(sub(b[1], a[1]), sub(p[0], a[0])))
		e.Quo(e, w[i])
		den.Add(den, e)
		num.Add(num, mul(e, new(big.Rat).SetFloat64(float64(val[i][k]))))
	}
	x, _ := num.Quo(num, den).Float64()
	return x
}

// TestClip: a triangle that passes through the eye and extends far beyond the picture covers the pixels where its
// plane is beyond the near plane, with the values of the plane there.
func TestClip(t *testing.T) {
	c := canvas(t, 32, 32)
	// A floor: y = -1, z from +1 (behind the eye) to -9; a perspective with near 0.5, far 8, and w = -z.
	project := func(x, y, z float32) vec {
		const n, f = 0.5, 8
		return vec{x, y, (-(f+n)*z - 2*f*n) / (f - n), -z}
	}
	world := []vec{{-1000, 0, 1, 1}, {1000, 0, 1, 1}, {-1000, 0, -9, 1}, {1000, 0, -9, 1}}
	var pos []vec
	for _, v := range world {
		pos = append(pos, project(v[0], -1, v[2]))
	}
	s := &fake{lanes: 8, fragment: colored}
	d := drawOf(c, s, pos, world)
	d.Primitive = draw.Strip
	seen := map[[2]int]bool{}
	d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
		seen[[2]int{f.X, f.Y}] = true
		ndc := (float64(f.Y)+0.5)/16 - 1
		if want := 1 / ndc; math.Abs(float64(f.In(1)[2])-want) > 3e-3*math.Abs(want) {
			t.Errorf("pixel %d,%d: z %g, want %g", f.X, f.Y, f.In(1)[2], want)
		}
		if f.Depth < 0 || f.Depth > 1 {
			t.Errorf("depth %g", f.Depth)
		}
	}
	run(t, d, c)
	for y := range 32 {
		z := 1 / ((float64(y)+0.5)/16 - 1) // where the ray through the pixel hits the floor
		want := z < -0.5 && z > -8
		for x := range 32 {
			if seen[[2]int{x, y}] != want {
				t.Fatalf("pixel %d,%d: covered %v, z %g", x, y, !want, z)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("nothing drawn")
	}
}

// TestDepth: each test against its formula, with and without early rejection.
func TestDepth(t *testing.T) {
	stored, fresh := []float32{0.25, 0.5, 0.75}, float32(0.5)
	formula := []func(x, s float32) bool{
		func(x, s float32) bool { return true }, func(x, s float32) bool { return false },
		func(x, s float32) bool { return x < s }, func(x, s float32) bool { return x <= s }, func(x, s float32) bool { return x == s },
		func(x, s float32) bool { return x != s }, func(x, s float32) bool { return x >= s }, func(x, s float32) bool { return x > s },
	}
	for fn := range formula {
		for mode := range 4 {
			c := canvas(t, 3, 1)
			copy(c.Depth, stored)
			s := &fake{lanes: 4, fragment: func(q []draw.Fragment, lane int) draw.FragmentOut {
				return draw.FragmentOut{Color: vec{1, 1, 1, 1}, Depth: fresh, HasDepth: mode&1 != 0}
			}}
			z := float32(0)
			if mode&1 != 0 {
				z = -0.5
			}
			d := drawOf(c, s, []vec{{-1, -1, z, 1}, {3, -1, z, 1}, {-1, 3, z, 1}})
			d.Depth, d.LateDepth = draw.DepthTest{Func: draw.Compare(fn), Write: mode&2 != 0}, mode&1 != 0
			run(t, d, c)
			for i := range stored {
				pass := formula[fn](fresh, stored[i])
				if (c.Color[4*i] == 255) != pass {
					t.Errorf("%s mode %d: pixel %d is %d", draw.CompareNames[fn], mode, i, c.Color[4*i])
				}
				if want := stored[i]; (c.Depth[i] != want) != (pass && mode&2 != 0 && want != fresh) {
					t.Errorf("%s mode %d: depth %d is %g", draw.CompareNames[fn], mode, i, c.Depth[i])
				}
			}
		}
	}
}

// TestBlend: results of alpha blending, by its formula in integers and float64.
func TestBlend(t *testing.T) {
	for a := 0; a <= 255; a += 5 {
		c, err := draw.NewCanvas(1, 1, vec{40.0 / 255, 200.0 / 255, 1, 0.5}, 1)
		if err != nil {
			t.Fatal(err)
		}
		alpha := float32(a) / 255
		d := drawOf(c, &fake{lanes: 4, fragment: colored}, []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}, constant(vec{1, 0.5, 0, alpha}, 3))
		d.Blend, d.Mask = draw.AlphaBlend, 8
		run(t, d, c)
		for k, src := range []float64{1, 0.5, 0} {
			old := []float64{40, 200, 255}[k]
			want := src*float64(a) + old*(1-float64(a)/255)
			if got := float64(c.Color[k]); math.Abs(got-want) > 0.5001 {
				t.Errorf("alpha %d channel %d: %g, want %g", a, k, got, want)
			}
		}
		if c.Color[3] != 128 {
			t.Errorf("masked alpha is %d", c.Color[3])
		}
	}
}

// TestQuads: helper lanes have values of their own, so that differences in a quad are those of the plane. Neither
// helper lanes nor killed lanes write.
func TestQuads(t *testing.T) {
	c := canvas(t, 32, 32)
	s := &fake{lanes: 16, fragment: func(q []draw.Fragment, lane int) draw.FragmentOut {
		dx, dy := q[1].In(1)[0]-q[0].In(1)[0], q[2].In(1)[1]-q[0].In(1)[1]
		ok := math.Abs(float64(dx)-1.0/64) < 1e-5 && math.Abs(float64(dy)-1.0/64) < 1e-5
		if !ok {
			t.Errorf("quad at %d,%d: differences %g %g", q[0].X, q[0].Y, dx, dy)
		}
		if q[1].X != q[0].X+1 || q[2].Y != q[0].Y+1 || q[3].X != q[0].X+1 || q[3].Y != q[0].Y+1 || q[0].X&1+q[0].Y&1 != 0 {
			t.Errorf("lanes of the quad at %d,%d", q[0].X, q[0].Y)
		}
		return draw.FragmentOut{Color: vec{1, 1, 1, 1}, Killed: q[lane].X == 5}
	}}
	pos := []vec{{-0.9, -0.8, 0, 1}, {0.7, -0.3, 0, 1}, {-0.2, 0.9, 0, 1}}
	var val []vec
	for _, p := range pos {
		val = append(val, vec{(p[0] + 1) / 4, (p[1] + 1) / 4, 0, 0})
	}
	d := drawOf(c, s, pos, val)
	covered := map[int]bool{}
	d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) { covered[f.Y*32+f.X] = true }
	run(t, d, c)
	for i := range 32 * 32 {
		if want := covered[i] && i%32 != 5; (c.Color[4*i] == 255) != want {
			t.Errorf("pixel %d,%d is %d, covered %v", i%32, i/32, c.Color[4*i], covered[i])
		}
	}
}

// TestWorkers: the same bytes for any number of workers, also if triangles overlap and blend and programs observe
// which lanes share their wave.
func TestWorkers(t *testing.T) {
	var first []byte
	for _, workers := range []int{1, 2, 3, 8} {
		rnd := rand.New(rand.NewPCG(5, 6))
		var pos, val []vec
		for range 300 {
			pos = append(pos, vec{rnd.Float32()*4 - 2, rnd.Float32()*4 - 2, rnd.Float32()*2 - 1, rnd.Float32()*2 - 0.3})
			val = append(val, vec{rnd.Float32(), rnd.Float32(), rnd.Float32(), rnd.Float32()})
		}
		c := canvas(t, 150, 90)
		d := drawOf(c, &fake{lanes: 16, fragment: colored}, pos, val)
		d.Blend, d.Depth, d.Workers, d.Flat = draw.AlphaBlend, draw.DepthTest{Func: draw.Less, Write: true}, workers, 1
		var reports atomic.Int64
		d.Progress = func(done, all int) { reports.Add(1) }
		res := run(t, d, c)
		if first == nil {
			first = c.Color
		}
		if !bytes.Equal(first, c.Color) || reports.Load() != 15 || res.Triangles == 0 || res.Vertices != 300 {
			t.Errorf("%d workers: same bytes %v, %d reports, %+v", workers, bytes.Equal(first, c.Color), reports.Load(), res)
		}
	}
}

// TestFaces: winding, culling and the meaning of indices.
func TestFaces(t *testing.T) {
	for _, cw := range []bool{false, true} {
		for cull := draw.NoFace; cull <= draw.BothFaces; cull++ {
			c := canvas(t, 4, 4)
			d := drawOf(c, &fake{lanes: 4, fragment: colored}, []vec{{9, 9, 9, 9}, {-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}, constant(vec{1}, 4))
			d.Indices, d.Cull, d.FrontCW = []uint32{1, 2, 3}, cull, cw
			front := !cw // the triangle is counter-clockwise
			want := cull == draw.NoFace || cull == draw.FrontFace && !front || cull == draw.BackFace && front
			d.Capture = func(f *draw.Fragment, _ *draw.FragmentOut) {
				if f.Front != front || f.Area != 32 {
					t.Errorf("front %v, area %g", f.Front, f.Area)
				}
			}
			if res := run(t, d, c); (c.Color[0] == 255) != want || res.Vertices != 3 {
				t.Errorf("clockwise %v cull %d: %d, %+v", cw, cull, c.Color[0], res)
			}
		}
	}
}

// lanes4 are stages of waves of four lanes; nothing runs in them.
type lanes4 struct{ draw.Stages }

func (lanes4) Lanes(vertex, fragment *draw.Stage) (vertices, fragments int) { return 4, 4 }

var noProgram = &draw.WaveShader{Stages: lanes4{}, Engine: struct{ exec.Engine }{}, Vertex: draw.Stage{Name: "v"}}

// TestTimeOfTriangles: a draw ends with its context also while triangles are made and sorted into tiles, before any
// of them is drawn.
func TestTimeOfTriangles(t *testing.T) {
	s := &fake{lanes: 4, fragment: colored}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	s.vertex = end // the last work before
	c := canvas(t, 64, 64)
	full := []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}
	d := drawOf(c, s, full)
	_, err := d.Run(ctx, c)
	if !errors.Is(err, context.Canceled) || err.Error() != "draw test: context canceled" || s.waves.Load() != 0 {
		t.Errorf("%v, %d waves", err, s.waves.Load())
	}
}

// TestDrawLacks: an incomplete draw is an error, not a panic of a worker, which the caller could not recover.
func TestDrawLacks(t *testing.T) {
	s := &fake{lanes: 4, fragment: colored}
	full := []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}
	for want, change := range map[string]func(d *draw.Call, c *draw.Canvas){
		"no shader":                      func(d *draw.Call, c *draw.Canvas) { d.Shader = nil },
		"programs of 0 and 0 lanes":      func(d *draw.Call, c *draw.Canvas) { d.Shader = &draw.WaveShader{} },
		"no engine":                      func(d *draw.Call, c *draw.Canvas) { d.Shader = &draw.WaveShader{Stages: lanes4{}} },
		`program "v": there is none`:     func(d *draw.Call, c *draw.Canvas) { d.Shader = noProgram },
		"canvas of 4x4 pixels with 63 b": func(d *draw.Call, c *draw.Canvas) { c.Color = c.Color[1:] },
		"64 bytes of colour and 15":      func(d *draw.Call, c *draw.Canvas) { c.Depth = c.Depth[1:] },
		"canvas of 4x8193 pixels":        func(d *draw.Call, c *draw.Canvas) { c.Height = 8193 },
	} {
		c := canvas(t, 4, 4)
		d := drawOf(c, s, full)
		change(d, c)
		if _, err := d.Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := drawOf(canvas(t, 4, 4), s, full).Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "no canvas") {
		t.Error(err)
	}
	var none context.Context
	if _, err := drawOf(canvas(t, 4, 4), s, full).Run(none, canvas(t, 4, 4)); err == nil || !strings.Contains(err.Error(), "no context") {
		t.Error(err)
	}
	if _, err := draw.NewCanvas(4096, 4097, vec{}, 1); err == nil || err.Error() != "picture of 4096x4097 pixels; at most 16777216" {
		t.Error(err)
	}
}

// TestDrawErrors: invalid draws are rejected; errors of programs and the end of the context are returned.
func TestDrawErrors(t *testing.T) {
	s := &fake{lanes: 4, fragment: colored}
	full := []vec{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}
	for want, change := range map[string]func(d *draw.Call){
		"viewport 0x4":              func(d *draw.Call) { d.Viewport.W = 0 },
		"attribute 0 has 3 values":  func(d *draw.Call) { d.Count = 4 },
		"index 1 is 3; attribute 0": func(d *draw.Call) { d.Indices = []uint32{0, 3} },
		"17 attributes; at most 16": func(d *draw.Call) { d.Inputs = make([][]vec, 17) },
		"programs of 3 and 6 lanes": func(d *draw.Call) { d.Shader = &fake{lanes: 6} },
		"depth test 8: there are 8": func(d *draw.Call) { d.Depth.Func = 8 },
		"262145 vertices; at most ": func(d *draw.Call) { d.Count = 1<<18 + 1 },
	} {
		c := canvas(t, 4, 4)
		d := drawOf(c, s, full)
		change(d)
		if _, err := d.Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := draw.ParsePrimitive("points"); err == nil || !strings.Contains(err.Error(), "not built") {
		t.Error(err)
	}
	c := canvas(t, 100, 100)
	for workers := 1; workers < 5; workers++ {
		d := drawOf(c, &fake{lanes: 4, fragment: colored, fail: func(f *draw.Fragment) error {
			if f.X == 70 {
				return errors.New("bad " + string(rune('0'+f.Y/32)))
			}
			return nil
		}}, full)
		d.Workers = workers
		if _, err := d.Run(context.Background(), c); err == nil || err.Error() != "bad 0" {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := drawOf(c, s, full).Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
