package rogue

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// Limits of a compute launch. docs/reference/rogue.md 7.1.
const (
	maxBlock  = 1024 // instances of a workgroup
	maxShared = 4096 // words of sh
)

// DefaultTotal is the limit of a launch in guest groups, counted once per task, if none is given.
const DefaultTotal = 1_000_000_000

// A Buffer is memory that the program may read and write.
type Buffer struct {
	Name string
	Addr uint64
	Data []byte // initial contents; after the launch, final contents
	// InPlace lets the program access Data itself, not a copy. Addr and the address of Data in the host must be equal
	// modulo mem.Align.
	InPlace  bool
	ReadOnly bool // for the program
}

// A Kernel is a compute program and its initial state.
type Kernel struct {
	Name    string
	Target  *isa.Target // of its code; its options count
	Code    []byte
	Base    uint64       // address of Code, which is also the entry
	Bundles []isa.Bundle // the groups, if one of them has no public encoding; nil: Code holds all
	Groups  [3]uint32
	Block   [3]uint32 // instances of a workgroup
	Shared  []uint32  // from sh0 up
	Buffers []*Buffer
}

// Launch runs the kernel. Afterwards Data of Buffers holds the final contents, also after a fault, which is an
// *exec.Fault.
func (k *Kernel) Launch(ctx context.Context, set launch.Settings) (*launch.Result, error) {
	l, err := k.launch(set)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	return l.Run(ctx)
}

// launch prepares the kernel.
func (k *Kernel) launch(set launch.Settings) (*launch.Launch, error) {
	if err := k.check(); err != nil {
		return nil, err
	}
	if set.Limits.Total == 0 {
		set.Limits.Total = DefaultTotal
	}
	env, err := k.env()
	if err != nil {
		return nil, err
	}
	code, err := k.Target.RunnableFrom(set.Map, k.Base, k.Code, k.Bundles)
	if err != nil {
		return nil, err
	}
	return set.Of(&launch.Launch{
		Kernel: k.Name, Program: exec.NewProgram(code), Entry: ir.Key{PC: k.Base},
		Grid: launch.Grid{Groups: k.Groups, Block: k.Block}, Lanes: rogue.Lanes, Target: &tasks{k}, Env: env,
	}), nil
}

// check rejects values that no launch can encode.
func (k *Kernel) check() error {
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
	switch {
	case len(k.Code) == 0:
		return fmt.Errorf("there is no code")
	case len(k.Shared) > maxShared:
		return fmt.Errorf("%d shared words; there are sh0 to sh%d", len(k.Shared), maxShared-1)
	}
	return nil
}

// env returns the memory that all instances can access: buffers in global memory.
func (k *Kernel) env() (env exec.Env, err error) {
	global := &mem.Space{Name: "global"}
	for _, b := range k.Buffers {
		if end, over := bits.Add64(b.Addr, uint64(len(b.Data)), 0); over != 0 || end > object.ValhallEnd {
			return env, fmt.Errorf("buffer %s: %s at %#x; buffers lie below %#x", b.Name, spell.Count(len(b.Data), "byte"), b.Addr, uint64(object.ValhallEnd))
		}
		g := mem.SegmentOf(b.Name, b.Addr, b.Data, b.ReadOnly, b.InPlace)
		if err := global.Add(g); err != nil {
			return env, err
		}
		b.Data = g.Data[:len(b.Data):len(b.Data)] // the memory that the program accesses
	}
	env.Spaces[ir.GlobalSpace] = []*mem.Space{global}
	env.ImageOf = NewResources(global).Of
	env.Outputs = oneVertex{}
	return env, nil
}

// tasks starts the tasks of a kernel. It implements launch.Target.
type tasks struct{ k *Kernel }

// Again implements launch.Steady.
func (*tasks) Again(g *launch.Group, wave int, st *exec.State) { initTask(g, wave, st) }

func (t *tasks) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (t *tasks) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	for i, v := range t.k.Shared {
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
