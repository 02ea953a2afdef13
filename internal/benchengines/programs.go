package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/launch"
)

// A program is a compute program without a manifest: an example, with more data.
type program struct {
	isa, name     string
	groups, block [3]uint32
	groupBytes    int
	words         []uint32 // arguments after the addresses of the buffers
	in            []uint32 // seeds of the inputs, each as large as the result
	size          int      // of the result, in words
}

var programList = []program{
	{"valhall", "transpose", [3]uint32{96, 64, 1}, [3]uint32{16, 16, 1}, 1088, []uint32{1536, 1024}, []uint32{23}, 1536 * 1024},
	{"tesla:g80", "scan", [3]uint32{2048, 1, 1}, [3]uint32{256, 1, 1}, 1040, nil, []uint32{20}, 256 * 2048},
	{"rogue", "over", [3]uint32{6144, 1, 1}, [3]uint32{96, 1, 1}, 0, []uint32{96}, []uint32{21, 22}, 96 * 6144},
}

// programs returns the workloads of programList.
func programs(root string) (list []*workload) {
	for _, p := range programList {
		list = append(list, &workload{set: p.set(), name: p.name, group: programsAre, prepare: func(ctx context.Context, s launch.Settings) (runner, error) {
			text, err := os.ReadFile(filepath.Join(root, "examples", p.name, p.name+".s"))
			if err != nil {
				return nil, err
			}
			return p.prepare(ctx, string(text), s)
		}})
	}
	return list
}

func (p *program) set() string {
	set, _, _ := strings.Cut(p.isa, ":")
	return set
}

// prepare assembles the program.
func (p *program) prepare(ctx context.Context, text string, set launch.Settings) (runner, error) {
	t, err := sets.Lookup(p.isa)
	if err != nil {
		return nil, err
	}
	r, errs := asm.AssembleToRun(t, []byte(text), asm.Options{File: p.name + ".s", NoLines: true})
	if len(errs) > 0 {
		return nil, errors.New(errs[0].Detail())
	}
	return func() (outcome, error) { return p.run(ctx, r, set) }, nil
}

// run launches the program on new buffers.
func (p *program) run(ctx context.Context, r *asm.Assembly, set launch.Settings) (out outcome, err error) {
	code, err := r.Target.Runnable(r.Base, r.Code, r.Bundles)
	if err != nil {
		return out, err
	}
	compute := platforms.Lookup(p.set()).Compute
	k := &launch.Kernel{Name: p.name, Program: exec.NewProgram(code), Entry: r.Base, Groups: p.groups, Block: p.block, GroupBytes: p.groupBytes}
	args := compute.Arguments(k)
	for i := 0; i <= len(p.in); i++ {
		b := &launch.Buffer{Name: fmt.Sprint(i), Data: make([]byte, 4*p.size)}
		if i < len(p.in) {
			in, err := contents.Parse(fmt.Sprintf("u32:rand:%d:%d", p.in[i], p.size))
			if err != nil {
				return out, err
			}
			in.Fill(b.Data)
		}
		if err := args.Add(b, false); err != nil {
			return out, err
		}
		args.Pass(b)
	}
	for _, w := range p.words {
		args.Word(uint64(w), 4)
	}
	var result *launch.Result
	err = timed(&out, func() (err error) {
		result, err = compute.Launch(ctx, k, set)
		return err
	})
	if err == nil {
		out.sum, out.instructions = sha256.Sum256(k.Buffers[len(p.in)].Data), result.Instructions
	}
	return out, err
}
