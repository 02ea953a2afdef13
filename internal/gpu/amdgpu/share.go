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
	*drm.Args[[2]uint32](call) = [2]uint32{handle, 0}
	return nil
}

// inShare reports whether a buffer is in the share: programs cannot map it.
func inShare(b *drm.Buffer) bool { return shareSizes[b.Domains] != 0 }

// listEntry is the size of an entry in a list of buffers: a handle, and a priority, which has no effect.
const listEntry = 8

// resources reads which buffers a submission lists, in a list that the file has or in a chunk, and gives the job the
// parts of the share among them. The rest need not be listed here.
func (c *client) resources(call *drm.Call, j *job, list uint32) error {
	var entries [][2]uint32
	switch {
	case j.list != nil && list != 0:
		return unix.EINVAL
	case j.list != nil:
		var err error
		if entries, err = drm.Array[[2]uint32](call, j.list.ptr, j.list.n); err != nil {
			return err
		}
	case list != 0:
		c.mu.Lock()
		known, ok := c.lists[list]
		c.mu.Unlock()
		if !ok {
			return unix.ENOENT
		}
		entries = known
	}
	for _, e := range entries {
		b := c.Take(e[0])
		if b == nil && j.list != nil { // of a list that was made before, some may have been freed since
			return unix.ENOENT
		}
		j.take(b)
	}
	return c.grant(j)
}

// take makes a buffer what the job is granted of its domain, in place of one before, and releases what is not.
func (j *job) take(b *drm.Buffer) {
	if b != nil && inShare(b) {
		if j.granted == nil {
			j.granted = map[uint64]*drm.Buffer{}
		}
		b, j.granted[b.Domains] = j.granted[b.Domains], b
	}
	if b != nil {
		b.Release()
	}
}

// grant makes the job's share of the buffers that it is granted.
func (c *client) grant(j *job) error {
	if j.granted[domainGDS] == nil && j.granted[domainGWS] == nil {
		return nil
	}
	part := func(name string, domain, unit uint64) mem.Segment {
		g, _ := c.gds.Segment(name)
		if b := j.granted[domain]; b != nil {
			g.Data = b.Bytes()[:(b.Asked*unit+3)&^3]
		}
		return g
	}
	share, err := mem.NewSpace("gds", part("gds", domainGDS, 1), part("gws", domainGWS, 8))
	j.share = share
	return err
}
