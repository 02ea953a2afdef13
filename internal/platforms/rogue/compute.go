package rogue

import (
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
)

// Limits of a compute launch. docs/reference/rogue.md 7.1.
const (
	maxBlock  = 1024 // instances of a workgroup
	maxShared = 4096 // words of sh
)

// compute describes launches of compute programs. Arguments are shared registers from sh0 up. Buffers have addresses of
// more than 32 bits, so that a program that drops the high word faults.
var compute = &launch.Compute{
	Machine: rogue.Machine(),
	Layout: func(string) launch.Layout {
		return launch.Layout{Number: 4, Pointer: 8, First: 1 << 32, Align: 1 << 16}
	},
	End:     casefile.ValhallEnd,
	Prepare: prepareKernel,
	Code: func(b *casefile.Build, options map[string]string, code []byte) (ir.Code, error) {
		bundles, _ := b.Instructions.([]isa.Bundle) // nil: the code holds all
		return rogue.Set().Code(b.Variant, options, b.From, b.Address, code, bundles)
	},
}

// prepareKernel returns the launch of a kernel.
func prepareKernel(k *launch.Kernel, env exec.Env) (*launch.Launch, error) {
	if err := check(k); err != nil {
		return nil, err
	}
	env.ImageOf = NewResources(launch.Global(&env)).Of
	env.Outputs = oneVertex{}
	return &launch.Launch{Lanes: rogue.Lanes, Target: &tasks{k.Words()}, Env: env}, nil
}

// check rejects values that no launch can encode.
func check(k *launch.Kernel) error {
	instances := uint64(1)
	for i := range 3 {
		n := uint64(k.Block[i])
		if n == 0 || n > maxBlock || instances*n > maxBlock {
			return launch.BlockErrorf("work-groups of %v instances; want 1 to %d in all", k.Block, maxBlock)
		}
		instances *= n
		if all := n * uint64(k.Groups[i]); all == 0 || all > 1<<32 {
			return fmt.Errorf("grid of %v work-groups of %v instances; want 1 to 2^32 instances on each axis", k.Groups, k.Block)
		}
	}
	if len(k.Args) > 4*maxShared {
		return fmt.Errorf("%d shared words; there are sh0 to sh%d", (len(k.Args)+3)/4, maxShared-1)
	}
	return nil
}

// tasks starts the tasks of a kernel. It implements launch.Target.
type tasks struct{ shared []uint32 }

var _ launch.Restartable = (*tasks)(nil)

// Restart implements launch.Restartable.
func (*tasks) Restart(g *launch.Group, wave int, st *exec.State) { initTask(g, wave, st) }

func (t *tasks) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (t *tasks) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	for i, v := range t.shared {
		st.Set(ir.Cell{File: rogue.FileSh, Index: uint16(i)}, 0, v)
	}
	initTask(g, wave, st)
	return nil
}

// initTask sets the initial registers of a task: the workgroup's ID in cf0 to cf2 and its index in SR 102, the ID of
// each instance in vi0 and vi1 and its index in the workgroup in SR 112. docs/reference/rogue.md 7.1.
func initTask(g *launch.Group, wave int, st *exec.State) {
	for i, v := range g.ID {
		st.Set(ir.Cell{File: rogue.FileCf, Index: uint16(i)}, 0, v)
	}
	row := func(file uint8, n uint16) []uint32 { return st.Row(ir.Cell{File: file, Index: n}) }
	group, local := row(rogue.FileSr, rogue.SpecialGroup), row(rogue.FileSr, rogue.SpecialLocal)
	x, yz := row(rogue.FileVi, 0), row(rogue.FileVi, 1)
	for m := g.Lanes(wave, st.Lanes); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		at := g.Item(wave, st.Lanes, lane)
		group[lane], local[lane] = uint32(g.Index), uint32(wave*st.Lanes+lane)
		x[lane], yz[lane] = at[0], at[1]|at[2]<<16
	}
}
