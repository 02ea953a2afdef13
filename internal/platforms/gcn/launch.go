package gcn

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// A Kernel describes a launch. An axis of Grid or Block that is 0 counts as 1, except for x.
type Kernel struct {
	Module *Module
	Name   string
	Grid   [3]uint32 // work-items; the last groups of an axis may be partial
	Block  [3]uint32 // work-items of a workgroup
	Offset [3]uint64 // added to global ids
	Dims   int       // the result of get_work_dim; 0: up to the last axis with more than one work-item
	Args   []Arg     // as the kernel declares them, without hidden ones
	Memory *Memory   // all its buffers can be accessed, whether or not they are arguments
	// Kernarg holds the bytes of the kernel arguments, in place of Args; hidden ones after its end are filled in.
	Kernarg []byte
	// Registers are set last, just before a wave starts.
	Registers []InitRegister
	// Stack is the scratch of a lane in bytes, for kernels whose own size is only a lower bound because they call
	// functions through pointers or recurse; 0: DefaultStack.
	Stack uint32
	// Fill is the value of registers that the launch conventions leave undefined.
	Fill uint32
}

const (
	// DefaultStack is the scratch of a lane of a kernel with a dynamic stack, in bytes.
	DefaultStack = 16 << 10

	waveLanes  = 64
	maxGroup   = 1024
	maxLDS     = 64 << 10
	maxKernarg = 1 << 20
)

// Launch runs a kernel to its end. Buffers hold its results, up to the fault if the error is one. s.Print receives what
// the kernel prints when the launch has ended, also by a fault.
func Launch(ctx context.Context, k Kernel, s launch.Settings) (*launch.Result, error) {
	share := shares.Get().(*mem.Space)
	l, err := prepare(&k, &s, share)
	if err != nil {
		return &launch.Result{}, err
	}
	res, fault := l.Run(ctx)
	for _, g := range share.Segments() {
		clear(g.Data)
	}
	shares.Put(share)
	if err := l.Target.(*dispatch).print(); err != nil {
		return res, errors.Join(fault, err)
	}
	return res, fault
}

// NewLaunch checks a kernel and its arguments and returns the launch that Launch would run, for callers that run it in
// steps. Such a launch prints nothing.
func NewLaunch(k Kernel, s launch.Settings) (*launch.Launch, error) { return prepare(&k, &s, NewGDS()) }

// A dispatch is one launch: the launch.Target that starts its waves.
type dispatch struct {
	k       *Kernel
	set     *launch.Settings
	kernel  *object.Kernel
	grid    launch.Grid
	lds     uint32 // bytes, fixed and dynamic
	dynamic uint32 // bytes of lds that arguments request
	kernarg []byte
	passed  [][2]int      // ranges of kernarg that arguments are in; the rest is padding
	own     []mem.Segment // what hidden arguments point to
	printed []byte        // the printf buffer, nil if the kernel has none
	space   *mem.Space    // without scratch
	scratch scratch
	start   *waveStart
}

// shares are global data shares of zeros, which launches that ended leave for later ones: to make one takes longer than
// a small launch.
var shares = sync.Pool{New: func() any { return NewGDS() }}

// prepare makes all checks that are possible before a wave runs. share is the global data share.
func prepare(k *Kernel, set *launch.Settings, share *mem.Space) (*launch.Launch, error) {
	if k.Module == nil || set.Engine == nil {
		return nil, fmt.Errorf("gcn: a launch needs a module and an engine")
	}
	if k.Memory == nil {
		k.Memory = NewMemory()
	}
	kernel, err := k.Module.kernel(k.Name)
	if err != nil {
		return nil, err
	}
	d := &dispatch{k: k, set: set, kernel: kernel}
	for _, step := range []func() error{d.setGrid, d.setArgs, d.setScratch, d.setSpace} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("gcn: kernel %s: %w", k.Name, err)
		}
	}
	offset := func(_ *launch.Group, wave int) uint64 { return d.scratch.offset(wave) }
	d.start = newWaveStart(&kernel.Descriptor, d.userWords(), d.grid.Block, offset)
	var turns *mem.Space
	d.start.order, turns = orderOf(k.Module.initiatorOf(&kernel.Descriptor), &d.grid)
	entry := kernel.Entry + k.Module.bias
	p, ok := k.Module.programAt(entry)
	if !ok {
		return nil, fmt.Errorf("gcn: kernel %s: no code at its entry %#x", k.Name, kernel.Entry)
	}
	l := &launch.Launch{
		Kernel: k.Name, Program: p, Entry: ir.Key{PC: entry, Mode: d.start.regs.mode & p.Machine().ModeMask},
		Grid: d.grid, Lanes: waveLanes, Target: d, GroupBytes: int(d.lds),
		Env: environment(d.space, share, turns, NewImages(d.space, k.Module.tiling)),
	}
	if kernel.DescriptorAddr != 0 { // bare code has none
		l.Vector, l.Scalar = kernel.Descriptor.VGPRs(), allocatedSGPRs(&kernel.Descriptor)
	}
	if d.scratch.lane != 0 {
		l.Own = d.scratch.extent
	}
	if base, ok := scratchIn(&kernel.Descriptor, d.userRegisters()); ok && k.Module.scratchWave != 0 && set.Watcher != nil {
		if l.Env.Spaces[ir.GlobalSpace][0], l.Own, err = apart(d.space, base, k.Module.scratchWave, wavesOf(d.grid.Block)); err != nil {
			return nil, fmt.Errorf("gcn: kernel %s: %w", k.Name, err)
		}
	}
	return d.start.order.of(set.Of(l)), nil
}

// environment returns what the waves of a compute launch can access: memory, the global data share, the turns of
// ordered append, images, and LDS by flat addresses.
func environment(global, share, turns *mem.Space, images *Images) exec.Env {
	return exec.Env{
		Spaces:    exec.Spaces{ir.GlobalSpace: {global, gcn.BankGDS: share, gcn.BankOrder: turns}},
		Windows:   []exec.Window{{Base: SharedBase, Size: 1 << 32, Space: ir.GroupSpace}},
		Resources: exec.Resources{ImageOf: images.Of},
	}
}

// groupSize returns the number of work-items of a group, at most maxGroup+1.
func groupSize(block [3]uint32) uint64 {
	size := uint64(1)
	for _, n := range block {
		size = min(size*uint64(n), maxGroup+1)
	}
	return size
}

// setGrid creates the grid and checks it against the kernel's requirements.
func (d *dispatch) setGrid() error {
	k := d.k
	dims := 1
	for i := range 3 {
		if i > 0 {
			k.Grid[i], k.Block[i] = max(k.Grid[i], 1), max(k.Block[i], 1)
		}
		if k.Grid[i] > 1 {
			dims = i + 1
		}
	}
	if k.Dims == 0 {
		k.Dims = dims
	}
	size := groupSize(k.Block)
	switch {
	case k.Grid[0] == 0 || k.Block[0] == 0:
		return fmt.Errorf("grid %v in groups of %v: axis x is 0", k.Grid, k.Block)
	case size > maxGroup:
		return launch.BlockErrorf("groups of %v have more than %d work-items", k.Block, maxGroup)
	case k.Dims < dims || k.Dims > 3:
		return fmt.Errorf("grid %v does not have %d dimensions", k.Grid, k.Dims)
	}
	d.grid = launch.Cover(k.Grid, k.Block)
	if d.kernel.Meta == nil {
		return nil
	}
	return checkGroup(k, d.kernel.Meta, uint32(size))
}

// checkGroup compares the group size with the size that the kernel was compiled for.
func checkGroup(k *Kernel, meta *object.KernelMetadata, size uint32) error {
	switch {
	case meta.MaxFlatGroup != 0 && size > meta.MaxFlatGroup:
		return launch.BlockErrorf("groups of %v have %d work-items; the kernel was compiled for %d at most (max_flat_workgroup_size)", k.Block, size, meta.MaxFlatGroup)
	case meta.ReqdGroup != [3]uint32{} && meta.ReqdGroup != k.Block:
		return launch.BlockErrorf("groups of %v; the kernel was compiled for %v (reqd_workgroup_size)", k.Block, meta.ReqdGroup)
	case meta.WaveSize != 0 && meta.WaveSize != waveLanes:
		return fmt.Errorf("compiled for waves of %d lanes, not %d", meta.WaveSize, waveLanes)
	}
	for i := range 3 {
		if meta.UniformGroups && k.Grid[i]%k.Block[i] != 0 {
			return fmt.Errorf("grid %v is no multiple of groups of %v; the kernel was compiled for whole groups (uniform_work_group_size)", k.Grid, k.Block)
		}
	}
	return nil
}

// NewGDS returns a global data share, followed by the resources of global wave sync: zeros. Source:
// docs/reference/gcn.md 8.3.
func NewGDS() *mem.Space {
	s, err := mem.NewSpace("gds", mem.NewSegment("gds", 0, gcn.GDSBytes, mem.ReadWrite),
		mem.NewSegment("gws", gcn.GWSBase, gcn.GWSBytes, mem.ReadWrite))
	if err != nil {
		panic("hsa: " + err.Error())
	}
	return s
}

// setSpace creates the memory that waves can access, except for scratch.
func (d *dispatch) setSpace() error {
	d.space = &mem.Space{Name: "global"}
	segs := append([]mem.Segment(nil), d.k.Module.segments...)
	segs = append(segs, d.declare(d.k.Memory.segments())...)
	segs = append(segs, d.system()...)
	for i, s := range segs {
		if _, taken := d.space.Segment(s.Name); taken || s.Name == scratchName { // a buffer may have the name of a system segment
			s.Name = fmt.Sprintf("%s (%d)", s.Name, i)
		}
		if err := d.space.Add(s); err != nil {
			return err
		}
	}
	return nil
}

// declare restricts buffers that the kernel gets only by arguments to const to being read, if the settings ask for it.
func (d *dispatch) declare(segs []mem.Segment) []mem.Segment {
	if !d.set.Declared || d.kernel.Meta == nil {
		return segs
	}
	writes, used := map[string]bool{}, 0
	for _, a := range d.declared() {
		if a.Hidden() || used >= len(d.k.Args) {
			continue
		}
		if b := d.k.Args[used].buf; b != nil {
			writes[b.Name] = writes[b.Name] || !a.Const && a.Access != "read_only" && a.ActualAccess != "read_only"
		}
		used++
	}
	for i := range segs {
		if w, is := writes[segs[i].Name]; is && !w && segs[i].Also == 0 {
			segs[i].Declare(mem.Read)
		}
	}
	return segs
}
