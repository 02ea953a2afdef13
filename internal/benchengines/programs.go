package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/rogue"
	"github.com/heddle-gpu/heddle/launch/tesla"
	"github.com/heddle-gpu/heddle/launch/valhall"
)

// source assembles a program of the examples.
func source(set, file string) (*asm.Assembly, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := all.Lookup(set)
	if err != nil {
		return nil, err
	}
	r, errs := asm.AssembleToRun(t, text, asm.Options{File: file, NoLines: true})
	if len(errs) > 0 {
		return nil, errors.New(errs[0].Detail())
	}
	return r, nil
}

// programs returns compute programs without a manifest: the examples, with more data.
func programs(root string) []*workload {
	return []*workload{
		{set: "valhall", name: "transpose", prepare: func(ctx context.Context, e exec.Engine, workers int) (runner, error) {
			r, err := source("valhall", filepath.Join(root, "examples", "transpose", "transpose.s"))
			if err != nil {
				return nil, err
			}
			return func() (outcome, error) { return transpose(ctx, e, workers, r) }, nil
		}},
		{set: "tesla", name: "scan", prepare: func(ctx context.Context, e exec.Engine, workers int) (runner, error) {
			r, err := source("tesla:g80", filepath.Join(root, "examples", "scan", "scan.s"))
			if err != nil {
				return nil, err
			}
			return func() (outcome, error) { return scan(ctx, e, workers, r.Target, r.Code) }, nil
		}},
		{set: "rogue", name: "over", prepare: func(ctx context.Context, e exec.Engine, workers int) (runner, error) {
			r, err := source("rogue", filepath.Join(root, "examples", "over", "over.s"))
			if err != nil {
				return nil, err
			}
			return func() (outcome, error) { return over(ctx, e, workers, r) }, nil
		}},
	}
}

// transpose transposes a matrix.
func transpose(ctx context.Context, e exec.Engine, workers int, r *asm.Assembly) (out outcome, err error) {
	const width, height, first, size = 1536, 1024, 1 << 32, 1 << 23
	words := buffer(random(width*height, 23)).data
	left := &valhall.Buffer{Name: "result", Addr: first + size, Data: make([]byte, len(words))}
	k := &valhall.Kernel{Name: "transpose", Target: r.Target, Code: r.Code, Base: r.Base, Groups: [3]uint32{width / 16, height / 16, 1}, Block: [3]uint32{16, 16, 1}, Shared: 1088,
		Buffers: []*valhall.Buffer{{Name: "matrix", Addr: first, Data: words}, left}}
	for _, b := range k.Buffers {
		k.Uniform = append(k.Uniform, uint32(b.Addr), uint32(b.Addr>>32))
	}
	k.Uniform = append(k.Uniform, width, height)
	return launched(func() (*launch.Result, error) { return k.Launch(ctx, launch.Settings{Engine: e, Workers: workers}) }, left.Data)
}

// scan computes prefix sums of blocks of 256 words.
func scan(ctx context.Context, e exec.Engine, workers int, t *isa.Target, code []byte) (out outcome, err error) {
	const blocks, in, sums = 2048, 0x10000, 0x400000
	words := buffer(random(256*blocks, 20)).data
	k := &tesla.Kernel{Name: "scan", Target: t, Code: code, ABI: tesla.CUDA, Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{256, 1, 1}, Shared: 1040}
	left := &tesla.Buffer{Name: "sums", Bank: 14, Addr: sums, Data: make([]byte, len(words))}
	k.Buffers = []*tesla.Buffer{{Name: "in", Bank: 14, Addr: in, Data: words}, left}
	k.Params = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, in), sums)
	return launched(func() (*launch.Result, error) { return k.Launch(ctx, launch.Settings{Engine: e, Workers: workers}) }, left.Data)
}

// over blends one picture over another, row by row.
func over(ctx context.Context, e exec.Engine, workers int, r *asm.Assembly) (out outcome, err error) {
	const width, rows, first, size = 96, 6144, 1 << 32, 1 << 22
	k := &rogue.Kernel{Name: "over", Target: r.Target, Code: r.Code, Base: r.Base, Bundles: r.Bundles, Groups: [3]uint32{rows, 1, 1}, Block: [3]uint32{width, 1, 1}}
	pixels := buffer(random(width*rows, 21)).data
	left := &rogue.Buffer{Name: "out", Addr: first + 2*size, Data: make([]byte, len(pixels))}
	k.Buffers = []*rogue.Buffer{{Name: "lower", Addr: first, Data: pixels}, {Name: "upper", Addr: first + size, Data: buffer(random(width*rows, 22)).data}, left}
	for _, b := range k.Buffers {
		k.Shared = append(k.Shared, uint32(b.Addr), uint32(b.Addr>>32))
	}
	k.Shared = append(k.Shared, width)
	return launched(func() (*launch.Result, error) { return k.Launch(ctx, launch.Settings{Engine: e, Workers: workers}) }, left.Data)
}

// launched returns the outcome of a launch with its results in data.
func launched(run func() (*launch.Result, error), data []byte) (out outcome, err error) {
	var r *launch.Result
	err = timed(&out, func() (err error) {
		r, err = run()
		return err
	})
	if err == nil {
		out.sum, out.instructions = sha256.Sum256(data), r.Instructions
	}
	return out, err
}
