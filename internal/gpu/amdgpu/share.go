//go:build linux && amd64

package amdgpu

import (
	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/mem"
)

// Buffers in the global data share: bytes of it, resources of global wave sync, or counters of ordered append. What a
// submission lists is what it accesses, from the start on; addresses are relative to it, as with the kernel. Without
// such a buffer it accesses the file's own share, of full size, where the kernel grants none.

// shareSizes are how much there is, by domain.
var shareSizes = map[uint64]uint64{domainGDS: gcn.GDSBytes, domainGWS: gcn.GWSBytes / 8, domainOA: 16}

// createAlwaysValid is the flag of buffers that no submission needs to list.
const createAlwaysValid = 1 << 6

// createShare answers GEM_CREATE of a buffer in the share.
func (c *client) createShare(call *drm.Call, a createArgs) error {
	most, ok := shareSizes[a.domains]
	switch {
	case !ok || a.size == 0 || a.flags&createAlwaysValid != 0:
		return unix.EINVAL
	case a.size > most:
		return unix.ENOMEM
	}
	b, handle, err := c.NewBuffer(a.size, 0, &c.d.gtt)
	if err != nil {
		return err
	}
	b.Domains, b.Flags, b.Align = a.domains, a.flags, a.align
	c.shares.Store(true)
	*drm.Args[[2]uint32](call) = [2]uint32{handle, 0}
	return nil
}

// inShare reports whether a buffer is in the share: programs cannot map it.
func inShare(b *drm.Buffer) bool { return shareSizes[b.Domains] != 0 }

// listed reads the handles that a submission lists: of a list that the file has, and in a chunk.
func (c *client) listed(call *drm.Call, list uint32, headers []chunkHeader, chunks [][]byte) ([]uint32, error) {
	c.mu.Lock()
	handles := append([]uint32(nil), c.lists[list]...)
	c.mu.Unlock()
	for i, h := range headers {
		if h.id != chunkBuffers {
			continue
		}
		if err := each(chunks[i], func(a listArgs) error {
			entries, err := drm.Array[[2]uint32](call, a.ptr, a.n)
			for _, e := range entries {
				handles = append(handles, e[0])
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	return handles, nil
}

// grant gives a job the parts of the share that it lists.
func (c *client) grant(j *job, handles []uint32) error {
	granted := map[uint64]*drm.Buffer{}
	for _, h := range handles {
		if b := c.Buffer(h); b != nil && inShare(b) && granted[b.Domains] == nil {
			granted[b.Domains] = b
		}
	}
	if granted[domainGDS] == nil && granted[domainGWS] == nil {
		return nil
	}
	part := func(name string, domain, unit uint64) mem.Segment {
		g, _ := c.gds.Segment(name)
		if b := granted[domain]; b != nil {
			b.Retain()
			j.granted = append(j.granted, b)
			g.Data = b.Bytes()[:(b.Asked*unit+3)&^3]
		}
		return g
	}
	share, err := mem.NewSpace("gds", part("gds", domainGDS, 1), part("gws", domainGWS, 8))
	j.share = share
	return err
}
