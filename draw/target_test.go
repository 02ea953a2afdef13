package draw_test

import (
	"context"
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
)

// bitsOf are four numbers as a pixel.
func bitsOf(x ...float64) (p draw.Pixel) {
	for i, v := range x {
		p[i] = math.Float32bits(float32(v))
	}
	return p
}

// TestFormats: loads of stored pixels, by the definition of each kind.
func TestFormats(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	one := math.Float32bits(1)
	for _, c := range []struct {
		name  string
		in    draw.Pixel
		bytes []byte
		out   draw.Pixel
	}{
		{"rgba8_unorm", bitsOf(0, 1, 0.5, 2), []byte{0, 255, 128, 255}, bitsOf(0, 1, 128.0/255, 1)},
		{"rgba8_unorm", bitsOf(-1, nan, inf, 0.1), []byte{0, 0, 255, 26}, bitsOf(0, 0, 1, 26.0/255)},
		{"rg8_unorm", bitsOf(0.2, 0.4, 1, 1), []byte{51, 102}, draw.Pixel{math.Float32bits(0.2), math.Float32bits(0.4), 0, one}},
		{"rgba8_snorm", bitsOf(-1, 1, -2, 0.5), []byte{0x81, 0x7f, 0x81, 64}, bitsOf(-1, 1, -1, 64.0/127)},
		{"rgba8_uint", draw.Pixel{0, 255, 256, 7}, []byte{0, 255, 255, 7}, draw.Pixel{0, 255, 255, 7}},
		{"r8_sint", draw.Pixel{0xffffff00}, []byte{0x80}, draw.Pixel{0xffffff80, 0, 0, 1}},
		{"r16_unorm", bitsOf(1), []byte{0xff, 0xff}, draw.Pixel{one, 0, 0, one}},
		{"r16_snorm", bitsOf(-0.5), []byte{0x00, 0xc0}, draw.Pixel{math.Float32bits(-16384.0 / 32767), 0, 0, one}},
		{"rg16_uint", draw.Pixel{65536, 3}, []byte{0xff, 0xff, 3, 0}, draw.Pixel{65535, 3, 0, 1}},
		{"r16_sint", draw.Pixel{40000}, []byte{0xff, 0x7f}, draw.Pixel{32767, 0, 0, 1}},
		{"rg16_float", bitsOf(1.0/3, -65536), []byte{0x55, 0x35, 0x00, 0xfc}, draw.Pixel{math.Float32bits(0x555p-12), math.Float32bits(float32(-inf)), 0, one}},
		{"r32_float", draw.Pixel{0x7f812345}, []byte{0x45, 0x23, 0x81, 0x7f}, draw.Pixel{0x7f812345, 0, 0, one}},
		{"r32_uint", draw.Pixel{0xdeadbeef}, []byte{0xef, 0xbe, 0xad, 0xde}, draw.Pixel{0xdeadbeef, 0, 0, 1}},
		{"rgba32_sint", draw.Pixel{1, ^uint32(0), 3, 4}, []byte{1, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0, 4, 0, 0, 0}, draw.Pixel{1, ^uint32(0), 3, 4}},
	} {
		f := draw.FormatOf(c.name)
		if f == nil || f.Bytes() != len(c.bytes) {
			t.Fatalf("%s: %+v", c.name, f)
		}
		data := make([]byte, len(c.bytes))
		f.Store(data, &c.in, 0)
		if string(data) != string(c.bytes) {
			t.Errorf("%s: %x is stored as %x, want %x", c.name, c.in, data, c.bytes)
		}
		if got := f.Load(data); got != c.out {
			t.Errorf("%s: %x is loaded as %x, want %x", c.name, data, got, c.out)
		}
	}
	if draw.FormatOf("rgba9_unorm") != nil {
		t.Error("there is a format rgba9_unorm")
	}
	f, data := draw.FormatOf("rgba8_uint"), []byte{9, 9, 9, 9}
	f.Store(data, &draw.Pixel{1, 2, 3, 4}, 5)
	if string(data) != "\x09\x02\x09\x04" {
		t.Errorf("masked: %v", data)
	}
}

// targetShader outputs one pixel to targets 0 and 2, wherever it runs; kill is by lane.
type targetShader struct {
	fake
	out  [draw.MaxTargets]draw.Pixel
	runs int
	kill func(f *draw.Fragment) bool
}

func (s *targetShader) NewRunner(context.Context, int) draw.ShaderRunner { return s }

func (s *targetShader) Fragments(in *draw.Wave, out *draw.WaveOut) error {
	return in.Each(out, s.fragments)
}

func (s *targetShader) fragments(in []draw.Fragment, out []draw.FragmentOut) error {
	for i := range in {
		if in[i].Covered {
			s.runs++
		}
		out[i] = draw.FragmentOut{Out: &s.out, Written: 5, Killed: s.kill != nil && s.kill(&in[i])}
	}
	return nil
}

// fullScreen are a triangle over all pixels, at a depth.
func fullScreen(z float32) []vec { return []vec{{-1, -1, z, 1}, {3, -1, z, 1}, {-1, 3, z, 1}} }

// TestTargets: several targets, one of them not written, one missing; blending of floats without clamping.
func TestTargets(t *testing.T) {
	c := &draw.Canvas{Width: 2, Height: 2, Depth: make([]float32, 4)}
	for _, name := range []string{"rgba32_float", "rgba8_unorm", "r32_uint"} {
		c.Targets = append(c.Targets, draw.NewTarget(draw.FormatOf(name), 2, 2, bitsOf(0.5, 0.25, 0, 1)))
	}
	s := &targetShader{fake: fake{lanes: 4}}
	s.out[0], s.out[1], s.out[2] = bitsOf(3, -1, 0.5, 0.5), bitsOf(1, 1, 1, 1), draw.Pixel{77}
	d := drawOf(c, s, fullScreen(0))
	d.Targets = []draw.TargetState{{Blend: draw.Blend{On: true, Color: draw.BlendTerms{Src: draw.SrcAlpha, Dst: draw.One}, Alpha: draw.BlendTerms{Src: draw.One, Dst: draw.Zero}}}}
	run(t, d, c)
	for i := range 4 {
		if got := c.Targets[0].Format.Load(c.Targets[0].Data[16*i:]); got != bitsOf(2, -0.25, 0.25, 0.5) {
			t.Errorf("pixel %d of target 0: %x", i, got)
		}
		if got := c.Targets[1].Data[4*i:][:4]; string(got) != "\x80\x40\x00\xff" {
			t.Errorf("pixel %d of target 1, which nobody writes: %x", i, got)
		}
		if got := c.Targets[2].Data[4*i]; got != 77 {
			t.Errorf("pixel %d of target 2: %d", i, got)
		}
	}
	c.Targets[1].Data = c.Targets[1].Data[1:]
	if _, err := d.Run(t.Context(), c); err == nil {
		t.Error("a target that is too short is drawn to")
	}
}

// TestEarlyDepth: with early depth the program does not run if the test fails, and a pixel that it kills has
// written its depth; otherwise it has not.
func TestEarlyDepth(t *testing.T) {
	for _, early := range []bool{true, false} {
		c := canvas(t, 2, 2)
		copy(c.Depth, []float32{0.2, 0.9, 0.2, 0.9})
		s := &targetShader{fake: fake{lanes: 4}, kill: func(f *draw.Fragment) bool { return f.Y == 0 }}
		d := drawOf(c, s, fullScreen(0)) // depth 0.5
		d.Depth, d.EarlyDepth, d.Mask = draw.DepthTest{Func: draw.Less, Write: true}, early, 15
		run(t, d, c)
		runs, depth := 4, [4]float32{0.2, 0.9, 0.2, 0.5}
		if early {
			runs, depth = 2, [4]float32{0.2, 0.5, 0.2, 0.5}
		}
		if s.runs != runs || [4]float32(c.Depth) != depth {
			t.Errorf("early %v: %d pixels run, depths %v; want %d and %v", early, s.runs, c.Depth, runs, depth)
		}
	}
}

// instanced draws instance k of a triangle over column k.
type instanced struct {
	fake
	seen map[[2]uint32]int
}

func (s *instanced) NewRunner(context.Context, int) draw.ShaderRunner { return s }

func (s *instanced) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	for i, v := range in {
		s.seen[[2]uint32{v.Instance, v.Index}]++
		x := -1 + 0.5*float32(v.Instance) + []float32{0, 1, 0}[v.Index]
		out[i] = draw.Vertex{Position: vec{x, []float32{-1, -1, 3}[v.Index], 0, 1}}
		out[i].Out[1] = vec{float32(v.Instance+1) / 255}
	}
	return nil
}

// TestInstances: each vertex is shaded once for each instance, and instances are drawn over each other in order.
func TestInstances(t *testing.T) {
	c := canvas(t, 4, 1)
	s := &instanced{fake: fake{lanes: 4, fragment: colored}, seen: map[[2]uint32]int{}}
	d := &draw.Call{Name: "instances", Shader: s, Count: 3, Instances: 4, Workers: 1, Viewport: draw.Viewport{W: 4, H: 1}}
	if res := run(t, d, c); res.Vertices != 12 {
		t.Errorf("%d vertices", res.Vertices)
	}
	for k := range uint32(4) {
		for i := range uint32(3) {
			if s.seen[[2]uint32{k, i}] != 1 {
				t.Errorf("vertex %d of instance %d is shaded %d times", i, k, s.seen[[2]uint32{k, i}])
			}
		}
		if c.Color[4*k] != byte(k+1) {
			t.Errorf("column %d is of instance %d", k, c.Color[4*k]-1)
		}
	}
	d.Indices = []uint32{0, 1, 1 << 31}
	if _, err := d.Run(t.Context(), c); err == nil {
		t.Error("a vertex far beyond the limit is drawn")
	}
	d.Indices, d.Instances = nil, 1<<20
	if _, err := d.Run(t.Context(), c); err == nil {
		t.Error("a million instances are drawn")
	}
}

// TestTopDown: two triangles that share an edge through pixel centres cover each pixel once, and a rectangle whose
// edges pass through centres covers its upper and left rows and columns: with TopDown those of smaller y.
func TestTopDown(t *testing.T) {
	for _, down := range []bool{false, true} {
		c := canvas(t, 8, 8)
		at := func(x, y float64) vec { return vec{float32(x/4 - 1), float32(y/4 - 1), 0, 1} }
		a, b, e, f := at(1.5, 1.5), at(5.5, 1.5), at(1.5, 5.5), at(5.5, 5.5)
		s := &fake{lanes: 16, fragment: func([]draw.Fragment, int) draw.FragmentOut { return draw.FragmentOut{Color: vec{1.0 / 255}} }}
		d := drawOf(c, s, []vec{a, b, f, a, f, e})
		d.TopDown = down
		d.Blend = draw.Blend{On: true, Color: draw.BlendTerms{Src: draw.One, Dst: draw.One}}
		run(t, d, c)
		y0 := 2
		if down {
			y0 = 1
		}
		for y := range 8 {
			for x := range 8 {
				want := byte(0)
				if x >= 1 && x < 5 && y >= y0 && y < y0+4 {
					want = 1
				}
				if got := c.Color[4*(8*y+x)]; got != want {
					t.Errorf("top down %v: pixel %d,%d is covered %d times, want %d", down, x, y, got, want)
				}
			}
		}
	}
}
