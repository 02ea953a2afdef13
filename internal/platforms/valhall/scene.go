package valhall

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// Scenes provides this package to tools for recorded draws.
var Scenes = &launch.Scenes{ISA: "valhall", Kind: casefile.ValhallSceneFile, Keys: sceneKeys, Read: func(r io.Reader, file string) (launch.Scene, error) {
	s, err := ReadScene(r, file)
	if err != nil {
		return nil, err
	}
	return scene{s, &launch.Programs{}}, nil
}}

func sceneKeys() []string { return jsonfile.Keys(Scene{}) }

// A scene adapts a recorded draw to launch.Scene.
type scene struct {
	s        *Scene
	programs *launch.Programs
}

func (x scene) Name() string       { return x.s.Name }
func (x scene) Variants() []string { return []string{x.s.Variant} }
func (x scene) AllowOutside()      { x.s.AllowOutside = true }

func (x scene) Targets() (numbers []int) {
	for i := range x.s.Targets {
		numbers = append(numbers, x.s.Targets[i].Index)
	}
	return numbers
}

func (x scene) Draw(ctx context.Context, variant string, set launch.Settings) (*launch.Drawn, error) {
	list, err := x.s.ReadMemory()
	if err != nil {
		return nil, err
	}
	d, err := x.drawFrom(ctx, list, variant, set)
	if d == nil { // messages of a draw begin with its name
		return nil, fmt.Errorf("%s %s: %w", x.s.Name, variant, err)
	}
	return d, err
}

// setup prepares the draw from memory.
func (x scene) setup(list []Region, variant string, set launch.Settings) (*setup, error) {
	space := &mem.Space{Name: "global"}
	for i, m := range list {
		if m.Size == 0 {
			continue
		}
		g := mem.NewSegment(fmt.Sprintf("region %d", i), m.Addr, m.Size, mem.ReadWrite)
		copy(g.Data, m.Data)
		if err := space.Add(g); err != nil {
			return nil, err
		}
	}
	v, ok := valhall.Set().Variant(variant)
	if !ok {
		return nil, fmt.Errorf("there is no valhall:%s", variant)
	}
	j, err := x.drawJob(space, valhall.Arch(v))
	if err != nil {
		return nil, err
	}
	if err := j.checkFragments(); err != nil {
		return nil, err
	}
	set.Programs = x.programs
	return newSetup(j, space, variant, set)
}

// drawFrom executes the draw that memory describes.
func (x scene) drawFrom(ctx context.Context, list []Region, variant string, set launch.Settings) (*launch.Drawn, error) {
	shader, err := x.setup(list, variant, set)
	if err != nil {
		return nil, err
	}
	call, err := shader.job.call(x.s)
	if err != nil {
		return nil, err
	}
	call.Name, call.Shader, call.Workers, call.Progress = x.s.Name+" "+variant, shader, set.Workers, set.Tiles
	if s := shader.stages[stageFragment]; launch.Writes(s.program, s.entry()) {
		call.Workers = 1 // the final memory may depend on the order of tiles
	}
	canvas, err := newCanvas(x.s, call.Targets)
	if err != nil {
		return nil, err
	}
	if shader.watcher != nil {
		call.Workers, shader.name = 1, call.Name
	}
	for i := range shader.targets {
		shader.targets[i] = call.Reads(canvas, i)
	}
	res, err := call.Run(ctx, canvas)
	out := &launch.Drawn{Counters: res.Counters, Width: x.s.Width, Height: x.s.Height, BottomUp: true,
		Vertices: res.Vertices, Triangles: res.Triangles, Time: res.Time}
	for i := range x.s.Targets {
		t := canvas.Targets[x.s.Targets[i].Index]
		out.Targets = append(out.Targets, launch.DrawnTarget{Integer: t.Format.Integer(), Pixels: t.Pixels()})
	}
	return out, err
}

// depthTests are depth tests by code.
var depthTests = [8]draw.Compare{draw.Never, draw.Less, draw.Equal, draw.LessEqual, draw.Greater, draw.NotEqual, draw.GreaterEqual, draw.Always}

// Depth sources and moments of the depth test.
const (
	depthFixed  = 2
	depthShader = 3
	forceEarly  = 0
)

// call returns the state of the fixed-function steps of the job.
func (j *drawJob) call(s *Scene) (*draw.Call, error) {
	c := &draw.Call{Name: s.Name, Count: j.count, Indices: j.indices, Primitive: j.primitive, Instances: j.instances,
		Weights: true, TopDown: true, FrontCW: j.draw.bit(0, 16)}
	c.Cull = [4]draw.Face{draw.NoFace, draw.FrontFace, draw.BackFace, draw.BothFaces}[j.draw.field(0, 17, 2)]
	v := &c.Viewport
	v.X, v.Y = j.scissor[0], j.scissor[1]
	v.W, v.H = min(j.scissor[2]+1, s.Width)-v.X, min(j.scissor[3]+1, s.Height)-v.Y
	v.Near, v.Far = j.near, j.far
	cull := j.depth.bit(4, 22)
	v.Map = &draw.Map{Scale: [3]float32{1, 1, 1}, ZeroToOne: true, NoNear: j.noNear || !cull, NoFar: j.noFar || !cull}
	if j.near != j.far {
		v.Map.Scale[2], v.Map.Offset[2] = j.far-j.near, j.near
	}
	if v.W < 1 || v.H < 1 {
		return nil, fmt.Errorf("valhall: a scissor of no pixels: %v", j.scissor)
	}
	c.Depth = draw.DepthTest{Func: depthTests[j.depth.field(4, 29, 3)], Write: j.depth.bit(4, 27)}
	switch source := j.depth.field(4, 25, 2); source {
	case depthFixed:
		c.EarlyDepth = j.draw.field(0, 4, 2) == forceEarly && j.draw.field(0, 2, 2) == forceEarly
	case depthShader:
		c.LateDepth = true
	default:
		return nil, fmt.Errorf("valhall: depth source %d: only 2 and 3, fixed function and shader, are built", source)
	}
	return c, j.targets(c)
}

// targets sets the states of targets, by number.
func (j *drawJob) targets(c *draw.Call) error {
	c.Targets = make([]draw.TargetState, draw.MaxTargets)
	for i := range c.Targets {
		c.Targets[i].Mask = 15
	}
	for _, b := range j.blends {
		n := int(b.field(2, 16, 4))
		if n >= draw.MaxTargets || j.draw.field(1, 16, 8)>>n&1 == 0 {
			continue
		}
		t, err := targetState(b)
		if err != nil {
			return fmt.Errorf("target %d: %w", n, err)
		}
		c.Targets[n] = t
	}
	return nil
}

// newCanvas creates the targets and the depth buffer, cleared. Without blending, pixels of a normalised target are
// stored as they are output, because they are also compared before rounding.
func newCanvas(s *Scene, states []draw.TargetState) (*draw.Canvas, error) {
	w, h := s.Width, s.Height
	c := &draw.Canvas{Width: w, Height: h, Depth: make([]float32, w*h), Targets: make([]*draw.Target, draw.MaxTargets)}
	for i := range c.Depth {
		c.Depth[i] = s.clearDepth()
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		f := draw.FormatOf(t.Format)
		if f == nil {
			return nil, fmt.Errorf("target.colour[%d].format: no format %q", i, t.Format)
		}
		if f.Kind == draw.Unorm && f.Bits == 8 && !states[t.Index].Blend.On {
			f = draw.FormatOf([...]string{1: "r32_float", 2: "rg32_float", 4: "rgba32_float"}[f.Channels])
		}
		var clear draw.Pixel
		for k, x := range t.Clear {
			clear[k] = math.Float32bits(float32(x))
			if f.Integer() {
				clear[k] = uint32(int64(x))
			}
		}
		c.Targets[t.Index] = draw.NewTarget(f, w, h, clear)
	}
	return c, nil
}

// comparisons are how pixels of targets are compared, by kind.
var comparisons = [...]launch.Comparison{draw.Unorm: launch.CompareBytes, draw.Snorm: launch.CompareFloats, draw.Uint: launch.CompareWords,
	draw.Sint: launch.CompareSigned, draw.Float: launch.CompareFloats}

func (x scene) Expected() (*launch.SceneExpected, error) {
	mask, err := x.s.ReadMask()
	if err != nil {
		return nil, err
	}
	for i, m := range mask {
		if mask[i] = launch.MaskSkip; m == maskCompared {
			mask[i] = launch.MaskDrawn
		}
	}
	e := &launch.SceneExpected{Mask: mask}
	for i := range x.s.Targets {
		t := &x.s.Targets[i]
		f := draw.FormatOf(t.Format)
		if f == nil {
			return nil, fmt.Errorf("target.colour[%d].format: no format %q", i, t.Format)
		}
		part := launch.TargetExpected{At: i, Number: t.Index, Width: x.s.Width, Compare: comparisons[f.Kind], Channels: f.Channels, Tolerance: t.Tolerance}
		if part.Pixels, err = x.s.ReadExpect(i, part.Compare.Bytes()); err != nil {
			return nil, err
		}
		e.Targets = append(e.Targets, part)
		if t.ExpectFloats == "" || part.Compare != launch.CompareBytes || t.ToleranceFloat == 0 {
			continue
		}
		part.Compare, part.Tolerance = launch.CompareFloats, t.ToleranceFloat
		if part.Pixels, err = x.s.ReadExpectFloats(i); err != nil {
			return nil, err
		}
		e.Targets = append(e.Targets, part)
	}
	return e, nil
}

func (x scene) Parts(variant string) []launch.ScenePart {
	if len(x.s.Vertices) == 0 {
		return nil
	}
	return []launch.ScenePart{{Name: "vertices", Run: func(ctx context.Context, set launch.Settings) (*launch.PartRun, error) {
		run, err := x.vertices(ctx, variant, set)
		if err != nil {
			return run, fmt.Errorf("%s %s: %w", x.s.Name, variant, err)
		}
		return run, nil
	}}}
}

// positionTolerance is the tolerance of positions of recorded vertices: reciprocals are approximations.
const positionTolerance = 1e-4

// vertices runs the recorded vertices and compares their records.
func (x scene) vertices(ctx context.Context, variant string, set launch.Settings) (*launch.PartRun, error) {
	list, err := x.s.ReadMemory()
	if err != nil {
		return nil, err
	}
	shader, err := x.setup(list, variant, set)
	if err != nil {
		return nil, err
	}
	r, run := shader.newRunner(ctx), &launch.PartRun{Unit: "words"}
	for first := 0; first < len(x.s.Vertices); first += valhall.Lanes {
		part := x.s.Vertices[first:min(first+valhall.Lanes, len(x.s.Vertices))]
		in, out := make([]draw.VertexIn, len(part)), make([]draw.Vertex, len(part))
		for i := range part {
			if uint64(part[i].Vertex) >= shader.span || part[i].Instance >= shader.job.instances {
				return run, fmt.Errorf("vertex %d of instance %d, and the draw has none", part[i].Vertex, part[i].Instance)
			}
			in[i] = draw.VertexIn{Index: uint32(part[i].Vertex), Instance: uint32(part[i].Instance)}
		}
		err := r.Vertices(in, out)
		if run.Counters = r.count; err != nil {
			return run, err
		}
		if err := shader.compared(run, part, in, out, first); err != nil {
			return run, err
		}
	}
	return run, nil
}

// compared appends the actual and the expected results of a warp of vertices.
func (x *setup) compared(run *launch.PartRun, part []VertexOutput, in []draw.VertexIn, out []draw.Vertex, first int) error {
	got := launch.PartOutput{What: fmt.Sprintf("positions from %d on", first), Lanes: 1<<len(part) - 1, Bits: 32, Float: true, Abs: positionTolerance}
	want := got
	words := 0
	for i := range part {
		words = max(words, len(part[i].Varyings)/4)
	}
	table := func(n int) (t [][]uint32) {
		for range n {
			t = append(t, make([]uint32, len(part)))
		}
		return t
	}
	got.Values, want.Values = table(4), table(4)
	varGot, varWant := launch.PartOutput{What: fmt.Sprintf("varyings from %d on", first), Lanes: got.Lanes, Bits: 32, Values: table(words)},
		launch.PartOutput{What: fmt.Sprintf("varyings from %d on", first), Lanes: got.Lanes, Bits: 32, Values: table(words)}
	for i := range part {
		p, err := x.words(stagePosition, &in[i], positionBytes)
		if err != nil {
			return err
		}
		for k := range 4 {
			got.Values[k][i], want.Values[k][i] = p[k], part[i].Position[k]
		}
		for k := range len(part[i].Varyings) / 4 {
			varWant.Values[k][i] = binary.LittleEndian.Uint32(part[i].Varyings[4*k:])
			if 1+k < len(out[i].Params) {
				varGot.Values[k][i] = out[i].Params[1+k]
			}
		}
	}
	run.Got, run.Want = append(run.Got, got), append(run.Want, want)
	if words > 0 {
		run.Got, run.Want = append(run.Got, varGot), append(run.Want, varWant)
	}
	return nil
}
