//go:build linux && amd64

package amdgpu

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/cp"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// An executor executes work on the memory of a client, one piece after another: it is the memory and the device of
// command streams.
type executor struct {
	c      *client
	mem    *drm.Memory // of the piece that runs
	share  *mem.Space  // and its global data share
	cursor mem.Cursor
	images *gcn.Images // of the memory of the last dispatch
}

// Now implements cp.Device.
func (e *executor) Now() uint64 { return e.c.d.now() }

// Draw implements cp.Device.
func (e *executor) Draw(context.Context, *cp.State, cp.Draw) error {
	return &cp.NotBuilt{What: "drawing"}
}

// Texels implements cp.Tiler.
func (e *executor) Texels(va uint64, info uint32, bytes int, pitch, slice uint32) (func(x, y, z uint32) uint64, error) {
	return e.c.d.tiling.Texels(&gcn.Surface{Base: va, Info: info, Texel: bytes, Pitch: pitch, Slice: slice})
}

// Read implements cp.Memory.
func (e *executor) Read(va uint64, p []byte) error { return e.mem.Read(va, p) }

// Write implements cp.Memory.
func (e *executor) Write(va uint64, p []byte) error {
	if e.c.look != nil {
		e.c.look.Wrote(va, uint64(len(p)))
	}
	return e.mem.Write(va, p)
}

// CompareAndSwap implements cp.Swapper.
func (e *executor) CompareAndSwap(va uint64, size int, old, new uint64) (bool, error) {
	b, err := e.word(va, uint64(size))
	if err != nil {
		return false, err
	}
	return mem.Atomic(b, mem.CmpSwap, new, old) == old, nil
}

// word returns a word of memory for an atomic operation.
func (e *executor) word(va, size uint64) ([]byte, error) {
	b, fault := e.mem.Space.AtAligned(&e.cursor, va, size, size, mem.ReadWrite)
	if fault != nil {
		return nil, fault
	}
	return b, nil
}

// Registers of a dispatch: addresses as package pm4 has them.
const (
	regStart     = 0xb810 // COMPUTE_START_X, Y, Z
	regThreads   = 0xb81c // COMPUTE_NUM_THREAD_X, Y, Z: of a whole group, and of the last one of the axis
	regProgramLo = 0xb830
	regProgramHi = 0xb834
	regRsrc1     = 0xb848
	regRsrc2     = 0xb84c
	regScratch   = 0xb860 // COMPUTE_TMPRING_SIZE
	regUser      = 0xb900
	userWords    = 16
)

// Bits of COMPUTE_DISPATCH_INITIATOR.
const (
	initPartial    = 1 << 1
	initFromZero   = 1 << 2
	initDimensions = 1 << 5
)

// Dispatch implements cp.Device.
func (e *executor) Dispatch(ctx context.Context, s *cp.State, d cp.Dispatch) error {
	k := &gcn.RegisterLaunch{Entry: uint64(s.Reg(regProgramHi)&0xff)<<40 | uint64(s.Reg(regProgramLo))<<8,
		Rsrc1: s.Reg(regRsrc1), Rsrc2: s.Reg(regRsrc2), Initiator: d.Initiator, User: make([]uint32, userWords), GDS: e.share}
	k.Name = fmt.Sprintf("compute shader at %#x", k.Entry)
	for i := range k.User {
		k.User[i] = s.Reg(regUser + 4*uint32(i))
	}
	gridOf(k, s, d)
	for _, n := range k.Grid.Groups {
		if n == 0 {
			return nil
		}
	}
	return withUnwritten(e.launch(ctx, k, s.Reg(regScratch)), k, s)
}

// withUnwritten adds to an error of a dispatch the user registers that its program takes and no packet has written: the
// program reads something else than it was compiled for.
func withUnwritten(err error, k *gcn.RegisterLaunch, s *cp.State) error {
	if err == nil {
		return nil
	}
	var names []string
	for i := range min(k.UserSGPRs(), userWords) {
		if !s.Written(regUser + 4*uint32(i)) {
			names = append(names, fmt.Sprintf("s%d", i))
		}
	}
	if names == nil {
		return err
	}
	return fmt.Errorf("%w; the driver has never set %s, which the program takes (COMPUTE_PGM_RSRC2 USER_SGPR)", err, strings.Join(names, ", "))
}

// gridOf sets the grid of a dispatch. The numbers of the packet are the ends of the ids of groups, or of work-items,
// which begin with 0 or with COMPUTE_START.
func gridOf(k *gcn.RegisterLaunch, s *cp.State, d cp.Dispatch) {
	g := &k.Grid
	g.Groups = d.Groups
	for i := range 3 {
		threads := s.Reg(regThreads + 4*uint32(i))
		g.Block[i] = threads & 0xffff
		if d.Initiator&initFromZero == 0 {
			k.Origin[i] = s.Reg(regStart + 4*uint32(i))
		}
		first, last := k.Origin[i], threads>>16
		if d.Initiator&initDimensions != 0 {
			g.Items[i] = d.Groups[i] - min(d.Groups[i], first*g.Block[i])
			g.Groups[i] = launch.Cover(g.Items, g.Block).Groups[i]
			continue
		}
		g.Groups[i] = d.Groups[i] - min(d.Groups[i], first)
		if d.Initiator&initPartial != 0 && last != 0 && g.Groups[i] != 0 {
			g.Items[i] = (g.Groups[i]-1)*g.Block[i] + min(last, g.Block[i])
		}
	}
}

// scratchUnit is the unit of the scratch of a wave in COMPUTE_TMPRING_SIZE, in bytes.
const scratchUnit = 1 << 10

// launch runs a dispatch whose scratch is as COMPUTE_TMPRING_SIZE says.
func (e *executor) launch(ctx context.Context, k *gcn.RegisterLaunch, ring uint32) error {
	c, m := e.c, e.mem
	prog, err := c.program(m, ir.Key{PC: k.Entry, Mode: k.Mode()})
	if err != nil {
		return err
	}
	if e.images == nil || e.images.Space() != m.Space {
		e.images = gcn.NewImages(m.Space, c.d.tiling)
	}
	k.Program, k.Global, k.Images = prog.Program, m.Space, e.images
	set := &launch.Settings{Engine: c.d.opt.Engine, Workers: c.d.opt.Workers, Relaxed: true, Limits: exec.Limits{Steps: 1 << 62, Total: 1 << 62}} // Options.Hang is the limit
	if k.HasScratch() {
		k.ScratchWave = uint64(ring>>12&0x1fff) * scratchUnit
		if waves := k.Waves(); k.ScratchWave != 0 {
			if set.Workers <= 0 {
				set.Workers = runtime.GOMAXPROCS(0)
			}
			if set.Workers = min(set.Workers, int(ring&0xfff)/waves); set.Workers == 0 {
				return fmt.Errorf("COMPUTE_TMPRING_SIZE has scratch for %d waves, and a group has %d", ring&0xfff, waves)
			}
		}
	}
	ended := func(error) {}
	if c.look != nil {
		set.Watcher, ended = c.look.Dispatch()
		if s, ok := set.Watcher.(launch.Shadower); ok && s.Shadows() != nil {
			set.Limits.Memory = 2 * launch.DefaultMemory // a shadow is as much again, of which little is used
		}
	}
	var rec *capture
	if folder := c.d.opt.Captures.next(); folder != "" {
		rec = newCapture(c.d.opt.Captures, folder, k)
		k.Global, set.Workers = m.View(rec.touch), 1
		k.Images = gcn.NewImages(k.Global, c.d.tiling)
	}
	d := &dispatch{e: e, prog: prog, k: k, set: set}
	if c.d.opt.Debug != nil {
		err = c.d.opt.Debug.Do(ctx, d)
	} else {
		err = d.Run(ctx, nil)
	}
	res := d.res
	ended(err)
	if rec != nil {
		rec.write(prog, c.d.tiling, err)
	}
	if res == nil { // it has not begun
		return err
	}
	st := &c.d.Stats
	st.Dispatches.Add(1)
	st.Groups.Add(res.Groups)
	st.Waves.Add(res.Waves)
	st.Instructions.Add(res.Instructions)
	st.Time.Add(res.Time.Nanoseconds())
	return err
}
