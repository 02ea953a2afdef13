package main

import (
	"context"
	"crypto/sha256"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/render"
	"github.com/heddle-gpu/heddle/launch"
)

// A workload is something to run on any engine.
type workload struct {
	set, name, group string
	row              *row // of a kernel in OpenCL C; otherwise nil
	prepare          func(ctx context.Context, s launch.Settings) (runner, error)
}

// A runner runs a workload once, always from the same initial state.
type runner func() (outcome, error)

// An outcome is the time and the result of a run.
type outcome struct {
	time         time.Duration // processor time of the engine's part
	wall         time.Duration // the same in wall-clock time
	sum          [32]byte      // of all results
	instructions uint64        // guest instructions, once per wave
	left         [][]byte      // of a kernel in OpenCL C: its buffers by argument
}

// timed runs f and measures it, with garbage collection before and not during the run: it would add to the time, or
// occupy the processor of a second worker.
func timed(o *outcome, f func() error) error {
	runtime.GC()
	start, clock := used(), time.Now()
	err := f()
	o.time, o.wall = used()-start, time.Since(clock)
	return err
}

// workloads returns all workloads, in the order of reports.
func workloads(root string) (list []*workload) {
	for i := range rows {
		r := &rows[i]
		list = append(list, &workload{set: "gcn", name: r.name, group: group(r.name), row: r, prepare: func(ctx context.Context, set launch.Settings) (runner, error) {
			k, err := r.load(root, 1)
			if err != nil {
				return nil, err
			}
			return k.prepare(ctx, set)
		}})
	}
	list = append(list, programs(root)...)
	for _, s := range []struct {
		set, name string
		times     int
	}{{"attila", "cube", 4}, {"tesla", "torus", 2}, {"valhall", "knot", 3}, {"rogue", "rope", 2}} {
		list = append(list, scene(s.set, s.name+" scene", filepath.Join(root, "examples", s.name, "scene.json"), s.times))
	}
	return append(list, recorded(filepath.Join(root, "cases", "render", "gcn", "mvp_cube", "scene.json")))
}

// scene returns a scene as render draws it, with times the width and height, so that the reference takes about a
// second. It is loaded once, and compiled code is kept between runs, as for kernels.
func scene(set, name, file string, times int) *workload {
	return &workload{set: set, name: name, group: scenesAre, prepare: func(ctx context.Context, set launch.Settings) (runner, error) {
		s, err := casefile.ReadSceneFile(file)
		if err != nil {
			return nil, err
		}
		s.Width, s.Height = times*s.Width, times*s.Height
		p, err := render.Prepare(ctx, s, render.Options{Engine: set.Engine, Workers: set.Workers})
		if err != nil {
			return nil, err
		}
		picture := image.NewNRGBA(image.Rect(0, 0, s.Width, s.Height))
		return drawing(func() (*render.Result, error) { return p.Draw(ctx, picture) }), nil
	}}
}

// recorded returns a recorded draw of GCN.
func recorded(file string) *workload {
	return &workload{set: "gcn", name: "mvp_cube scene", group: scenesAre, prepare: func(ctx context.Context, set launch.Settings) (runner, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		scenes := platforms.Scenes(casefile.GCNSceneFile)
		s, err := scenes.Read(f, file)
		if err != nil {
			return nil, err
		}
		o := render.Options{Engine: set.Engine, Workers: set.Workers}
		return drawing(func() (*render.Result, error) {
			return render.Recorded(ctx, scenes.ISA, file, s, "gfx8", s.Targets()[0], o)
		}), nil
	}}
}

func drawing(draw func() (*render.Result, error)) runner {
	return func() (out outcome, err error) {
		var r *render.Result
		err = timed(&out, func() (err error) {
			r, err = draw()
			return err
		})
		if err != nil {
			return out, err
		}
		out.sum, out.instructions = sha256.Sum256(r.Image.Pix), r.Instructions
		return out, nil
	}
}
