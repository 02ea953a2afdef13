package gcn

import (
	"fmt"
	"runtime"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// scratch is the private memory of a launch's waves.
type scratch struct {
	lane   uint32 // bytes per lane, 0 if the kernel has none
	stride uint64 // bytes from the scratch of one wave of a group to that of the next
}

const (
	scratchUnit  = 1 << 10 // a wave's scratch is a multiple of this
	scratchGuard = 16 << 10
	scratchName  = "scratch"
	// scratchElement is the number of contiguous bytes of a lane: the element_size of the resource.
	scratchElement = 4
	// maxScratch limits the scratch of all waves that run at once, in bytes, unless Limits.Memory is lower.
	maxScratch = 1 << 30
)

// setScratch computes the size of a wave's scratch.
func (d *dispatch) setScratch() error {
	if n := d.k.Module.scratchWave; n != 0 {
		d.scratch.stride, d.set.Workers = n, 1 // all groups have the same scratch
		return nil
	}
	desc := &d.kernel.Descriptor
	bytes := desc.PrivateSize
	if desc.DynamicStack() || d.kernel.Meta != nil && d.kernel.Meta.DynamicStack {
		stack := d.k.Stack
		if stack == 0 {
			stack = DefaultStack
		}
		if bytes = max(bytes, stack); bytes > 1<<30 {
			return fmt.Errorf("%s of scratch per lane", spell.Count(bytes, "byte"))
		}
	}
	if bytes == 0 {
		return nil
	}
	g := d.grid.Block
	waves := (uint64(g[0])*uint64(g[1])*uint64(g[2]) + waveLanes - 1) / waveLanes
	wave := (uint64(bytes)*waveLanes + scratchUnit - 1) / scratchUnit * scratchUnit
	stride := wave + scratchGuard
	if room := uint64(scratchEnd - scratchBase); stride > room/waves {
		return fmt.Errorf("%d bytes of scratch per lane; groups of %d waves have room for %d", bytes, waves, (room/waves-scratchGuard)/waveLanes)
	}
	d.scratch.lane, d.scratch.stride = uint32(wave/waveLanes), stride
	return d.fitScratch(waves * wave)
}

// fitScratch lowers the number of workers until the scratch of their groups is within the limit.
func (d *dispatch) fitScratch(group uint64) error {
	limit := uint64(maxScratch)
	if m := d.set.Limits.Memory; m != 0 {
		limit = min(limit, m)
	}
	if group > limit {
		return fmt.Errorf("%d bytes of scratch per lane: a group has %d, the limit is %d", d.scratch.lane, group, limit)
	}
	if d.set.Workers <= 0 {
		d.set.Workers = runtime.GOMAXPROCS(0)
	}
	d.set.Workers = int(min(uint64(d.set.Workers), limit/group))
	return nil
}

// offset returns the offset of a wave's scratch from the base of all.
func (s *scratch) offset(wave int) uint64 { return uint64(wave) * s.stride }

// extent returns the scratch of a wave, at an address of global memory where no other wave sees it.
func (s *scratch) extent(wave int) mem.Extent {
	return mem.Extent{Name: scratchName, Base: scratchBase + s.offset(wave), Size: uint64(s.lane) * waveLanes, Rights: mem.ReadWrite}
}

// scratchIn returns the address of scratch, which programs take in the first user SGPRs: RADV's two words of a
// resource, others all four. Source: docs/reference/gcn.md 9.5.
func scratchIn(desc *object.Descriptor, user []uint32) (addr uint64, ok bool) {
	const swizzled = 1 << 31
	if !desc.ScratchOffset() || len(user) < 2 || desc.UserSGPRs() < 2 || user[1]&swizzled == 0 {
		return 0, false
	}
	return uint64(user[1]&0xffff)<<32 | uint64(user[0]), true
}

// apart returns global memory without scratch in it, and the scratch of each wave: of a launch that is watched no other
// wave can access it, nor does it last, though the program has it in a buffer that waves use in turn.
func apart(global *mem.Space, base, size uint64, waves int) (*mem.Space, func(wave int) mem.Extent, error) {
	global, err := global.Without(base, size*uint64(waves))
	return global, func(wave int) mem.Extent {
		return mem.Extent{Name: scratchName, Base: base + uint64(wave)*size, Size: size, Rights: mem.ReadWrite}
	}, err
}

// resource returns the V# of scratch: swizzled, elements of 4 bytes, an index for each of 64 lanes. Source:
// docs/reference/gcn.md 8.1 and 9.5.
func (s *scratch) resource() [4]uint32 {
	const (
		swizzle   = 1 << 31 // of word 1
		selects   = 4 | 5<<3 | 6<<6 | 7<<9
		numFormat = 4 << 12 // uint
		format    = 4 << 15 // 32 bits
		element   = 1 << 19 // 4 bytes
		index     = 3 << 21 // 64
		addTID    = 1 << 23
	)
	return [4]uint32{scratchBase, swizzle, 0xffff_ffff, selects | numFormat | format | element | index | addTID}
}
