//go:build linux && amd64

package amdgpu

import (
	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/mem"
)

// Domains of buffers.
const (
	domainCPU  = 1 << 0
	domainGTT  = 1 << 1
	domainVRAM = 1 << 2
	domainGDS  = 1 << 3
	domainGWS  = 1 << 4
	domainOA   = 1 << 5
)

type createArgs struct{ size, align, domains, flags uint64 }

// gttSize is the size of the system memory that the GPU can access.
const gttSize = 8 << 30

func gemCreate(c *client, call *drm.Call) error {
	a := *drm.Args[createArgs](call)
	switch {
	case a.domains&(domainGDS|domainGWS|domainOA) != 0:
		return c.createShare(call, a)
	case a.domains&^(domainCPU|domainGTT|domainVRAM) != 0 || a.size == 0 || a.align&(a.align-1) != 0:
		return unix.EINVAL
	}
	b, handle, err := c.NewBuffer(a.size, a.align, c.d.heaps(a.domains)...)
	if err != nil {
		return err
	}
	b.Domains, b.Flags, b.Align = a.domains, a.flags, a.align
	*drm.Args[[2]uint32](call) = [2]uint32{handle, 0}
	return nil
}

// heaps returns the heaps that a buffer may be in, the better one first.
func (d *Driver) heaps(domains uint64) (list []*drm.Heap) {
	if domains&domainVRAM != 0 {
		list = append(list, &d.vram)
	}
	if domains&domainGTT != 0 || len(list) == 0 {
		list = append(list, &d.gtt)
	}
	return list
}

func gemMmap(c *client, call *drm.Call) error {
	b := c.Buffer(*drm.Args[uint32](call))
	switch {
	case b == nil:
		return unix.ENOENT
	case inShare(b):
		return unix.EPERM
	}
	*drm.Args[uint64](call) = b.Off
	return nil
}

// Operations of GEM_VA.
const (
	vaMap = 1 + iota
	vaUnmap
	vaClear
	vaReplace
)

// Flags of GEM_VA. Memory types say how caches behave, and there are none.
const (
	pageDelay      = 1 << 0
	pageReadable   = 1 << 1
	pageWriteable  = 1 << 2
	pageExecutable = 1 << 3
	pagePRT        = 1 << 4
	pageTypes      = 0xf << 5
)

type vaArgs struct {
	handle, _     uint32
	op, flags     uint32
	va, off, size uint64
}

func gemVA(c *client, call *drm.Call) error {
	a := drm.Args[vaArgs](call)
	if a.flags&^(pageDelay|pageReadable|pageWriteable|pageExecutable|pagePRT|pageTypes) != 0 {
		return unix.EINVAL
	}
	m := drm.Mapping{VA: a.va, Size: a.size, Off: a.off}
	if a.flags&pageReadable != 0 {
		m.Rights |= mem.Read
	}
	if a.flags&pageWriteable != 0 {
		m.Rights |= mem.Write
	}
	prt := a.flags&pagePRT != 0
	if !prt && a.op != vaClear {
		m.Buffer = c.Buffer(a.handle)
		switch {
		case m.Buffer == nil:
			return unix.ENOENT
		case inShare(m.Buffer):
			return unix.EINVAL
		}
	}
	switch {
	case a.op == vaMap:
		return c.VM.Map(m)
	case a.op == vaUnmap:
		return c.VM.Unmap(m.Buffer, a.va)
	case a.op == vaClear:
		return c.VM.Clear(a.va, a.size)
	case a.op == vaReplace:
		return c.VM.Replace(m)
	}
	return unix.EINVAL
}

const (
	metadataSet = 1 + iota
	metadataGet
)

type metadataArgs struct {
	handle, op    uint32
	flags, tiling uint64
	bytes         uint32
	data          [64]uint32
}

func gemMetadata(c *client, call *drm.Call) error {
	a := drm.Args[metadataArgs](call)
	b := c.Buffer(a.handle)
	if b == nil {
		return unix.ENOENT
	}
	return b.Metadata(func(m *any) error {
		switch a.op {
		case metadataSet:
			if a.bytes > uint32(len(a.data)*4) {
				return unix.EINVAL
			}
			*m = *a
		case metadataGet:
			if old, ok := (*m).(metadataArgs); ok {
				a.flags, a.tiling, a.bytes, a.data = old.flags, old.tiling, old.bytes, old.data
			}
		default:
			return unix.EINVAL
		}
		return nil
	})
}

const (
	opCreateInfo = iota
	opPlacement
)

type opArgs struct {
	handle, op uint32
	value      uint64
}

func gemOp(c *client, call *drm.Call) error {
	a := drm.Args[opArgs](call)
	b := c.Buffer(a.handle)
	switch {
	case b == nil:
		return unix.ENOENT
	case a.op == opCreateInfo:
		return drm.PutArray(call, a.value, []uint64{b.Size, b.Align, b.Domains, b.Flags})
	case a.op == opPlacement: // memory is everywhere
		return nil
	}
	return unix.EINVAL
}

type userptrArgs struct {
	addr, size uint64
	flags, _   uint32
}

// Flags of GEM_USERPTR.
const (
	userptrReadOnly = 1 << 0
	userptrAnonOnly = 1 << 1
	userptrValidate = 1 << 2
	userptrRegister = 1 << 3
)

// gemUserptr refuses memory of programs, which the device cannot share, as a kernel without CONFIG_DRM_AMDGPU_USERPTR
// does. Drivers copy then.
func gemUserptr(_ *client, call *drm.Call) error {
	a := *drm.Args[userptrArgs](call)
	switch {
	case (a.addr|a.size)%host.PageSize != 0 || a.flags&^(userptrReadOnly|userptrAnonOnly|userptrValidate|userptrRegister) != 0:
		return unix.EINVAL
	case a.flags&(userptrReadOnly|userptrRegister) == 0:
		return unix.EACCES
	}
	return unix.ENODEV
}

type idleArgs struct {
	handle, _ uint32
	timeout   uint64
}

// gemWaitIdle waits until no work of the file is left: which work accesses a buffer is not known.
func gemWaitIdle(c *client, call *drm.Call) error {
	a := *drm.Args[idleArgs](call)
	b := c.Buffer(a.handle)
	if b == nil {
		return unix.ENOENT
	}
	out := drm.Args[[4]uint32](call)
	fences := c.pending()
	*out = [4]uint32{1, uint32(b.Domains), 0, 0}
	return c.Wait(call, absolute(a.timeout), nil, func() (bool, error) {
		for _, f := range fences {
			if !f.Signalled() {
				return false, nil
			}
		}
		out[0] = 0
		return true, nil
	})
}

// absolute converts a time limit of amdgpu, where a negative one is none.
func absolute(t uint64) int64 {
	if int64(t) < 0 {
		return 1<<63 - 1
	}
	return int64(t)
}
