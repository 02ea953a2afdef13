package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/render"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A workload is something to run on any engine.
type workload struct {
	set, name string
	cl        *clKernel // the kernel to run natively; nil: none
	// more returns cl with times as much work, or cl itself if it ignores times; nil without cl.
	more    func(times int) *clKernel
	prepare func(ctx context.Context, e exec.Engine, workers int) (runner, error)
}

// A runner runs a workload once, always from the same initial state.
type runner func() (outcome, error)

// An outcome is the time and the result of a run.
type outcome struct {
	time         time.Duration // processor time of the engine's part
	wall         time.Duration // the same in wall-clock time
	sum          [32]byte      // of all results
	instructions uint64        // guest instructions, once per wave
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
func workloads(root string) (list []*workload, err error) {
	for i := range clKernels {
		k := clKernels[i](root, 1)
		more := func(times int) *clKernel { return clKernels[i](root, times) }
		list = append(list, &workload{set: "gcn", name: k.name, cl: k, more: more, prepare: k.prepare})
	}
	list = append(list, programs(root)...)
	for _, s := range []struct {
		set, name string
		times     int
	}{{"attila", "cube", 4}, {"tesla", "torus", 2}, {"valhall", "knot", 3}, {"rogue", "rope", 2}} {
		list = append(list, scene(s.set, s.name+" scene", filepath.Join(root, "examples", s.name, "scene.json"), s.times))
	}
	return append(list, recorded(filepath.Join(root, "cases", "render", "gcn", "mvp_cube", "scene.json"))), nil
}

// A clKernel is a kernel of OpenCL C, compiled for gfx803.
type clKernel struct {
	name         string
	source, code string // files
	include      string // file that a native compiler needs before the source
	grid, block  [3]uint32
	args         []clArg
}

// A clArg is a buffer with initial data, or a number.
type clArg struct {
	data  []byte
	typ   string
	bytes int
	bits  uint64
}

func buffer[T any](words []T) clArg {
	data, err := binary.Append(nil, binary.LittleEndian, words)
	if err != nil {
		panic(err)
	}
	return clArg{data: data}
}

func zeros(n int) clArg      { return clArg{data: make([]byte, n)} }
func i32(v int32) clArg      { return clArg{typ: "i32", bytes: 4, bits: uint64(uint32(v))} }
func u32(v uint32) clArg     { return clArg{typ: "u32", bytes: 4, bits: uint64(v)} }
func f32arg(v float32) clArg { return clArg{typ: "f32", bytes: 4, bits: uint64(math.Float32bits(v))} }

// prepare loads the code; compiled code is kept between runs.
func (k *clKernel) prepare(ctx context.Context, e exec.Engine, workers int) (runner, error) {
	data, err := os.ReadFile(k.code)
	if err != nil {
		return nil, err
	}
	o, err := object.ReadHSAFile(data, k.code)
	if err != nil {
		return nil, err
	}
	module, err := gcn.Load(o, nil)
	if err != nil {
		return nil, err
	}
	return func() (out outcome, err error) {
		l := gcn.Kernel{Module: module, Name: k.name, Grid: k.grid, Block: k.block, Memory: gcn.NewMemory()}
		for i, a := range k.args {
			arg, err := k.arg(l.Memory, i, &a)
			if err != nil {
				return out, err
			}
			l.Args = append(l.Args, arg)
		}
		var r *launch.Result
		err = timed(&out, func() (err error) {
			r, err = gcn.Launch(ctx, l, launch.Settings{Engine: e, Workers: workers})
			return err
		})
		h := sha256.New()
		for _, b := range l.Memory.Buffers() {
			h.Write(b.Data)
		}
		h.Sum(out.sum[:0])
		out.instructions = r.Instructions
		return out, err
	}, nil
}

func (k *clKernel) arg(m *gcn.Memory, i int, a *clArg) (gcn.Arg, error) {
	if a.data == nil {
		return gcn.Number(a.typ, a.bits)
	}
	b, err := m.Alloc(fmt.Sprintf("arg%d", i), len(a.data))
	if err != nil {
		return gcn.Arg{}, err
	}
	copy(b.Data, a.data)
	return gcn.Buf(b), nil
}

// scene returns a scene as render draws it, with times the width and height, so that the reference takes about a
// second. It is loaded once, and compiled code is kept between runs, as for kernels.
func scene(set, name, file string, times int) *workload {
	return &workload{set: set, name: name, prepare: func(ctx context.Context, e exec.Engine, workers int) (runner, error) {
		s, err := casefile.ReadSceneFile(file)
		if err != nil {
			return nil, err
		}
		s.Width, s.Height = times*s.Width, times*s.Height
		p, err := render.Prepare(ctx, s, render.Options{Engine: e, Workers: workers})
		if err != nil {
			return nil, err
		}
		picture := image.NewNRGBA(image.Rect(0, 0, s.Width, s.Height))
		return drawing(func() (*render.Result, error) { return p.Draw(ctx, picture) }), nil
	}}
}

// recorded returns a recorded draw of GCN.
func recorded(file string) *workload {
	return &workload{set: "gcn", name: "mvp_cube scene", prepare: func(ctx context.Context, e exec.Engine, workers int) (runner, error) {
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
		o := render.Options{Engine: e, Workers: workers}
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

// random returns numbers that look random but are always the same.
func random(n int, seed uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		seed = seed*1664525 + 1013904223
		list[i] = seed ^ seed>>13
	}
	return list
}

// fractions returns such numbers between from and to.
func fractions(n int, seed uint32, from, to float32) []float32 {
	list := make([]float32, n)
	for i, x := range random(n, seed) {
		list[i] = from + (to-from)*float32(x>>8)/(1<<24)
	}
	return list
}

// sums returns the running sums, from 0, of n numbers below most.
func sums(n int, seed, most uint32) []uint32 {
	list := []uint32{0}
	for _, x := range random(n, seed) {
		list = append(list, list[len(list)-1]+x>>3%most)
	}
	return slices.Clip(list)
}
