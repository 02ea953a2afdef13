//go:build linux && amd64

package amdgpu

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/chip"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	platform "github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// Options say how work is executed.
type Options struct {
	Engine   exec.Engine
	Workers  int           // groups of a dispatch that run at once; 1: one after another, in order
	Hang     time.Duration // a submission that takes longer is a hang; 0: no limit
	Trace    io.Writer     // receives the packets of command streams as text; nil: no trace
	Captures *Captures     // nil: none
	Debug    *debug.Feed   // receives the dispatches, for debuggers that join; nil: none can
	// Watch returns what watches the dispatches of an open file; nil: nothing does. shadow is as of sanitize.NewShared.
	Watch func(shadow func(*mem.Segment) []byte) Watching
}

// A Watching watches the dispatches of an open file, which may run beside each other.
type Watching interface {
	// Dispatch returns what watches a dispatch, and what is called with its error when it has ended.
	Dispatch() (w launch.Watcher, ended func(error))
	// Wrote says that a packet has written memory.
	Wrote(addr, size uint64)
}

// A Driver is the GPU.
type Driver struct {
	chip   *chip.Chip
	tiling *platform.Tiling
	target *isa.Target
	opt    Options

	vram, gtt drm.Heap

	traceMu sync.Mutex
	Stats   Stats
}

// Stats count what a device has done.
type Stats struct {
	Submissions, Packets, Dispatches, Groups, Waves, Instructions, Programs, Faults atomic.Uint64
	Time                                                                            atomic.Int64 // of dispatches, in nanoseconds
}

// New returns a GPU.
func New(c *chip.Chip, opt Options) (*Driver, error) {
	set := gcn.Set()
	v, ok := set.Variant(fmt.Sprintf("gfx%d", c.Gen))
	if !ok {
		return nil, fmt.Errorf("%s: there is no gcn:gfx%d", c.Name, c.Gen)
	}
	t, err := set.At(v, 0).With(0, nil)
	if err != nil {
		return nil, err
	}
	tiling := &platform.Tiling{Gen: c.Gen, AddrConfig: c.AddrConfig, Modes: c.TileModes, Macro: c.MacroTileModes}
	return &Driver{chip: c, tiling: tiling, target: t, opt: opt, vram: drm.Heap{Size: c.VRAM}, gtt: drm.Heap{Size: gttSize}}, nil
}

// Version implements drm.Driver. 3.49 is Linux 6.1.
func (d *Driver) Version() drm.Version {
	return drm.Version{Major: 3, Minor: 49, Name: "amdgpu", Date: "20150101", Text: "AMD GPU"}
}

// Capabilities that GET_CAP asks for.
const (
	capPrime           = 0x05
	capMonotonic       = 0x06
	capSyncobj         = 0x13
	capSyncobjTimeline = 0x14
)

// Cap implements drm.Driver.
func (d *Driver) Cap(n uint64) (uint64, bool) {
	switch n {
	case capPrime: // import and export
		return 3, true
	case capMonotonic, capSyncobj, capSyncobjTimeline:
		return 1, true
	case 1, 2, 3, 4, 7, 8, 9, 0x10, 0x11, 0x12, 0x15: // of display, which a device without one has not
		return 0, true
	}
	return 0, false
}

// Requests implements drm.Driver.
func (d *Driver) Requests() []drm.Request {
	return []drm.Request{
		{Nr: drm.CommandBase + 0x00, Name: "GEM_CREATE", Size: 32, Do: do(gemCreate)},
		{Nr: drm.CommandBase + 0x01, Name: "GEM_MMAP", Size: 8, Do: do(gemMmap)},
		{Nr: drm.CommandBase + 0x02, Name: "CTX", Size: 16, Do: do(ctxOp)},
		{Nr: drm.CommandBase + 0x03, Name: "BO_LIST", Size: 24, Do: do(boList)},
		{Nr: drm.CommandBase + 0x04, Name: "CS", Size: 24, Do: do(submit)},
		{Nr: drm.CommandBase + 0x05, Name: "INFO", Size: 32, Do: do(info)},
		{Nr: drm.CommandBase + 0x06, Name: "GEM_METADATA", Size: 288, Do: do(gemMetadata)},
		{Nr: drm.CommandBase + 0x07, Name: "GEM_WAIT_IDLE", Size: 16, Do: do(gemWaitIdle)},
		{Nr: drm.CommandBase + 0x08, Name: "GEM_VA", Size: 40, Do: do(gemVA)},
		{Nr: drm.CommandBase + 0x09, Name: "WAIT_CS", Size: 32, Do: do(waitCS)},
		{Nr: drm.CommandBase + 0x10, Name: "GEM_OP", Size: 16, Do: do(gemOp)},
		{Nr: drm.CommandBase + 0x11, Name: "GEM_USERPTR", Size: 24, Do: do(gemUserptr)},
		{Nr: drm.CommandBase + 0x12, Name: "WAIT_FENCES", Size: 24, Do: do(waitFences)},
		{Nr: drm.CommandBase + 0x13, Name: "VM", Size: 8, Do: do(vmOp)},
		{Nr: drm.CommandBase + 0x14, Name: "FENCE_TO_HANDLE", Size: 32, Do: do(fenceToHandle)},
		{Nr: drm.CommandBase + 0x15, Name: "SCHED", Size: 16, Do: do(sched)},
	}
}

// do makes a request of a function of this driver's client.
func do(f func(*client, *drm.Call) error) func(*drm.File, *drm.Call) error {
	return func(file *drm.File, c *drm.Call) error { return f(file.Client.(*client), c) }
}

// Nodes returns the device files of the GPU. Messages go to log.
func (d *Driver) Nodes(a *host.Arena, log io.Writer) []*host.Node {
	dev := drm.NewDevice(d, a, log)
	nodes := []*host.Node{{Path: nodePath, Major: nodeMajor, Minor: nodeMinor, Arena: a, Open: dev.OpenFile}}
	if d.hasKFD() {
		nodes = append(nodes, d.kfdNode(dev))
	}
	return nodes
}

// The node, as Linux numbers render nodes.
const (
	nodePath  = "/dev/dri/renderD128"
	nodeMajor = 226
	nodeMinor = 128
)
