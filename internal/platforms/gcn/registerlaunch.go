package gcn

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// A RegisterLaunch is a compute launch as the registers of a command stream describe it: COMPUTE_PGM_RSRC1 and 2, user
// data and the packet. Waves start the same way as those of a [Kernel].
type RegisterLaunch struct {
	Name         string // for faults
	Program      *exec.Program
	Entry        uint64
	Rsrc1, Rsrc2 uint32
	Initiator    uint32   // COMPUTE_DISPATCH_INITIATOR: InitOrdered and InitOrderedGroups have an effect here
	User         []uint32 // COMPUTE_USER_DATA
	Grid         launch.Grid
	Origin       [3]uint32 // the id of the first group
	// ScratchWave is the scratch of a wave in bytes. Its scratch wave offset is as many times that as its place among
	// the waves that run at once: those of the group in the first slot come first.
	ScratchWave uint64
	ScratchAlso uint64 // if not 0, how far below its address scratch has a second one
	Global      *mem.Space
	GDS         *mem.Space // with the resources of global wave sync: see NewGDS
	Images      *Images    // of Global
}

// GroupBytes is the LDS of a group in bytes that LDS_SIZE of RSRC2 requests. Its unit is 64 words on gfx6 and 128 words
// on later chips.
func (k *RegisterLaunch) GroupBytes(gen int) int {
	unit := 512
	if gen == 6 {
		unit = 256
	}
	return k.descriptor().LDSBlocks() * unit
}

// UserSGPRs is the number of words of User that the program takes.
func (k *RegisterLaunch) UserSGPRs() int { return k.descriptor().UserSGPRs() }

// HasScratch reports whether waves get a scratch wave offset.
func (k *RegisterLaunch) HasScratch() bool { return k.descriptor().ScratchOffset() }

// Mode is the initial MODE register.
func (k *RegisterLaunch) Mode() uint32 { return computeMode(k.descriptor()) }

// Waves is the number of waves of a whole group.
func (k *RegisterLaunch) Waves() int { return wavesOf(k.Grid.Block) }

func wavesOf(b [3]uint32) int {
	return (int(b[0])*int(b[1])*int(b[2]) + waveLanes - 1) / waveLanes
}

func (k *RegisterLaunch) descriptor() *object.Descriptor {
	return &object.Descriptor{Rsrc1: k.Rsrc1, Rsrc2: k.Rsrc2}
}

// allocatedSGPRs returns the SGPRs of a wave: a trap handler has 16 of its own. Source: LLVM, TRAP_NUM_SGPRS.
func allocatedSGPRs(d *object.Descriptor) int {
	if d.TrapHandler() {
		return d.SGPRs() + 16
	}
	return d.SGPRs()
}

// A registerTarget starts the waves of a RegisterLaunch.
type registerTarget struct{ start *waveStart }

func (t *registerTarget) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (t *registerTarget) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	t.start.init(g, wave, st)
	return nil
}

func (t *registerTarget) Restart(g *launch.Group, wave int, st *exec.State) {
	t.start.place(g, wave, st)
}

// Launch returns the launch of a chip of a generation: 6, 7 or 8.
func (k *RegisterLaunch) Launch(gen int, set *launch.Settings) (*launch.Launch, error) {
	if size := groupSize(k.Grid.Block); size == 0 || size > maxGroup {
		return nil, fmt.Errorf("groups of %dx%dx%d work-items; 1 to %d are possible", k.Grid.Block[0], k.Grid.Block[1], k.Grid.Block[2], maxGroup)
	}
	slots, global, own, err := k.ownScratch(set)
	if err != nil {
		return nil, err
	}
	s := newWaveStart(k.descriptor(), k.User, k.Grid.Block, func(g *launch.Group, wave int) uint64 {
		return uint64(min(g.Slot, slots-1)*k.Waves()+wave) * k.ScratchWave
	})
	s.origin = k.Origin
	var turns *mem.Space
	s.order, turns = orderOf(k.Initiator, &k.Grid)
	return s.order.of(set.Of(&launch.Launch{
		Kernel: k.Name, Program: k.Program, Entry: ir.Key{PC: k.Entry, Mode: s.regs.mode & k.Program.Machine().ModeMask},
		Grid: k.Grid, Lanes: waveLanes, Target: &registerTarget{s}, GroupBytes: k.GroupBytes(gen), Vector: k.descriptor().VGPRs(), Scalar: allocatedSGPRs(k.descriptor()),
		Env: environment(global, k.GDS, turns, k.Images), Own: own, OwnAlso: k.ScratchAlso,
	})), nil
}

// ownScratch returns the number of slots that have scratch of their own, global memory, and the scratch of each wave.
func (k *RegisterLaunch) ownScratch(set *launch.Settings) (slots int, global *mem.Space, own func(wave int) mem.Extent, err error) {
	base, ok := k.Scratch()
	if !ok || set.Watcher == nil {
		return math.MaxInt, k.Global, nil, nil
	}
	global, own, err = apart(k.Global, base, k.ScratchWave, k.Waves())
	if err == nil && k.ScratchAlso != 0 {
		global, err = global.Without(base-k.ScratchAlso, k.ScratchWave*uint64(k.Waves()))
	}
	return 1, global, own, err
}

// Scratch returns the address of scratch in global memory, if it is known.
func (k *RegisterLaunch) Scratch() (addr uint64, ok bool) {
	if k.ScratchWave == 0 {
		return 0, false
	}
	return scratchIn(k.descriptor(), k.User)
}
