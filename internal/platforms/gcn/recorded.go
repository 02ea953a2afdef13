package gcn

import (
	"context"
	"fmt"
	"io"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/launch"
)

// Scenes provides this package to tools.
var Scenes = &launch.Scenes{ISA: "gcn", Kind: casefile.GCNSceneFile, Keys: sceneKeys, Read: func(r io.Reader, file string) (launch.Scene, error) {
	s, err := ReadScene(r, file)
	if err != nil {
		return nil, err
	}
	return recorded{s, &launch.Programs{}}, nil
}}

func sceneKeys() []string { return jsonfile.Keys(Scene{}) }

// A recorded adapts a recorded draw to launch.Scene.
type recorded struct {
	s        *Scene
	programs *launch.Programs
}

func (r recorded) Name() string  { return r.s.Name }
func (r recorded) AllowOutside() { r.s.AllowOutside = true }

func (r recorded) Variants() (names []string) {
	for _, v := range r.s.Variants {
		names = append(names, v.Name)
	}
	return names
}

func (r recorded) Targets() (numbers []int) {
	for i := range r.s.Targets {
		numbers = append(numbers, r.s.Targets[i].Index)
	}
	return numbers
}

func (r recorded) Draw(ctx context.Context, variant string, set launch.Settings) (*launch.Drawn, error) {
	set.Programs = r.programs
	return Draw(ctx, r.s, r.s.Variant(variant), set)
}

// comparisonOf returns a comparison of Target by name, and the number of channels.
func comparisonOf(name string) (how launch.Comparison, channels int) {
	switch name {
	case "rgba8":
		return launch.CompareBytes, 4
	case "f32":
		return launch.CompareFloats, 4
	}
	return launch.CompareWord, 1 // u32: the reader has rejected others
}

func (r recorded) Expected() (*launch.SceneExpected, error) {
	mask, err := r.s.ReadMask()
	if err != nil {
		return nil, err
	}
	e := &launch.SceneExpected{Mask: mask}
	for i := range r.s.Targets {
		t := &r.s.Targets[i]
		if t.Compare == "" {
			continue
		}
		want, err := r.s.ReadExpect(i)
		if err != nil {
			return nil, err
		}
		how, channels := comparisonOf(t.Compare)
		e.Targets = append(e.Targets, launch.TargetExpected{At: i, Number: t.Index, Width: r.s.Size[0], Compare: how, Channels: channels,
			Tolerance: t.Tolerance, ToleranceRel: t.ToleranceRel, Pixels: want})
	}
	for i := range r.s.After {
		want, err := r.s.ReadAfter(i)
		if err != nil {
			return nil, err
		}
		e.Buffers = append(e.Buffers, launch.BufferExpected{Name: r.s.After[i].Name, Data: want})
	}
	return e, nil
}

func (r recorded) Parts(variant string) []launch.ScenePart {
	v := r.s.Variant(variant)
	if v.Sample == nil {
		return nil
	}
	return []launch.ScenePart{{Name: "sample wave", Run: func(ctx context.Context, set launch.Settings) (*launch.PartRun, error) {
		set.Programs = r.programs
		got, count, err := Sample(ctx, r.s, v, set)
		run := &launch.PartRun{Unit: "exports", Got: outputs(got), Want: outputs(v.Sample.Exports)}
		if count != nil {
			run.Counters = *count
		}
		return run, err
	}}}
}

// outputs converts exports to the form in which tools compare them.
func outputs(list []Export) (out []launch.PartOutput) {
	for i := range list {
		e := &list[i]
		o := launch.PartOutput{What: fmt.Sprintf("export %d to %s", i, e.Target), Lanes: e.Exec, Values: make([][]uint32, len(e.Values)), Bits: 32, Float: true,
			Form: fmt.Sprintf("%s enable %#x compr %v vm %v done %v exec %#x", e.Target, e.Enable, e.Compressed, e.Valid, e.Done, e.Exec)}
		if e.Compressed {
			o.Bits = 16
		}
		for k := range e.Values {
			if e.Enable>>k&1 != 0 {
				o.Values[k] = e.Values[k]
			}
		}
		out = append(out, o)
	}
	return out
}
