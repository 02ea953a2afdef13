package tesla

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
)

// Scenes provides this package to tools for recorded draws.
var Scenes = &launch.Scenes{ISA: "tesla", Kind: casefile.TeslaSceneFile, Keys: sceneKeys, Read: func(r io.Reader, file string) (launch.Scene, error) {
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
func (x scene) Variants() []string { return x.s.Variants() }
func (x scene) AllowOutside()      { x.s.AllowOutside = true }

func (x scene) Targets() (numbers []int) {
	for i := range x.s.Targets {
		numbers = append(numbers, x.s.Targets[i].Index)
	}
	return numbers
}

func (x scene) Draw(ctx context.Context, variant string, set launch.Settings) (*launch.Drawn, error) {
	d, err := x.draw(ctx, variant, set)
	if d == nil { // messages of a draw begin with its name
		return nil, fmt.Errorf("%s %s: %w", x.s.Name, variant, err)
	}
	return d, err
}

func (x scene) draw(ctx context.Context, variant string, set launch.Settings) (*launch.Drawn, error) {
	s := x.s
	set.Programs = x.programs
	shader, err := newSetup(s, variant, set)
	if err != nil {
		return nil, err
	}
	canvas := newCanvas(s)
	v := s.Viewport
	half := [3]float32{float32(v[2]) / 2, float32(v[3]) / 2, 0.5}
	call := &draw.Call{Name: s.Name + " " + variant, Shader: shader, Count: s.Count, Weights: true, Workers: set.Workers, Progress: set.Tiles,
		Viewport: draw.Viewport{X: v[0], Y: v[1], W: v[2], H: v[3],
			Map: &draw.Map{Scale: half, Offset: [3]float32{float32(v[0]) + half[0], float32(v[1]) + half[1], 0.5}}}}
	if shader.reads(call, canvas); set.Watcher != nil {
		call.Workers = 1
	}
	res, err := call.Run(ctx, canvas)
	out := &launch.Drawn{Counters: res.Counters, Width: s.Width(), Height: s.Height(), BottomUp: true,
		Vertices: res.Vertices, Triangles: res.Triangles, Time: res.Time}
	for i := range s.Targets {
		t := canvas.Targets[s.Targets[i].Index]
		out.Targets = append(out.Targets, launch.DrawnTarget{Integer: t.Format.Integer(), Pixels: t.Pixels()})
	}
	return out, err
}

// targetFormat is a format of targets, and how their pixels are compared.
type targetFormat struct {
	name    string
	compare launch.Comparison
}

// targetFormats are the formats of targets by their names in scenes.
func targetFormats() map[string]targetFormat {
	return map[string]targetFormat{
		"rgba32f": {"rgba32_float", launch.CompareFloats}, "rgba32ui": {"rgba32_uint", launch.CompareWords}, "rgba32i": {"rgba32_sint", launch.CompareSigned},
	}
}

// newCanvas creates the targets, cleared.
func newCanvas(s *Scene) *draw.Canvas {
	w, h := s.Width(), s.Height()
	c := &draw.Canvas{Width: w, Height: h, Depth: make([]float32, w*h), Targets: make([]*draw.Target, draw.MaxTargets)}
	for i := range s.Targets {
		t := &s.Targets[i]
		var clear draw.Pixel
		for k, x := range t.Clear {
			clear[k] = math.Float32bits(float32(x))
			if t.Integer() {
				clear[k] = uint32(int64(x))
			}
		}
		c.Targets[t.Index] = draw.NewTarget(draw.FormatOf(targetFormats()[t.Format].name), w, h, clear)
	}
	return c
}

func (x scene) Expected() (*launch.SceneExpected, error) {
	mask, err := x.s.ReadMask()
	if err != nil {
		return nil, err
	}
	e := &launch.SceneExpected{Mask: mask}
	for i := range x.s.Targets {
		t := &x.s.Targets[i]
		want, err := x.s.ReadExpect(i)
		if err != nil {
			return nil, err
		}
		part := launch.TargetExpected{At: i, Number: t.Index, Width: x.s.Width(), Compare: targetFormats()[t.Format].compare, Channels: t.Components,
			Tolerance: t.Compare.Abs, ToleranceRel: t.Compare.Rel, Pixels: want, Clear: &t.Clear}
		if e.Targets = append(e.Targets, part); t.ExpectBytes == "" {
			continue
		}
		if part.Pixels, err = x.s.ReadExpectBytes(i); err != nil {
			return nil, err
		}
		part.Compare, part.Tolerance, part.ToleranceRel, part.Clear = launch.CompareBytes, t.CompareBytes.Abs, 0, nil
		e.Targets = append(e.Targets, part)
	}
	return e, nil
}

func (x scene) Parts(variant string) []launch.ScenePart {
	if x.s.Fragments == "" {
		return nil
	}
	return []launch.ScenePart{{Name: "fragments", Run: func(ctx context.Context, set launch.Settings) (*launch.PartRun, error) {
		run, err := x.fragments(ctx, variant, set)
		if err != nil {
			return run, fmt.Errorf("%s %s: %w", x.s.Name, variant, err)
		}
		return run, nil
	}}}
}

// fragments runs the recorded fragments: their v[] is given, and their results are not drawn.
func (x scene) fragments(ctx context.Context, variant string, set launch.Settings) (*launch.PartRun, error) {
	f, err := x.s.ReadFragments()
	if err != nil {
		return nil, err
	}
	set.Programs = x.programs
	shader, err := newSetup(x.s, variant, set)
	if err != nil {
		return nil, err
	}
	r := shader.newRunner(ctx)
	run := x.expectedFragments(f)
	for first := 0; first < f.Launch.Lanes; first += tesla.Lanes {
		in, err := listInputs(f.Initial.Varyings, first)
		if err != nil {
			return run, err
		}
		n := min(f.Launch.Lanes-first, tesla.Lanes)
		st, err := r.run(fragmentStage, n, in)
		if run.Counters = r.count; err != nil {
			return run, err
		}
		for i := range run.Got {
			reg, err := LookupRegister(0, run.Got[i].What)
			if err != nil {
				return run, err
			}
			for lane := range n {
				run.Got[i].Values[0][first+lane] = uint32(reg.Get(st, lane))
			}
		}
	}
	return run, nil
}

// expectedFragments returns the expected values of recorded fragments, with room for the actual ones. Registers of
// discarded fragments are not compared; those of integer targets are compared exactly.
func (x scene) expectedFragments(f *Fragments) *launch.PartRun {
	lanes := f.Launch.Lanes
	run := &launch.PartRun{Unit: "registers"}
	add := func(name string, live uint64, abs float64, float bool, value func(lane int) uint32) {
		o := launch.PartOutput{What: name, Lanes: live, Bits: 32, Float: float, Abs: abs, Values: [][]uint32{make([]uint32, lanes)}}
		for lane := range lanes {
			o.Values[0][lane] = value(lane)
		}
		run.Want = append(run.Want, o)
		o.Values = [][]uint32{make([]uint32, lanes)}
		run.Got = append(run.Got, o)
	}
	kept := ^uint64(0) >> (64 - lanes)
	if len(f.Final.Discarded) > 0 {
		add(killName, kept, 0, false, func(lane int) uint32 {
			if f.Final.Discarded[lane] {
				kept &^= 1 << lane
				return 1
			}
			return 0
		})
	}
	integers := map[string]bool{}
	for i := range x.s.Targets {
		for _, n := range x.s.Targets[i].Registers {
			integers[regName(n)] = x.s.Targets[i].Integer()
		}
	}
	names := slices.SortedFunc(maps.Keys(f.Final.Regs), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) // r9 before r10
	})
	for _, name := range names {
		w := f.Final.Regs[name]
		abs := f.Compare.Abs
		if integers[name] || f.Compare.Type != "f32" {
			abs = 0
		}
		add(name, kept, abs, abs > 0, func(lane int) uint32 { return uint32(w.Lane(lane)) })
	}
	return run
}

func regName(n int) string { return fmt.Sprintf("r%d", n) }
