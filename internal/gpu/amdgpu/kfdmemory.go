//go:build linux && amd64

package amdgpu

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/mem"
)

// kfdMemory is what a file has allocated, by handle.
type kfdMemory struct {
	list map[uint64]*kfdBuffer
	next uint64
}

// A kfdBuffer is memory with the address that it has for the GPU when it is mapped.
type kfdBuffer struct {
	*drm.Buffer // nil: the program's own memory
	own         *ownMemory
	va          uint64
	times       int // that it is mapped one after another: rings of AQL queues are mapped twice
	rights      mem.Rights
	mapped      bool
}

// Flags of ALLOC_MEMORY_OF_GPU.
const (
	allocVRAM     = 1 << 0
	allocGTT      = 1 << 1
	allocUserptr  = 1 << 2
	allocDoorbell = 1 << 3
	allocMMIO     = 1 << 4
	allocTwice    = 1 << 27
	allocWritable = 1 << 31
)

type allocArgs struct {
	va, size, handle, offset uint64
	gpuID, flags             uint32
}

// mostKFDBuffers limits the buffers of a file, whose pages take no memory until they are used.
const mostKFDBuffers = 1 << 18

func allocMemory(k *kfd, c *drm.Call) error {
	a := drm.Args[allocArgs](c)
	switch {
	case a.gpuID != k.d.gpuID() || a.size == 0 || a.va%host.PageSize != 0 || len(k.memory.list) >= mostKFDBuffers:
		return unix.EINVAL
	case k.file == nil:
		return unix.ENODEV
	}
	b := &kfdBuffer{va: a.va, times: 1, rights: mem.Read}
	if a.flags&allocWritable != 0 {
		b.rights = mem.ReadWrite
	}
	if err := k.allocate(c, b, a); err != nil {
		return err
	}
	if k.memory.list == nil {
		k.memory.list = map[uint64]*kfdBuffer{}
	}
	k.memory.next++
	a.handle = k.memory.next
	k.memory.list[a.handle] = b
	if b.Buffer == nil {
		return nil
	}
	a.offset = b.Off
	if a.flags&allocDoorbell == 0 { // that is of all
		b.Handle = uint32(a.handle)
	}
	return nil
}

// allocate finds memory of a kind.
func (k *kfd) allocate(c *drm.Call, b *kfdBuffer, a *allocArgs) (err error) {
	size := a.size
	if a.flags&allocTwice != 0 {
		b.times, size = 2, size/2
	}
	switch a.flags & (allocVRAM | allocGTT | allocUserptr | allocDoorbell | allocMMIO) {
	case allocVRAM:
		b.Buffer, err = k.Alloc(size, host.PageSize, &k.d.vram)
	case allocGTT:
		b.Buffer, err = k.Alloc(size, host.PageSize, &k.d.gtt)
	case allocDoorbell:
		if host.RoundUp(size) != doorbellBytes {
			return unix.EINVAL
		}
		if b.Buffer, err = k.doorbells(); err == nil {
			b.Retain()
		}
	case allocUserptr:
		b.own, err = ownOf(c, a)
	case allocMMIO: // gfx9 has it
		return unix.ENOMEM
	default:
		return unix.EINVAL
	}
	return err
}

// ownMemory is memory that the program has allocated itself (a user pointer).
type ownMemory struct {
	process    host.Process
	addr, size uint64
}

// mostOwn limits a user pointer, which is copied when work accesses it, in bytes.
const mostOwn = 1 << 30

func ownOf(c *drm.Call, a *allocArgs) (*ownMemory, error) {
	if a.offset%host.PageSize != 0 || a.size%host.PageSize != 0 {
		return nil, unix.EINVAL
	}
	if a.size > mostOwn {
		return nil, unix.ENOMEM
	}
	p, err := c.Process()
	if err != nil {
		return nil, unix.ESRCH
	}
	o := &ownMemory{p, a.offset, a.size}
	var b [1]byte
	if p.Read(a.offset, b[:]) != nil || p.Read(a.offset+a.size-1, b[:]) != nil {
		return nil, unix.EFAULT
	}
	return o, nil
}

// Load implements drm.Foreign.
func (o *ownMemory) Load(off uint64, p []byte) error { return o.process.Read(o.addr+off, p) }

// Store implements drm.Foreign.
func (o *ownMemory) Store(off uint64, p []byte) error { return o.process.Write(o.addr+off, p) }

// release frees the memory, if it is the device's.
func (b *kfdBuffer) release() {
	if b.Buffer != nil {
		b.Release()
	}
}

// mappings are the mappings of the buffer.
func (b *kfdBuffer) mappings() (list []drm.Mapping) {
	if b.own != nil {
		return []drm.Mapping{{VA: b.va, Size: b.own.size, Foreign: b.own, Rights: b.rights}}
	}
	for i := range b.times {
		list = append(list, drm.Mapping{VA: b.va + uint64(i)*b.Size, Size: b.Size, Buffer: b.Buffer, Rights: b.rights})
	}
	return list
}

// doorbellBytes is the size of the doorbells of a process: 1024 of a dword.
const doorbellBytes = 4096

// doorbells returns the page of doorbells.
func (k *kfd) doorbells() (*drm.Buffer, error) {
	if k.doorbell == nil {
		b, err := k.Alloc(doorbellBytes, host.PageSize, &k.d.gtt)
		if err != nil {
			return nil, err
		}
		k.doorbell = b
	}
	return k.doorbell, nil
}

// find returns the memory of a handle.
func (m *kfdMemory) find(handle uint64) (*kfdBuffer, error) {
	if b := m.list[handle]; b != nil {
		return b, nil
	}
	return nil, unix.EINVAL
}

func freeMemory(k *kfd, c *drm.Call) error {
	handle := *drm.Args[uint64](c)
	b, err := k.memory.find(handle)
	if err != nil {
		return err
	}
	if b.mapped {
		return unix.EBUSY
	}
	delete(k.memory.list, handle)
	b.release()
	return nil
}

// release frees all memory. No queue is left.
func (m *kfdMemory) release(k *kfd) {
	for _, b := range m.list {
		b.unmap(k)
		b.release()
	}
	clear(m.list)
}

type mapArgs struct {
	handle, gpus uint64
	n, done      uint32
}

// mostGPUs limits lists of GPUs.
const mostGPUs = 128

// onGPUs answers MAP_MEMORY_TO_GPU and UNMAP_MEMORY_FROM_GPU.
func (k *kfd) onGPUs(c *drm.Call, do func(b *kfdBuffer) error) error {
	a := drm.Args[mapArgs](c)
	if a.n == 0 || a.n > mostGPUs || a.done > a.n {
		return unix.EINVAL
	}
	ids, err := drm.Array[uint32](c, a.gpus, a.n)
	if err != nil {
		return err
	}
	b, err := k.memory.find(a.handle)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(ids, func(id uint32) bool { return id != k.d.gpuID() }) {
		return unix.EINVAL
	}
	if err := do(b); err != nil {
		return err
	}
	a.done = a.n
	return nil
}

func mapMemory(k *kfd, c *drm.Call) error {
	return k.onGPUs(c, func(b *kfdBuffer) error {
		if b.mapped {
			return nil
		}
		list := b.mappings()
		for i, m := range list {
			if err := k.file.VM.Map(m); err != nil {
				for _, m := range list[:i] {
					k.file.VM.Clear(m.VA, m.Size) // it was mapped just now
				}
				return err
			}
		}
		b.mapped = true
		return nil
	})
}

func unmapMemory(k *kfd, c *drm.Call) error {
	return k.onGPUs(c, func(b *kfdBuffer) error {
		b.unmap(k)
		return nil
	})
}

// unmap unmaps what mapMemory has mapped. What the render node's requests have unmapped before is not there any more.
func (b *kfdBuffer) unmap(k *kfd) {
	if !b.mapped {
		return
	}
	for _, m := range b.mappings() {
		k.file.VM.Unmap(m.Buffer, m.VA)
	}
	b.mapped = false
}
